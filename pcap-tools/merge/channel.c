/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/merge/channel.h"

#include <stdlib.h>

struct tw_channel *tw_channel__new(uint16_t id, struct tw_merge_stream_stats *counts)
{
	struct tw_channel *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->id = id;
	c->node = (struct tw_heap_node){ .id = id, .at = TW_HEAP_OUT };
	c->counts = counts;
	c->last = (struct tw_frame_info){ .source = TW_SOURCE_FTRACE, .channel = id, .cpu = (uint16_t)(id - 1) };
	return c;
}

void tw_channel__free(struct tw_channel *c, struct tw_frame_pool *pool)
{
	while (c->head) {
		struct tw_held *held = c->head;

		c->head = held->next;
		tw_frame_pool__give(pool, held);
	}
	free(c);
}

static void channel__link_after(struct tw_channel *c, struct tw_held *before, struct tw_held *held)
{
	held->prev = before;
	held->next = before ? before->next : c->head;
	if (held->next)
		held->next->prev = held;
	else
		c->tail = held;
	if (before)
		before->next = held;
	else
		c->head = held;
}

/* Numbers up to here were given up or came; what is queued behind them may go on from there. */
static void channel__see(struct tw_channel *c, uint64_t seen, const struct tw_held *from)
{
	if (seen > c->seen)
		c->seen = seen;
	for (; from && from->info.seq <= c->seen; from = from->next) {
		if (tw_held__end(from) > c->seen)
			c->seen = tw_held__end(from);
	}
}

/* Watermarks whose events have all come hold. */
static void channel__apply_marks(struct tw_channel *c)
{
	uint8_t done = 0;

	while (done < c->n_marks && (!c->known || c->seen >= c->marks[done].next_seq)) {
		if (c->marks[done].time > c->mark)
			c->mark = c->marks[done].time;
		done++;
	}
	c->n_marks = (uint8_t)(c->n_marks - done);
	memmove(c->marks, c->marks + done, c->n_marks * sizeof(c->marks[0]));
}

static void channel__miss(struct tw_channel *c, uint64_t from, uint64_t to, uint64_t *counter)
{
	if (from == to)
		return;
	c->counts->gaps += to - from;
	*counter += to - from;
	c->gaps[c->next_gap] = (struct tw_gap){ .from = from, .to = to, .counter = counter };
	c->next_gap = (uint8_t)((c->next_gap + 1) % TW_CHANNEL_GAPS);
}

/* The gap that holds all of [from, to). */
static struct tw_gap *channel__gap(struct tw_channel *c, uint64_t from, uint64_t to)
{
	for (int i = 0; i < TW_CHANNEL_GAPS; i++) {
		if (from >= c->gaps[i].from && to <= c->gaps[i].to)
			return &c->gaps[i];
	}
	return NULL;
}

/* Numbers that were given up came after all: what is left of their gap is two gaps. Return: false if they were not missing */
static bool channel__fill(struct tw_channel *c, uint64_t from, uint64_t to)
{
	struct tw_gap *gap = channel__gap(c, from, to);
	struct tw_gap before;

	if (!gap)
		return false;
	before = (struct tw_gap){ .from = gap->from, .to = from, .counter = gap->counter };
	c->counts->gaps -= to - before.from;
	*gap->counter -= to - before.from;
	gap->from = to;
	channel__miss(c, before.from, before.to, before.counter);
	return true;
}

/* The frame behind which this one belongs: the last whose number is not larger. Return: false if that is too far back. */
static bool channel__place(struct tw_channel *c, const struct tw_held *held, struct tw_held **ret_before)
{
	struct tw_held *before = c->tail;

	for (int steps = 0; before && before->info.seq > held->info.seq && !before->started; steps++) {
		if (steps == TW_CHANNEL_REORDER)
			return false;
		before = before->prev;
	}
	*ret_before = before;
	return true;
}

/* Frames of the same numbers: pieces of one event have no events until the last. */
static bool held__repeats(const struct tw_held *held, const struct tw_held *before)
{
	return before && held->info.events && before->info.seq == held->info.seq &&
	       before->info.events == held->info.events;
}

static enum tw_queued channel__queue_old(struct tw_channel *c, struct tw_held *held)
{
	if (!held->info.events)
		return TW_QUEUED_STALE;
	if (!channel__gap(c, held->info.seq, tw_held__end(held)))
		return TW_QUEUED_REPEAT;
	held->late = true;
	channel__link_after(c, NULL, held);
	return TW_QUEUED_LATE;
}

/* The first number that was heard of, by a frame or a watermark: what is missing from there on is a gap. */
static void channel__begin(struct tw_channel *c, uint64_t seq, uint64_t dropped)
{
	c->counts->before += seq - c->first;
	c->first = c->next = c->seen = seq;
	c->dropped = dropped;
	c->known = true;
}

void tw_channel__start(struct tw_channel *c, uint64_t dropped)
{
	if (c->first > TW_CHANNEL_JUMP)
		return;
	c->counts->before -= c->first;
	if (c->begun) {
		channel__miss(c, 0, c->first, &c->counts->gaps_wire);
	} else {
		c->next = c->seen = 0;
		c->dropped = c->known && c->dropped < dropped ? c->dropped : dropped;
	}
	c->first = 0;
	c->known = c->begun = true;
}

