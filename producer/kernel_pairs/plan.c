/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/kernel_pairs/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filter/capability.h"
#include "producer/events.h"
#include "producer/schema_texts.h"
#include "producer/tracing_dir.h"

#define INSTEAD "; leave out --in-kernel"

static int no_memory(struct tw_error *error)
{
	return tw_error__set(error, -ENOMEM, "no memory for the pairs");
}

/* Whether @event of a pair is the event of that name. */
static bool is_called(const struct tw_pair_event *event, const struct tw_event_name *name)
{
	return (!event->system || !strcmp(event->system, name->system)) && !strcmp(event->event, name->name);
}

/* Notes that the kernel has an event. Return: whether a pair has it, too */
static bool note_event(struct tw_kernel_plan *plan, const struct tw_event_name *name)
{
	bool is_needed = false;

	for (size_t p = 0; p < plan->n_pairs; p++) {
		struct tw_pair_figures *figures = &plan->pairs[p].figures;

		for (size_t i = 0; i < figures->pair->n_events; i++) {
			if (!is_called(&figures->pair->events[i], name))
				continue;
			figures->is_missing[i] = false;
			is_needed = true;
		}
	}
	return is_needed;
}

static int read_format(struct tw_kernel_plan *plan, const char *tracing_dir, const struct tw_event_name *name,
		       struct tw_error *error)
{
	char *text;
	struct tw_error why;
	int err;

	err = tw_event_format__read(tracing_dir, name->system, name->name, &text, error);
	if (err)
		return err;
	err = tw_schema__add(plan->formats, name->system, text, strlen(text), NULL, &why);
	free(text);
	return err ? tw_error__set(error, err, "the format of %s:%s cannot be used: %s", name->system, name->name,
				   why.text)
		   : 0;
}

static int read_formats(struct tw_kernel_plan *plan, const char *tracing_dir, struct tw_error *error)
{
	struct tw_event_list all = { 0 };
	int err = tw_event_list__read(tracing_dir, &all, error);

	plan->formats = tw_schema__new();
	if (!err && !plan->formats)
		err = no_memory(error);
	for (size_t i = 0; i < all.n && !err; i++) {
		if (note_event(plan, &all.names[i]))
			err = read_format(plan, tracing_dir, &all.names[i], error);
	}
	tw_event_list__fini(&all);
	if (!err)
		tw_schema_texts__set_host(plan->formats);
	return err;
}

static int check_events(const struct tw_kernel_plan *plan, struct tw_error *error)
{
	for (size_t i = 0; i < plan->n_pairs; i++) {
		const struct tw_pair_figures *figures = &plan->pairs[i].figures;
		const struct tw_pair_event *lacks = tw_pair__lacks(figures->pair, figures->is_missing);

		if (lacks && tw_pair_event__is_line(lacks))
			return tw_error__set(
				error, -EOPNOTSUPP,
				"no BPF program can read the lines of trace_marker, which pair %s needs: omit "
				"--in-kernel",
				figures->pair->name);
		if (lacks && !plan->pairs[i].is_of_packets)
			return tw_error__set(
				error, -ENOENT,
				"this kernel has no event %s%s%s, which pair %s needs; `tracewire list` shows "
				"the events",
				lacks->system ? lacks->system : "", lacks->system ? ":" : "", lacks->event,
				figures->pair->name);
	}
	return 0;
}

/* Why a program cannot read a value. Return: a clause after "because"; NULL if it can */
static const char *obstacle(const struct tw_pair_value *value)
{
	const struct tw_field *field = value->field;

	if (value->kind == TW_PAIR_COMM)
		return "it is a text";
	if (value->kind != TW_PAIR_FIELD)
		return NULL;
	if (field->is_common)
		return "a BPF program does not read this common field";
	if (field->kind >= TW_FIELD_STRING)
		return field->kind == TW_FIELD_STRING ? "it is a text" : "it is not a single number";
	if (field->place != TW_PLACE_FIXED || field->offset % field->size ||
	    field->offset + field->size > TW_KERNEL_CONTEXT_MAX)
		return "a BPF program cannot read it at its place in the event";
	return NULL;
}

/* common_pid is the pid of the current task, which a program gets from a helper. */
static void replace_common_pid(struct tw_pair_value *value)
{
	if (value->kind == TW_PAIR_FIELD && value->field->is_common && !strcmp(value->field->name, "common_pid"))
		*value = (struct tw_pair_value){ TW_PAIR_PID, NULL };
}

