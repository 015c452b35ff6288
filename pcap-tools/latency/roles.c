/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/latency/roles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filter/arena.h"
#include "filter/tree.h"

/* Flag in tw_stream_event.chosen: the roles of the event type were looked up. */
#define LOOKED_UP 1

/* Limits for event types with roles, and for the memory of their conditions. Each schema of each stream has event types of its own. */
#define TYPES_MAX     4096
#define CONDITION_MAX ((size_t)64 << 20)

int tw_latency_pair__parse_conditions(struct tw_latency_pair *pair, struct tw_error *error)
{
	const struct tw_pair *definition = pair->figures.pair;
	struct tw_error why;

	for (size_t i = 0; i < definition->n_events; i++) {
		const struct tw_pair_event *event = &definition->events[i];
		int err;

		if (!event->condition)
			continue;
		err = tw_filter__parse(event->condition, &pair->conditions[i], &why);
		if (err)
			return tw_error__set(error, err, "%sthe condition of pair %s: %s",
					     TW_PAIR_PLACE(definition->source, event->line, event->condition_column),
					     definition->name, why.text);
	}
	return 0;
}

/* Binds the condition of a role to the format of its event. */
static int bind_condition(struct tw_latency_types *types, struct tw_latency_role *role,
			  const struct tw_filter *condition, const struct tw_schema *formats, bool big_endian)
{
	const struct tw_bind_options options = { .schema = formats, .big_endian = big_endian };
	const struct tw_pair *pair = role->pair->figures.pair;
	struct tw_error why;
	int err;

	if (!condition)
		return 0;
	err = tw_filter__bind(condition, &options, &role->condition, &why);
	if (!err)
		err = tw_bound__prepare(role->condition, &why);
	if (!err) {
		types->memory += tw_arena__taken(role->condition->arena);
		if (types->memory > CONDITION_MAX)
			err = tw_error__set(&why, -E2BIG, "the capture has too many formats of its event");
	}
	if (err)
		tw_error__set(&types->refusal, err, "%sthe condition of pair %s: %s",
			      TW_PAIR_PLACE(pair->source, role->binding.event->line,
					    role->binding.event->condition_column),
			      pair->name, why.text);
	return err;
}

/* Refuses a pair in which a key is a number in one event and a text in another: the two would never be equal. */
static int check_key_kinds(struct tw_latency_types *types, struct tw_latency_pair *pair,
			   const struct tw_pair_binding *binding)
{
	const struct tw_pair *definition = pair->figures.pair;
	const struct tw_pair_event *event = binding->event;

	for (size_t i = 0; i < event->n_keys; i++) {
		const bool is_text = tw_pair_value__is_text(&binding->keys[i]);

		if (!pair->has_key_kinds)
			pair->key_is_text[i] = is_text;
		if (pair->key_is_text[i] != is_text)
			return tw_error__set(&types->refusal, -EINVAL,
					     "%skey '%s' of %s is a %s, but another event of pair %s has a %s",
					     TW_PAIR_PLACE(definition->source, event->line, event->column),
					     event->keys[i], event->event, is_text ? "text" : "number",
					     definition->name, is_text ? "number" : "text");
	}
	pair->has_key_kinds = true;
	return 0;
}

static int bind_role(struct tw_latency_types *types, struct tw_latency_pair *pair, size_t index,
		     const struct tw_format *format, struct tw_latency_roles *roles, bool big_endian)
{
	const struct tw_pair_figures *figures = &pair->figures;
	struct tw_latency_role *role = &roles->roles[roles->n++];
	int err;

	role->pair = pair;
	err = tw_pair_binding__make(figures->pair, &figures->pair->events[index], format, figures->by, figures->n_by,
				    &role->binding, &types->refusal);
	for (size_t i = 0; i < figures->n_by; i++)
		pair->has_by[i] |= role->binding.by[i].kind != TW_PAIR_NO_VALUE;
	if (!err && role->binding.event->role != TW_PAIR_VALUE)
		err = check_key_kinds(types, pair, &role->binding);
	if (!err)
		err = bind_condition(types, role, pair->conditions[index], roles->formats, big_endian);
	if (err != -EINVAL || !types->skips_invalid)
		return err;
	tw_bound__free(role->condition);
	*role = (struct tw_latency_role){ .pair = NULL };
	roles->n--;
	pair->is_invalid = true;
	types->refusal = (struct tw_error){ "" };
	return 0;
}

/* Adds the roles of one kind that the events of @format have in all pairs. */
static int bind_kind(struct tw_latency_types *types, enum tw_pair_role kind, const struct tw_format *format,
		     struct tw_latency_roles *roles, bool big_endian)
{
	int err = 0;

	for (size_t p = 0; p < types->n_pairs && !err; p++) {
		const struct tw_pair *pair = types->pairs[p].figures.pair;

		for (size_t i = 0; i < pair->n_events && !err; i++) {
			if (pair->events[i].role == kind && tw_pair_binding__is_of(&pair->events[i], format))
				err = bind_role(types, &types->pairs[p], i, format, roles, big_endian);
		}
	}
	return err;
}

