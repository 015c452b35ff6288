/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only parser of received frames. A cursor checks the remaining length, returns a pointer and advances. Each view points into the
 * caller's bytes and is valid as long as they are. Nothing here allocates, recurses or trusts its input.
 */
#ifndef TW_DECODE_H
#define TW_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "wire/tracewire.h"

/** tw_tlv__padded() - size of a TLV with its padding: the next one begins at a multiple of 4 */
static inline size_t tw_tlv__padded(size_t len)
{
	return (len + 3) & ~(size_t)3;
}

/* The frame header in the host's byte order. */
struct tw_frame_info {
	uint8_t flags;
	uint8_t source;
	uint16_t length; /* bytes, with the header; set by tw_frame__end() */
	uint16_t channel;
	uint16_t cpu;
	uint16_t
		events; /* quantity of numbers used; counted by the tw_frame__add_*() functions, 1 in a control frame */
	uint64_t stream_id;
	uint64_t schema_id;
	uint64_t seq;
	uint64_t base_time; /* ns in the stream's clock */
};

/* The bytes not read yet. Reads beyond the end fail and do not move the cursor. */
struct tw_cursor {
	const uint8_t *at;
	size_t left;
};

/** tw_cursor__take() - the next @len bytes, or NULL if fewer are left */
static inline const uint8_t *tw_cursor__take(struct tw_cursor *c, size_t len)
{
	const uint8_t *p = c->at;

	if (len > c->left)
		return NULL;
	c->at += len;
	c->left -= len;
	return p;
}

/* One TLV: its type and its value, without the TLV header. */
struct tw_tlv_view {
	uint16_t type;
	const uint8_t *value;
	size_t len;
};

enum tw_frame_status {
	TW_FRAME_OK = 0,
	TW_FRAME_NOT_OURS,  /* no magic: another protocol */
	TW_FRAME_VERSION,   /* an unknown version */
	TW_FRAME_TRUNCATED, /* fewer bytes than the length in the header; the complete TLVs can be read */
	TW_FRAME_MALFORMED, /* an invalid length in the header or of a TLV */
};

/**
 * tw_frame__parse() - check and read a frame header
 * @data: from the frame header on, with link padding
 * @ret_info: header fields
 * @ret_tlvs: the TLVs, as far as captured
 *
 * Return: TW_FRAME_OK or TW_FRAME_TRUNCATED with both outputs set; otherwise another status with both unchanged.
 */
enum tw_frame_status tw_frame__parse(const void *data, size_t len, struct tw_frame_info *ret_info,
				     struct tw_cursor *ret_tlvs);

/**
 * tw_cursor__next_tlv() - the next TLV of a frame, of any type
 * @ret_status: TW_FRAME_OK at the end of the frame or after a TLV, TW_FRAME_MALFORMED if the rest cannot be read
 *
 * TLVs of TW_TLV_LIST shorter than their minimum length are malformed, as is an AUTH that is not last; unknown types are returned.
 *
 * Return: true if @ret has a TLV.
 */
bool tw_cursor__next_tlv(struct tw_cursor *c, struct tw_tlv_view *ret, enum tw_frame_status *ret_status);

/** tw_cursor__has() - whether the readable TLVs include one of that type */
bool tw_cursor__has(struct tw_cursor tlvs, uint16_t type);

/**
 * tw_cursor__cut_tlv() - the captured part of a TLV that exceeds the cursor's end, where tw_cursor__next_tlv() stopped
 * @missing: bytes of the frame after that end, which were not captured
 * @ret: its value is the captured part, and may be shorter than the minimum
 *
 * Return: false if its header is incomplete or its length is invalid.
 */
bool tw_cursor__cut_tlv(const struct tw_cursor *c, size_t missing, struct tw_tlv_view *ret);

/** tw_tlv__min() - minimum length of a TLV of that type with its header, bytes; for unknown types that of a header */
size_t tw_tlv__min(unsigned int type);

/** tw_tlv__name() - "EVENT", ...; NULL if unknown */
const char *tw_tlv__name(unsigned int type);

/* An EVENT, FILTERED, or reassembled EVENT. */
struct tw_event_view {
	uint64_t time; /* in the stream's clock */
	uint16_t id;
	uint8_t common_flags;
	uint8_t common_preempt_count;
	uint32_t pid;
	const uint8_t *record; /* whole record; its first TW_RECORD_COMMON bytes are big-endian */
	uint32_t len;          /* of the record, bytes, TW_RECORD_COMMON at least */
};

