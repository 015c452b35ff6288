/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/frame_writer.h"

#include <errno.h>
#include <stdlib.h>

#include "producer/counter.h"

#define PATIENCE_NS 2000000000ull /* limit of the wait for room before events are shed */
/*
 * Time limit for all last frames together if the sink failed or accepted nothing. Also the shortest time limit of a drain after a deadline
 * was set.
 */
#define LAST_NS 500000000ull
/* Time for which a drain continues after the deadline. Within this time, a receiver that waited for other streams has room again. */
#define AFTER_NS 1000000000ull
#define PAUSE_NS 50000   /* pause between two attempts to get a slot */
#define RETRY_NS 1000000 /* pause between attempts while events are shed: one for every event would delay the reader */

static void pause_briefly(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
}

void tw_frame_writer__init(struct tw_frame_writer *writer, struct tw_sink *sink,
			   const struct tw_producer_stream *stream, uint32_t events_per_frame)
{
	*writer = (struct tw_frame_writer){
		.sink = sink,
		.stream = stream,
		.events_per_frame = events_per_frame ? events_per_frame : UINT16_MAX,
	};
}

/* Whether the deadline has passed. It does not apply to the last frames, which have their own time limit. */
static bool is_given_up(const struct tw_frame_writer *writer)
{
	return !writer->last_until && tw_deadline__is_over(writer->deadline);
}

static bool may_retry(const struct tw_frame_writer *writer)
{
	if (writer->last_until)
		return true;
	if (writer->err || is_given_up(writer))
		return false;
	return !writer->shedding || tw_time__now(CLOCK_MONOTONIC) >= writer->retry;
}

/* Return: until when to wait for a slot. wait_for_slot() makes one attempt even if this time has passed. */
static uint64_t patience_ends(const struct tw_frame_writer *writer, uint64_t begun)
{
	if (writer->last_until)
		return writer->last_until;
	return writer->shedding || writer->stopped_waiting ? begun : begun + PATIENCE_NS;
}

static void *wait_for_slot(struct tw_frame_writer *writer)
{
	const uint64_t begun = tw_time__now(CLOCK_MONOTONIC), until = patience_ends(writer, begun);
	uint64_t now;
	void *slot;
	int err;

	do {
		err = tw_sink__flush(writer->sink);
		slot = tw_sink__reserve(writer->sink);
		if (slot)
			break;
		if (err && err != -EAGAIN)
			writer->err = err;
		if (writer->err && !writer->last_until)
			break;
		pause_briefly();
	} while (tw_time__now(CLOCK_MONOTONIC) < until && !is_given_up(writer));
	now = tw_time__now(CLOCK_MONOTONIC);
	writer->waited += now - begun;
	writer->shedding = !slot;
	writer->retry = now + RETRY_NS;
	return slot;
}

/* Gets a slot from the sink and waits if necessary. Return: NULL after the time limit or if the sink failed */
static void *reserve(struct tw_frame_writer *writer)
{
	void *slot = tw_sink__reserve(writer->sink);

	if (!slot && may_retry(writer))
		slot = wait_for_slot(writer);
	if (!slot && !writer->err && is_given_up(writer))
		writer->given_up++;
	return slot;
}

/*
 * Adds LOST records for the pending losses of the channel to its new frame. Shed events are missing directly before the new frame. Losses
 * of a ring occurred at an unknown earlier position. Return: whether a record was added
 */
static bool report_pending(struct tw_frame_writer *writer)
{
	struct tw_producer_channel *ch = writer->channel;
	bool any = false;

	for (uint16_t where = 0; where <= TW_LOST_TX; where++) {
		const struct tw_lost_view lost = {
			.time = writer->frame.info.base_time,
			.where = where,
			.unknown = where != TW_LOST_SHED,
			.count = ch->pending[where],
		};

		if (!lost.count || !tw_lost__emit(&writer->frame, &lost))
			continue;
		ch->pending[where] = 0;
		any = true;
	}
	return any;
}

static bool open_frame(struct tw_frame_writer *writer, struct tw_producer_channel *channel, uint64_t base_time)
{
	void *slot = reserve(writer);
	struct tw_frame_info info;

	if (!slot)
		return false;
	info = (struct tw_frame_info){
		.flags = writer->stream->flags | writer->flags,
		.source = channel->source,
		.channel = channel->number,
		.cpu = channel->cpu,
		.stream_id = writer->stream->id,
		.schema_id = atomic_load_explicit(&writer->stream->schema_id, memory_order_relaxed),
		.seq = channel->next_seq,
		.base_time = base_time,
	};
	tw_frame__begin(&writer->frame, slot, writer->sink->frame_max, &info);
	writer->channel = channel;
	return true;
}

bool tw_frame_writer__begin(struct tw_frame_writer *writer, struct tw_producer_channel *channel, uint64_t base_time)
{
	tw_frame_writer__end(writer);
	if (!open_frame(writer, channel, base_time))
		return false;
	if (!report_pending(writer) || writer->events_per_frame > 1)
		return true;
	/* viewers and classifiers expect one event a frame, so a loss gets its own frame */
	tw_frame_writer__end(writer);
	return open_frame(writer, channel, base_time);
}

