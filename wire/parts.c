/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/parts.h"

#include <stdlib.h>

#define PARTS_FIRST_ALLOC 1024

/* A value some of whose pieces came. */
struct whole {
	struct whole *next; /* in the order in which they began */
	uint64_t stream_id;
	uint32_t id, total;
	uint32_t have; /* bytes, from the beginning on without a hole */
	size_t cap;    /* bytes allocated */
	uint16_t channel, inner_type;
	uint8_t *bytes;
};

struct tw_parts {
	struct tw_parts_limits limits;
	struct tw_parts_stats stats;
	struct whole *oldest;
	struct whole *handed_out; /* the value borrowed from the last call */
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

/* Where the list points at the whole of that name, or at its end. */
static struct whole **parts__find(struct tw_parts *parts, uint64_t stream_id, uint16_t channel, uint32_t id)
{
	struct whole **link = &parts->oldest;

	while (*link && ((*link)->id != id || (*link)->channel != channel || (*link)->stream_id != stream_id))
		link = &(*link)->next;
	return link;
}

static struct whole *parts__unlink(struct tw_parts *parts, struct whole **link)
{
	struct whole *whole = *link;

	*link = whole->next;
	parts->stats.bytes -= whole->cap;
	parts->stats.count--;
	return whole;
}

static void parts__give_up(struct tw_parts *parts, struct whole **link)
{
	if (!*link)
		return;
	whole__free(parts__unlink(parts, link));
	parts->stats.incomplete++;
}

static struct whole *parts__begin(struct tw_parts *parts, uint64_t stream_id, uint16_t channel,
				  const struct tw_part_view *part)
{
	struct whole *whole, **end = &parts->oldest;

	if (parts->stats.count >= parts->limits.count)
		parts__give_up(parts, &parts->oldest);
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

/* Older ones go until @more bytes fit. */
static void parts__make_room(struct tw_parts *parts, const struct whole *keep, size_t more)
{
	struct whole **link = &parts->oldest;

	while (*link && parts->stats.bytes + more > parts->limits.bytes) {
		if (*link == keep)
			link = &(*link)->next;
		else
			parts__give_up(parts, link);
	}
}

/* Memory follows the bytes that came; the total is only a claim. */
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

static enum tw_parts_status parts__hand_out(struct tw_parts *parts, struct whole **link, struct tw_tlv_view *ret)
{
	struct whole *whole = parts__unlink(parts, link);

	parts->handed_out = whole;
	parts->stats.whole++;
	ret->type = whole->inner_type;
	ret->value = whole->bytes;
	ret->len = whole->total;
	return TW_PARTS_WHOLE;
}

/* Whatever is known of that name already: true if the piece can go on from it, or begins it. */
static bool parts__continues(struct tw_parts *parts, struct whole **link, const struct tw_part_view *part,
			     enum tw_parts_status *ret_why)
{
	const struct whole *whole = *link;
	const bool same = whole && whole->total == part->total && whole->inner_type == part->inner_type;

	if (same && part->offset == whole->have)
		return true;
	if (same && part->offset + part->len <= whole->have) {
		parts->stats.repeated++;
		*ret_why = TW_PARTS_REPEATED;
		return false;
	}
	if (whole)
		parts__give_up(parts, link);
	if (!part->offset)
		return true;
	parts->stats.headless++;
	*ret_why = TW_PARTS_BROKEN;
	return false;
}

enum tw_parts_status tw_parts__add(struct tw_parts *parts, uint64_t stream_id, uint16_t channel,
				   const struct tw_part_view *part, struct tw_tlv_view *ret)
{
	enum tw_parts_status why = TW_PARTS_REFUSED;
	struct whole *whole, **link;

	whole__free(parts->handed_out);
	parts->handed_out = NULL;
	if (part->total > parts->limits.bytes) {
		parts->stats.refused++;
		return TW_PARTS_REFUSED;
	}
	link = parts__find(parts, stream_id, channel, part->id);
	if (!parts__continues(parts, link, part, &why))
		return why;
	link = parts__find(parts, stream_id, channel, part->id);
	whole = *link ? *link : parts__begin(parts, stream_id, channel, part);
	if (!whole || !parts__reserve(parts, whole, (size_t)part->offset + part->len)) {
		parts->stats.refused++;
		return TW_PARTS_REFUSED;
	}
	memcpy(whole->bytes + part->offset, part->bytes, part->len);
	whole->have += (uint32_t)part->len;
	if (whole->have < whole->total)
		return TW_PARTS_MORE;
	return parts__hand_out(parts, parts__find(parts, stream_id, channel, part->id), ret);
}

void tw_parts__stats(const struct tw_parts *parts, struct tw_parts_stats *ret)
{
	*ret = parts->stats;
}
