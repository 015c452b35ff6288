/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter/explain/live.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/standard_files.h"
#include "cli/stop.h"
#include "filter/evaluate.h"
#include "pcap-tools/merge/merge.h"
#include "stream/streams.h"
#include "wire/encode.h"

struct filter_hits {
	struct tw_sink sink;    /* must be first: the operations cast the sink to its struct filter_hits */
	struct tw_bound *whole; /* the expression; borrowed */
	struct predicate_hits *predicates;
	unsigned int n; /* number of @predicates; 0 = comparisons are not counted separately */
	struct tw_streams *streams;
	struct tw_merge *merge;
	int failure; /* first failure of the merge, -errno; 0 = none */
	uint8_t *slot;
	struct tw_sink_stats stats;
	_Atomic uint64_t from, until;
	_Atomic uint64_t events, matched, lost; /* written only by the thread that commits frames */
};

/* Adds @n to a counter. Only one thread writes it, so no locked instruction is needed. */
static void count_event(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n, memory_order_relaxed);
}

static void add_names(struct tw_filter_event *event, const struct tw_stream *stream)
{
	event->comm = tw_stream__task(stream, (uint32_t)event->pid, event->time, &event->comm_len);
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
	count_event(&hits->events, 1);
	if (tw_bound__matches(hits->whole, &event))
		count_event(&hits->matched, 1);
	for (unsigned int i = 0; i < hits->n; i++)
		ask_alone(&hits->predicates[i], &event);
}

static void take_lost(struct filter_hits *hits, const struct tw_merged *out, const struct tw_tlv_view *tlv)
{
	struct tw_lost_view lost;

	if (tw_lost__parse(tlv, out->base_time, &lost))
		count_event(&hits->lost, lost.unknown ? 1 : lost.count);
}

/* Callback of the merge. Frames come in time order, so that names of tasks are known before the events that need them. */
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

/* Ends the merge, but keeps the counts, which are read after the producer has closed its sink. */
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

/* Binds comparison @i alone: its text is an expression, too. */
static int bind_alone(const struct filter_expression *expression, unsigned int i, struct tw_bound **ret,
		      struct tw_error *error)
{
	char text[TW_FILTER_TEXT_MAX + 1];
	struct tw_filter *filter;
	size_t len;
	const char *begin = tw_filter__predicate(expression->filter, i, &len);
	int err;

	memcpy(text, begin, len);
	text[len] = '\0';
	err = tw_filter__parse(text, &filter, error);
	if (err)
		return err;
	err = tw_filter__bind(filter, &expression->bound->options, ret, error);
	tw_filter__free(filter);
	return err ? err : tw_bound__prepare(*ret, error);
}

static int bind_each(struct filter_hits *hits, const struct filter_expression *expression, struct tw_error *error)
{
	int err = 0;

	hits->n = tw_filter__predicates(expression->filter);
	hits->predicates = calloc(hits->n, sizeof(*hits->predicates));
	if (!hits->predicates)
		return tw_error__set(error, -ENOMEM, "out of memory");
	for (unsigned int i = 0; i < hits->n && !err; i++)
		err = bind_alone(expression, i, &hits->predicates[i].bound, error);
	return err;
}

static int init(struct filter_hits *hits, const struct filter_expression *expression, bool each, struct tw_error *error)
{
	const struct tw_merge_options options = { .from_start = true, .emit = take_merged, .ctx = hits };
	int err = tw_merge__new(&options, &hits->merge, error);

	if (err)
		return err;
	hits->sink = (struct tw_sink){ .ops = &ops, .frame_max = TW_FRAME_MAX, .how = "counted" };
	hits->whole = expression->bound;
	atomic_store(&hits->from, UINT64_MAX);
	atomic_store(&hits->until, UINT64_MAX);
	hits->streams = tw_streams__new(NULL);
	hits->slot = aligned_alloc(64, (TW_FRAME_MAX + TW_COPY_STEP + 63) & ~63u);
	if (!hits->streams || !hits->slot)
		return tw_error__set(error, -ENOMEM, "out of memory");
	err = tw_bound__prepare(hits->whole, error);
	return err || !each ? err : bind_each(hits, expression, error);
}

