/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of one stream: host, formats of events, task names, symbols and strings of the kernel, and counters. Frames are untrusted, so
 * the table of streams (stream/streams.h) limits the memory of its streams.
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
	uint32_t position;      /* position in the capture of the record with the format */
	bool print_refused;     /* there was no memory for @print, or the table's limit was reached */
	uint8_t chosen;         /* for the caller: flags; 0 = not examined yet */
	uint64_t count;         /* for the caller */
	void *user;             /* for the caller */
};

struct tw_stream_schema {
	uint64_t id;
	struct tw_stream_event **events[256]; /* indexes: high byte and low byte of the event id; NULL = not received */
	uint32_t n_events;
	uint32_t total;    /* number of texts in the schema, as its latest SCHEMA record claims; 0 = unknown */
	uint32_t revision; /* incremented when known formats change */
	struct tw_stream_schema *next;
	void *user
		[2]; /* for the caller; the capture filter has one for each byte order, the dissector uses only the first */
};

struct tw_stream {
	uint64_t id;
	struct tw_streams *table;
	struct tw_identity identity;
	uint8_t long_size;      /* size of a long: 4 or 8, from the first kept HOST with this attribute; 0 = unknown */
	uint8_t machine;        /* enum tw_machine, from the first kept HOST of a machine with a system call table */
	uint8_t others;         /* kinds of received texts, except formats: 1 << enum tw_schema_kind, ORed */
	uint64_t others_schema; /* id of the schema of the texts in @others: the latest schema */
	bool has_host;
	uint32_t host_position, clock_position; /* positions of the HOST of @identity and of the latest CLOCK */
	bool has_wall;                          /* a CLOCK had readings of the stream's clock and of CLOCK_REALTIME */
	uint64_t first_clock, first_wall; /* from the first such CLOCK: the stream's clock, and CLOCK_REALTIME, ns */
	uint32_t number;                  /* index of the stream in the capture, from 0, in order of appearance */
	struct tw_tasks tasks;
	struct tw_symbols *symbols;            /* NULL = no symbol received */
	struct tw_strings *strings;            /* NULL = no printk_formats received */
	struct tw_print_host print_host;       /* @symbols and @strings, for print programs */
	struct tw_hash_table symbol_positions; /* by address: position of the symbol's record; for TW_HISTORY_ALL */
	uint64_t printk_hash;                  /* hash of the latest printk_formats payload */
	uint32_t printk_position;              /* position of the latest printk_formats record */
	struct tw_stream_schema *schemas, *last_schema; /* list of schemas; the schema found by the latest look-up */
	struct tw_hash_table schemas_by_id;             /* values: pointers to the schemas */
	struct tw_stream *next, *before;                /* all known streams, in order of appearance */
	struct tw_stream_counters counters;             /* from STATS and END, and from LOST if the caller adds them */
	uint64_t stats[16]; /* latest STATS values of the whole stream; index: enum tw_stat_id */
	size_t memory;      /* memory of the stream and its metadata, bytes */

	/* State of the stream in the table. */
	bool is_live;
	struct tw_standing standing;
	struct tw_number_row numbers; /* updated while the stream has no proof (standing.proof) */
	void *user[TW_STREAM_USERS_MAX];
};

/**
 * tw_stream__update() - update the stream with a TLV of metadata, STATS or END; other TLVs change nothing
 * @frame: header of the frame with the TLV
 * The table's options select the metadata that are kept. PARTs are reassembled (tw_stream__whole()).
 * Return: 0; -ENOMEM if there was no memory for counters. Other data that are not kept are counted in struct tw_streams_stats.
 */
int tw_stream__update(struct tw_stream *stream, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv);

/**
 * tw_stream__whole() - add a PART to its value. A PART of an EVENT is ignored; without TW_STREAM_WANTS_FORMATS, also a PART of a SCHEMA
 * @ret: the complete value, borrowed until the next PART of any stream of the table
 * Return: true if the value is complete; false otherwise. Invalid PARTs are counted in struct tw_streams_stats.
 */
bool tw_stream__whole(struct tw_stream *stream, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv,
		      struct tw_tlv_view *ret);

/** tw_stream__task() - the name of @pid at @time, borrowed until the next update. Return: NULL, with *ret_len 0, if it is unknown */
static inline const char *tw_stream__task(const struct tw_stream *stream, uint32_t pid, uint64_t time, size_t *ret_len)
{
	const struct tw_task_name *name = tw_tasks__name(&stream->tasks, pid, time);

	*ret_len = name ? name->len : 0;
	return name ? name->name : NULL;
}

