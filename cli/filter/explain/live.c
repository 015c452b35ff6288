/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter/explain/live.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdatomic.h>
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
#include "transport/sink.h"
#include "wire/encode.h"

/* One of the two producers, with or without the filter, and the sink that counts its events. */
struct live_side {
	struct tw_sink sink; /* must be first: the operations cast the sink to its struct live_side */
	struct tw_producer_options options;
	struct tw_producer *producer;
	struct tw_bound *whole; /* the expression; borrowed */
	struct predicate_hits *predicates;
	unsigned int n; /* number of @predicates; 0 = the matches of each comparison are not counted */
	struct tw_streams *streams;
	struct tw_merge *merge;
	int failure; /* first failure of the merge, -errno; 0 = none */
	uint8_t *slot;
	struct tw_sink_stats stats;
	/* The window: events with from <= time < until are counted; ns, by the stream's clock. */
	_Atomic uint64_t from, until;
	_Atomic uint64_t events, matched, lost; /* written only by the thread that commits frames */
};

/* Adds @n to a counter. Only one thread writes the counter, so no locked instruction is needed. */
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
	if (!tw_bound__is_certain(predicate->bound, event->id))
		return;
	predicate->asked++;
	predicate->matched += tw_bound__matches(predicate->bound, event);
}

static void take_event(struct live_side *side, const struct tw_stream *stream, const struct tw_merged *out,
		       uint16_t cpu, const struct tw_tlv_view *tlv)
{
	struct tw_filter_event event;
	struct tw_event_view view;

	if (!tw_event__parse(tlv, out->base_time, &view) || out->time < atomic_load(&side->from) ||
	    out->time >= atomic_load(&side->until))
		return;
	event = tw_filter_event__of_view(&view, cpu);
	event.time = out->time;
	add_names(&event, stream);
	count_event(&side->events, 1);
	if (tw_bound__matches(side->whole, &event))
		count_event(&side->matched, 1);
	for (unsigned int i = 0; i < side->n; i++)
		ask_alone(&side->predicates[i], &event);
}

static void take_lost(struct live_side *side, const struct tw_merged *out, const struct tw_tlv_view *tlv)
{
	struct tw_lost_view lost;

	if (tw_lost__parse(tlv, out->base_time, &lost))
		count_event(&side->lost, lost.unknown ? 1 : lost.count);
}

/* Callback of the merge. The merge passes records in time order, so the names of tasks are known before the events that need them. */
static int take_merged(void *ctx, const struct tw_merged *out)
{
	struct live_side *side = ctx;
	struct tw_stream *stream = tw_streams__get(side->streams, out->stream_id);
	struct tw_cursor unused, tlvs = { .at = out->body, .left = out->body_len };
	struct tw_frame_info info = { 0 };
	enum tw_frame_status status;
	struct tw_tlv_view tlv;

	tw_frame__parse(out->head, sizeof(struct tw_frame_hdr), &info, &unused);
	while (stream && tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		if (tlv.type == TW_TLV_EVENT)
			take_event(side, stream, out, info.cpu, &tlv);
		else if (tlv.type == TW_TLV_LOST)
			take_lost(side, out, &tlv);
		else if (tlv.type == TW_TLV_COMM || tlv.type == TW_TLV_HOST)
			tw_stream__update(stream, &info, &tlv);
	}
	return stream ? 0 : -ENOMEM;
}

static void *reserve(struct tw_sink *sink)
{
	return ((struct live_side *)sink)->slot;
}

static void commit(struct tw_sink *sink, size_t len)
{
	struct live_side *side = (struct live_side *)sink;

	side->stats.frames++;
	side->stats.bytes += len;
	if (!side->failure)
		side->failure = tw_merge__frame(side->merge, side->slot, len, NULL);
}

static int flush(struct tw_sink *sink)
{
	return ((struct live_side *)sink)->failure;
}

static void stats(struct tw_sink *sink, struct tw_sink_stats *ret)
{
	*ret = ((struct live_side *)sink)->stats;
}