struct tw_part_view {
	uint16_t inner_type; /* never PART: pieces are not divided again */
	uint32_t id, total, offset;
	const uint8_t *bytes;
	size_t len; /* at least 1; offset + len <= total holds */
};

struct tw_lost_view {
	uint64_t time;
	uint16_t where;
	bool unknown;
	uint64_t count;
};

struct tw_watermark_view {
	uint64_t time;
	struct tw_cursor channels; /* for tw_watermark__next() */
};

struct tw_schema_view {
	uint8_t kind, encoding;
	uint16_t event_id;
	uint32_t raw_length, index, total;
	const uint8_t *data; /* system, NUL, text; in the form given by encoding */
	size_t len;
};

struct tw_attr_view {
	uint16_t attr; /* enum tw_host_attr, or unknown */
	const uint8_t *value;
	size_t len;
};

struct tw_clock_view {
	uint32_t valid;
	uint32_t error_ns;
	uint32_t sync_ns;    /* 0 = not known */
	uint64_t reading[6]; /* by enum tw_clock */
};

struct tw_comm_view {
	uint8_t origin;
	uint64_t time;
	uint32_t pid, tgid;
	const uint8_t *name; /* not NUL-terminated */
	size_t len;          /* up to the first NUL */
};

struct tw_symbol_view {
	uint32_t size;
	uint64_t address;
	const uint8_t *name; /* not NUL-terminated */
	size_t len;
};

struct tw_stat_view {
	uint16_t stat; /* enum tw_stat_id, or unknown */
	uint16_t channel;
	uint64_t value;
};

struct tw_time_sync_view {
	uint32_t id;
	uint64_t asked;              /* in the receiver's clock */
	uint64_t received, answered; /* in the stream's clock; 0 in a request */
};

struct tw_offset_view {
	uint16_t kind;   /* enum tw_offset_kind, or unknown */
	uint16_t method; /* enum tw_offset_method, or unknown */
	uint64_t time;   /* in the stream's clock */
	int64_t offset, step;
	uint64_t error_ns; /* TW_ERROR_UNKNOWN */
	int32_t drift;
};

/*
 * Each reads the value of a TLV of its type, as tw_cursor__next_tlv() hands it out or as reassembled from PARTs.
 * Return: false, outputs untouched, if the value is malformed.
 */
bool tw_event__parse(const struct tw_tlv_view *tlv, uint64_t base_time, struct tw_event_view *ret);
bool tw_part__parse(const struct tw_tlv_view *tlv, struct tw_part_view *ret);
bool tw_lost__parse(const struct tw_tlv_view *tlv, uint64_t base_time, struct tw_lost_view *ret);
bool tw_watermark__parse(const struct tw_tlv_view *tlv, struct tw_watermark_view *ret);
bool tw_schema_tlv__parse(const struct tw_tlv_view *tlv, struct tw_schema_view *ret);
bool tw_clock__parse(const struct tw_tlv_view *tlv, struct tw_clock_view *ret);
bool tw_comm__parse(const struct tw_tlv_view *tlv, struct tw_comm_view *ret);
bool tw_symbol__parse(const struct tw_tlv_view *tlv, struct tw_symbol_view *ret);
bool tw_time_sync__parse(const struct tw_tlv_view *tlv, struct tw_time_sync_view *ret);
bool tw_offset__parse(const struct tw_tlv_view *tlv, struct tw_offset_view *ret);

/** tw_part__is_last_of_event() - whether a PART completes an EVENT: its frame has the event's number */
static inline bool tw_part__is_last_of_event(const struct tw_tlv_view *tlv)
{
	struct tw_part_view part;

	return tw_part__parse(tlv, &part) && part.inner_type == TW_TLV_EVENT && part.offset + part.len == part.total;
}

/* Step through the lists inside HOST, STATS, WATERMARK, METADATA_REQUEST and REFUSED values. Return: false at the end or at a malformed entry. */
bool tw_host__next(struct tw_cursor *c, struct tw_attr_view *ret);
bool tw_metadata_request__next(struct tw_cursor *c, uint16_t *ret_what); /* enum tw_metadata_request, or unknown */
bool tw_refused__next(struct tw_cursor *c, uint16_t *ret_why);           /* enum tw_refused_why, or unknown */
bool tw_stats__next(struct tw_cursor *c, struct tw_stat_view *ret);
bool tw_watermark__next(struct tw_cursor *c, uint16_t *ret_channel, uint64_t *ret_next_seq);

#endif
