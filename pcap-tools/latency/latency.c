/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/latency/latency.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filter/tree.h"
#include "pcap-tools/latency/roles.h"

#define LIVE_NAME "the trace" /* in messages about a live run */

/* The names of a group; those that the beginning does not have come from the end. */
struct group_names {
	uint64_t names[TW_PAIR_KEYS_MAX];
};

struct tw_latency {
	const struct tw_latency_options *options;
	struct tw_latency_result result;
	struct tw_latency_types types; /* with the pairs, as in the options */
	struct tw_pair_figures *shown; /* copies of the pairs' figures, for the result */
	struct tw_pair_names *names;
	struct tw_event_reader *reader;
	struct tw_capture_filter *filter;
	const char *name;        /* of the capture, for messages */
	struct tw_error refusal; /* why an event ends the reading; "" = no memory */
};

/* Names that neither the beginning nor the end has get the name "". */
static void complete(struct tw_pair_names *names, size_t n_by, struct group_names *group)
{
	for (size_t i = 0; i < n_by; i++) {
		if (group->names[i] == TW_PAIR_NO_NAME)
			group->names[i] = tw_pair_names__add(names, "", 0);
	}
}

static int end_pair(struct tw_latency *l, const struct tw_latency_role *role, const struct tw_pair_input *input,
		    const struct tw_pairing_key *key, const struct tw_pairing_moment *end)
{
	struct tw_latency_pair *pair = role->pair;
	const size_t n_by = pair->figures.n_by;
	struct group_names of_begin, group = { { 0 } };
	struct tw_pairing_moment begin;

	if (!tw_pairing__end(pair->pairing, key, end, &begin, &of_begin))
		return 0;
	if (!tw_pair_binding__group(&role->binding, input, n_by, l->names, group.names))
		return -ENOMEM;
	for (size_t i = 0; i < n_by; i++) {
		if (of_begin.names[i] != TW_PAIR_NO_NAME)
			group.names[i] = of_begin.names[i];
	}
	complete(l->names, n_by, &group);
	return tw_pair_figures__add(&pair->figures, end->time - begin.time, group.names);
}

static int begin_pair(struct tw_latency *l, const struct tw_latency_role *role, const struct tw_pair_input *input,
		      const struct tw_pairing_key *key, const struct tw_pairing_moment *begin)
{
	struct group_names group = { { 0 } };

	if (!tw_pair_binding__group(&role->binding, input, role->pair->figures.n_by, l->names, group.names))
		return -ENOMEM;
	tw_pairing__begin(role->pair->pairing, key, begin, &group);
	return 0;
}

static int play(struct tw_latency *l, const struct tw_latency_role *role, const struct tw_pair_input *input,
		const struct tw_pairing_moment *moment)
{
	struct tw_pairing_key key;

	if (!tw_pair_binding__key(&role->binding, input, l->names, &key)) {
		role->pair->figures.unreadable++;
		return 0;
	}
	switch (role->binding.event->role) {
	case TW_PAIR_END:
		return end_pair(l, role, input, &key, moment);
	case TW_PAIR_BEGIN:
		return begin_pair(l, role, input, &key, moment);
	case TW_PAIR_CANCEL:
		tw_pairing__cancel(role->pair->pairing, &key);
		break;
	}
	return 0;
}

