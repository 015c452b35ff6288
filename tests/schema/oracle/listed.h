/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of events whose texts are known to differ: lines of SYSTEM:EVENT (shell patterns), a tab, why. # begins a comment. */
#ifndef LISTED_H
#define LISTED_H

#include <stdbool.h>

/** listed__load() - read the list; ends the program if the file cannot be used */
void listed__load(const char *path);

/** listed__has() - whether an event is on it; @prefix, or "", stands before its pattern */
bool listed__has(const char *prefix, const char *system, const char *event);

/** listed__unused() - how many lines were for nobody */
unsigned int listed__unused(void);

#endif
