/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the dissector share while one frame is dissected. */
#ifndef PACKET_TRACEWIRE_H
#define PACKET_TRACEWIRE_H

#include "base/printable.h"
#include "dissector/compat.h"
#include "dissector/fields.h"
#include "dissector/limits.h"
#include "schema/print.h"
#include "stream/channels.h"
#include "stream/streams.h"
#include "wire/decode.h"
#include "wire/schema_text.h"

/* Fields of the protocol, in the order of the table in packet-tracewire.c; those of event formats are in dissector/fields.h. */
extern int hf_trace_event, hf_trace_system, hf_trace_text, hf_trace_symbol, hf_trace_pid, hf_trace_comm, hf_trace_cpu,
	hf_trace_host, hf_trace_time, hf_trace_time_error, hf_trace_order, hf_trace_seq, hf_trace_event_id,
	hf_trace_flags, hf_trace_common_preempt_count, hf_trace_record, hf_trace_filtered, hf_trace_tlv,
	hf_trace_tlv_length, hf_trace_tlv_value, hf_trace_part_type, hf_trace_part_id, hf_trace_part_total,
	hf_trace_part_offset, hf_trace_part_bytes, hf_trace_parts, hf_trace_parts_part, hf_trace_parts_overlap,
	hf_trace_parts_overlap_conflict, hf_trace_parts_multiple_tails, hf_trace_parts_too_long, hf_trace_parts_error,
	hf_trace_parts_count, hf_trace_parts_in, hf_trace_parts_length, hf_trace_parts_data, hf_trace_lost_count,
	hf_trace_lost_unknown, hf_trace_lost_where, hf_trace_lost_time, hf_trace_watermark_time,
	hf_trace_watermark_channel, hf_trace_watermark_next_seq, hf_trace_schema_kind, hf_trace_schema_encoding,
	hf_trace_schema_event_id, hf_trace_schema_raw_length, hf_trace_schema_index, hf_trace_schema_total,
	hf_trace_schema_system, hf_trace_schema_text, hf_trace_clock_valid, hf_trace_clock_error, hf_trace_clock_sync,
	hf_trace_exchange_id, hf_trace_exchange_asked, hf_trace_exchange_received, hf_trace_exchange_answered,
	hf_trace_want_what, hf_trace_refused_why, hf_trace_offset_kind, hf_trace_offset_method, hf_trace_offset_time,
	hf_trace_offset_offset, hf_trace_offset_step, hf_trace_offset_error, hf_trace_offset_drift,
	hf_trace_comm_origin, hf_trace_comm_time, hf_trace_comm_pid, hf_trace_comm_tgid, hf_trace_comm_name,
	hf_trace_symbol_address, hf_trace_symbol_size, hf_trace_symbol_name, hf_trace_stats_channel, hf_trace_stats_id,
	hf_trace_stats_value, hf_trace_auth_algorithm, hf_trace_auth_key_id, hf_trace_auth_tag;

/* Attributes of HOST, readings of CLOCK and counters of STATS, by their numbers in wire/tracewire.h. */
enum {
#define X(...) +1
	TW_HOST_ATTRS = 1 TW_HOST_LIST(X),
	TW_CLOCK_READINGS = TW_CLOCK_LIST(X),
	TW_STATS = 1 TW_STAT_LIST(X),
#undef X
};
extern int hf_trace_host_attr[TW_HOST_ATTRS], hf_trace_clock_reading[TW_CLOCK_READINGS], hf_trace_stat[TW_STATS];

extern int proto_trace;
extern int ett_trace, ett_trace_frame, ett_trace_flags, ett_trace_record, ett_trace_parts;
extern expert_field ei_trace_lost, ei_trace_step, ei_trace_suspend, ei_trace_malformed, ei_trace_bad_schema,
	ei_trace_bad_field, ei_trace_no_schema, ei_trace_no_print, ei_trace_limit;

extern const value_string tw_lost_names[], tw_schema_kind_names[], tw_offset_method_names[],
	tw_metadata_request_names[], tw_refused_names[];

struct tw_preferences {
	tw_ws_bool cache;    /* read and write the cache of schemas */
	tw_ws_bool any;      /* trace.any.FIELD */
	const char *formats; /* file or folder with format texts; "" for none */
};

extern struct tw_preferences tw_preferences;

/* What is being dissected: the frame, or a record put together from parts. */
struct tw_bytes {
	tvbuff_t *tvb;
	const uint8_t *base;    /* of tvb */
	const uint32_t *frames; /* that the bytes came in */
	uint32_t n_frames;
	bool reassembled;
};

