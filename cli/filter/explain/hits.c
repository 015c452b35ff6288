/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter/explain/hits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filter/evaluate.h"
#include "pcap-tools/merge/merge.h"
#include "stream/streams.h"

struct filter_hits {
	struct tw_sink sink;    /* first: what is handed out */
	struct tw_bound *whole; /* borrowed */
	struct predicate_hits *predicates;
	unsigned int n; /* 0 = they are not counted alone */
	struct tw_streams *streams;
	struct tw_merge *merge;
	int failure; /* of the merge; final */
	uint8_t *slot;
	struct tw_sink_stats stats;
	_Atomic uint64_t from, until;
	_Atomic uint64_t events, matched, lost; /* written by the stream's thread only */
};

/* One thread writes: no locked instruction for each event. */
static void count(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n, memory_order_relaxed);
}

static void add_names(struct tw_filter_event *event, const struct tw_stream *stream)
{
	event->comm = tw_tasks__name(&stream->tasks, (uint32_t)event->pid, event->time, &event->comm_len);
	if (!event->pid) {
		event->comm = "<idle>";
		event->comm_len = strlen(event->comm);
	}
	if (!stream->identity.host_len)
		return;
	event->host = (const char *)stream->identity.host_bytes;
	event->host_len = stream->identity.host_len;
}

static void ask_alone(struct predicate_hits *predicate, const struct tw_filter_event *event)
{
	if (!predicate->bound || !tw_bound__is_certain(predicate->bound, event->id))
		return;
	predicate->asked++;
	predicate->matched += tw_bound__matches(predicate->bound, event);
}

static void take_event(struct filter_hits *hits, const struct tw_stream *stream, const struct tw_merged *out,
		       uint16_t cpu, const struct tw_tlv_view *tlv)
{
	struct tw_filter_event event;
	struct tw_event_view view;

	if (!tw_event__parse(tlv, out->base_time, &view) || out->time < atomic_load(&hits->from) ||
	    out->time >= atomic_load(&hits->until))
		return;
	event = tw_filter_event__of_view(&view, cpu);
	event.time = out->time;
	add_names(&event, stream);
	count(&hits->events, 1);
	if (tw_bound__matches(hits->whole, &event))
		count(&hits->matched, 1);
	for (unsigned int i = 0; i < hits->n; i++)
		ask_alone(&hits->predicates[i], &event);
}

static void take_lost(struct filter_hits *hits, const struct tw_merged *out, const struct tw_tlv_view *tlv)
{
	struct tw_lost_view lost;

	if (tw_lost__parse(tlv, out->base_time, &lost))
		count(&hits->lost, lost.unknown ? 1 : lost.count);
}

/* In the order of time: names of tasks stand before the events that have them. */
static int take_merged(void *ctx, const struct tw_merged *out)
{
	struct filter_hits *hits = ctx;
	struct tw_stream *stream = tw_streams__get(hits->streams, out->stream_id);
	struct tw_cursor unused, tlvs = { .at = out->body, .left = out->body_len };
	struct tw_frame_info info = { 0 };
	enum tw_frame_status status;
	struct tw_tlv_view tlv;

	tw_frame__parse(out->head, sizeof(struct tw_frame_hdr), &info, &unused);
	while (stream && tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		if (tlv.type == TW_TLV_EVENT)
			take_event(hits, stream, out, info.cpu, &tlv);
		else if (tlv.type == TW_TLV_LOST)
			take_lost(hits, out, &tlv);
		else if (tlv.type == TW_TLV_COMM || tlv.type == TW_TLV_HOST)
			tw_stream__update(stream, &info, &tlv);
	}
	return stream ? 0 : -ENOMEM;
}

static void *reserve(struct tw_sink *sink)
{
	return ((struct filter_hits *)sink)->slot;
}

static void commit(struct tw_sink *sink, size_t len)
{
	struct filter_hits *hits = (struct filter_hits *)sink;

	hits->stats.frames++;
	hits->stats.bytes += len;
	if (!hits->failure)
		hits->failure = tw_merge__frame(hits->merge, hits->slot, len, NULL);
}

static int flush(struct tw_sink *sink)
{
	return ((struct filter_hits *)sink)->failure;
}

static void stats(struct tw_sink *sink, struct tw_sink_stats *ret)
{
	*ret = ((struct filter_hits *)sink)->stats;
}