/* Called when the producer closes its sink: ends the merge, but keeps the counts, which are read later. */
static void close_sink(struct tw_sink *sink)
{
	struct live_side *side = (struct live_side *)sink;

	if (!side->failure)
		side->failure = tw_merge__flush(side->merge);
}

static const struct tw_sink_ops ops = {
	.reserve = reserve,
	.commit = commit,
	.flush = flush,
	.stats = stats,
	.close = close_sink,
};

/* Binds comparison @i alone, by parsing its text as an expression. */
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

static int bind_each(struct live_side *side, const struct filter_expression *expression, struct tw_error *error)
{
	int err = 0;

	side->n = tw_filter__predicates(expression->filter);
	side->predicates = calloc(side->n, sizeof(*side->predicates));
	if (!side->predicates)
		return tw_error__set(error, -ENOMEM, "out of memory");
	for (unsigned int i = 0; i < side->n && !err; i++)
		err = bind_alone(expression, i, &side->predicates[i].bound, error);
	return err;
}

/* Prepares counting. @each: also count the matches of each comparison alone */
static int init_counters(struct live_side *side, const struct filter_expression *expression, bool each,
			 struct tw_error *error)
{
	const struct tw_merge_options options = { .from_start = true, .emit = take_merged, .ctx = side };
	int err = tw_merge__new(&options, &side->merge, error);

	if (err)
		return err;
	side->sink = (struct tw_sink){ .ops = &ops, .frame_max = TW_FRAME_MAX, .how = "counted" };
	side->whole = expression->bound;
	atomic_store(&side->from, UINT64_MAX);
	atomic_store(&side->until, UINT64_MAX);
	side->streams = tw_streams__new(NULL);
	side->slot = aligned_alloc(64, (TW_FRAME_MAX + TW_COPY_STEP + 63) & ~63u);
	if (!side->streams || !side->slot)
		return tw_error__set(error, -ENOMEM, "out of memory");
	err = tw_bound__prepare(side->whole, error);
	return err || !each ? err : bind_each(side, expression, error);
}

static struct filter_hits hits_of(const struct live_side *side)
{
	return (struct filter_hits){
		.events = atomic_load_explicit(&side->events, memory_order_relaxed),
		.matched = atomic_load_explicit(&side->matched, memory_order_relaxed),
		.lost = atomic_load_explicit(&side->lost, memory_order_relaxed),
	};
}

/* The begin and the end of the window are set EDGE_NS in advance, so that the threads know them before events of that time arrive. */
#define EDGE_NS (50 * TW_NS_PER_MS)
#define TICK_MS 1000

struct live_run {
	struct live_side all, filtered;
	uint64_t from, until; /* the window; ns of CLOCK_MONOTONIC, whose times the trace clock mono has */
	bool own_seen;
};

static int open_sink(void *ctx, unsigned int thread, struct tw_sink **ret, struct tw_error *error)
{
	struct live_side *side = ctx;

	(void)thread;
	(void)error;
	*ret = &side->sink;
	return 0;
}

static int side__open(struct live_side *side, const struct filter_expression *expression,
		      const struct cli_selection *selection, bool is_filtered, struct tw_error *error)
{
	const int err = init_counters(side, expression, !is_filtered, error);

	if (err)
		return err;
	side->options = (struct tw_producer_options){
		.events = selection->items,
		.n_events = selection->n,
		.clock = "mono",
		.threads = 1, /* a side has one sink, for one thread */
		.filter = is_filtered ? expression->filter : NULL,
		.later_stage = is_filtered,
		.show_self = true, /* leave_out_threads() excludes the same threads from both sides */
		.open_sink = open_sink,
		.ctx = side,
	};
	return tw_producer__new(&side->options, &side->producer, error);
}

static void free_predicates(struct predicate_hits *predicates, unsigned int n)
{
	for (unsigned int i = 0; i < n && predicates; i++)
		tw_bound__free(predicates[i].bound);
	free(predicates);
}

static void side__close(struct live_side *side)
{
	free_predicates(side->predicates, side->n);
	tw_merge__free(side->merge);
	tw_streams__free(side->streams);
	free(side->slot);
}

