/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/merge/queued_frame.h"

#include <stdlib.h>

#include "wire/encode.h"

static bool tlv__is_numbered(const struct tw_tlv_view *tlv)
{
	if (tlv->type == TW_TLV_EVENT || tlv->type == TW_TLV_FILTERED)
		return true;
	return tlv->type == TW_TLV_PART && tw_part__is_last_of_event(tlv);
}

static bool tlv__is_item(unsigned int type)
{
	/* An authentication tag is valid only for the whole frame in which it arrived, but the merge takes frames apart. */
	return type != TW_TLV_PAD && type != TW_TLV_WATERMARK && type != TW_TLV_AUTH;
}

/* Skips an EVENT or FILTERED. Inline, because nearly all TLVs are events. Return: its type << 16 | length; 0 = another TLV */
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

static void content__lost(struct tw_queued_frame_content *content, const struct tw_tlv_view *tlv)
{
	struct tw_lost_view lost;

	if (!tw_lost__parse(tlv, 0, &lost) || (lost.where != TW_LOST_SHED && lost.where != TW_LOST_TX))
		return;
	if (lost.where == TW_LOST_SHED)
		content->shed = saturating_sum(content->shed, lost.count);
	else
		content->tx = saturating_sum(content->tx, lost.count);
	if (!content->events)
		content->lost_before = saturating_sum(content->lost_before, lost.count);
}

static void content__other(struct tw_queued_frame_content *content, const struct tw_tlv_view *tlv)
{
	content->items += tlv__is_item(tlv->type);
	content->events += tlv__is_numbered(tlv);
	content->filtered += tlv->type == TW_TLV_FILTERED;
	content->has_watermark |= tlv->type == TW_TLV_WATERMARK;
	content->has_parts |= tlv->type == TW_TLV_PART;
	content->has_lost |= tlv->type == TW_TLV_LOST;
	content->has_end |= tlv->type == TW_TLV_END;
	if (tlv->type == TW_TLV_LOST)
		content__lost(content, tlv);
}

static uint64_t frame__time(const struct tw_queued_frame *frame, const uint8_t *value)
{
	return frame->info.base_time + (uint64_t)(int64_t)(int32_t)tw_load_be32(value);
}

/* Counts and skips the EVENT and FILTERED TLVs that follow directly. */
static void content__events(struct tw_queued_frame_content *content, struct tw_cursor *rest, const uint8_t **last)
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

void tw_queued_frame__look(struct tw_queued_frame *frame)
{
	struct tw_queued_frame_content *content = &frame->content;
	struct tw_cursor rest = frame->rest;
	const uint8_t *last = NULL;
	enum tw_frame_status status;
	struct tw_tlv_view tlv;

	*content = (struct tw_queued_frame_content){ .last = frame->info.base_time };
	content__events(content, &rest, &last);
	while (tw_cursor__next_tlv(&rest, &tlv, &status)) {
		content__other(content, &tlv);
		content__events(content, &rest, &last);
	}
	if (last)
		content->last = frame__time(frame, last + sizeof(struct tw_tlv));
	content->len = (uint32_t)tw_tlv__padded((size_t)(rest.at - frame->data));
	content->broken = status != TW_FRAME_OK;
}

/* A PART has the base time of its frame; other items without a time have the time of the item before them. */
static uint64_t item__time(const struct tw_queued_frame *frame, const struct tw_tlv_view *tlv)
{
	switch (tlv->type) {
	case TW_TLV_EVENT:
	case TW_TLV_FILTERED:
	case TW_TLV_LOST:
		return frame__time(frame, tlv->value);
	case TW_TLV_PART:
		return frame->info.base_time;
	default:
		return frame->item.time;
	}
}

/* A fast path, because nearly all items are events. Return: false if the next item is no event, or cannot be read */
static inline bool frame__next_event(struct tw_queued_frame *frame)
{
	const uint8_t *at = frame->rest.at;
	uint32_t head;

	if (frame->seq == tw_queued_frame__end(frame))
		return false;
	head = cursor__skip_event(&frame->rest);
	if (!head)
		return false;
	frame->item.time = frame__time(frame, at + sizeof(struct tw_tlv));
	frame->item.tlv = at;
	frame->item.len = head & 0xffff;
	frame->item.type = (uint16_t)(head >> 16);
	frame->item.numbered = true;
	return true;
}

