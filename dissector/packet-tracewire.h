/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the dissector. */
#ifndef PACKET_TRACEWIRE_H
#define PACKET_TRACEWIRE_H

#include "base/printable.h"
#include "dissector/compat.h"
#include "dissector/fields.h"
#include "dissector/header_fields.h"
#include "dissector/limits.h"
#include "schema/print.h"
#include "stream/channels.h"
#include "stream/streams.h"
#include "wire/decode.h"
#include "wire/schema_text.h"

extern int proto_trace;

struct tw_preferences {
	tw_ws_bool cache;    /* read and write the cache of schemas */
	tw_ws_bool any;      /* register and show trace.any.FIELD */
	const char *formats; /* file or directory with format texts; "" for none */
};

extern struct tw_preferences tw_preferences;

/* The bytes being dissected: the frame, or a reassembled record. */
struct tw_bytes {
	tvbuff_t *tvb;
	const uint8_t *base;    /* the bytes at offset 0 of tvb */
	const uint32_t *frames; /* numbers of the frames that contain the bytes */
	uint32_t n_frames;
	bool reassembled;
};

#define TW_METADATA_KINDS 6 /* number of record types that the Info column counts */

/* The metadata of a frame, for its Info column. All texts have the packet's lifetime. */
struct tw_metadata_info {
	uint32_t records[TW_METADATA_KINDS];
	const char *details[TW_METADATA_KINDS]; /* for each type: a blank and the content of its first record, or "" */
	uint32_t formats;                       /* number of format texts of other systems than `ftrace` */
	uint32_t ftrace_formats;                /* number of format texts of the system `ftrace` */
	const char *systems[3];                 /* the first three systems counted in `formats`; NULL = none */
	bool more_systems;
};

struct tw_dissect {
	packet_info *pinfo;
	struct tw_bytes bytes;
	proto_tree *tree; /* NULL if Wireshark needs none */
	proto_item *item; /* the protocol's item */
	struct tw_frame_info frame;
	struct tw_stream *stream;        /* NULL beyond the capture's limits */
	struct tw_stream_schema *schema; /* NULL if the frame names no schema, or beyond the capture's limits */
	bool first_pass;                 /* in the first pass, state is updated */
	bool wants_info;                 /* the Info column is displayed */
	uint32_t missing;                /* bytes at the end of the frame that the capturing program left out */
	bool is_cut;                     /* the current record is incomplete: it lacks some of the @missing bytes */
	uint32_t n_tlvs;                 /* number of records dissected so far, PARTs included */
	uint32_t n_events;               /* number of events dissected so far */
	uint64_t first_event_time;       /* of the first event of the frame, whose time is that of the packet */
	struct tw_socket_stamp *stamp;   /* the last socket event of the frame so far; NULL = there was none */
	uint32_t n_others;   /* number of records so far that TW_INFO_RECORDS_MAX limits in the Info column */
	uint32_t items_left; /* the members from here to program_left: the unused parts of limits in limits.h */
	uint32_t lookups_left;
	uint32_t unpack_left;
	uint32_t prepare_left;
	uint32_t text_left;
	uint32_t program_left;
	const char *
		task; /* "bash-1743": the task of a frame with one event; NULL if its name is unknown, or the host is known */
	struct tw_metadata_info metadata;
	struct tw_line info;
};

/*
 * Texts for Wireshark: labels, columns, field values, and texts of the capture that are stored. They are escaped as by base/printable.h,
 * and have one line.
 */
/** tw_shown__on() - begin a line on @buf with room for the NUL of tw_shown__end(); any bytes may be appended */
static inline struct tw_line tw_shown__on(char *buf, size_t size)
{
	return tw_line__of(buf, size - 1, TW_LINE_FLAT);
}

/** tw_shown__end() - end a line begun by tw_shown__on() with a NUL. Return: its text */
static inline char *tw_shown__end(struct tw_line *line)
{
	tw_printable__escape(line);
	*line->at = 0;
	return line->text;
}

/** tw_shown__dup() - escape a text of the capture. Return: NUL-terminated, in new memory of @scope */
char *tw_shown__dup(wmem_allocator_t *scope, const void *text, size_t len);

/** tw_shown__of() - escape a NUL-terminated text. Return: @text if it needs no escapes; otherwise a copy with the packet's lifetime */
static inline const char *tw_shown__of(const struct tw_dissect *d, const char *text, size_t len)
{
	return tw_printable__plain(text, len) == len ? text : tw_shown__dup(d->pinfo->pool, text, len);
}

/** tw_dissect__at() - offset of @p in the bytes being dissected */
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
 * tw_put_number() - add a number, a boolean or a time (ns) to a tree, according to the field's type
 * @value: sign-extended if the field is signed
 * Return: the item; NULL if the field is not wanted or the frame has too many items. This applies to all functions below that return items.
 */
proto_item *tw_put_number(struct tw_dissect *d, proto_tree *tree, int hf, int at, int len, uint64_t value);

