/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a producer: starts threads, opens sinks, switches tracing on and off, sends the last frames, and adds up the counters. */
#include "producer/producer.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "producer/counter.h"
#include "producer/producer_impl.h"
#include "producer/sockets/sockets.h"

const char *tw_producer__instance(const struct tw_producer *p)
{
	return tw_instance__name(p->instance);
}

void tw_producer__filter_places(struct tw_producer *p, struct tw_filter_places *ret)
{
	tw_filtering__places(&p->filtering, ret);
}

const struct tw_error *tw_producer__filter_note(const struct tw_producer *p)
{
	return &p->filtering.note;
}

const struct tw_filter *tw_producer__filter_left(const struct tw_producer *p)
{
	return p->filtering.later ? p->options->filter : NULL;
}

unsigned int tw_producer__threads(const struct tw_producer *p)
{
	return p->n_readers;
}

char *tw_producer__marker(const struct tw_producer *p, char *buf, size_t size)
{
	return tw_instance__path(tw_producer_tasks__instance(p->tasks), "trace_marker", buf, size);
}

int tw_producer__follow(struct tw_producer *p, struct tw_error *error)
{
	struct tw_trace_mark mark;
	char text[16];
	const int err = tw_instance__read_mark(tw_producer_tasks__instance(p->tasks), &mark);

	if (err == -ENOENT)
		return tw_error__set(
			error, err,
			"--follow cannot find the command: the mark with the command's pid is missing in the trace");
	if (err)
		return tw_error__set(error, err,
				     "--follow cannot find the command: the mark in the trace cannot be read: %s",
				     strerror(-err));
	if (p->sockets && tw_sockets__follow(p->sockets, (uint32_t)mark.pid))
		return tw_error__set(error, -EIO, "--follow cannot select the socket events of the command");
	snprintf(text, sizeof(text), "%d", mark.pid);
	return tw_tracer__follow(p->tracer, text, error);
}

/* Excludes a task from the trace. @pid: in the initial pid namespace. Return: 0 or -errno */
static int leave_out(struct tw_producer *p, pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	tw_own_events__add_pid(&p->filtering.own, pid);
	tw_tracer__leave_out(p->tracer, text);
	return tw_instance__append(p->instance, "set_event_notrace_pid", text, NULL);
}

int tw_producer__ignore(struct tw_producer *p, pid_t pid)
{
	return p->own_pids ? leave_out(p, pid) : -ENOTSUP;
}

void tw_producer__ignore_device(struct tw_producer *p, const char *name)
{
	tw_own_events__add_device(&p->filtering.own, name);
}

void tw_producer__add_phc_of(struct tw_producer *p, const char *interface)
{
	tw_phcs__add_interface(&p->metadata.phcs, interface);
}

/* Excludes the calling thread from the trace by its global pid. */
static void leave_trace(void *ctx)
{
	struct tw_producer *p = ctx;
	struct tw_trace_mark mark;

	pthread_mutex_lock(&p->mark_lock);
	if (!tw_instance__mark(tw_producer_tasks__instance(p->tasks), &mark))
		leave_out(p, mark.pid);
	pthread_mutex_unlock(&p->mark_lock);
}

/* Raises the priority of the calling thread as far as permitted: a reader that waits for a CPU loses events. */
static void raise_priority(void)
{
	const struct sched_param param = { .sched_priority = 1 };

	if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &param))
		setpriority(PRIO_PROCESS, (id_t)gettid(), -20);
}

struct reader_start {
	struct tw_producer *producer;
	struct tw_reader *reader;
};

static void *reader_thread(void *arg)
{
	const struct reader_start start = *(struct reader_start *)arg;

	pthread_setname_np(pthread_self(), "tracewire-read");
	leave_trace(start.producer);
	raise_priority();
	sem_post(&start.producer->marked);
	while (sem_wait(&start.producer->go))
		;
	tw_reader__loop(start.reader);
	return NULL;
}

