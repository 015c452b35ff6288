/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Becoming somebody who may do nothing special: for viewers, and before bytes of strangers are parsed. */
#ifndef CLI_ORDINARY_USER_H
#define CLI_ORDINARY_USER_H

#include <pwd.h>

#include "base/error.h"

/**
 * ordinary_user__find() - whom root becomes
 * @name: NULL = the user behind sudo, else nobody
 * @ret: as of getpwnam(3): borrowed until its next call
 *
 * Return: 0; -ESRCH if there is no such user, with @err saying so.
 */
int ordinary_user__find(const char *name, const struct passwd **ret, struct tw_error *err);

/** ordinary_user__become() - root is that user from now on; anybody else stays who he is. Return: 0 or -errno */
int ordinary_user__become(const struct passwd *user, struct tw_error *err);

/**
 * ordinary_user__renounce() - no capabilities any more, none by exec either (no_new_privs), also where a service was given some
 *
 * Root stays root: whoever wants that said so. To be called before other threads are there, for capabilities(7) are a thread's own.
 *
 * Return: 0 or -errno.
 */
int ordinary_user__renounce(struct tw_error *err);

#endif