/* Whether the event matches the condition of a role. */
static bool applies(const struct tw_latency_role *role, const struct tw_read_event *read,
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

static void put_comm(const struct tw_read_event *event, struct tw_pair_input *input)
{
	if (event->view.pid) {
		input->comm = tw_stream__task(event->stream, event->view.pid, event->view.time, &input->comm_len);
	} else {
		input->comm = "<idle>";
		input->comm_len = strlen(input->comm);
	}
}

/* Lets an event play its roles. */
static int take_known(struct tw_latency *l, const struct tw_read_event *event, const struct tw_latency_roles *roles)
{
	const struct tw_identity *id = &event->stream->identity;
	const struct tw_pairing_moment moment = {
		.time = tw_identity__ns(id, event->view.time),
		.losses = event->losses,
	};
	struct tw_pair_input input = {
		.stream = event->stream->id,
		.pid = event->view.pid,
		.cpu = event->frame->cpu,
		.record = &event->record,
		.host = &event->stream->print_host,
	};
	int err = 0;

	if (tw_identity__counts(id))
		return tw_error__set(&l->refusal, -EINVAL,
				     "the trace clock '%s' counts events: the capture has no times", id->clock);
	put_comm(event, &input);
	input.print = tw_stream__print(event->stream, event->known);
	for (size_t i = 0; i < roles->n && !err; i++) {
		if (applies(&roles->roles[i], event, &input))
			err = play(l, &roles->roles[i], &input, &moment);
	}
	return err;
}

/* Ends the present interval, and those without events after it, if the event is after its end. */
static void pass_time(struct tw_latency *l, const struct tw_read_event *event)
{
	const uint64_t length = l->options->interval, time = tw_stream__wall(event->stream, event->view.time);
	uint64_t *end = &l->result.interval_end;

	if (time > UINT64_MAX - length) /* no real time */
		return;
	if (!*end)
		*end = time + length;
	if (time <= *end)
		return;
	l->options->interval_ended(l->options->ctx, tw_latency__result(l), *end);
	tw_latency__clear(l);
	*end += ((time - *end - 1) / length + 1) * length;
}

static int take_event(void *ctx, const struct tw_read_event *event)
{
	struct tw_latency *l = ctx;
	const struct tw_latency_roles *roles;
	int err;

	if (l->options->interval)
		pass_time(l, event);
	if (!event->known) {
		l->result.unknown++;
		return 0;
	}
	err = tw_latency_types__of(&l->types, event->known, event->record.big_endian, &roles);
	if (err)
		l->refusal = l->types.refusal;
	if (err || !roles)
		return err;
	if (l->filter && !tw_capture_filter__wants(l->filter, event->stream, event->frame, &event->view))
		return 0;
	return take_known(l, event, roles);
}

static const struct tw_event_reader_ops ops = { .event = take_event };

/* Parses the conditions of a pair. */
static int parse_conditions(struct tw_latency_pair *pair, struct tw_error *error)
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
			return tw_error__set(error, err, "%s:%u:%u: the condition of pair %s: %s", definition->source,
					     event->line, event->condition_column, definition->name, why.text);
	}
	return 0;
}

static int make_pair(const struct tw_latency_options *options, size_t i, struct tw_latency_pair *pair,
		     struct tw_error *error)
{
	const struct tw_pair *definition = options->pairs[i];

	tw_pair_figures__init(&pair->figures, definition, options->by, options->n_by, options->linear);
	pair->pairing = tw_pairing__new(definition->events[0].n_keys, sizeof(struct group_names),
					definition->keeps_first, options->memory / options->n_pairs);
	if (!pair->pairing)
		return tw_error__set(error, -ENOMEM, "no memory for pair %s", definition->name);
	return parse_conditions(pair, error);
}

static int make_pairs(struct tw_latency *l, struct tw_error *error)
{
	const size_t n = l->options->n_pairs;
	int err = 0;

	l->types.pairs = calloc(n, sizeof(*l->types.pairs));
	l->shown = calloc(n, sizeof(*l->shown));
	l->names = tw_pair_names__new();
	if (!l->types.pairs || !l->shown || !l->names)
		return tw_error__set(error, -ENOMEM, "no memory for %zu pairs", n);
	for (; l->types.n_pairs < n && !err; l->types.n_pairs++)
		err = make_pair(l->options, l->types.n_pairs, &l->types.pairs[l->types.n_pairs], error);
	return err;
}

int tw_latency__new(const struct tw_latency_options *options, struct tw_latency **ret, struct tw_error *error)
{
	struct tw_latency *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return tw_error__set(error, -ENOMEM, "no memory for %zu pairs", options->n_pairs);
	l->options = options;
	err = make_pairs(l, error);
	if (!err && options->filter)
		err = tw_capture_filter__check(options->filter, error);
	if (err)
		tw_latency__free(l);
	else
		*ret = l;
	return err;
}

