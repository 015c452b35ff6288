/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/parts.h"

#include <stdlib.h>

#define PARTS_FIRST_ALLOC 1024

/* A value that is being reassembled. */
struct whole {
	struct whole *next; /* the next newer value; the list is in the order in which the values began */
	uint64_t stream_id;
	uint32_t id, total;
	uint32_t have; /* received bytes, contiguous from offset 0 */
	size_t cap;    /* allocated bytes */
	uint16_t channel, inner_type;
	uint8_t *bytes;
};

struct tw_parts {
	struct tw_parts_limits limits;
	struct tw_parts_stats stats;
	struct whole *oldest;
	struct whole *handed_out; /* the complete value that the caller may use until the next tw_parts__add() */
};

struct tw_parts *tw_parts__new(const struct tw_parts_limits *limits)
{
	struct tw_parts *parts = calloc(1, sizeof(*parts));

	if (parts)
		parts->limits = *limits;
	return parts;
}

static void whole__free(struct whole *whole)
{
	if (whole)
		free(whole->bytes);
	free(whole);
}

void tw_parts__free(struct tw_parts *parts)
{
	struct whole *whole, *next;

	if (!parts)
		return;
	for (whole = parts->oldest; whole; whole = next) {
		next = whole->next;
		whole__free(whole);
	}
	whole__free(parts->handed_out);
	free(parts);
}

static struct whole *parts__find(const struct tw_parts *parts, uint64_t stream_id, uint16_t channel, uint32_t id)
{
	struct whole *whole = parts->oldest;

	while (whole && (whole->id != id || whole->channel != channel || whole->stream_id != stream_id))
		whole = whole->next;
	return whole;
}

static void parts__unlink(struct tw_parts *parts, const struct whole *whole)
{
	struct whole **link = &parts->oldest;

	while (*link != whole)
		link = &(*link)->next;
	*link = whole->next;
	parts->stats.bytes -= whole->cap;
	parts->stats.count--;
}

static void parts__give_up(struct tw_parts *parts, struct whole *whole)
{
	parts__unlink(parts, whole);
	whole__free(whole);
	parts->stats.incomplete++;
}

static struct whole *parts__begin(struct tw_parts *parts, uint64_t stream_id, uint16_t channel,
				  const struct tw_part_view *part)
{
	struct whole *whole, **end = &parts->oldest;

	if (parts->stats.count >= parts->limits.count)
		parts__give_up(parts, parts->oldest);
	whole = calloc(1, sizeof(*whole));
	if (!whole)
		return NULL;
	whole->stream_id = stream_id;
	whole->channel = channel;
	whole->id = part->id;
	whole->total = part->total;
	whole->inner_type = part->inner_type;
	while (*end)
		end = &(*end)->next;
	*end = whole;
	parts->stats.count++;
	return whole;
}

/* Discard the oldest values, but not @keep, until @more bytes fit. */
static void parts__make_room(struct tw_parts *parts, const struct whole *keep, size_t more)
{
	struct whole *whole = parts->oldest, *next;

	for (; whole && parts->stats.bytes + more > parts->limits.bytes; whole = next) {
		next = whole->next;
		if (whole != keep)
			parts__give_up(parts, whole);
	}
}

/* Allocate @need bytes or more. Memory grows with the received bytes, because the total is untrusted. */
static bool parts__reserve(struct tw_parts *parts, struct whole *whole, size_t need)
{
	size_t cap = whole->cap ? whole->cap : PARTS_FIRST_ALLOC;
	uint8_t *bytes;

	if (whole->bytes && need <= whole->cap)
		return true;
	while (cap < need)
		cap *= 2;
	if (cap > whole->total)
		cap = whole->total;
	parts__make_room(parts, whole, cap - whole->cap);
	bytes = realloc(whole->bytes, cap);
	if (!bytes)
		return false;
	parts->stats.bytes += cap - whole->cap;
	whole->bytes = bytes;
	whole->cap = cap;
	return true;
}

static enum tw_parts_status parts__hand_out(struct tw_parts *parts, struct whole *whole, struct tw_tlv_view *ret)
{
	parts__unlink(parts, whole);
	parts->handed_out = whole;
	ret->type = whole->inner_type;
	ret->value = whole->bytes;
	ret->len = whole->total;
	return TW_PARTS_WHOLE;
}

/*
 * Find the incomplete value to which a piece is appended, or make one if the piece has offset 0.
 * Return: NULL, with @ret_why, if the piece is repeated or discarded.
 */
static struct whole *parts__place(struct tw_parts *parts, uint64_t stream_id, uint16_t channel,
				  const struct tw_part_view *part, enum tw_parts_status *ret_why)
{
	struct whole *whole = parts__find(parts, stream_id, channel, part->id);
	const bool same = whole && whole->total == part->total && whole->inner_type == part->inner_type;

	if (same && part->offset == whole->have)
		return whole;
	if (same && part->offset + part->len <= whole->have) {
		parts->stats.repeated++;
		*ret_why = TW_PARTS_REPEATED;
		return NULL;
	}
	if (whole)
		parts__give_up(parts, whole);
	if (part->offset) {
		parts->stats.headless++;
		*ret_why = TW_PARTS_BROKEN;
		return NULL;
	}
	whole = parts__begin(parts, stream_id, channel, part);
	parts->stats.refused += !whole;
	*ret_why = TW_PARTS_REFUSED;
	return whole;
}

enum tw_parts_status tw_parts__add(struct tw_parts *parts, uint64_t stream_id, uint16_t channel,
				   const struct tw_part_view *part, struct tw_tlv_view *ret)
{
	enum tw_parts_status why;
	struct whole *whole;

	whole__free(parts->handed_out);
	parts->handed_out = NULL;
	if (part->total > parts->limits.bytes) {
		parts->stats.refused++;
		return TW_PARTS_REFUSED;
	}
	whole = parts__place(parts, stream_id, channel, part, &why);
	if (!whole)
		return why;
	if (!parts__reserve(parts, whole, (size_t)part->offset + part->len)) {
		parts->stats.refused++;
		return TW_PARTS_REFUSED;
	}
	memcpy(whole->bytes + part->offset, part->bytes, part->len);
	whole->have += (uint32_t)part->len;
	return whole->have < whole->total ? TW_PARTS_MORE : parts__hand_out(parts, whole, ret);
}

void tw_parts__stats(const struct tw_parts *parts, struct tw_parts_stats *ret)
{
	*ret = parts->stats;
}
