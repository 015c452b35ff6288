/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/ordinary_user.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/command.h"

static const struct passwd *user_behind_sudo(void)
{
	const struct tw_number_rule uids = { .min = 1, .max = UINT32_MAX - 1 };
	const char *sudo_uid = getenv("SUDO_UID");
	uint64_t uid;

	if (!sudo_uid || tw_number__parse(sudo_uid, &uids, &uid, NULL))
		return NULL;
	return getpwuid((uid_t)uid);
}

int ordinary_user__find(const char *name, const struct passwd **ret, struct tw_error *err)
{
	const struct passwd *user = name ? getpwnam(name) : user_behind_sudo();

	if (!user && !name)
		user = getpwnam(name = "nobody");
	if (!user)
		return tw_error__set(err, -ESRCH, "there is no user %s on this machine", name);
	*ret = user;
	return 0;
}

static int change_user(const struct passwd *user)
{
	if (initgroups(user->pw_name, user->pw_gid) || setgid(user->pw_gid) || setuid(user->pw_uid))
		return -errno;
	setenv("HOME", user->pw_dir, 1);
	setenv("USER", user->pw_name, 1);
	setenv("LOGNAME", user->pw_name, 1);
	return 0;
}

int ordinary_user__become(const struct passwd *user, struct tw_error *err)
{
	const int error = geteuid() ? 0 : change_user(user);

	return error ? tw_error__set(err, error, "cannot become the user %s: %s", user->pw_name, strerror(-error)) : 0;
}

static int drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) || syscall(SYS_capset, &head, none))
		return -errno;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
}

int ordinary_user__renounce(struct tw_error *err)
{
	const int error = geteuid() ? drop_capabilities() : 0;

	return error ? tw_error__set(err, error, "cannot give up capabilities: %s", strerror(-error)) : 0;
}
