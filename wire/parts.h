/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reassembly of PARTs. Values are identified by (stream, channel, id). The memory and the number of incomplete values are limited. Memory
 * grows with the received bytes, never with the total that a sender claims.
 *
 * The pieces of a value must arrive in order, as the format requires. A repeated piece is ignored. If a piece is missing, the value is
 * discarded.
 */
#ifndef TW_PARTS_H
#define TW_PARTS_H

#include "wire/decode.h"

struct tw_parts;

struct tw_parts_limits {
	size_t bytes;   /* memory of all incomplete values; a value whose total is larger is refused */
	uint32_t count; /* number of incomplete values; a further value replaces the oldest one */
};

enum tw_parts_status {
	TW_PARTS_MORE,     /* accepted; more pieces are expected */
	TW_PARTS_WHOLE,    /* accepted; the value is complete */
	TW_PARTS_REPEATED, /* ignored: a repeated piece */
	TW_PARTS_BROKEN,   /* discarded: an earlier piece is missing, or the piece does not match earlier pieces */
	TW_PARTS_REFUSED,  /* discarded: the value is larger than the limit, or no memory could be allocated */
};

struct tw_parts_stats {
	uint64_t incomplete; /* values discarded while incomplete: no room, a gap, or another value with the same id */
	uint64_t headless;   /* discarded pieces of values whose beginning is missing or was discarded */
	uint64_t repeated;   /* repeated pieces */
	uint64_t refused;    /* pieces for which tw_parts__add() returned TW_PARTS_REFUSED */
	size_t bytes;        /* memory of the current incomplete values */
	uint32_t count;      /* number of current incomplete values */
};

/** tw_parts__new() - make an empty reassembler. @limits: copied; both limits are at least 1. Return: NULL if out of memory */
struct tw_parts *tw_parts__new(const struct tw_parts_limits *limits);

/** tw_parts__free() - free @parts, which may be NULL */
void tw_parts__free(struct tw_parts *parts);

/**
 * tw_parts__add() - add one piece
 * @stream_id, @channel: of the frame with the piece
 * @part: from tw_part__parse(); its bytes are copied
 * @ret: for TW_PARTS_WHOLE, the inner type and the complete value, borrowed until the next call with @parts; otherwise unchanged
 */
enum tw_parts_status tw_parts__add(struct tw_parts *parts, uint64_t stream_id, uint16_t channel,
				   const struct tw_part_view *part, struct tw_tlv_view *ret);

/** tw_parts__stats() - copy the statistics: totals since tw_parts__new(), and current bytes and count */
void tw_parts__stats(const struct tw_parts *parts, struct tw_parts_stats *ret);

#endif
