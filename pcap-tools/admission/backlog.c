/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/admission/backlog.h"

#include <stdlib.h>
#include <string.h>

#include "pcap-tools/large.h"

#define ALIGN 8

/* Positions grow for ever; where they lie in the ring is what is left of a division by its size. */
struct tw_backlog {
	tw_backlog_refused *refused;
	void *ctx;
	uint64_t begin, end;
	size_t bytes;
	uint8_t *ring;
};

struct tw_backlog *tw_backlog__new(size_t bytes, tw_backlog_refused *refused, void *ctx)
{
	struct tw_backlog *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	*b = (struct tw_backlog){
		.refused = refused, .ctx = ctx, .bytes = bytes, .ring = tw_large__alloc(bytes, bytes)
	};
	if (b->ring)
		return b;
	free(b);
	return NULL;
}

void tw_backlog__free(struct tw_backlog *b)
{
	if (!b)
		return;
	free(b->ring);
	free(b);
}

static struct tw_backlog_frame *frame_at(const struct tw_backlog *b, uint64_t position)
{
	return (struct tw_backlog_frame *)(b->ring + (position & (b->bytes - 1)));
}

static void push_out(struct tw_backlog *b)
{
	const struct tw_backlog_frame *frame = frame_at(b, b->begin);

	if (!frame->taken)
		b->refused(b->ctx, frame);
	b->begin += frame->room;
}

/* At the end of the ring, where a whole frame has no room, is one that was taken already. Return: bytes up to the end of the ring */
static size_t fill_up(struct tw_backlog *b, size_t room)
{
	const size_t rest = b->bytes - (b->end & (b->bytes - 1));

	if (rest >= room)
		return rest;
	while (b->end + rest - b->begin > b->bytes)
		push_out(b);
	if (rest >= sizeof(struct tw_backlog_frame))
		*frame_at(b, b->end) = (struct tw_backlog_frame){ .taken = true, .room = (uint32_t)rest };
	b->end += rest;
	return b->bytes;
}

uint64_t tw_backlog__put(struct tw_backlog *b, const struct tw_backlog_frame *frame, const uint8_t *data)
{
	const size_t most = sizeof(struct tw_backlog_frame) + frame->len;
	size_t room = (most + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	const size_t rest = fill_up(b, room);
	struct tw_backlog_frame *to;

	if (rest - room < sizeof(struct tw_backlog_frame)) /* too little for another */
		room = rest;
	while (b->end + room - b->begin > b->bytes)
		push_out(b);
	to = frame_at(b, b->end);
	*to = *frame;
	to->room = (uint32_t)room;
	memcpy(to + 1, data, frame->len);
	b->end += room;
	return b->end - room + 1;
}

struct tw_backlog_frame *tw_backlog__get(struct tw_backlog *b, uint64_t handle)
{
	return handle > b->begin ? frame_at(b, handle - 1) : NULL;
}

void tw_backlog__expire(struct tw_backlog *b, uint64_t before)
{
	while (b->begin < b->end && frame_at(b, b->begin)->arrival.now < before)
		push_out(b);
}
