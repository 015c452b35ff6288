/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reassembly of PARTs. Values are identified by (stream, channel, id). Memory and number are limited whatever a sender claims: memory
 * grows with received bytes, never with the announced total.
 *
 * Pieces must arrive in order, as the format requires. A repeated piece is ignored; a gap ends the value.
 */
#ifndef TW_PARTS_H
#define TW_PARTS_H

#include "wire/decode.h"

struct tw_parts;

struct tw_parts_limits {
	size_t bytes;   /* of all stored pieces; a larger value is refused */
	uint32_t count; /* of incomplete values; beyond it, the oldest is discarded */
};

enum tw_parts_status {
	TW_PARTS_MORE,     /* accepted; more pieces are expected */
	TW_PARTS_WHOLE,    /* the last piece: the value is complete */
	TW_PARTS_REPEATED, /* a repeated piece; ignored */
	TW_PARTS_BROKEN,   /* an earlier piece is missing: the value cannot be completed */
	TW_PARTS_REFUSED,  /* larger than the limit, or no memory */
};

struct tw_parts_stats {
	uint64_t incomplete; /* incomplete values discarded: evicted, broken, or begun again with another total */
	uint64_t headless;   /* pieces of values whose start is missing or was discarded */
	uint64_t repeated;   /* repeated pieces */
	uint64_t refused;    /* pieces of values that are too large */
	size_t bytes;        /* held now */
	uint32_t count;      /* incomplete wholes now */
};

/** tw_parts__new() - @limits is copied, both are at least 1. Return: NULL without memory */
struct tw_parts *tw_parts__new(const struct tw_parts_limits *limits);

/** tw_parts__free() - NULL is fine */
void tw_parts__free(struct tw_parts *parts);

/**
 * tw_parts__add() - take one piece
 * @stream_id, @channel: of the frame that it came in
 * @part: as tw_part__parse() gives it; copied
 * @ret: with TW_PARTS_WHOLE the inner type and its whole value, borrowed until the next call; else untouched
 */
enum tw_parts_status tw_parts__add(struct tw_parts *parts, uint64_t stream_id, uint16_t channel,
				   const struct tw_part_view *part, struct tw_tlv_view *ret);

/** tw_parts__stats() - totals since tw_parts__new(), and current memory */
void tw_parts__stats(const struct tw_parts *parts, struct tw_parts_stats *ret);

#endif
