/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the dissector share while one frame is dissected. */
#ifndef TW_DISSECT_H
#define TW_DISSECT_H

#include "dissector/capture.h"
#include "dissector/fixed.h"
#include "dissector/sequence.h"
#include "dissector/shown.h"
#include "wire/decode.h"

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
	struct tw_stream *stream;    /* NULL if there are too many */
	struct tw_schema_id *schema; /* NULL if the frame names none */
	bool first_pass;             /* what is learnt is learnt now */
	bool wants_info;             /* the Info column is shown */
	uint32_t missing;            /* bytes of the frame that whoever captured left out: its end */
	bool is_cut;                 /* the record at hand, which they are of too */
	uint32_t n_tlvs;             /* so far */
	uint32_t n_events;           /* the same */
	uint32_t n_others;           /* the same of control records */
	uint32_t items_left;
	uint32_t lookups_left;
	uint32_t unpack_left;
	uint32_t prepare_left;
	uint32_t text_left;
	uint32_t program_left;
	struct tw_line info;
};

static inline int tw_dissect__at(const struct tw_dissect *d, const void *p)
{
	return (int)((const uint8_t *)p - d->bytes.base);
}

/**
 * tw_put_number() - add a number, a truth or a time (ns) to a tree, as the field's type says
 * @value: signed ones sign-extended
 * Return: the item; NULL if nobody wants it.
 */
proto_item *tw_put_number(struct tw_dissect *d, proto_tree *tree, const header_field_info *hf, int at, int len,
			  uint64_t value);

/** tw_put_signed_time() - add a time that may lie before 0, ns */
proto_item *tw_put_signed_time(struct tw_dissect *d, proto_tree *tree, const header_field_info *hf, int at, int len,
			       int64_t ns);

/** tw_put_bytes() - add text or bytes that are in the frame; text as dissector/shown.h has it */
proto_item *tw_put_bytes(struct tw_dissect *d, proto_tree *tree, const header_field_info *hf, const void *p,
			 size_t len);

/** tw_put_text() - add text that is not in the frame, as the field's value at @at; as dissector/shown.h has it */
proto_item *tw_put_text(struct tw_dissect *d, proto_tree *tree, const header_field_info *hf, int at, int len,
			const char *text);

/** tw_put_subtree() - a branch with a plain label */
proto_tree *tw_put_subtree(struct tw_dissect *d, proto_tree *tree, enum tw_subtree which, const void *p, size_t len,
			   const char *label);

/** tw_dissect__expert() - say something about the frame; @text may be NULL for the default */
void tw_dissect__expert(struct tw_dissect *d, enum tw_expert which, const char *text);

/** tw_dissect__refuse() - what this TLV brings is not taken in: said now, and when the frame is dissected again. First pass only */
void tw_dissect__refuse(struct tw_dissect *d, enum tw_expert which, const char *text);

/** tw_dissect__was_refused() - later passes: say what the first pass refused of this TLV. Return: whether there was something */
bool tw_dissect__was_refused(struct tw_dissect *d);

/** tw_dissect__depend() - displayed events need that frame; 0 is none */
static inline void tw_dissect__depend(struct tw_dissect *d, uint32_t frame)
{
	if (frame && d->tree)
		tw_depend_on_frame(d->pinfo, frame);
}

/** tw_dissect__event() - an EVENT or FILTERED record, out of this frame or put together */
void tw_dissect__event(struct tw_dissect *d, const struct tw_tlv_view *tlv);

/**
 * tw_dissect__text() - an event's text, printable; empty when the frame has had its share
 * Return: in a buffer that the next call uses again.
 */
const char *tw_dissect__text(struct tw_dissect *d, const struct tw_event_type *type, const struct tw_record *record);

/** tw_dissect__tlv_header() - a record's type and whole length, where the frame has them */
void tw_dissect__tlv_header(struct tw_dissect *d, proto_tree *tree, const struct tw_tlv_view *tlv);

/** tw_dissect__record() - any record but events and PART; and of these the beginning */
void tw_dissect__record(struct tw_dissect *d, const struct tw_tlv_view *tlv);

/* A record put together. */
struct tw_whole {
	struct tw_tlv_view tlv;
	tvbuff_t *tvb;
	uint32_t frames[TW_WHOLE_FRAMES_MAX]; /* that its pieces came in */
	uint32_t n_frames;
};

/** tw_dissect__part() - one piece. Return: whether the record it is a piece of is whole with it */
bool tw_dissect__part(struct tw_dissect *d, const struct tw_tlv_view *tlv, struct tw_whole *ret);

/** tw_parts__register() - at start: the table of pieces */
void tw_parts__register(void);

/** tw_notes__register() - at start; @proto: whose notes are kept with frames */
void tw_notes__register(int proto);

/** tw_notes__sequence() - what is to be said of the frame's sequence number; NULL if nothing */
const struct tw_sequence_note *tw_notes__sequence(struct tw_dissect *d);

#endif
