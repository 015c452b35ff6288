/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/cleanup.h"

#include <errno.h>
#include <string.h>

#include "cli/messages.h"
#include "pcap-tools/output/repair.h"
#include "producer/instance.h"
#include "producer/tracing_dir.h"
#include "xdp/classifier.h"

struct removal {
	bool dry_run;
	void (*tell)(void *ctx, const struct leftover *left);
	void *ctx;
	int error; /* the first, with its sentence in err */
	struct tw_error *err;
};

static void tell_removed(void *ctx, const char *what, const char *name)
{
	struct removal *removal = ctx;
	const struct leftover left = { .what = what, .name = name };

	removal->tell(removal->ctx, &left);
}

static bool is_left_over(const struct tw_wire *wire)
{
	return wire->name[0] && !strncmp(wire->owner, RUN_OWNER, strlen(RUN_OWNER)) &&
	       !tw_instance__is_alive(wire->owner + strlen(RUN_OWNER));
}

static void remove_wire(const struct tw_wire *wire, void *ctx)
{
	struct removal *removal = ctx;
	int error;

	if (removal->error || !is_left_over(wire))
		return;
	error = removal->dry_run ? 0 : tw_wire__remove_listed(wire, removal->err);
	if (error == -ENODEV) /* another clean-up was faster, or its run, which was just ending */
		return;
	if (error)
		removal->error = error;
	else
		tell_removed(removal, "interface", wire->name);
}

static void tell_instance(void *ctx, const char *name, const char *why_left)
{
	const struct leftover left = { .what = "trace instance", .name = name, .left = why_left };
	struct removal *removal = ctx;

	removal->tell(removal->ctx, &left);
}

static void tell_repaired(void *ctx, const char *path, const struct tw_repair *repair, const char *why)
{
	struct removal *removal = ctx;
	const struct leftover left = { .what = "capture", .name = path, .repaired = true };

	(void)repair;
	if (!why)
		removal->tell(removal->ctx, &left);
	else if (!removal->error)
		removal->error = tw_error__set(removal->err, -EBADMSG, "%s", why);
}

/* Without tracefs in sight no run could be seen to live: that is an error, not a reason to remove its wire. */
static int remove_runs(struct removal *removal)
{
	struct tw_error *err = removal->err;
	const char *dir;
	int error = tw_tracing_dir__find(&dir, err);

	if (!error)
		error = tw_wire__list(remove_wire, removal, err);
	if (error || removal->error)
		return error ? error : removal->error;
	error = tw_instance__cleanup(removal->dry_run, tell_instance, removal, err);
	return error < 0 ? error : 0;
}

/* A machine that only captures may have no tracefs: captures are repaired before it is asked for. */
int leftovers__remove(bool dry_run, void (*tell)(void *ctx, const struct leftover *left), void *ctx,
		      struct tw_error *err)
{
	struct removal removal = { .dry_run = dry_run, .tell = tell, .ctx = ctx, .err = err };
	int error = tw_output__repair_left(dry_run, tell_repaired, &removal, err);
	const int unrepaired = error ? error : removal.error;

	removal.error = 0;
	error = tw_classifier__cleanup(dry_run, tell_removed, &removal, err);
	if (!error)
		error = remove_runs(&removal);
	return error ? error : unrepaired;
}

static void tell_leftover(void *ctx, const struct leftover *left)
{
	const bool *quiet = ctx;

	if (!*quiet)
		note__say("%s %s %s, left behind by a run that was killed", left->repaired ? "repaired" : "removed",
			  left->what, left->name);
	if (left->left) /* nobody can tell it later */
		note__say("%s: %s", left->name, left->left);
}

static void tell_file(void *ctx, const char *path, const struct tw_repair *repair, const char *why)
{
	const struct leftover left = { .what = "capture", .name = path, .repaired = true };
	const bool *quiet = ctx;

	(void)repair;
	if (!why)
		tell_leftover(ctx, &left);
	else if (!*quiet)
		note__say("%s", why);
}

void leftovers__repair_files(const char *path, bool quiet)
{
	tw_output__repair_newest(path, tell_file, &quiet);
}

void leftovers__clear(bool quiet)
{
	struct tw_error ignored; /* `tracewire cleanup` tells */

	leftovers__remove(false, tell_leftover, &quiet, &ignored);
}
