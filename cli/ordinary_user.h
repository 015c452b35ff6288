/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes the user of a process from root to an ordinary user: for viewers, and before untrusted bytes are parsed. */
#ifndef CLI_ORDINARY_USER_H
#define CLI_ORDINARY_USER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* The data of a user, looked up in advance, so that becoming that user needs only system calls. */
struct ordinary_user {
	char name[LOGIN_NAME_MAX];
	uid_t uid;
	gid_t gid;
	gid_t *groups;
	size_t n_groups;
	char home[PATH_MAX];
	/* For execve(2): a copy of this process's environment; if this process runs as root, with the user's HOME, USER and LOGNAME. */
	char **environment;
};

/**
 * ordinary_user__find() - find the user that root becomes
 * @name: NULL = the user who called sudo; without sudo, the user nobody
 * @ret: call ordinary_user__fini() also after a failure
 *
 * Return: 0; -ESRCH if there is no such user; -EMFILE or -ENFILE; -ENOMEM; with @error filled.
 */
int ordinary_user__find(const char *name, struct ordinary_user *ret, struct tw_error *error);

/** ordinary_user__behind_sudo() - get the user who called sudo. Return: false if this process is not root, or no such user is known */
bool ordinary_user__behind_sudo(uid_t *ret_uid, gid_t *ret_gid);

/** ordinary_user__set() - set a variable of the environment. Return: 0 or -ENOMEM */
int ordinary_user__set(struct ordinary_user *user, const char *name, const char *value);

/** ordinary_user__become() - become @user if this process is root; async-signal-safe, for a child before exec(). Return: 0 or -errno */
int ordinary_user__become(const struct ordinary_user *user);

/**
 * ordinary_user__become_with() - become @user, but keep some capabilities; all others are given up permanently (no_new_privs)
 * @capabilities: bit n = capability n of capabilities(7); capabilities that this process does not have are ignored
 *
 * Only for a process without other threads. Other processes of @user cannot ptrace this process. Return: 0 or -errno.
 */
int ordinary_user__become_with(const struct ordinary_user *user, uint64_t capabilities);

/** ordinary_user__fini() - free the members of @user, which may be all-zero */
void ordinary_user__fini(struct ordinary_user *user);

/**
 * ordinary_user__renounce() - give up all capabilities permanently (no_new_privs), unless this process is root
 *
 * A process of an ordinary user may have capabilities from a service manager. Root keeps all privileges: `capture` is still root at this
 * call only if the user requested it with --user root. Call it before there are other threads, because each thread has its own
 * capabilities(7). Return: 0 or -errno.
 */
int ordinary_user__renounce(struct tw_error *error);

#endif
