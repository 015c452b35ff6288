/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire filter attach`: applies rules to frames on an interface. */
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
#include "xdp/interface.h"

/* The options of `tracewire filter show` and `tracewire filter detach`, and what these commands have done so far. */
struct select {
	const char *interface, *hook;
	bool json; /* @json and @print are used only by `show` */
	struct counters_print print;
	unsigned int detached;
};

static bool is_selected(const struct select *select, const struct tw_attached *attached)
{
	return (!select->interface || !strcmp(select->interface, attached->ifname)) &&
	       (!select->hook || !strcmp(select->hook, tw_attach_place__name(attached->place)));
}

static int parse_hook(const char *text, uint8_t *ret_place, struct tw_error *error)
{
	for (uint8_t place = 0; place < TW_ATTACH_PLACES; place++) {
		if (!strcmp(text, tw_attach_place__name(place))) {
			*ret_place = place;
			return 0;
		}
	}
	return tw_error__set(error, -EINVAL, "there is no hook '%s'; the hooks are xdp, tc and u32", text);
}

static int check_interface(const struct select *select, struct tw_error *error)
{
	const int index = select->interface ? tw_interface__index(select->interface, error) : 0;
	uint8_t unused;

	if (index < 0)
		return index;
	return select->hook ? parse_hook(select->hook, &unused, error) : 0;
}

static int show_one(const struct tw_attached *attached, void *ctx, struct tw_error *error)
{
	struct select *select = ctx;

	return is_selected(select, attached) ? counters__print(attached, &select->print, error) : 0;
}

static int show(void *data, int n_args, char **args, struct tw_error *error)
{
	struct select *select = data;
	struct tw_json json;
	int err = check_interface(select, error);

	(void)n_args, (void)args;
	if (err)
		return cli_exit__of(err);
	if (select->json) {
		tw_json__to_file(&json, stdout, true);
		tw_json__open(&json, NULL, '[');
		tw_json__lines(&json);
		select->print.json = &json;
	}
	err = tw_attached__each(show_one, select, error);
	/* After a failure, no empty array is printed, because it would mean that no classifier is attached. */
	if (select->json && (select->print.n || !err))
		tw_json__close(&json);
	else if (!select->json && !err && !select->print.n)
		say(stderr, "no classifier of Tracewire is attached%s%s%s%s\n", select->interface ? " to " : "",
		    select->interface ? select->interface : "", select->hook ? " at the hook " : "",
		    select->hook ? select->hook : "");
	return err ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

static int detach_one(const struct tw_attached *attached, void *ctx, struct tw_error *error)
{
	struct select *select = ctx;
	int err;

	if (!is_selected(select, attached))
		return 0;
	err = tw_attached__detach(attached, error);
	if (err)
		return err;
	select->detached++;
	say(stderr, "detached from %s of %s\n", tw_attach_place__name(attached->place), attached->ifname);
	return 0;
}

static int detach(void *data, int n_args, char **args, struct tw_error *error)
{
	struct select *select = data;
	int err;

	(void)n_args, (void)args;
	if (!select->interface) {
		tw_error__set(error, -EINVAL, "no interface is given: name one with --interface, for example -i tw0");
		return CLI_EXIT_USAGE;
	}
	err = check_interface(select, error);
	if (err)
		return cli_exit__of(err);
	err = tw_attached__each(detach_one, select, error);
	if (!err && !select->detached)
		err = tw_error__set(error, -ENOENT, "%s has no classifier of Tracewire%s%s", select->interface,
				    select->hook ? " in " : "", select->hook ? select->hook : "");
	return err ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

static const struct cli_option select_options[] = {
	{ 'i', "interface", "NAME", CLI_ARG_INTERFACE,
	  "Select only classifiers on this interface; `filter detach` requires this option",
	  .offset = offsetof(struct select, interface), .once = "run the command once for each interface" },
	{ 0, "hook", "HOOK", CLI_ARG_HOOK, "Select only classifiers at this hook: xdp, tc or u32",
	  .offset = offsetof(struct select, hook), .once = "run the command once for each hook" },
	{ 0 },
};

static const struct cli_option show_options[] = {
	{ 'v', "verbose", NULL, CLI_ARG_NONE, "Also show the counters of each stream and channel",
	  .offset = offsetof(struct select, print.streams) },
	{ 0, "json", NULL, CLI_ARG_NONE, "Write a JSON array instead of text",
	  .offset = offsetof(struct select, json) },
	{ 0 },
};

static const struct cli_option_group select_group = { "Selection", select_options };
static const struct cli_option_group show_group = { "Output", show_options };
static const struct cli_option_group *const show_groups[] = { &select_group, &show_group, NULL };
static const struct cli_option_group *const detach_groups[] = { &select_group, NULL };

static const struct cli_example show_examples[] = {
	{ "Show the classifiers of an interface", "sudo tracewire filter show -i tw0" },
	{ NULL, NULL },
};

const struct cli_command filter_command_show = {
	.name = "show",
	.summary = "Show attached classifiers and their counters",
	.description =
		"Lists the classifiers of Tracewire in this network namespace, including those of a running `filter "
		"attach`. For each classifier, it shows the hook that the kernel reports, the schema of the rules, and "
		"for each rule the number of frames and events that matched. Further lines count the events that match "
		"no rule, the frames to which the rules do not apply, and the dropped frames.\n\n"
		"u32 counts frames only. The sign - instead of a number means that the kernel does not have this "
		"counter, or that another process removed the program and its counters.",
	.examples = show_examples,
	.groups = show_groups,
	.config_size = sizeof(struct select),
	.run = show,
};