/* Starts the reader threads one after the other, because each of them finds its global pid through a mark in the same rings. */
static int start_threads(struct tw_producer *p, struct tw_error *error)
{
	for (unsigned int i = 0; i < p->n_readers; i++) {
		struct reader_start start = { p, &p->readers[i] };
		const int err = pthread_create(&p->readers[i].thread, NULL, reader_thread, &start);

		if (err)
			return tw_error__set(error, -err, "a reader thread cannot be started: %s", strerror(err));
		p->readers[i].started = true;
		while (sem_wait(&p->marked))
			;
	}
	return 0;
}

static void let_go(struct tw_producer *p)
{
	for (unsigned int i = 0; i < p->n_readers; i++)
		sem_post(&p->go);
}

static void join_threads(struct tw_producer *p)
{
	const uint64_t one = 1;

	atomic_store(&p->stop, true);
	if (write(p->wake_fd, &one, sizeof(one)) < 0)
		p->readers[0].err = -errno;
	for (unsigned int i = 0; i < p->n_readers; i++) {
		if (!p->readers[i].started)
			continue;
		pthread_join(p->readers[i].thread, NULL);
		p->readers[i].started = false;
	}
}

static int open_sinks(struct tw_producer *p, struct tw_error *error)
{
	for (unsigned int i = 0; i < p->n_readers; i++) {
		struct tw_sink *sink;
		const int err = p->options->open_sink(p->options->ctx, i, &sink, error);

		if (err)
			return err;
		tw_frame_writer__init(&p->readers[i].writer, sink, &p->stream, p->options->events_per_frame);
		p->readers[i].writer.deadline = p->options->deadline;
	}
	return 0;
}

static void close_sinks(struct tw_producer *p)
{
	for (unsigned int i = 0; i < p->n_readers; i++) {
		struct tw_reader *r = &p->readers[i];

		if (!r->writer.sink)
			continue;
		tw_sink__give_up(r->writer.sink);
		tw_reader__ask_sink(r);
		tw_sink__close(r->writer.sink);
		r->writer.sink = NULL;
	}
}

static void take_request(void *ctx, uint16_t what)
{
	struct tw_producer *p = ctx;

	tw_request_limiter__add(p->metadata.requests, what);
}

static void take_refusal(void *ctx, uint16_t why)
{
	const struct tw_producer *p = ctx;

	if (p->options->refused)
		p->options->refused(p->options->ctx, why);
}

static uint64_t stream_now(void *ctx)
{
	const struct tw_producer *p = ctx;

	return tw_trace_clock__now(&p->clock);
}

static bool stamps_by_cards(void *ctx)
{
	const struct tw_producer *p = ctx;

	return atomic_load_explicit(&p->metadata.card_stamps, memory_order_relaxed);
}

/*
 * Starts the thread that answers requests. The thread does not have the readers' priority, so requests take little CPU time from the
 * readers.
 */
static int start_answers(struct tw_producer *p, struct tw_error *error)
{
	struct tw_time_sync_responder_options options = {
		.cards = &p->cards,
		.stream_id = p->stream.id,
		.now = stream_now,
		/* the time of a clock without a clockid_t is only estimated, from CLOCK_MONOTONIC */
		.slack = p->clock.id < 0 ? p->clock.slack : 0,
		.stamp_by_cards = stamps_by_cards,
		.begin = leave_trace,
		.wanted = take_request,
		.refused = take_refusal,
		.ctx = p,
	};
	const int err =
		p->options->open_questions ? p->options->open_questions(p->options->ctx, &options.rx, error) : 0;

	if (err || !options.rx)
		return err;
	tw_card_stamps__open(&p->cards);
	return tw_time_sync_responder__start(&options, &p->responder, error);
}

static void end_answers(struct tw_producer *p)
{
	tw_time_sync_responder__stop(p->responder, &p->questions);
	p->responder = NULL;
	tw_card_stamps__close(&p->cards);
}

