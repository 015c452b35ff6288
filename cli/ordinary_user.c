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

/* Return: the variable of that name, or the NULL at the end of the list. */
static char **find_variable(char **environment, const char *name)
{
	const size_t len = strlen(name);

	while (*environment && (strncmp(*environment, name, len) != 0 || (*environment)[len] != '='))
		environment++;
	return environment;
}

int ordinary_user__set(struct ordinary_user *user, const char *name, const char *value)
{
	char **variable = find_variable(user->environment, name), *text;
	size_t n = (size_t)(variable - user->environment);

	if (asprintf(&text, "%s=%s", name, value) < 0)
		return -ENOMEM;
	if (!*variable) {
		char **longer = reallocarray(user->environment, n + 2, sizeof(*longer));

		if (!longer) {
			free(text);
			return -ENOMEM;
		}
		user->environment = longer;
		longer[n + 1] = NULL;
	} else {
		free(*variable);
	}
	user->environment[n] = text;
	return 0;
}

static int copy_environment(struct ordinary_user *user)
{
	size_t n = 0;

	while (environ[n])
		n++;
	user->environment = calloc(n + 1, sizeof(*user->environment));
	for (size_t i = 0; user->environment && i < n; i++)
		if (!(user->environment[i] = strdup(environ[i])))
			return -ENOMEM;
	return user->environment ? 0 : -ENOMEM;
}

static int make_environment(const struct passwd *found, struct ordinary_user *user)
{
	int err = copy_environment(user);

	if (err || geteuid())
		return err;
	err = ordinary_user__set(user, "HOME", found->pw_dir);
	if (!err)
		err = ordinary_user__set(user, "USER", found->pw_name);
	return err ? err : ordinary_user__set(user, "LOGNAME", found->pw_name);
}

int ordinary_user__find(const char *name, struct ordinary_user *ret, struct tw_error *error)
{
	const struct passwd *found = NULL;

	*ret = (struct ordinary_user){ 0 };
	if (!name)
		found = user_behind_sudo();
	if (!found && !name)
		name = "nobody";
	errno = 0;
	if (!found)
		found = getpwnam(name);
	if (!found && (errno == EMFILE || errno == ENFILE))
		return tw_error__set(error, -errno, "the user %s cannot be looked up: %s", name, strerror(errno));
	if (!found)
		return tw_error__set(error, -ESRCH, "there is no user %s on this machine", name);
	snprintf(ret->name, sizeof(ret->name), "%s", found->pw_name);
	ret->uid = found->pw_uid;
	ret->gid = found->pw_gid;
	snprintf(ret->home, sizeof(ret->home), "%s", found->pw_dir);
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
	for (char **variable = user->environment; variable && *variable; variable++)
		free(*variable);
	free(user->environment);
	free(user->groups);
	*user = (struct ordinary_user){ 0 };
}

/* Sets the effective and permitted capabilities, and clears the inheritable ones. */
static int set_capabilities(uint64_t capabilities)
{
	capng_clear(CAPNG_SELECT_CAPS | CAPNG_SELECT_AMBIENT);
	for (unsigned int i = 0; i <= CAP_LAST_CAP; i++)
		if (capabilities >> i & 1)
			capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, i);
	errno = EPERM; /* libcap-ng may fail without setting errno */
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

	/*
	 * Failures to clear the bounding set are ignored: root in a container may lack the privilege, and the bounding set limits only what
	 * a process gets by exec.
	 */
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
