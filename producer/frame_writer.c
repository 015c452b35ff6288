/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/frame_writer.h"

#include <errno.h>
#include <stdlib.h>

#include "base/counter.h"
#include "base/time.h"
#include "wire/encode.h"

#define PATIENCE_NS 2000000000ull /* how long back-pressure may last before events are shed */
#define LAST_NS     500000000ull  /* the same where there is little hope: all last frames together have that */
#define AFTER_NS \
	1000000000ull /* after the deadline: by then a receiver that waited for others has given them up, and has room */
#define PAUSE_NS 50000   /* between two tries */
#define RETRY_NS 1000000 /* the same while shedding: a try for every event would hold up the ring behind it */

static void pause_briefly(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
}

void tw_frame_writer__init(struct tw_frame_writer *port, struct tw_sink *sink, const struct tw_producer_stream *stream,
			   uint32_t events_per_frame)
{
	*port = (struct tw_frame_writer){
		.sink = sink,
		.stream = stream,
		.events_per_frame = events_per_frame ? events_per_frame : UINT16_MAX,
	};
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The deadline is over. The last frames have a time of their own. */
static bool is_given_up(const struct tw_frame_writer *port)
{
	return !port->last_until && tw_deadline__is_over(port->deadline);
}

/* Whether the sink, which has no room, is to be asked again. */
static bool is_worth_a_try(const struct tw_frame_writer *port)
{
	if (port->last_until)
		return true;
	if (port->error || is_given_up(port))
		return false;
	return !port->shedding || tw_time__now(CLOCK_MONOTONIC) >= port->retry;
}

/* Until when a slot is waited for. In the past: the sink is asked once. */
static uint64_t patience_ends(const struct tw_frame_writer *port, uint64_t begun)
{
	if (port->last_until)
		return port->last_until;
	return port->shedding || port->hopeless ? begun : begun + PATIENCE_NS;
}

static void *wait_for_slot(struct tw_frame_writer *port)
{
	const uint64_t begun = tw_time__now(CLOCK_MONOTONIC), until = patience_ends(port, begun);
	uint64_t now;
	void *slot;
	int rc;

	do {
		rc = tw_sink__flush(port->sink);
		slot = tw_sink__reserve(port->sink);
		if (slot)
			break;
		if (rc && rc != -EAGAIN)
			port->error = rc;
		if (port->error && !port->last_until)
			break;
		pause_briefly();
	} while (tw_time__now(CLOCK_MONOTONIC) < until && !is_given_up(port));
	now = tw_time__now(CLOCK_MONOTONIC);
	port->waited += now - begun;
	port->shedding = !slot;
	port->retry = now + RETRY_NS;
	return slot;
}

/* A slot of the sink, waited for; NULL when patience ended or the sink broke. */
static void *reserve(struct tw_frame_writer *port)
{
	void *slot = tw_sink__reserve(port->sink);

	if (!slot && is_worth_a_try(port))
		slot = wait_for_slot(port);
	if (!slot && !port->error && is_given_up(port))
		port->given_up++;
	return slot;
}

/*
 * What was lost on this channel is told first thing in its next frame. Of events shed all are missing just here; a ring's
 * loss that had to wait is no longer told in its place. Return: whether there was something.
 */
static bool tell_untold(struct tw_frame_writer *port)
{
	struct tw_producer_channel *ch = port->channel;
	bool any = false;

	for (uint16_t where = 0; where <= TW_LOST_TX; where++) {
		const struct tw_lost_view lost = {
			.time = port->frame.info.base_time,
			.where = where,
			.unknown = where != TW_LOST_SHED,
			.count = ch->untold[where],
		};

		if (!lost.count || !tw_lost__emit(&port->frame, &lost))
			continue;
		ch->untold[where] = 0;
		any = true;
	}
	return any;
}

static bool open_frame(struct tw_frame_writer *port, struct tw_producer_channel *channel, uint64_t base_time)
{
	void *slot = reserve(port);
	struct tw_frame_info info;

	if (!slot)
		return false;
	info = (struct tw_frame_info){
		.flags = port->stream->flags | port->flags,
		.source = channel->source,
		.channel = channel->number,
		.cpu = channel->cpu,
		.stream_id = port->stream->id,
		.schema_id = atomic_load_explicit(&port->stream->schema_id, memory_order_relaxed),
		.seq = channel->next_seq,
		.base_time = base_time,
	};
	tw_frame__begin(&port->frame, slot, port->sink->frame_max, &info);
	port->channel = channel;
	return true;
}

bool tw_frame_writer__begin(struct tw_frame_writer *port, struct tw_producer_channel *channel, uint64_t base_time)
{
	tw_frame_writer__end(port);
	if (!open_frame(port, channel, base_time))
		return false;
	if (!tell_untold(port) || port->events_per_frame > 1)
		return true;
	tw_frame_writer__end(
		port); /* viewers and classifiers want events alone in their frames: a loss gets one of its own */
	return open_frame(port, channel, base_time);
}

void tw_frame_writer__end(struct tw_frame_writer *port)
{
	size_t len;

	if (!port->channel)
		return;
	if (port->channel->source == TW_SOURCE_CONTROL)
		port->frame.info.events = 1; /* a control channel numbers its frames */
	else
		tw_counter__add(&port->events, port->frame.info.events);
	port->channel->next_seq += port->frame.info.events;
	port->channel = NULL;
	len = tw_frame__end(&port->frame);
	port->bytes += len;
	tw_sink__commit(port->sink, len);
}

void tw_frame_writer__set_flags(struct tw_frame_writer *port, uint8_t flags)
{
	tw_frame_writer__end(port);
	port->flags = flags;
}

int tw_frame_writer__flush(struct tw_frame_writer *port)
{
	int rc;

	tw_frame_writer__end(port);
	rc = tw_sink__flush(port->sink);
	if (rc && rc != -EAGAIN)
		port->error = rc;
	return rc;
}

/* Until when frames may take to leave. A deadline may be set, and moved, meanwhile. */
static uint64_t drain_ends(const struct tw_frame_writer *port, uint64_t begun)
{
	const uint64_t at = port->deadline ? atomic_load(&port->deadline->at) : 0;

	if (port->last_until)
		return port->last_until;
	if (port->hopeless)
		return begun;
	return at ? later(at + AFTER_NS, begun + LAST_NS) : begun + PATIENCE_NS;
}

int tw_frame_writer__drain(struct tw_frame_writer *port)
{
	const uint64_t begun = tw_time__now(CLOCK_MONOTONIC);
	int rc;

	while ((rc = tw_frame_writer__flush(port)) == -EAGAIN &&
	       tw_time__now(CLOCK_MONOTONIC) < drain_ends(port, begun))
		pause_briefly();
	return rc;
}

void tw_frame_writer__stop_waiting(struct tw_frame_writer *port)
{
	port->hopeless = true;
}

void tw_frame_writer__begin_last(struct tw_frame_writer *port)
{
	const bool hopeless = port->error || port->hopeless;

	port->last_until = tw_time__now(CLOCK_MONOTONIC) + (hopeless ? LAST_NS : PATIENCE_NS);
}

static void shed(struct tw_producer_channel *channel)
{
	channel->next_seq++;
	tw_counter__add(&channel->shed, 1);
	channel->untold[TW_LOST_SHED]++;
}

/* A record larger than a frame goes out in PARTs, each in a frame of its own whose base time is the event's. */
static bool send_parts(struct tw_frame_writer *port, struct tw_producer_channel *channel, const uint8_t *record,
		       uint32_t len, uint64_t time)
{
	const uint32_t total = len + TW_EVENT_RECORD - (uint32_t)sizeof(struct tw_tlv);
	uint8_t *tlv = malloc(len + TW_EVENT_RECORD + TW_COPY_STEP);
	struct tw_frame whole = { .buf = tlv, .cap = len + TW_EVENT_RECORD };
	const uint32_t id = ++port->part_id;
	uint32_t at = 0;

	if (!tlv)
		return false;
	tw_hashed_pointers__add_event(port->stream->pointers, &whole, record, len,
				      0); /* laid out by the code that does so for every event */
	while (at < total) {
		size_t n = 0;

		if (port->frame.len == sizeof(struct tw_frame_hdr) || tw_frame_writer__begin(port, channel, time))
			n = tw_frame__add_part(&port->frame, TW_TLV_EVENT, id, tlv + sizeof(struct tw_tlv), total, at);
		if (!n)
			break;
		at += (uint32_t)n;
	}
	free(tlv);
	return at == total;
}

void tw_frame_writer__event(struct tw_frame_writer *port, struct tw_producer_channel *channel, const uint8_t *record,
			    uint32_t len, uint64_t time)
{
	if (!tw_frame_writer__begin(port, channel, time)) {
		shed(channel);
		return;
	}
	if (!tw_hashed_pointers__add_event(port->stream->pointers, &port->frame, record, len, time) &&
	    !send_parts(port, channel, record, len, time))
		shed(channel);
}

void tw_frame_writer__lost(struct tw_frame_writer *port, struct tw_producer_channel *channel, uint64_t time,
			   uint16_t where, bool unknown, uint64_t count)
{
	const struct tw_lost_view lost = { .time = time, .where = where, .unknown = unknown, .count = count };

	if (!tw_frame_writer__begin(port, channel, time) || !tw_lost__emit(&port->frame, &lost))
		channel->untold[where] += count;
	else if (port->events_per_frame == 1)
		tw_frame_writer__end(port); /* before the event, as in tw_frame_writer__begin() */
}

void tw_frame_writer__report_pending(struct tw_frame_writer *port, struct tw_producer_channel *channel, uint64_t time)
{
	for (uint16_t where = 0; where <= TW_LOST_TX; where++) {
		if (!channel->untold[where])
			continue;
		tw_frame_writer__begin(port, channel, time);
		return;
	}
}
