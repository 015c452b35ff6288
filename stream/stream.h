/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of one stream: who sends it, the formats of its events, names of its tasks, its kernel's symbols and strings, and what it
 * says of losses. Streams are in a table (stream/streams.h), which bounds what they take: frames come from strangers.
 */
#ifndef TW_STREAM_H
#define TW_STREAM_H

#include "schema/print.h"
#include "schema/schema.h"
#include "stream/counters.h"
#include "stream/eviction.h"
#include "stream/identity.h"
#include "stream/limits.h"
#include "stream/tasks.h"
#include "wire/decode.h"
#include "wire/schema_text.h"

struct tw_streams;

/* What one event id means under one schema. */
struct tw_stream_event {
	struct tw_format *format;
	struct tw_print *print; /* NULL until tw_stream__print() */
	uint32_t position;      /* of the record that brought the format */
	bool print_refused;     /* there was no memory for it */
	uint8_t chosen;         /* the user's: 0 = not looked at yet */
	uint64_t count;         /* the user's */
	void *user;             /* the user's */
};

struct tw_stream_schema {
	uint64_t id;
	struct tw_stream_event **events[256]; /* by high and low byte of the event id */
	uint32_t n_events;
	uint32_t total;    /* texts in it, as they say themselves */
	uint32_t revision; /* counts up when formats that were there change */
	struct tw_stream_schema *next;
	void *user[2]; /* the user's: of the capture filter, or of the dissector */
};

struct tw_stream {
	uint64_t id;
	struct tw_streams *table;
	struct tw_identity identity;
	uint8_t long_size; /* as the first HOST with one tells it; 0 = not told */
	uint8_t others;    /* kinds of texts that came and are no events: 1 << enum tw_schema_kind */
	bool has_host;
	uint32_t host_position, clock_position; /* of the HOST that identity is from, and of the last CLOCK */
	bool has_wall;                          /* a CLOCK came with both of the next; of the first such: */
	uint64_t first_clock, first_wall; /* a reading of the stream's clock, and CLOCK_REALTIME at that instant */
	uint32_t number;                  /* of the stream in the capture, in order of appearance */
	struct tw_tasks tasks;
	struct tw_symbols *symbols;            /* NULL until there is something in it */
	struct tw_strings *strings;            /* the same */
	struct tw_print_host print_host;       /* these two, for the programs */
	struct tw_hash_table symbol_positions; /* by address, of the record that named it; where all history is kept */
	uint64_t printk_hash;                  /* of the last printk_formats that was taken in */
	uint32_t printk_position;              /* and of its record */
	struct tw_stream_schema *schemas, *last_schema;
	struct tw_hash_table schemas_by_id; /* pointers */
	struct tw_stream *next, *before;    /* in order of appearance */
	struct tw_stream_counters counters; /* that LOST, STATS and END told */
	uint64_t stats[16];                 /* the last STATS of the whole stream, by enum tw_stat_id */
	size_t memory;                      /* of what explains it, bytes */

	/* Its place in the table. */
	bool is_live;
	struct tw_standing standing;
	struct tw_number_row numbers; /* until these proved something */
	void *user[TW_STREAM_USERS_MAX];
};

/**
 * tw_stream__update() - take in a TLV that explains the stream, or counts; others change nothing
 * @frame: that it came in
 *
 * What is taken in is what the table's options want. Of values that come in PARTs the whole is taken in (tw_stream__whole()).
 *
 * Return: 0; -ENOMEM if there was no memory for counters. What else finds no room is counted (struct tw_streams_stats).
 */
int tw_stream__update(struct tw_stream *stream, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv);

/**
 * tw_stream__whole() - a PART came: the same value in one piece
 * @ret: borrowed until the next PART. EVENTs are not put together here
 * Return: false if more pieces are to come, or it cannot be read, which is counted.
 */
bool tw_stream__whole(struct tw_stream *stream, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv,
		      struct tw_tlv_view *ret);

/** tw_stream__task() - what @pid was called at that time; NULL and 0 if that is not known; borrowed until the next update */
static inline const char *tw_stream__task(const struct tw_stream *stream, uint32_t pid, uint64_t time, size_t *ret_len)
{
	const struct tw_task_name *name = tw_tasks__name(&stream->tasks, pid, time);

	*ret_len = name ? name->len : 0;
	return name ? name->name : NULL;
}

/**
 * tw_stream__symbol() - the symbol that @address lies in
 * @ret_position: of the record that named it, where all history is kept; else 0
 * Return: false if none is known.
 */
bool tw_stream__symbol(const struct tw_stream *stream, uint64_t address, struct tw_symbol *ret, uint32_t *ret_position);

/** tw_stream__schema() - the schema of that id; NULL if none of its formats came, unless tw_stream__get_schema() made it */
struct tw_stream_schema *tw_stream__schema(struct tw_stream *stream, uint64_t schema_id);

/** tw_stream__get_schema() - the same, known from now on; NULL beyond the limits or without memory */
struct tw_stream_schema *tw_stream__get_schema(struct tw_stream *stream, uint64_t schema_id);

/** tw_stream__has_text() - whether the text of a SCHEMA record is known: they are repeated for those who join late */
bool tw_stream__has_text(struct tw_stream *stream, uint64_t schema_id, const struct tw_schema_view *view);

/**
 * tw_stream__add_text() - take in a text, for a caller that expands SCHEMA records itself or reads texts from a file
 * @view: the record; of printk_formats what it packs tells a repetition. The format of an event id that is known stays
 * Return: 0; -ENOSPC beyond the table's limits; else as tw_format__parse() and tw_strings__parse(). Nothing is counted as refused.
 */
int tw_stream__add_text(struct tw_stream *stream, uint64_t schema_id, const struct tw_schema_view *view,
			const struct tw_schema_text *text, struct tw_error *error);

/** tw_stream__wall_offset() - CLOCK_REALTIME less the stream's clock in ns, by the first CLOCK that had both; wraps. 0 if none had */
static inline uint64_t tw_stream__wall_offset(const struct tw_stream *stream)
{
	return stream->first_wall - tw_identity__ns(&stream->identity, stream->first_clock);
}

/** tw_stream__has_whole() - whether all texts of that schema came, as far as they tell themselves how many there are */
bool tw_stream__has_whole(struct tw_stream *stream, uint64_t schema_id);

/** tw_stream_schema__formats() - a view of all formats that came; free with tw_schema__free(). NULL without memory */
struct tw_schema *tw_stream_schema__formats(const struct tw_stream_schema *schema);

/** tw_stream_schema__event() - what that event id means under it; NULL if its format did not come */
static inline struct tw_stream_event *tw_stream_schema__event(const struct tw_stream_schema *schema, uint16_t event_id)
{
	struct tw_stream_event *const *page = schema->events[event_id >> 8];

	return page ? page[event_id & 0xff] : NULL;
}

/** tw_stream__event() - what that event id means under that schema; NULL if its format did not come */
struct tw_stream_event *tw_stream__event(struct tw_stream *stream, uint64_t schema_id, uint16_t event_id);

/**
 * tw_stream__print() - its text program, compiled when it is first asked for
 * Return: NULL without memory; borrowed until the next tw_stream__update()
 */
const struct tw_print *tw_stream__print(struct tw_stream *stream, struct tw_stream_event *event);

#endif
