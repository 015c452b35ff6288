/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing records other than events into a frame: for each view of wire/decode.h, the way back. Each takes what the view
 * points to by copy and appends one TLV. All return false, the frame untouched, if it does not fit: not enough room, or
 * for LOST a time too far from the frame's base time.
 */
#ifndef TW_EMIT_H
#define TW_EMIT_H

#include "wire/decode.h"
#include "wire/encode.h"

/* Bytes of a SCHEMA's value before its payload. */
#define TW_SCHEMA_HEAD (sizeof(struct tw_schema_tlv) - sizeof(struct tw_tlv))

bool tw_lost__emit(struct tw_frame *f, const struct tw_lost_view *lost);
bool tw_clock__emit(struct tw_frame *f, const struct tw_clock_view *clock);
/* A name of TW_COMM_MAX bytes or more is cut: the last byte is a NUL. */
bool tw_comm__emit(struct tw_frame *f, const struct tw_comm_view *comm);
bool tw_symbol__emit(struct tw_frame *f, const struct tw_symbol_view *symbol);
bool tw_end__emit(struct tw_frame *f);
bool tw_time_sync__emit(struct tw_frame *f, const struct tw_time_sync_view *exchange);
bool tw_offset__emit(struct tw_frame *f, const struct tw_offset_view *offset);
bool tw_metadata_request__emit(struct tw_frame *f, enum tw_metadata_request what);
bool tw_refused__emit(struct tw_frame *f, enum tw_refused_why why);
/* @schema->data is the payload as its encoding says, from tw_schema_text__compress() */
bool tw_schema_tlv__emit(struct tw_frame *f, const struct tw_schema_view *schema);
/* The value alone, which may be longer than a TLV: for PARTs. @buf has room for TW_SCHEMA_HEAD + @schema->len bytes. */
void tw_schema_tlv__lay_out(void *buf, const struct tw_schema_view *schema);
bool tw_host__emit(struct tw_frame *f, const struct tw_attr_view *attrs, size_t n);
bool tw_stats__emit(struct tw_frame *f, const struct tw_stat_view *stats, size_t n);
/* @next_seqs[i] is the next unused number of channel @channels[i], as of @time in the stream's clock */
bool tw_watermark__emit(struct tw_frame *f, uint64_t time, const uint16_t *channels, const uint64_t *next_seqs,
			size_t n);

#endif