static void send_stats(void *ctx, struct tw_control_channel *control)
{
	const struct tw_producer *p = ctx;
	struct tw_producer_counters c;

	tw_producer__counters(p, &c);
	const struct tw_stat_view totals[] = {
		{ TW_STAT_RECORDED, TW_CHANNEL_CONTROL, c.recorded },
		{ TW_STAT_READ, TW_CHANNEL_CONTROL, c.read },
		{ TW_STAT_FILTERED, TW_CHANNEL_CONTROL, c.filtered },
		{ TW_STAT_OVERRUN, TW_CHANNEL_CONTROL, c.lost_ring },
		{ TW_STAT_SHED, TW_CHANNEL_CONTROL, c.shed },
		{ TW_STAT_SENT_EVENTS, TW_CHANNEL_CONTROL, c.delivered + c.lost_tx },
		{ TW_STAT_SENT_FRAMES, TW_CHANNEL_CONTROL, c.frames },
		{ TW_STAT_SENT_BYTES, TW_CHANNEL_CONTROL, c.bytes },
		{ TW_STAT_TX_DROPS, TW_CHANNEL_CONTROL, c.dropped_frames },
		{ TW_STAT_TX_DROP_EVENTS, TW_CHANNEL_CONTROL, c.lost_tx },
		{ TW_STAT_TX_DROPS_UNSEEN, TW_CHANNEL_CONTROL, c.dropped_unseen },
		{ TW_STAT_UNSURE_RINGS, TW_CHANNEL_CONTROL, c.unsure.rings },
		{ TW_STAT_UNNAMED, TW_CHANNEL_CONTROL, c.unnamed },
		{ TW_STAT_BOOK_READ, TW_CHANNEL_CONTROL, c.bookkeeping_read },
		{ TW_STAT_BOOK_LOST, TW_CHANNEL_CONTROL, c.bookkeeping_lost },
	};

	tw_control_channel__stats(control, totals, sizeof(totals) / sizeof(totals[0]));
}

/* Sends all metadata before the first event, then watermarks that list every channel. */
static void announce(struct tw_producer *p)
{
	struct tw_reader *first = &p->readers[0];
	uint64_t start;

	tw_control_channel__init(&p->metadata.control, &first->writer);
	first->metadata = &p->metadata;
	p->metadata.stats = send_stats;
	p->metadata.stats_ctx = p;
	tw_metadata_sender__start(&p->metadata);
	/* a watermark at this time is valid, because no task name that is sent later has an older time */
	start = p->metadata.control.time - p->clock.slack;
	for (unsigned int i = 0; i < p->n_readers; i++) {
		p->readers[i].read_until = start;
		tw_reader__send_watermark(&p->readers[i], &first->writer, start);
	}
	tw_frame_writer__drain(&first->writer);
}

/*
 * Closes the list of own tasks and interfaces: from now on, the first reader reads the list without a lock. Threads that start later are
 * excluded only through set_event_notrace_pid.
 */
static void leave_out_own_events(struct tw_producer *p)
{
	pthread_mutex_lock(&p->mark_lock);
	p->filtering.own.complete = true;
	pthread_mutex_unlock(&p->mark_lock);
	tw_filtering__leave_out_own(&p->filtering);
}

/* Begins to record the selected socket events that can pass the filter. If the kernel refuses a program, HOST changes. */
static int attach_sockets(struct tw_producer *p, struct tw_error *error)
{
	struct tw_error why;
	size_t programs;
	int err;

	if (!p->sockets)
		return 0;
	programs = tw_sockets__programs(p->sockets);
	err = tw_sockets__attach(p->sockets, tw_producer__socket_events(p), &why);
	if (err)
		err = tw_producer__without_sockets(p, err, &why, error);
	if (!err && programs != tw_sockets__programs(p->sockets)) {
		tw_producer__describe_host(p);
		tw_metadata_sender__send_host(&p->metadata);
	}
	return err;
}

