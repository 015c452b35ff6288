/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/metadata/metadata.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/hash_table.h"
#include "wire/encode.h"
#include "wire/parts.h"
#include "wire/schema_text.h"

/* The first id of the PARTs made here: far above the ids of PARTs that were received and are written unchanged. */
#define FIRST_PART_ID 0x80000000u

/* The classes of kept records, in replay order. */
enum class {
	HOST,
	FIRST_CLOCK, /* the first with TRACE and REAL: packet times are computed from it */
	CLOCK,
	SCHEMA,
	OLD_COMM, /* a task's previous name */
	COMM,
	SYMBOL,
	STATS,
	CLASSES,
};

struct record_key {
	uint64_t first, second, class;
};

struct item {
	TAILQ_ENTRY(item) order;
	struct record_key key;
	uint64_t schema_id; /* from the frame of the record */
	uint8_t flags;      /* from the frame of the record */
	uint16_t type;      /* type of the TLV */
	uint32_t len;
	uint8_t value[];
};

TAILQ_HEAD(items, item);

struct tw_metadata {
	struct tw_hash_table by_key;   /* struct item * */
	struct items lists[CLASSES];   /* each in replay order */
	size_t limit, memory;          /* bytes */
	struct tw_metadata_room *room; /* limit shared with other streams; NULL = no shared limit */
	struct tw_parts *parts;
	bool ended;
	struct tw_frame_info whole_frame; /* header of the frame with the last PART of `whole` */
	struct tw_tlv_view whole;         /* the latest reassembled value, in the memory of `parts` */
	uint32_t part_id;
	struct tw_metadata_stats stats;
};

/* Adds @bytes to the memory counters; for freed memory, @bytes is the two's complement of its size. */
static void count_memory(struct tw_metadata *m, size_t bytes)
{
	m->memory += bytes;
	if (m->room)
		m->room->taken += bytes;
}

struct tw_metadata *tw_metadata__new(size_t memory, struct tw_metadata_room *room)
{
	const struct tw_parts_limits limits = { .bytes = TW_STREAM_METADATA_PARTS_BYTES,
						.count = TW_STREAM_METADATA_PARTS_MAX };
	struct tw_metadata *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->by_key.key_size = sizeof(struct record_key);
	m->by_key.value_size = sizeof(struct item *);
	for (int i = 0; i < CLASSES; i++)
		TAILQ_INIT(&m->lists[i]);
	m->limit = memory ? memory : TW_STREAM_METADATA_MAX;
	m->room = room;
	m->part_id = FIRST_PART_ID;
	m->parts = tw_parts__new(&limits);
	if (!m->parts) {
		free(m);
		return NULL;
	}
	return m;
}

void tw_metadata__free(struct tw_metadata *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->by_key.n; i++)
		free(*(struct item **)tw_hash_table__value(&m->by_key, i));
	tw_hash_table__fini(&m->by_key);
	count_memory(m, -m->memory);
	tw_parts__free(m->parts);
	free(m);
}

static struct item *find(const struct tw_metadata *m, const struct record_key *key)
{
	struct item *const *item = tw_hash_table__find(&m->by_key, key);

	return item ? *item : NULL;
}

/* Adds @item to the table and to the end of its list. Return: 0; -ENOMEM, but never directly after a key was removed */
static int link_item(struct tw_metadata *m, struct item *item)
{
	const size_t before = tw_hash_table__memory(&m->by_key);
	void *place;
	const int err = tw_hash_table__put(&m->by_key, &item->key, &place);

	if (err < 0)
		return err;
	*(struct item **)place = item;
	count_memory(m, tw_hash_table__memory(&m->by_key) - before);
	TAILQ_INSERT_TAIL(&m->lists[item->key.class], item, order);
	return 0;
}

static void unlink_item(struct tw_metadata *m, struct item *item)
{
	tw_hash_table__remove(&m->by_key, &item->key);
	TAILQ_REMOVE(&m->lists[item->key.class], item, order);
}

static void remove_item(struct tw_metadata *m, struct item *item)
{
	unlink_item(m, item);
	count_memory(m, -(sizeof(*item) + item->len));
	free(item);
}

static struct item *add_item(struct tw_metadata *m, const struct record_key *key, const struct tw_tlv_view *tlv)
{
	struct item *item = malloc(sizeof(*item) + tlv->len);