/* The counts outlive the stream. */
static void close_sink(struct tw_sink *sink)
{
	struct filter_hits *hits = (struct filter_hits *)sink;

	if (!hits->failure)
		hits->failure = tw_merge__flush(hits->merge);
}

static const struct tw_sink_ops ops = {
	.reserve = reserve,
	.commit = commit,
	.flush = flush,
	.stats = stats,
	.close = close_sink,
};

/* A comparison's text is an expression of its own. */
static int bind_alone(const struct filter_expression *expression, unsigned int i, struct tw_bound **ret,
		      struct tw_error *err)
{
	char text[TW_FILTER_TEXT_MAX + 1];
	struct tw_filter *filter;
	size_t len;
	const char *begin = tw_filter__predicate(expression->filter, i, &len);
	int error;

	memcpy(text, begin, len);
	text[len] = '\0';
	error = tw_filter__parse(text, &filter, err);
	if (error)
		return error;
	error = tw_filter__bind(filter, &expression->bound->options, ret, err);
	tw_filter__free(filter);
	return error ? error : tw_bound__prepare(*ret, err);
}

static int bind_each(struct filter_hits *hits, const struct filter_expression *expression, struct tw_error *err)
{
	int error = 0;

	hits->n = tw_filter__predicates(expression->filter);
	hits->predicates = calloc(hits->n, sizeof(*hits->predicates));
	if (!hits->predicates)
		return tw_error__set(err, -ENOMEM, "out of memory");
	for (unsigned int i = 0; i < hits->n && !error; i++)
		error = bind_alone(expression, i, &hits->predicates[i].bound, err);
	return error;
}

static int init(struct filter_hits *hits, const struct filter_expression *expression, bool each, struct tw_error *err)
{
	const struct tw_merge_options options = { .from_start = true, .emit = take_merged, .ctx = hits };
	int error = tw_merge__new(&options, &hits->merge, err);

	if (error)
		return error;
	hits->sink = (struct tw_sink){ .ops = &ops, .frame_max = TW_FRAME_MAX, .how = "counted" };
	hits->whole = expression->bound;
	atomic_store(&hits->from, UINT64_MAX);
	atomic_store(&hits->until, UINT64_MAX);
	hits->streams = tw_streams__new(NULL);
	hits->slot = aligned_alloc(64, (TW_FRAME_MAX + TW_COPY_STEP + 63) & ~63u);
	if (!hits->streams || !hits->slot)
		return tw_error__set(err, -ENOMEM, "out of memory");
	error = tw_bound__prepare(hits->whole, err);
	return error || !each ? error : bind_each(hits, expression, err);
}

int filter_hits__new(const struct filter_expression *expression, bool each, struct filter_hits **ret,
		     struct tw_error *err)
{
	struct filter_hits *hits = calloc(1, sizeof(*hits));
	int error;

	if (!hits)
		return tw_error__set(err, -ENOMEM, "out of memory");
	error = init(hits, expression, each, err);
	if (error)
		filter_hits__free(hits);
	else
		*ret = hits;
	return error;
}

void filter_hits__free(struct filter_hits *hits)
{
	if (!hits)
		return;
	for (unsigned int i = 0; i < hits->n && hits->predicates; i++)
		tw_bound__free(hits->predicates[i].bound);
	free(hits->predicates);
	tw_merge__free(hits->merge);
	tw_streams__free(hits->streams);
	free(hits->slot);
	free(hits);
}

struct tw_sink *filter_hits__sink(struct filter_hits *hits)
{
	return &hits->sink;
}

void filter_hits__set_window(struct filter_hits *hits, uint64_t from, uint64_t until)
{
	atomic_store(&hits->until, until);
	atomic_store(&hits->from, from);
}

struct filter_hits_counts filter_hits__counts(const struct filter_hits *hits)
{
	return (struct filter_hits_counts){
		.events = atomic_load_explicit(&hits->events, memory_order_relaxed),
		.matched = atomic_load_explicit(&hits->matched, memory_order_relaxed),
		.lost = atomic_load_explicit(&hits->lost, memory_order_relaxed),
	};
}

const struct predicate_hits *filter_hits__predicate(const struct filter_hits *hits, unsigned int i)
{
	return &hits->predicates[i];
}
