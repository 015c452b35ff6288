/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Becoming somebody who may do nothing special: for viewers, and before bytes of strangers are parsed. */
#ifndef CLI_ORDINARY_USER_H
#define CLI_ORDINARY_USER_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* All that is looked up about a user, so that becoming one takes system calls alone. */
struct ordinary_user {
	char name[LOGIN_NAME_MAX];
	uid_t uid;
	gid_t gid;
	gid_t *groups;
	size_t n_groups;
	char **environment; /* for execve(2): ours, but for HOME, USER and LOGNAME; ours alone if we are not root */
};

/**
 * ordinary_user__find() - whom root becomes
 * @name: NULL = the user behind sudo, else nobody
 * @ret: ordinary_user__fini(), also after a failure
 *
 * Return: 0; -ESRCH if there is no such user, -ENOMEM; with @error saying so.
 */
int ordinary_user__find(const char *name, struct ordinary_user *ret, struct tw_error *error);

/**
 * ordinary_user__become() - root is that user from now on; anybody else stays who he is
 *
 * Async-signal-safe: the child of a process with threads may call it. Return: 0 or -errno.
 */
int ordinary_user__become(const struct ordinary_user *user);

/**
 * ordinary_user__become_with() - the same, but keep some capabilities; all others are given up for good (no_new_privs)
 * @capabilities: bits, as of capabilities(7); those that this process does not have are left out
 *
 * For a process that has no other threads. It cannot be looked into by others of that user. Return: 0 or -errno.
 */
int ordinary_user__become_with(const struct ordinary_user *user, uint64_t capabilities);

/** ordinary_user__fini() - an all-zero one is fine */
void ordinary_user__fini(struct ordinary_user *user);

/**
 * ordinary_user__renounce() - no capabilities any more, none by exec either (no_new_privs), also where a service was given some
 *
 * Root stays root: whoever wants that said so. To be called before other threads are there, for capabilities(7) are a thread's own.
 *
 * Return: 0 or -errno.
 */
int ordinary_user__renounce(struct tw_error *error);

#endif
