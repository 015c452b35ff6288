/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing control records into a frame: for each view of wire/decode.h, the way back. All return false, the frame untouched,
 * if it does not fit: not enough room, or for LOST a time too far from the frame's base time.
 */
#ifndef TW_EMIT_H
#define TW_EMIT_H

#include "wire/decode.h"
#include "wire/encode.h"

bool tw_lost__emit(struct tw_frame *f, const struct tw_lost_view *lost);
bool tw_clock__emit(struct tw_frame *f, const struct tw_clock_view *clock);
bool tw_comm__emit(struct tw_frame *f, const struct tw_comm_view *comm);
bool tw_symbol__emit(struct tw_frame *f, const struct tw_symbol_view *symbol);
/* @schema->data as its encoding says */
bool tw_schema_tlv__emit(struct tw_frame *f, const struct tw_schema_view *schema);
bool tw_host__emit(struct tw_frame *f, const struct tw_attr_view *attrs, size_t n);
bool tw_stats__emit(struct tw_frame *f, const struct tw_stat_view *stats, size_t n);
/* next_seq of @n channels, in two parallel arrays */
bool tw_watermark__emit(struct tw_frame *f, uint64_t time, const uint16_t *channels, const uint64_t *next_seqs,
			size_t n);

#endif
