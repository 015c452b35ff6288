/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/merge/queued_frame.h"

#include <stdlib.h>

/* The last piece of an event uses up its number. */
static bool part__is_last_of_event(const struct tw_tlv_view *tlv)
{
	struct tw_part_view part;

	return tw_part__parse(tlv, &part) && part.inner_type == TW_TLV_EVENT && part.offset + part.len == part.total;
}

static bool tlv__is_numbered(const struct tw_tlv_view *tlv)
{
	if (tlv->type == TW_TLV_EVENT || tlv->type == TW_TLV_FILTERED)
		return true;
	return tlv->type == TW_TLV_PART && part__is_last_of_event(tlv);
}

static bool tlv__is_item(unsigned int type)
{
	/* A tag covers the whole frame that it came in, which is taken apart. */
	return type != TW_TLV_PAD && type != TW_TLV_WATERMARK && type != TW_TLV_AUTH;
}

/* Nearly all TLVs are events: over one of them without a call. Return: its type and length as they stand there; 0 = it is another */
static inline uint32_t cursor__skip_event(struct tw_cursor *c)
{
	uint32_t head, type, len;

	if (c->left < sizeof(struct tw_event))
		return 0;
	head = tw_load_be32(c->at);
	type = head >> 16;
	len = head & 0xffff;
	if ((type != TW_TLV_EVENT && type != TW_TLV_FILTERED) || len < sizeof(struct tw_event) || len % 4 ||
	    len > c->left)
		return 0;
	c->at += len;
	c->left -= len;
	return head;
}

static uint64_t saturating_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void content__lost(struct tw_frame_content *content, const struct tw_tlv_view *tlv)
{
	struct tw_lost_view lost;

	if (!tw_lost__parse(tlv, 0, &lost) || (lost.where != TW_LOST_SHED && lost.where != TW_LOST_TX))
		return;
	if (lost.where == TW_LOST_SHED)
		content->shed = saturating_sum(content->shed, lost.count);
	else
		content->tx = saturating_sum(content->tx, lost.count);
	if (!content->events)
		content->told = saturating_sum(content->told, lost.count);
}

static void content__other(struct tw_frame_content *content, const struct tw_tlv_view *tlv)
{
	content->items += tlv__is_item(tlv->type);
	content->events += tlv__is_numbered(tlv);
	content->filtered += tlv->type == TW_TLV_FILTERED;
	content->has_watermark |= tlv->type == TW_TLV_WATERMARK;
	content->has_parts |= tlv->type == TW_TLV_PART;
	content->has_lost |= tlv->type == TW_TLV_LOST;
	content->has_host |= tlv->type == TW_TLV_HOST;
	content->has_end |= tlv->type == TW_TLV_END;
	if (tlv->type == TW_TLV_LOST)
		content__lost(content, tlv);
}

static uint64_t held__time(const struct tw_held *held, const uint8_t *value)
{
	return held->info.base_time + (uint64_t)(int64_t)(int32_t)tw_load_be32(value);
}

/* Events that follow each other. */
static void content__events(struct tw_frame_content *content, struct tw_cursor *rest, const uint8_t **last)
{
	uint32_t n = 0, filtered = 0, head;
	const uint8_t *at = rest->at;

	while ((head = cursor__skip_event(rest))) {
		filtered += head >> 16 == TW_TLV_FILTERED;
		n++;
		*last = at;
		at = rest->at;
	}
	content->items += n;
	content->events += n;
	content->filtered += filtered;
}

void tw_held__look(struct tw_held *held)
{
	struct tw_frame_content *content = &held->content;
	struct tw_cursor rest = held->rest;
	const uint8_t *last = NULL;
	enum tw_frame_status status;
	struct tw_tlv_view tlv;

	*content = (struct tw_frame_content){ .last = held->info.base_time };
	content__events(content, &rest, &last);
	while (tw_cursor__next_tlv(&rest, &tlv, &status)) {
		content__other(content, &tlv);
		content__events(content, &rest, &last);
	}
	if (last)
		content->last = held__time(held, last + sizeof(struct tw_tlv));
	content->len = (uint32_t)(rest.at - held->data + 3) & ~3u;
	content->broken = status != TW_FRAME_OK;
}

/* Items without a time of their own stand with the one before them. */
static uint64_t item__time(const struct tw_held *held, const struct tw_tlv_view *tlv)
{
	switch (tlv->type) {
	case TW_TLV_EVENT:
	case TW_TLV_FILTERED:
	case TW_TLV_LOST:
		return held__time(held, tlv->value);
	case TW_TLV_PART:
		return held->info.base_time;
	default:
		return held->item.time;
	}
}