static int check_keys(struct tw_kernel_role *role, struct tw_error *error)
{
	const struct tw_pair_event *event = role->binding.event;

	for (size_t i = 0; i < event->n_keys; i++) {
		const char *why;

		replace_common_pid(&role->binding.keys[i]);
		role->by_task |= role->binding.keys[i].kind == TW_PAIR_PID;
		why = obstacle(&role->binding.keys[i]);
		if (why)
			return tw_error__set(
				error, -EOPNOTSUPP,
				"pair %s cannot be measured in the kernel, because its key '%s' of %s:%s cannot "
				"be read there: %s" INSTEAD,
				role->pair->figures.pair->name, event->keys[i], role->format->system,
				role->format->name, why);
	}
	return 0;
}

/* Return: the tree of a condition; NULL if its result does not depend on the event. @ret_never: whether the condition is always false */
static const struct tw_node *tree_of(const struct tw_node *root, bool *ret_never)
{
	*ret_never = root->kind == TW_NODE_FALSE;
	return root->kind == TW_NODE_TRUE || *ret_never ? NULL : root;
}

static int bind_condition(struct tw_kernel_role *role, struct tw_error *error)
{
	const struct tw_pair_event *event = role->binding.event;
	struct tw_bind_options options = { 0 };
	struct tw_filter *filter = NULL;
	const char *instead = "";
	int err;

	options.schema = role->view = tw_schema__new_view();
	if (!role->view || tw_schema__lend(role->view, role->format, NULL))
		return no_memory(error);
	err = tw_filter__parse(event->condition, &filter, error);
	if (!err)
		err = tw_filter__bind(filter, &options, &role->bound, error);
	if (!err) {
		const struct tw_node *root = tw_bound__root(role->bound, role->format->id);

		err = tw_bound__check(role->bound, root, TW_BACK_END_TRACEPOINT, error);
		instead = err ? INSTEAD : "";
		role->condition = tree_of(root, &role->never);
	}
	tw_filter__free(filter);
	if (err) {
		const struct tw_error why = *error;

		tw_error__set(error, err, "%sthe condition of pair %s: %s%s",
			      TW_PAIR_PLACE(role->pair->figures.pair->source, event->line, event->condition_column),
			      role->pair->figures.pair->name, why.text, instead);
	}
	return err;
}

static struct tw_kernel_role *add_role(struct tw_kernel_plan *plan)
{
	struct tw_kernel_role *role = calloc(1, sizeof(*role));
	struct tw_kernel_role **larger = role ? reallocarray(plan->roles, plan->n_roles + 1, sizeof(*larger)) : NULL;

	if (!larger) {
		free(role);
		return NULL;
	}
	plan->roles = larger;
	plan->roles[plan->n_roles++] = role;
	return role;
}

static int make_role(struct tw_kernel_plan *plan, struct tw_kernel_pair *pair, size_t index,
		     const struct tw_format *format, struct tw_error *error)
{
	const struct tw_pair_figures *figures = &pair->figures;
	struct tw_kernel_role *role = add_role(plan);
	int err;

	if (!role)
		return no_memory(error);
	role->pair = pair;
	if (pair->n_roles == TW_KERNEL_ROLES_MAX)
		return tw_error__set(error, -E2BIG, "pair %s has more than %d events of this kernel",
				     figures->pair->name, TW_KERNEL_ROLES_MAX);
	role->format = format;
	role->number = (uint8_t)++pair->n_roles;
	pair->in_task = pair->n_keys == 1;
	err = tw_pair_binding__make(figures->pair, &figures->pair->events[index], format, figures->by, figures->n_by,
				    &role->binding, error);
	for (size_t i = 0; i < figures->n_by && !err; i++)
		replace_common_pid(&role->binding.by[i]);
	if (!err)
		err = check_keys(role, error);
	if (!err && role->binding.event->condition)
		err = bind_condition(role, error);
	return err;
}

/* Makes the roles of one kind that an event has, in all pairs. */
static int make_kind(struct tw_kernel_plan *plan, enum tw_pair_role kind, const struct tw_format *format,
		     struct tw_error *error)
{
	int err = 0;

	for (size_t p = 0; p < plan->n_pairs && !err; p++) {
		const struct tw_pair *pair = plan->pairs[p].figures.pair;

		for (size_t i = 0; i < pair->n_events && !err; i++) {
			if (pair->events[i].role == kind && tw_pair_binding__is_of(&pair->events[i], format))
				err = make_role(plan, &plan->pairs[p], i, format, error);
		}
	}
	return err;
}

/* Makes the roles of an event. The array of roles moves until those of all events are made, so the tracepoint gets only their number. */
static int make_tracepoint(struct tw_kernel_plan *plan, const struct tw_format *format, struct tw_error *error)
{
	struct tw_tracepoint *tracepoint = &plan->tracepoints[plan->n_tracepoints++];
	const size_t before = plan->n_roles;
	bool never = false;
	int err = 0;

	tracepoint->format = format;
	for (enum tw_pair_role kind = TW_PAIR_END; kind <= TW_PAIR_BEGIN && !err; kind++)
		err = make_kind(plan, kind, format, error);
	tracepoint->n_roles = plan->n_roles - before;
	if (plan->filter)
		tracepoint->filter = tree_of(tw_bound__root(plan->filter, format->id), &never);
	if (never) /* no event passes the filter */
		tracepoint->n_roles = 0;
	return err;
}