/*
 * Excludes all threads of this process from both traces, because both producers must record the same events. A producer by itself would
 * exclude only its own threads.
 */
static void leave_out_threads(struct live_run *run)
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

static void set_window(struct live_side *side, uint64_t from, uint64_t until)
{
	atomic_store(&side->until, until);
	atomic_store(&side->from, from);
}

static void set_windows(struct live_run *run)
{
	set_window(&run->all, run->from, run->until);
	set_window(&run->filtered, run->from, run->until);
}

static void tell_progress(const struct live_run *run, uint64_t now)
{
	const struct filter_hits counts = hits_of(&run->all);

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

static void sleep_until(uint64_t time)
{
	const struct timespec ts = {
		.tv_sec = (time_t)(time / TW_NS_PER_SECOND),
		.tv_nsec = (long)(time % TW_NS_PER_SECOND),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

/* Sets the window, and waits for its end: after @seconds, or EDGE_NS after a request to stop. Also returns if a producer fails. */
static void watch(struct live_run *run, uint64_t seconds)
{
	uint64_t now = tw_time__now(CLOCK_MONOTONIC);

	run->from = now + EDGE_NS;
	run->until = seconds ? run->from + seconds * TW_NS_PER_SECOND : UINT64_MAX;
	set_windows(run);
	while (now < run->until && !tw_producer__broken(run->all.producer) &&
	       !tw_producer__broken(run->filtered.producer)) {
		standard_files__push();
		tell_progress(run, now);
		if (wait_a_while(now, run->until)) {
			run->until = tw_time__now(CLOCK_MONOTONIC) + EDGE_NS;
			set_windows(run);
			sleep_until(run->until);
			break;
		}
		now = tw_time__now(CLOCK_MONOTONIC);
	}
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

static int stop(struct live_run *run, struct tw_error *error)
{
	const int err = tw_producer__stop(run->filtered.producer, error);
	const int other = tw_producer__stop(run->all.producer, err ? NULL : error);

	return err ? err : other;
}

static int count(struct live_run *run, const struct filter_expression *expression,
		 const struct cli_selection *selection, uint64_t seconds, struct tw_error *error)
{
	int err = stop__catch(error);

	if (!err)
		err = side__open(&run->filtered, expression, selection, true, error);
	if (!err)
		err = side__open(&run->all, expression, selection, false, error);
	if (!err)
		err = tw_producer__start(run->all.producer, error);
	if (!err)
		err = tw_producer__start(run->filtered.producer, error);
	if (err)
		return err;
	leave_out_threads(run);
	stop__opened();
	watch(run, seconds);
	stop__ending();
	return stop(run, error);
}

/* Copies the counts to @ret. Called after the producers have closed their sinks, so the counts are final. */
static void read_counts(struct live_run *run, struct filter_live *ret)
{
	ret->seconds = (double)(run->until - run->from) / (double)TW_NS_PER_SECOND;
	ret->all = hits_of(&run->all);
	ret->filtered = hits_of(&run->filtered);
	ret->own_seen = run->own_seen;
	ret->predicates = run->all.predicates;
	ret->n = run->all.n;
	run->all.predicates = NULL;
}

int filter_live__run(const struct filter_expression *expression, const struct cli_selection *selection,
		     uint64_t seconds, struct filter_live *ret, struct tw_error *error)
{
	struct live_run run = { 0 };
	const int err = count(&run, expression, selection, seconds, error);

	if (!err) {
		tw_producer__counters(run.filtered.producer, &ret->counters);
		tw_producer__filter_places(run.filtered.producer, &ret->places);
	}
	tw_producer__free(run.filtered.producer);
	tw_producer__free(run.all.producer);
	if (!err)
		read_counts(&run, ret);
	side__close(&run.all);
	side__close(&run.filtered);
	return err;
}

void filter_live__fini(struct filter_live *live)
{
	free_predicates(live->predicates, live->n);
	*live = (struct filter_live){ 0 };
}