	if (!item)
		return NULL;
	*item = (struct item){ .key = *key, .len = (uint32_t)tlv->len };
	if (tlv->len)
		memcpy(item->value, tlv->value, tlv->len);
	if (link_item(m, item)) {
		free(item);
		return NULL;
	}
	count_memory(m, sizeof(*item) + tlv->len);
	return item;
}

/* The memory that a new record of @len bytes needs, including the growth of the table. */
static size_t cost_of(const struct tw_metadata *m, size_t len)
{
	return sizeof(struct item) + len + tw_hash_table__growth(&m->by_key);
}

static bool fits(const struct tw_metadata *m, size_t len)
{
	const size_t cost = cost_of(m, len);

	return m->memory + cost <= m->limit && (!m->room || m->room->taken + cost <= m->room->limit);
}

/*
 * Evicts names until a record of @len bytes fits: first previous names, then latest names. The latest names that were not repeated for the
 * longest time are evicted first, because their tasks have most likely ended. A previous name never evicts a latest name.
 */
static void make_room(struct tw_metadata *m, enum class for_class, size_t len)
{
	static const enum class order[] = { OLD_COMM, COMM };

	for (size_t i = 0; i < (for_class == OLD_COMM ? 1 : 2); i++) {
		struct item *oldest;

		while (!fits(m, len) && (oldest = TAILQ_FIRST(&m->lists[order[i]]))) {
			remove_item(m, oldest);
			m->stats.forgotten++;
		}
	}
}

static void keep(struct tw_metadata *m, const struct record_key *key, const struct tw_frame_info *frame,
		 const struct tw_tlv_view *tlv)
{
	struct item *item = NULL;

	if (cost_of(m, tlv->len) <= m->limit)
		make_room(m, (enum class)key->class, tlv->len);
	if (fits(m, tlv->len))
		item = add_item(m, key, tlv);
	if (!item) {
		m->stats.beyond++;
		return;
	}
	item->schema_id = frame->schema_id;
	item->flags = frame->flags & (uint8_t)~TW_FLAG_LATE; /* the copy at the beginning of a file is not late */
	item->type = tlv->type;
}

static bool says_the_same(const struct item *item, const struct tw_tlv_view *tlv)
{
	return item && item->len == tlv->len && (!tlv->len || !memcmp(item->value, tlv->value, tlv->len));
}

/*
 * keep_latest() and the take functions return 1 for a record to be written, 0 for a repetition, and -EBADMSG for a malformed record, which
 * is written unchanged.
 */

/* Replaces the kept record of @key by @tlv if their contents differ. */
static int keep_latest(struct tw_metadata *m, const struct record_key *key, const struct tw_frame_info *frame,
		       const struct tw_tlv_view *tlv)
{
	struct item *there = find(m, key);

	if (says_the_same(there, tlv))
		return 0;
	if (there)
		remove_item(m, there);
	keep(m, key, frame, tlv);
	return 1;
}

static int take_clock(struct tw_metadata *m, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv)
{
	const uint32_t needed = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_REAL;
	const struct record_key first = { .class = FIRST_CLOCK }, latest = { .class = CLOCK };
	struct tw_clock_view clock;

	if (!tw_clock__parse(tlv, &clock))
		return -EBADMSG;
	if ((clock.valid & needed) == needed && !find(m, &first))
		keep(m, &first, frame, tlv);
	else
		keep_latest(m, &latest, frame, tlv);
	return 1;
}

static int take_schema(struct tw_metadata *m, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv)
{
	struct record_key key = { .class = SCHEMA, .first = frame->schema_id };
	struct tw_schema_view schema;

	if (!tw_schema_tlv__parse(tlv, &schema))
		return -EBADMSG;
	key.second = (uint64_t)schema.kind << 32 | schema.index;
	return keep_latest(m, &key, frame, tlv);
}

static uint64_t time_of(const struct item *item)
{
	const struct tw_tlv_view tlv = { .type = TW_TLV_COMM, .value = item->value, .len = item->len };
	struct tw_comm_view comm = { 0 };

	tw_comm__parse(&tlv, &comm);
	return comm.time;
}

static void forget(struct tw_metadata *m, const struct record_key *key)
{
	struct item *item = find(m, key);

	if (item)
		remove_item(m, item);
}

