/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/time/timing.h"

#include <errno.h>
#include <stdlib.h>

#include "base/time.h"

struct tw_timing {
	const struct tw_timing_options *options;
	struct tw_timing_result result;
	struct tw_latency_types types; /* its pairs are in the order of the options */
	struct tw_order *orders;       /* of these pairs */
	struct tw_timing_pair *pairs;
	struct tw_pair_names *names;
	struct tw_event_reader *reader;
	unsigned int user; /* tw_stream.user[user] is the stream's struct tw_stream_time */
	uint64_t losses;   /* of all streams so far */
};

static int make_pairs(struct tw_timing *t, struct tw_error *error)
{
	const size_t n = t->options->n_pairs, memory = t->options->memory ? t->options->memory : TW_TIMING_MEMORY;
	int err = 0;

	t->types.pairs = calloc(n, sizeof(*t->types.pairs));
	t->orders = calloc(n, sizeof(*t->orders));
	t->pairs = calloc(n, sizeof(*t->pairs));
	t->names = tw_pair_names__new();
	if (!t->types.pairs || !t->orders || !t->pairs || !t->names)
		return tw_error__set(error, -ENOMEM, "no memory for %zu pairs", n);
	for (size_t i = 0; i < n && !err; i++) {
		t->types.pairs[i].figures.pair = t->options->pairs[i];
		tw_order__init(&t->orders[i], &t->types.pairs[i], memory / n);
		t->types.n_pairs++;
		err = tw_latency_pair__parse_conditions(&t->types.pairs[i], error);
	}
	return err;
}

int tw_timing__new(const struct tw_timing_options *options, struct tw_timing **ret, struct tw_error *error)
{
	struct tw_timing *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return tw_error__set(error, -ENOMEM, "no memory to read a capture");
	t->options = options;
	t->types.skips_invalid = !options->needs_pairs;
	err = options->n_pairs ? make_pairs(t, error) : 0;
	if (err)
		tw_timing__free(t);
	else
		*ret = t;
	return err;
}

void tw_timing__free(struct tw_timing *t)
{
	if (!t)
		return;
	tw_latency_types__fini(&t->types);
	for (size_t i = 0; i < t->types.n_pairs; i++) {
		for (size_t k = 0; k < TW_PAIR_EVENTS_MAX; k++)
			tw_filter__free(t->types.pairs[i].conditions[k]);
		tw_order__fini(&t->orders[i]);
	}
	for (uint32_t i = 0; i < t->result.n_streams; i++) {
		tw_stream_time__fini(t->result.streams[i]);
		free(t->result.streams[i]);
	}
	free(t->result.streams);
	tw_event_reader__free(t->reader);
	tw_pair_names__free(t->names);
	free(t->types.pairs);
	free(t->orders);
	free(t->pairs);
	free(t);
}

/* Finds the entry of a stream, or adds it. @ret: NULL beyond TW_TIMING_STREAMS_MAX. Return: 0, -ENOMEM */
static int find_stream(struct tw_timing *t, struct tw_stream *stream, struct tw_stream_time **ret)
{
	struct tw_timing_result *result = &t->result;
	struct tw_stream_time *s = stream->user[t->user];

	*ret = s;
	if (s)
		return 0;
	if (result->n_streams == TW_TIMING_STREAMS_MAX) {
		result->more_streams++;
		return 0;
	}
	if (!result->streams)
		result->streams = calloc(TW_TIMING_STREAMS_MAX, sizeof(*result->streams));
	s = result->streams ? calloc(1, sizeof(*s)) : NULL;
	if (!s)
		return -ENOMEM;
	s->stream = stream;
	s->now.error_min = TW_ERROR_UNKNOWN;
	stream->user[t->user] = *ret = result->streams[result->n_streams++] = s;
	return 0;
}

static int take_record(void *ctx, struct tw_stream *stream, const struct tw_frame_info *frame,
		       const struct tw_tlv_view *tlv)
{
	struct tw_timing *t = ctx;
	struct tw_stream_time *s;
	const int err = find_stream(t, stream, &s);

	(void)frame;
	return err || !s ? err : tw_stream_time__record(s, tlv);
}

static int take_loss(void *ctx, struct tw_stream *stream, uint16_t cpu, const struct tw_lost_view *lost)
{
	struct tw_timing *t = ctx;

	(void)stream;
	(void)cpu;
	(void)lost;
	t->losses++;
	return 0;
}

/* Lets an event take part in the check of one pair. */
static int check_event(struct tw_timing *t, const struct tw_latency_role *role, const struct tw_read_event *event,
		       const struct tw_pair_input *input)
{
	const enum tw_pair_role kind = role->binding.event->role;
	struct tw_order *order = &t->orders[role->pair - t->types.pairs];
	struct tw_pairing_key key;

	if (kind != TW_PAIR_BEGIN && kind != TW_PAIR_END)
		return 0;
	if (!tw_latency_role__applies(role, event, input))
		return 0;
	if (!tw_pair_binding__key(&role->binding, input, t->names, &key)) {
		order->counts.unreadable++;
		return 0;
	}
	key.stream = 0;
	return tw_order__take(order, kind, event, input, &key, t->losses);
}

