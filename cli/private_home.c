/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/private_home.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PREFIX        "home-"
#define TEMPLATE      "/tmp/tracewire-home-XXXXXX"
#define AUTHORITY_MAX (64 << 10) /* largest size of an Xauthority file, bytes */
#define OPEN_FILES    16

static bool has_home(const struct ordinary_user *user)
{
	struct stat st;

	return geteuid() || (!stat(user->home, &st) && S_ISDIR(st.st_mode) && st.st_uid == user->uid);
}

static int write_authority(const char *path, const struct private_home *home, const char *bytes, size_t n)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int err = fd < 0 ? -errno : 0;

	if (!err && (write(fd, bytes, n) != (ssize_t)n || fchown(fd, home->uid, home->gid)))
		err = -EIO;
	if (fd >= 0)
		close(fd);
	return err;
}

/*
 * Copies root's Xauthority file, which the user cannot read, for access to the display. A failure is ignored, because the display may be
 * open to all local users.
 */
static void copy_authority(struct ordinary_user *user, const struct private_home *home)
{
	const char *named = getenv("XAUTHORITY"), *roots = getenv("HOME");
	char path[PATH_MAX], *bytes = malloc(AUTHORITY_MAX);
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "%s%s", named ? named : roots ? roots : "", named ? "" : "/.Xauthority");
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (bytes && fd >= 0)
		n = read(fd, bytes, AUTHORITY_MAX);
	if (fd >= 0)
		close(fd);
	snprintf(path, sizeof(path), "%.4000s/.Xauthority", home->path);
	if (n > 0 && !write_authority(path, home, bytes, (size_t)n))
		ordinary_user__set(user, "XAUTHORITY", path);
	free(bytes);
}

/*
 * Makes the directory and its state file. If a state file of that name exists, an earlier process with the same pid left it, because only
 * root can make state files.
 */
static int make_directory(struct private_home *home)
{
	char name[sizeof(PREFIX) + 16];
	int err;

	strcpy(home->path, TEMPLATE);
	if (!mkdtemp(home->path)) {
		home->path[0] = '\0';
		return -errno;
	}
	snprintf(name, sizeof(name), PREFIX "%d", (int)getpid());
	err = tw_state_file__lock(name, &home->note, NULL);
	return err ? err : tw_state_file__write(&home->note, home->path, strlen(home->path));
}

int private_home__make(struct ordinary_user *user, struct private_home *ret, struct tw_error *error)
{
	static const char *const names[] = { "HOME", "TMPDIR", "XDG_RUNTIME_DIR" };
	int err;

	*ret = (struct private_home){ .uid = user->uid, .gid = user->gid, .note.fd = -1 };
	if (has_home(user))
		return 0;
	err = make_directory(ret);
	for (size_t i = 0; !err && i < sizeof(names) / sizeof(names[0]); i++)
		err = ordinary_user__set(user, names[i], ret->path);
	if (err)
		return tw_error__set(error, err, "cannot make a home directory below /tmp for the user %s: %s",
				     user->name, strerror(-err));
	copy_authority(user, ret);
	return chown(ret->path, ret->uid, ret->gid) ? tw_error__set(error, -errno, "cannot give %s to the user %s: %s",
								    ret->path, user->name, strerror(errno))
						    : 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	remove(path);
	return 0;
}

/* Removes a directory with the rights of its user, because that user may have put symbolic links in it. */
static void remove_directory(const char *path, uid_t uid, gid_t gid)
{
	const pid_t pid = fork();

	if (!pid) {
		if (!setgroups(0, NULL) && !setgid(gid) && !setuid(uid))
			nftw(path, remove_one, OPEN_FILES, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	rmdir(path);
}

void private_home__remove(struct private_home *home)
{
	if (home->path[0])
		remove_directory(home->path, home->uid, home->gid);
	if (home->note.fd >= 0) {
		tw_state_file__remove(&home->note);
		tw_state_file__close(&home->note);
	}
	*home = (struct private_home){ .note.fd = -1 };
}

struct home_cleanup {
	bool dry_run;
	void (*tell)(void *ctx, const char *what, const char *name);
	void *ctx;
};

static int remove_noted(struct tw_state_file *file, void *ctx, struct tw_error *error)
{
	const struct home_cleanup *cleanup = ctx;
	struct stat st;
	char *path;

	(void)error;
	if (tw_state_file__try_lock(file))
		return 0;
	if (tw_state_file__read(file, &path)) /* fails if the owner was killed before it wrote the path */
		path = NULL;
	if (path && !lstat(path, &st) && S_ISDIR(st.st_mode)) {
		if (!cleanup->dry_run)
			remove_directory(path, st.st_uid, st.st_gid);
		cleanup->tell(cleanup->ctx, "home directory", path);
	}
	if (!cleanup->dry_run)
		tw_state_file__remove(file);
	free(path);
	return 0;
}

int private_home__cleanup(bool dry_run, void (*tell)(void *ctx, const char *what, const char *name), void *ctx,
			  struct tw_error *error)
{
	struct home_cleanup cleanup = { dry_run, tell, ctx };

	return tw_state_file__each(PREFIX, remove_noted, &cleanup, error);
}