/* Keeps the latest and the previous name of each task. */
static int take_comm(struct tw_metadata *m, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv)
{
	struct record_key now = { .class = COMM }, old = { .class = OLD_COMM };
	struct item *there, *before;
	struct tw_comm_view comm;

	if (!tw_comm__parse(tlv, &comm))
		return -EBADMSG;
	now.first = old.first = comm.pid;
	there = find(m, &now);
	before = find(m, &old);
	if (says_the_same(before, tlv))
		return 0;
	if (says_the_same(there, tlv)) {
		TAILQ_REMOVE(&m->lists[COMM], there, order);
		TAILQ_INSERT_TAIL(&m->lists[COMM], there, order);
		return 0;
	}
	if (there && comm.time < time_of(there)) {
		if (!before || comm.time >= time_of(before))
			keep_latest(m, &old, frame, tlv);
		return 1;
	}
	if (there && comm.time > time_of(there)) {
		forget(m, &old);
		unlink_item(m, there);
		there->key = old;
		link_item(m, there); /* cannot fail: unlink_item() has just freed an entry of the table */
	}
	keep_latest(m, &now, frame, tlv);
	if (!find(m, &now)) /* no room for the latest name: the previous name would be used instead, which is wrong */
		forget(m, &old);
	return 1;
}

/* Keeps the first symbol of each range, in order of arrival: ranges may overlap, and a look-up uses the first that has the address. */
static int take_symbol(struct tw_metadata *m, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv)
{
	struct record_key key = { .class = SYMBOL };
	struct tw_symbol_view symbol;
	const struct item *there;

	if (!tw_symbol__parse(tlv, &symbol))
		return -EBADMSG;
	key.first = symbol.address;
	key.second = symbol.size;
	there = find(m, &key);
	if (!there)
		keep(m, &key, frame, tlv);
	return !says_the_same(there, tlv);
}

/* Keeps a record, if its type is one that is kept. Records of other types are always written. */
static int take(struct tw_metadata *m, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv)
{
	switch (tlv->type) {
	case TW_TLV_HOST:
		return keep_latest(m, &(struct record_key){ .class = HOST }, frame, tlv);
	case TW_TLV_CLOCK:
		return take_clock(m, frame, tlv);
	case TW_TLV_SCHEMA:
		return take_schema(m, frame, tlv);
	case TW_TLV_COMM:
		return take_comm(m, frame, tlv);
	case TW_TLV_SYMBOL:
		return take_symbol(m, frame, tlv);
	case TW_TLV_STATS:
		keep_latest(m, &(struct record_key){ .class = STATS }, frame, tlv);
		return 1;
	default:
		return 1;
	}
}

/* @changed: 1, 0 or -EBADMSG, as returned by take() */
static enum tw_metadata_verdict verdict_of(struct tw_metadata *m, int changed, enum tw_metadata_verdict if_changed)
{
	m->stats.malformed += changed < 0;
	m->stats.known += !changed;
	return changed ? if_changed : TW_METADATA_SKIP;
}

static enum tw_metadata_verdict take_part(struct tw_metadata *m, const struct tw_frame_info *frame,
					  const struct tw_tlv_view *tlv)
{
	struct tw_part_view part;

	if (!tw_part__parse(tlv, &part))
		return verdict_of(m, -EBADMSG, TW_METADATA_WRITE);
	if (part.inner_type == TW_TLV_EVENT)
		return TW_METADATA_WRITE;
	switch (tw_parts__add(m->parts, frame->stream_id, frame->channel, &part, &m->whole)) {
	case TW_PARTS_WHOLE:
		m->whole_frame = *frame;
		return verdict_of(m, take(m, frame, &m->whole), TW_METADATA_WHOLE);
	case TW_PARTS_REFUSED: /* the value is not compared: it is too large to be reassembled, or there is no memory */
		return TW_METADATA_WRITE;
	default:
		return TW_METADATA_SKIP;
	}
}

enum tw_metadata_verdict tw_metadata__take(struct tw_metadata *m, const struct tw_frame_info *frame,
					   const struct tw_tlv_view *tlv)
{
	const bool ended = m->ended;

	if (tlv->type == TW_TLV_PART)
		return take_part(m, frame, tlv);
	m->ended |= tlv->type == TW_TLV_END;
	return verdict_of(m, tlv->type == TW_TLV_END ? !ended : take(m, frame, tlv), TW_METADATA_WRITE);
}