bool tw_queued_frame__next(struct tw_queued_frame *frame)
{
	enum tw_frame_status status;
	struct tw_tlv_view tlv;

	if (frame__next_event(frame))
		return true;
	while (tw_cursor__next_tlv(&frame->rest, &tlv, &status)) {
		const size_t len = sizeof(struct tw_tlv) + tlv.len;

		if (!tlv__is_item(tlv.type))
			continue;
		frame->item.numbered = tlv__is_numbered(&tlv);
		if (frame->item.numbered && frame->seq == tw_queued_frame__end(frame))
			return false; /* more events than the header has numbers */
		frame->item.time = item__time(frame, &tlv);
		frame->item.type = tlv.type;
		frame->item.tlv = tlv.value - sizeof(struct tw_tlv);
		frame->item.len = (uint32_t)tw_tlv__padded(len);
		return true;
	}
	return false;
}

void tw_queued_frame__strip(struct tw_queued_frame *frame, bool of_all)
{
	struct tw_cursor rest = frame->rest;
	uint8_t *to = frame->copy + sizeof(struct tw_frame_hdr);
	enum tw_frame_status status;
	struct tw_tlv_view tlv;

	while (tw_cursor__next_tlv(&rest, &tlv, &status)) {
		const size_t len = tw_tlv__padded(sizeof(struct tw_tlv) + tlv.len);

		if (of_all && !tlv__is_item(tlv.type))
			continue;
		memmove(to, tlv.value - sizeof(struct tw_tlv), len);
		to += len;
	}
	frame->rest.left = (size_t)(to - frame->rest.at);
	frame->info.length = (uint16_t)(to - frame->copy);
	tw_frame_hdr__emit(frame->copy, &frame->info);
}

#define SIZE_MIN   256
#define UNUSED_MAX (8u << 20) /* limit of the bytes that are kept for reuse */

void tw_frame_pool__fini(struct tw_frame_pool *pool)
{
	for (int i = 0; i < TW_FRAME_POOL_CLASSES; i++) {
		while (pool->unused[i]) {
			struct tw_queued_frame *frame = pool->unused[i];

			pool->unused[i] = frame->next;
			free(frame);
		}
	}
}

static struct tw_queued_frame *pool__buffer(struct tw_frame_pool *pool, size_t need)
{
	uint8_t size_class = 0;
	struct tw_queued_frame *frame;

	while ((size_t)SIZE_MIN << size_class < need)
		size_class++;
	frame = pool->unused[size_class];
	if (frame) {
		pool->unused[size_class] = frame->next;
		pool->unused_bytes -= frame->size;
		return frame;
	}
	frame = malloc((size_t)SIZE_MIN << size_class);
	if (!frame)
		return NULL;
	frame->size = (uint32_t)SIZE_MIN << size_class;
	frame->size_class = size_class;
	return frame;
}

struct tw_queued_frame *tw_frame_pool__take(struct tw_frame_pool *pool, const struct tw_frame_info *info,
					    const void *data, size_t len, struct tw_borrowed_buffer *buffer)
{
	struct tw_queued_frame *frame = pool__buffer(pool, sizeof(*frame) + (buffer ? 0 : len + TW_QUEUED_FRAME_SLACK));

	if (!frame)
		return NULL;
	frame->next = frame->prev = NULL;
	frame->info = *info;
	frame->seq = info->seq;
	frame->started = frame->fills_gap = false;
	frame->dropped = 0;
	frame->packet = (struct tw_merge_packet){ 0 };
	frame->item = (struct tw_merge_item){ .time = info->base_time };
	frame->buffer = buffer;
	if (buffer) {
		buffer->users++;
		frame->borrowed = (uint32_t)len;
		frame->data = data;
	} else {
		frame->borrowed = 0;
		frame->data = memcpy(frame->copy, data, len);
		memset(frame->copy + len, 0, TW_QUEUED_FRAME_SLACK);
	}
	frame->rest.at = frame->data + sizeof(struct tw_frame_hdr);
	frame->rest.left = len - sizeof(struct tw_frame_hdr);
	pool->queued_bytes += frame->size + frame->borrowed;
	return frame;
}

void tw_frame_pool__give(struct tw_frame_pool *pool, struct tw_queued_frame *frame)
{
	pool->queued_bytes -= frame->size + frame->borrowed;
	if (frame->buffer)
		tw_borrowed_buffer__return(frame->buffer);
	if (pool->unused_bytes + frame->size > UNUSED_MAX) {
		free(frame);
		return;
	}
	frame->next = pool->unused[frame->size_class];
	pool->unused[frame->size_class] = frame;
	pool->unused_bytes += frame->size;
}

void tw_frame_pool__give_all(struct tw_frame_pool *pool, struct tw_queued_frame *frame)
{
	while (frame) {
		struct tw_queued_frame *next = frame->next;

		tw_frame_pool__give(pool, frame);
		frame = next;
	}
}