int tw_producer__start(struct tw_producer *p, struct tw_error *error)
{
	int err = open_sinks(p, error);

	if (!err)
		err = start_threads(p, error);
	if (!err)
		err = start_answers(p, error);
	if (!err && !p->options->show_self)
		leave_out_own_events(p);
	/*
	 * The selected events are enabled before the bookkeeping events. During a rename, the kernel calls the probes of task_rename in the
	 * order of enabling, and sets the task's name afterwards. A selected task_rename event is therefore recorded before the bookkeeping
	 * event with the new name. So the selected event is shown with the old name, the name that the kernel's own filters compare.
	 */
	if (!err)
		err = tw_filtering__enable(&p->filtering, error);
	if (!err)
		err = tw_producer_tasks__begin(p->tasks, p->own_pids, error);
	if (!err) {
		announce(p);
		p->started_ns = tw_time__now(CLOCK_MONOTONIC);
		err = tw_instance__write(p->instance, "tracing_on", "1", error);
	}
	if (!err)
		err = attach_sockets(p, error);
	if (err) {
		tw_instance__write(p->instance, "tracing_on", "0", NULL);
		atomic_store(&p->stop, true);
		let_go(p);
		join_threads(p);
		end_answers(p);
		close_sinks(p);
		return err;
	}
	p->running = true;
	let_go(p);
	return 0;
}

int tw_producer__broken(const struct tw_producer *p)
{
	for (unsigned int i = 0; i < p->n_readers; i++)
		if (p->readers[i].err)
			return p->readers[i].err;
	return 0;
}

/* Returns the earliest read_until of all readers. It grows only if every reader continues its rounds. */
uint64_t tw_producer__progress(const struct tw_producer *p)
{
	uint64_t least = UINT64_MAX;

	for (unsigned int i = 0; i < p->n_readers; i++)
		least = tw_time__earlier(least, atomic_load_explicit(&p->readers[i].read_until, memory_order_relaxed));
	return least;
}

/*
 * Sends the remaining frames of a reader. All sinks have the same receiver: if one writer has waited without success, the others do not
 * wait.
 */
static void drain_writer(struct tw_producer *p, struct tw_reader *r)
{
	const int err = tw_frame_writer__drain(&r->writer);

	if (err == -EAGAIN)
		p->blocked_by = r->writer.sink->blocked_by;
	for (unsigned int i = 0; err == -EAGAIN && i < p->n_readers; i++)
		tw_frame_writer__stop_waiting(&p->readers[i].writer);
	if (err && !r->err)
		r->err = err == -EAGAIN ? -ETIMEDOUT : err;
}

/*
 * Pauses before each sending of END. Where frames may get lost, END is sent several times, so that one arrives even after a burst of
 * losses.
 */
static const unsigned int end_pauses_ms[] = { 0, 5, 10, 20, 40 };
#define END_TIMES (sizeof(end_pauses_ms) / sizeof(end_pauses_ms[0]))

/*
 * Sends the final counters, END, and the next number of each channel, after all events. One frame contains all of these if they fit. Even a
 * sink that has failed gets END once, so that the sink can count the frame.
 */
static void send_end(struct tw_producer *p)
{
	struct tw_reader *first = &p->readers[0];
	const size_t times = p->options->repeat_ms ? END_TIMES : 1;

	tw_frame_writer__begin_last(&first->writer);
	for (size_t i = 0; i < times && (!i || !first->err); i++) {
		uint64_t now;

		nanosleep(&(struct timespec){ .tv_nsec = end_pauses_ms[i] * (long)TW_NS_PER_MS }, NULL);
		for (unsigned int k = 0; k < p->n_readers; k++)
			tw_reader__ask_sink(&p->readers[k]);
		now = tw_trace_clock__now(&p->clock);
		tw_metadata_sender__last(&p->metadata, now);
		for (unsigned int k = 0; k < p->n_readers; k++)
			tw_reader__send_watermark(&p->readers[k], &first->writer, now);
		drain_writer(p, first);
	}
}

/* Sets the event count at which reading of each ring ends, so that the run ends even if events are recorded as fast as they are read. */
static void bound_rings(struct tw_reader *r)
{
	for (size_t i = 0; i < r->n_rings; i++) {
		const int err = tw_trace_ring__bound(&r->rings[i]);

		if (err && !r->err)
			r->err = err;
	}
}

