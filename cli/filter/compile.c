/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire filter compile`: prints an expression in the language of one stage. */
#include "cli/filter/compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "cli/filter/event_groups.h"
#include "cli/filter/filter.h"
#include "cli/messages.h"
#include "filter/bpf/disassemble.h"
#include "filter/bpf/program.h"
#include "filter/describe.h"
#include "filter/display.h"
#include "filter/pcap.h"
#include "filter/tracefs.h"
#include "filter/u32.h"
#include "wire/tracewire.h"

#define INSN_MAX   256          /* bytes of one instruction as text */
#define MATCH_MAX  8192         /* bytes of one u32 match as text: 128 keys */
#define STRING_MAX (1u << 20)   /* bytes of a filter for libpcap or Wireshark */
#define TREE_MAX   (256u << 10) /* bytes of one event's tree as text */
#define OFF_WIDTH  100 /* when the list of disabled events has this number of bytes, further events are only counted */
#define TREE_WIDTH 76  /* the same limit for the list of events with the same tree */

struct compilation {
	const struct filter_expression *expression;
	const struct filter_classifier *classifier;
	uint8_t hook; /* enum tw_hook; used only for XDP and tc */
	FILE *out;    /* NULL = only test whether the target can express the expression */
};

/* The targets xdp and tc: print the instructions of a classifier with one rule. */

static void print_program(const struct tw_bpf_program *program, FILE *out)
{
	char buf[INSN_MAX];

	for (uint32_t i = 0; i < program->n; i++) {
		struct tw_line line = tw_line__on(buf, sizeof(buf));

		if (i && i == program->record_function)
			fputs("\nfor each record of a packed frame:\n", out);
		tw_bpf__disassemble(program, i, &line);
		if (tw_line__len(&line))
			fprintf(out, "%5u: %.*s\n", i, (int)tw_line__len(&line), buf);
	}
}

static int print_bpf(const struct compilation *compilation, struct tw_error *error)
{
	const struct filter_expression *expression = compilation->expression;
	const struct filter_classifier *classifier = compilation->classifier;
	const struct tw_rule rule = {
		.bound = expression->bound,
		.action = classifier->action.action,
		.arg = classifier->action.arg,
	};
	const struct tw_rules rules = {
		.rules = &rule,
		.n = 1,
		.default_action = classifier->otherwise.action,
		.default_arg = classifier->otherwise.arg,
		.schema_id = expression->formats.schema_id,
		.big_endian = expression->formats.big_endian,
	};
	const struct tw_bpf_options options = {
		.hook = compilation->hook,
		.offload = classifier->offload,
		.udp_port = classifier->udp_port,
	};
	struct tw_bpf_program program;
	const int err = tw_bpf__generate(&rules, &options, &program, error);

	if (err)
		return err;
	if (compilation->out)
		print_program(&program, compilation->out);
	tw_bpf_program__fini(&program);
	return 0;
}

/* The target u32: prints tc commands for the filters that `filter attach --hook u32` creates (it does not run the program tc itself). */

/* For `pass`, prints a flowid instead of an action, because a filter without an action needs no action module of the kernel. */
static void print_action(const struct filter_action *action, FILE *out)
{
	switch (action->action) {
	case TW_ACTION_DROP:
		fputs("action drop\n", out);
		break;
	case TW_ACTION_MARK:
		fprintf(out, "action skbedit mark %u\n", action->arg);
		break;
	case TW_ACTION_REDIRECT:
		fprintf(out, "action mirred egress redirect dev %s\n", action->interface);
		break;
	default:
		fputs("flowid 1:1\n", out);
	}
}

static void print_match(const struct filter_classifier *classifier, const struct tw_u32_match *match, FILE *out)
{
	char buf[MATCH_MAX];
	struct tw_line line = tw_line__on(buf, sizeof(buf));

	tw_u32_match__emit(match, &line);
	fprintf(out, "tc filter add dev %s ingress pref 1 protocol 0x%04x u32 %.*s ", classifier->interface,
		TW_ETHERTYPE, (int)tw_line__len(&line), buf);
}

static void print_rule(const struct filter_classifier *classifier, const struct tw_u32 *u32,
		       const struct filter_action *action, FILE *out)
{
	for (unsigned int i = 0; i < u32->n; i++) {
		print_match(classifier, &u32->matches[i], out);
		print_action(action, out);
	}
}

/* Prints the filter for control frames. Control frames pass, and are copied to each interface to which events are redirected. */
static void print_control(const struct filter_classifier *classifier, FILE *out)
{
	const char *first = classifier->action.interface, *second = classifier->otherwise.interface;

	if (!first && !second)
		return;
	print_match(classifier, tw_u32__control(), out);
	if (first && second && strcmp(first, second) != 0)
		fprintf(out, "action mirred egress mirror dev %s pipe ", second);
	fprintf(out, "action mirred egress mirror dev %s pass\n", first ? first : second);
}

/* Compiles an expression that all events of the schema match, for the default action. */
static int compile_any(const struct filter_expression *expression, struct tw_u32 *ret, struct tw_error *error)
{
	struct tw_bound *bound = NULL;
	struct tw_filter *filter;
	int err = tw_filter__parse(TW_U32_ANY_EVENT, &filter, error);

	if (err)
		return err;
	err = tw_filter__bind(filter, &expression->bound->options, &bound, error);
	if (!err)
		err = tw_u32__compile(bound, expression->formats.schema_id, ret, error);
	tw_bound__free(bound);
	tw_filter__free(filter);
	return err;
}

static int print_u32(const struct compilation *compilation, struct tw_error *error)
{
	const struct filter_expression *expression = compilation->expression;
	const struct filter_classifier *classifier = compilation->classifier;
	struct tw_u32 matches, any;
	FILE *out = compilation->out;
	int err = tw_u32__compile(expression->bound, expression->formats.schema_id, &matches, error);

	if (err)
		return err;
	err = out ? compile_any(expression, &any, error) : 0;
	if (out && !err) {
		fprintf(out, "tc qdisc add dev %s clsact\n", classifier->interface);
		print_control(classifier, out);
		print_rule(classifier, &matches, &classifier->action, out);
		if (classifier->otherwise.action != TW_ACTION_PASS)
			print_rule(classifier, &any, &classifier->otherwise, out);
		tw_u32__fini(&any);
	}
	tw_u32__fini(&matches);
	return err;
}

/* The targets pcap and display: print one filter string. */

static int make_room(struct tw_line *ret, struct tw_error *error)
{
	char *buf = malloc(STRING_MAX);

	*ret = tw_line__on(buf, STRING_MAX);
	return buf ? 0 : tw_error__set(error, -ENOMEM, "out of memory");
}

static int print_string(const struct tw_line *line, int err, FILE *out)
{
	if (!err && out)
		say(out, "%.*s\n", (int)tw_line__len(line), line->text);
	free(line->text);
	return err;
}

static int print_pcap(const struct compilation *compilation, struct tw_error *error)
{
	const struct filter_expression *expression = compilation->expression;
	struct tw_line line;
	int err = make_room(&line, error);

	if (!err)
		err = tw_pcap__emit(expression->bound, expression->formats.schema_id, &line, error);
	return print_string(&line, err, compilation->out);
}

static int print_display(const struct compilation *compilation, struct tw_error *error)
{
	struct tw_line line;
	int err = make_room(&line, error);

	if (!err)
		err = tw_display__emit(compilation->expression->bound, &line, error);
	return print_string(&line, err, compilation->out);
}

/* The target tracefs: prints the kernel's event filters, one line for each event. */

/* The group text of events that cannot match. They have no lines of their own: the last line of the output lists them as disabled. */
static const char off[] = "off";

/* Refuses a filter that would be printed with escapes: users write the printed filter to the kernel's files, so it must be exact. */
static int check_printable(const struct tw_format *format, const struct tw_line *filter, struct tw_error *error)
{
	if (tw_printable__plain(filter->text, tw_line__len(filter)) == tw_line__len(filter))
		return 0;
	return tw_error__set(
		error, -EINVAL,
		"the filter of %s:%s has control characters or invalid UTF-8, so it cannot be printed exactly; give "
		"the expression to `tracewire live`, `record` or `stream` with -f instead",
		format->system, format->name);
}

static int add_filter(const struct tw_bound *bound, const struct tw_bound_event *event, struct event_groups *groups,
		      struct tw_error *error)
{
	char buf[TW_TRACEFS_FILTER_MAX + 1];
	struct tw_line line = tw_line__on(buf, sizeof(buf));
	int err = 0;

	if (event->root->kind == TW_NODE_FALSE)
		tw_line__str(&line, off);
	else if (event->root->kind != TW_NODE_TRUE)
		err = tw_tracefs__emit(bound, event->root, &line, error);
	if (!err)
		err = check_printable(event->format, &line, error);
	if (!err && event_groups__add(groups, buf, tw_line__len(&line), event->format))
		err = tw_error__set(error, -ENOMEM, "out of memory");
	return err;
}

/*
 * Prints a line for each event type: the name and, unless all events of the type match, the filter. A shell script can read the lines with
 * `read -r event filter`. Without -r, the shell would remove the backslashes before special characters of the filter.
 */
static void print_filters(const struct event_group *group, FILE *out)
{
	for (size_t i = 0; i < group->n; i++)
		say(out, "%s:%s%s%s\n", group->formats[i]->system, group->formats[i]->name, *group->text ? " " : "",
		    group->text);
}

static void print_all_filters(const struct event_groups *groups, FILE *out)
{
	const struct event_group *disabled = NULL;

	for (size_t i = 0; i < groups->n; i++)
		if (strcmp(groups->items[i].text, off) != 0)
			print_filters(&groups->items[i], out);
		else
			disabled = &groups->items[i];
	if (disabled)
		event_groups__print(groups, disabled, "# disabled, because they cannot match: ", OFF_WIDTH, out);
}

static int print_tracefs(const struct compilation *compilation, struct tw_error *error)
{
	struct event_groups groups = { .schema = compilation->expression->formats.schema };
	const struct tw_bound *bound = compilation->expression->bound;
	int err = 0;

	/* Events of the system `ftrace`, which tracers and trace_marker write, cannot be enabled or filtered through events/. */
	for (size_t i = 0; i < bound->n_events && !err; i++)
		if (strcmp(bound->events[i].format->system, "ftrace") != 0)
			err = add_filter(bound, &bound->events[i], &groups, error);
	if (!err && compilation->out)
		print_all_filters(&groups, compilation->out);
	event_groups__fini(&groups);
	return err;
}

/* The target tree: prints the bound filter, which has a tree of tests for each event type. Names are resolved to fields and numbers. */

#define NONE "none can match"

static void put_place(struct tw_line *line, const struct tw_field *field)
{
	tw_line__str(line, "   (");
	tw_line__str(line, field->type);
	tw_line__str(line, " at ");
	tw_line__u64(line, field->offset);
	tw_line__char(line, ')');
}

static void put_leaf(struct tw_line *line, const struct tw_node *node)
{
	if (node->kind != TW_NODE_TEST) {
		tw_line__str(line, node->kind == TW_NODE_TRUE ? "every one matches" : NONE);
		return;
	}
	if (node->negated)
		tw_line__str(line, "not ");
	tw_test__describe(node->test, line);
	if (node->test->op == TW_TEST_EXISTS)
		tw_line__str(line, " exists");
	if (node->test->field)
		put_place(line, node->test->field);
}

static void put_tree(struct tw_line *line, const struct tw_node *root)
{
	struct tw_walk walk = tw_walk__on(root);
	unsigned int depth = 1;
	enum tw_walk_at at;

	while ((at = tw_walk__next(&walk)) != TW_WALK_END) {
		depth -= at == TW_WALK_CLOSE;
		if (at != TW_WALK_OPEN && at != TW_WALK_LEAF)
			continue;
		tw_line__fill(line, ' ', (size_t)depth * 2);
		if (at == TW_WALK_LEAF)
			put_leaf(line, walk.node);
		else
			tw_line__str(line, walk.node->kind == TW_NODE_AND ? "all of" : "one of");
		tw_printable__layout(line, "\n");
		depth += at == TW_WALK_OPEN;
	}
}

static int add_tree(struct event_groups *groups, const struct tw_bound_event *event, char *buf, struct tw_error *error)
{
	struct tw_line line = tw_line__of(buf, TREE_MAX, TW_LINE_TEXT);

	put_tree(&line, event->root);
	if (line.cut)
		return tw_error__set(error, -E2BIG, "the comparisons for %s:%s are more than %u bytes of text",
				     event->format->system, event->format->name, TREE_MAX);
	if (event_groups__add(groups, buf, tw_line__len(&line), event->format))
		return tw_error__set(error, -ENOMEM, "out of memory");
	return 0;
}

/* Prints the groups. Events that cannot match come last, because there are usually many of them, and they matter least. */
static void print_groups(const struct event_groups *groups, FILE *out)
{
	for (int never = 0; never < 2; never++)
		for (size_t i = 0; i < groups->n; i++) {
			if ((strcmp(groups->items[i].text, "  " NONE "\n") == 0) != never)
				continue;
			event_groups__print(groups, &groups->items[i], "", TREE_WIDTH, out);
			fputs(groups->items[i].text, out);
		}
}

static void print_unknown(const struct tw_bound *bound, char *buf, FILE *out)
{
	struct tw_line line = tw_line__of(buf, TREE_MAX, TW_LINE_TEXT);

	put_tree(&line, bound->unknown);
	fprintf(out, "events of other formats\n%.*s", (int)tw_line__len(&line), buf);
}

static int print_tree(const struct compilation *compilation, struct tw_error *error)
{
	struct event_groups groups = { .schema = compilation->expression->formats.schema };
	const struct tw_bound *bound = compilation->expression->bound;
	char *buf = malloc(TREE_MAX);
	int err = buf ? 0 : tw_error__set(error, -ENOMEM, "out of memory");

	for (size_t i = 0; i < bound->n_events && !err; i++)
		err = add_tree(&groups, &bound->events[i], buf, error);
	if (!err && compilation->out) {
		print_groups(&groups, compilation->out);
		print_unknown(bound, buf, compilation->out);
	}
	event_groups__fini(&groups);
	free(buf);
	return err;
}

/*
 * The targets of --to. print() returns 0; or -errno with @error filled and nothing written: -EOPNOTSUPP or -E2BIG if the target cannot
 * express the expression.
 */
static const struct {
	const char *name;
	int (*print)(const struct compilation *compilation, struct tw_error *error);
	uint8_t hook;
} targets[] = {
	{ "tracefs", print_tracefs, 0 }, { "xdp", print_bpf, TW_HOOK_XDP }, { "tc", print_bpf, TW_HOOK_TC },
	{ "u32", print_u32, 0 },         { "pcap", print_pcap, 0 },         { "display", print_display, 0 },
	{ "tree", print_tree, 0 },
};
#define N_TARGETS (sizeof(targets) / sizeof(targets[0]))

static int no_target(const char *to, struct tw_error *error)
{
	char names[128];
	struct tw_line line = tw_line__on(names, sizeof(names));
	struct tw_nearest nearest;

	tw_nearest__init(&nearest, to ? to : "");
	for (size_t i = 0; i < N_TARGETS; i++) {
		tw_nearest__offer(&nearest, targets[i].name);
		tw_line__str(&line, !i ? "" : i + 1 < N_TARGETS ? ", " : " and ");
		tw_line__str(&line, targets[i].name);
	}
	tw_line__char(&line, '\0');
	if (!to)
		return tw_error__set(error, -EINVAL, "no target is given: name one with --to; the targets are %s",
				     names);
	if (nearest.best)
		return tw_error__set(error, -EINVAL, "there is no target '%s'; did you mean %s?", to, nearest.best);
	return tw_error__set(error, -EINVAL, "there is no target '%s'; the targets are %s", to, names);
}

/* Return: index in targets[], or -EINVAL with @error filled */
static int find_target(const char *to, struct tw_error *error)
{
	for (size_t i = 0; i < N_TARGETS && to; i++)
		if (!strcmp(targets[i].name, to))
			return (int)i;
	return no_target(to, error);
}

int filter_compile(const struct filter_expression *expression, const char *to,
		   const struct filter_classifier *classifier, FILE *out, struct tw_error *error)
{
	struct compilation compilation = { .expression = expression, .classifier = classifier, .out = out };
	const int target = find_target(to, error);

	if (target < 0)
		return target;
	compilation.hook = targets[target].hook;
	return targets[target].print(&compilation, error);
}

struct compile {
	struct cli_formats_source source; /* must be first: the options of cli_formats_group store into it */
	const char *to, *action, *otherwise, *interface;
	uint64_t udp_port;
	bool offload;
};

/*
 * Sets the classifier from the options. With --action, it equals the classifier of `filter attach` with the same options. Without --action,
 * matching events pass, and other events are dropped unless --default names another action.
 */
static int read_classifier(const struct compile *config, struct filter_classifier *ret, struct tw_error *error)
{
	int err;

	if (config->udp_port > UINT16_MAX)
		return tw_error__set(error, -EINVAL, "--udp-port %llu is not a port: the largest is 65535",
				     (unsigned long long)config->udp_port);
	*ret = (struct filter_classifier){
		.udp_port = (uint16_t)config->udp_port,
		.offload = config->offload,
		.interface = config->interface ? config->interface : "tw0",
		.otherwise.action = config->action ? TW_ACTION_PASS : TW_ACTION_DROP,
	};
	err = filter_action__parse(config->action ? config->action : "pass", &ret->action, error);
	if (!err && config->otherwise)
		err = filter_action__parse(config->otherwise, &ret->otherwise, error);
	return err;
}

static int compile(void *data, int n_args, char **args, struct tw_error *error)
{
	struct compile *config = data;
	const char *text = n_args ? args[0] : NULL;
	struct filter_classifier classifier;
	struct filter_expression expression = { 0 };
	int err = find_target(config->to, error);

	if (err >= 0)
		err = read_classifier(config, &classifier, error);
	if (!err)
		err = filter_expression__load(text, &config->source, &expression, error);
	if (!err)
		err = filter_compile(&expression, config->to, &classifier, stdout, error);
	if (err && text)
		caret__show(text, error);
	filter_expression__fini(&expression);
	cli_formats_source__fini(&config->source);
	return filter_expression__exit_of(err);
}

static const struct cli_option options[] = {
	{ 0, "to", "TARGET", CLI_ARG_BACK_END,
	  "Target: tracefs, xdp, tc, u32, pcap, display; or tree, which prints the comparisons that are tested for "
	  "each event",
	  .offset = offsetof(struct compile, to), .once = "run the command once for each target" },
	{ 0 },
};

static const struct cli_option classifier_options[] = {
	{ 0, "action", "ACTION", CLI_ARG_ACTION,
	  "Action for events that match: drop, mark:N, redirect:INTERFACE, pass (default)",
	  .offset = offsetof(struct compile, action) },
	{ 0, "default", "ACTION", CLI_ARG_ACTION,
	  "Action for other events (default: pass if --action is given, as in `filter attach`; otherwise drop)",
	  .offset = offsetof(struct compile, otherwise) },
	{ 'i', "interface", "NAME", CLI_ARG_INTERFACE, "Interface in the tc commands for u32 (default tw0)",
	  .offset = offsetof(struct compile, interface) },
	{ 0, "udp-port", "PORT", CLI_ARG_NUMBER, "Also filter frames in UDP datagrams to this port",
	  .offset = offsetof(struct compile, udp_port) },
	{ 0, "offload", NULL, CLI_ARG_NONE, "Compile for a network card that runs the program itself",
	  .offset = offsetof(struct compile, offload) },
	{ 0 },
};

static const struct cli_option_group group = { "Output", options };
static const struct cli_option_group classifier_group = { "For xdp, tc and u32", classifier_options };
static const struct cli_option_group *const groups[] = { &group, &cli_formats_group, &classifier_group, NULL };

static const struct cli_example examples[] = {
	{ "Print filters for the kernel", "sudo tracewire filter compile --to tracefs -e sched 'prev_pid == 0'" },
	{ "Store a Wireshark display filter in a shell variable",
	  "f=$(tracewire filter compile --to display --from x.pcapng 'prev_pid == 0')" },
	{ "Show the events that match this display filter", "tshark -r x.pcapng -Y \"$f\"" },
	{ "Print an XDP program that drops events with prev_pid 0",
	  "sudo tracewire filter compile --to xdp --action drop 'prev_pid == 0'" },
	{ NULL, NULL },
};

const struct cli_command filter_command_compile = {
	.name = "compile",
	.summary = "Translate an expression for one stage",
	.arguments = "EXPRESSION",
	.arg_kind = CLI_ARG_FILTER,
	.args_max = 1,
	.description =
		"Prints filter strings for tracefs, instructions for XDP or tc, tc commands for u32, a libpcap capture "
		"filter, or a Wireshark display filter. All of these filters select the same events, except for "
		"comparisons with addresses that the producer hides. The formats come from this kernel, which requires "
		"root, or from a capture.\n\n"
		"Each frame names its schema, the set of formats to which its event ids refer. With --from or -e, "
		"filters for XDP, tc, u32 and libpcap apply only to frames of one schema: that of the capture, or that "
		"of a stream with exactly the events of -e. Without these options, they apply to all schemas. XDP and "
		"tc programs filter frames with one event and packed frames; with --offload, they filter only frames "
		"with one event. u32 and libpcap filters also filter only frames with one event. Frames of Tracewire "
		"that a filter does not filter pass, among them control frames, which are needed for decoding. There "
		"is one exception: a libpcap filter rejects all frames in UDP datagrams. A display filter shows only "
		"packets whose event matches; it is correct only if each packet has at most one event.\n\n"
		"The exit status is 2 if the target cannot express the whole expression; the error message says which "
		"part it cannot express, and why. `tracewire filter explain` shows which stages can express each part.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct compile),
	.run = compile,
	.discard = cli_formats_source__fini,
};
