/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/latency/latency.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "filter/tree.h"
#include "pcap-tools/latency/begun.h"

#define LIVE_NAME "the trace" /* in messages about a live run */

#define STACK_CPUS_MAX  4096 /* CPUs of streams whose next event may be a stack */
#define STACK_PAIRS_MAX 8    /* pairs that one event begins and that get its stack */

/* A pair that the last event of a CPU began. The next event of this CPU may be the kernel stack of the last event. */
struct last_begun {
	struct tw_latency_pair *pair;
	struct tw_pairing_key key;
};

struct last_event {
	uint32_t pid, n;
	struct last_begun begun[STACK_PAIRS_MAX];
};

struct cpu_key {
	uint64_t stream, cpu;
};

/* An event that plays its roles. */
struct player {
	const struct tw_read_event *event;
	struct tw_pair_input input;
	struct tw_pairing_moment moment;
};

struct tw_latency {
	const struct tw_latency_options *options;
	struct tw_latency_result result;
	struct tw_latency_types types;     /* with the pairs, as in the options */
	struct tw_latency_measured *shown; /* for the result */
	struct tw_pair_names *names;
	struct tw_event_reader *reader;
	struct tw_capture_filter *filter;
	struct tw_hash_table last;   /* struct cpu_key -> struct last_event; only with stacks */
	uint64_t n_stacks;           /* events with a stack */
	bool has_time_line, is_wall; /* the first event has come; its time is one of the wall clock */
	uint64_t latest;             /* time of the latest event that had a role, ns */
	const char *name;            /* of the capture, for messages */
	struct tw_error refusal;     /* why an event ends the reading; "" = no memory */
};

/* Whether all of struct tw_latency_begun is kept for a beginning, for --top and --stacks. If not, only its `names` are kept. */
static bool describes(const struct tw_latency *l)
{
	return l->options->top || l->options->stacks;
}

/* Completes @names, the names of a sample's groups: a missing name is taken from the event of @player, or is "" if this event has none. */
static int name_groups(struct tw_latency *l, const struct tw_latency_role *role, const struct player *player,
		       uint64_t names[TW_PAIR_KEYS_MAX])
{
	const size_t n_by = role->pair->figures.n_by;
	uint64_t of_end[TW_PAIR_KEYS_MAX] = { 0 };

	if (!tw_pair_binding__group(&role->binding, &player->input, n_by, l->names, of_end))
		return -ENOMEM;
	for (size_t i = 0; i < n_by; i++) {
		if (names[i] == TW_PAIR_NO_NAME)
			names[i] = of_end[i];
		if (names[i] == TW_PAIR_NO_NAME)
			names[i] = tw_pair_names__add(l->names, "", 0);
	}
	return 0;
}

/* Adds a sample to the times of its stack, and to the slowest samples if it is one of them. */
static int describe(struct tw_latency *l, struct tw_latency_pair *pair, const struct tw_latency_begun *begun,
		    uint64_t begin, const struct player *player)
{
	const uint64_t end = player->moment.time;
	struct tw_latency_slow slow;
	int err;

	if (l->options->stacks)
		tw_latency_stacks__count(&pair->stacks, begun->stack, end - begin);
	if (!l->options->top || !tw_latency_slowest__takes(&pair->slowest, end - begin))
		return 0;
	err = tw_latency_begun__describe(begun, begin, player->event, &player->input, end, l->names, &slow);
	if (!err)
		tw_latency_slowest__add(&pair->slowest, &slow);
	return err;
}

static int end_pair(struct tw_latency *l, const struct tw_latency_role *role, const struct player *player,
		    const struct tw_pairing_key *key)
{
	struct tw_latency_pair *pair = role->pair;
	struct tw_pairing_moment begin;
	struct tw_latency_begun begun;
	int err;

	if (!tw_pairing__end(pair->pairing, key, &player->moment, &begin, &begun))
		return 0;
	err = name_groups(l, role, player, begun.names);
	if (!err)
		err = tw_pair_figures__add(&pair->figures, player->moment.time - begin.time, begun.names);
	return err || !describes(l) ? err : describe(l, pair, &begun, begin.time, player);
}

/* Notes that the event of @player began a pair. If the next event of its CPU is its kernel stack, the stack belongs to this pair. */
static void expect_stack(struct tw_latency *l, const struct tw_latency_role *role, const struct player *player,
			 const struct tw_pairing_key *key)
{
	const struct cpu_key cpu = { player->input.stream, player->input.cpu };
	struct last_event *last;
	void *value;

	if (tw_hash_table__put(&l->last, &cpu, &value) < 0)
		return;
	last = value;
	last->pid = player->input.pid;
	if (last->n < STACK_PAIRS_MAX)
		last->begun[last->n++] = (struct last_begun){ role->pair, *key };
}

