/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running a program as execvp(3) does, in two parts: look-ups and allocations before fork(), and only system calls after it. The child
 * of a process with threads may do nothing else (signal-safety(7)), because a thread that does not exist in the child may have held a
 * lock.
 */
#ifndef TW_PROGRAM_H
#define TW_PROGRAM_H

#include <limits.h>

struct tw_program {
	char path[PATH_MAX];
	char *const *argv; /* borrowed */
	char **script;     /* the arguments of /bin/sh, if the file is a script without an interpreter line */
};

/**
 * tw_program__find() - look for argv[0] in PATH, unless it has a '/'
 * @argv: NULL-terminated; borrowed until the program is executed
 * @ret: call tw_program__fini() also after a failure
 *
 * Return: 0; -ENOENT; -EACCES if only non-executable files were found; another -errno of the search; -ENOMEM.
 */
int tw_program__find(char *const *argv, struct tw_program *ret);

/** tw_program__exec() - execute it. Return: -errno; async-signal-safe */
int tw_program__exec(const struct tw_program *program, char *const *environment);

/** tw_program__fini() - free it; all-zero is fine */
void tw_program__fini(struct tw_program *program);

#endif
