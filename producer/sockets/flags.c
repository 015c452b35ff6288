/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/sockets/flags.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/state_file.h"
#include "base/time.h"
#include "producer/sockets/socket_iterator.h"

#include "flag_programs.skel.h"

#define STATE_FILES "sockets-"        /* prefix of names */
#define LOCK        "lock-of-sockets" /* name of a state file without content */
#define LOCK_TRIES  400 /* each waits about 50 ms; on a busy machine, the holder needs seconds to load programs */
#define BPFFS       "/sys/fs/bpf"
#define OWN_BPFFS   "bpf" /* below the directory of state files */
#define PIN_PREFIX  "tracewire-"
#define PINS_MAX    100 /* of processes that have the same pid, in different pid namespaces */

struct tw_socket_flags {
	struct tw_state_file file; /* its content is the path of the pin */
	struct tw_state_file locked;
	bool is_locked; /* until tw_socket_flags__ready() */
	char pin[PATH_MAX];
	int marks; /* map, borrowed */
	struct tw_socket_flags_wait wait;
};

/* Work that can take seconds. */
struct work {
	const struct tw_socket_flags_wait *wait;
	int signals;   /* number of signals before which it goes on */
	uint64_t said; /* when it began, or a sentence was said, ns */
};

/* @signals: number of signals that do not end the work */
static struct work begin_work(const struct tw_socket_flags_wait *wait, int signals)
{
	return (struct work){ wait, signals, tw_time__now(CLOCK_MONOTONIC) };
}

static bool is_ended(const struct work *work)
{
	return work->wait->signals && work->wait->signals(work->wait->ctx) > work->signals;
}

/* Whether something is to be said: each second */
static bool has_to_say(struct work *work)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC);

	if (!work->wait->say || now - work->said < TW_NS_PER_SECOND)
		return false;
	work->said = now;
	return true;
}

/* For the iterator of sockets. @ctx: a struct work */
static bool goes_on(void *ctx, size_t visited)
{
	struct work *work = ctx;
	char sentence[128];

	if (has_to_say(work)) {
		snprintf(sentence, sizeof(sentence),
			 "the TCP sockets of each network namespace are visited; %zu namespaces are done", visited);
		work->wait->say(work->wait->ctx, sentence);
	}
	return !is_ended(work);
}

/* Excludes other runs while flags are set or cleared for all sockets, and while the filesystem is mounted or unmounted. */
static int lock(struct work *work, struct tw_state_file *ret, struct tw_error *error)
{
	int err = tw_state_file__lock(LOCK, ret, error);
	bool is_said = false;

	for (int i = 0; i < LOCK_TRIES && (err == -EBUSY || err == -ENOENT); i++) {
		if (is_ended(work))
			return tw_error__set(
				error, -EINTR,
				"a signal has ended the wait for another run, which sets or clears flags of TCP sockets");
		if (!is_said && has_to_say(work)) {
			work->wait->say(
				work->wait->ctx,
				"waiting for another run of Tracewire, which sets or clears flags of TCP sockets");
			is_said = true;
		}
		err = tw_state_file__lock(LOCK, ret, error);
	}
	if (err != -EBUSY)
		return err;
	return tw_error__set(
		error, err,
		"another run has set or cleared flags of TCP sockets for too long: try again when it has ended; "
		"`fuser -v %s` shows its process",
		ret->path);
}

static void unlock(struct tw_state_file *file)
{
	tw_state_file__remove(file);
	tw_state_file__close(file);
}

static bool is_bpffs(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && (unsigned long)fs.f_type == BPF_FS_MAGIC;
}

/* The path of the filesystem that runs mount. @lock: is in the directory of state files */
static void name_own(const struct tw_state_file *lock, char *ret)
{
	const char *name = strrchr(lock->path, '/');

	snprintf(ret, PATH_MAX, "%.*s/" OWN_BPFFS, (int)(name - lock->path), lock->path);
}

