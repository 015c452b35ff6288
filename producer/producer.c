/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The run: threads and sinks, tracing on, tracing off, everything out. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/time.h"
#include "producer/producer_impl.h"
#include "wire/encode.h"

/* A reader that has to wait for its turn loses events: realtime, or at least first among the others. */
static void raise_priority(void)
{
	const struct sched_param param = { .sched_priority = 1 };

	if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &param))
		setpriority(PRIO_PROCESS, (id_t)gettid(), -20);
}

/* Keep the calling thread out of the trace, by its global pid. */
static void leave_trace(void *ctx)
{
	struct tw_producer *p = ctx;
	struct tw_trace_mark mark;
	char text[16];

	pthread_mutex_lock(&p->mark_lock);
	if (!tw_instance__mark(tw_tasks__instance(p->tasks), &mark)) {
		snprintf(text, sizeof(text), "%d", mark.pid);
		tw_instance__append(p->instance, "set_event_notrace_pid", text, NULL);
		tw_tracer__leave_out(p->tracer, text);
	}
	pthread_mutex_unlock(&p->mark_lock);
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

/* One after the other: each learns its pid from a mark in the same rings. */
static int start_threads(struct tw_producer *p, struct tw_error *err)
{
	for (unsigned int i = 0; i < p->n_readers; i++) {
		struct reader_start start = { p, &p->readers[i] };
		const int rc = pthread_create(&p->readers[i].thread, NULL, reader_thread, &start);

		if (rc)
			return tw_error__set(err, -rc, "a reader thread cannot be started: %s", strerror(rc));
		p->readers[i].started = true;
		while (sem_wait(&p->marked))
			;
	}
	return 0;
}

static void join_threads(struct tw_producer *p)
{
	const uint64_t one = 1;

	atomic_store(&p->stop, true);
	if (write(p->wake_fd, &one, sizeof(one)) < 0)
		p->readers[0].error = -errno;
	for (unsigned int i = 0; i < p->n_readers; i++) {
		if (!p->readers[i].started)
			continue;
		pthread_join(p->readers[i].thread, NULL);
		p->readers[i].started = false;
	}
}

static int open_sinks(struct tw_producer *p, struct tw_error *err)
{
	for (unsigned int i = 0; i < p->n_readers; i++) {
		struct tw_sink *sink;
		const int rc = p->options->open_sink(p->options->ctx, i, &sink, err);

		if (rc)
			return rc;
		tw_frame_writer__init(&p->readers[i].port, sink, &p->stream, p->options->events_per_frame);
		p->readers[i].port.deadline = p->options->deadline;
	}
	return 0;
}

static void hear(void *ctx, uint16_t want)
{
	struct tw_producer *p = ctx;

	tw_request_limiter__add(p->announcer.wants, want);
}

static void hear_refused(void *ctx, uint16_t why)
{
	const struct tw_producer *p = ctx;

	if (p->options->refused)
		p->options->refused(p->options->ctx, why);
}

/* A thread without the readers' priority: whoever asks cannot take their time. */
static int answer_questions(struct tw_producer *p, struct tw_error *err)
{
	struct tw_time_sync_options options = {
		.clock = &p->clock,
		.stream_id = p->stream.id,
		.begin = leave_trace,
		.wanted = hear,
		.refused = hear_refused,
		.ctx = p,
	};
	const int rc = p->options->open_questions ? p->options->open_questions(p->options->ctx, &options.rx, err) : 0;

	return rc || !options.rx ? rc : tw_time_sync__start(&options, &p->exchange, err);
}

static void end_answers(struct tw_producer *p)
{
	tw_time_sync__stop(p->exchange, &p->questions);
	p->exchange = NULL;
}

static void close_sinks(struct tw_producer *p)
{
	for (unsigned int i = 0; i < p->n_readers; i++) {
		struct tw_reader *r = &p->readers[i];

		if (!r->port.sink)
			continue;
		tw_sink__give_up(r->port.sink);
		tw_reader__ask_sink(r);
		tw_sink__close(r->port.sink);
		r->port.sink = NULL;
	}
}

/* The first thing on the wire is all there is to know; then a watermark that names every channel there will be. */
static void announce(struct tw_producer *p)
{
	struct tw_reader *first = &p->readers[0];
	uint64_t start;

	tw_control_channel__init(&p->announcer.control, &first->port);
	first->control = &p->announcer.control.channel;
	first->round = (struct tw_round){
		.before = tw_metadata_sender__before,
		.after = tw_metadata_sender__after,
		.ctx = &p->announcer,
		.fd = tw_request_limiter__fd(p->announcer.wants),
	};
	tw_metadata_sender__start(&p->announcer);
	start = p->announcer.control.time - p->clock.slack; /* names learned later may be that old */
	for (unsigned int i = 0; i < p->n_readers; i++) {
		p->readers[i].proven = start;
		tw_reader__watermark_on(&p->readers[i], &first->port, start);
	}
	tw_frame_writer__drain(&first->port);
}

static void let_go(struct tw_producer *p)
{
	for (unsigned int i = 0; i < p->n_readers; i++)
		sem_post(&p->go);
}

int tw_producer__start(struct tw_producer *p, struct tw_error *err)
{
	int rc = open_sinks(p, err);

	if (!rc)
		rc = start_threads(p, err);
	if (!rc)
		rc = answer_questions(p, err);
	/*
	 * The events before those that tell the names: the kernel calls who is to be told of a rename in this order, and then gives
	 * the task its name. So the rename itself is older than the name, as the kernel's own filters have it too.
	 */
	if (!rc)
		rc = tw_filtering__enable(&p->filtering, &p->selection, p->instance, err);
	if (!rc)
		rc = tw_tasks__begin(p->tasks, p->own_pids, err);
	if (!rc) {
		announce(p);
		p->started_ns = tw_time__now(CLOCK_MONOTONIC);
		rc = tw_instance__write(p->instance, "tracing_on", "1", err);
	}
	if (rc) {
		tw_instance__write(p->instance, "tracing_on", "0", NULL);
		atomic_store(&p->stop, true);
		let_go(p);
		join_threads(p);
		end_answers(p);
		close_sinks(p);
		return rc;
	}
	p->running = true;
	let_go(p);
	return 0;
}

int tw_producer__follow(struct tw_producer *p, struct tw_error *err)
{
	struct tw_trace_mark mark;
	char text[16];
	const int rc = tw_instance__read_mark(tw_tasks__instance(p->tasks), &mark);

	if (rc)
		return tw_error__set(err, rc, "the command to follow left no mark in the trace");
	snprintf(text, sizeof(text), "%d", mark.pid);
	return tw_tracer__follow(p->tracer, text, err);
}

char *tw_producer__marker(const struct tw_producer *p, char *buf, size_t size)
{
	return tw_instance__path(tw_tasks__instance(p->tasks), "trace_marker", buf, size);
}

int tw_producer__ignore(struct tw_producer *p, pid_t pid)
{
	char text[16];

	if (!p->own_pids)
		return -ENOTSUP;
	snprintf(text, sizeof(text), "%d", pid);
	tw_tracer__leave_out(p->tracer, text);
	return tw_instance__append(p->instance, "set_event_notrace_pid", text, NULL);
}

int tw_producer__broken(const struct tw_producer *p)
{
	for (unsigned int i = 0; i < p->n_readers; i++)
		if (p->readers[i].error)
			return p->readers[i].error;
	return 0;
}

/* What all readers have proven: each round of the slowest lets it grow. */
uint64_t tw_producer__progress(const struct tw_producer *p)
{
	uint64_t least = UINT64_MAX;

	for (unsigned int i = 0; i < p->n_readers; i++) {
		const uint64_t proven = atomic_load_explicit(&p->readers[i].proven, memory_order_relaxed);

		least = proven < least ? proven : least;
	}
	return least;
}

/* What has not left by now never will. All threads have one receiver: what one has waited for in vain, no other waits for again. */
static void drain_port(struct tw_producer *p, struct tw_reader *r)
{
	const int rc = tw_frame_writer__drain(&r->port);

	if (rc == -EAGAIN)
		p->held = r->port.sink->blocked_by;
	for (unsigned int i = 0; rc == -EAGAIN && i < p->n_readers; i++)
		tw_frame_writer__stop_waiting(&p->readers[i].port);
	if (rc && !r->error)
		r->error = rc == -EAGAIN ? -ETIMEDOUT : rc;
}

/* Said again where frames may get lost: after a burst of losses one of them arrives. */
static const unsigned int last_pauses_ms[] = { 0, 5, 10, 20, 40 };
#define LAST_TIMES (sizeof(last_pauses_ms) / sizeof(last_pauses_ms[0]))

static void ask_sinks(struct tw_producer *p)
{
	for (unsigned int i = 0; i < p->n_readers; i++)
		tw_reader__ask_sink(&p->readers[i]);
}

/*
 * All is out: the books are closed. One frame says so, with the counters and the last number of every channel. A sink that is broken may
 * still take it, to be counted.
 */
static void say_last(struct tw_producer *p)
{
	struct tw_reader *first = &p->readers[0];
	const size_t times = p->options->repeat_ms ? LAST_TIMES : 1;

	tw_frame_writer__begin_last(&first->port);
	for (size_t i = 0; i < times && (!i || !first->error); i++) {
		uint64_t now;

		nanosleep(&(struct timespec){ .tv_nsec = last_pauses_ms[i] * (long)TW_NS_PER_MS }, NULL);
		ask_sinks(p);
		now = tw_trace_clock__now(&p->clock);
		tw_metadata_sender__last(&p->announcer, now);
		for (unsigned int k = 0; k < p->n_readers; k++)
			tw_reader__watermark_on(&p->readers[k], &first->port, now);
		drain_port(p, first);
	}
}

/* So that the end comes even if somebody writes as fast as we read. */
static void bound_rings(struct tw_reader *r)
{
	for (size_t i = 0; i < r->n_rings; i++) {
		const int rc = tw_trace_ring__bound(&r->rings[i]);

		if (rc && !r->error)
			r->error = rc;
	}
}

/* With the threads gone, this one does their last rounds: all rings to their end, then names, then all out. */
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
	tw_producer__settle(p);
	for (unsigned int i = p->n_readers; i-- > 1;) {
		tw_reader__watermark(&p->readers[i], tw_trace_clock__now(&p->clock));
		drain_port(p, &p->readers[i]);
	}
	tw_metadata_sender__finish(&p->announcer);
	first->closed = UINT64_MAX;
	tw_reader__watermark(first, tw_trace_clock__now(&p->clock));
	drain_port(p, first);
	say_last(p);
}

