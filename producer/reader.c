/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/reader.h"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/time.h"
#include "wire/encode.h"

#define BUDGET          (16u << 20) /* limit of bytes read from one ring in one round */
#define EMPTY_ROUNDS    4           /* number of rounds without events before the reader sleeps in poll() */
#define HEARTBEAT_NS    TW_NS_PER_SECOND
#define LONGEST_POLL_NS TW_NS_PER_SECOND
#define NOT_EMPTY_NS \
	(TW_NS_PER_MS / 10) /* while a BPF ring has an event: it may be incomplete, and its task may need this CPU */
#define CHANNELS_MAX 2048
#define AHEAD_NS     (TW_NS_PER_SECOND / 2) /* limit of a watermark's lead over the slowest reader */

/*
 * Return: the time up to which this round has read all rings. This is @now minus the clock's slack, if all rings were read to their end. A
 * ring that was not read to its end limits the result to the time of its next event or, if that is unknown, of the last event read.
 */
static uint64_t round_read_until(const struct tw_reader *r, uint64_t now)
{
	uint64_t time = now > r->clock->slack ? now - r->clock->slack : 0;

	for (size_t i = 0; i < r->n_rings; i++) {
		const struct tw_trace_ring *ring = &r->rings[i];
		const uint64_t reached = ring->holds ? ring->next : ring->last_time;

		if (!ring->empty && reached < time)
			time = reached;
	}
	return time;
}

/*
 * Updates the time of the newest event sent by any reader. send_due_watermark() uses it: a receiver holds this event back until all readers
 * have sent a later watermark.
 */
static void update_newest(struct tw_reader *r)
{
	uint64_t newest = atomic_load(r->newest), mine = 0;

	for (size_t k = 0; k < r->n_rings; k++)
		if (r->rings[k].sent_time > mine)
			mine = r->rings[k].sent_time;
	while (mine > newest && !atomic_compare_exchange_weak(r->newest, &newest, mine))
		;
}

/* Lists the channels of this reader's rings, and the number of the next event of each. Return: number of channels */
static size_t next_numbers(const struct tw_reader *r, uint16_t *channels, uint64_t *next)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_rings && n < CHANNELS_MAX; i++) {
		const struct tw_producer_channel *ch = &r->rings[i].channel;

		/* events in the open frame already have numbers, but next_seq counts them only when the frame ends */
		channels[n] = ch->number;
		next[n++] = ch->next_seq + (r->writer.channel == ch ? r->writer.frame.info.events : 0);
	}
	return n;
}

/*
 * Adds WATERMARK to a frame. The first reader lists the control channel together with its rings. If the control channel's watermark is
 * earlier than @time, the control channel gets a WATERMARK of its own. It is earlier while another reader may still find tasks and
 * addresses, whose names must be sent with a time before @time.
 */
static bool emit_watermark(const struct tw_reader *r, struct tw_frame *frame, uint64_t time)
{
	uint16_t channels[CHANNELS_MAX + 1];
	uint64_t next[CHANNELS_MAX + 1];
	size_t n = next_numbers(r, channels, next);
	const size_t rings = n;
	const struct tw_producer_channel *control;

	if (!r->metadata)
		return tw_watermark__emit(frame, time, channels, next, n);
	control = &r->metadata->control.channel;
	channels[n] = control->number;
	next[n++] = control->next_seq + (r->writer.channel == control);
	if (r->control_watermark >= time)
		return tw_watermark__emit(frame, time, channels, next, n);
	return tw_watermark__emit(frame, time, channels, next, rings) &&
	       tw_watermark__emit(frame, r->control_watermark, channels + rings, next + rings, 1);
}

void tw_reader__send_watermark(struct tw_reader *r, struct tw_frame_writer *writer, uint64_t time)
{
	for (size_t i = 0; i < r->n_rings; i++)
		r->rings[i].sent_watermark = time;
	r->sent_watermark = time;
	r->sent_control_watermark = tw_time__earlier(r->control_watermark, time);
	if (writer->channel && emit_watermark(r, &writer->frame, time))
		return;
	if (tw_frame_writer__begin(writer, &r->rings[0].channel, time))
		emit_watermark(r, &writer->frame, time);
}

uint64_t tw_reader__others_read_until(const struct tw_reader *r)
{
	uint64_t time = UINT64_MAX;

	for (unsigned int i = 0; i < r->n_all; i++) {
		const uint64_t other = atomic_load_explicit(&r->all[i].read_until, memory_order_acquire);

		if (&r->all[i] != r && other < time)
			time = other;
	}
	return time;
}

/* Return: the time before which all threads have read all events and noted their tasks and addresses */
static uint64_t all_read_until(const struct tw_reader *r)
{
	return tw_time__earlier(r->read_until, tw_reader__others_read_until(r));
}

/*
 * Return: the watermark to send. It is at most AHEAD_NS ahead of the slowest other reader, because receivers wait only two seconds for a
 * channel.
 */
static uint64_t next_watermark(const struct tw_reader *r)
{
	const uint64_t others = tw_reader__others_read_until(r);

	return others < UINT64_MAX - AHEAD_NS ? tw_time__earlier(r->read_until, others + AHEAD_NS) : r->read_until;
}