/**
 * tw_stream__symbol() - find the symbol that contains @address
 * @ret_position: position of the symbol's record if all history is kept; otherwise 0
 * Return: false if no known symbol contains the address.
 */
bool tw_stream__symbol(const struct tw_stream *stream, uint64_t address, struct tw_symbol *ret, uint32_t *ret_position);

/** tw_stream__schema() - find the schema @schema_id. Return: NULL until a format or tw_stream__get_schema() adds it */
struct tw_stream_schema *tw_stream__schema(struct tw_stream *stream, uint64_t schema_id);

/** tw_stream__get_schema() - find the schema @schema_id, or make it. Return: NULL beyond the limits or if out of memory */
struct tw_stream_schema *tw_stream__get_schema(struct tw_stream *stream, uint64_t schema_id);

/** tw_stream__has_text() - whether a SCHEMA record adds nothing: its text is known, or of a kind that is not kept, such as header_page */
bool tw_stream__has_text(struct tw_stream *stream, uint64_t schema_id, const struct tw_schema_view *view);

/**
 * tw_stream__add_text() - add a text, for callers that expand SCHEMA records themselves or read texts from a file
 * @view: the record; its payload identifies repeated printk_formats
 * If the format of the event id is known, it is not replaced.
 * Return: 0; -ENOSPC beyond the table's limits; -EINVAL if the text has another event id than @view; an error of tw_format__parse() or
 * tw_strings__parse(); -ENOMEM. Errors are not counted.
 */
int tw_stream__add_text(struct tw_stream *stream, uint64_t schema_id, const struct tw_schema_view *view,
			const struct tw_schema_text *text, struct tw_error *error);

/** tw_stream__wall_offset() - CLOCK_REALTIME minus the stream's clock in the first CLOCK with both, ns, modulo 2^64; 0 unless has_wall */
static inline uint64_t tw_stream__wall_offset(const struct tw_stream *stream)
{
	return stream->first_wall - tw_identity__ns(&stream->identity, stream->first_clock);
}

/** tw_stream__wall() - CLOCK_REALTIME at a time of the stream's clock, ns; only if has_wall */
static inline uint64_t tw_stream__wall(const struct tw_stream *stream, uint64_t time)
{
	return tw_identity__ns(&stream->identity, time) + tw_stream__wall_offset(stream);
}

/**
 * tw_stream__since() - compute the time between two events, ns; negative if the event of @stream is earlier
 * @time: time of an event of @stream, in the clock of @stream
 * @origin_time: time of an event of @origin, in the clock of @origin
 * Two streams are compared by time of day, if it is known for both. Otherwise they must be of one machine and use the same clock.
 * Return: false if the times cannot be compared, or @origin is NULL.
 */
bool tw_stream__since(const struct tw_stream *stream, uint64_t time, const struct tw_stream *origin,
		      uint64_t origin_time, int64_t *ret);

/** tw_stream__has_whole() - whether all texts of the schema @schema_id were received, according to the total in their records */
bool tw_stream__has_whole(struct tw_stream *stream, uint64_t schema_id);

/** tw_stream_schema__formats() - make a view of all received formats; free it with tw_schema__free(). Return: NULL if out of memory */
struct tw_schema *tw_stream_schema__formats(const struct tw_stream_schema *schema);

/** tw_stream_schema__event() - find the event type @event_id. Return: NULL if its format was not received */
static inline struct tw_stream_event *tw_stream_schema__event(const struct tw_stream_schema *schema, uint16_t event_id)
{
	struct tw_stream_event *const *page = schema->events[event_id >> 8];

	return page ? page[event_id & 0xff] : NULL;
}

/** tw_stream__event() - find the event type @event_id of the schema @schema_id. Return: NULL if its format was not received */
struct tw_stream_event *tw_stream__event(struct tw_stream *stream, uint64_t schema_id, uint16_t event_id);

/**
 * tw_stream__print() - get the print program of @event, which the first call compiles
 * Return: the program, borrowed until the next tw_stream__update(); NULL if out of memory or beyond the table's limit.
 */
const struct tw_print *tw_stream__print(struct tw_stream *stream, struct tw_stream_event *event);

#endif