struct tw_dissect {
	packet_info *pinfo;
	struct tw_bytes bytes;
	proto_tree *tree; /* NULL if nobody wants one */
	proto_item *item; /* of the protocol */
	struct tw_frame_info frame;
	struct tw_stream *stream;        /* NULL if there are too many */
	struct tw_stream_schema *schema; /* NULL if the frame names none, or there are too many */
	bool first_pass;                 /* what is learnt is learnt now */
	bool wants_info;                 /* the Info column is shown */
	uint32_t missing;                /* bytes of the frame that whoever captured left out: its end */
	bool is_cut;                     /* the record at hand, which they are of too */
	uint32_t n_tlvs;                 /* so far */
	uint32_t n_events;               /* the same */
	uint32_t n_others;               /* the same of control records */
	uint32_t items_left;
	uint32_t lookups_left;
	uint32_t unpack_left;
	uint32_t prepare_left;
	uint32_t text_left;
	uint32_t program_left;
	struct tw_line info;
};

/*
 * Texts as they go to Wireshark: as base/printable.h shows them, on one line. Labels, columns and values of fields are so, and
 * what is learnt from the capture.
 */
/** tw_shown__on() - an empty line on @buf with room for the NUL of tw_shown__end(); any bytes may be appended */
static inline struct tw_line tw_shown__on(char *buf, size_t size)
{
	return tw_line__of(buf, size - 1, TW_LINE_FLAT);
}

/** tw_shown__end() - close a line made by tw_shown__on() with a NUL. Return: its text */
static inline char *tw_shown__end(struct tw_line *line)
{
	tw_printable__escape(line);
	*line->at = 0;
	return line->text;
}

/** tw_shown__dup() - a text of the capture in new memory */
char *tw_shown__dup(wmem_allocator_t *scope, const void *text, size_t len);

/** tw_shown__of() - a text with a NUL at its end: itself if it is shown as it is; else as long as the packet */
static inline const char *tw_shown__of(const struct tw_dissect *d, const char *text, size_t len)
{
	return tw_printable__plain(text, len) == len ? text : tw_shown__dup(d->pinfo->pool, text, len);
}

static inline int tw_dissect__at(const struct tw_dissect *d, const void *p)
{
	return (int)((const uint8_t *)p - d->bytes.base);
}

/** tw_dissect__ns() - a time of the stream's clock in nanoseconds */
static inline uint64_t tw_dissect__ns(const struct tw_dissect *d, uint64_t time)
{
	return d->stream ? tw_identity__ns(&d->stream->identity, time) : time;
}

/**
 * tw_put_number() - add a number, a truth or a time (ns) to a tree, as the field's type says
 * @value: signed ones sign-extended
 * Return: the item; NULL if nobody wants it.
 */
proto_item *tw_put_number(struct tw_dissect *d, proto_tree *tree, int hf, int at, int len, uint64_t value);

/** tw_put_signed_time() - add a time that may lie before 0, ns */
proto_item *tw_put_signed_time(struct tw_dissect *d, proto_tree *tree, int hf, int at, int len, int64_t ns);

/** tw_put_bytes() - add text or bytes that are in the frame; text printable, on one line */
proto_item *tw_put_bytes(struct tw_dissect *d, proto_tree *tree, int hf, const void *p, size_t len);

/** tw_put_text() - add text that is not in the frame, as the field's value at @at; printable, on one line */
proto_item *tw_put_text(struct tw_dissect *d, proto_tree *tree, int hf, int at, int len, const char *text);

/** tw_put_subtree() - a branch with a plain label */
proto_tree *tw_put_subtree(struct tw_dissect *d, proto_tree *tree, int ett, const void *p, size_t len,
			   const char *label);

/** tw_dissect__expert() - say something about the frame; @text may be NULL for the default */
void tw_dissect__expert(struct tw_dissect *d, expert_field *ei, const char *text);

/** tw_dissect__depend() - displayed events need that frame; 0 is none */
static inline void tw_dissect__depend(struct tw_dissect *d, uint32_t frame)
{
	if (frame && d->tree)
		tw_depend_on_frame(d->pinfo, frame);
}

/** tw_dissect__event() - an EVENT or FILTERED record, out of this frame or put together */
void tw_dissect__event(struct tw_dissect *d, const struct tw_tlv_view *tlv);

/** tw_dissect__tlv_header() - a record's type and whole length, where the frame has them */
void tw_dissect__tlv_header(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv);

/** tw_dissect__record() - any record but events and PART; and of these the beginning */
void tw_dissect__record(struct tw_dissect *d, const struct tw_tlv_view *tlv);

/* A record put together. */
struct tw_reassembled {
	struct tw_tlv_view tlv;
	tvbuff_t *tvb;
	uint32_t frames[TW_REASSEMBLED_FRAMES_MAX]; /* that its pieces came in */
	uint32_t n_frames;
};

/** tw_dissect__part() - one piece. Return: whether the record it is a piece of is whole with it */
bool tw_dissect__part(struct tw_dissect *d, const struct tw_tlv_view *tlv, struct tw_reassembled *ret);

/** tw_dissect__register_parts() - at start: the table of pieces */
void tw_dissect__register_parts(void);

/* capture.c: what is kept of the capture that is open. */

extern uint32_t tw_dissect_cache_read; /* bytes, of TW_CACHE_READ_MAX */

