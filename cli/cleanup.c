/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire cleanup`: removes stale state, the objects that killed runs have left, and nothing else. */
#include "cli/cleanup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/messages.h"
#include "cli/private_home.h"
#include "pcap-tools/output/repair.h"
#include "producer/instance.h"
#include "producer/tracing_dir.h"
#include "xdp/classifier.h"

struct removal {
	bool dry_run;
	void (*tell)(void *ctx, const struct stale_object *left);
	void *ctx;
	int err; /* the first failure; @error has its text */
	struct tw_error *error;
};

static void tell_removed(void *ctx, const char *what, const char *name)
{
	struct removal *removal = ctx;
	const struct stale_object left = { .what = what, .name = name };

	removal->tell(removal->ctx, &left);
}

static bool is_left_over(const struct tw_veth *veth)
{
	return veth->name[0] && !strncmp(veth->owner, RUN_OWNER, strlen(RUN_OWNER)) &&
	       !tw_instance__is_alive(veth->owner + strlen(RUN_OWNER));
}

static void remove_veth(const struct tw_veth *veth, void *ctx)
{
	struct removal *removal = ctx;
	int err;

	if (removal->err || !is_left_over(veth))
		return;
	err = removal->dry_run ? 0 : tw_veth__remove_listed(veth, removal->error);
	if (err == -ENODEV) /* removed meanwhile by another cleanup, or by its run, which was just ending */
		return;
	if (err)
		removal->err = err;
	else
		tell_removed(removal, "interface", veth->name);
}

static void tell_instance(void *ctx, const char *name, const char *why_left)
{
	const struct stale_object left = { .what = "trace instance", .name = name, .left = why_left };
	struct removal *removal = ctx;

	removal->tell(removal->ctx, &left);
}

static void tell_repaired(void *ctx, const char *path, const struct tw_repair *repair, const char *why)
{
	struct removal *removal = ctx;
	const struct stale_object left = { .what = "capture", .name = path, .repaired = true };

	(void)repair;
	if (!why)
		removal->tell(removal->ctx, &left);
	else if (!removal->err)
		removal->err = tw_error__set(removal->error, -EBADMSG, "%s", why);
}

/* Removes veth pairs and instances of killed runs. Without tracefs it is unknown which runs live: an error, and nothing is removed. */
static int remove_runs(struct removal *removal)
{
	struct tw_error *error = removal->error;
	const char *dir;
	int err = tw_tracing_dir__find(&dir, error);

	if (!err)
		err = tw_veth__list(remove_veth, removal, error);
	if (err || removal->err)
		return err ? err : removal->err;
	err = tw_instance__cleanup(removal->dry_run, tell_instance, removal, error);
	return err < 0 ? err : 0;
}

/* Removes all stale state, and repairs captures. Captures come first, because a machine that only captures may have no tracefs. */
static int stale__remove(bool dry_run, void (*tell)(void *ctx, const struct stale_object *left), void *ctx,
			 struct tw_error *error)
{
	struct removal removal = { .dry_run = dry_run, .tell = tell, .ctx = ctx, .error = error };
	int err = tw_output__repair_left(dry_run, tell_repaired, &removal, error);
	const int unrepaired = err ? err : removal.err;

	removal.err = 0;
	err = tw_classifier__cleanup(dry_run, tell_removed, &removal, error);
	if (!err)
		err = private_home__cleanup(dry_run, tell_removed, &removal, error);
	if (!err)
		err = remove_runs(&removal);
	return err ? err : unrepaired;
}

static void tell_leftover(void *ctx, const struct stale_object *left)
{
	const bool *quiet = ctx;

	if (!*quiet)
		note__say("%s %s %s of a killed run", left->repaired ? "repaired" : "removed", left->what, left->name);
	if (left->left) /* printed also if quiet, because no later cleanup can report it */
		note__say("%s: %s", left->name, left->left);
}

static void tell_file(void *ctx, const char *path, const struct tw_repair *repair, const char *why)
{
	const struct stale_object left = { .what = "capture", .name = path, .repaired = true };
	const bool *quiet = ctx;

	(void)repair;
	if (!why)
		tell_leftover(ctx, &left);
	else if (!*quiet)
		note__say("%s", why);
}

void stale__repair_files(const char *path, bool quiet)
{
	tw_output__repair_newest(path, tell_file, &quiet);
}

void stale__clear(bool quiet)
{
	struct tw_error ignored; /* `tracewire cleanup` reports such a failure */

	stale__remove(false, tell_leftover, &quiet, &ignored);
}

struct cleanup_config {
	bool dry_run;
};

struct cleanup {
	bool dry_run;
	unsigned int reported;
};

static void tell(void *ctx, const struct stale_object *left)
{
	static const char *const done[2][2] = { { "removed", "would remove" }, { "repaired", "would repair" } };
	struct cleanup *cleanup = ctx;

	say(stdout, "%s %s %s\n", done[left->repaired][cleanup->dry_run], left->what, left->name);
	if (left->left)
		say(stdout, "%s: %s\n", left->name, left->left);
	cleanup->reported++;
}

static int run(void *data, int n_args, char **args, struct tw_error *error)
{
	const struct cleanup_config *config = data;
	struct cleanup cleanup = { .dry_run = config->dry_run };

	(void)n_args, (void)args;
	if (stale__remove(config->dry_run, tell, &cleanup, error))
		return CLI_EXIT_FAILURE;
	if (!cleanup.reported)
		fputs("nothing was left behind\n", stderr);
	return CLI_EXIT_OK;
}

static const struct cli_option options[] = {
	{ 0, "dry-run", NULL, CLI_ARG_NONE, "Only say what would be done",
	  .offset = offsetof(struct cleanup_config, dry_run) },
	{ 0 },
};

static const struct cli_option_group group = { "Options", options };
static const struct cli_option_group *const groups[] = { &group, NULL };

const struct cli_command cli_command_cleanup = {
	.name = "cleanup",
	.summary = "Remove stale state of killed runs, repair their captures",
	.description =
		"Removes trace instances, veth pairs and classifiers of runs that were killed, cuts an incomplete "
		"block off the end of their captures, and prints each object. It does not touch objects of live "
		"runs, veth pairs made by `tracewire vnet up`, classifiers attached with --persist, and objects that "
		"Tracewire did not make. It restores settings at the top level of tracefs, except those that another "
		"process changed meanwhile, which it names.\n\n"
		"A killed run costs nothing even before a cleanup: the kernel disables its instance and frees the "
		"rings.",
	.groups = groups,
	.config_size = sizeof(struct cleanup_config),
	.run = run,
};
