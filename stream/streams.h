/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a capture says of the streams in it, as it is read: hosts, formats and their text programs, task names, symbols,
 * strings, clocks. Whoever makes text or values of events asks here. Captures come from strangers: all of it is bounded.
 */
#ifndef TW_KNOWLEDGE_H
#define TW_KNOWLEDGE_H

#include "schema/print.h"
#include "schema/schema.h"
#include "stream/identity.h"
#include "stream/tasks.h"
#include "wire/decode.h"

/* Of one capture. */
#define TW_KNOWN_STREAMS_MAX 32768 /* less than half of the memory */
#define TW_KNOWN_SCHEMAS_MAX 4096
#define TW_KNOWN_MEMORY_MAX  ((size_t)256 << 20) /* bytes of all that was learnt: formats, programs, names, symbols */
#define TW_KNOWN_PARTS_BYTES ((size_t)16 << 20)  /* of values that come in parts */
#define TW_KNOWN_PARTS_COUNT 256

/* What one event id means under one schema. */
struct tw_stream_event {
	struct tw_format *format;
	struct tw_print *print; /* NULL until tw_stream_event__print() */
	bool print_refused;     /* there was no memory for it */
	uint64_t count;         /* the user's */
	uint8_t chosen;         /* the user's: 0 = not looked at yet */
};

struct tw_stream_schema {
	uint64_t id;
	struct tw_stream_event **events[256]; /* by high and low byte of the event id */
	uint32_t n_events;
	uint32_t total;    /* texts in it, as they say themselves */
	uint32_t revision; /* counts up when formats that were there change */
	struct tw_stream_schema *next;
	void *user[2]; /* the user's; pcap-tools/capture/sieve.h has them */
};

struct tw_stream {
	uint64_t id;
	struct tw_identity identity;
	uint64_t cpus;     /* 0 = not told */
	uint8_t long_size; /* as the first HOST with one tells it; 0 = not told */
	uint8_t others;    /* kinds of texts that came and are no events: 1 << enum tw_schema_kind */
	bool has_host;
	bool has_wall;       /* a CLOCK came that had both */
	uint64_t wall_minus; /* CLOCK_REALTIME minus the stream's clock, ns, of the first CLOCK; wraps */
	uint32_t number;     /* of the stream in the capture, in order of appearance */
	struct tw_tasks tasks;
	struct tw_symbols *symbols;      /* NULL until there is something in it */
	struct tw_strings *strings;      /* the same */
	struct tw_print_host print_host; /* these two, for the programs */
	uint64_t printk_hash;            /* of the last printk_formats that was taken in */
	struct tw_stream_schema *schemas, *last_schema;
	struct tw_stream *next;
	uint64_t stats[16]; /* the last STATS of the whole stream, by enum tw_stat_id */
};

/* What was not taken in. What is repeated in the capture counts each time. */
struct tw_streams_stats {
	uint64_t refused_texts;   /* formats and printk_formats that could not be used, or were beyond the limits */
	uint64_t refused_names;   /* COMM and SYMBOL beyond the limits */
	uint64_t refused_streams; /* calls of tw_streams__get() beyond the limits */
	uint64_t malformed;       /* records that explain, with lengths that cannot be */
	uint64_t incomplete;      /* values in PARTs of which a piece is missing, or too large */
	struct tw_error first;    /* why the first of all refused was; "" = none was */
	struct tw_error text;     /* why the first of refused_texts was */
	size_t memory;            /* taken, of TW_KNOWN_MEMORY_MAX */
};

struct tw_streams;

/** tw_streams__new() - Return: NULL without memory */
struct tw_streams *tw_streams__new(void);

/** tw_streams__free() - NULL is fine */
void tw_streams__free(struct tw_streams *knowledge);

/** tw_streams__get() - the stream of that id, made if need be; NULL beyond the limit or without memory */
struct tw_stream *tw_streams__get(struct tw_streams *knowledge, uint64_t id);

/** tw_streams__first() - the first stream that was seen; the others follow by next. NULL if there is none */
struct tw_stream *tw_streams__first(const struct tw_streams *knowledge);

/** tw_streams__count() - streams so far */
uint32_t tw_streams__count(const struct tw_streams *knowledge);

/**
 * tw_stream__update() - take in a TLV that explains the stream; others change nothing
 * @frame: that it came in
 *
 * PARTs of what explains are put together.
 */
void tw_stream__update(struct tw_streams *knowledge, struct tw_stream *stream, const struct tw_frame_info *frame,
		       const struct tw_tlv_view *tlv);

/** tw_stream__schema() - the schema of that id; NULL if none of its formats came */
struct tw_stream_schema *tw_stream__schema(struct tw_stream *stream, uint64_t schema_id);

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
 * tw_stream_event__print() - its text program, compiled when it is first asked for
 * Return: NULL without memory; borrowed until the next tw_stream__update()
 */
const struct tw_print *tw_stream_event__print(struct tw_streams *knowledge, struct tw_stream_event *event);

void tw_streams__stats(const struct tw_streams *knowledge, struct tw_streams_stats *ret);

#endif
