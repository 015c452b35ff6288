/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/reader.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/time.h"
#include "producer/subbuf.h"
#include "wire/encode.h"

#define BUDGET          (16u << 20) /* bytes read from one ring before the others have their turn */
#define EMPTY_ROUNDS    4           /* then wait for the kernel instead of looking */
#define HEARTBEAT_NS    TW_NS_PER_SECOND
#define LONGEST_POLL_NS TW_NS_PER_SECOND
#define CHANNELS_MAX    1024
#define AHEAD_NS        (TW_NS_PER_SECOND / 2) /* receivers wait for no channel that is further behind than some of that */

/* What this round's reads prove: T, or for a ring that was not read to its end its last event, or the next if it is at hand. */
static uint64_t proven_time(const struct tw_reader *r, uint64_t now)
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

/* Of all readers: what one has sent is held back by a receiver until the others have told their watermarks too. */
static void renew_newest(struct tw_reader *r)
{
	uint64_t newest = atomic_load(r->newest), mine = 0;

	for (size_t k = 0; k < r->n_rings; k++)
		if (r->rings[k].sent_time > mine)
			mine = r->rings[k].sent_time;
	while (mine > newest && !atomic_compare_exchange_weak(r->newest, &newest, mine))
		;
}

/* The rings of this thread with the number that the next event of each gets. Return: how many. */
static size_t next_numbers(const struct tw_reader *r, uint16_t *channels, uint64_t *next)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_rings && n < CHANNELS_MAX; i++) {
		const struct tw_producer_channel *ch = &r->rings[i].channel;

		/* events in the frame being filled have their numbers though the channel counts them at its end */
		channels[n] = ch->number;
		next[n++] = ch->next_seq + (r->port.channel == ch ? r->port.frame.info.events : 0);
	}
	return n;
}

/*
 * The control channel is listed with the thread's rings. It has a record of its own while another thread may still meet tasks
 * and addresses whose names have to be placed before this one's time.
 */
static bool emit_watermark(const struct tw_reader *r, struct tw_frame *frame, uint64_t time)
{
	uint16_t channels[CHANNELS_MAX + 1];
	uint64_t next[CHANNELS_MAX + 1];
	size_t n = next_numbers(r, channels, next);
	const size_t rings = n;

	if (!r->control)
		return tw_watermark__emit(frame, time, channels, next, n);
	channels[n] = r->control->number;
	next[n++] = r->control->next_seq + (r->port.channel == r->control);
	if (r->closed >= time)
		return tw_watermark__emit(frame, time, channels, next, n);
	return tw_watermark__emit(frame, time, channels, next, rings) &&
	       tw_watermark__emit(frame, r->closed, channels + rings, next + rings, 1);
}

void tw_reader__watermark_on(struct tw_reader *r, struct tw_frame_writer *port, uint64_t time)
{
	for (size_t i = 0; i < r->n_rings; i++)
		r->rings[i].watermark = time;
	r->watermark = time;
	r->told_control = r->closed < time ? r->closed : time;
	if (port->channel && emit_watermark(r, &port->frame, time))
		return;
	if (tw_frame_writer__begin(port, &r->rings[0].channel, time))
		emit_watermark(r, &port->frame, time);
}

void tw_reader__watermark(struct tw_reader *r, uint64_t time)
{
	tw_reader__watermark_on(r, &r->port, time);
}

