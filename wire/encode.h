/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Building frames in the caller's buffer. Nothing is allocated or copied twice: a TLV is reserved in place and written by the caller, or
 * by the function for its type, below. wire/tracewire.h has the format.
 */
#ifndef TW_ENCODE_H
#define TW_ENCODE_H

#include "wire/decode.h"

/* Event bodies are copied in steps of this size. A frame buffer needs this much extra space after its capacity. */
#define TW_COPY_STEP 32

/* A frame being built. */
struct tw_frame {
	uint8_t *buf;
	uint32_t cap;
	uint32_t len;
	struct tw_frame_info info;
};

/**
 * tw_frame__begin() - start a frame
 * @buf: borrowed until tw_frame__end(); at least @cap + TW_COPY_STEP bytes
 * @cap: largest frame to build, bytes; at least a header, limited to TW_FRAME_MAX
 * @info: header fields; length and events are set by later calls
 */
void tw_frame__begin(struct tw_frame *f, void *buf, size_t cap, const struct tw_frame_info *info);

/**
 * tw_frame__add() - reserve a TLV
 * @value_len: bytes after the TLV header
 *
 * Return: the value, to be written by the caller, with its padding zeroed; NULL if it does not fit.
 */
void *tw_frame__add(struct tw_frame *f, enum tw_tlv_type type, size_t value_len);

/** tw_frame__room() - the longest value that tw_frame__add() accepts, bytes; 0 also if no header fits */
static inline size_t tw_frame__room(const struct tw_frame *f)
{
	return f->cap - f->len > sizeof(struct tw_tlv) ? f->cap - f->len - sizeof(struct tw_tlv) : 0;
}

/**
 * tw_frame__add_event() - append one kernel record; the hot path's only copy
 * @record: the kernel's record, its eight common bytes first, in this host's byte order; read in steps of TW_COPY_STEP,
 *          so that many bytes behind its end must be readable
 * @len: padded length of the record, bytes; at least TW_RECORD_COMMON and a multiple of 4
 * @time: in the stream's clock
 *
 * Return: false if the event needs a new frame: no room, or its time is too far from the base time.
 */
static inline bool tw_frame__add_event(struct tw_frame *f, const uint8_t *record, uint32_t len, uint64_t time)
{
	const int64_t delta = (int64_t)(time - f->info.base_time);
	const uint32_t tlv_len = len + TW_EVENT_RECORD;
	uint16_t id;
	uint32_t pid;
	uint8_t *p;

	if (tlv_len > f->cap - f->len || delta != (int32_t)delta)
		return false;
	p = f->buf + f->len;
	memcpy(&id, record, sizeof(id));
	memcpy(&pid, record + 4, sizeof(pid));
	tw_store_be32(p, (uint32_t)TW_TLV_EVENT << 16 | tlv_len);
	tw_store_be32(p + 4, (uint32_t)delta);
	tw_store_be16(p + 8, id);
	p[10] = record[2];
	p[11] = record[3];
	tw_store_be32(p + 12, pid);
	for (uint32_t at = TW_RECORD_COMMON; at < len; at += TW_COPY_STEP)
		memcpy(p + TW_EVENT_RECORD + at, record + at, TW_COPY_STEP);
	f->len += tlv_len;
	f->info.events++;
	return true;
}

/**
 * tw_frame__add_part() - append the next piece of a value that does not fit a frame
 * @inner: type of the whole
 * @value: the whole value, @total bytes, without a TLV header
 * @offset: where this piece begins
 *
 * Return: bytes of the value in this piece, a multiple of 4 unless it is the last; 0 if none fits.
 */
size_t tw_frame__add_part(struct tw_frame *f, enum tw_tlv_type inner, uint32_t id, const void *value, uint32_t total,
			  uint32_t offset);

/** tw_frame__end() - complete the header. Return: length of the frame, bytes */
size_t tw_frame__end(struct tw_frame *f);

/** tw_frame_hdr__emit() - write a frame header; @hdr has room for a struct tw_frame_hdr */
void tw_frame_hdr__emit(void *hdr, const struct tw_frame_info *info);

/*
 * Records other than events: the inverse of each view of wire/decode.h. Each function copies the data of the view and appends one TLV.
 * All return false, with the frame unchanged, if it does not fit: not enough room, or for LOST a time too far from the frame's base
 * time.
 */

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
