/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a program as execvp(3) does, in two steps: look-ups and allocations before fork(), and only system calls in the child. The reason:
 * after fork() in a process with several threads, the child must call only async-signal-safe functions (signal-safety(7)). During fork(),
 * another thread may have held a lock, for example in malloc(), and this lock stays locked in the child.
 */
#ifndef TW_PROGRAM_H
#define TW_PROGRAM_H

#include <limits.h>

struct tw_program {
	char path[PATH_MAX];
	char *const *argv; /* borrowed */
	char **script;     /* argv for /bin/sh, used if the file is a script without an interpreter line */
};

/**
 * tw_program__find() - find the file of argv[0]: in PATH, unless it contains a '/'
 * @argv: NULL-terminated; borrowed until the program is executed
 * @ret: to be freed with tw_program__fini(), also after a failure
 * Return: 0; -ENOENT; -EACCES if only non-executable files were found; -ENAMETOOLONG; another -errno of stat(); -ENOMEM.
 */
int tw_program__find(char *const *argv, struct tw_program *ret);

/** tw_program__exec() - replace this process by the program; async-signal-safe. It returns only after a failure: -errno */
int tw_program__exec(const struct tw_program *program, char *const *environment);

/** tw_program__fini() - free the memory of @program, which may be all zero */
void tw_program__fini(struct tw_program *program);

#endif