/* Finds a BPF filesystem, and mounts one if there is none. */
static int find_bpffs(const struct tw_state_file *lock, char *ret, struct tw_error *error)
{
	int err = 0;

	strcpy(ret, BPFFS);
	if (is_bpffs(ret) && !access(ret, W_OK))
		return 0;
	name_own(lock, ret);
	if (is_bpffs(ret))
		return 0;
	if (mkdir(ret, 0700) && errno != EEXIST)
		err = -errno;
	else if (mount("bpf", ret, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0700"))
		err = -errno;
	if (!err)
		return 0;
	rmdir(ret);
	return tw_error__set(error, err, "cannot mount a BPF filesystem at %s, in which marks of sockets are kept: %s",
			     ret, strerror(-err));
}

static bool has_pins(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		found = !strncmp(entry->d_name, PIN_PREFIX, strlen(PIN_PREFIX));
	if (dir)
		closedir(dir);
	return found;
}

/* Unmounts the filesystem that a run has mounted, after the last pin was removed. */
static void leave_bpffs(const struct tw_state_file *lock)
{
	char path[PATH_MAX];

	name_own(lock, path);
	if (is_bpffs(path) && !has_pins(path) && !umount2(path, UMOUNT_NOFOLLOW))
		rmdir(path);
}

/* Reads the path of the pin that a state file names. Return: 0; -ENODATA if the run was killed before it wrote the path; another -errno */
static int read_pin(const struct tw_state_file *file, char *ret)
{
	char *text;
	int err = tw_state_file__read(file, &text);

	if (err)
		return err;
	err = strlen(text) < PATH_MAX ? 0 : -ENODATA;
	if (!err)
		strcpy(ret, text);
	free(text);
	return err;
}

/* Makes a state file that has the path of the pin, and then the pin. */
static int pin_as(struct tw_socket_flags *flags, const char *name, struct tw_error *error)
{
	char file[NAME_MAX], old[PATH_MAX];
	int err;

	snprintf(file, sizeof(file), STATE_FILES "%s", name);
	err = tw_state_file__lock(file, &flags->file, error);
	if (err)
		return err;
	if (!read_pin(&flags->file, old) && old[0]) { /* of a killed run, which a cleanup could not end */
		tw_state_file__close(&flags->file);
		return -EEXIST;
	}
	err = tw_state_file__write(&flags->file, flags->pin, strlen(flags->pin));
	if (!err)
		err = bpf_obj_pin(flags->marks, flags->pin);
	if (!err)
		return 0;
	tw_state_file__remove(&flags->file);
	tw_state_file__close(&flags->file);
	return err == -EEXIST ? err
			      : tw_error__set(error, err, "cannot pin the marks of sockets as %s: %s", flags->pin,
					      strerror(-err));
}

static int pin(struct tw_socket_flags *flags, const char *bpffs, struct tw_error *error)
{
	int err = -EEXIST;

	for (unsigned int i = 0; i < PINS_MAX && (err == -EEXIST || err == -EBUSY); i++) {
		char name[64];

		snprintf(name, sizeof(name), i ? PIN_PREFIX "%d-%u" : PIN_PREFIX "%d", (int)getpid(), i);
		if ((size_t)snprintf(flags->pin, sizeof(flags->pin), "%s/%s", bpffs, name) >= sizeof(flags->pin))
			return tw_error__set(error, -ENAMETOOLONG, "the path %s is too long", bpffs);
		err = pin_as(flags, name, error);
	}
	return err == -EEXIST ? tw_error__set(error, err,
					      "%s exists already; `tracewire cleanup` removes it if its run was killed",
					      flags->pin)
			      : err;
}

void tw_socket_flags__ready(struct tw_socket_flags *flags)
{
	if (flags && flags->is_locked)
		unlock(&flags->locked);
	if (flags)
		flags->is_locked = false;
}

int tw_socket_flags__new(int marks, const struct tw_socket_flags_wait *wait, struct tw_socket_flags **ret,
			 struct tw_error *error)
{
	struct tw_socket_flags *flags = calloc(1, sizeof(*flags));
	struct work work = begin_work(wait, 0);
	char bpffs[PATH_MAX];
	int err;

	if (!flags)
		return tw_error__set(error, -ENOMEM, "no memory for the marks of sockets");
	flags->marks = marks;
	flags->file.fd = -1;
	flags->wait = *wait;
	err = lock(&work, &flags->locked, error);
	if (!err) {
		flags->is_locked = true;
		err = find_bpffs(&flags->locked, bpffs, error);
		if (!err)
			err = pin(flags, bpffs, error);
		if (err)
			leave_bpffs(&flags->locked);
	}
	if (err) {
		tw_socket_flags__ready(flags);
		free(flags);
	} else {
		*ret = flags;
	}
	return err;
}

int tw_socket_flags__set(const struct tw_socket_flags_wait *wait, int program)
{
	struct work work = begin_work(wait, 0);

	return tw_socket_iterator__run(program, goes_on, &work);
}

/* Loads one of the programs with the marks of a run, and those of another one, and runs it for all sockets. */
static int run_program(int marks, int heirs, bool hands_over, struct work *work)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct flag_programs *programs = flag_programs__open();
	int err = programs ? bpf_map__reuse_fd(programs->maps.marks, marks) : -errno;

	if (!err)
		err = bpf_map__reuse_fd(programs->maps.heirs, heirs);
	if (!err) {
		bpf_program__set_autoload(programs->progs.hand_over, hands_over);
		bpf_program__set_autoload(programs->progs.clear, !hands_over);
		err = flag_programs__load(programs);
	}
	if (!err)
		err = tw_socket_iterator__run(bpf_program__fd(hands_over ? programs->progs.hand_over
									 : programs->progs.clear),
					      goes_on, work);
	flag_programs__destroy(programs);
	libbpf_set_print(print);
	return err;
}

/* Opens the marks of a run, which has the pid of their pin. The filesystem may be visible only in the mount namespace of this run. */
static int open_marks(const char *pin)
{
	const char *name = strrchr(pin, '/');
	const int marks = bpf_obj_get(pin);
	char path[PATH_MAX + 32];

	if (marks >= 0 || !name || strncmp(name + 1, PIN_PREFIX, strlen(PIN_PREFIX)) != 0)
		return marks;
	snprintf(path, sizeof(path), "/proc/%d/root%s", atoi(name + 1 + strlen(PIN_PREFIX)), pin);
	return bpf_obj_get(path);
}

struct ended {
	int marks;
	const char *pin;
	struct work *work;
};

/* Hands flags over to the run of a state file, unless it has ended. */
static int hand_over(struct tw_state_file *file, void *ctx, struct tw_error *error)
{
	const struct ended *ended = ctx;
	char pin[PATH_MAX];
	int heirs, err;

	(void)error;
	if (tw_state_file__try_lock(file) != -EBUSY || read_pin(file, pin) || !strcmp(pin, ended->pin))
		return 0;
	heirs = open_marks(pin);
	if (heirs < 0)
		return 0;
	err = run_program(ended->marks, heirs, true, ended->work);
	close(heirs);
	return err;
}

/* Clears the flags of a run that has ended, except those that another run needs. The lock must be held. */
static int clear_marked(int marks, const char *pin, struct work *work)
{
	struct ended ended = { marks, pin, work };
	const int err = tw_state_file__each(STATE_FILES, hand_over, &ended, NULL);

	return err ? err : run_program(marks, marks, false, work);
}

/* Clears flags and removes the pin and the state file. The lock must be held. */
static int end(int marks, const char *pin, const struct tw_state_file *file, struct work *work)
{
	const int err = clear_marked(marks, pin, work);

	if (err)
		return err;
	if (unlink(pin) && errno != ENOENT)
		return -errno;
	tw_state_file__remove(file);
	return 0;
}

/* Clears the flags of a run, and removes what only it needs. */
static int end_run(struct tw_socket_flags *flags)
{
	const struct tw_socket_flags_wait *wait = &flags->wait;
	/* the signals that have ended the run so far do not end this */
	struct work work = begin_work(wait, wait->signals ? wait->signals(wait->ctx) : 0);
	int err = flags->is_locked ? 0 : lock(&work, &flags->locked, NULL);

	if (err)
		return err;
	flags->is_locked = true;
	err = end(flags->marks, flags->pin, &flags->file, &work);
	if (!err)
		leave_bpffs(&flags->locked);
	return err;
}

void tw_socket_flags__free(struct tw_socket_flags *flags)
{
	int err;

	if (!flags)
		return;
	err = end_run(flags);
	tw_socket_flags__ready(flags);
	if (err && flags->wait.say)
		flags->wait.say(
			flags->wait.ctx,
			"the flags of TCP sockets stay for now: `tracewire cleanup`, or the next run, clears them");
	tw_state_file__close(&flags->file);
	free(flags);
}

struct cleanup {
	bool dry_run;
	struct work *work;
	void (*removed)(void *ctx, const char *what, const char *name);
	void *ctx;
};

/* Opens the marks of a killed run. Return: -EAGAIN if the filesystem of the pin is not visible in this mount namespace; another -errno */
static int open_pin(const char *pin)
{
	const char *name = strrchr(pin, '/');
	const int marks = bpf_obj_get(pin);
	char dir[PATH_MAX];

	if (marks != -ENOENT || !name)
		return marks;
	snprintf(dir, sizeof(dir), "%.*s", (int)(name - pin), pin);
	return is_bpffs(dir) ? marks : -EAGAIN;
}

static int clean_up(struct tw_state_file *file, void *ctx, struct tw_error *error)
{
	const struct cleanup *cleanup = ctx;
	char pin[PATH_MAX] = "";
	int marks, err;

	if (tw_state_file__try_lock(file))
		return 0;
	err = read_pin(file, pin);
	marks = err == -ENODATA ? -ENOENT : err ? err : open_pin(pin);
	if (cleanup->dry_run || marks == -EAGAIN)
		err = 0;
	else if (marks >= 0)
		err = end(marks, pin, file, cleanup->work);
	else if ((err = marks) ==
		 -ENOENT) { /* the run was killed before it made the pin, or the machine was started again */
		tw_state_file__remove(file);
		err = 0;
	}
	if (err)
		tw_error__set(error, err, "cannot clear the flags of sockets that a killed run left (%s): %s", pin,
			      strerror(-err));
	else if (marks >= 0)
		cleanup->removed(cleanup->ctx, "socket flags", strrchr(pin, '/') ? strrchr(pin, '/') + 1 : pin);
	if (marks >= 0)
		close(marks);
	return err;
}

/* Finds a state file of a run that has ended. Those of other runs need no cleanup, and no lock, for which a run would have to wait. */
static int find_ended(struct tw_state_file *file, void *ctx, struct tw_error *error)
{
	(void)ctx, (void)error;
	return !tw_state_file__try_lock(file);
}

int tw_socket_flags__cleanup(bool dry_run, const struct tw_socket_flags_wait *wait,
			     void (*removed)(void *ctx, const char *what, const char *name), void *ctx,
			     struct tw_error *error)
{
	struct work work = begin_work(wait, 0);
	struct cleanup cleanup = { dry_run, &work, removed, ctx };
	struct tw_state_file locked;
	int err = tw_state_file__each(STATE_FILES, find_ended, NULL, error);

	if (err <= 0)
		return err;
	err = lock(&work, &locked, error);
	if (err)
		return err;
	err = tw_state_file__each(STATE_FILES, clean_up, &cleanup, error);
	if (!dry_run)
		leave_bpffs(&locked);
	unlock(&locked);
	return err;
}