static int make_tracepoints(struct tw_kernel_plan *plan, struct tw_error *error)
{
	const size_t n = tw_schema__count(plan->formats);
	size_t at = 0;
	int err = 0;

	plan->tracepoints = calloc(n + 1, sizeof(*plan->tracepoints)); /* n is 0 if all pairs have events of packets/ */
	if (!plan->tracepoints)
		return no_memory(error);
	for (size_t i = 0; i < n && !err; i++)
		err = make_tracepoint(plan, tw_schema__at(plan->formats, i), error);
	for (size_t i = 0; i < plan->n_tracepoints && !err; i++) {
		plan->tracepoints[i].roles = plan->roles + at;
		while (at < plan->n_roles && plan->roles[at]->format == plan->tracepoints[i].format)
			at++;
	}
	return err;
}

/* Counts the events that begin or end a pair (@kind) and have the field number @by of the groups. @ret_n: number of all events of @kind */
static size_t count_by(const struct tw_kernel_plan *plan, const struct tw_kernel_pair *pair, enum tw_pair_role kind,
		       size_t by, size_t *ret_n)
{
	size_t n = 0;

	*ret_n = 0;
	for (size_t i = 0; i < plan->n_roles; i++) {
		const struct tw_kernel_role *role = plan->roles[i];

		if (role->pair != pair || role->binding.event->role != kind)
			continue;
		++*ret_n;
		n += role->binding.by[by].kind != TW_PAIR_NO_VALUE;
	}
	return n;
}

/* Checks that the values of a group can be read where they are needed. */
static int check_values(const struct tw_kernel_plan *plan, const struct tw_kernel_pair *pair, size_t by,
			struct tw_error *error)
{
	const bool of_end = pair->by_from[by] != TW_KERNEL_BY_BEGIN;

	for (size_t i = 0; i < plan->n_roles; i++) {
		const struct tw_kernel_role *role = plan->roles[i];
		const enum tw_pair_role kind = role->binding.event->role;
		const char *why = obstacle(&role->binding.by[by]);

		if (why && role->pair == pair && (kind == TW_PAIR_BEGIN || (kind == TW_PAIR_END && of_end)))
			return tw_error__set(error, -EOPNOTSUPP,
					     "pair %s cannot be divided by '%s' in the kernel, because in %s:%s, %s",
					     pair->figures.pair->name, pair->figures.by[by], role->format->system,
					     role->format->name, why);
	}
	return 0;
}

static int check_by(const struct tw_kernel_plan *plan, struct tw_kernel_pair *pair, size_t by, struct tw_error *error)
{
	size_t begins, ends;
	const size_t of_begin = count_by(plan, pair, TW_PAIR_BEGIN, by, &begins),
		     of_end = count_by(plan, pair, TW_PAIR_END, by, &ends);

	if (!of_begin && !of_end)
		return tw_error__set(error, -EINVAL, "no event of pair %s has the field '%s', by which it is divided",
				     pair->figures.pair->name, pair->figures.by[by]);
	pair->by_from[by] = !of_begin            ? TW_KERNEL_BY_END
			    : of_begin == begins ? TW_KERNEL_BY_BEGIN
						 : TW_KERNEL_BY_EITHER;
	return check_values(plan, pair, by, error);
}

/* Checks the groups of a pair. Groups that the user has not asked for are left out if they are not possible. */
static int check_groups(const struct tw_kernel_plan *plan, struct tw_kernel_pair *pair, bool requested,
			struct tw_error *error)
{
	struct tw_error why;
	int err = 0;

	for (size_t i = 0; i < pair->figures.n_by && !err; i++)
		err = check_by(plan, pair, i, &why);
	if (err && requested)
		return tw_error__set(error, err, "%s%s", why.text, err == -EOPNOTSUPP ? INSTEAD : "");
	if (err) {
		pair->note = why;
		pair->figures.n_by = 0;
	}
	return 0;
}

/* Binds the filter to the formats of all events. */
static int bind_filter(struct tw_kernel_plan *plan, const struct tw_filter *filter, struct tw_error *error)
{
	const struct tw_bind_options options = { .schema = plan->formats };
	struct tw_error why;
	int err;

	if (!filter)
		return 0;
	err = tw_filter__bind(filter, &options, &plan->filter, error);
	for (size_t i = 0; !err && i < plan->filter->n_events; i++) {
		err = tw_bound__check(plan->filter, plan->filter->events[i].root, TW_BACK_END_TRACEPOINT, &why);
		if (err)
			tw_error__set(error, err, "%s" INSTEAD, why.text);
	}
	if (!err)
		tw_filter__ambiguous_key(filter, plan->formats, &plan->filter_note);
	return err;
}

