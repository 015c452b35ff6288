/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A home directory for Wireshark if it runs as a user without one, such as nobody. Without a home, Wireshark opens a dialog, and does not
 * read its input meanwhile. The directory is below /tmp, and is removed when Wireshark ends. A state file names it, so that the cleanup
 * after a killed run can remove it.
 */
#ifndef CLI_PRIVATE_HOME_H
#define CLI_PRIVATE_HOME_H

#include <limits.h>

#include "base/error.h"
#include "base/state_file.h"
#include "cli/ordinary_user.h"

struct private_home {
	char path[PATH_MAX]; /* "" = none */
	uid_t uid;
	gid_t gid;
	struct tw_state_file note;
};

/**
 * private_home__make() - make the directory, if this process runs as root and @user has no home
 * @user: in its environment, HOME, TMPDIR and XDG_RUNTIME_DIR are set to the directory, and XAUTHORITY to a copy of root's, if any
 * @ret: call private_home__remove() also after a failure
 * Return: 0, also if no directory is needed; -errno with @error filled.
 */
int private_home__make(struct ordinary_user *user, struct private_home *ret, struct tw_error *error);

/** private_home__remove() - remove the directory with everything in it, with the rights of its user; @home may be all-zero */
void private_home__remove(struct private_home *home);

/**
 * private_home__cleanup() - remove the directories of killed runs
 * @dry_run: only report them
 * @tell: called for each directory; @what is "home directory", and @name is the path
 * Return: 0 or -errno.
 */
int private_home__cleanup(bool dry_run, void (*tell)(void *ctx, const char *what, const char *name), void *ctx,
			  struct tw_error *error);

#endif
