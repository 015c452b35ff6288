/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one event does: it begins and ends pairs, has a value, is the kernel stack of the event before it, or ends an interval. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "pcap-tools/latency/begun.h"
#include "pcap-tools/latency/impl.h"

/* An event, and what its roles need of it. */
struct player {
	const struct tw_read_event *event;
	struct tw_pair_input input;
	struct tw_pairing_moment moment;
};

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
	return err || !tw_latency__describes(l) ? err : describe(l, pair, &begun, begin.time, player);
}

/* Remembers that the event of @player began a pair. If the next event of the same CPU is a kernel stack, it is given to this pair. */
static void expect_stack(struct tw_latency *l, const struct tw_latency_role *role, const struct player *player,
			 const struct tw_pairing_key *key)
{
	const struct tw_latency_cpu cpu = { player->input.stream, player->input.cpu };
	struct tw_latency_last *last;
	void *value;

	if (tw_hash_table__put(&l->last, &cpu, &value) < 0)
		return;
	last = value;
	last->pid = player->input.pid;
	if (last->n < TW_LATENCY_STACK_PAIRS_MAX)
		last->begun[last->n++] = (struct tw_latency_last_begun){ role->pair, *key };
}

static int begin_pair(struct tw_latency *l, const struct tw_latency_role *role, const struct player *player,
		      const struct tw_pairing_key *key)
{
	struct tw_latency_begun begun;

	memset(begun.names, 0, sizeof(begun.names));
	if (!tw_pair_binding__group(&role->binding, &player->input, role->pair->figures.n_by, l->names, begun.names))
		return -ENOMEM;
	if (tw_latency__describes(l))
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

/* Lets an event play its roles. */
static int take_known(struct tw_latency *l, const struct tw_read_event *event, const struct tw_latency_roles *roles)
{
	const struct tw_identity *id = &event->stream->identity;
	struct player player = {
		.event = event,
		.moment = { .time = tw_identity__ns(id, event->view.time), .losses = event->losses },
	};
	int err = 0;

	l->latest = player.moment.time > l->latest ? player.moment.time : l->latest;
	if (tw_identity__counts(id))
		return tw_error__set(&l->refusal, -EINVAL,
				     "the trace clock '%s' counts events: the capture has no times", id->clock);
	player.input = tw_latency_input__of(event);
	player.input.print = tw_stream__print(event->stream, event->known);
	for (size_t i = 0; i < roles->n && !err; i++) {
		if (tw_latency_role__applies(&roles->roles[i], event, &player.input))
			err = play(l, &roles->roles[i], &player);
	}
	return err;
}

static const char *task_of(const struct tw_latency *l, const struct tw_latency_begun *begun)
{
	return begun->comm == TW_PAIR_NO_NAME ? "<...>" : tw_pair_names__text(l->names, begun->comm);
}

/* Gives a kernel stack to the pairs that the previous event of the same CPU began. */
static void give_stack(const struct tw_latency *l, const struct tw_read_event *event,
		       const struct tw_latency_last *last)
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

		if (begun && begun->event.cpu == event->frame->cpu && begun->event.pid == event->view.pid)
			begun->stack =
				tw_latency_stacks__add(&pair->stacks, task_of(l, begun), buf, tw_line__len(&line));
	}
}

/* If the event is a kernel stack, counts it, and gives it to the pairs that the previous event of the same CPU began. */
static void look_for_stack(struct tw_latency *l, const struct tw_read_event *event)
{
	const struct tw_latency_cpu cpu = { event->stream->id, event->frame->cpu };
	struct tw_latency_last *last = tw_hash_table__find(&l->last, &cpu);
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

	if (time > UINT64_MAX - length) /* no plausible time */
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

int tw_latency__take_event(void *ctx, const struct tw_read_event *event)
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