static int make_pairs(struct tw_kernel_plan *plan, const struct tw_kernel_pairs_options *options,
		      struct tw_error *error)
{
	if (options->n_pairs > TW_KERNEL_PAIRS_MAX)
		return tw_error__set(error, -E2BIG, "the kernel measures at most %d pairs at a time",
				     TW_KERNEL_PAIRS_MAX);
	for (size_t i = 0; i < options->n_pairs; i++) {
		const struct tw_pair *pair = options->pairs[i];

		if (!tw_packets__has(pair) && (tw_pair__has_values(pair) || !pair->events[0].n_keys))
			return tw_error__set(error, -EOPNOTSUPP, "pair %s has %s: leave out --in-kernel", pair->name,
					     tw_pair__has_values(pair)
						     ? "values of events, which are not measured in the kernel"
						     : "no key, which the kernel needs");
	}
	plan->pairs = calloc(options->n_pairs, sizeof(*plan->pairs));
	if (!plan->pairs)
		return no_memory(error);
	for (size_t i = 0; i < options->n_pairs; i++) {
		struct tw_kernel_pair *pair = &plan->pairs[i];

		tw_pair_figures__init(&pair->figures, options->pairs[i], options->by, options->n_by, options->linear,
				      NULL);
		memset(pair->figures.is_missing, true, sizeof(pair->figures.is_missing));
		pair->index = (unsigned int)i;
		pair->is_of_packets = tw_packets__has(options->pairs[i]);
		pair->n_keys = options->pairs[i]->events[0].n_keys;
	}
	plan->n_pairs = options->n_pairs;
	return 0;
}

/* Adds the pairs with events of packets/. Pairs that this kernel cannot measure are left out, unless no pair would remain. */
static int add_packets(struct tw_kernel_plan *plan, const struct tw_kernel_pairs_options *options,
		       struct tw_error *error)
{
	size_t left_out = 0;
	int err = 0;

	for (size_t i = 0; i < plan->n_pairs && !err; i++) {
		struct tw_kernel_pair *pair = &plan->pairs[i];

		if (!pair->is_of_packets)
			continue;
		plan->n_of_packets++;
		if (options->filter)
			return tw_error__set(
				error, -EOPNOTSUPP,
				"--filter cannot be applied to pair %s; --dev, --netns, --pid and --cgroup select packets",
				pair->figures.pair->name);
		if (!plan->packets)
			err = tw_packets__new(&options->packets, &plan->packets, error);
		memset(pair->figures.is_missing, false, sizeof(pair->figures.is_missing));
		if (!err)
			err = tw_packets__add(plan->packets, &pair->figures, error);
		pair->is_left_out = err == -EOPNOTSUPP && ++left_out < plan->n_pairs;
		if (!pair->is_left_out)
			continue;
		pair->note = *error;
		*error = (struct tw_error){ .text = "" };
		err = 0;
	}
	return err;
}

int tw_kernel_plan__make(const struct tw_kernel_pairs_options *options, struct tw_kernel_plan *ret,
			 struct tw_error *error)
{
	struct tw_kernel_plan *plan = ret;
	int err;

	*plan = (struct tw_kernel_plan){ 0 };
	err = make_pairs(plan, options, error);
	if (!err)
		err = add_packets(plan, options, error);
	if (!err)
		err = read_formats(plan, options->tracing_dir, error);
	if (!err)
		err = check_events(plan, error);
	if (!err)
		err = bind_filter(plan, options->filter, error);
	if (!err)
		err = make_tracepoints(plan, error);
	for (size_t i = 0; i < plan->n_pairs && !err; i++)
		if (!plan->pairs[i].is_of_packets)
			err = check_groups(plan, &plan->pairs[i], options->n_by, error);
	for (size_t i = 0; i < plan->n_roles; i++) {
		struct tw_kernel_role *role = plan->roles[i];

		role->pair->in_task &= role->by_task && !options->no_task_storage;
	}
	return err;
}

void tw_kernel_plan__fini(struct tw_kernel_plan *plan)
{
	for (size_t i = 0; i < plan->n_roles; i++) {
		tw_bound__free(plan->roles[i]->bound);
		tw_schema__free(plan->roles[i]->view);
		tw_print__free(plan->roles[i]->print);
		free(plan->roles[i]);
	}
	for (size_t i = 0; i < plan->n_pairs; i++)
		tw_pair_figures__fini(&plan->pairs[i].figures);
	tw_packets__free(plan->packets);
	free(plan->roles);
	free(plan->tracepoints);
	free(plan->pairs);
	tw_bound__free(plan->filter);
	tw_schema__free(plan->formats);
	*plan = (struct tw_kernel_plan){ 0 };
}