void tw_frame_writer__end(struct tw_frame_writer *writer)
{
	size_t len;

	if (!writer->channel)
		return;
	if (writer->channel->source == TW_SOURCE_CONTROL)
		writer->frame.info.events = 1; /* the control channel numbers its frames */
	else
		tw_counter__add(&writer->events, writer->frame.info.events);
	writer->channel->next_seq += writer->frame.info.events;
	writer->channel = NULL;
	len = tw_frame__end(&writer->frame);
	writer->bytes += len;
	tw_sink__commit(writer->sink, len);
}

void tw_frame_writer__set_flags(struct tw_frame_writer *writer, uint8_t flags)
{
	tw_frame_writer__end(writer);
	writer->flags = flags;
}

int tw_frame_writer__flush(struct tw_frame_writer *writer)
{
	int err;

	tw_frame_writer__end(writer);
	err = tw_sink__flush(writer->sink);
	if (err && err != -EAGAIN)
		writer->err = err;
	return err;
}

/* Return: until when tw_frame_writer__drain() flushes. The deadline may be set or moved meanwhile. */
static uint64_t drain_ends(const struct tw_frame_writer *writer, uint64_t begun)
{
	const uint64_t at = writer->deadline ? atomic_load(&writer->deadline->at) : 0;

	if (writer->last_until)
		return writer->last_until;
	if (writer->stopped_waiting)
		return begun;
	return at ? tw_time__later(at + AFTER_NS, begun + LAST_NS) : begun + PATIENCE_NS;
}

int tw_frame_writer__drain(struct tw_frame_writer *writer)
{
	const uint64_t begun = tw_time__now(CLOCK_MONOTONIC);
	int err;

	while ((err = tw_frame_writer__flush(writer)) == -EAGAIN &&
	       tw_time__now(CLOCK_MONOTONIC) < drain_ends(writer, begun))
		pause_briefly();
	return err;
}

void tw_frame_writer__stop_waiting(struct tw_frame_writer *writer)
{
	writer->stopped_waiting = true;
}

void tw_frame_writer__begin_last(struct tw_frame_writer *writer)
{
	const uint64_t ns = writer->err || writer->stopped_waiting ? LAST_NS : PATIENCE_NS;

	writer->last_until = tw_time__now(CLOCK_MONOTONIC) + ns;
}

static void shed(struct tw_producer_channel *channel)
{
	channel->next_seq++;
	tw_counter__add(&channel->shed, 1);
	channel->pending[TW_LOST_SHED]++;
}

/*
 * Divides a record that is larger than a frame into PART records, each in its own frame. The base time of these frames is the time of the
 * event.
 */
static bool send_parts(struct tw_frame_writer *writer, struct tw_producer_channel *channel, const uint8_t *record,
		       uint32_t len, uint64_t time)
{
	const uint32_t total = len + TW_EVENT_RECORD - (uint32_t)sizeof(struct tw_tlv);
	uint8_t *tlv = malloc(len + TW_EVENT_RECORD + TW_COPY_STEP);
	struct tw_frame whole = { .buf = tlv, .cap = len + TW_EVENT_RECORD };
	const uint32_t id = ++writer->part_id;
	uint32_t at = 0;

	if (!tlv)
		return false;
	/* use the same function as for events that fit a frame, so that all events have the same layout */
	tw_hashed_pointers__add_event(writer->stream->pointers, &whole, record, len, 0);
	while (at < total) {
		size_t n = 0;

		if (writer->frame.len == sizeof(struct tw_frame_hdr) || tw_frame_writer__begin(writer, channel, time))
			n = tw_frame__add_part(&writer->frame, TW_TLV_EVENT, id, tlv + sizeof(struct tw_tlv), total,
					       at);
		if (!n)
			break;
		at += (uint32_t)n;
	}
	free(tlv);
	return at == total;
}

void tw_frame_writer__event(struct tw_frame_writer *writer, struct tw_producer_channel *channel, const uint8_t *record,
			    uint32_t len, uint64_t time)
{
	if (!tw_frame_writer__begin(writer, channel, time)) {
		shed(channel);
		return;
	}
	if (!tw_hashed_pointers__add_event(writer->stream->pointers, &writer->frame, record, len, time) &&
	    !send_parts(writer, channel, record, len, time))
		shed(channel);
}

void tw_frame_writer__lost(struct tw_frame_writer *writer, struct tw_producer_channel *channel, uint64_t time,
			   uint16_t where, bool unknown, uint64_t count)
{
	const struct tw_lost_view lost = { .time = time, .where = where, .unknown = unknown, .count = count };

	if (!tw_frame_writer__begin(writer, channel, time) || !tw_lost__emit(&writer->frame, &lost))
		channel->pending[where] += count;
	else if (writer->events_per_frame == 1)
		tw_frame_writer__end(writer); /* the next event gets its own frame, as in tw_frame_writer__begin() */
}

void tw_frame_writer__report_pending(struct tw_frame_writer *writer, struct tw_producer_channel *channel, uint64_t time)
{
	for (uint16_t where = 0; where <= TW_LOST_TX; where++) {
		if (!channel->pending[where])
			continue;
		tw_frame_writer__begin(writer, channel, time);
		return;
	}
}
