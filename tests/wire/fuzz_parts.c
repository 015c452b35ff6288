/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reassembly of untrusted PARTs. The input is a list of pieces, eight bytes each: name, type and total length of the value, offset and
 * length of the piece. The target computes the bytes of a piece from its struct name and its offset. It can therefore check every
 * reassembled value. The limits must hold after every piece.
 */
#include <stdlib.h>

#include "wire/parts.h"

#define STEP       8
#define LIMIT      4096 /* bytes of incomplete values */
#define WHOLES     3    /* incomplete values at a time */
#define PIECE_MAX  512
#define VALUE_HEAD (sizeof(struct tw_part) - sizeof(struct tw_tlv))

/* Identifies a value. The numbers are small, so that they repeat. */
struct name {
	uint64_t stream_id;
	uint16_t channel;
	uint32_t id;
	uint16_t type;
	uint32_t total;
};

static uint32_t next_offset[64]; /* end of the last piece, for each stream, channel and id */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static uint8_t byte_at(const struct name *name, uint32_t at)
{
	return (uint8_t)(name->stream_id * 101 + name->channel * 37 + name->id * 11 + name->type * 3 + at * 7 +
			 (at >> 8));
}

static void check_whole(const struct name *name, const struct tw_tlv_view *whole)
{
	require(whole->type == name->type && whole->len == name->total);
	for (uint32_t i = 0; i < whole->len; i++)
		require(whole->value[i] == byte_at(name, i));
}

static void check_limits(const struct tw_parts *parts)
{
	struct tw_parts_stats stats;

	tw_parts__stats(parts, &stats);
	require(stats.bytes <= LIMIT && stats.count <= WHOLES);
}

/* Makes the value of a PART, as it is in a frame. Return: its length, bytes */
static size_t make_piece(const uint8_t *step, const struct name *name, uint8_t *value)
{
	const uint32_t len = tw_load_be16(step + 6) % PIECE_MAX;
	uint32_t *next = &next_offset[step[0] & 0x3f];
	const uint32_t offset = step[1] & 0x80 ? *next : tw_load_be16(step + 4);

	tw_store_be16(value, name->type);
	tw_store_be16(value + 2, 0);
	tw_store_be32(value + 4, name->id);
	tw_store_be32(value + 8, name->total);
	tw_store_be32(value + 12, offset);
	for (uint32_t i = 0; i < len; i++)
		value[VALUE_HEAD + i] = byte_at(name, offset + i);
	*next = offset + len;
	return VALUE_HEAD + len;
}

static void add_piece(struct tw_parts *parts, const uint8_t *step)
{
	const struct name name = {
		.stream_id = step[0] & 1,
		.channel = step[0] >> 1 & 1,
		.id = step[0] >> 2 & 15,
		.type = step[1] & 7,
		.total = tw_load_be16(step + 2) % (LIMIT + LIMIT / 2),
	};
	uint8_t value[VALUE_HEAD + PIECE_MAX];
	struct tw_tlv_view tlv = { .type = TW_TLV_PART, .value = value }, whole;
	struct tw_part_view part;

	tlv.len = make_piece(step, &name, value);
	if (tw_part__parse(&tlv, &part) &&
	    tw_parts__add(parts, name.stream_id, name.channel, &part, &whole) == TW_PARTS_WHOLE)
		check_whole(&name, &whole);
	check_limits(parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tw_parts_limits limits = { .bytes = LIMIT, .count = WHOLES };
	struct tw_parts *parts = tw_parts__new(&limits);

	if (!parts)
		return 0;
	memset(next_offset, 0, sizeof(next_offset));
	for (; size >= STEP; data += STEP, size -= STEP)
		add_piece(parts, data);
	tw_parts__free(parts);
	return 0;
}