void tw_metadata__stats(const struct tw_metadata *m, struct tw_metadata_stats *ret)
{
	struct tw_parts_stats parts;

	tw_parts__stats(m->parts, &parts);
	*ret = m->stats;
	ret->items = m->by_key.n;
	ret->memory = m->memory;
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

/* Writes metadata records to frames, as many records to each frame as fit. */

struct frame_writer {
	struct tw_metadata_frames *to;
	struct tw_frame frame;
	uint8_t *buf;
	uint32_t *part_id;
	bool begun;
};

static int frame_writer__init(struct frame_writer *w, struct tw_metadata *m, struct tw_metadata_frames *to)
{
	*w = (struct frame_writer){ .to = to, .part_id = &m->part_id, .buf = malloc(to->max + TW_COPY_STEP) };
	return w->buf ? 0 : -ENOMEM;
}

static int frame_writer__end(struct frame_writer *w)
{
	if (!w->begun)
		return 0;
	w->begun = false;
	w->to->info.seq += w->to->info.source == TW_SOURCE_CONTROL;
	return w->to->emit(w->to->ctx, w->buf, tw_frame__end(&w->frame));
}

/* Ends the last frame if @err is 0, and frees the memory. Return: @err; if it is 0, the result of emit */
static int frame_writer__fini(struct frame_writer *w, int err)
{
	if (!err)
		err = frame_writer__end(w);
	free(w->buf);
	return err;
}

static void frame_writer__begin(struct frame_writer *w, uint64_t schema_id, uint8_t flags)
{
	struct tw_frame_info info = w->to->info;

	info.schema_id = schema_id;
	info.flags = flags;
	tw_frame__begin(&w->frame, w->buf, w->to->max, &info);
	w->begun = true;
}

/* Writes a value that does not fit a frame as PARTs, each in a frame of its own. */
static int write_parts(struct frame_writer *w, uint64_t schema_id, uint8_t flags, const struct tw_tlv_view *tlv)
{
	const uint32_t id = (*w->part_id)++;
	int err = frame_writer__end(w);

	for (uint32_t at = 0; !err && at < tlv->len;) {
		frame_writer__begin(w, schema_id, flags);
		at += (uint32_t)tw_frame__add_part(&w->frame, (enum tw_tlv_type)tlv->type, id, tlv->value,
						   (uint32_t)tlv->len, at);
		err = frame_writer__end(w);
	}
	return err;
}

static int write_item(struct frame_writer *w, uint64_t schema_id, uint8_t flags, const struct tw_tlv_view *tlv)
{
	const size_t len = sizeof(struct tw_tlv) + tlv->len;
	int err = 0;
	void *p;

	if (len > UINT16_MAX || sizeof(struct tw_frame_hdr) + tw_tlv__padded(len) > w->to->max)
		return write_parts(w, schema_id, flags, tlv);
	if (!w->begun || w->frame.info.schema_id != schema_id || w->frame.info.flags != flags ||
	    tlv->len > tw_frame__room(&w->frame)) {
		err = frame_writer__end(w);
		frame_writer__begin(w, schema_id, flags);
	}
	p = tw_frame__add(&w->frame, (enum tw_tlv_type)tlv->type, tlv->len);
	if (p && tlv->len)
		memcpy(p, tlv->value, tlv->len);
	return err;
}

static int write_class(struct frame_writer *w, const struct items *list)
{
	const struct item *item;
	int err = 0;

	TAILQ_FOREACH(item, list, order)
	{
		const struct tw_tlv_view tlv = { .type = item->type, .value = item->value, .len = item->len };

		if (!err)
			err = write_item(w, item->schema_id, item->flags, &tlv);
	}
	return err;
}

int tw_metadata__replay(struct tw_metadata *m, struct tw_metadata_frames *frames)
{
	struct frame_writer w;
	int err = frame_writer__init(&w, m, frames);

	for (int i = 0; !err && i < CLASSES; i++)
		err = write_class(&w, &m->lists[i]);
	return frame_writer__fini(&w, err);
}

int tw_metadata__emit_whole(struct tw_metadata *m, struct tw_metadata_frames *frames)
{
	struct frame_writer w;
	int err = frame_writer__init(&w, m, frames);

	if (!err)
		err = write_item(&w, m->whole_frame.schema_id, m->whole_frame.flags, &m->whole);
	return frame_writer__fini(&w, err);
}
