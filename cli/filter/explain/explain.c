/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire filter explain`: shows which stage evaluates each part of an expression. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/filter/compile.h"
#include "cli/filter/explain/explanation.h"
#include "cli/filter/filter.h"
#include "cli/messages.h"
#include "filter/arena.h"
#include "filter/rules.h"
#include "filter/tracefs.h"
#include "producer/sockets/conditions.h"
#include "producer/sockets/formats.h"

const struct filter_stage_info filter_stages[FILTER_STAGES] = {
	[FILTER_IN_TRACEFS] = { "tracefs", TW_BACK_END_TRACEFS, false },
	[FILTER_IN_PRODUCER] = { "producer", TW_BACK_END_PRODUCER, false },
	[FILTER_IN_XDP] = { "xdp", TW_BACK_END_BPF, true },
	[FILTER_IN_TC] = { "tc", TW_BACK_END_BPF, true },
	[FILTER_IN_U32] = { "u32", TW_BACK_END_U32, true },
	[FILTER_IN_PCAP] = { "pcap", TW_BACK_END_PCAP, true },
	[FILTER_IN_DISPLAY] = { "display", TW_BACK_END_DISPLAY, true },
	[FILTER_IN_TOOLS] = { "tools", TW_BACK_END_TOOLS, false },
};

static const struct filter_pipeline pipelines[] = {
	{ "live", { FILTER_IN_TRACEFS, FILTER_IN_PRODUCER, FILTER_IN_TOOLS }, 3, true, 2, NULL },
	{ "record", { FILTER_IN_TRACEFS, FILTER_IN_PRODUCER, FILTER_IN_TOOLS }, 3, false, 0, NULL },
	{ "stream", { FILTER_IN_TRACEFS, FILTER_IN_PRODUCER }, 2, true, 2, "so `tracewire stream` refuses the filter" },
	{ "capture", { FILTER_IN_TOOLS }, 1, true, 0, NULL },
	{ "report", { FILTER_IN_TOOLS }, 1, false, 0, NULL },
	{ "attach", { 0 }, 0, true, 0, "for the receiver" },
	{ "dumpcap", { FILTER_IN_PCAP }, 1, true, 0, "for the reader of the capture" },
	{ "tshark", { FILTER_IN_DISPLAY }, 1, false, 0, "which no stage evaluates" },
	{ 0 },
};

static int find_hook(const char *name, enum filter_stage *ret, struct tw_error *error)
{
	for (enum filter_stage stage = FILTER_IN_XDP; stage <= FILTER_IN_U32; stage++) {
		if (!strcmp(filter_stages[stage].name, name)) {
			*ret = stage;
			return 0;
		}
	}
	return tw_error__set(error, -EINVAL, "there is no hook '%s'; the hooks are xdp, tc and u32", name);
}

static int find_pipeline(const char *name, struct filter_pipeline *ret, struct tw_error *error)
{
	for (const struct filter_pipeline *pipeline = pipelines; pipeline->name; pipeline++) {
		if (!strcmp(pipeline->name, name)) {
			*ret = *pipeline;
			return 0;
		}
	}
	return tw_error__set(
		error, -EINVAL,
		"--for '%s' is unknown; choose live, record, stream, capture, report, attach, dumpcap or tshark", name);
}

static void insert(struct filter_pipeline *pipeline, enum filter_stage stage)
{
	for (unsigned int i = pipeline->n++; i > pipeline->wire_at; i--)
		pipeline->stages[i] = pipeline->stages[i - 1];
	pipeline->stages[pipeline->wire_at] = stage;
}

/* Finds the stages of a command. @hook: "xdp", "tc" or "u32" inserts a classifier; NULL = no classifier, except for `attach`: xdp */
static int plan_pipeline(const char *name, const char *hook, struct filter_pipeline *ret, struct tw_error *error)
{
	enum filter_stage stage = FILTER_IN_XDP;
	int err = find_pipeline(name, ret, error);

	if (!err && hook)
		err = find_hook(hook, &stage, error);
	if (err)
		return err;
	if (hook && !ret->has_wire)
		return tw_error__set(
			error, -EINVAL,
			"--hook does not apply to %s; use it with live, stream, capture, attach or dumpcap", name);
	if (hook || !ret->n)
		insert(ret, stage);
	return 0;
}

/* Return: the number of a socket event, whose filter in the kernel is a part of its BPF programs; TW_SOCKTS_EVENTS for all others */
static enum tw_sockts_event socket_event(const struct tw_format *format)
{
	return strcmp(format->system, TW_SOCKTS_SYSTEM) ? TW_SOCKTS_EVENTS : tw_sockts__find(format->name);
}

static const char *refusal(const struct tw_test *test, enum filter_stage stage, const struct tw_format *event)
{
	if (stage == FILTER_IN_TRACEFS && socket_event(event) < TW_SOCKTS_EVENTS)
		return tw_sockts_test__refusal(socket_event(event), test);
	return tw_test__refusal(test, filter_stages[stage].back_end);
}

/* Updates @row, the stages' abilities for one predicate. @test: the test to which the predicate is bound for the event type @event */
static void ask_all(filter_abilities *row, const struct tw_test *test, const struct tw_format *event)
{
	for (enum filter_stage stage = 0; stage < FILTER_STAGES; stage++) {
		struct filter_ability *ability = &(*row)[stage];
		const char *why = refusal(test, stage, event);
		const enum filter_can can = why ? FILTER_CANNOT : FILTER_CAN;

		ability->can = ability->can == FILTER_CERTAIN || ability->can == can ? can : FILTER_CAN_PARTLY;
		if (why && !ability->why) {
			ability->why = why;
			ability->event = event;
		}
	}
}

static int find_abilities(const struct filter_expression *expression, filter_abilities **ret, struct tw_error *error)
{
	const unsigned int n = tw_filter__predicates(expression->filter);
	filter_abilities *rows = calloc(n ? n : 1, sizeof(*rows));

	if (!rows)
		return tw_error__set(error, -ENOMEM, "out of memory");
	for (size_t i = 0; i < expression->bound->n_events; i++) {
		struct tw_walk walk = tw_walk__on(expression->bound->events[i].root);
		const struct tw_test *test;

		while ((test = tw_walk__next_test(&walk)))
			ask_all(&rows[test->predicate], test, expression->bound->events[i].format);
	}
	*ret = rows;
	return 0;
}

const char *filter_can__name(enum filter_can can)
{
	static const char *const names[] = {
		[FILTER_CAN] = "yes",
		[FILTER_CAN_PARTLY] = "part",
		[FILTER_CANNOT] = "no",
		[FILTER_CERTAIN] = "known",
	};

	return names[can];
}

#define STEP_TEXT 256 /* largest number of bytes that put_key() writes for one step */

_Static_assert(TW_FILTER_PREDICATES_MAX == 256, "predicate_set__is_empty() looks at four words");

/* State of the search for the route of one event type. One stage after the other takes what it can evaluate of the type's filter. */
struct journey {
	const struct filter_pipeline *pipeline;
	const struct filter_routes *routes;
	const struct tw_bound *bound;
	const struct tw_format *format;
	const struct tw_node *left; /* the part of the filter that no stage has evaluated yet; NULL = none */
	struct tw_arena *arena;
};

static struct predicate_set predicates_of(const struct tw_node *root)
{
	struct predicate_set set = { 0 };
	struct tw_walk walk = tw_walk__on(root);
	const struct tw_test *test;

	while ((test = tw_walk__next_test(&walk)))
		predicate_set__add(&set, test->predicate);
	return set;
}

/* Whether a back end can evaluate at least one test of a tree. */
static bool can_some(const struct tw_node *root, enum tw_back_end back_end)
{
	struct tw_walk walk = tw_walk__on(root);
	const struct tw_test *test;

	while ((test = tw_walk__next_test(&walk)))
		if (!tw_test__refusal(test, back_end))
			break;
	return test;
}

static int write_kernel_filter(const struct journey *journey, const struct tw_node *root, char **ret,
			       struct tw_error *error)
{
	char buf[TW_TRACEFS_FILTER_MAX + 1];
	struct tw_line line = tw_line__on(buf, sizeof(buf));
	const int err = tw_tracefs__emit(journey->bound, root, &line, error);

	if (err)
		return err;
	*ret = strndup(buf, tw_line__len(&line));
	return *ret ? 0 : tw_error__set(error, -ENOMEM, "out of memory");
}

/*
 * Divides the rest of the filter into the part that a stage evaluates and the part for later stages. If the part for the kernel is longer
 * than the kernel's limit, the kernel gets no filter.
 */
static int do_part(struct journey *journey, enum filter_stage stage, struct filter_route *route,
		   struct filter_step *step, struct tw_error *error)
{
	const enum tw_back_end back_end = filter_stages[stage].back_end;
	const struct tw_node *does = tw_node__weaken(journey->left, back_end, journey->arena, &step->is_whole);
	const struct tw_node *rest = tw_node__rest(journey->left, back_end, journey->arena);
	int err = 0;

	if (!does || !rest)
		return tw_error__set(error, -ENOMEM, "out of memory");
	if (does->kind == TW_NODE_TRUE) {
		if (can_some(journey->left, back_end))
			step->entangled =
				"an 'or' joins comparisons that this stage supports with comparisons that it does not support";
		return 0;
	}
	if (stage == FILTER_IN_TRACEFS)
		err = write_kernel_filter(journey, does, &route->kernel, error);
	if (err == -E2BIG) {
		step->is_whole = false;
		step->entangled = "the filter is longer than the kernel permits";
		return 0;
	}
	step->does = predicates_of(does);
	journey->left = rest->kind == TW_NODE_TRUE ? NULL : rest;
	return err;
}

/* Finds the part of the filter that the programs of a socket event evaluate. The producer evaluates the whole filter again. */
static int do_programs(const struct journey *journey, struct filter_step *step, struct tw_error *error)
{
	struct tw_sockts_conditions conditions;
	const struct tw_node *does =
		tw_sockts_conditions__make(socket_event(journey->format), journey->left, journey->arena, &conditions);

	if (!does)
		return tw_error__set(error, -ENOMEM, "out of memory");
	if (does->kind == TW_NODE_TRUE)
		step->entangled = "the BPF programs of the event can evaluate no part of the filter";
	else
		step->does = predicates_of(does);
	return 0;
}

static int pass_stage(struct journey *journey, unsigned int i, struct filter_route *route, struct tw_error *error)
{
	const enum filter_stage stage = journey->pipeline->stages[i];
	struct filter_step *step = &route->steps[i];

	if (!journey->left) {
		step->is_idle = true;
	} else if (stage == FILTER_IN_TRACEFS && !strcmp(journey->format->system, "ftrace")) {
		step->entangled = "the kernel cannot filter records of tracers and of trace_marker";
	} else if (stage == FILTER_IN_TRACEFS && socket_event(journey->format) < TW_SOCKTS_EVENTS) {
		return do_programs(journey, step, error);
	} else if (filter_stages[stage].back_end != TW_BACK_END_TOOLS && !filter_stages[stage].whole) {
		return do_part(journey, stage, route, step, error);
	} else if (!*journey->routes->refusals[i].text) {
		step->does = predicates_of(journey->left);
		step->is_whole = true;
		journey->left = NULL;
	}
	return 0;
}

static enum filter_fate fate_of(const struct tw_node *root)
{
	return root->kind == TW_NODE_FALSE  ? FILTER_MATCHES_NEVER
	       : root->kind == TW_NODE_TRUE ? FILTER_MATCHES_ALWAYS
					    : FILTER_DEPENDS;
}

/*
 * Whether the producer discards all events of a type. Only marks (ftrace:print) can be such a type: the producer discards them if their
 * filter has a test that the producer cannot evaluate. The kernel does not filter marks, and no part of their filter is left to a later
 * stage.
 */
static bool is_turned_away(const struct journey *journey, const struct tw_node *root)
{
	const char *why;

	if (journey->pipeline->stages[0] != FILTER_IN_TRACEFS || strcmp(journey->format->system, "ftrace") != 0 ||
	    strcmp(journey->format->name, "print") != 0)
		return false;
	return tw_node__refused(root, TW_BACK_END_PRODUCER, &why);
}

static int find_route(struct journey *journey, const struct tw_node *root, struct filter_route *ret,
		      struct tw_error *error)
{
	int err = 0;

	*ret = (struct filter_route){ .fate = fate_of(root) };
	if (ret->fate == FILTER_DEPENDS && is_turned_away(journey, root))
		ret->fate = FILTER_TURNED_AWAY;
	journey->left = ret->fate == FILTER_DEPENDS ? root : NULL;
	for (unsigned int i = 0; i < journey->pipeline->n && !err; i++)
		err = pass_stage(journey, i, ret, error);
	if (journey->left)
		ret->left = predicates_of(journey->left);
	return err;
}

static void put_set(struct tw_line *line, const struct predicate_set *set)
{
	for (size_t i = 0; i < sizeof(set->bits) / sizeof(*set->bits); i++) {
		tw_line__hex(line, set->bits[i]);
		tw_line__char(line, '.');
	}
}

/* Writes a route as a text that serves as a key: events with equal texts have the same route, and form one group. @n: number of stages */
static void put_key(struct tw_line *line, const struct filter_route *route, unsigned int n)
{
	tw_line__u64(line, route->fate);
	for (unsigned int i = 0; i < n; i++) {
		tw_line__char(line, ' ');
		put_set(line, &route->steps[i].does);
		tw_line__char(line, route->steps[i].is_whole ? 'w' : '-');
		tw_line__str(line, route->steps[i].entangled ? route->steps[i].entangled : "");
	}
	put_set(line, &route->left);
	tw_line__str(line, route->kernel ? route->kernel : "");
}

/* Adds the route of an event type. If an equal route was added before, only the event type is added. @n: number of stages */
static int add_route(struct filter_routes *routes, struct filter_route *route, unsigned int n,
		     const struct tw_format *format)
{
	char key[TW_TRACEFS_FILTER_MAX + FILTER_PIPELINE_MAX * STEP_TEXT + STEP_TEXT];
	struct tw_line line = tw_line__on(key, sizeof(key));
	const size_t before = routes->groups.n;
	struct filter_route *items = reallocarray(routes->items, before + 1, sizeof(*items));

	if (!items)
		return -ENOMEM;
	routes->items = items;
	items[before] = (struct filter_route){ 0 };
	put_key(&line, route, n);
	if (event_groups__add(&routes->groups, key, tw_line__len(&line), format))
		return -ENOMEM;
	if (routes->groups.n == before)
		return 0;
	items[before] = *route;
	route->kernel = NULL;
	return 0;
}

static int route_event(struct journey *journey, struct filter_routes *routes, const struct tw_bound_event *event,
		       struct tw_error *error)
{
	struct filter_route route;
	int err;

	journey->arena = tw_arena__new(TW_FILTER_MEMORY_MAX);
	if (!journey->arena)
		return tw_error__set(error, -ENOMEM, "out of memory");
	journey->format = event->format;
	err = find_route(journey, event->root, &route, error);
	if (!err && add_route(routes, &route, journey->pipeline->n, event->format))
		err = tw_error__set(error, -ENOMEM, "out of memory");
	free(route.kernel);
	tw_arena__free(journey->arena);
	return err;
}

/* If a stage evaluates only whole expressions, tests whether it can express @expression. @ret: why it cannot; "" = it can, or not tested */
static int try_stage(const struct filter_expression *expression, enum filter_stage stage, struct tw_error *ret,
		     struct tw_error *error)
{
	const struct filter_classifier drop = { .action.action = TW_ACTION_DROP };
	const int err = filter_stages[stage].whole
				? filter_compile(expression, filter_stages[stage].name, &drop, NULL, ret)
				: 0;

	if (!err) {
		*ret->text = '\0';
		return 0;
	}
	return err == -ENOMEM ? tw_error__set(error, err, "out of memory") : 0;
}

static void routes__fini(struct filter_routes *routes)
{
	for (size_t i = 0; i < routes->groups.n; i++)
		free(routes->items[i].kernel);
	free(routes->items);
	routes->items = NULL;
	event_groups__fini(&routes->groups);
}

static int find_routes(const struct filter_expression *expression, const struct filter_pipeline *pipeline,
		       struct filter_routes *ret, struct tw_error *error)
{
	struct filter_routes routes = { .groups = { .schema = expression->formats.schema } };
	struct journey journey = { .pipeline = pipeline, .routes = &routes, .bound = expression->bound };
	int err = 0;

	for (unsigned int i = 0; i < pipeline->n && !err; i++)
		err = try_stage(expression, pipeline->stages[i], &routes.refusals[i], error);
	for (size_t i = 0; i < expression->bound->n_events && !err; i++)
		err = route_event(&journey, &routes, &expression->bound->events[i], error);
	if (err)
		routes__fini(&routes);
	else
		*ret = routes;
	return err;
}

#define SECONDS_MAX (365u * 24 * 3600)

struct explain {
	struct cli_formats_source source; /* must be first: the options of cli_formats_group store into it */
	const char *pipeline, *hook;
	bool json, live;
	uint64_t seconds;
};

static int explain_expression(const struct explain *config, const struct filter_pipeline *pipeline,
			      const struct filter_expression *expression, struct tw_error *error)
{
	struct filter_live live = { 0 };
	struct filter_explanation explanation = {
		.expression = expression,
		.source = &config->source,
		.pipeline = pipeline,
		.live = config->live ? &live : NULL,
	};
	int err = find_abilities(expression, &explanation.abilities, error);

	if (!err)
		err = find_routes(expression, pipeline, &explanation.routes, error);
	if (!err && config->live)
		err = filter_live__run(expression, &config->source.selection, config->seconds, &live, error);
	if (!err && config->json)
		filter_explanation__print_json(&explanation, stdout);
	else if (!err)
		filter_explanation__print(&explanation, stdout);
	filter_live__fini(&live);
	routes__fini(&explanation.routes);
	free(explanation.abilities);
	return err;
}

static int apply_live(void *data, const char *value, struct tw_error *error)
{
	static const struct tw_number_rule rule = { .max = SECONDS_MAX };
	struct explain *config = data;

	config->live = true;
	if (tw_number__parse(value, &rule, &config->seconds, NULL))
		return tw_error__set(error, -EINVAL,
				     "--live '%s': give a whole number of seconds up to %u, or 0 to count until Ctrl-C",
				     value, SECONDS_MAX);
	return 0;
}

static int check(const struct explain *config, struct tw_error *error)
{
	if (config->live && config->source.file)
		return tw_error__set(
			error, -EINVAL,
			"--live counts events of this kernel, and --from names a capture: omit one of the two");
	if (config->live && !config->source.selection.n)
		return tw_error__set(error, -EINVAL, "--live needs to know which events to record: give --event");
	return 0;
}

static int explain(void *data, int n_args, char **args, struct tw_error *error)
{
	struct explain *config = data;
	const char *text = n_args ? args[0] : NULL;
	const char *name = config->pipeline ? config->pipeline : config->source.file ? "report" : "live";
	struct filter_expression expression = { 0 };
	struct filter_pipeline pipeline;
	int err = check(config, error);

	if (!err)
		err = plan_pipeline(name, config->hook, &pipeline, error);
	if (!err)
		err = filter_expression__load(text, &config->source, &expression, error);
	if (!err)
		err = explain_expression(config, &pipeline, &expression, error);
	if (err && text)
		caret__show(text, error);
	filter_expression__fini(&expression);
	cli_formats_source__fini(&config->source);
	return filter_expression__exit_of(err);
}

static const struct cli_option options[] = {
	{ 0, "for", "COMMAND", CLI_ARG_PIPELINE,
	  "Command whose stages are shown: live (default), record, stream, capture, report (default with "
	  "--from), attach, dumpcap or tshark",
	  .offset = offsetof(struct explain, pipeline) },
	{ 0, "hook", "HOOK", CLI_ARG_HOOK,
	  "Also show a classifier with the same expression on the interface: HOOK is xdp, tc or u32 (default with "
	  "--for attach: xdp)",
	  .offset = offsetof(struct explain, hook) },
	{ 0, "live", "SECONDS", CLI_ARG_NUMBER,
	  "Run the filter for SECONDS (0: until Ctrl-C), and count the matches of each comparison and the "
	  "events that pass each stage",
	  .apply = apply_live },
	{ 'j', "json", NULL, CLI_ARG_NONE, "Write one JSON object instead of text",
	  .offset = offsetof(struct explain, json) },
	{ 0 },
};

static const struct cli_option_group group = { "Options", options };
static const struct cli_option_group *const groups[] = { &group, &cli_formats_group, NULL };

static const struct cli_example examples[] = {
	{ "Show which comparisons the kernel and Tracewire evaluate",
	  "sudo tracewire filter explain -e sched 'prev_pid == 0 and comm ~ \"k*\"'" },
	{ "Show whether tc's u32 supports the expression",
	  "sudo tracewire filter explain -e sched --for attach --hook u32 'cpu == 1'" },
	{ "Count the matches of each comparison for ten seconds",
	  "sudo tracewire filter explain -e sched --live 10 'prev_pid == 0'" },
	{ "Explain a filter for a recording", "tracewire filter explain --from x.pcapng 'prev_comm == \"bash\"'" },
	{ NULL, NULL },
};

const struct cli_command filter_command_explain = {
	.name = "explain",
	.summary = "Show which stage evaluates each part of an expression, and why",
	.arguments = "EXPRESSION",
	.arg_kind = CLI_ARG_FILTER,
	.args_max = 1,
	.description =
		"Prints a table that shows whether each stage supports each comparison: `yes`, `no`, `part` if the "
		"answer depends on the event, or `known` if the event type alone decides. The reasons for `no` and "
		"`part` follow, and then the path of events through a command: the comparisons that each stage "
		"evaluates, the filter string for the kernel, and the comparisons that no stage evaluates. Types of "
		"events that cannot match are not enabled in the kernel.\n\n"
		"With --live, which requires root and -e, the events are recorded twice at the same time, with and "
		"without the filter, and the matches in both recordings are counted. A few events may be counted in "
		"only one of the two recordings: events at the limits of the counted interval, because an event has a "
		"different time stamp in each recording, and events of a task that changes its name, because the "
		"kernel reports the change before it happens.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct explain),
	.run = explain,
	.discard = cli_formats_source__fini,
};
