/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The window on a ring: filled from the file, with sub-buffers as they lie there or with a chunk of them expanded. */
#include <stdlib.h>

#include "base/bytes.h"
#include "pcap-tools/tracedat/impl.h"

#define WINDOW_ALL  ((uint64_t)64 << 20) /* bytes of all windows on uncompressed rings, where that is enough */
#define WINDOW_MOST ((uint64_t)256 << 10)
#define CHUNK_HEAD  8 /* sizes of the compressed bytes and the expanded ones */
#define PAGE_SLACK  (TW_TRACEDAT_RECORD_SLACK)

static bool window__grow(struct tw_tracedat *dat, struct tw_dat_ring *ring, size_t len)
{
	if (len <= ring->cap)
		return true;
	if (len - ring->cap > TW_TRACEDAT_WINDOWS_MAX - dat->windows) {
		tw_dat__damage(dat, ring->at, "its rings need more than %llu MiB of memory",
			       (unsigned long long)(TW_TRACEDAT_WINDOWS_MAX >> 20));
		return false;
	}
	free(ring->window);
	ring->window = malloc(len + PAGE_SLACK);
	dat->windows += len - ring->cap;
	ring->cap = ring->window ? len : 0;
	if (!ring->window) {
		tw_dat__damage(dat, ring->at, "no memory for %zu bytes of CPU %u", len, ring->cpu);
		return false;
	}
	memset(ring->window + len, 0, PAGE_SLACK);
	return true;
}

static bool fill_plain(struct tw_tracedat *dat, struct tw_dat_ring *ring)
{
	const uint64_t left = ring->end - ring->at;
	const uint32_t page = dat->buffers[ring->buffer].page_size;
	const uint64_t share = WINDOW_ALL / dat->n_rings;
	uint64_t len = share < WINDOW_MOST ? share : WINDOW_MOST;

	len = len > page ? len - len % page : page;
	len = len < left ? len : left;
	if (!len)
		return false;
	if (!window__grow(dat, ring, (size_t)len))
		return tw_dat_ring__end(ring);
	if (!tw_dat__read_at(dat, ring->window, (size_t)len, ring->at)) {
		tw_dat__damage(dat, ring->at, "%llu bytes of CPU %u cannot be read", (unsigned long long)len,
			       ring->cpu);
		return tw_dat_ring__end(ring);
	}
	ring->page_offset = ring->at;
	ring->at += len;
	ring->len = (size_t)len;
	dat->done += len;
	return true;
}

/*
 * A chunk of a few bytes may well be an empty sub-buffer or ten, but not all of them can be: zstd makes 16 MiB of 500 bytes, and
 * each of these would be events to write.
 */
static bool chunk__allowed(struct tw_tracedat *dat, struct tw_dat_ring *ring, uint32_t packed_len, uint32_t len)
{
	dat->chunks_packed += packed_len;
	dat->chunks_expanded += len;
	if (dat->chunks_expanded <= TW_TRACEDAT_CHUNKS_FREE + dat->chunks_packed * TW_TRACEDAT_EXPAND_TIMES)
		return true;
	tw_dat__damage(dat, ring->at, "its chunks would expand to more than %d times their size",
		       TW_TRACEDAT_EXPAND_TIMES);
	return tw_dat_ring__end(ring);
}

/* One chunk's sizes. Return: false, and the ring ends, where they cannot be. */
static bool chunk__head(struct tw_tracedat *dat, struct tw_dat_ring *ring, uint32_t *ret_packed, uint32_t *ret_len)
{
	uint8_t head[CHUNK_HEAD];

	if (ring->end - ring->at < sizeof(head) || !tw_dat__read_at(dat, head, sizeof(head), ring->at)) {
		tw_dat__damage(dat, ring->at, "the events of CPU %u end with %u chunks missing", ring->cpu,
			       ring->chunks);
		return tw_dat_ring__end(ring);
	}
	*ret_packed = tw_load32(head, dat->info.big_endian);
	*ret_len = tw_load32(head + 4, dat->info.big_endian);
	if (*ret_packed > ring->end - ring->at - sizeof(head) || *ret_packed > TW_TRACEDAT_CHUNK_MAX) {
		tw_dat__damage(dat, ring->at, "a chunk of CPU %u claims %u bytes, more than are left", ring->cpu,
			       *ret_packed);
		return tw_dat_ring__end(ring);
	}
	if (*ret_len > TW_TRACEDAT_CHUNK_MAX) {
		tw_dat__damage(dat, ring->at, "a chunk of CPU %u would expand to %u bytes, the limit is %u", ring->cpu,
			       *ret_len, TW_TRACEDAT_CHUNK_MAX);
		return tw_dat_ring__end(ring);
	}
	return chunk__allowed(dat, ring, *ret_packed, *ret_len);
}

/* A chunk that cannot be expanded is left out. */
static bool fill_chunk(struct tw_tracedat *dat, struct tw_dat_ring *ring)
{
	while (ring->chunks) {
		const uint64_t begin = ring->at;
		uint32_t packed_len = 0, len = 0;
		uint8_t *packed;
		bool ok;

		if (!chunk__head(dat, ring, &packed_len, &len) || !window__grow(dat, ring, len))
			return tw_dat_ring__end(ring);
		ring->chunks--;
		ring->at += CHUNK_HEAD + packed_len;
		dat->done += CHUNK_HEAD + packed_len;
		packed = malloc(packed_len ? packed_len : 1);
		ok = packed && tw_dat__read_at(dat, packed, packed_len, begin + CHUNK_HEAD) &&
		     tw_unpack__run(dat->unpack, packed, packed_len, ring->window, len);
		free(packed);
		if (!ok) {
			tw_dat__damage(dat, begin, "a chunk of CPU %u cannot be expanded", ring->cpu);
			continue;
		}
		ring->page_offset = begin;
		ring->len = len;
		if (len)
			return true;
	}
	return false;
}

bool tw_dat_ring__fill(struct tw_tracedat *dat, struct tw_dat_ring *ring)
{
	ring->page = ring->len = 0;
	return ring->compressed ? fill_chunk(dat, ring) : fill_plain(dat, ring);
}