static int begin_pair(struct tw_latency *l, const struct tw_latency_role *role, const struct player *player,
		      const struct tw_pairing_key *key)
{
	struct tw_latency_begun begun;

	memset(begun.names, 0, sizeof(begun.names));
	if (!tw_pair_binding__group(&role->binding, &player->input, role->pair->figures.n_by, l->names, begun.names))
		return -ENOMEM;
	if (describes(l))
		tw_latency_begun__keep(&begun, player->event, &player->input, l->names);
	if (tw_pairing__begin(role->pair->pairing, key, &player->moment, &begun) && l->options->stacks)
		expect_stack(l, role, player, key);
	return 0;
}

/* For pairs that measure values: adds the value of the event to the figures, or counts it as unreadable or negative. */
static int take_value(struct tw_latency *l, const struct tw_latency_role *role, const struct player *player)
{
	struct tw_latency_pair *pair = role->pair;
	struct tw_pair_figures *figures = &pair->figures;
	uint64_t value = 0, names[TW_PAIR_KEYS_MAX] = { 0 };
	bool is_negative = false;
	int err;

	if (!pair->has_kind)
		figures->is_named = tw_pair_binding__is_named(&role->binding, player->input.print);
	pair->has_kind = true;
	if (!figures->is_named && !tw_pair_binding__value(&role->binding, &player->input, &value, &is_negative)) {
		figures->unreadable++;
		return 0;
	}
	if (is_negative) {
		figures->negative++;
		return 0;
	}
	err = name_groups(l, role, player, names + figures->is_named);
	if (figures->is_named)
		names[0] = tw_pair_binding__value_name(&role->binding, &player->input, l->names);
	if (err || (figures->is_named && names[0] == TW_PAIR_NO_NAME))
		return -ENOMEM;
	pair->n_values++;
	return tw_pair_figures__add(figures, value, names);
}

