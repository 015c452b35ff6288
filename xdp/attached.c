/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists and removes attached classifiers, of this process and of others. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "xdp/attach.h"
#include "xdp/cleanup.h"

#define WAIT_MS 5000 /* longest wait for another process to remove its classifier */
#define LOOK_MS 10   /* time between two attempts to lock the file */

int tw_attached__mode(const struct tw_state *state, struct tw_error *error)
{
	if (!state->public.schema_id)
		return TW_MODE_NONE;
	switch (state->public.place) {
	case TW_ATTACH_XDP:
		return tw_xdp__mode(state, error);
	case TW_ATTACH_TC:
		return tw_tc__mode(state, error);
	default:
		return tw_u32__mode(state, error);
	}
}

struct visit {
	tw_attached_visitor *each;
	void *ctx;
	uint64_t netns;
};

/* Visit a classifier of this network namespace whose interface exists, perhaps under another name. */
static int visit_file(struct tw_state_file *file, void *ctx, struct tw_error *error)
{
	const struct visit *visit = ctx;
	struct tw_state state;
	int err = tw_state__read(file, &state, error), mode;

	if (err)
		return err == -ENODATA ? 0 : err;
	if (state.netns == visit->netns && if_indextoname((unsigned int)state.public.ifindex, state.public.ifname)) {
		mode = tw_attached__mode(&state, error);
		state.public.mode = (uint8_t)mode;
		err = mode < 0 ? mode : visit->each(&state.public, visit->ctx, error);
	}
	tw_state__fini(&state);
	return err;
}

int tw_attached__each(tw_attached_visitor *each, void *ctx, struct tw_error *error)
{
	struct visit visit = { .each = each, .ctx = ctx };
	const int err = tw_netns__inode(&visit.netns, error);

	return err ? err : tw_state_file__each(TW_STATE_FILES, visit_file, &visit, error);
}

static bool read_name(pid_t pid, char name[32])
{
	char path[64];
	FILE *file;
	bool read;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	file = fopen(path, "re");
	read = file && fgets(name, 32, file);
	if (file)
		fclose(file);
	return read;
}

/*
 * Whether @pid is the pid of a Tracewire process. The pid in a state file may be from another pid namespace. Or its process has ended, and
 * the pid was reused while the cleanup helper still holds the lock of the file.
 */
static bool is_one_of_us(pid_t pid)
{
	char its[32], ours[32];

	return pid > 0 && read_name(pid, its) && read_name(getpid(), ours) && !strcmp(its, ours);
}

/* End the process that holds a classifier. Wait for the lock of the state file. If the file still exists then, remove the classifier. */
static int end_holder(struct tw_state_file *file, const struct tw_attached *attached, struct tw_error *error)
{
	const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000 };
	const bool ours = is_one_of_us(attached->pid);
	int err = -EBUSY;

	if (ours && kill(attached->pid, SIGTERM) && errno != ESRCH)
		return tw_error__set(error, -errno,
				     "process %d holds the classifier, and SIGTERM cannot be sent to it: %s",
				     (int)attached->pid, strerror(errno));
	for (int ms = 0; ms < WAIT_MS && err == -EBUSY; ms += LOOK_MS) {
		nanosleep(&pause, NULL);
		err = tw_state_file__try_lock(file);
	}
	if (!err)
		return tw_stale__remove(file, error);
	if (err == -ENOENT)
		return 0;
	return tw_error__set(
		error, err,
		ours ? "process %d holds the classifier, and did not release it in time"
		     : "the state file names process %d as the holder of the classifier, but in this pid namespace, "
		       "that pid belongs to another program; end the process that holds the classifier",
		(int)attached->pid);
}

struct detaching {
	const struct tw_state *wanted;
	bool found;
};

static int detach_file(struct tw_state_file *file, void *ctx, struct tw_error *error)
{
	struct detaching *detaching = ctx;
	const struct tw_state *wanted = detaching->wanted;
	struct tw_state state;
	int err = tw_state__read(file, &state, error);

	if (err)
		return err == -ENODATA ? 0 : err;
	if (state.netns == wanted->netns && state.public.ifindex == wanted->public.ifindex &&
	    state.public.place == wanted->public.place) {
		err = tw_state_file__try_lock(file);
		if (err == -EBUSY)
			err = end_holder(file, &state.public, error);
		else if (!err)
			err = tw_stale__remove(file, error);
		else if (err != -ENOENT)
			tw_error__set(error, err, "%s cannot be locked: %s", file->path, strerror(-err));
		detaching->found = err != -ENOENT;
	}
	tw_state__fini(&state);
	return err == -ENOENT ? 0 : err;
}

int tw_attached__detach(const struct tw_attached *attached, struct tw_error *error)
{
	struct detaching detaching = { .wanted = attached->state };
	const int err = tw_state_file__each(TW_STATE_FILES, detach_file, &detaching, error);

	if (err || detaching.found)
		return err;
	return tw_error__set(error, -ENOENT, "%s no longer has a classifier in %s", attached->ifname,
			     tw_attach_place__name(attached->place));
}

struct stale_search {
	bool dry_run;
	void (*tell)(void *ctx, const char *what, const char *name);
	void *ctx;
	uint64_t netns;
};

/*
 * Whether the classifier of an unlocked state file is stale. A classifier of another network namespace is not examined, and counts as not
 * stale. A permanent classifier is stale if its interface was removed, or if it is not attached. Any other classifier is stale, because its
 * process has ended. Return: 1 = stale, 0 = not stale, or -errno.
 */
static int is_left_over(struct tw_state *state, uint64_t netns, struct tw_error *error)
{
	char name[IFNAMSIZ];
	int mode;

	if (state->netns != netns)
		return 0;
	if (!state->public.persist || !if_indextoname((unsigned int)state->public.ifindex, name))
		return 1;
	mode = tw_attached__mode(state, error);
	return mode < 0 ? mode : mode == TW_MODE_NONE;
}

/* If a classifier is stale, remove it and its state file. A classifier with a locked file is not stale: it belongs to a running process. */
static int clean_file(struct tw_state_file *file, void *ctx, struct tw_error *error)
{
	const struct stale_search *search = ctx;
	char name[64];
	struct tw_state state;
	int err, stale;

	if (tw_state_file__try_lock(file))
		return 0;
	err = tw_state__read(file, &state, NULL);
	if (err) {
		if (err == -ENODATA && !search->dry_run) /* after other errors, the file may describe a classifier */
			tw_state_file__remove(file);
		return 0;
	}
	stale = is_left_over(&state, search->netns, error);
	if (stale < 0)
		err = stale;
	if (stale > 0) {
		snprintf(name, sizeof(name), "%s of %s", tw_attach_place__name(state.public.place),
			 state.public.ifname);
		err = search->dry_run ? 0 : tw_stale__remove(file, error);
		if (!err)
			search->tell(search->ctx,
				     state.public.persist && state.public.schema_id ? TW_RECORD : TW_CLASSIFIER, name);
	}
	tw_state__fini(&state);
	return err;
}

int tw_classifier__cleanup(bool dry_run, void (*tell)(void *ctx, const char *what, const char *name), void *ctx,
			   struct tw_error *error)
{
	struct stale_search search = { .dry_run = dry_run, .tell = tell, .ctx = ctx };
	const int err = tw_netns__inode(&search.netns, error);

	return err ? err : tw_state_file__each(TW_STATE_FILES, clean_file, &search, error);
}