/*
 * Adds the events of a ring to p->recorded. If the kernel's counters cannot be read or differ from the producer's, adds only the events
 * that the producer has counted, and p->recorded is then a lower bound.
 */
static void settle_ring(struct tw_producer *p, struct tw_trace_ring *ring, struct tw_frame_writer *writer)
{
	struct tw_ring_stats stats = { 0 };

	if (!tw_trace_ring__settle(ring, writer, &stats) && tw_trace_ring__fits(ring, &stats)) {
		p->recorded += stats.read + tw_ring_stats__lost(&stats) + stats.entries;
		return;
	}
	p->recorded += ring->read + ring->lost;
	p->unsure.rings++;
	p->unsure.read += ring->read;
	p->unsure.kernel_read += stats.read;
}

/* Reads the kernel's counters, after the rings were read to their end, and writes LOST for losses that were not reported yet. */
static void settle_rings(struct tw_producer *p)
{
	for (unsigned int i = 0; i < p->n_readers; i++)
		for (size_t k = 0; k < p->readers[i].n_rings; k++)
			settle_ring(p, &p->readers[i].rings[k], &p->readers[i].writer);
	p->settled = true;
}

/* Called after the reader threads have ended: reads all rings to their end, and sends the remaining names, the remaining frames and END. */
static void finish(struct tw_producer *p)
{
	struct tw_reader *first = &p->readers[0];
	bool more;

	for (unsigned int i = 0; i < p->n_readers; i++)
		bound_rings(&p->readers[i]);
	do {
		more = false;
		for (unsigned int i = 0; i < p->n_readers; i++)
			more |= tw_reader__finish(&p->readers[i]);
	} while (more);
	settle_rings(p);
	for (unsigned int i = p->n_readers; i-- > 1;) {
		struct tw_reader *r = &p->readers[i];

		tw_reader__send_watermark(r, &r->writer, tw_trace_clock__now(&p->clock));
		drain_writer(p, r);
	}
	tw_metadata_sender__finish(&p->metadata);
	first->control_watermark = UINT64_MAX;
	tw_reader__send_watermark(first, &first->writer, tw_trace_clock__now(&p->clock));
	drain_writer(p, first);
	send_end(p);
}

static bool gave_up(const struct tw_producer *p)
{
	for (unsigned int i = 0; i < p->n_readers; i++)
		if (p->readers[i].writer.given_up)
			return true;
	return false;
}

/* Checks whether all frames were sent. Return: 0, or -errno with the reason in @error */
static int check_sent(const struct tw_producer *p, struct tw_error *error)
{
	const int err = tw_producer__broken(p);

	if (gave_up(p))
		return tw_error__set(
			error, -ETIMEDOUT,
			"sending the last frames took too long%s%s: the frames that were not sent are discarded, and "
			"their events count as lost by the producer",
			p->blocked_by ? ", because " : "", p->blocked_by ? p->blocked_by : "");
	if (err == -ETIMEDOUT)
		return tw_error__set(error, err, "sending stopped early: %s; the last frames are discarded",
				     p->blocked_by ? p->blocked_by : "the output accepted no more data");
	return err ? tw_error__set(error, err, "sending stopped early: %s", strerror(-err)) : 0;
}

static bool is_off(const struct tw_instance *instance)
{
	const int fd = tw_instance__open(instance, "tracing_on", O_RDONLY);
	char on = '1';

	if (fd < 0)
		return false;
	if (read(fd, &on, 1) != 1)
		on = '1';
	close(fd);
	return on == '0';
}

/*
 * Stops the recording of task names before the remaining events are sent. Sending may take long, and the events need no name that is
 * recorded later.
 */
static void stop_names(struct tw_producer *p)
{
	tw_instance__write(tw_producer_tasks__instance(p->tasks), "tracing_on", "0", NULL);
}

