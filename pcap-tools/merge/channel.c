/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/merge/channel.h"

#include <stdlib.h>

struct tw_channel *tw_channel__new(uint16_t id, bool from_start)
{
	struct tw_channel *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->id = id;
	c->heap_at = SIZE_MAX;
	c->known = c->begun = from_start;
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

static void channel__miss(struct tw_channel *c, uint64_t from, uint64_t to)
{
	c->gaps += to - from;
	c->missing[c->next_missing] = (struct tw_range){ .from = from, .to = to };
	c->next_missing = (uint8_t)((c->next_missing + 1) % TW_CHANNEL_GAPS);
}

/* Take [from, to) out of a gap that holds all of it. What is left of the gap before it is remembered no longer. */
static bool channel__fill(struct tw_channel *c, uint64_t from, uint64_t to)
{
	for (int i = 0; i < TW_CHANNEL_GAPS; i++) {
		struct tw_range *gap = &c->missing[i];
		const struct tw_range before = { .from = gap->from, .to = from };

		if (from < gap->from || to > gap->to)
			continue;
		gap->from = to;
		c->gaps -= to - from;
		if (before.from < before.to) {
			c->gaps -= before.to - before.from;
			channel__miss(c, before.from, before.to);
		}
		return true;
	}
	return false;
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
	if (!channel__fill(c, held->info.seq, tw_held__end(held)))
		return TW_QUEUED_REPEAT;
	held->late = true;
	channel__link_after(c, NULL, held);
	return TW_QUEUED_LATE;
}

/* The first number that was heard of, by a frame or a watermark: what is missing from there on is a gap. */
static void channel__begin(struct tw_channel *c, uint64_t seq)
{
	c->next = c->seen = seq;
	c->known = true;
}

enum tw_queued tw_channel__queue(struct tw_channel *c, struct tw_held *held)
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
		channel__begin(c, held->info.seq);
	if (held->info.seq <= c->seen)
		channel__see(c, tw_held__end(held), held->next);
	channel__apply_marks(c);
	return TW_QUEUED;
}

bool tw_channel__use(struct tw_channel *c, struct tw_held *held)
{
	const uint64_t seq = held->seq++;

	held->started = true;
	c->begun = true;
	if (held->late)
		return true;
	if (seq < c->next)
		return false;
	if (seq > c->next) {
		channel__miss(c, c->next, seq);
		channel__see(c, seq, held);
		channel__apply_marks(c);
	}
	c->next = seq + 1;
	return true;
}

struct tw_held *tw_channel__drop_head(struct tw_channel *c)
{
	struct tw_held *held = c->head;

	c->head = held->next;
	if (c->head)
		c->head->prev = NULL;
	else
		c->tail = NULL;
	if (held->late && held->seq < tw_held__end(held)) {
		channel__miss(c, held->seq, tw_held__end(held));
	} else if (!held->late && held->seq < tw_held__end(held) && c->next < tw_held__end(held)) {
		channel__miss(c, c->next, tw_held__end(held));
		c->next = tw_held__end(held);
		channel__see(c, c->next, c->head);
		channel__apply_marks(c);
	}
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

bool tw_channel__promise(struct tw_channel *c, uint64_t time, uint64_t next_seq)
{
	if (next_seq > UINT64_MAX - UINT16_MAX || (c->known && next_seq > c->seen + TW_CHANNEL_JUMP))
		return false;
	if (!c->known)
		channel__begin(c, next_seq);
	if (next_seq > c->promised)
		c->promised = next_seq;
	channel__push_mark(c, (struct tw_mark){ .time = time, .next_seq = next_seq });
	channel__apply_marks(c);
	return true;
}

void tw_channel__settle(struct tw_channel *c)
{
	if (!c->known || c->promised <= c->next || c->promised > c->next + TW_CHANNEL_JUMP)
		return;
	channel__miss(c, c->next, c->promised);
	c->next = c->promised;
	channel__see(c, c->next, NULL);
	channel__apply_marks(c);
}