/* Frees it, after its sink was closed; NULL is fine */
static void filter_hits__free(struct filter_hits *hits)
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

/*
 * Makes a sink that counts the events of one producer
 * @expression: borrowed until filter_hits__free()
 * @each: also count each comparison separately
 * Return: 0 or -errno with @error filled.
 */
static int filter_hits__new(const struct filter_expression *expression, bool each, struct filter_hits **ret,
			    struct tw_error *error)
{
	struct filter_hits *hits = calloc(1, sizeof(*hits));
	int err;

	if (!hits)
		return tw_error__set(error, -ENOMEM, "out of memory");
	err = init(hits, expression, each, error);
	if (err)
		filter_hits__free(hits);
	else
		*ret = hits;
	return err;
}

/* Return: the sink for all frames of the stream. Closing it keeps the counts */
static struct tw_sink *filter_hits__sink(struct filter_hits *hits)
{
	return &hits->sink;
}

/* Sets the window: events with @from <= time < @until are counted, ns of the stream's clock. Called by any thread */
static void filter_hits__set_window(struct filter_hits *hits, uint64_t from, uint64_t until)
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

/* A window begins and ends this time after the call that sets it, so that readers know both times before events of these times arrive. */
#define EDGE_NS (50 * TW_NS_PER_MS)
#define TICK_MS 1000

/* One of the two producers: with or without the filter. */
struct side {
	struct tw_producer_options options;
	struct filter_hits *hits;
	struct tw_producer *producer;
};

struct run {
	struct side all, filtered;
	uint64_t from, until; /* the window; ns of CLOCK_MONOTONIC, on which the trace clock mono is based */
	bool own_seen;
};

static int open_sink(void *ctx, unsigned int thread, struct tw_sink **ret, struct tw_error *error)
{
	struct side *side = ctx;

	(void)thread;
	(void)error;
	*ret = filter_hits__sink(side->hits);
	return 0;
}

static int side__open(struct side *side, const struct filter_expression *expression,
		      const struct cli_selection *selection, bool is_filtered, struct tw_error *error)
{
	const int err = filter_hits__new(expression, !is_filtered, &side->hits, error);

	if (err)
		return err;
	side->options = (struct tw_producer_options){
		.events = selection->items,
		.n_events = selection->n,
		.clock = "mono",
		.threads = 1, /* filter_hits has one sink, for one thread */
		.filter = is_filtered ? expression->filter : NULL,
		.later_stage = is_filtered,
		.show_self = true, /* each producer knows only its own threads, but both must record the same events */
		.open_sink = open_sink,
		.ctx = side,
	};
	return tw_producer__new(&side->options, &side->producer, error);
}

/*
 * Excludes all threads of this process from both traces: each producer excludes only its own threads, but both must record the same events.
 */
static void leave_out_threads(struct run *run)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;

	run->own_seen = !dir;
	while (dir && (entry = readdir(dir))) {
		const pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid &&
		    (tw_producer__ignore(run->all.producer, tid) || tw_producer__ignore(run->filtered.producer, tid)))
			run->own_seen = true;
	}
	if (dir)
		closedir(dir);
}

static void set_window(struct run *run)
{
	filter_hits__set_window(run->all.hits, run->from, run->until);
	filter_hits__set_window(run->filtered.hits, run->from, run->until);
}

static void tell_progress(const struct run *run, uint64_t now)
{
	const struct filter_hits_counts counts = filter_hits__counts(run->all.hits);

	if (isatty(STDERR_FILENO) && standard_files__behind() < 0)
		fprintf(stderr, "\r%4" PRIu64 " s  %" PRIu64 " events, %" PRIu64 " match; Ctrl-C ends it ",
			now > run->from ? (uint64_t)((now - run->from) / TW_NS_PER_SECOND) : 0, counts.events,
			counts.matched);
}