/*
 * Adds a watermark to the open frame. If no frame is open, sends a watermark only if a receiver needs it to release events, or if the last
 * watermark was sent a second ago.
 */
static void send_due_watermark(struct tw_reader *r, uint64_t now)
{
	const bool control = r->metadata && r->sent_control_watermark < r->sent_watermark;
	const uint64_t sent = control ? r->sent_control_watermark : r->sent_watermark;
	const uint64_t time = next_watermark(r);

	if (time <= r->sent_watermark && !(control && r->control_watermark > r->sent_control_watermark))
		return;
	if (!r->writer.channel && atomic_load(r->newest) < sent && now < r->heartbeat)
		return;
	r->heartbeat = now + HEARTBEAT_NS;
	tw_reader__send_watermark(r, &r->writer, tw_time__later(time, r->sent_watermark));
}

static size_t drain_rings(struct tw_reader *r, uint64_t round)
{
	size_t bytes = 0;

	for (size_t i = 0; i < r->n_rings; i++)
		bytes += tw_trace_ring__drain(&r->rings[i], r->page, r->page_size, BUDGET, round, &r->writer, r->tasks);
	if (r->writer.waited >= TW_TRACE_RING_SLOW_NS) {
		r->scheduler.slow = true;
		tw_ring_scheduler__start(&r->scheduler);
	}
	return bytes;
}

/*
 * Whether another reader reads in step. @slow: consider only readers whose own frames had to wait, and not those that only follow such a
 * reader
 */
static bool another_in_step(const struct tw_reader *r, bool slow)
{
	for (unsigned int i = 0; i < r->n_all; i++)
		if (&r->all[i] != r && (slow ? r->all[i].scheduler.slow : r->all[i].scheduler.on))
			return true;
	return false;
}

static size_t read_rings(struct tw_reader *r, uint64_t round)
{
	size_t bytes;

	r->writer.waited = 0;
	/*
	 * Reads in step if the frames of another reader had to wait: all readers have the same receiver, and this reader would get far
	 * ahead. A reader that only follows in this way makes no other reader follow.
	 */
	if (another_in_step(r, true))
		tw_ring_scheduler__start(&r->scheduler);
	bytes = r->scheduler.on ? tw_ring_scheduler__round(r) : drain_rings(r, round);
	for (size_t i = 0; i < r->n_rings; i++)
		if (r->rings[i].err)
			r->err = r->rings[i].err;
	return bytes;
}

/*
 * Return: the time for control records, which puts them among the events that are sent in this round. If the rings are read in step, these
 * events may be some seconds old: control frames with the current time would make a receiver stop waiting for the events.
 */
static uint64_t control_time(const struct tw_reader *r, uint64_t now)
{
	return r->scheduler.on || another_in_step(r, false) ? tw_time__earlier(now, all_read_until(r)) : now;
}

void tw_reader__ask_sink(struct tw_reader *r)
{
	struct tw_sink_stats stats;

	tw_sink__stats(r->writer.sink, &stats);
	pthread_mutex_lock(&r->stats_lock);
	r->sink_stats = stats;
	pthread_mutex_unlock(&r->stats_lock);
}

void tw_reader__sink_stats(struct tw_reader *r, struct tw_sink_stats *ret)
{
	pthread_mutex_lock(&r->stats_lock);
	*ret = r->sink_stats;
	pthread_mutex_unlock(&r->stats_lock);
}

/* Runs one round. @ret_patience: longest pause before the next round, ns. Return: bytes of events read */
static size_t run_round(struct tw_reader *r, uint64_t *ret_patience)
{
	const uint64_t now = tw_trace_clock__now(r->clock);
	uint64_t read_until;
	size_t bytes;

	*ret_patience = LONGEST_POLL_NS;
	if (r->metadata)
		tw_metadata_sender__before(r->metadata, control_time(r, now));
	bytes = read_rings(r, now);
	if (bytes)
		update_newest(r);
	read_until = round_read_until(r, now);
	if (read_until > r->read_until)
		atomic_store_explicit(&r->read_until, read_until, memory_order_release);
	if (r->metadata) {
		uint64_t watermark = all_read_until(r);

		*ret_patience = tw_metadata_sender__after(r->metadata, control_time(r, now), &watermark);
		r->control_watermark = watermark;
	}
	send_due_watermark(r, now);
	tw_frame_writer__flush(&r->writer);
	if (now >= r->next_stats) {
		tw_reader__ask_sink(r);
		r->next_stats = now + TW_NS_PER_SECOND;
	}
	if (r->writer.err)
		r->err = r->writer.err;
	return bytes;
}

/*
 * Return: the pause before the next round, ns. The pause is max_pause if two sub-buffers fill during max_pause, and shorter at lower rates.
 * At most a quarter of a ring fills during the pause. There is no pause after a round that read more than a quarter of a ring, or that took
 * longer than max_pause, because the rings have filled during the round.
 */