static void free_pair(struct tw_latency_pair *pair)
{
	for (size_t i = 0; i < TW_PAIR_EVENTS_MAX; i++)
		tw_filter__free(pair->conditions[i]);
	tw_pairing__free(pair->pairing);
	tw_pair_figures__fini(&pair->figures);
}

void tw_latency__free(struct tw_latency *l)
{
	if (!l)
		return;
	tw_latency_types__fini(&l->types);
	for (size_t i = 0; i < l->types.n_pairs; i++)
		free_pair(&l->types.pairs[i]);
	tw_capture_filter__free(l->filter);
	tw_event_reader__free(l->reader);
	tw_pair_names__free(l->names);
	free(l->types.pairs);
	free(l->shown);
	free(l);
}

/* Finds the events of a pair that have no format in the capture. */
static void find_missing(struct tw_pair_figures *figures, const struct tw_schema *formats)
{
	for (size_t f = 0; f < tw_schema__count(formats); f++) {
		for (size_t i = 0; i < figures->pair->n_events; i++) {
			if (tw_pair_binding__is_of(&figures->pair->events[i], tw_schema__at(formats, f)))
				figures->is_missing[i] = false;
		}
	}
}

static int find_all_missing(struct tw_latency *l)
{
	const struct tw_stream *s = tw_streams__first(tw_event_reader__streams(l->reader));

	for (size_t i = 0; i < l->types.n_pairs; i++)
		memset(l->types.pairs[i].figures.is_missing, true, sizeof(l->types.pairs[i].figures.is_missing));
	for (; s; s = s->next) {
		for (const struct tw_stream_schema *schema = s->schemas; schema; schema = schema->next) {
			struct tw_schema *formats = tw_stream_schema__formats(schema);

			if (!formats)
				return -ENOMEM;
			for (size_t i = 0; i < l->types.n_pairs; i++)
				find_missing(&l->types.pairs[i].figures, formats);
			tw_schema__free(formats);
		}
	}
	return 0;
}

static int check_by(const struct tw_latency_pair *pair, struct tw_error *error)
{
	const struct tw_pair_figures *figures = &pair->figures;

	for (size_t i = 0; i < figures->n_by; i++) {
		if (!pair->has_by[i])
			return tw_error__set(error, -EINVAL,
					     "no event of pair %s has the field '%s', by which it is divided",
					     figures->pair->name, figures->by[i]);
	}
	return 0;
}

/* Refuses a capture without events that begin, or that end a pair, and names of groups that no event has. */
static int check_pairs(struct tw_latency *l, struct tw_error *error)
{
	struct tw_pairing_stats stats;
	int err = 0;

	if (find_all_missing(l))
		return tw_error__set(error, -ENOMEM, "no memory to look for the events of %s", l->name);
	for (size_t i = 0; i < l->types.n_pairs && !err; i++) {
		const struct tw_pair_figures *figures = &l->types.pairs[i].figures;
		const struct tw_pair_event *missing = tw_pair__lacks(figures->pair, figures->is_missing);

		if (missing)
			return tw_error__set(error, -EINVAL,
					     "%s has no event %s%s%s, which pair %s needs: record it with the option "
					     "--event",
					     l->name, missing->system ? missing->system : "",
					     missing->system ? ":" : "", missing->event, figures->pair->name);
		tw_pairing__stats(l->types.pairs[i].pairing, &stats);
		if (stats.begun)
			err = check_by(&l->types.pairs[i], error);
	}
	return err;
}

/* Begins with the filter, when the table of streams exists. */
static int begin(struct tw_latency *l, const char *name, struct tw_error *error)
{
	l->name = name;
	return !l->options->filter ? 0
				   : tw_capture_filter__new(l->options->filter, tw_event_reader__streams(l->reader),
							    &l->filter, error);
}