/* Waits for TICK_MS or until @until, whichever is earlier. Return: whether a stop was requested. */
static bool wait_a_while(uint64_t now, uint64_t until)
{
	struct pollfd fd = { .fd = stop__fd(), .events = POLLIN };
	const uint64_t left_ms = (until - now) / TW_NS_PER_MS + 1;

	return poll(&fd, 1, left_ms < TICK_MS ? (int)left_ms : TICK_MS) < 0 ? errno != EINTR : fd.revents != 0;
}

static bool is_broken(const struct run *run)
{
	return tw_producer__broken(run->all.producer) || tw_producer__broken(run->filtered.producer);
}

static void sleep_until(uint64_t time)
{
	const struct timespec ts = {
		.tv_sec = (time_t)(time / TW_NS_PER_SECOND),
		.tv_nsec = (long)(time % TW_NS_PER_SECOND),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

/* Sets the window, and waits for its end: after @seconds, or EDGE_NS after a request to stop. */
static void watch(struct run *run, uint64_t seconds)
{
	uint64_t now = tw_time__now(CLOCK_MONOTONIC);

	run->from = now + EDGE_NS;
	run->until = seconds ? run->from + seconds * TW_NS_PER_SECOND : UINT64_MAX;
	set_window(run);
	while (now < run->until && !is_broken(run)) {
		standard_files__push();
		tell_progress(run, now);
		if (wait_a_while(now, run->until)) {
			run->until = tw_time__now(CLOCK_MONOTONIC) + EDGE_NS;
			set_window(run);
			sleep_until(run->until);
			break;
		}
		now = tw_time__now(CLOCK_MONOTONIC);
	}
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

static int start(struct run *run, struct tw_error *error)
{
	int err = tw_producer__start(run->all.producer, error);

	if (!err)
		err = tw_producer__start(run->filtered.producer, error);
	if (!err)
		leave_out_threads(run);
	return err;
}

static int stop(struct run *run, struct tw_error *error)
{
	const int err = tw_producer__stop(run->filtered.producer, error);
	const int other = tw_producer__stop(run->all.producer, err ? NULL : error);

	return err ? err : other;
}

static int count(struct run *run, const struct filter_expression *expression, const struct cli_selection *selection,
		 uint64_t seconds, struct tw_error *error)
{
	int err = stop__catch(error);

	if (!err)
		err = side__open(&run->filtered, expression, selection, true, error);
	if (!err)
		err = side__open(&run->all, expression, selection, false, error);
	if (!err)
		err = start(run, error);
	if (err)
		return err;
	stop__opened();
	watch(run, seconds);
	stop__ending();
	return stop(run, error);
}

int filter_live__run(const struct filter_expression *expression, const struct cli_selection *selection,
		     uint64_t seconds, struct filter_live *ret, struct tw_error *error)
{
	struct run run = { 0 };
	const int err = count(&run, expression, selection, seconds, error);
	struct filter_live live = {
		.seconds = (double)(run.until - run.from) / (double)TW_NS_PER_SECOND,
		.all = run.all.hits,
		.filtered = run.filtered.hits,
		.own_seen = run.own_seen,
	};

	if (!err) {
		tw_producer__counters(run.all.producer, &live.all_counters);
		tw_producer__counters(run.filtered.producer, &live.filtered_counters);
		tw_producer__filter_places(run.filtered.producer, &live.places);
	}
	tw_producer__free(run.filtered.producer);
	tw_producer__free(run.all.producer);
	if (err)
		filter_live__fini(&live);
	else
		*ret = live;
	return err;
}

void filter_live__fini(struct filter_live *live)
{
	filter_hits__free(live->all);
	filter_hits__free(live->filtered);
	*live = (struct filter_live){ 0 };
}