static void free_roles(struct tw_latency_roles *roles)
{
	if (!roles)
		return;
	for (size_t i = 0; i < roles->n; i++)
		tw_bound__free(roles->roles[i].condition);
	tw_schema__free(roles->formats);
	free(roles);
}

/* Return: the number of roles of a format's events, in all pairs. */
static size_t count_roles(const struct tw_latency_types *types, const struct tw_format *format)
{
	size_t n = 0;

	for (size_t p = 0; p < types->n_pairs; p++) {
		const struct tw_pair *pair = types->pairs[p].figures.pair;

		for (size_t i = 0; i < pair->n_events; i++)
			n += tw_pair_binding__is_of(&pair->events[i], format);
	}
	return n;
}

/* @ret: freed by the caller, also after a failure; unchanged if the events of @format have no roles. Return: 0 or -errno */
static int new_roles(struct tw_latency_types *types, const struct tw_format *format, bool big_endian,
		     struct tw_latency_roles **ret)
{
	const size_t n = count_roles(types, format);
	struct tw_latency_roles *roles;
	int err;

	if (!n)
		return 0;
	roles = *ret = calloc(1, sizeof(*roles) + n * sizeof(roles->roles[0]));
	if (!roles)
		return -ENOMEM;
	roles->formats = tw_schema__new_view();
	err = roles->formats ? tw_schema__lend(roles->formats, format, NULL) : -ENOMEM;
	for (enum tw_pair_role kind = TW_PAIR_END; kind <= TW_PAIR_VALUE && !err; kind++)
		err = bind_kind(types, kind, format, roles, big_endian);
	return err;
}

/* Makes the roles of an event type, at its first event. */
static int make_roles(struct tw_latency_types *types, struct tw_stream_event *known, bool big_endian)
{
	struct tw_latency_roles *roles = NULL;
	int err;

	known->chosen |= LOOKED_UP;
	if (types->n == TYPES_MAX && count_roles(types, known->format))
		return tw_error__set(&types->refusal, -EINVAL,
				     "the capture has more than %d formats of events of the pairs", TYPES_MAX);
	err = new_roles(types, known->format, big_endian, &roles);
	if (!roles)
		return err;
	types->n++;
	roles->next = types->roles;
	types->roles = roles;
	known->user = roles;
	return err;
}

int tw_latency_types__check(struct tw_latency_types *types, const struct tw_schema *formats, bool big_endian)
{
	int err = 0;

	for (size_t i = 0; i < tw_schema__count(formats) && !err; i++) {
		struct tw_latency_roles *roles = NULL;

		err = new_roles(types, tw_schema__at(formats, i), big_endian, &roles);
		free_roles(roles);
	}
	return err;
}

int tw_latency_types__of(struct tw_latency_types *types, struct tw_stream_event *known, bool big_endian,
			 const struct tw_latency_roles **ret)
{
	const int err = known->chosen & LOOKED_UP ? 0 : make_roles(types, known, big_endian);

	*ret = known->user;
	return err;
}

static void put_comm(const struct tw_read_event *event, struct tw_pair_input *input)
{
	if (event->view.pid) {
		input->comm = tw_stream__task(event->stream, event->view.pid, event->view.time, &input->comm_len);
	} else {
		input->comm = "<idle>";
		input->comm_len = strlen(input->comm);
	}
}

struct tw_pair_input tw_latency_input__of(const struct tw_read_event *event)
{
	struct tw_pair_input input = { .stream = event->stream->id,
				       .pid = event->view.pid,
				       .cpu = event->frame->cpu,
				       .record = &event->record,
				       .host = &event->stream->print_host };

	put_comm(event, &input);
	return input;
}

bool tw_latency_role__applies(const struct tw_latency_role *role, const struct tw_read_event *read,
			      const struct tw_pair_input *input)
{
	const uint64_t given_up = tw_filter__given_up();
	const struct tw_identity *id = &read->stream->identity;
	struct tw_filter_event event;
	bool matches;

	if (!role->condition)
		return true;
	event = tw_filter_event__of_view(&read->view, read->frame->cpu);
	event.time = tw_identity__ns(id, read->view.time);
	event.comm = input->comm;
	event.comm_len = input->comm_len;
	if (id->host_len) {
		event.host = (const char *)id->host_bytes;
		event.host_len = id->host_len;
	}
	matches = tw_bound__matches(role->condition, &event);
	role->pair->figures.unclear += tw_filter__given_up() != given_up;
	return matches;
}

void tw_latency_types__fini(struct tw_latency_types *types)
{
	while (types->roles) {
		struct tw_latency_roles *roles = types->roles;

		types->roles = roles->next;
		free_roles(roles);
	}
}
