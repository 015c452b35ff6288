/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter/explain/explanation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/filter/compile.h"
#include "filter/arena.h"
#include "filter/rules.h"
#include "filter/tracefs.h"

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
	{ "stream", { FILTER_IN_TRACEFS, FILTER_IN_PRODUCER }, 2, true, 2, "so that stream refuses the filter" },
	{ "capture", { FILTER_IN_TOOLS }, 1, true, 0, NULL },
	{ "report", { FILTER_IN_TOOLS }, 1, false, 0, NULL },
	{ "attach", { 0 }, 0, true, 0, "to whoever receives" },
	{ "dumpcap", { FILTER_IN_PCAP }, 1, true, 0, "to whoever reads the capture" },
	{ "tshark", { FILTER_IN_DISPLAY }, 1, false, 0, "and nobody does it" },
	{ 0 },
};

static int find_hook(const char *name, enum filter_stage *ret, struct tw_error *err)
{
	for (enum filter_stage stage = FILTER_IN_XDP; stage <= FILTER_IN_U32; stage++) {
		if (!strcmp(filter_stages[stage].name, name)) {
			*ret = stage;
			return 0;
		}
	}
	return tw_error__set(err, -EINVAL, "there is no hook '%s'; there are xdp, tc and u32", name);
}

static int find_pipeline(const char *name, struct filter_pipeline *ret, struct tw_error *err)
{
	for (const struct filter_pipeline *pipeline = pipelines; pipeline->name; pipeline++) {
		if (!strcmp(pipeline->name, name)) {
			*ret = *pipeline;
			return 0;
		}
	}
	return tw_error__set(
		err, -EINVAL,
		"nothing is known of '%s'; there are live, record, stream, capture, report, attach, dumpcap and tshark",
		name);
}

static void insert(struct filter_pipeline *pipeline, enum filter_stage stage)
{
	for (unsigned int i = pipeline->n++; i > pipeline->wire_at; i--)
		pipeline->stages[i] = pipeline->stages[i - 1];
	pipeline->stages[pipeline->wire_at] = stage;
}

int filter_pipeline__find(const char *name, const char *hook, struct filter_pipeline *ret, struct tw_error *err)
{
	enum filter_stage stage = FILTER_IN_XDP;
	int error = find_pipeline(name, ret, err);

	if (!error && hook)
		error = find_hook(hook, &stage, err);
	if (error)
		return error;
	if (hook && !ret->has_wire)
		return tw_error__set(err, -EINVAL, "%s has no wire, and so no --hook", name);
	if (hook || !ret->n)
		insert(ret, stage);
	return 0;
}

/* One test more of a predicate. */
static void ask_all(filter_abilities *row, const struct tw_test *test, const struct tw_format *event)
{
	for (int stage = 0; stage < FILTER_STAGES; stage++) {
		struct filter_ability *ability = &(*row)[stage];
		const char *why = tw_test__refusal(test, filter_stages[stage].back_end);
		const enum filter_can can = why ? FILTER_CANNOT : FILTER_CAN;

		ability->can = ability->can == FILTER_CERTAIN || ability->can == can ? can : FILTER_CAN_PARTLY;
		if (why && !ability->why) {
			ability->why = why;
			ability->event = event;
		}
	}
}

