/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parser of received frames in userspace. A cursor checks the remaining length, returns a pointer and advances. A view points into the
 * caller's bytes and is valid as long as these bytes are. The functions do not allocate memory, do not recurse and do not trust their
 * input.
 */
#ifndef TW_DECODE_H
#define TW_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "wire/tracewire.h"

/** tw_tlv__padded() - size of a TLV of @len bytes with its padding, bytes: a multiple of 4 */
static inline size_t tw_tlv__padded(size_t len)
{
	return (len + 3) & ~(size_t)3;
}

/* The frame header in the host's byte order. */
struct tw_frame_info {
	uint8_t flags;
	uint8_t source;
	uint16_t length; /* bytes including the header; for a frame being built, tw_frame__end() sets it */
	uint16_t channel;
	uint16_t cpu;
	uint16_t events; /* as in struct tw_frame_hdr; for a frame being built, the functions of wire/encode.h set it */
	uint64_t stream_id;
	uint64_t schema_id;
	uint64_t seq;       /* number of the first event; in a control frame, number of the frame */
	uint64_t base_time; /* in the stream's clock */
};

/* A cursor: the bytes that are not read yet. A read beyond the end fails and does not move the cursor. */
struct tw_cursor {
	const uint8_t *at;
	size_t left;
};

/** tw_cursor__take() - move past the next @len bytes. Return: pointer to them; NULL if fewer remain */
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
	TW_FRAME_NOT_OURS,  /* another protocol: the magic number is absent */
	TW_FRAME_VERSION,   /* an unknown version */
	TW_FRAME_TRUNCATED, /* fewer bytes than the length in the header; the complete TLVs can be read */
	TW_FRAME_MALFORMED, /* an incomplete frame header, an invalid length in the header, or an invalid TLV */
};

/**
 * tw_frame__parse() - check and read a frame header
 * @data: the frame header and all bytes after it; link padding is allowed
 * @ret_info: header fields
 * @ret_tlvs: a cursor over the TLVs, as far as they were captured
 * Return: TW_FRAME_OK or TW_FRAME_TRUNCATED, with both outputs set; or another status, with both outputs unchanged.
 */
enum tw_frame_status tw_frame__parse(const void *data, size_t len, struct tw_frame_info *ret_info,
				     struct tw_cursor *ret_tlvs);

/**
 * tw_cursor__next_tlv() - read the next TLV of a frame, of any type
 * @ret_status: TW_FRAME_OK after a TLV and at the end of the frame; TW_FRAME_MALFORMED if the remaining bytes are not a valid TLV
 * A TLV is malformed if it is shorter than the minimum length of its type, exceeds the remaining bytes, or is an AUTH that is not last.
 * A TLV of an unknown type is read like any other.
 * Return: true if a TLV was read into @ret.
 */
bool tw_cursor__next_tlv(struct tw_cursor *c, struct tw_tlv_view *ret, enum tw_frame_status *ret_status);

/** tw_cursor__has() - whether tw_cursor__next_tlv() would read a TLV of @type from @tlvs */
bool tw_cursor__has(struct tw_cursor tlvs, uint16_t type);

/**
 * tw_cursor__cut_tlv() - read the captured part of the TLV at which a truncated frame ends, after tw_cursor__next_tlv() returned false
 * @missing: number of bytes at the end of the frame that were not captured
 * @ret: the TLV with the captured part of its value, which may be shorter than the minimum length
 * Return: false if the TLV is complete, its header is incomplete, or its length is invalid.
 */
bool tw_cursor__cut_tlv(const struct tw_cursor *c, size_t missing, struct tw_tlv_view *ret);

/** tw_tlv__min() - minimum length of a TLV of @type including its header, bytes; for an unknown type, the length of the header */
size_t tw_tlv__min(unsigned int type);

/** tw_tlv__name() - name of a TLV type: "EVENT", ...; NULL for an unknown type */
const char *tw_tlv__name(unsigned int type);

/* An EVENT, a FILTERED, or an EVENT reassembled from PARTs. */
struct tw_event_view {
	uint64_t time; /* in the stream's clock */
	uint16_t id;
	uint8_t common_flags;
	uint8_t common_preempt_count;
	uint32_t pid;
	const uint8_t *record; /* the kernel's record; its first TW_RECORD_COMMON bytes are big-endian */
	uint32_t len;          /* length of @record, bytes; at least TW_RECORD_COMMON */
};

