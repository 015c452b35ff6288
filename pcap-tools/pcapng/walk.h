/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far whole blocks reach in bytes of pcapng that come in pieces of any length, from strangers. Nothing of a block is looked at
 * but its type and its lengths.
 */
#ifndef TW_PCAPNG_WALK_H
#define TW_PCAPNG_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TW_PCAPNG_HEAD_MIN  12                   /* bytes of the shortest block */
#define TW_PCAPNG_BLOCK_CAP ((uint32_t)16 << 20) /* bytes of the longest that is believed, as for Wireshark */

/* All zero at the beginning of a file. */
struct tw_pcapng_walk {
	uint64_t whole; /* bytes in whole blocks */
	bool continued; /* set by the caller: the first block need not begin a section, and has this host's byte order */
	bool bad;       /* what stands at `whole` is no block; it stays so */
	bool swapped;
	uint32_t len, seen; /* of the block begun; len 0 = not known yet */
	uint8_t head[TW_PCAPNG_HEAD_MIN], tail[4];
};

/** tw_pcapng_walk__feed() - the bytes that follow. Return: false once they are no pcapng */
bool tw_pcapng_walk__feed(struct tw_pcapng_walk *walk, const void *bytes, size_t len);

/** tw_pcapng_walk__is_between() - nothing of a further block was seen */
static inline bool tw_pcapng_walk__is_between(const struct tw_pcapng_walk *walk)
{
	return !walk->bad && !walk->seen;
}

#endif