static int take_event(void *ctx, const struct tw_read_event *event)
{
	struct tw_timing *t = ctx;
	const struct tw_latency_roles *roles;
	struct tw_pair_input input;
	struct tw_stream_time *s;
	int err = find_stream(t, event->stream, &s);

	if (err)
		return err;
	if (s)
		err = tw_stream_time__event(s, event);
	t->result.unknown += !event->known;
	if (err || !event->known || !t->options->n_pairs)
		return err;
	err = tw_latency_types__of(&t->types, event->known, event->record.big_endian, &roles);
	if (err || !roles)
		return err;
	input = tw_latency_input__of(event);
	for (size_t i = 0; i < roles->n && !err; i++)
		err = check_event(t, &roles->roles[i], event, &input);
	return err;
}

/* Whether a stream of the capture has the format of an event. */
static int has_format(struct tw_timing *t, const struct tw_pair_event *event, bool *ret)
{
	*ret = false;
	for (uint32_t i = 0; i < t->result.n_streams && !*ret; i++) {
		const struct tw_stream_schema *schema = t->result.streams[i]->stream->schemas;

		for (; schema && !*ret; schema = schema->next) {
			struct tw_schema *formats = tw_stream_schema__formats(schema);

			if (!formats)
				return -ENOMEM;
			for (size_t f = 0; f < tw_schema__count(formats) && !*ret; f++)
				*ret = tw_pair_binding__is_of(event, tw_schema__at(formats, f));
			tw_schema__free(formats);
		}
	}
	return 0;
}

/* Finds out whether the capture has the events of a pair. */
static int check_pair(struct tw_timing *t, size_t i, const char *name, struct tw_error *error)
{
	const struct tw_pair *pair = t->options->pairs[i];
	bool has_all = true;

	for (size_t k = 0; k < pair->n_events; k++) {
		const struct tw_pair_event *event = &pair->events[k];
		bool has;

		if (has_format(t, event, &has))
			return tw_error__set(error, -ENOMEM, "no memory to look for the events of %s", name);
		has_all &= has;
		if (!has && t->options->needs_pairs)
			return tw_error__set(error, -EINVAL,
					     "%s has no event %s%s%s: record it with the option --event", name,
					     event->system ? event->system : "", event->system ? ":" : "",
					     event->event);
	}
	t->pairs[i] = (struct tw_timing_pair){
		.pair = pair,
		.is_checked = has_all && (t->options->needs_pairs || t->result.n_streams > 1) &&
			      !t->types.pairs[i].is_invalid,
		.order = &t->orders[i],
		.unclear = t->types.pairs[i].figures.unclear,
	};
	return 0;
}

static int finish(struct tw_timing *t, const char *name, struct tw_error *error)
{
	struct tw_timing_result *result = &t->result;
	int err = 0;

	tw_event_reader__finish(t->reader);
	for (uint32_t i = 0; i < result->n_streams; i++) {
		const struct tw_stream_time *s = result->streams[i];
		uint64_t time;

		if (s->has_time && tw_stream_time__packet(s, s->first, &time))
			result->begin = result->begin ? tw_time__earlier(result->begin, time) : time;
	}
	for (size_t i = 0; i < t->options->n_pairs && !err; i++) {
		if (tw_order__finish(&t->orders[i]))
			return tw_error__set(error, -ENOMEM, "no memory to check the order of events in %s", name);
		err = check_pair(t, i, name, error);
	}
	result->pairs = t->pairs;
	result->n_pairs = t->options->n_pairs;
	return err;
}

int tw_timing__read(struct tw_timing *t, int in, const char *name, struct tw_error *error)
{
	static const struct tw_event_reader_ops ops = { .event = take_event, .loss = take_loss, .record = take_record };
	int err = tw_event_reader__new(in, name, &ops, t, &t->result.read, &t->reader, error), more;

	if (err)
		return err;
	t->user = tw_streams__add_user(tw_event_reader__streams(t->reader), &(struct tw_stream_user){ .ctx = t });
	more = tw_event_reader__run(t->reader, &err, error);
	if (*t->types.refusal.text)
		return tw_error__set(error, err == -ENOMEM ? err : -EINVAL, "%s", t->types.refusal.text);
	if (err)
		return tw_error__set(error, err, "no memory to read %s", name);
	if (more && more != -EBADMSG)
		return more;
	err = tw_event_reader__check(t->reader, more ? &(struct tw_error){ "" } : error);
	if (err && !more)
		return err;
	err = finish(t, name, more ? &(struct tw_error){ "" } : error);
	return more ? more : err;
}

const struct tw_timing_result *tw_timing__result(const struct tw_timing *t)
{
	return &t->result;
}
