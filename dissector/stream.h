/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What has been learnt from the capture that is open: built once, in the first pass, and only read when frames are
 * dissected again. All of it is gone when the capture is closed. A stranger's capture can't make it grow without bound.
 */
#ifndef TW_DISSECTOR_STREAM_H
#define TW_DISSECTOR_STREAM_H

#include "dissector/compat.h"
#include "dissector/event_type.h"
#include "dissector/limits.h"
#include "dissector/table16.h"
#include "wire/decode.h"
#include "wire/schema_text.h"

struct tw_dissector_stream;
struct tw_time_errors;

struct tw_schema_id { /* what event ids mean under one schema id */
	uint64_t id;
	const struct tw_dissector_stream *stream;
	struct tw_table16 types; /* event id -> struct tw_event_type */
	bool cache_tried;
	bool cache_done;
	struct tw_schema_text *texts; /* as they came, until they are complete and go to the cache */
	uint32_t total, seen;
};

struct tw_dissector_stream {
	uint64_t id;
	const char *host; /* printable, on one line; NULL if not known yet */
	uint32_t host_frame, clock_frame;
	uint32_t mult, shift; /* ns = (ticks * mult) >> shift; mult 0 = ticks are ns */
	uint8_t long_size;
	bool big_endian;                    /* of event bodies */
	struct tw_table16 channels;         /* number -> struct tw_channel */
	struct tw_time_errors *time_errors; /* NULL if no OFFSET came */
	wmem_map_t *tasks;                  /* pid -> struct tw_task */
	wmem_map_t *schemas;                /* id -> struct tw_schema_id */
	struct tw_print_host known;         /* the kernel's symbols and strings */
	struct tw_symbols *symbols;         /* NULL if none was told yet; the same for strings */
	struct tw_strings *strings;
	wmem_map_t *symbol_frames; /* address -> frame that named it */
	struct tw_strings_text *strings_text;
	struct tw_schema_id *last_schema;
};

/** tw_capture__register() - at start; sets up and tears down with each capture */
void tw_capture__register(void);

/** tw_capture__stream() - the stream of that id; NULL when the capture is full */
struct tw_dissector_stream *tw_capture__stream(uint64_t id);

/** tw_stream__schema() - the schema of that id, made if need be; NULL when the capture is full, or @id is 0 */
struct tw_schema_id *tw_stream__schema(struct tw_dissector_stream *stream, uint64_t id);

/** tw_schema_id__type() - what that event id means, or NULL */
static inline struct tw_event_type *tw_schema_id__type(const struct tw_schema_id *schema, uint16_t event_id)
{
	return (struct tw_event_type *)tw_table16__get(&schema->types, event_id);
}

/** tw_capture__allow() - before memory is taken that stays: @n bytes. Return: false if TW_CAPTURE_BYTES_MAX would be passed */
bool tw_capture__allow(size_t n);

extern uint32_t tw_capture_cache_read; /* of TW_CACHE_READ_MAX */
extern uint32_t tw_capture_refusals;   /* of TW_REFUSALS_MAX */

/** tw_capture__own() - free @what when the capture is closed */
void tw_capture__own(void *what, void (*free)(void *what));

/** tw_stream__ns() - a time of the stream's clock in nanoseconds */
static inline uint64_t tw_stream__ns(const struct tw_dissector_stream *stream, uint64_t time)
{
	if (!stream || !stream->mult)
		return time;
	return (uint64_t)(((unsigned __int128)time * stream->mult) >> stream->shift);
}

/* Sequence numbers: what is missing, doubled or late in each channel. Found in the first pass, kept for the frames concerned. */
enum tw_sequence_kind { TW_SEQUENCE_GAP, TW_SEQUENCE_REORDERED, TW_SEQUENCE_DUPLICATE };

struct tw_sequence_note {
	uint8_t kind;     /* enum tw_sequence_kind */
	uint64_t missing; /* TW_SEQUENCE_GAP: numbers missing before this frame */
};

/**
 * tw_stream__check_sequence() - compare a frame's numbers with what its channel had so far; first pass only
 * Return: what is to be said about it, living as long as the capture; NULL if all is well.
 */
const struct tw_sequence_note *tw_stream__check_sequence(struct tw_dissector_stream *stream,
							 const struct tw_frame_info *frame);

/* Task names by stream, pid and time, so that a pid used again has the name it had then. */
struct tw_task_name {
	uint64_t time;    /* from when on, in the stream's clock */
	const char *name; /* printable, on one line */
	uint32_t frame;   /* that brought it */
};

/** tw_stream__learn_task() - take in a COMM record. Return: false beyond the capture's limits */
bool tw_stream__learn_task(struct tw_dissector_stream *stream, const struct tw_comm_view *comm, uint32_t frame);

/** tw_stream__task_name() - the name of @pid at @time, or NULL */
const struct tw_task_name *tw_stream__task_name(const struct tw_dissector_stream *stream, uint32_t pid, uint64_t time);

/* What a stream says of its kernel's memory: SYMBOL records, and the strings of printk_formats. */
/**
 * tw_stream__learn_symbol() - take in a SYMBOL record; first pass only
 * @frame: it came in
 * Return: false when the capture is full.
 */
bool tw_stream__learn_symbol(struct tw_dissector_stream *stream, const struct tw_symbol_view *view, uint32_t frame);

/** tw_stream__learn_strings() - take in a text of printk_formats; first pass only. Return: as tw_stream__learn_symbol() */
bool tw_stream__learn_strings(struct tw_dissector_stream *stream, const struct tw_schema_text *text, uint32_t frame);

/**
 * tw_stream__symbol() - the symbol that @address lies in
 * @ret_frame: that named it
 * Return: false if none is known.
 */
bool tw_stream__symbol(const struct tw_dissector_stream *stream, uint64_t address, struct tw_symbol *ret,
		       uint32_t *ret_frame);

/** tw_stream__strings_frame() - that brought the strings; 0 = none has */
uint32_t tw_stream__strings_frame(const struct tw_dissector_stream *stream);

#endif