/** tw_dissect__register_capture() - at start; sets up and tears down with each capture */
void tw_dissect__register_capture(void);

/** tw_dissect__find_stream() - stream and schema of the frame; made in the first pass, if there is room for them */
void tw_dissect__find_stream(struct tw_dissect *d);

/** tw_dissect__refuse() - what this TLV brings is not taken in: said now, and when the frame is dissected again. First pass only */
void tw_dissect__refuse(struct tw_dissect *d, expert_field *ei, const char *text);

/** tw_dissect__was_refused() - later passes: say what the first pass refused of this TLV. Return: whether there was something */
bool tw_dissect__was_refused(struct tw_dissect *d);

struct tw_sequence_note {
	enum tw_stream_arrival arrival;
	uint64_t missing; /* numbers missing before the frame */
};

/** tw_dissect__sequence() - what is to be said of the frame's numbers, as the first pass found it; NULL if all is well */
const struct tw_sequence_note *tw_dissect__sequence(struct tw_dissect *d);

/* How far a stream's packet times may be from the capture host's clock: what its OFFSET records say, by the frames they came in. */
struct tw_time_error {
	uint64_t ns;    /* TW_ERROR_UNKNOWN */
	uint32_t frame; /* whose OFFSET told it */
};

/**
 * tw_dissect__learn_time_error() - the stream's packets after this have times that are no further than @ns from the truth; first pass only
 * Return: false beyond the capture's limits. Then nothing is known of the packets after this.
 */
bool tw_dissect__learn_time_error(struct tw_dissect *d, uint64_t ns);

/** tw_dissect__time_error() - what the stream's last OFFSET before this frame says, the same in every pass; NULL if there was none */
const struct tw_time_error *tw_dissect__time_error(const struct tw_dissect *d);

/*
 * Whether it is certain which was first, a packet or the one before it of another stream: their times are further apart than
 * both streams' errors together. Nothing is kept for a capture with one stream.
 */
enum tw_time_order { TW_ORDER_NO_OTHER, TW_ORDER_CERTAIN, TW_ORDER_UNCERTAIN };

/** tw_dissect__learn_order() - the frame has events; first pass only */
void tw_dissect__learn_order(struct tw_dissect *d);

/** tw_dissect__order() - of its events; TW_ORDER_NO_OTHER if no other stream had events before it */
enum tw_time_order tw_dissect__order(const struct tw_dissect *d);

/* event_type.c: what one event id means within one schema of one stream, and how its fields are shown. */

/* How one field is shown. */
struct tw_shown_field {
	const struct tw_field *field;
	struct tw_name *name;                       /* trace.SYSTEM.EVENT.FIELD; NULL beyond the limit of names */
	struct tw_name *any;                        /* trace.any.FIELD; the same */
	const struct tw_print_names *value_strings; /* for its values; NULL if there are none */
	struct tw_name *flags;                      /* trace.SYSTEM.EVENT.FIELD.names; NULL if they are not for bits */
	uint8_t type;                               /* enum tw_ftype */
	uint8_t long_size;                          /* of the traced host */
	bool has_addresses;                         /* that are printed as symbols */
	bool is_stack;                              /* elements up to the end of the record, whatever the format says */
};

/* What struct tw_stream_event's user is. */
struct tw_event_type {
	struct tw_stream_event *event;
	const uint32_t *frames; /* that brought the text: several if it came in parts, none if from the cache */
	uint32_t n_frames;
	uint32_t n_fields; /* the common ones excluded */
	/* NULL until tw_event_type__prepare(): */
	struct tw_shown_field *fields;
	const char *refusal; /* why texts are field=value; NULL if they aren't */
};

/** tw_event_type__find() - NULL if its format is not known */
static inline struct tw_event_type *tw_event_type__find(const struct tw_stream_schema *schema, uint16_t event_id)
{
	const struct tw_stream_event *event = schema ? tw_stream_schema__event(schema, event_id) : NULL;

	return event ? event->user : NULL;
}

/** tw_event_type__prepare() - compile its print fmt and register the names of its fields, before it is first shown */
void tw_event_type__prepare(struct tw_stream *stream, struct tw_event_type *type);

/* Taking in format texts: from SCHEMA records, and from the cache for a stream whose SCHEMA has not come by yet. */
/**
 * tw_dissect__unpack_schema() - the text of a SCHEMA record
 * @ret: lives as long as the packet
 * Return: 0; -errno with @error filled; -ENOSPC if the frame has had its share of unpacking.
 */
int tw_dissect__unpack_schema(struct tw_dissect *d, const struct tw_schema_view *view, struct tw_schema_text *ret,
			      struct tw_error *error);

/** tw_dissect__learn_schema() - take in a SCHEMA record; first pass only */
int tw_dissect__learn_schema(struct tw_dissect *d, const struct tw_schema_view *view, struct tw_error *error);

/** tw_dissect__read_cache() - take in what the cache knows about the frame's schema; asked once per schema */
void tw_dissect__read_cache(struct tw_dissect *d);

#endif
