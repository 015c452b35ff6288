/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of one stream: its host, the formats of its events, names of its tasks, symbols and strings of its kernel, and its counters.
 * Streams are in a table (stream/streams.h), which limits their memory, because frames are untrusted.
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

/* An event type: an event id under a schema. */
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
	uint32_t total;    /* number of texts in it, from the records */
	uint32_t revision; /* counts up when formats that were there change */
	struct tw_stream_schema *next;
	void *user[2]; /* the user's: of the capture filter, or of the dissector */
};

struct tw_stream {
	uint64_t id;
	struct tw_streams *table;
	struct tw_identity identity;
	uint8_t long_size; /* from the first HOST that has it; 0 = unknown */
	uint8_t others;    /* kinds of received texts other than events: 1 << enum tw_schema_kind */
	bool has_host;
	uint32_t host_position, clock_position; /* of the HOST that identity is from, and of the last CLOCK */
	bool has_wall;                          /* a CLOCK had both of the next; from the first such CLOCK: */
	uint64_t first_clock, first_wall; /* a reading of the stream's clock, and CLOCK_REALTIME at that instant */
	uint32_t number;                  /* of the stream in the capture, in order of appearance */
	struct tw_tasks tasks;
	struct tw_symbols *symbols;            /* NULL until there is something in it */
	struct tw_strings *strings;            /* the same */
	struct tw_print_host print_host;       /* these two, for the programs */
	struct tw_hash_table symbol_positions; /* by address, from the record with the text; if all history is kept */
	uint64_t printk_hash;                  /* of the last printk_formats */
	uint32_t printk_position;              /* and of its record */
	struct tw_stream_schema *schemas, *last_schema;
	struct tw_hash_table schemas_by_id; /* pointers */
	struct tw_stream *next, *before;    /* in order of appearance */
	struct tw_stream_counters counters; /* from LOST, STATS and END */
	uint64_t stats[16];                 /* the last STATS of the whole stream, by enum tw_stat_id */
	size_t memory;                      /* of its metadata, bytes */

	/* Its place in the table. */
	bool is_live;
	struct tw_standing standing;
	struct tw_number_row numbers; /* until they prove that the stream is consecutive */
	void *user[TW_STREAM_USERS_MAX];
};

/**
 * tw_stream__update() - update the stream with a TLV of metadata or counters; other TLVs change nothing
 * @frame: the frame of the TLV
 *
 * The table's options select the metadata that are kept. PARTs are reassembled (tw_stream__whole()).
 *
 * Return: 0; -ENOMEM if there was no memory for counters. Other data without room are counted (struct tw_streams_stats).
 */
int tw_stream__update(struct tw_stream *stream, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv);

/**
 * tw_stream__whole() - reassemble PARTs
 * @ret: the complete value, borrowed until the next PART. EVENTs are not reassembled here
 * Return: false if more pieces are expected, or if the PART is invalid, which is counted.
 */
bool tw_stream__whole(struct tw_stream *stream, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv,
		      struct tw_tlv_view *ret);

/** tw_stream__task() - the name of @pid at that time; NULL and 0 if unknown; borrowed until the next update */
static inline const char *tw_stream__task(const struct tw_stream *stream, uint32_t pid, uint64_t time, size_t *ret_len)
{
	const struct tw_task_name *name = tw_tasks__name(&stream->tasks, pid, time);

	*ret_len = name ? name->len : 0;
	return name ? name->name : NULL;
}

/**
 * tw_stream__symbol() - the symbol that contains @address
 * @ret_position: position of its record if all history is kept; otherwise 0
 * Return: false if none is known.
 */
bool tw_stream__symbol(const struct tw_stream *stream, uint64_t address, struct tw_symbol *ret, uint32_t *ret_position);

/** tw_stream__schema() - the schema of that id; NULL if none of its formats was received, unless tw_stream__get_schema() made it */
struct tw_stream_schema *tw_stream__schema(struct tw_stream *stream, uint64_t schema_id);

/** tw_stream__get_schema() - get or make the schema of that id; NULL beyond the limits or without memory */
struct tw_stream_schema *tw_stream__get_schema(struct tw_stream *stream, uint64_t schema_id);

/** tw_stream__has_text() - whether the text of a SCHEMA record is already known, because producers repeat them */
bool tw_stream__has_text(struct tw_stream *stream, uint64_t schema_id, const struct tw_schema_view *view);

/**
 * tw_stream__add_text() - add a text, for callers that expand SCHEMA records themselves or read texts from a file
 * @view: the record; its payload identifies repeated printk_formats. A known format of an event id stays
 * Return: 0; -ENOSPC beyond the table's limits; otherwise as tw_format__parse() and tw_strings__parse(). Nothing is counted as refused.
 */
int tw_stream__add_text(struct tw_stream *stream, uint64_t schema_id, const struct tw_schema_view *view,
			const struct tw_schema_text *text, struct tw_error *error);

/**
 * tw_stream__wall_offset() - CLOCK_REALTIME minus the stream's clock in ns, from the first CLOCK that had both; wraps. 0 if none had
 * both
 */
static inline uint64_t tw_stream__wall_offset(const struct tw_stream *stream)
{
	return stream->first_wall - tw_identity__ns(&stream->identity, stream->first_clock);
}

/** tw_stream__has_whole() - whether all texts of that schema were received, according to their own total */
bool tw_stream__has_whole(struct tw_stream *stream, uint64_t schema_id);

/** tw_stream_schema__formats() - a view of all received formats; free with tw_schema__free(). NULL without memory */
struct tw_schema *tw_stream_schema__formats(const struct tw_stream_schema *schema);

/** tw_stream_schema__event() - the event type of that id; NULL if its format was not received */
static inline struct tw_stream_event *tw_stream_schema__event(const struct tw_stream_schema *schema, uint16_t event_id)
{
	struct tw_stream_event *const *page = schema->events[event_id >> 8];

	return page ? page[event_id & 0xff] : NULL;
}

/** tw_stream__event() - the event type of that id under that schema; NULL if its format was not received */
struct tw_stream_event *tw_stream__event(struct tw_stream *stream, uint64_t schema_id, uint16_t event_id);

/**
 * tw_stream__print() - its print program, compiled at the first call
 * Return: NULL without memory; borrowed until the next tw_stream__update()
 */
const struct tw_print *tw_stream__print(struct tw_stream *stream, struct tw_stream_event *event);

#endif