/** tw_put_signed_time() - add a time that may be negative, ns */
proto_item *tw_put_signed_time(struct tw_dissect *d, proto_tree *tree, int hf, int at, int len, int64_t ns);

/** tw_put_bytes() - add text or bytes from the frame; text is escaped, on one line */
proto_item *tw_put_bytes(struct tw_dissect *d, proto_tree *tree, int hf, const void *p, size_t len);

/** tw_put_text() - add a text that is not in the frame, for @len bytes at offset @at; the text is escaped, on one line */
proto_item *tw_put_text(struct tw_dissect *d, proto_tree *tree, int hf, int at, int len, const char *text);

/** tw_put_subtree() - add a branch with a label. Return: the branch; @tree if @tree is not displayed or the frame has too many items */
proto_tree *tw_put_subtree(struct tw_dissect *d, proto_tree *tree, int ett, const void *p, size_t len,
			   const char *label);

/**
 * tw_put_bits() - add the bits of a flags field below its item, which is displayed
 * @names: the value strings of the flags
 * @at: the field's bytes
 */
void tw_put_bits(struct tw_dissect *d, proto_item *item, const struct tw_print_names *names, const uint8_t *at,
		 const struct tw_value *value);

/** tw_dissect__expert() - add an expert info to the frame. @text: NULL = the default text of @ei */
void tw_dissect__expert(struct tw_dissect *d, expert_field *ei, const char *text);

/** tw_dissect__depend() - mark frame number @frame as a dependency of the frame being dissected; 0 = none */
static inline void tw_dissect__depend(struct tw_dissect *d, uint32_t frame)
{
	if (frame && d->tree)
		tw_depend_on_frame(d->pinfo, frame);
}

/** tw_dissect__event() - dissect an EVENT or FILTERED record, from this frame or reassembled */
void tw_dissect__event(struct tw_dissect *d, const struct tw_tlv_view *tlv);

/** tw_dissect__tlv_header() - add a record's type and length from its header; nothing for a reassembled record, which has no header */
void tw_dissect__tlv_header(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv);

/** tw_dissect__record() - dissect any record except events and PART; of a truncated record, add the header and the available bytes */
void tw_dissect__record(struct tw_dissect *d, const struct tw_tlv_view *tlv);

/* A reassembled record. */
struct tw_reassembled {
	struct tw_tlv_view tlv;
	tvbuff_t *tvb;
	uint32_t frames[TW_REASSEMBLED_FRAMES_MAX]; /* numbers of the frames with its pieces */
	uint32_t n_frames;
};

/** tw_dissect__part() - dissect a PART, and add its piece to its record. Return: whether the record is now complete, and is in @ret */
bool tw_dissect__part(struct tw_dissect *d, const struct tw_tlv_view *tlv, struct tw_reassembled *ret);

/** tw_dissect__register_parts() - register the table of pieces; called once when the plugin is registered */
void tw_dissect__register_parts(void);

/* capture.c: state of the open capture. */

extern uint32_t tw_dissect_cache_read; /* bytes read from the cache for this capture, limited by TW_CACHE_READ_MAX */
extern bool tw_dissect_formats_full;   /* format texts of this capture were refused because of a limit */

/** tw_dissect__register_capture() - let Wireshark make and free the state with each capture; called once when the plugin is registered */
void tw_dissect__register_capture(void);

/** tw_dissect__find_stream() - set stream and schema of @d; in the first pass, new ones are added within the capture's limits */
void tw_dissect__find_stream(struct tw_dissect *d);

/**
 * tw_dissect__refuse() - report now, and whenever the frame is dissected again, that the data of the current TLV is not used; called in the
 * first pass only
 */
void tw_dissect__refuse(struct tw_dissect *d, expert_field *ei, const char *text);

/** tw_dissect__was_refused() - in later passes, report again what the first pass refused of the current TLV. Return: whether it did */
bool tw_dissect__was_refused(struct tw_dissect *d);

struct tw_sequence_note {
	enum tw_stream_arrival arrival;
	uint64_t missing; /* after a gap: number of missing events before the frame */
};

/** tw_dissect__sequence() - get the result of the first pass's check of the frame's event numbers; NULL = in order, or not checked */
const struct tw_sequence_note *tw_dissect__sequence(struct tw_dissect *d);

/* An error bound of a stream's packet times against the capture host's clock, from an OFFSET record of the stream. */
struct tw_time_error {
	uint64_t ns;    /* error bound, or TW_ERROR_UNKNOWN */
	uint32_t frame; /* the frame with the OFFSET */
};

/**
 * tw_dissect__add_time_error() - set the error bound of the stream's later packets to @ns, which may be TW_ERROR_UNKNOWN; called in the
 * first pass only. Return: false beyond the capture's limits; then the error bound of the later packets is unknown
 */
bool tw_dissect__add_time_error(struct tw_dissect *d, uint64_t ns);

