/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/merge/channel.h"

#include <stdlib.h>

#include "base/time.h"

struct tw_merge_channel *tw_merge_channel__new(uint16_t id, struct tw_stream_numbers *counts)
{
	struct tw_merge_channel *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->id = id;
	c->node = (struct tw_merge_heap_node){ .id = id, .at = TW_MERGE_HEAP_OUT };
	c->counts = counts;
	c->last = (struct tw_frame_info){ .source = TW_SOURCE_FTRACE, .channel = id, .cpu = (uint16_t)(id - 1) };
	return c;
}

void tw_merge_channel__free(struct tw_merge_channel *c, struct tw_frame_pool *pool)
{
	tw_frame_pool__give_all(pool, c->head);
	free(c);
}

static void channel__link_after(struct tw_merge_channel *c, struct tw_queued_frame *before,
				struct tw_queued_frame *frame)
{
	frame->prev = before;
	frame->next = before ? before->next : c->head;
	if (frame->next)
		frame->next->prev = frame;
	else
		c->tail = frame;
	if (before)
		before->next = frame;
	else
		c->head = frame;
}

/*
 * Notes that all numbers before @seen have arrived or were given up. Continues with the numbers of the queued frames from @from on, as long
 * as none is missing.
 */
static void channel__advance_seen(struct tw_merge_channel *c, uint64_t seen, const struct tw_queued_frame *from)
{
	if (seen > c->seen)
		c->seen = seen;
	for (; from && from->info.seq <= c->seen; from = from->next) {
		if (tw_queued_frame__end(from) > c->seen)
			c->seen = tw_queued_frame__end(from);
	}
}

/* Applies valid watermarks. A watermark is valid once all numbers before its next_seq have arrived or were given up. */
static void channel__apply_watermarks(struct tw_merge_channel *c)
{
	uint8_t done = 0;

	while (done < c->n_watermarks && (!c->numbers.known || c->seen >= c->watermarks[done].next_seq)) {
		c->watermark = tw_time__later(c->watermark, c->watermarks[done++].time);
	}
	c->n_watermarks = (uint8_t)(c->n_watermarks - done);
	memmove(c->watermarks, c->watermarks + done, c->n_watermarks * sizeof(c->watermarks[0]));
}

static void channel__miss(struct tw_merge_channel *c, uint64_t from, uint64_t to, uint64_t *counter)
{
	c->counts->gaps += to - from;
	*counter += to - from;
	tw_stream_channel__miss(&c->numbers, from, to, counter);
}

/* Counts numbers that arrived after they were given up. Return: false if they were not missing */
static bool channel__fill(struct tw_merge_channel *c, uint64_t from, uint64_t to)
{
	uint64_t *counter;

	if (!tw_stream_channel__fill(&c->numbers, from, to, &counter))
		return false;
	c->counts->gaps -= to - from;
	*counter -= to - from;
	return true;
}

/* Finds the frame after which @frame is inserted: the last one whose number is not larger. Return: false if the search takes too long */
static bool channel__place(struct tw_merge_channel *c, const struct tw_queued_frame *frame,
			   struct tw_queued_frame **ret_before)
{
	struct tw_queued_frame *before = c->tail;

	for (int steps = 0; before && before->info.seq > frame->info.seq && !before->started; steps++) {
		if (steps == TW_STREAM_CHANNEL_REORDER_MAX)
			return false;
		before = before->prev;
	}
	*ret_before = before;
	return true;
}

/* Whether a frame repeats the frame before it. Frames with PARTs of one event have the same seq, but only the last one has events = 1. */
static bool frame__repeats(const struct tw_queued_frame *frame, const struct tw_queued_frame *before)
{
	return before && frame->info.events && before->info.seq == frame->info.seq &&
	       before->info.events == frame->info.events;
}

static enum tw_queue_result channel__queue_old(struct tw_merge_channel *c, struct tw_queued_frame *frame)
{
	if (!frame->info.events)
		return TW_QUEUED_STALE;
	if (!tw_stream_channel__gap(&c->numbers, frame->info.seq, tw_queued_frame__end(frame)))
		return TW_QUEUED_DUPLICATE;
	frame->fills_gap = true;
	channel__link_after(c, NULL, frame);
	return TW_QUEUED;
}

/* Sets the first known number, from a frame or a watermark. Numbers after it that do not arrive are a gap. */
static void channel__begin(struct tw_merge_channel *c, uint64_t seq, uint64_t dropped)
{
	c->counts->before += seq - c->first;
	c->first = c->numbers.next = c->seen = seq;
	c->dropped = dropped;
	c->numbers.known = true;
}

void tw_merge_channel__start(struct tw_merge_channel *c, uint64_t dropped)
{
	if (c->first > TW_STREAM_CHANNEL_JUMP_MAX)
		return;
	c->counts->before -= c->first;
	if (c->begun) {
		channel__miss(c, 0, c->first, &c->counts->gaps_wire);
	} else {
		c->numbers.next = c->seen = 0;
		c->dropped = c->numbers.known && c->dropped < dropped ? c->dropped : dropped;
	}
	c->first = 0;
	c->numbers.known = c->begun = true;
}

