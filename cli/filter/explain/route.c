/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter/explain/route.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filter/arena.h"
#include "filter/tracefs.h"

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
	enum tw_walk_at at;

	while ((at = tw_walk__next(&walk)) != TW_WALK_END)
		if (at == TW_WALK_LEAF && walk.node->kind == TW_NODE_TEST)
			predicate_set__add(&set, walk.node->test->predicate);
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
	enum tw_walk_at at;

	while ((at = tw_walk__next(&walk)) != TW_WALK_END)
		if (at == TW_WALK_LEAF && walk.node->kind == TW_NODE_TEST &&
		    !tw_test__refusal(walk.node->test, back_end))
			return true;
	return false;
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
	else if (filter_stages[stage].back_end != TW_BACK_END_TOOLS && !filter_stages[stage].try)
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
	const int error = filter_stages[stage].try ? filter_stages[stage].try(expression, ret) : 0;

	if (!error) {
		*ret->text = '\0';
		return 0;
	}
	return error == -ENOMEM ? tw_error__set(err, error, "out of memory") : 0;
}

int filter_routes__find(const struct filter_expression *expression, const struct filter_pipeline *pipeline,
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
		filter_routes__fini(&routes);
	else
		*ret = routes;
	return error;
}

void filter_routes__fini(struct filter_routes *routes)
{
	for (size_t i = 0; i < routes->groups.n; i++)
		free(routes->items[i].kernel);
	free(routes->items);
	routes->items = NULL;
	event_groups__fini(&routes->groups);
}