int tw_producer__stop(struct tw_producer *p, struct tw_error *error)
{
	int err;

	if (!p->running)
		return 0;
	p->switched_off = is_off(p->instance);
	err = tw_instance__write(p->instance, "tracing_on", "0", NULL);
	if (err)
		tw_error__set(
			error, err,
			"tracing cannot be switched off: the kernel refuses '0' for tracing_on (%s); the events that were "
			"left in the rings when the run ended are counted as lost",
			strerror(-err));
	if (p->sockets)
		tw_sockets__detach(p->sockets);
	p->stopped_ns = tw_time__now(CLOCK_MONOTONIC);
	stop_names(p);
	tw_time_sync_responder__ask_to_stop(p->responder);
	join_threads(p);
	finish(p);
	end_answers(p);
	close_sinks(p);
	p->running = false;
	return err ? err : check_sent(p, error);
}

/* Adds the counters of a reader, whose thread may continue to count. */
static void add_reader(struct tw_reader *r, struct tw_producer_counters *counters)
{
	struct tw_sink_stats sink;

	for (size_t k = 0; k < r->n_rings; k++) {
		counters->read += tw_counter__read(&r->rings[k].read);
		counters->filtered += tw_counter__read(&r->rings[k].filtered);
		counters->given_up += tw_counter__read(&r->rings[k].filter_cpu.given_up);
		counters->lost_ring += tw_counter__read(&r->rings[k].lost);
		counters->shed += tw_counter__read(&r->rings[k].channel.shed);
		counters->late += tw_counter__read(&r->rings[k].late);
	}
	tw_reader__sink_stats(r, &sink);
	counters->frames += sink.frames;
	counters->bytes += sink.bytes;
	counters->dropped_frames += sink.dropped;
	counters->lost_tx += sink.dropped_events;
	if (r->writer.events_per_frame == 1) /* each dropped frame counts as one event, although it may be metadata */
		counters->lost_tx += sink.dropped_unseen;
	else
		counters->dropped_unseen += sink.dropped_unseen;
	counters->delivered += tw_counter__read(&r->writer.events);
	counters->nameless_too_many += tw_counter__read(&r->addresses.forgotten);
}

static double run_seconds(const struct tw_producer *p)
{
	const uint64_t end = p->stopped_ns ? p->stopped_ns : tw_time__now(CLOCK_MONOTONIC);

	return p->started_ns ? (double)(end - p->started_ns) / (double)TW_NS_PER_SECOND : 0;
}

void tw_producer__counters(const struct tw_producer *p, struct tw_producer_counters *ret)
{
	struct tw_producer_counters counters = { .schemas = p->metadata.schemas, .seconds = run_seconds(p) };
	struct tw_producer_tasks_stats tasks;

	for (unsigned int i = 0; i < p->n_readers; i++)
		add_reader(&p->readers[i], &counters);
	if (counters.lost_tx > counters.delivered)
		counters.lost_tx = counters.delivered;
	counters.delivered -= counters.lost_tx;
	tw_producer_tasks__stats(p->tasks, &tasks);
	counters.unfollowed = p->sockets ? tw_sockets__unfollowed(p->sockets) : 0;
	counters.unsampled = p->sockets ? tw_sockets__unsampled(p->sockets) : 0;
	counters.thinned = p->sockets ? tw_sockets__thinned(p->sockets) : 0;
	counters.unnamed = tasks.unnamed;
	counters.bookkeeping_read = tasks.read;
	counters.bookkeeping_lost = tasks.lost;
	counters.bookkeeping_unsure = tasks.unsure;
	counters.questions = p->questions;
	counters.symbols = p->metadata.symbolizer.found;
	counters.nameless = p->metadata.symbolizer.unfound;
	counters.symbols_hidden = p->metadata.symbolizer.blind;
	counters.unsure = p->unsure;
	counters.switched_off = p->switched_off;
	counters.recorded = p->settled ? p->recorded : counters.read + counters.lost_ring;
	counters.balanced = counters.recorded == counters.delivered + counters.lost_ring + counters.filtered +
							 counters.shed + counters.lost_tx;
	*ret = counters;
}
