/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Network namespaces with a separate /run, for tests that attach programs and filters to interfaces. */
#ifndef NAMESPACE_H
#define NAMESPACE_H

/** namespace__guard() - called first in main(). Return: 0, or an exit status after printing why nothing can be tested */
int namespace__guard(void);

/** namespace__setup() - for each test: a new network namespace with a veth pair v0, v1, both up, and an empty /run */
int namespace__setup(void **state);

/** shell() - run a command that must succeed */
void shell(const char *command);

/** shell__word() - the first word that a command prints, in static memory; "" if it prints none */
const char *shell__word(const char *command);

#endif