static enum tw_queue_result channel__place_in_queue(struct tw_merge_channel *c, struct tw_queued_frame *frame)
{
	struct tw_queued_frame *before;

	if (frame->info.seq > UINT64_MAX - UINT16_MAX ||
	    (c->numbers.known && frame->info.seq > c->seen + TW_STREAM_CHANNEL_JUMP_MAX))
		return TW_QUEUED_IMPOSSIBLE;
	if (c->begun && frame->info.seq < c->numbers.next && tw_queued_frame__end(frame) <= c->numbers.next)
		return channel__queue_old(c, frame);
	if (!channel__place(c, frame, &before))
		return TW_QUEUED_IMPOSSIBLE;
	if (frame__repeats(frame, before))
		return TW_QUEUED_DUPLICATE;
	channel__link_after(c, before, frame);
	if (!c->begun && c->head == frame && (!c->numbers.known || frame->info.seq < c->numbers.next))
		channel__begin(c, frame->info.seq, frame->dropped);
	if (frame->info.seq <= c->seen)
		channel__advance_seen(c, tw_queued_frame__end(frame), frame->next);
	channel__apply_watermarks(c);
	return TW_QUEUED;
}

enum tw_queue_result tw_merge_channel__queue(struct tw_merge_channel *c, struct tw_queued_frame *frame)
{
	const enum tw_queue_result queued = channel__place_in_queue(c, frame);

	if (queued != TW_QUEUED)
		return queued;
	if (frame->info.seq < c->highest)
		c->counts->reordered++;
	else
		c->highest = frame->info.seq;
	return queued;
}

struct tw_merge_hole tw_merge_channel__give_up(struct tw_merge_channel *c, uint64_t to, uint64_t dropped)
{
	const uint64_t reported_to = to - c->numbers.next < c->lost_reported ? to : c->numbers.next + c->lost_reported;
	const struct tw_merge_hole hole = { .count = to - reported_to, .receiver = dropped > c->dropped };

	channel__miss(c, c->numbers.next, reported_to, &c->counts->gaps_reported);
	channel__miss(c, reported_to, to, hole.receiver ? &c->counts->gaps_receiver : &c->counts->gaps_wire);
	c->numbers.next = to;
	channel__advance_seen(c, to, c->head);
	channel__apply_watermarks(c);
	return hole;
}

uint32_t tw_merge_channel__use(struct tw_merge_channel *c, uint32_t n)
{
	struct tw_queued_frame *frame = c->head;
	const uint64_t from = frame->seq, to = from + n;
	uint32_t fresh = n;

	frame->seq = to;
	if (frame->fills_gap) {
		fresh = channel__fill(c, from, to) ? n : 0;
	} else if (to <= c->numbers.next) {
		fresh = 0;
	} else {
		fresh = (uint32_t)(to - c->numbers.next);
		c->numbers.next = to;
		c->lost_reported = 0;
	}
	c->counts->received += fresh;
	return fresh;
}

struct tw_queued_frame *tw_merge_channel__drop_head(struct tw_merge_channel *c)
{
	struct tw_queued_frame *frame = c->head;

	c->head = frame->next;
	if (c->head)
		c->head->prev = NULL;
	else
		c->tail = NULL;
	c->last = frame->info;
	if (!frame->fills_gap)
		c->dropped = frame->dropped;
	return frame;
}

/* Appends a watermark. If the list is full, or next_seq did not grow, the last entry and the new watermark become one. */
static void channel__push_watermark(struct tw_merge_channel *c, struct tw_merge_watermark watermark)
{
	struct tw_merge_watermark *last = c->n_watermarks ? &c->watermarks[c->n_watermarks - 1] : NULL;

	if (last && (last->next_seq >= watermark.next_seq || c->n_watermarks == TW_STREAM_CHANNEL_WATERMARKS_MAX)) {
		last->time = tw_time__later(last->time, watermark.time);
		last->next_seq = watermark.next_seq > last->next_seq ? watermark.next_seq : last->next_seq;
		return;
	}
	c->watermarks[c->n_watermarks++] = watermark;
}

bool tw_merge_channel__watermark(struct tw_merge_channel *c, uint64_t time, uint64_t next_seq, uint64_t dropped)
{
	if (next_seq > UINT64_MAX - UINT16_MAX || (c->numbers.known && next_seq > c->seen + TW_STREAM_CHANNEL_JUMP_MAX))
		return false;
	if (!c->numbers.known)
		channel__begin(c, next_seq, dropped);
	if (next_seq > c->announced) {
		c->announced = next_seq;
		c->announced_dropped = dropped;
	}
	channel__push_watermark(c, (struct tw_merge_watermark){ .time = time, .next_seq = next_seq });
	channel__apply_watermarks(c);
	return true;
}