/* Nearly all items are events. Return: false if the next one is not, or can't be read */
static inline bool held__next_event(struct tw_held *held)
{
	const uint8_t *at = held->rest.at;
	uint32_t head;

	if (held->seq == tw_held__end(held))
		return false;
	head = cursor__skip_event(&held->rest);
	if (!head)
		return false;
	held->item.time = held__time(held, at + sizeof(struct tw_tlv));
	held->item.tlv = at;
	held->item.len = head & 0xffff;
	held->item.type = (uint16_t)(head >> 16);
	held->item.numbered = true;
	return true;
}

bool tw_held__next(struct tw_held *held)
{
	enum tw_frame_status status;
	struct tw_tlv_view tlv;

	if (held__next_event(held))
		return true;
	while (tw_cursor__next_tlv(&held->rest, &tlv, &status)) {
		const size_t len = sizeof(struct tw_tlv) + tlv.len;

		if (!tlv__is_item(tlv.type))
			continue;
		held->item.numbered = tlv__is_numbered(&tlv);
		if (held->item.numbered && held->seq == tw_held__end(held))
			return false; /* more events than the header has numbers for */
		held->item.time = item__time(held, &tlv);
		held->item.type = tlv.type;
		held->item.tlv = tlv.value - sizeof(struct tw_tlv);
		held->item.len = (uint32_t)(len + 3) & ~3u;
		return true;
	}
	return false;
}

void tw_held__strip(struct tw_held *held, bool of_all)
{
	struct tw_cursor rest = held->rest;
	uint8_t *to = held->copy + sizeof(struct tw_frame_hdr);
	enum tw_frame_status status;
	struct tw_tlv_view tlv;

	while (tw_cursor__next_tlv(&rest, &tlv, &status)) {
		const size_t len = tw_tlv__padded(sizeof(struct tw_tlv) + tlv.len);

		if (of_all && !tlv__is_item(tlv.type))
			continue;
		memmove(to, tlv.value - sizeof(struct tw_tlv), len);
		to += len;
	}
	held->rest.left = (size_t)(to - held->rest.at);
	held->info.length = (uint16_t)(to - held->copy);
	tw_frame_hdr__emit(held->copy, &held->info);
}

#define LEAST_SIZE 256
#define UNUSED_MAX (8u << 20) /* bytes kept for later; more goes back to the heap */

void tw_frame_pool__fini(struct tw_frame_pool *pool)
{
	for (int i = 0; i < TW_FRAME_POOL_CLASSES; i++) {
		while (pool->unused[i]) {
			struct tw_held *held = pool->unused[i];

			pool->unused[i] = held->next;
			free(held);
		}
	}
}

static struct tw_held *pool__buffer(struct tw_frame_pool *pool, size_t need)
{
	uint8_t size_class = 0;
	struct tw_held *held;

	while ((size_t)LEAST_SIZE << size_class < need)
		size_class++;
	held = pool->unused[size_class];
	if (held) {
		pool->unused[size_class] = held->next;
		pool->unused_bytes -= held->size;
		return held;
	}
	held = malloc((size_t)LEAST_SIZE << size_class);
	if (!held)
		return NULL;
	held->size = (uint32_t)LEAST_SIZE << size_class;
	held->size_class = size_class;
	return held;
}

static void held__put(struct tw_held *held, const void *data, size_t len, struct tw_loan *loan)
{
	held->loan = loan;
	held->lent = loan ? (uint32_t)len : 0;
	held->data = loan ? data : held->copy;
	if (loan) {
		loan->users++;
		return;
	}
	memcpy(held->copy, data, len);
	memset(held->copy + len, 0, TW_HELD_SLACK);
}

struct tw_held *tw_frame_pool__take(struct tw_frame_pool *pool, const struct tw_frame_info *info, const void *data,
				    size_t len, struct tw_loan *loan)
{
	struct tw_held *held = pool__buffer(pool, sizeof(*held) + (loan ? 0 : len + TW_HELD_SLACK));

	if (!held)
		return NULL;
	held->next = held->prev = NULL;
	held->info = *info;
	held->seq = info->seq;
	held->started = held->late = false;
	held->dropped = 0;
	held->item = (struct tw_item){ .time = info->base_time };
	held__put(held, data, len, loan);
	held->rest.at = held->data + sizeof(struct tw_frame_hdr);
	held->rest.left = len - sizeof(struct tw_frame_hdr);
	pool->held_bytes += held->size + held->lent;
	return held;
}

void tw_frame_pool__give(struct tw_frame_pool *pool, struct tw_held *held)
{
	pool->held_bytes -= held->size + held->lent;
	if (held->loan)
		tw_loan__end(held->loan);
	if (pool->unused_bytes + held->size > UNUSED_MAX) {
		free(held);
		return;
	}
	held->next = pool->unused[held->size_class];
	pool->unused[held->size_class] = held;
	pool->unused_bytes += held->size;
}
