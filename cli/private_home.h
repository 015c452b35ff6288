/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A home directory for a viewer that runs as a user without one, such as nobody: Wireshark asks about it in a dialog, and does not read
 * its input meanwhile. It is below /tmp, and is removed with the run; a state file names it for the cleanup after a killed run.
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
 * private_home__make() - make it, if root becomes a user without a home, and name it in that user's environment: HOME, TMPDIR,
 * XDG_RUNTIME_DIR, and XAUTHORITY with a copy of root's
 * @ret: private_home__remove(), also after a failure
 */
int private_home__make(struct ordinary_user *user, struct private_home *ret, struct tw_error *error);

/** private_home__remove() - remove it with everything in it, as its user; all-zero is fine */
void private_home__remove(struct private_home *home);

/** private_home__cleanup() - remove those of killed runs; @tell is called with the kind and the path of each */
int private_home__cleanup(bool dry_run, void (*tell)(void *ctx, const char *what, const char *name), void *ctx,
			  struct tw_error *error);

#endif
