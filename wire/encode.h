/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Building frames in the caller's buffer. No memory is allocated, and no value is copied twice: a function reserves space for a TLV in the
 * frame, and the caller, or the function for the TLV's type, writes the value into this space. wire/tracewire.h defines the format.
 */
#ifndef TW_ENCODE_H
#define TW_ENCODE_H

#include "wire/decode.h"

/* Event bodies are copied in steps of this size, bytes. A frame buffer needs TW_COPY_STEP bytes of extra space after its capacity. */
#define TW_COPY_STEP 32

/* A frame being built. */
struct tw_frame {
	uint8_t *buf;
	uint32_t cap; /* largest length, bytes; a multiple of 4 */
	uint32_t len; /* bytes so far, including the frame header */
	struct tw_frame_info info;
};

/**
 * tw_frame__begin() - start a frame
 * @buf: borrowed until tw_frame__end(); at least @cap + TW_COPY_STEP bytes
 * @cap: largest frame to build, bytes; at least the size of a frame header; rounded down to a multiple of 4, and limited to TW_FRAME_MAX
 * @info: header fields; length and events are ignored, because later calls set them
 */
void tw_frame__begin(struct tw_frame *f, void *buf, size_t cap, const struct tw_frame_info *info);

/**
 * tw_frame__add() - append a TLV whose value the caller writes afterwards
 * @value_len: length of the value, without the TLV header, bytes
 * Return: pointer to the value, after which the padding is already zeroed; NULL if the TLV does not fit.
 */
void *tw_frame__add(struct tw_frame *f, enum tw_tlv_type type, size_t value_len);

/** tw_frame__room() - length of the longest value that tw_frame__add() accepts, bytes; 0 also if not even a TLV header fits */
static inline size_t tw_frame__room(const struct tw_frame *f)
{
	return f->cap - f->len > sizeof(struct tw_tlv) ? f->cap - f->len - sizeof(struct tw_tlv) : 0;
}

/**
 * tw_frame__add_event() - append one kernel record as an EVENT
 * @record: the kernel's record, which begins with the eight bytes of the common fields, in this host's byte order. It is read in steps of
 *          TW_COPY_STEP bytes, so TW_COPY_STEP bytes after its end must be readable
 * @len: padded length of the record, bytes; at least TW_RECORD_COMMON and a multiple of 4
 * @time: in the stream's clock
 *
 * Return: false if the event needs a new frame, because it does not fit, or its time is too far from the base time.
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
 * tw_frame__add_part() - append a PART with the next piece of a value that does not fit a frame
 * @inner: type of the divided TLV
 * @id: the same for all pieces of the value
 * @value: the complete value, @total bytes, without a TLV header
 * @offset: offset of this piece in the value
 * Return: length of this piece, bytes, a multiple of 4 except for the last piece; 0 if the frame has no room, or if no bytes are left.
 */
size_t tw_frame__add_part(struct tw_frame *f, enum tw_tlv_type inner, uint32_t id, const void *value, uint32_t total,
			  uint32_t offset);

/** tw_frame__end() - write the frame header. Return: length of the frame, bytes */
size_t tw_frame__end(struct tw_frame *f);

/** tw_frame_hdr__emit() - write a frame header to @hdr, which has sizeof(struct tw_frame_hdr) bytes */
void tw_frame_hdr__emit(void *hdr, const struct tw_frame_info *info);

/*
 * Encoders of TLVs other than EVENT and PART. Each function appends one TLV with a copy of the caller's data. Most functions take the data
 * from a view of wire/decode.h.
 * Return: false, with the frame unchanged, if the TLV does not fit, or if the time of a LOST is too far from the frame's base time.
 */

/* Length of the fields before the payload in a SCHEMA's value, bytes. */
#define TW_SCHEMA_HEAD (sizeof(struct tw_schema_tlv) - sizeof(struct tw_tlv))

bool tw_lost__emit(struct tw_frame *f, const struct tw_lost_view *lost);
bool tw_clock__emit(struct tw_frame *f, const struct tw_clock_view *clock);
/* A name of TW_COMM_MAX bytes or more is cut to TW_COMM_MAX - 1 bytes and a NUL. */
bool tw_comm__emit(struct tw_frame *f, const struct tw_comm_view *comm);
bool tw_symbol__emit(struct tw_frame *f, const struct tw_symbol_view *symbol);
bool tw_end__emit(struct tw_frame *f);
bool tw_time_sync__emit(struct tw_frame *f, const struct tw_time_sync_view *exchange);
bool tw_offset__emit(struct tw_frame *f, const struct tw_offset_view *offset);
/* A METADATA_REQUEST or REFUSED with one number. */
bool tw_number_tlv__emit(struct tw_frame *f, enum tw_tlv_type type, uint16_t number);
/* @schema->data is the encoded payload, as from tw_schema_text__compress(). */
bool tw_schema_tlv__emit(struct tw_frame *f, const struct tw_schema_view *schema);
/*
 * Write the value of a SCHEMA without a TLV header, for example to divide a value that is too long for a frame into PARTs.
 * @buf: TW_SCHEMA_HEAD + @schema->len bytes
 */
void tw_schema_tlv__lay_out(void *buf, const struct tw_schema_view *schema);
bool tw_host__emit(struct tw_frame *f, const struct tw_attr_view *attrs, size_t n);
bool tw_stats__emit(struct tw_frame *f, const struct tw_stat_view *stats, size_t n);
/* @next_seqs[i] is the next unused number of channel @channels[i]; @time is in the stream's clock. */
bool tw_watermark__emit(struct tw_frame *f, uint64_t time, const uint16_t *channels, const uint64_t *next_seqs,
			size_t n);

#endif
