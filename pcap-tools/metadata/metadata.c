/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/metadata/metadata.h"

#include <stdlib.h>
#include <string.h>

#include "pcap-tools/metadata/state.h"
#include "wire/schema_text.h"

#define PARTS_BYTES \
	((size_t)4 << 20) /* of values that come in pieces; one schema text takes a quarter of a MiB at most */
#define PARTS_COUNT 64

/* Pieces of the producer's own that had to be written as they are don't have these. */
#define FIRST_PART_ID 0x80000000u

struct tw_metadata *tw_metadata__new(size_t memory, struct tw_metadata_room *room)
{
	const struct tw_parts_limits limits = { .bytes = PARTS_BYTES, .count = PARTS_COUNT };
	struct tw_metadata *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->limit = memory ? memory : TW_METADATA_MEMORY;
	m->part_id = FIRST_PART_ID;
	m->parts = tw_parts__new(&limits);
	if (!m->parts || tw_items__init(&m->items, room)) {
		tw_metadata__free(m);
		return NULL;
	}
	return m;
}

void tw_metadata__free(struct tw_metadata *m)
{
	if (!m)
		return;
	tw_items__fini(&m->items);
	tw_parts__free(m->parts);
	free(m);
}

static bool fits(const struct tw_metadata *m, size_t len)
{
	const struct tw_metadata_room *room = m->items.room;
	const size_t cost = tw_items__cost(&m->items, len);

	return m->items.memory + cost <= m->limit && (!room || room->taken + cost <= room->limit);
}

/*
 * Names make room: first old ones, then those not told for the longest time, which most likely are of tasks that ended. No old
 * one takes the place of one that is the last.
 */
static void make_room(struct tw_metadata *m, enum tw_item_class for_class, size_t len)
{
	static const enum tw_item_class order[] = { TW_ITEM_OLD_COMM, TW_ITEM_COMM };

	for (size_t i = 0; i < (for_class == TW_ITEM_OLD_COMM ? 1 : 2); i++) {
		struct tw_item *oldest;

		while (!fits(m, len) && (oldest = TAILQ_FIRST(&m->items.lists[order[i]]))) {
			tw_items__remove(&m->items, oldest);
			m->stats.forgotten++;
		}
	}
}

static void keep(struct tw_metadata *m, const struct tw_item_key *key, const struct tw_frame_info *frame,
		 const struct tw_tlv_view *tlv)
{
	struct tw_item *item = NULL;

	if (tw_items__cost(&m->items, tlv->len) <= m->limit)
		make_room(m, key->class, tlv->len);
	if (fits(m, tlv->len))
		item = tw_items__add(&m->items, key, tlv->value, tlv->len);
	if (!item) {
		m->stats.beyond++;
		return;
	}
	item->schema_id = frame->schema_id;
	item->flags = frame->flags & (uint8_t)~TW_FLAG_LATE; /* at the head of a file it is not */
	item->type = tlv->type;
}

static bool says_the_same(const struct tw_item *item, const struct tw_tlv_view *tlv)
{
	return item && item->len == tlv->len && (!tlv->len || !memcmp(item->value, tlv->value, tlv->len));
}

/* The latest takes the place of the one before. Return: whether it says something else. */
static bool keep_latest(struct tw_metadata *m, const struct tw_item_key *key, const struct tw_frame_info *frame,
			const struct tw_tlv_view *tlv)
{
	struct tw_item *there = tw_items__find(&m->items, key);

	if (says_the_same(there, tlv))
		return false;
	if (there)
		tw_items__remove(&m->items, there);
	keep(m, key, frame, tlv);
	return true;
}

static bool take_clock(struct tw_metadata *m, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv)
{
	const uint32_t needed = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_REAL;
	const struct tw_item_key first = { .class = TW_ITEM_FIRST_CLOCK }, latest = { .class = TW_ITEM_CLOCK };
	struct tw_clock_view clock;

	if (!tw_clock__parse(tlv, &clock)) {
		m->stats.malformed++;
		return true;
	}
	if ((clock.valid & needed) == needed && !tw_items__find(&m->items, &first))
		keep(m, &first, frame, tlv);
	else
		keep_latest(m, &latest, frame, tlv);
	return true;
}

static bool take_schema(struct tw_metadata *m, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv)
{
	struct tw_schema_view schema;

	if (!tw_schema_tlv__parse(tlv, &schema)) {
		m->stats.malformed++;
		return true;
	}
	return keep_latest(m,
			   &(struct tw_item_key){ .class = TW_ITEM_SCHEMA,
						  .first = frame->schema_id,
						  .second = (uint64_t)schema.kind << 32 | schema.index },
			   frame, tlv);
}

static uint64_t time_of(const struct tw_item *item)
{
	const struct tw_tlv_view tlv = { .type = TW_TLV_COMM, .value = item->value, .len = item->len };
	struct tw_comm_view comm = { 0 };

	tw_comm__parse(&tlv, &comm);
	return comm.time;
}

static void forget(struct tw_metadata *m, const struct tw_item_key *key)
{
	struct tw_item *item = tw_items__find(&m->items, key);

	if (item)
		tw_items__remove(&m->items, item);
}