static bool gave_up(const struct tw_producer *p)
{
	for (unsigned int i = 0; i < p->n_readers; i++)
		if (p->readers[i].port.given_up)
			return true;
	return false;
}

/* Why not all that was to be sent has left. Return: 0 if it has, else @err is filled. */
static int check_sent(const struct tw_producer *p, struct tw_error *err)
{
	const int error = tw_producer__broken(p);

	if (gave_up(p))
		return tw_error__set(
			err, -ETIMEDOUT,
			"sending took longer than the end allowed%s%s: what had not left then was given up, and is "
			"counted as lost by the producer",
			p->held ? ", as " : "", p->held ? p->held : "");
	if (error == -ETIMEDOUT)
		return tw_error__set(err, error, "sending stopped early: %s; the last frames were given up",
				     p->held ? p->held : "the output took nothing more");
	return error ? tw_error__set(err, error, "sending stopped early: %s", strerror(-error)) : 0;
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

int tw_producer__stop(struct tw_producer *p, struct tw_error *err)
{
	int rc;

	if (!p->running)
		return 0;
	p->switched_off = is_off(p->instance);
	rc = tw_instance__write(p->instance, "tracing_on", "0", NULL);
	if (rc)
		tw_error__set(
			err, rc,
			"tracing cannot be switched off: the kernel refuses '0' for tracing_on (%s); the events that were "
			"left in the rings when the run ended are counted as lost",
			strerror(-rc));
	p->stopped_ns = tw_time__now(CLOCK_MONOTONIC);
	/* nothing that is in the rings needs the names to come, and sending what is there may take long */
	tw_instance__write(tw_tasks__instance(p->tasks), "tracing_on", "0", NULL);
	tw_time_sync__ask_to_stop(p->exchange);
	join_threads(p);
	finish(p);
	end_answers(p);
	close_sinks(p);
	p->running = false;
	return rc ? rc : check_sent(p, err);
}