static int play(struct tw_latency *l, const struct tw_latency_role *role, const struct player *player)
{
	struct tw_pairing_key key;

	if (role->binding.event->role == TW_PAIR_VALUE)
		return take_value(l, role, player);
	if (!tw_pair_binding__key(&role->binding, &player->input, l->names, &key)) {
		role->pair->figures.unreadable++;
		return 0;
	}
	switch (role->binding.event->role) {
	case TW_PAIR_END:
		return end_pair(l, role, player, &key);
	case TW_PAIR_BEGIN:
		return begin_pair(l, role, player, &key);
	case TW_PAIR_CANCEL:
		tw_pairing__cancel(role->pair->pairing, &key);
		break;
	case TW_PAIR_VALUE:
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
	struct player player = {
		.event = event,
		.moment = { .time = tw_identity__ns(id, event->view.time), .losses = event->losses },
		.input = { .stream = event->stream->id,
			   .pid = event->view.pid,
			   .cpu = event->frame->cpu,
			   .record = &event->record,
			   .host = &event->stream->print_host },
	};
	int err = 0;

	l->latest = player.moment.time > l->latest ? player.moment.time : l->latest;
	if (tw_identity__counts(id))
		return tw_error__set(&l->refusal, -EINVAL,
				     "the trace clock '%s' counts events: the capture has no times", id->clock);
	put_comm(event, &player.input);
	player.input.print = tw_stream__print(event->stream, event->known);
	for (size_t i = 0; i < roles->n && !err; i++) {
		if (applies(&roles->roles[i], event, &player.input))
			err = play(l, &roles->roles[i], &player);
	}
	return err;
}

static const char *task_of(const struct tw_latency *l, const struct tw_latency_begun *begun)
{
	return begun->comm == TW_PAIR_NO_NAME ? "<...>" : tw_pair_names__text(l->names, begun->comm);
}

/* Adds a kernel stack to the pairs that began with the previous event of the same CPU. */
static void give_stack(const struct tw_latency *l, const struct tw_read_event *event, const struct last_event *last)
{
	const struct tw_print *print = tw_stream__print(event->stream, event->known);
	char buf[TW_PRINT_LINE_MAX];
	struct tw_line line = tw_line__of(buf, sizeof(buf), TW_LINE_TEXT);

	if (!print)
		return;
	tw_print__run(print, &event->record, &event->stream->print_host, &line);
	tw_printable__escape(&line);
	for (uint32_t i = 0; i < last->n; i++) {
		struct tw_latency_pair *pair = last->begun[i].pair;
		struct tw_latency_begun *begun = tw_pairing__begun(pair->pairing, &last->begun[i].key);

		if (begun && begun->cpu == event->frame->cpu && begun->pid == event->view.pid)
			begun->stack =
				tw_latency_stacks__add(&pair->stacks, task_of(l, begun), buf, tw_line__len(&line));
	}
}

/* Counts kernel stacks. If the event is the stack of the previous event of its CPU, adds it to the pairs that the previous event began. */
static void look_for_stack(struct tw_latency *l, const struct tw_read_event *event)
{
	const struct cpu_key cpu = { event->stream->id, event->frame->cpu };
	struct last_event *last = tw_hash_table__find(&l->last, &cpu);
	const bool is_stack = event->known && tw_latency_begun__is_stack(event);

	l->n_stacks += is_stack;
	if (!last)
		return;
	if (is_stack && last->pid == event->view.pid)
		give_stack(l, event, last);
	last->n = 0;
}

/*
 * Whether times of a stream can be compared with those of the first stream: both have wall-clock times, or both have only those of a trace
 * clock.
 */
static bool is_on_time_line(struct tw_latency *l, const struct tw_stream *stream)
{
	if (!l->has_time_line)
		l->is_wall = stream->has_wall;
	l->has_time_line = true;
	return stream->has_wall == l->is_wall;
}

/* If the event is after the end of the present interval, ends this interval. The next interval is the one with the event. */
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

/* Counts an event in the group of its type. */
static int count_type(struct tw_latency *l, const struct tw_read_event *event)
{
	const struct tw_format *format = event->known->format;
	uint64_t names[TW_PAIR_KEYS_MAX] = { tw_pair_names__cached(l->names, format, 0) };
	const uint64_t time = tw_stream__wall(event->stream, event->view.time);
	struct tw_latency_pair *pair = &l->types.pairs[0];
	struct tw_latency_result *result = &l->result;
	char text[TW_PAIR_NAME_MAX];

	if (is_on_time_line(l, event->stream)) {
		result->first = !result->first || time < result->first ? time : result->first;
		result->last = time > result->last ? time : result->last;
	}
	if (!names[0]) {
		snprintf(text, sizeof(text), "%s:%s", format->system, format->name);
		names[0] = tw_pair_names__add(l->names, text, strlen(text));
		tw_pair_names__cache(l->names, format, 0, (uint32_t)names[0]);
	}
	pair->figures.is_named = true;
	pair->n_values++;
	return names[0] ? tw_pair_figures__add(&pair->figures, 0, names) : -ENOMEM;
}

static bool wants(struct tw_latency *l, const struct tw_read_event *event)
{
	return !l->filter || tw_capture_filter__wants(l->filter, event->stream, event->frame, &event->view);
}

static int take_event(void *ctx, const struct tw_read_event *event)
{
	struct tw_latency *l = ctx;
	const struct tw_latency_roles *roles;
	int err;

	if (l->options->interval && is_on_time_line(l, event->stream))
		pass_time(l, event);
	if (l->options->stacks)
		look_for_stack(l, event);
	if (!event->known) {
		l->result.unknown++;
		return 0;
	}
	if (l->options->counts_types)
		return wants(l, event) ? count_type(l, event) : 0;
	err = tw_latency_types__of(&l->types, event->known, event->record.big_endian, &roles);
	if (err)
		l->refusal = l->types.refusal;
	return err || !roles || !wants(l, event) ? err : take_known(l, event, roles);
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

static int make_pair(const struct tw_latency *l, size_t i, struct tw_latency_pair *pair, struct tw_error *error)
{
	const struct tw_latency_options *options = l->options;
	const struct tw_pair *definition = options->pairs[i];
	const size_t of_begun =
		describes(l) ? sizeof(struct tw_latency_begun) : offsetof(struct tw_latency_begun, schema_id);

	if (tw_pair__has_values(definition) && options->n_by == TW_PAIR_KEYS_MAX)
		return tw_error__set(error, -EINVAL, "pair %s can be divided by %d fields at most", definition->name,
				     TW_PAIR_KEYS_MAX - 1);
	tw_budget__init(&pair->budget, options->memory / options->n_pairs);
	tw_pair_figures__init(&pair->figures, definition, options->by, options->n_by, options->linear,
			      &pair->budget.alloc);
	if (options->no_groups)
		pair->figures.n_by = 0;
	pair->pairing =
		tw_pairing__new(definition->events[0].n_keys, of_begun, definition->keeps_first, &pair->budget.alloc);
	if (!pair->pairing || tw_latency_slowest__init(&pair->slowest, options->top) ||
	    (options->stacks && tw_latency_stacks__init(&pair->stacks)))
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
		err = make_pair(l, l->types.n_pairs, &l->types.pairs[l->types.n_pairs], error);
	return err;
}

int tw_latency__new(const struct tw_latency_options *options, struct tw_latency **ret, struct tw_error *error)
{
	struct tw_latency *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return tw_error__set(error, -ENOMEM, "no memory for %zu pairs", options->n_pairs);
	l->options = options;
	l->types.skips_invalid = options->skips_invalid;
	l->last = (struct tw_hash_table){ .key_size = sizeof(struct cpu_key),
					  .value_size = sizeof(struct last_event),
					  .max = STACK_CPUS_MAX };
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
	tw_latency_slowest__fini(&pair->slowest);
	tw_latency_stacks__fini(&pair->stacks);
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
	tw_hash_table__fini(&l->last);
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

	if (l->options->counts_types)
		return 0;
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
		if (stats.begun && l->options->stacks && !l->n_stacks)
			return tw_error__set(error, -EINVAL,
					     "%s has no kernel stacks: record it with the option --stacks", l->name);
		if (stats.begun || l->types.pairs[i].n_values)
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

int tw_latency__end(struct tw_latency *l, struct tw_error *error)
{
	int err = judge(l, tw_event_reader__flush(l->reader), 0, error);

	if (!err)
		err = check_pairs(l, error);
	finish(l);
	return err;
}

enum tw_selected tw_latency__selects(const struct tw_latency *l, const char *system, const char *event)
{
	const struct tw_stream *s = tw_streams__first(tw_event_reader__streams(l->reader));
	enum tw_selected selected = TW_SELECTED_UNKNOWN;
	bool is_unknown = false;

	for (; s; s = s->next) {
		if (!tw_event_reader__has_frames(l->reader, s))
			continue;
		selected = tw_identity__selects(&s->identity, system, event);
		if (selected == TW_SELECTED_YES)
			return selected;
		is_unknown |= selected == TW_SELECTED_UNKNOWN;
	}
	return is_unknown ? TW_SELECTED_UNKNOWN : selected;
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
		pair->figures.stats.begun += pair->n_values;
		pair->figures.stats.paired += pair->n_values;
		tw_pair_figures__sort(&pair->figures);
		tw_latency_slowest__sort(&pair->slowest);
		l->shown[i] =
			(struct tw_latency_measured){ pair->figures, &pair->slowest, &pair->stacks, pair->is_invalid };
	}
	if (l->filter)
		tw_capture_filter__stats(l->filter, &l->result.filtered);
	l->result.names = l->names;
	l->result.pairs = l->shown;
	l->result.n_pairs = l->types.n_pairs;
	return &l->result;
}

/* A pair to which the times of open beginnings are added. */
struct passing {
	struct tw_latency *l;
	struct tw_pair_figures *figures;
	int err;
};

static void add_time(void *ctx, const void *extra, uint64_t ns)
{
	struct passing *passing = ctx;
	uint64_t names[TW_PAIR_KEYS_MAX];

	memcpy(names, extra, sizeof(names));
	for (size_t i = 0; i < passing->figures->n_by; i++)
		if (names[i] == TW_PAIR_NO_NAME)
			names[i] = tw_pair_names__add(passing->l->names, "", 0);
	if (tw_pair_figures__add_time(passing->figures, ns, names))
		passing->err = -ENOMEM;
}

int tw_latency__pass(struct tw_latency *l)
{
	struct passing passing = { .l = l };

	for (size_t i = 0; i < l->types.n_pairs; i++) {
		passing.figures = &l->types.pairs[i].figures;
		tw_pairing__pass(l->types.pairs[i].pairing, l->latest, add_time, &passing);
	}
	return passing.err;
}

void tw_latency__clear(struct tw_latency *l)
{
	for (size_t i = 0; i < l->types.n_pairs; i++) {
		struct tw_latency_pair *pair = &l->types.pairs[i];

		tw_pair_figures__clear(&pair->figures);
		pair->n_values = 0;
		tw_latency_slowest__clear(&pair->slowest);
		tw_pairing__stats(pair->pairing, &pair->before);
	}
}