uint64_t tw_reader__proven_by_others(const struct tw_reader *r)
{
	uint64_t time = UINT64_MAX;

	for (unsigned int i = 0; i < r->n_all; i++) {
		const uint64_t other = atomic_load_explicit(&r->all[i].proven, memory_order_acquire);

		if (&r->all[i] != r && other < time)
			time = other;
	}
	return time;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What all threads have proven: what they met before that has been noted. */
static uint64_t proven_by_all(const struct tw_reader *r)
{
	return earlier(r->proven, tw_reader__proven_by_others(r));
}

/* What is told of it: where the others are far behind, a receiver would wait for them no longer. */
static uint64_t to_be_told(const struct tw_reader *r)
{
	const uint64_t others = tw_reader__proven_by_others(r);

	return others < UINT64_MAX - AHEAD_NS ? earlier(r->proven, others + AHEAD_NS) : r->proven;
}

/* It rides on the last frame of the round; alone it goes only if something would else be held back, or now and then. */
static void tell_watermark(struct tw_reader *r, uint64_t now)
{
	const bool control = r->control && r->told_control < r->watermark;
	const uint64_t told = control ? r->told_control : r->watermark;
	const uint64_t time = to_be_told(r);

	if (time <= r->watermark && !(control && r->closed > r->told_control))
		return;
	if (!r->port.channel && atomic_load(r->newest) < told && now < r->heartbeat)
		return;
	r->heartbeat = now + HEARTBEAT_NS;
	tw_reader__watermark(r, time > r->watermark ? time : r->watermark);
}

static size_t drain_rings(struct tw_reader *r, uint64_t round)
{
	size_t bytes = 0;

	for (size_t i = 0; i < r->n_rings; i++)
		bytes += tw_trace_ring__drain(&r->rings[i], r->page, r->page_size, BUDGET, round, &r->port, r->tasks);
	if (r->port.waited >= TW_TRACE_RING_SLOW_NS) {
		r->pace.slow = true;
		tw_ring_scheduler__start(&r->pace);
	}
	return bytes;
}

/* Whether any of the other readers waits for room itself, or reads in step, as one that goes along does too. */
struct others {
	bool slow, in_step;
};

static struct others look_at_others(const struct tw_reader *r)
{
	struct others others = { false, false };

	for (unsigned int i = 0; i < r->n_all; i++) {
		if (&r->all[i] == r)
			continue;
		others.slow |= r->all[i].pace.slow;
		others.in_step |= r->all[i].pace.on;
	}
	return others;
}

static size_t read_rings(struct tw_reader *r, uint64_t round)
{
	size_t bytes;

	r->port.waited = 0;
	/* They have one receiver: a reader that need not wait would be far ahead. One that goes along takes nobody with it. */
	if (look_at_others(r).slow)
		tw_ring_scheduler__start(&r->pace);
	bytes = r->pace.on ? tw_ring_scheduler__round(r) : drain_rings(r, round);
	for (size_t i = 0; i < r->n_rings; i++)
		if (r->rings[i].error)
			r->error = r->rings[i].error;
	return bytes;
}

/*
 * What the control channel says belongs among the events that leave now. In step these may be of some seconds ago: frames of the
 * present before them would tell a receiver that nothing of the past is to be waited for.
 */
static uint64_t control_time(const struct tw_reader *r, uint64_t now)
{
	return r->pace.on || look_at_others(r).in_step ? earlier(now, proven_by_all(r)) : now;
}

void tw_reader__ask_sink(struct tw_reader *r)
{
	struct tw_sink_stats stats;

	tw_sink__stats(r->port.sink, &stats);
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

/* One round. Return: bytes of events read. */
static size_t run_round(struct tw_reader *r, uint64_t *ret_patience)
{
	const uint64_t now = tw_trace_clock__now(r->clock);
	uint64_t proven;
	size_t bytes;

	*ret_patience = LONGEST_POLL_NS;
	if (r->round.before)
		r->round.before(r->round.ctx, control_time(r, now));
	bytes = read_rings(r, now);
	if (bytes)
		renew_newest(r);
	proven = proven_time(r, now);
	if (proven > r->proven)
		atomic_store_explicit(&r->proven, proven, memory_order_release);
	if (r->round.after) {
		uint64_t closed = proven_by_all(r);

		*ret_patience = r->round.after(r->round.ctx, control_time(r, now), &closed);
		r->closed = closed;
	}
	tell_watermark(r, now);
	tw_frame_writer__flush(&r->port);
	if (now >= r->next_stats) {
		tw_reader__ask_sink(r);
		r->next_stats = now + TW_NS_PER_SECOND;
	}
	if (r->port.error)
		r->error = r->port.error;
	return bytes;
}

/*
 * Twice a sub-buffer's worth in the longest pause is worth the longest pause, but no pause fills more than a quarter of a ring. A round
 * that took longer than that (its frames had to wait) has left all that came meanwhile.
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

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / TW_NS_PER_SECOND), .tv_nsec = (long)(ns % TW_NS_PER_SECOND) };
}

/* What ends a wait besides events: the end, and who has something for the round. */
#define WAKERS 2

static void watch_wakers(const struct tw_reader *r, struct pollfd fds[WAKERS])
{
	fds[0] = (struct pollfd){ .fd = r->wake_fd, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = r->round.before ? r->round.fd : -1, .events = POLLIN };
}

static void heed_wakers(const struct pollfd fds[WAKERS])
{
	uint64_t times;

	if (fds[1].revents && read(fds[1].fd, &times, sizeof(times)) < 0)
		return; /* somebody was faster: the round comes in any case */
}

/* Sleep until a ring has something, stop is set, the round is asked for or @ns are over. */
static void wait_for_events(struct tw_reader *r, uint64_t ns)
{
	struct pollfd fds[CHANNELS_MAX + WAKERS];
	const struct timespec ts = timespec_of(ns);
	nfds_t n = 0;

	for (; n < r->n_rings && n < CHANNELS_MAX; n++)
		fds[n] = (struct pollfd){ .fd = r->rings[n].no_poll ? -1 : r->rings[n].fd, .events = POLLIN };
	watch_wakers(r, fds + n);
	if (ppoll(fds, n + WAKERS, &ts, NULL) <= 0)
		return;
	for (size_t i = 0; i < n; i++)
		r->rings[i].no_poll |= !!(fds[i].revents & POLLERR); /* the CPU was never online: it has no ring yet */
	heed_wakers(fds + n);
}

static void wait_a_pause(struct tw_reader *r, uint64_t ns)
{
	struct pollfd fds[WAKERS];
	const struct timespec ts = timespec_of(ns);

	watch_wakers(r, fds);
	if (ppoll(fds, WAKERS, &ts, NULL) > 0)
		heed_wakers(fds);
}

void tw_reader__loop(struct tw_reader *r)
{
	uint64_t last = tw_time__now(CLOCK_MONOTONIC);

	while (!atomic_load_explicit(r->stop, memory_order_relaxed) && !r->error) {
		const uint64_t begun = tw_time__now(CLOCK_MONOTONIC);
		uint64_t patience, pause;
		const size_t bytes = run_round(r, &patience);
		const uint64_t now = tw_time__now(CLOCK_MONOTONIC);

		pause = choose_pause(r, bytes, now - last, now - begun);
		if (r->pace.on)
			pause = bytes ? 0 : r->min_pause; /* another thread is further behind */
		last = now;
		r->empty_rounds = bytes || r->pace.on ? 0 : r->empty_rounds + 1;
		if (r->empty_rounds >= EMPTY_ROUNDS)
			wait_for_events(r, r->alone || patience < r->max_pause ? patience : r->max_pause);
		else if (pause)
			wait_a_pause(r, pause < patience ? pause : patience);
	}
}

/*
 * In step it is a round as any, whose watermark the receiver needs; of who is through, too, and the first one tells what there is to be
 * told meanwhile.
 */
bool tw_reader__finish(struct tw_reader *r)
{
	uint64_t patience;

	if (r->pace.on || look_at_others(r).in_step) {
		run_round(r, &patience);
		return true;
	}
	return read_rings(r, UINT64_MAX) || r->pace.on;
}

void tw_reader__fini(struct tw_reader *r)
{
	for (size_t i = 0; i < r->n_rings; i++)
		tw_trace_ring__close(&r->rings[i]);
	tw_seen_addresses__fini(&r->addresses);
	pthread_mutex_destroy(&r->stats_lock);
	free(r->rings);
	free(r->page);
	r->rings = NULL;
	r->page = NULL;
	r->n_rings = 0;
}
