/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/pcapng/walk.h"

#include <string.h>

#define BLOCK_SECTION 0x0A0D0D0Au /* reads the same in either byte order */
#define MAGIC         0x1A2B3C4Du

static uint32_t load(const struct tw_pcapng_walk *walk, const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return walk->swapped ? __builtin_bswap32(v) : v;
}

/* Of the bytes that stand at @seen in the block, those of its closing length. */
static void take_tail(struct tw_pcapng_walk *walk, uint32_t seen, const uint8_t *bytes, size_t len)
{
	const uint32_t tail = walk->len - (uint32_t)sizeof(walk->tail);
	const size_t skip = tail > seen ? tail - seen : 0;

	if (skip < len)
		memcpy(walk->tail + (seen + skip - tail), bytes + skip, len - skip);
}

static void block__begin(struct tw_pcapng_walk *walk)
{
	uint32_t type, magic;

	memcpy(&type, walk->head, sizeof(type));
	memcpy(&magic, walk->head + 8, sizeof(magic));
	if (type == BLOCK_SECTION) {
		walk->swapped = magic == __builtin_bswap32(MAGIC);
		walk->bad = magic != MAGIC && !walk->swapped;
	} else {
		walk->bad = !walk->whole && !walk->continued;
	}
	walk->len = load(walk, walk->head + 4);
	if (walk->len < TW_PCAPNG_HEAD_MIN || walk->len % 4 || walk->len > TW_PCAPNG_BLOCK_CAP)
		walk->bad = true;
	else
		take_tail(walk, 0, walk->head, sizeof(walk->head));
}

static void block__end(struct tw_pcapng_walk *walk)
{
	if (load(walk, walk->tail) != walk->len) {
		walk->bad = true;
		return;
	}
	walk->whole += walk->len;
	walk->len = walk->seen = 0;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Return: how many of the bytes were used: at least one. */
static size_t walk__step(struct tw_pcapng_walk *walk, const uint8_t *bytes, size_t len)
{
	size_t n;

	if (!walk->len) {
		n = least(len, sizeof(walk->head) - walk->seen);
		memcpy(walk->head + walk->seen, bytes, n);
		walk->seen += (uint32_t)n;
		if (walk->seen == sizeof(walk->head))
			block__begin(walk);
	} else {
		n = least(len, walk->len - walk->seen);
		take_tail(walk, walk->seen, bytes, n);
		walk->seen += (uint32_t)n;
	}
	if (!walk->bad && walk->len && walk->seen == walk->len)
		block__end(walk);
	return n;
}

bool tw_pcapng_walk__feed(struct tw_pcapng_walk *walk, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	while (len && !walk->bad) {
		const size_t n = walk__step(walk, at, len);

		at += n;
		len -= n;
	}
	return !walk->bad;
}