static const struct cli_example detach_examples[] = {
	{ "Remove all classifiers of Tracewire from an interface", "sudo tracewire filter detach -i tw0" },
	{ NULL, NULL },
};

const struct cli_command filter_command_detach = {
	.name = "detach",
	.summary = "Remove classifiers from an interface",
	.description =
		"Removes classifiers attached with `filter attach --persist`, and ends a running `filter attach`. "
		"XDP programs, tc filters and qdiscs of other programs stay.",
	.examples = detach_examples,
	.groups = detach_groups,
	.config_size = sizeof(struct select),
	.run = detach,
};

#define LOOK_MS 1000 /* interval of checks whether the classifier is still attached, ms */

struct attach {
	struct cli_formats_source source; /* must be first: the options of cli_formats_group store into it */
	struct tw_classifier_options options;
	struct tw_classifier_rule rules[TW_RULES_MAX]; /* the rules of @options */
	const char *hook;
	uint64_t udp_port;
	bool streams;
	struct tw_classifier *classifier;
};

static int add_action(void *data, const char *text, struct tw_error *error)
{
	struct attach *attach = data;
	struct filter_action action;
	int err;

	if (attach->options.n == TW_RULES_MAX)
		return tw_error__set(error, -EINVAL, "too many rules: at most %d are supported", TW_RULES_MAX);
	err = filter_action__parse(text, &action, error);
	if (!err)
		attach->rules[attach->options.n++] =
			(struct tw_classifier_rule){ .action = action.action, .arg = action.arg };
	return err;
}

static int set_otherwise(void *data, const char *text, struct tw_error *error)
{
	struct tw_classifier_options *options = &((struct attach *)data)->options;
	struct filter_action action;
	const int err = filter_action__parse(text, &action, error);

	if (err)
		return err;
	options->default_action = action.action;
	options->default_arg = action.arg;
	return 0;
}

static bool has_action(const struct attach *attach, enum tw_action action)
{
	for (unsigned int i = 0; i < attach->options.n; i++)
		if (attach->rules[i].action == action)
			return true;
	return attach->options.default_action == action;
}

/*
 * Chooses the hook, unless --hook names it. XDP is preferred, because it is the earliest hook. Rules with `mark` need tc, because XDP does
 * not support marks. Rules with `redirect` also use tc: it can send control frames to both interfaces, which XDP cannot.
 */
static int choose_place(const struct attach *attach, uint8_t *ret, struct tw_error *error)
{
	*ret = has_action(attach, TW_ACTION_MARK) || has_action(attach, TW_ACTION_REDIRECT) ? TW_ATTACH_TC
											    : TW_ATTACH_XDP;
	return attach->hook ? parse_hook(attach->hook, ret, error) : 0;
}

static int check(const struct attach *attach, int n_args, struct tw_error *error)
{
	if (!attach->options.ifname)
		return tw_error__set(error, -EINVAL,
				     "no interface is given: name one with --interface, for example -i tw0");
	if (!n_args)
		return tw_error__set(error, -EINVAL,
				     "no expression is given; tracewire-filter(7) describes the language");
	if ((unsigned int)n_args != attach->options.n)
		return tw_error__set(
			error, -EINVAL,
			"%d expressions and %u actions: give one --action for each expression, in the same order",
			n_args, attach->options.n);
	if (attach->udp_port > UINT16_MAX)
		return tw_error__set(error, -EINVAL, "--udp-port %" PRIu64 " is not a port: the largest is 65535",
				     attach->udp_port);
	return 0;
}

static int make(struct attach *attach, char **args, struct tw_error *error)
{
	struct tw_classifier_options *options = &attach->options;
	int err = choose_place(attach, &options->place, error);

	if (err)
		return err;
	for (unsigned int i = 0; i < options->n; i++)
		attach->rules[i].expression = args[i];
	options->rules = attach->rules;
	options->udp_port = (uint16_t)attach->udp_port;
	if (options->place == TW_ATTACH_XDP && has_action(attach, TW_ACTION_REDIRECT))
		fprintf(stderr,
			"XDP redirects only events; control frames, which are needed to decode the events, stay on "
			"%s. To decode the events at the other interface, use --hook tc\n",
			options->ifname);
	return tw_classifier__new(options, &attach->classifier, error);
}