static uint64_t choose_pause(struct tw_reader *r, size_t bytes, uint64_t elapsed_ns, uint64_t round_ns)
{
	const uint64_t rate = bytes * TW_NS_PER_MS / (elapsed_ns ? elapsed_ns : 1);
	const uint64_t worth = 2 * r->page_size;
	uint64_t fill, pause, quarter, burst;

	r->bytes_per_ms = (r->bytes_per_ms * 3 + rate) / 4;
	burst = rate > r->bytes_per_ms ? rate : r->bytes_per_ms;
	fill = r->bytes_per_ms * r->max_pause / TW_NS_PER_MS;
	pause = r->min_pause + (r->max_pause - r->min_pause) * (fill < worth ? fill : worth) / worth;
	quarter = r->ring_size / 4 * TW_NS_PER_MS / (burst ? burst : 1);
	if (bytes > r->ring_size / 4 || round_ns > r->max_pause)
		return 0;
	return pause < quarter ? pause : quarter;
}

/* Makes the next event of a BPF ring wake this thread. A trace ring needs no such request. Return: false if a BPF ring has events */
static bool begin_wait(struct tw_reader *r)
{
	bool waits = true;

	for (size_t i = 0; i < r->n_rings; i++)
		if (r->rings[i].bpf)
			waits &= tw_bpf_ring__begin_wait(r->rings[i].bpf);
	return waits;
}

static void end_wait(struct tw_reader *r)
{
	for (size_t i = 0; i < r->n_rings; i++)
		if (r->rings[i].bpf)
			tw_bpf_ring__end_wait(r->rings[i].bpf);
}

/*
 * Sleeps for at most @ns. Ends earlier if stop is set, metadata is requested, or a clock was set; with @for_events, also if a ring has
 * events.
 */
static void wait_for(struct tw_reader *r, uint64_t ns, bool for_events)
{
	struct timespec ts;
	const int request_fd = r->metadata ? tw_request_limiter__fd(r->metadata->requests) : -1;
	const int step_fd = r->metadata ? tw_step_watch__fd(&r->metadata->step_watch) : -1;
	struct pollfd fds[CHANNELS_MAX + 3], *request;
	uint64_t times;
	nfds_t n = 0;
	int ready;

	if (for_events && !begin_wait(r))
		ns = tw_time__earlier(ns, NOT_EMPTY_NS);
	ts = (struct timespec){ .tv_sec = (time_t)(ns / TW_NS_PER_SECOND), .tv_nsec = (long)(ns % TW_NS_PER_SECOND) };
	for (; for_events && n < r->n_rings && n < CHANNELS_MAX; n++)
		fds[n] = (struct pollfd){ .fd = r->rings[n].no_poll ? -1 : r->rings[n].fd, .events = POLLIN };
	request = &fds[n];
	*request = (struct pollfd){ .fd = request_fd, .events = POLLIN };
	fds[n + 1] = (struct pollfd){ .fd = r->wake_fd, .events = POLLIN };
	fds[n + 2] = (struct pollfd){ .fd = step_fd, .events = POLLIN }; /* the next round takes the step */
	ready = ppoll(fds, n + 3, &ts, NULL);
	if (for_events)
		end_wait(r);
	if (ready <= 0)
		return;
	for (size_t i = 0; i < n; i++)
		r->rings[i].no_poll |= !!(fds[i].revents & POLLERR); /* the CPU was never online and has no ring yet */
	if (request->revents && read(request->fd, &times, sizeof(times)) < 0)
		return; /* the eventfd has no count to reset; the next round begins in any case */
}

void tw_reader__loop(struct tw_reader *r)
{
	uint64_t last = tw_time__now(CLOCK_MONOTONIC);

	while (!atomic_load_explicit(r->stop, memory_order_relaxed) && !r->err) {
		const uint64_t begun = tw_time__now(CLOCK_MONOTONIC);
		uint64_t patience, pause;
		const size_t bytes = run_round(r, &patience);
		const uint64_t now = tw_time__now(CLOCK_MONOTONIC);

		pause = choose_pause(r, bytes, now - last, now - begun);
		if (r->scheduler.on)
			pause = bytes ? 0 : r->min_pause; /* no events: wait for the readers that are further behind */
		last = now;
		r->empty_rounds = bytes || r->scheduler.on ? 0 : r->empty_rounds + 1;
		if (r->empty_rounds >= EMPTY_ROUNDS)
			wait_for(r, r->n_all == 1 ? patience : tw_time__earlier(patience, r->max_pause), true);
		else if (pause)
			wait_for(r, tw_time__earlier(pause, patience), false);
	}
}

/*
 * If any reader reads in step, runs a complete round, which also sends this reader's watermark. The receiver waits for this watermark. In
 * the first reader, the round also sends the metadata that are due.
 */
bool tw_reader__finish(struct tw_reader *r)
{
	uint64_t patience;

	if (r->scheduler.on || another_in_step(r, false)) {
		run_round(r, &patience);
		return true;
	}
	return read_rings(r, UINT64_MAX) || r->scheduler.on;
}

void tw_reader__fini(struct tw_reader *r)
{
	tw_seen_addresses__fini(&r->addresses);
	pthread_mutex_destroy(&r->stats_lock);
	free(r->page);
}