/**
 * tw_dissect__time_error() - the bound of the stream's last OFFSET before this frame, the same in every pass; NULL if there was none
 */
const struct tw_time_error *tw_dissect__time_error(const struct tw_dissect *d);

/*
 * Whether the order of a packet with events is certain, relative to the last packet with events of another stream before it. The order is
 * certain if the times of both packets differ by more than the sum of their error bounds. For a capture with one stream, nothing is stored.
 */
enum tw_time_order { TW_ORDER_NO_OTHER, TW_ORDER_CERTAIN, TW_ORDER_UNCERTAIN };

/** tw_dissect__update_order() - determine the order of this frame, which has events; called in the first pass only */
void tw_dissect__update_order(struct tw_dissect *d);

/** tw_dissect__order() - the order that the first pass determined; TW_ORDER_UNCERTAIN if the limit of memory prevented storing it */
enum tw_time_order tw_dissect__order(const struct tw_dissect *d);

/* event_type.c: the format of an event id in one schema of one stream, and how its fields are shown. */

/* How one field is shown. */
struct tw_shown_field {
	const struct tw_field *field;
	struct tw_name *name;                       /* trace.SYSTEM.EVENT.FIELD; NULL beyond the limit of names */
	struct tw_name *any;                        /* trace.any.FIELD; NULL beyond the limit of names */
	const struct tw_print_names *value_strings; /* for its values; NULL if there are none */
	const struct tw_print *words;               /* print program with words for the values; NULL = there are none */
	struct tw_name *names; /* trace.SYSTEM.EVENT.FIELD.names; NULL if there is none, see tw_fields__names() */
	uint8_t type;          /* enum tw_ftype */
	uint8_t long_size;     /* size of a long on the traced host, bytes */
	bool is_syscall;       /* its values are numbers of system calls: the stream's machine gives their names */
	bool has_addresses;    /* its values are printed as symbols */
	bool is_stack;         /* its elements extend to the end of the record, whatever the format declares */
};

/* The user data of a struct tw_stream_event. */
struct tw_event_type {
	struct tw_stream_event *event;
	const uint32_t *frames; /* frames with the text: several if it came in PARTs, none if it is from the cache */
	uint32_t n_frames;
	uint32_t n_fields;                     /* without the common fields */
	const struct tw_socket_fields *socket; /* NULL if it is no socket event with a time stamp */
	/* NULL until tw_event_type__prepare(): */
	struct tw_shown_field *fields;
	const char *refusal; /* why the texts of the events are field=value pairs; NULL = the print fmt is used */
};

/** tw_event_type__find() - find the type of an event id; @schema may be NULL. Return: NULL if its format is unknown */
static inline struct tw_event_type *tw_event_type__find(const struct tw_stream_schema *schema, uint16_t event_id)
{
	const struct tw_stream_event *event = schema ? tw_stream_schema__event(schema, event_id) : NULL;

	return event ? event->user : NULL;
}

/** tw_event_type__prepare() - compile the print fmt and register the field names of a type, before an event of the type is first shown */
void tw_event_type__prepare(struct tw_stream *stream, struct tw_event_type *type);

/* Reading format texts: from SCHEMA records, and from the cache for a stream whose SCHEMA has not arrived. */
/**
 * tw_dissect__unpack_schema() - get the text of a SCHEMA record that is not a group, decompressed if needed
 * @ret: borrowed; has the packet's lifetime
 * Return: 0; -errno with @error filled; -ENOSPC if the frame's limit of decompressed bytes is reached.
 */
int tw_dissect__unpack_schema(struct tw_dissect *d, const struct tw_schema_view *view, struct tw_schema_text *ret,
			      struct tw_error *error);

/** tw_dissect__unpack_group() - get the decompressed texts of a SCHEMA record that is a group; otherwise as tw_dissect__unpack_schema() */
int tw_dissect__unpack_group(struct tw_dissect *d, const struct tw_schema_view *view, struct tw_schema_group *ret,
			     struct tw_error *error);

/**
 * tw_metadata_info__count() - count a record for the Info column
 * @detail: a blank and the content of the record in words; copied
 * Return: false if records of this type are not counted.
 */
bool tw_metadata_info__count(struct tw_dissect *d, const struct tw_tlv_view *tlv, const char *detail);

/** tw_metadata_info__append() - append a summary of all counted records to the Info column; nothing if there are none */
void tw_metadata_info__append(const struct tw_metadata_info *metadata, struct tw_line *line);

/** tw_dissect__add_schema() - add the texts of a SCHEMA record to the stream; first pass only. Return: 0, or -errno with @error filled */
int tw_dissect__add_schema(struct tw_dissect *d, const struct tw_schema_view *view, struct tw_error *error);

/** tw_dissect__read_cache() - add the cached texts of d->schema, which must not be NULL; the cache is read once for each schema */
void tw_dissect__read_cache(struct tw_dissect *d);

#endif