static void tell_attached(const struct tw_attached *attached)
{
	/* For XDP, tw_mode__text() names the hook. */
	static const char *const places[TW_ATTACH_PLACES] = { "", "tc, ", "u32, " };

	say(stderr, "attached to %s: %s%s, for schema %016" PRIx64 "%s\n", attached->ifname, places[attached->place],
	    tw_mode__text(attached->mode), attached->schema_id,
	    attached->persist ? "; it stays until `tracewire filter detach`" : "; Ctrl-C ends it");
}

static int check_attached(struct tw_classifier *classifier, struct tw_error *error)
{
	const struct tw_attached *attached = tw_classifier__attached(classifier);
	const int err = tw_classifier__ask(classifier, error);

	if (err)
		return err;
	if (attached->mode != TW_MODE_NONE)
		return 0;
	return tw_error__set(
		error, -ENOENT,
		"the classifier is no longer on %s: another process removed the classifier or the interface",
		attached->ifname);
}

/* Binds the rules to the formats that --from or -e select. The rules stay bound to these formats, whatever formats the streams have. */
static int bind_given(struct attach *attach, struct tw_error *error)
{
	struct cli_formats formats;
	struct tw_classifier_schema schema;
	int err = cli_formats__load(&attach->source, &formats, error);

	if (err)
		return err;
	cli_formats__tell_refused(&formats);
	schema = (struct tw_classifier_schema){ formats.schema, formats.schema_id, formats.big_endian };
	err = tw_classifier__bind(attach->classifier, &schema, error);
	cli_formats__fini(&formats);
	return err;
}

static int wait_for_schema(struct attach *attach, struct follow *follow, struct tw_error *error)
{
	int err = 0;

	say(stderr, "waiting on %s for the formats of a stream%s; Ctrl-C ends it\n", attach->options.ifname,
	    attach->udp_port ? " (formats in UDP are not read: give them with --from FILE)" : "");
	while (!err && !follow__is_bound(follow) && !stop__signal()) {
		err = follow__wait(follow, LOOK_MS, error);
		standard_files__push();
	}
	return err;
}

static int stay(struct attach *attach, struct follow *follow, struct tw_error *error)
{
	struct pollfd asked = { .fd = stop__fd(), .events = POLLIN };
	int err = 0;

	while (!err && !stop__signal()) {
		if (follow)
			err = follow__wait(follow, LOOK_MS, error);
		else
			poll(&asked, 1, LOOK_MS);
		if (!err)
			err = check_attached(attach->classifier, error);
		standard_files__push();
	}
	return err;
}

static int hold(struct attach *attach, struct follow *follow, struct tw_error *error)
{
	struct counters_print print = { .streams = attach->streams };
	int err, asked, printed;

	tell_attached(tw_classifier__attached(attach->classifier));
	if (attach->options.persist)
		return 0;
	err = stay(attach, follow, error);
	/* Prints the counters even if another program removed the classifier. Only the first error is reported. */
	asked = tw_classifier__ask(attach->classifier, err ? NULL : error);
	err = err ? err : asked;
	printed = counters__print(tw_classifier__attached(attach->classifier), &print, err ? NULL : error);
	return err ? err : printed;
}

static int attach_and_hold(struct attach *attach, struct tw_error *error)
{
	const bool given = attach->source.file || attach->source.selection.n;
	struct follow *follow = NULL;
	int err;

	if (given) {
		err = bind_given(attach, error);
		stop__opened();
	} else {
		err = follow__open(attach->options.ifname, attach->classifier, &follow, error);
		stop__opened(); /* waiting for formats counts as a part of the run, not of opening */
		if (!err)
			err = wait_for_schema(attach, follow, error);
	}
	if (!err && (given || follow__is_bound(follow)))
		err = hold(attach, follow, error);
	stop__ending(); /* if a signal has ended the run, sets a deadline for messages, which may block */
	follow__close(follow);
	return err;
}

static void tell_leftover(void *ctx, const char *what, const char *name)
{
	(void)ctx;
	say(stderr, "removed %s %s %s\n", what, name,
	    strcmp(what, TW_RECORD) ? "of a killed run" : "(the classifier no longer exists)");
}

/*
 * Converts 0 or -errno to an exit status. Besides the errors of cli_exit__of(), expressions that are too large (-E2BIG) and captures without
 * formats (-ENODATA) are usage errors. Rules that the hook, this kernel or the network card does not support (-EOPNOTSUPP) are a failure.
 */