struct tw_part_view {
	uint16_t inner_type; /* type of the divided TLV; never PART */
	uint32_t id, total, offset;
	const uint8_t *bytes;
	size_t len; /* bytes of this piece, at least 1; offset + len <= total */
};

struct tw_lost_view {
	/* in the stream's clock: time of the first event after the loss; at the end of the stream, of the last event before the loss */
	uint64_t time;
	uint16_t where; /* enum tw_lost_where, or unknown */
	bool unknown;   /* TW_LOST_UNKNOWN */
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
	const uint8_t *data; /* payload, encoded as @encoding: system, NUL and text; in a GROUP, SCHEMA TLVs */
	size_t len;
};

struct tw_attr_view {
	uint16_t attr; /* enum tw_host_attr, or unknown */
	const uint8_t *value;
	size_t len;
};

#define TW_PHC_MAX 8 /* PHCs of a CLOCK that are read; further ones are ignored */

struct tw_phc_view {
	uint16_t index; /* /dev/ptpN */
	uint8_t method; /* enum tw_phc_method, or unknown */
	uint32_t error_ns;
	uint32_t sync_ns; /* 0 = unknown */
	uint64_t phc;     /* ns */
	uint64_t trace;   /* in the stream's clock */
};

struct tw_clock_view {
	uint32_t valid; /* bit n: reading[n] is present */
	uint32_t error_ns;
	uint32_t sync_ns;    /* 0 = unknown */
	uint64_t reading[6]; /* index: enum tw_clock */
	int32_t tai_offset;  /* s; 0 = unknown */
	uint16_t leap;       /* enum tw_leap, or unknown */
	uint16_t n_phcs;     /* at most TW_PHC_MAX */
	struct tw_phc_view phcs[TW_PHC_MAX];
};

struct tw_comm_view {
	uint8_t origin;
	uint64_t time;
	uint32_t pid, tgid;
	const uint8_t *name; /* not NUL-terminated */
	size_t len;          /* bytes before the first NUL */
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
	uint64_t asked; /* time of the request, in the receiver's clock */
	/* arrival of the request, and sending of the response, in the stream's clock; 0 in a request */
	uint64_t received, answered;
	bool is_short;                             /* the record has TW_TIME_SYNC_MIN bytes: all members below are 0 */
	uint8_t received_by, answered_by, sent_by; /* enum tw_stamp, or unknown */
	uint32_t previous;                         /* an earlier request; 0 if @sent_by is 0 */
	uint64_t sent;                             /* when the response to @previous was sent, in the stream's clock */
};

/* Sources of the four times of an exchange: enum tw_stamp, or unknown. */
struct tw_stamp_sources {
	uint8_t asked, received, answered, arrived;
};

struct tw_offset_view {
	uint16_t kind;   /* enum tw_offset_kind, or unknown */
	uint16_t method; /* enum tw_offset_method, or unknown */
	uint64_t time;   /* in the stream's clock */
	int64_t offset, step;
	uint64_t error_ns; /* TW_ERROR_UNKNOWN = unknown */
	int32_t drift;
	struct tw_stamp_sources by; /* of the newest exchange */
};

/*
 * Each function reads the value of a TLV of one type. The TLV is from tw_cursor__next_tlv(), or was reassembled from PARTs. @base_time is
 * the base time of the TLV's frame.
 * Return: false, with @ret unchanged, if the value is malformed.
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

/** tw_part__is_last_of_event() - whether a PART is the last piece of an EVENT; only this piece uses the event's number */
static inline bool tw_part__is_last_of_event(const struct tw_tlv_view *tlv)
{
	struct tw_part_view part;

	return tw_part__parse(tlv, &part) && part.inner_type == TW_TLV_EVENT && part.offset + part.len == part.total;
}

/*
 * Read the next entry of the list in a HOST, METADATA_REQUEST, REFUSED, STATS or WATERMARK.
 * Return: false at the end of the list, or if the entry is malformed.
 */
bool tw_host__next(struct tw_cursor *c, struct tw_attr_view *ret);
bool tw_number_tlv__next(struct tw_cursor *c,
			 uint16_t *ret); /* enum tw_metadata_request or enum tw_refused_why, or unknown */
bool tw_stats__next(struct tw_cursor *c, struct tw_stat_view *ret);
bool tw_watermark__next(struct tw_cursor *c, uint16_t *ret_channel, uint64_t *ret_next_seq);

#endif