static enum tw_queued channel__place_in_queue(struct tw_channel *c, struct tw_held *held)
{
	struct tw_held *before;

	if (held->info.seq > UINT64_MAX - UINT16_MAX || (c->known && held->info.seq > c->seen + TW_CHANNEL_JUMP))
		return TW_QUEUED_LIE;
	if (c->begun && held->info.seq < c->next && tw_held__end(held) <= c->next)
		return channel__queue_old(c, held);
	if (!channel__place(c, held, &before))
		return TW_QUEUED_LIE;
	if (held__repeats(held, before))
		return TW_QUEUED_REPEAT;
	channel__link_after(c, before, held);
	if (!c->begun && c->head == held && (!c->known || held->info.seq < c->next))
		channel__begin(c, held->info.seq, held->dropped);
	if (held->info.seq <= c->seen)
		channel__see(c, tw_held__end(held), held->next);
	channel__apply_marks(c);
	return TW_QUEUED;
}

enum tw_queued tw_channel__queue(struct tw_channel *c, struct tw_held *held)
{
	const enum tw_queued queued = channel__place_in_queue(c, held);

	if (queued != TW_QUEUED && queued != TW_QUEUED_LATE)
		return queued;
	if (held->info.seq < c->highest)
		c->counts->reordered++;
	else
		c->highest = held->info.seq;
	return queued;
}

struct tw_hole tw_channel__give_up(struct tw_channel *c, uint64_t to, uint64_t dropped)
{
	const uint64_t told_to = to - c->next < c->told ? to : c->next + c->told;
	const struct tw_hole hole = { .count = to - told_to, .receiver = dropped > c->dropped };

	channel__miss(c, c->next, told_to, &c->counts->gaps_told);
	channel__miss(c, told_to, to, hole.receiver ? &c->counts->gaps_receiver : &c->counts->gaps_wire);
	c->next = to;
	channel__see(c, to, c->head);
	channel__apply_marks(c);
	return hole;
}

uint32_t tw_channel__use(struct tw_channel *c, uint32_t n)
{
	struct tw_held *held = c->head;
	const uint64_t from = held->seq, to = from + n;
	uint32_t fresh = n;

	held->seq = to;
	if (held->late) {
		fresh = channel__fill(c, from, to) ? n : 0;
	} else if (to <= c->next) {
		fresh = 0;
	} else {
		fresh = (uint32_t)(to - c->next);
		c->next = to;
		c->told = 0;
	}
	c->counts->received += fresh;
	return fresh;
}

struct tw_held *tw_channel__drop_head(struct tw_channel *c)
{
	struct tw_held *held = c->head;

	c->head = held->next;
	if (c->head)
		c->head->prev = NULL;
	else
		c->tail = NULL;
	c->last = held->info;
	if (!held->late)
		c->dropped = held->dropped;
	return held;
}

/* The list of waiting marks is full, or nothing new came: the last one stands for both. */
static void channel__push_mark(struct tw_channel *c, struct tw_mark mark)
{
	struct tw_mark *last = c->n_marks ? &c->marks[c->n_marks - 1] : NULL;

	if (last && (last->next_seq >= mark.next_seq || c->n_marks == TW_CHANNEL_MARKS)) {
		last->time = mark.time > last->time ? mark.time : last->time;
		last->next_seq = mark.next_seq > last->next_seq ? mark.next_seq : last->next_seq;
		return;
	}
	c->marks[c->n_marks++] = mark;
}

bool tw_channel__promise(struct tw_channel *c, uint64_t time, uint64_t next_seq, uint64_t dropped)
{
	if (next_seq > UINT64_MAX - UINT16_MAX || (c->known && next_seq > c->seen + TW_CHANNEL_JUMP))
		return false;
	if (!c->known)
		channel__begin(c, next_seq, dropped);
	if (next_seq > c->promised) {
		c->promised = next_seq;
		c->promised_dropped = dropped;
	}
	channel__push_mark(c, (struct tw_mark){ .time = time, .next_seq = next_seq });
	channel__apply_marks(c);
	return true;
}

bool tw_channel__owes(const struct tw_channel *c)
{
	return c->known && c->promised > c->next && c->promised <= c->next + TW_CHANNEL_JUMP;
}

bool tw_numbers__see(struct tw_numbers *n, uint64_t seq, uint64_t *gaps)
{
	const uint64_t back = n->next - 1 - seq, ahead = seq - n->next;

	if (!n->known) {
		*n = (struct tw_numbers){ .next = seq + 1, .recent = UINT64_MAX, .known = true };
	} else if (seq < n->next) {
		if (back < 64 && !(n->recent >> back & 1)) {
			n->recent |= 1ull << back;
			--*gaps;
		}
	} else if (ahead < TW_CHANNEL_JUMP) {
		n->recent = ahead < 63 ? n->recent << (ahead + 1) | 1 : 1;
		*gaps += ahead;
		n->next = seq + 1;
	} else {
		return false;
	}
	return true;
}