/* Makes the ledgers, and completes the result. */
static void finish(struct tw_latency *l)
{
	tw_event_reader__finish(l->reader);
	if (l->filter)
		tw_capture_filter__undecided_predicates(l->filter, &l->result.undecided);
}

/* The failure of reading: @err of the caller's operations, or else @more. Return: the failure, with its text in @error */
static int judge(const struct tw_latency *l, int err, int more, struct tw_error *error)
{
	if (*l->refusal.text)
		return tw_error__set(error, err == -ENOMEM ? err : -EINVAL, "%s", l->refusal.text);
	if (err)
		return tw_error__set(error, err, "no memory to measure %s", l->name ? l->name : LIVE_NAME);
	return more;
}

int tw_latency__check(struct tw_latency *l, const struct tw_schema *formats, struct tw_error *error)
{
	int err = tw_latency_types__check(&l->types, formats, TW_HOST_BE);

	l->refusal = l->types.refusal;
	err = judge(l, err, 0, error);
	for (size_t i = 0; i < l->types.n_pairs && !err; i++)
		err = check_by(&l->types.pairs[i], error);
	return err;
}

int tw_latency__read(struct tw_latency *l, int in, const char *name, struct tw_error *error)
{
	int err = tw_event_reader__new(in, name, &ops, l, &l->result.read, &l->reader, error), more;

	if (!err)
		err = begin(l, name, error);
	if (err)
		return err;
	more = tw_event_reader__run(l->reader, &err, error);
	err = judge(l, err, more, error);
	if (!err)
		err = tw_event_reader__check(l->reader, error);
	if (!err)
		err = check_pairs(l, error);
	finish(l);
	return err;
}

int tw_latency__begin(struct tw_latency *l, struct tw_error *error)
{
	const int err = tw_event_reader__new_live(&ops, l, &l->result.read, &l->reader, error);

	return err ? err : begin(l, LIVE_NAME, error);
}

int tw_latency__frame(struct tw_latency *l, const void *data, size_t len, struct tw_error *error)
{
	return judge(l, tw_event_reader__frame(l->reader, data, len), 0, error);
}

int tw_latency__tick(struct tw_latency *l, uint64_t now, struct tw_error *error)
{
	return judge(l, tw_event_reader__tick(l->reader, now), 0, error);
}

int tw_latency__end(struct tw_latency *l, struct tw_error *error)
{
	int err = judge(l, tw_event_reader__flush(l->reader), 0, error);

	if (!err)
		err = check_pairs(l, error);
	finish(l);
	return err;
}

/* The counters since the figures were cleared; @stats->open stays the present number. */
static void subtract(struct tw_pairing_stats *stats, const struct tw_pairing_stats *before)
{
	stats->begun -= before->begun;
	stats->paired -= before->paired;
	stats->across_loss -= before->across_loss;
	stats->backwards -= before->backwards;
	stats->again -= before->again;
	stats->cancelled -= before->cancelled;
	stats->evicted -= before->evicted;
	stats->no_begin -= before->no_begin;
}

const struct tw_latency_result *tw_latency__result(struct tw_latency *l)
{
	for (size_t i = 0; i < l->types.n_pairs; i++) {
		struct tw_latency_pair *pair = &l->types.pairs[i];

		tw_pairing__stats(pair->pairing, &pair->figures.stats);
		subtract(&pair->figures.stats, &pair->before);
		tw_pair_figures__sort(&pair->figures);
		l->shown[i] = pair->figures;
	}
	if (l->filter)
		tw_capture_filter__stats(l->filter, &l->result.filtered);
	l->result.names = l->names;
	l->result.pairs = l->shown;
	l->result.n_pairs = l->types.n_pairs;
	return &l->result;
}

void tw_latency__clear(struct tw_latency *l)
{
	for (size_t i = 0; i < l->types.n_pairs; i++) {
		struct tw_latency_pair *pair = &l->types.pairs[i];

		tw_pair_figures__clear(&pair->figures);
		tw_pairing__stats(pair->pairing, &pair->before);
	}
}