static int exit_of(int err)
{
	return err == -E2BIG || err == -ENODATA ? CLI_EXIT_USAGE : cli_exit__of(err);
}

static int run(void *data, int n_args, char **args, struct tw_error *error)
{
	struct attach *attach = data;
	int err = check(attach, n_args, error), removed;

	if (!err) {
		tw_classifier__cleanup(false, tell_leftover, NULL, NULL);
		err = stop__catch(error);
	}
	if (!err)
		err = make(attach, args, error);
	if (!err)
		err = attach_and_hold(attach, error);
	removed = tw_classifier__free(attach->classifier, err ? NULL : error);
	err = err ? err : removed;
	cli_formats_source__fini(&attach->source);
	return exit_of(err);
}

static const struct cli_option options[] = {
	{ 'i', "interface", "NAME", CLI_ARG_INTERFACE, "Interface that receives the frames",
	  .offset = offsetof(struct attach, options.ifname), .once = "run the command once for each interface" },
	{ 0, "action", "ACTION", CLI_ARG_ACTION,
	  "Action for events that match: pass, drop, mark:N or redirect:INTERFACE; give one --action for each "
	  "expression, in the order of the expressions",
	  .apply = add_action },
	{ 0, "default", "ACTION", CLI_ARG_ACTION, "Action for events that match no rule (default pass)",
	  .apply = set_otherwise },
	{ 0, "hook", "HOOK", CLI_ARG_HOOK,
	  "Attach at this hook: xdp, tc or u32 (default: tc if an action is mark or redirect; in all other cases, xdp)",
	  .offset = offsetof(struct attach, hook), .once = "run the command once for each hook" },
	{ 0, "offload", NULL, CLI_ARG_NONE, "Run the rules on the network card only; fail if the card cannot run them",
	  .offset = offsetof(struct attach, options.offload) },
	{ 0, "persist", NULL, CLI_ARG_NONE,
	  "Return as soon as the formats have been read and the rules are in effect; the classifier stays attached",
	  .offset = offsetof(struct attach, options.persist) },
	{ 0, "udp-port", "PORT", CLI_ARG_NUMBER, "Also filter frames in UDP datagrams to this port",
	  .offset = offsetof(struct attach, udp_port) },
	{ 'v', "verbose", NULL, CLI_ARG_NONE, "At the end, also print the counters of each stream and channel",
	  .offset = offsetof(struct attach, streams) },
	{ 0 },
};

static const struct cli_option_group group = { "Options", options };
static const struct cli_option_group *const groups[] = { &group, &cli_formats_group, NULL };

static const struct cli_example examples[] = {
	{ "Drop context switches away from the idle task before they are captured",
	  "sudo tracewire filter attach -i tw0 'prev_pid == 0' --action drop" },
	{ "Redirect events of CPU 0 to another interface",
	  "sudo tracewire filter attach -i tw0 'cpu == 0' --action redirect:tw1-tx" },
	{ "Mark events in tc, until the classifier is detached",
	  "sudo tracewire filter attach -i tw0 --persist 'cpu == 0' --action mark:7" },
	{ NULL, NULL },
};

const struct cli_command filter_command_attach = {
	.name = "attach",
	.summary = "Drop, mark or redirect events on an interface",
	.arguments = "EXPRESSION...",
	.arg_kind = CLI_ARG_FILTER,
	.args_max = TW_RULES_MAX,
	.description =
		"Attaches a classifier to an interface: an ordered list of rules for incoming frames. The first rule "
		"that matches an event decides. Captures on the interface see the frames that XDP passed, before tc "
		"changes or drops them. Frames without events always pass, because they are needed to decode the "
		"events.\n\n"
		"Rules are compiled for one schema, the set of the event formats of a stream. `filter attach` reads "
		"the schema from the stream on the interface. If the schema of the stream changes, the rules are "
		"compiled again, and the new rules replace the old ones in one step; the counters continue. With "
		"--from or -e, the rules are compiled for the formats that these options select, and do not change.\n\n"
		"Without --persist, the command stays in the foreground until Ctrl-C, and then prints the counters. "
		"The classifier is removed when the command ends, even if it is killed. With --persist, the command "
		"returns as soon as the rules are in effect, and the classifier stays until `tracewire filter detach`. "
		"With --persist at the hook xdp, libxdp attaches the classifier together with other XDP programs, if "
		"the dispatcher of libxdp works.\n\n"
		"With --offload, the network card runs the rules: XDP in hardware mode, or tc with skip_sw. If the "
		"kernel does not confirm that the card runs the rules, the command fails. The kernel never runs the "
		"rules instead of the card.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct attach),
	.run = run,
	.discard = cli_formats_source__fini,
};
