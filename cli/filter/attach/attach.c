/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire filter attach`: rules on the way of the frames. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "cli/filter/action.h"
#include "cli/filter/attach/counters.h"
#include "cli/filter/attach/follow.h"
#include "cli/filter/filter.h"
#include "cli/filter/formats.h"
#include "cli/messages.h"
#include "cli/standard_files.h"
#include "cli/stop.h"

#define LOOK_MS 1000 /* how often we look whether what is attached is still there */

struct attach {
	struct cli_formats_source source; /* first: the options' config */
	const char *interface, *hook;
	struct filter_action actions[TW_RULES_MAX], otherwise;
	unsigned int n_actions;
	bool offload, persist, streams;
	uint64_t udp_port;
	struct tw_classifier_rule rules[TW_RULES_MAX];
	struct tw_classifier *classifier;
};

static int add_action(void *data, const char *text, struct tw_error *err)
{
	struct attach *attach = data;

	if (attach->n_actions == TW_RULES_MAX)
		return tw_error__set(err, -EINVAL, "there may be %d rules at most", TW_RULES_MAX);
	return filter_action__parse(text, &attach->actions[attach->n_actions++], err);
}

static int set_otherwise(void *data, const char *text, struct tw_error *err)
{
	struct attach *attach = data;

	return filter_action__parse(text, &attach->otherwise, err);
}

static bool needs_tc(const struct filter_action *action)
{
	return action->action == TW_ACTION_MARK || action->action == TW_ACTION_REDIRECT;
}

/* XDP is the earliest, but has no mark, and no second way for control frames. */
static int choose_place(const struct attach *attach, uint8_t *ret, struct tw_error *err)
{
	*ret = needs_tc(&attach->otherwise) ? TW_PLACE_TC : TW_PLACE_XDP;
	for (unsigned int i = 0; i < attach->n_actions; i++)
		if (needs_tc(&attach->actions[i]))
			*ret = TW_PLACE_TC;
	return attach->hook ? filter_hook__parse(attach->hook, ret, err) : 0;
}

static int check(const struct attach *attach, int n_args, struct tw_error *err)
{
	if (!attach->interface)
		return tw_error__set(err, -EINVAL,
				     "no interface is given: name one with --interface, for example -i tw0");
	if (!n_args)
		return tw_error__set(err, -EINVAL, "no expression is given; docs/filter.md has the language");
	if ((unsigned int)n_args != attach->n_actions)
		return tw_error__set(
			err, -EINVAL,
			"%d expressions and %u actions: each expression takes an --action, the first the first", n_args,
			attach->n_actions);
	if (attach->udp_port > UINT16_MAX)
		return tw_error__set(err, -EINVAL, "there is no UDP port %" PRIu64, attach->udp_port);
	return 0;
}

static void warn_of_redirect(const struct attach *attach, uint8_t place)
{
	bool redirects = attach->otherwise.action == TW_ACTION_REDIRECT;

	for (unsigned int i = 0; i < attach->n_actions; i++)
		redirects |= attach->actions[i].action == TW_ACTION_REDIRECT;
	if (redirects && place == TW_PLACE_XDP)
		fprintf(stderr,
			"redirect in XDP takes events only, control frames stay on %s: to decode behind it takes --hook tc\n",
			attach->interface);
}

static int make(struct attach *attach, char **args, struct tw_error *err)
{
	struct tw_classifier_options options = {
		.ifname = attach->interface,
		.offload = attach->offload,
		.persist = attach->persist,
		.udp_port = (uint16_t)attach->udp_port,
		.rules = attach->rules,
		.n = attach->n_actions,
		.default_action = attach->otherwise.action,
		.default_arg = attach->otherwise.arg,
	};
	int error = choose_place(attach, &options.place, err);

	if (error)
		return error;
	for (unsigned int i = 0; i < attach->n_actions; i++)
		attach->rules[i] = (struct tw_classifier_rule){ .expression = args[i],
								.action = attach->actions[i].action,
								.arg = attach->actions[i].arg };
	warn_of_redirect(attach, options.place);
	return tw_classifier__new(&options, &attach->classifier, err);
}

static int tell_attached(const struct tw_attached *attached, void *ctx, struct tw_error *err)
{
	static const char *const places[TW_PLACES] = { "", "tc, ", "u32, " }; /* of XDP the mode says it */

	(void)ctx, (void)err;
	say(stderr, "attached to %s: %s%s, for schema %016" PRIx64 "%s\n", attached->ifname, places[attached->place],
	    tw_mode__text(attached->mode), attached->schema_id,
	    attached->persist ? "; it stays until `tracewire filter detach`" : "; Ctrl-C ends it");
	return 0;
}

static int look(const struct tw_attached *attached, void *ctx, struct tw_error *err)
{
	(void)ctx;
	if (attached->mode != TW_MODE_NONE)
		return 0;
	return tw_error__set(err, -ENOENT,
			     "the classifier is no longer on %s: somebody else took it away, or the interface",
			     attached->ifname);
}

/* Formats that were given are not followed: they are what the user wants. */
static int bind_given(struct attach *attach, struct tw_error *err)
{
	struct cli_formats formats;
	struct tw_classifier_schema schema;
	int error = cli_formats__load(&attach->source, &formats, err);

	if (error)
		return error;
	schema = (struct tw_classifier_schema){ formats.schema, formats.schema_id, formats.big_endian };
	error = tw_classifier__bind(attach->classifier, &schema, err);
	cli_formats__fini(&formats);
	return error;
}

static int wait_for_schema(struct attach *attach, struct follow *follow, struct tw_error *err)
{
	int error = 0;

	say(stderr, "waiting on %s for a stream to tell its formats%s; Ctrl-C ends it\n", attach->interface,
	    attach->udp_port ? " (those in UDP are not looked at: --from FILE gives them)" : "");
	while (!error && !follow__is_bound(follow) && !stop__signal()) {
		error = follow__wait(follow, LOOK_MS, err);
		standard_files__push();
	}
	return error;
}

static int stay(struct attach *attach, struct follow *follow, struct tw_error *err)
{
	struct pollfd asked = { .fd = stop__fd(), .events = POLLIN };
	int error = 0;

	while (!error && !stop__signal()) {
		if (follow)
			error = follow__wait(follow, LOOK_MS, err);
		else
			poll(&asked, 1, LOOK_MS);
		if (!error)
			error = tw_classifier__attached(attach->classifier, look, NULL, err);
		standard_files__push();
	}
	return error;
}

static int hold(struct attach *attach, struct follow *follow, struct tw_error *err)
{
	struct counters_print print = { .streams = attach->streams };
	struct tw_error ignored;
	int printed, error = tw_classifier__attached(attach->classifier, tell_attached, NULL, err);

	if (error || attach->persist)
		return error;
	error = stay(attach, follow, err);
	/* Whatever took the classifier away, what it has counted is still ours. */
	printed = tw_classifier__attached(attach->classifier, counters__print, &print, error ? &ignored : err);
	return error ? error : printed;
}

static int attach_and_hold(struct attach *attach, struct tw_error *err)
{
	const bool given = attach->source.file || attach->source.selection.n;
	struct follow *follow = NULL;
	int error;

	if (given) {
		error = bind_given(attach, err);
		stop__opened();
	} else {
		error = follow__open(attach->interface, attach->classifier, &follow, err);
		stop__opened(); /* to wait for formats is part of the run */
		if (!error)
			error = wait_for_schema(attach, follow, err);
	}
	if (!error && (given || follow__is_bound(follow)))
		error = hold(attach, follow, err);
	stop__ending(); /* also of a run that failed, or ended before there were formats: its messages may find no reader */
	follow__close(follow);
	return error;
}

static void tell_leftover(void *ctx, const char *what, const char *name)
{
	(void)ctx;
	say(stderr, "removed %s %s, %s\n", what, name,
	    strcmp(what, TW_RECORD) ? "left behind by a run that was killed" : "which is no longer there");
}

/* What this kernel or a network card cannot do is a failure; what cannot be meant was mistyped. */
static int exit_of(int error)
{
	if (!error)
		return CLI_EXIT_OK;
	return error == -EINVAL || error == -E2BIG || error == -ENODATA ? CLI_EXIT_USAGE : CLI_EXIT_FAILURE;
}

static int run(void *data, int n_args, char **args, struct tw_error *err)
{
	struct attach *attach = data;
	struct tw_error ignored;
	int error = check(attach, n_args, err);

	if (!error) {
		tw_classifier__cleanup(false, tell_leftover, NULL, &ignored);
		error = stop__catch(err);
	}
	if (!error)
		error = make(attach, args, err);
	if (!error)
		error = attach_and_hold(attach, err);
	tw_classifier__free(attach->classifier);
	cli_formats_source__fini(&attach->source);
	return exit_of(error);
}

static const struct cli_option options[] = {
	{ 'i', "interface", "NAME", CLI_ARG_INTERFACE, "Where the frames arrive", offsetof(struct attach, interface),
	  NULL },
	{ 0, "action", "ACTION", CLI_ARG_TEXT,
	  "What becomes of events that match: pass, drop, mark:N, redirect:INTERFACE; one for each expression, in their order",
	  0, add_action },
	{ 0, "default", "ACTION", CLI_ARG_TEXT, "What becomes of events that no rule matches (default pass)", 0,
	  set_otherwise },
	{ 0, "hook", "HOOK", CLI_ARG_TEXT,
	  "xdp, tc or u32 (default: xdp, which comes before captures, but tc for mark and redirect)",
	  offsetof(struct attach, hook), NULL },
	{ 0, "offload", NULL, CLI_ARG_NONE, "By the network card or not at all", offsetof(struct attach, offload),
	  NULL },
	{ 0, "persist", NULL, CLI_ARG_NONE, "Leave it attached and return, once the formats are known",
	  offsetof(struct attach, persist), NULL },
	{ 0, "udp-port", "PORT", CLI_ARG_NUMBER, "Look into UDP datagrams to this port too",
	  offsetof(struct attach, udp_port), NULL },
	{ 'v', "verbose", NULL, CLI_ARG_NONE, "At the end, the counters of each stream and channel, too",
	  offsetof(struct attach, streams), NULL },
	{ 0 },
};

static const struct cli_option_group group = { "Options", options };
static const struct cli_option_group *const groups[] = { &group, &cli_formats_group, NULL };

static const struct cli_example examples[] = {
	{ "Events of the idle task never get to a capture",
	  "sudo tracewire filter attach -i tw0 'prev_pid == 0' --action drop" },
	{ "Show a part of them on a second wire",
	  "sudo tracewire filter attach -i tw0 'cpu == 0' --action redirect:tw1-tx" },
	{ "Mark in tc, until it is detached",
	  "sudo tracewire filter attach -i tw0 --persist 'cpu == 0' --action mark:7" },
	{ NULL, NULL },
};

const struct cli_command filter_command_attach = {
	.name = "attach",
	.summary = "Drop, mark or redirect events on an interface",
	.arguments = "EXPRESSION...",
	.arg_kind = CLI_ARG_TEXT,
	.args_max = TW_RULES_MAX,
	.description =
		"Puts a classifier in the way of the frames that arrive on an interface: rules in order, of which the first that "
		"matches an event decides. In XDP it comes before every capture, in tc behind them. Frames without an event pass, so "
		"that what is left can be decoded.\n\n"
		"Rules are for one schema, and the interface is watched for the stream that tells it. If the stream gets a new one, the "
		"rules are made anew and exchanged in one step; the counters go on. With --from or -e they are for that schema and "
		"stay so.\n\n"
		"It stays in the foreground, and nothing is left whatever ends it; Ctrl-C prints what was counted. With --persist it "
		"stays until `tracewire filter detach`; in XDP by libxdp, beside other programs where its dispatcher works.\n\n"
		"With --offload the network card does it, XDP in hardware mode or tc with skip_sw, and the kernel is asked whether it "
		"is really there; else it fails. The kernel never does it instead.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct attach),
	.run = run,
	.discard = cli_formats_source__fini,
};