/* The task has a new last name. Without that the one before would stand for it. */
static void keep_name(struct tw_metadata *m, const struct tw_item_key *now, const struct tw_item_key *old,
		      const struct tw_frame_info *frame, const struct tw_tlv_view *tlv)
{
	keep_latest(m, now, frame, tlv);
	if (!tw_items__find(&m->items, now))
		forget(m, old);
}

/* A task's last name, and the one before that. */
static bool take_comm(struct tw_metadata *m, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv)
{
	struct tw_item_key now = { .class = TW_ITEM_COMM }, old = { .class = TW_ITEM_OLD_COMM };
	struct tw_item *there, *before;
	struct tw_comm_view comm;

	if (!tw_comm__parse(tlv, &comm)) {
		m->stats.malformed++;
		return true;
	}
	now.first = old.first = comm.pid;
	there = tw_items__find(&m->items, &now);
	before = tw_items__find(&m->items, &old);
	if (says_the_same(before, tlv))
		return false;
	if (says_the_same(there, tlv)) {
		tw_items__touch(&m->items, there);
		return false;
	}
	if (there && comm.time < time_of(there)) {
		if (!before || comm.time >= time_of(before))
			keep_latest(m, &old, frame, tlv);
		return true;
	}
	if (there && comm.time > time_of(there)) {
		forget(m, &old);
		tw_items__rekey(&m->items, there, &old);
	}
	keep_name(m, &now, &old, frame, tlv);
	return true;
}

/* Of several for one address the first that covers what is looked up has the name: all are kept, in the order in which they came. */
static bool take_symbol(struct tw_metadata *m, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv)
{
	struct tw_item_key key = { .class = TW_ITEM_SYMBOL };
	struct tw_symbol_view symbol;
	const struct tw_item *there;

	if (!tw_symbol__parse(tlv, &symbol)) {
		m->stats.malformed++;
		return true;
	}
	key.first = symbol.address;
	key.second = symbol.size;
	there = tw_items__find(&m->items, &key);
	if (!there)
		keep(m, &key, frame, tlv);
	return !says_the_same(there, tlv);
}

/* Return: whether it is news. */
static bool take(struct tw_metadata *m, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv)
{
	switch (tlv->type) {
	case TW_TLV_HOST:
		return keep_latest(m, &(struct tw_item_key){ .class = TW_ITEM_HOST }, frame, tlv);
	case TW_TLV_CLOCK:
		return take_clock(m, frame, tlv);
	case TW_TLV_SCHEMA:
		return take_schema(m, frame, tlv);
	case TW_TLV_COMM:
		return take_comm(m, frame, tlv);
	case TW_TLV_SYMBOL:
		return take_symbol(m, frame, tlv);
	case TW_TLV_STATS:
		keep_latest(m, &(struct tw_item_key){ .class = TW_ITEM_STATS }, frame, tlv);
		return true;
	default:
		return true;
	}
}

static enum tw_metadata_verdict verdict_of(struct tw_metadata *m, bool news, enum tw_metadata_verdict if_news)
{
	m->stats.known += !news;
	return news ? if_news : TW_METADATA_SKIP;
}

static enum tw_metadata_verdict take_part(struct tw_metadata *m, const struct tw_frame_info *frame,
					  const struct tw_tlv_view *tlv)
{
	struct tw_part_view part;

	if (!tw_part__parse(tlv, &part)) {
		m->stats.malformed++;
		return TW_METADATA_WRITE;
	}
	if (part.inner_type == TW_TLV_EVENT)
		return TW_METADATA_WRITE;
	switch (tw_parts__add(m->parts, frame->stream_id, frame->channel, &part, &m->whole)) {
	case TW_PARTS_WHOLE:
		m->whole_frame = *frame;
		return verdict_of(m, take(m, frame, &m->whole), TW_METADATA_WHOLE);
	case TW_PARTS_REFUSED: /* too large to be judged */
		return TW_METADATA_WRITE;
	default:
		return TW_METADATA_SKIP;
	}
}

enum tw_metadata_verdict tw_metadata__take(struct tw_metadata *m, const struct tw_frame_info *frame,
					   const struct tw_tlv_view *tlv)
{
	bool news;

	if (tlv->type == TW_TLV_PART)
		return take_part(m, frame, tlv);
	if (tlv->type == TW_TLV_END) {
		news = !m->ended;
		m->ended = true;
	} else {
		news = take(m, frame, tlv);
	}
	return verdict_of(m, news, TW_METADATA_WRITE);
}

void tw_metadata__stats(const struct tw_metadata *m, struct tw_metadata_stats *ret)
{
	struct tw_parts_stats parts;

	tw_parts__stats(m->parts, &parts);
	*ret = m->stats;
	ret->items = m->items.n;
	ret->memory = m->items.memory;
	ret->incomplete = parts.incomplete + parts.headless;
}

void tw_metadata_stats__add(struct tw_metadata_stats *to, const struct tw_metadata_stats *more)
{
	to->items += more->items;
	to->memory += more->memory;
	to->known += more->known;
	to->beyond += more->beyond;
	to->forgotten += more->forgotten;
	to->incomplete += more->incomplete;
	to->malformed += more->malformed;
}
