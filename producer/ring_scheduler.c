/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/ring_scheduler.h"

#include "base/time.h"
#include "producer/reader.h"

/* Limit of the time that a round waits for room; a small part of the two seconds for which a capture host waits for a channel. */
#define ROUND_NS   (200 * TW_NS_PER_MS)
#define STEP_MAX   (50 * TW_NS_PER_MS)    /* longest step: a few times the usual pause between rounds */
#define TURN_BYTES 8192                   /* limit of bytes of one ring in a turn: a few frames of 1500 bytes */
#define STEP_MIN   1000                   /* shortest step, ns */
#define STUCK_NS   (2 * TW_NS_PER_SECOND) /* longest wait for the other readers; much longer than one of their rounds */

void tw_ring_scheduler__start(struct tw_ring_scheduler *scheduler)
{
	if (!scheduler->on)
		scheduler->step = STEP_MAX;
	scheduler->on = true;
}

/* Returns the ring with the oldest event; NULL = no ring has events */
static struct tw_trace_ring *oldest_ring(const struct tw_reader *r)
{
	struct tw_trace_ring *oldest = NULL;

	for (size_t i = 0; i < r->n_rings; i++) {
		struct tw_trace_ring *ring = &r->rings[i];

		if (ring->holds && (!oldest || ring->next < oldest->next))
			oldest = ring;
	}
	return oldest;
}

/* Adapts the step to the time that the last round waited for room, which should be between a quarter of ROUND_NS and ROUND_NS. */
static void fit_step(struct tw_ring_scheduler *scheduler, uint64_t waited)
{
	if (waited >= ROUND_NS && scheduler->step > STEP_MIN)
		scheduler->step /= 2;
	else if (waited < ROUND_NS / 4 && scheduler->step < STEP_MAX)
		scheduler->step *= 2;
}

/*
 * Return: the time up to which all other readers have read. UINT64_MAX if this time has not changed for STUCK_NS, for example after a clock
 * was set back
 */
static uint64_t others_read_until(struct tw_reader *r)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC), time = tw_reader__others_read_until(r);

	if (time != r->scheduler.others) {
		r->scheduler.others = time;
		r->scheduler.since = now;
	}
	return now - r->scheduler.since < STUCK_NS ? time : UINT64_MAX;
}

/* Return: the time of the last event that begins in the first @bytes; at least the time of the first event */
static uint64_t time_within(struct tw_ring_page page, size_t bytes)
{
	const uint8_t *const begin = page.at;
	struct tw_ring_event event;
	uint64_t time = page.time;

	while (tw_native_page__next(&page, &event)) {
		time = event.time;
		if ((size_t)(page.at - begin) >= bytes)
			break;
	}
	return time;
}

/*
 * Return: the time at which the next turn ends, so that no ring sends much more than TURN_BYTES in it. Without turns, sending a burst of
 * one ring within a step could take seconds, and a receiver would meanwhile release newer events of the other rings.
 */
static uint64_t turn_end(const struct tw_reader *r, uint64_t until)
{
	for (size_t i = 0; i < r->n_rings; i++) {
		const struct tw_trace_ring *ring = &r->rings[i];

		if (ring->holds) /* at least ring->next, so that a sub-buffer without events is sent, too */
			until = tw_time__earlier(until,
						 tw_time__later(ring->next, time_within(ring->rest, TURN_BYTES)));
	}
	return until;
}

/* Sends the events of a turn, all events of one ring before those of the next ring, because a switch to another ring ends the frame. */
static size_t send_turn(struct tw_reader *r, uint64_t until)
{
	size_t bytes = 0;

	for (size_t i = 0; i < r->n_rings; i++) {
		struct tw_trace_ring *ring = &r->rings[i];

		if (!ring->holds || ring->next > until)
			continue;
		bytes += tw_trace_ring__send_held(ring, until, &r->writer, r->tasks);
		tw_trace_ring__hold(ring, r->page_size);
	}
	return bytes;
}

size_t tw_ring_scheduler__round(struct tw_reader *r)
{
	struct tw_trace_ring *ring;
	uint64_t from, until;
	size_t bytes = 0;

	for (size_t i = 0; i < r->n_rings; i++)
		tw_trace_ring__hold(&r->rings[i], r->page_size);
	ring = oldest_ring(r);
	from = others_read_until(r);
	until = (ring && ring->next < from ? ring->next : from) + r->scheduler.step;
	while (ring && ring->next <= until && r->writer.waited < ROUND_NS) {
		bytes += send_turn(r, turn_end(r, until));
		ring = oldest_ring(r);
	}
	if (bytes)
		fit_step(&r->scheduler, r->writer.waited);
	if (r->writer.waited >= TW_TRACE_RING_SLOW_NS)
		r->scheduler.slow = true;
	if (!ring)
		r->scheduler.on = r->scheduler.slow = false;
	return bytes;
}
