/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/ordinary_user.h"

#include <cap-ng.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cli/command.h"

#define ABOUT_USER 3 /* variables: HOME, USER, LOGNAME */

static const struct passwd *user_behind_sudo(void)
{
	const struct tw_number_rule uids = { .min = 1, .max = UINT32_MAX - 1 };
	const char *sudo_uid = getenv("SUDO_UID");
	uint64_t uid;

	if (!sudo_uid || tw_number__parse(sudo_uid, &uids, &uid, NULL))
		return NULL;
	return getpwuid((uid_t)uid);
}

bool ordinary_user__behind_sudo(uid_t *ret_uid, gid_t *ret_gid)
{
	const struct passwd *user = geteuid() ? NULL : user_behind_sudo();

	if (!user)
		return false;
	*ret_uid = user->pw_uid;
	*ret_gid = user->pw_gid;
	return true;
}

static int find_groups(const struct passwd *found, struct ordinary_user *user)
{
	int n = 0;

	while (getgrouplist(found->pw_name, found->pw_gid, user->groups, &n) < 0) {
		gid_t *groups = reallocarray(user->groups, (size_t)n, sizeof(*groups));

		if (!groups)
			return -ENOMEM;
		user->groups = groups;
	}
	user->n_groups = (size_t)n;
	return 0;
}

static bool is_about_user(const char *variable)
{
	return !strncmp(variable, "HOME=", 5) || !strncmp(variable, "USER=", 5) || !strncmp(variable, "LOGNAME=", 8);
}

static int set_variable(char **ret, const char *name, const char *value)
{
	if (asprintf(ret, "%s=%s", name, value) >= 0)
		return 0;
	*ret = NULL;
	return -ENOMEM;
}

/* The variables about the user are first and owned; the others are borrowed. */
static int make_environment(const struct passwd *found, struct ordinary_user *user)
{
	size_t n = 0, at = ABOUT_USER;
	char **made;

	if (geteuid())
		return 0;
	while (environ[n])
		n++;
	made = calloc(n + ABOUT_USER + 1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	user->environment = made;
	for (size_t i = 0; i < n; i++) {
		if (!is_about_user(environ[i]))
			made[at++] = environ[i];
	}
	return set_variable(&made[0], "HOME", found->pw_dir) || set_variable(&made[1], "USER", found->pw_name) ||
			       set_variable(&made[2], "LOGNAME", found->pw_name)
		       ? -ENOMEM
		       : 0;
}

/* Result of getpwnam(): without free descriptors it finds no user, and sets errno. */
static int not_found(const char *name, int err, struct tw_error *error)
{
	if (err == EMFILE || err == ENFILE)
		return tw_error__set(error, -err, "the user %s cannot be looked up: %s", name, strerror(err));
	return tw_error__set(error, -ESRCH, "there is no user %s on this machine", name);
}

int ordinary_user__find(const char *name, struct ordinary_user *ret, struct tw_error *error)
{
	const struct passwd *found = NULL;

	*ret = (struct ordinary_user){ .environment = environ };
	if (!name)
		found = user_behind_sudo();
	if (!found && !name)
		name = "nobody";
	errno = 0;
	if (!found)
		found = getpwnam(name);
	if (!found)
		return not_found(name, errno, error);
	snprintf(ret->name, sizeof(ret->name), "%s", found->pw_name);
	ret->uid = found->pw_uid;
	ret->gid = found->pw_gid;
	if (find_groups(found, ret) || make_environment(found, ret))
		return tw_error__set(error, -ENOMEM, "no memory to become the user %s", ret->name);
	return 0;
}

int ordinary_user__become(const struct ordinary_user *user)
{
	if (geteuid())
		return 0;
	return setgroups(user->n_groups, user->groups) || setgid(user->gid) || setuid(user->uid) ? -errno : 0;
}

void ordinary_user__fini(struct ordinary_user *user)
{
	if (user->environment && user->environment != environ) {
		for (size_t i = 0; i < ABOUT_USER; i++)
			free(user->environment[i]);
		free(user->environment);
	}
	free(user->groups);
	*user = (struct ordinary_user){ 0 };
}

/* Sets effective and permitted capabilities; none are inheritable. */
static int set_capabilities(uint64_t capabilities)
{
	capng_clear(CAPNG_SELECT_CAPS | CAPNG_SELECT_AMBIENT);
	for (unsigned int i = 0; i <= CAP_LAST_CAP; i++)
		if (capabilities >> i & 1)
			capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, i);
	errno = EPERM; /* for a failure without errno */
	if (capng_apply(CAPNG_SELECT_CAPS) || capng_apply(CAPNG_SELECT_AMBIENT))
		return -errno;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
}

static uint64_t permitted_capabilities(void)
{
	uint64_t ret = 0;

	capng_get_caps_process();
	for (unsigned int i = 0; i <= CAP_LAST_CAP; i++)
		ret |= (uint64_t)capng_have_capability(CAPNG_PERMITTED, i) << i;
	return ret;
}

int ordinary_user__become_with(const struct ordinary_user *user, uint64_t capabilities)
{
	const uint64_t kept = permitted_capabilities() & capabilities;
	int err;

	/* a container's root may lack the right; without exec the bounding set has no effect anyway */
	capng_clear(CAPNG_SELECT_BOUNDS);
	capng_apply(CAPNG_SELECT_BOUNDS);
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0))
		return -errno;
	err = ordinary_user__become(user);
	if (!err)
		err = set_capabilities(kept);
	return err || !prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ? err : -errno;
}

int ordinary_user__renounce(struct tw_error *error)
{
	const int err = geteuid() ? set_capabilities(0) : 0;

	return err ? tw_error__set(error, err, "cannot give up capabilities: %s", strerror(-err)) : 0;
}
