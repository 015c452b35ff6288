/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire cleanup`: removes stale state, which consists of objects that killed runs have left, and repairs captures of killed runs. */
#include "cli/cleanup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/messages.h"
#include "cli/private_home.h"
#include "cli/stop.h"
#include "pcap-tools/output/repair.h"
#include "producer/instance.h"
#include "producer/sockets/flags.h"
#include "producer/tracing_dir.h"
#include "xdp/classifier.h"

struct stale_object {
	const char *what, *name; /* kind of the object, such as "classifier" or "trace instance"; name of the object */
	bool repaired;           /* true = a capture, which is repaired and stays; false = the object is removed */
	const char *left;        /* sentence about a setting that was not restored, with the reason; NULL = none */
};

struct stale_cleanup {
	bool dry_run;
	bool quiet;
	void (*tell)(struct stale_cleanup *cleanup, const struct stale_object *object);
	unsigned int reported; /* number of reported objects; counted only for the command `cleanup` */
	int err;               /* the first failure; @error has its text */
	struct tw_error *error;
};

static void tell_removed(void *ctx, const char *what, const char *name)
{
	struct stale_cleanup *cleanup = ctx;

	cleanup->tell(cleanup, &(struct stale_object){ .what = what, .name = name });
}

static bool is_left_over(const struct tw_veth *veth)
{
	return veth->name[0] && !strncmp(veth->owner, RUN_OWNER, strlen(RUN_OWNER)) &&
	       !tw_instance__is_alive(veth->owner + strlen(RUN_OWNER));
}

static void remove_veth(const struct tw_veth *veth, void *ctx)
{
	struct stale_cleanup *cleanup = ctx;
	int err;

	if (cleanup->err || !is_left_over(veth))
		return;
	err = cleanup->dry_run ? 0 : tw_veth__remove_listed(veth, cleanup->error);
	if (err == -ENODEV) /* removed meanwhile by another cleanup, or by the run itself, which was just ending */
		return;
	if (err)
		cleanup->err = err;
	else
		tell_removed(cleanup, "interface", veth->name);
}

static void tell_instance(void *ctx, const char *name, const char *why_left)
{
	struct stale_cleanup *cleanup = ctx;

	cleanup->tell(cleanup, &(struct stale_object){ .what = "trace instance", .name = name, .left = why_left });
}

static void tell_repaired(void *ctx, const char *path, const struct tw_repair *repair, const char *why)
{
	struct stale_cleanup *cleanup = ctx;

	(void)repair;
	if (!why)
		cleanup->tell(cleanup, &(struct stale_object){ .what = "capture", .name = path, .repaired = true });
	else if (!cleanup->err)
		cleanup->err = tw_error__set(cleanup->error, -EBADMSG, "%s", why);
}

/* Removes veth pairs and instances of killed runs. Fails without tracefs, which shows which runs are alive. */
static int remove_runs(struct stale_cleanup *cleanup)
{
	const char *dir;
	int err = tw_tracing_dir__find(&dir, cleanup->error);

	if (!err)
		err = tw_veth__list(remove_veth, cleanup, cleanup->error);
	if (err || cleanup->err)
		return err ? err : cleanup->err;
	err = tw_instance__cleanup(cleanup->dry_run, tell_instance, cleanup, cleanup->error);
	return err < 0 ? err : 0;
}

static void say_waiting(void *ctx, const char *sentence)
{
	const struct stale_cleanup *cleanup = ctx;

	if (!cleanup->quiet)
		note__say("%s", sentence);
}

static int count_signals(void *ctx)
{
	(void)ctx;
	return stop__signals();
}

/* Repairs captures, and removes all stale state. Captures come first, because other steps may fail: a capture host may have no tracefs. */
static int remove_stale(struct stale_cleanup *cleanup)
{
	int err = tw_output__repair_left(cleanup->dry_run, tell_repaired, cleanup, cleanup->error);
	const int unrepaired = err ? err : cleanup->err;
	const struct tw_socket_flags_wait wait = { say_waiting, count_signals, cleanup };

	cleanup->err = 0;
	err = tw_classifier__cleanup(cleanup->dry_run, tell_removed, cleanup, cleanup->error);
	if (!err)
		err = tw_socket_flags__cleanup(cleanup->dry_run, &wait, tell_removed, cleanup, cleanup->error);
	if (!err)
		err = private_home__cleanup(cleanup->dry_run, tell_removed, cleanup, cleanup->error);
	if (!err)
		err = remove_runs(cleanup);
	return err ? err : unrepaired;
}

/* Reports an object at the beginning of a run. */
static void tell_leftover(struct stale_cleanup *cleanup, const struct stale_object *object)
{
	if (!cleanup->quiet)
		note__say("%s %s %s of a killed run", object->repaired ? "repaired" : "removed", object->what,
			  object->name);
	/* Printed even if quiet: `left` tells which setting was not restored, and no later cleanup can report it. */
	if (object->left)
		note__say("%s: %s", object->name, object->left);
}

void stale__repair_files(const char *path, bool quiet)
{
	struct tw_error error;
	struct stale_cleanup cleanup = { .quiet = quiet, .tell = tell_leftover, .error = &error };

	tw_output__repair_newest(path, tell_repaired, &cleanup);
	if (cleanup.err && !quiet)
		note__say("%s", error.text);
}

void stale__clear(bool quiet)
{
	struct tw_error ignored; /* `tracewire cleanup` reports failures of the same steps */

	remove_stale(&(struct stale_cleanup){ .quiet = quiet, .tell = tell_leftover, .error = &ignored });
}

static void tell(struct stale_cleanup *cleanup, const struct stale_object *object)
{
	static const char *const done[2][2] = { { "removed", "would remove" }, { "repaired", "would repair" } };

	say(stdout, "%s %s %s\n", done[object->repaired][cleanup->dry_run], object->what, object->name);
	if (object->left)
		say(stdout, "%s: %s\n", object->name, object->left);
	cleanup->reported++;
}

static int run(void *data, int n_args, char **args, struct tw_error *error)
{
	struct stale_cleanup *cleanup = data;

	(void)n_args, (void)args;
	cleanup->tell = tell;
	cleanup->error = error;
	if (remove_stale(cleanup))
		return CLI_EXIT_FAILURE;
	if (!cleanup->reported)
		fputs("there is no stale state\n", stderr);
	return CLI_EXIT_OK;
}

static const struct cli_option options[] = {
	{ 0, "dry-run", NULL, CLI_ARG_NONE, "Only print what would be done",
	  .offset = offsetof(struct stale_cleanup, dry_run) },
	{ 0 },
};

static const struct cli_option_group group = { "Options", options };
static const struct cli_option_group *const groups[] = { &group, NULL };

const struct cli_command cli_command_cleanup = {
	.name = "cleanup",
	.summary = "Remove stale state of killed runs, and repair their captures",
	.description =
		"Removes the objects that killed runs left: trace instances, veth pairs, classifiers, flags of sockets, "
		"and temporary home directories of Wireshark. If a capture of a killed run ends in an incomplete block, this block "
		"is cut off. Prints the name of each object that was removed or repaired. Does not touch objects of "
		"running processes, veth pairs made by `tracewire vnet up`, classifiers attached with --persist, or "
		"objects that Tracewire did not make.\n\n"
		"Also restores settings that killed runs changed at the top level of tracefs, and names each setting "
		"that is not restored, for example because another process changed it meanwhile.\n\n"
		"Until the cleanup, the instances of a killed run cost almost nothing: since Linux 4.4, the kernel "
		"disables them and frees almost all memory of their rings. But if the killed run used a function "
		"tracer, this tracer still inspects each function call, without recording it.",
	.groups = groups,
	.config_size = sizeof(struct stale_cleanup),
	.run = run,
};
