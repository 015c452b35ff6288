/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Putting PARTs together. Wholes are named by (stream, channel, id); memory and count are bounded whatever a sender
 * claims: memory grows with the bytes that came, never with the total that was announced.
 *
 * Pieces must come in order, as the format promises. One that came before is ignored; a hole breaks the whole.
 */
#ifndef TW_PARTS_H
#define TW_PARTS_H

#include "wire/decode.h"

struct tw_parts;

struct tw_parts_limits {
	size_t bytes;   /* of all pieces held; a larger whole is refused */
	uint32_t count; /* of incomplete wholes; beyond it the one that began first is given up */
};

enum tw_parts_status {
	TW_PARTS_MORE,     /* taken, more are to come */
	TW_PARTS_WHOLE,    /* the last piece: the value is there */
	TW_PARTS_REPEATED, /* a piece that came before; ignored */
	TW_PARTS_BROKEN,   /* an earlier piece is missing: this whole will not come */
	TW_PARTS_REFUSED,  /* larger than the limit, or no memory */
};

struct tw_parts_stats {
	uint64_t whole;      /* values handed out */
	uint64_t incomplete; /* values begun and given up: evicted, broken, or begun anew with another total */
	uint64_t headless;   /* pieces whose beginning was never seen or was given up */
	uint64_t repeated;   /* pieces that came before */
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

/** tw_parts__stats() - totals since tw_parts__new(), and what is held now */
void tw_parts__stats(const struct tw_parts *parts, struct tw_parts_stats *ret);

#endif