static int find_abilities(const struct filter_expression *expression, filter_abilities **ret, struct tw_error *err)
{
	const unsigned int n = tw_filter__predicates(expression->filter);
	filter_abilities *rows = calloc(n ? n : 1, sizeof(*rows));

	if (!rows)
		return tw_error__set(err, -ENOMEM, "out of memory");
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

#define STEP_TEXT 256 /* bytes of a step in a key, at most */

_Static_assert(TW_FILTER_PREDICATES_MAX == 256, "predicate_set__is_empty() looks at four words");

/* One event on its way. */
struct journey {
	const struct filter_pipeline *pipeline;
	const struct filter_routes *routes;
	const struct tw_bound *bound;
	const struct tw_format *format;
	const struct tw_node *left; /* what is still to be asked */
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

static void do_all(struct journey *journey, struct filter_step *step)
{
	step->does = predicates_of(journey->left);
	step->is_whole = true;
	journey->left = NULL;
}

/* Whether a stage could do a test of a tree, though it can do nothing of the tree. */
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
			       struct tw_error *err)
{
	char buf[TW_TRACEFS_FILTER_MAX + 1];
	struct tw_line line = tw_line__on(buf, sizeof(buf));
	const int error = tw_tracefs__emit(journey->bound, root, &line, err);

	if (error)
		return error;
	*ret = strndup(buf, tw_line__len(&line));
	return *ret ? 0 : tw_error__set(err, -ENOMEM, "out of memory");
}

/* The part that a stage can do, and what that leaves. A filter that is longer than the kernel takes is not given to it. */
static int do_part(struct journey *journey, enum filter_stage stage, struct filter_route *route,
		   struct filter_step *step, struct tw_error *err)
{
	const enum tw_back_end back_end = filter_stages[stage].back_end;
	const struct tw_node *does = tw_node__weaken(journey->left, back_end, journey->arena, &step->is_whole);
	const struct tw_node *rest = tw_node__rest(journey->left, back_end, journey->arena);
	int error = 0;

	if (!does || !rest)
		return tw_error__set(err, -ENOMEM, "out of memory");
	if (does->kind == TW_NODE_TRUE) {
		if (can_some(journey->left, back_end))
			step->entangled = "what it can do stands in an 'or' with what it cannot";
		return 0;
	}
	if (stage == FILTER_IN_TRACEFS)
		error = write_kernel_filter(journey, does, &route->kernel, err);
	if (error == -E2BIG) {
		step->is_whole = false;
		step->entangled = "the filter is longer than the kernel takes";
		return 0;
	}
	step->does = predicates_of(does);
	journey->left = rest->kind == TW_NODE_TRUE ? NULL : rest;
	return error;
}

static int pass_stage(struct journey *journey, unsigned int i, struct filter_route *route, struct tw_error *err)
{
	const enum filter_stage stage = journey->pipeline->stages[i];
	struct filter_step *step = &route->steps[i];

	if (!journey->left)
		step->is_idle = true;
	else if (stage == FILTER_IN_TRACEFS && !strcmp(journey->format->system, "ftrace"))
		step->entangled = "what tracers and trace_marker record has no filter in the kernel";
	else if (filter_stages[stage].back_end != TW_BACK_END_TOOLS && !filter_stages[stage].whole)
		return do_part(journey, stage, route, step, err);
	else if (!*journey->routes->refusals[i].text)
		do_all(journey, step);
	return 0;
}

static enum filter_fate fate_of(const struct tw_node *root)
{
	return root->kind == TW_NODE_FALSE  ? FILTER_MATCHES_NEVER
	       : root->kind == TW_NODE_TRUE ? FILTER_MATCHES_ALWAYS
					    : FILTER_DEPENDS;
}

/* As the producer does: the kernel does not filter marks, and who gets the frames is not asked for their sake. */
static bool is_turned_away(const struct journey *journey, const struct tw_node *root)
{
	const char *why;

	if (journey->pipeline->stages[0] != FILTER_IN_TRACEFS || strcmp(journey->format->system, "ftrace") != 0 ||
	    strcmp(journey->format->name, "print") != 0)
		return false;
	return tw_node__refused(root, TW_BACK_END_PRODUCER, &why);
}

static int find_route(struct journey *journey, const struct tw_node *root, struct filter_route *ret,
		      struct tw_error *err)
{
	int error = 0;

	*ret = (struct filter_route){ .fate = fate_of(root) };
	if (ret->fate == FILTER_DEPENDS && is_turned_away(journey, root))
		ret->fate = FILTER_TURNED_AWAY;
	journey->left = ret->fate == FILTER_DEPENDS ? root : NULL;
	for (unsigned int i = 0; i < journey->pipeline->n && !error; i++)
		error = pass_stage(journey, i, ret, err);
	if (journey->left)
		ret->left = predicates_of(journey->left);
	return error;
}

static void put_set(struct tw_line *line, const struct predicate_set *set)
{
	for (size_t i = 0; i < sizeof(set->bits) / sizeof(*set->bits); i++) {
		tw_line__hex(line, set->bits[i]);
		tw_line__char(line, '.');
	}
}

/* What tells one route from another, as the group's text. */
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

/* Take a route in; of those that are the same only the first is kept. */
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
		       struct tw_error *err)
{
	struct filter_route route;
	int error;

	journey->arena = tw_arena__new(TW_FILTER_MEMORY_MAX);
	if (!journey->arena)
		return tw_error__set(err, -ENOMEM, "out of memory");
	journey->format = event->format;
	error = find_route(journey, event->root, &route, err);
	if (!error && add_route(routes, &route, journey->pipeline->n, event->format))
		error = tw_error__set(err, -ENOMEM, "out of memory");
	free(route.kernel);
	tw_arena__free(journey->arena);
	return error;
}

/* What cannot be said in its words, or takes too much of them, is a refusal; no memory is a failure. */
static int try_stage(const struct filter_expression *expression, enum filter_stage stage, struct tw_error *ret,
		     struct tw_error *err)
{
	const struct filter_classifier drop = { .action.action = TW_ACTION_DROP };
	const int error = filter_stages[stage].whole
				  ? filter_compile(expression, filter_stages[stage].name, &drop, NULL, ret)
				  : 0;

	if (!error) {
		*ret->text = '\0';
		return 0;
	}
	return error == -ENOMEM ? tw_error__set(err, error, "out of memory") : 0;
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
		       struct filter_routes *ret, struct tw_error *err)
{
	struct filter_routes routes = { .groups = { .schema = expression->formats.schema } };
	struct journey journey = { .pipeline = pipeline, .routes = &routes, .bound = expression->bound };
	int error = 0;

	for (unsigned int i = 0; i < pipeline->n && !error; i++)
		error = try_stage(expression, pipeline->stages[i], &routes.refusals[i], err);
	for (size_t i = 0; i < expression->bound->n_events && !error; i++)
		error = route_event(&journey, &routes, &expression->bound->events[i], err);
	if (error)
		routes__fini(&routes);
	else
		*ret = routes;
	return error;
}

int filter_explanation__find(struct filter_explanation *explanation, struct tw_error *err)
{
	const int error = find_abilities(explanation->expression, &explanation->abilities, err);

	return error ? error : find_routes(explanation->expression, explanation->pipeline, &explanation->routes, err);
}

void filter_explanation__fini(struct filter_explanation *explanation)
{
	routes__fini(&explanation->routes);
	free(explanation->abilities);
}
