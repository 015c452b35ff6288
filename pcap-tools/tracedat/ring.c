/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the rings. A window moves over each ring: it is filled from the file with sub-buffers, or with a decompressed chunk of
 * sub-buffers. A heap returns the earliest event of all rings.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "pcap-tools/tracedat/tracedat_impl.h"

#define WINDOW_ALL   ((uint64_t)64 << 20) /* windows of all uncompressed rings, bytes; each has at least one sub-buffer */
#define WINDOW_MAX   ((uint64_t)256 << 10) /* one window of an uncompressed ring; more if a sub-buffer is larger */
#define CHUNKS_COUNT 4 /* bytes of the number of chunks; the stored size of a ring does not include these bytes */
#define CHUNK_HEAD   8 /* bytes of the two numbers before a chunk: its compressed and decompressed size */

/*
 * Filling the window. A chunk that cannot be decompressed is skipped. After any other damage that is found here, nothing more is read from
 * the ring.
 */

static int window__grow(struct tw_tracedat *dat, struct tw_dat_ring *ring, size_t len)
{
	if (len <= ring->cap)
		return 0;
	if (len - ring->cap > TW_TRACEDAT_WINDOWS_MAX - dat->windows)
		return tw_dat__damage(dat, ring->at, "its rings need more than %llu MiB of memory",
				      (unsigned long long)(TW_TRACEDAT_WINDOWS_MAX >> 20));
	free(ring->window);
	ring->window = malloc(len + TW_TRACEDAT_RECORD_SLACK);
	dat->windows += len - ring->cap;
	ring->cap = ring->window ? len : 0;
	if (!ring->window) {
		dat->read_err = -ENOMEM;
		return tw_dat__damage(dat, ring->at, "%zu bytes of CPU %u", len, ring->cpu);
	}
	memset(ring->window + len, 0, TW_TRACEDAT_RECORD_SLACK);
	return 0;
}

static bool fill_plain(struct tw_tracedat *dat, struct tw_dat_ring *ring)
{
	const uint64_t left = ring->end - ring->at;
	const uint32_t page = dat->buffers[ring->buffer].page_size;
	const uint64_t share = WINDOW_ALL / dat->n_rings;
	uint64_t len = share < WINDOW_MAX ? share : WINDOW_MAX;

	len = len > page ? len - len % page : page;
	len = len < left ? len : left;
	if (!len || window__grow(dat, ring, (size_t)len))
		return false;
	if (!tw_dat__read_at(dat, ring->window, (size_t)len, ring->at)) {
		tw_dat__damage(dat, ring->at, "%llu bytes of CPU %u cannot be read", (unsigned long long)len,
			       ring->cpu);
		return false;
	}
	ring->page_offset = ring->at;
	ring->at += len;
	ring->len = (size_t)len;
	dat->info.done += len;
	return true;
}

/*
 * Limits the decompressed size of all chunks together in proportion to their compressed size. Without this limit, zstd could expand 500
 * bytes to 16 MiB of events, which would all be written. A few chunks may exceed the ratio, because empty sub-buffers compress well.
 */
static int chunk__allowed(struct tw_tracedat *dat, const struct tw_dat_ring *ring, uint32_t packed_len, uint32_t len)
{
	dat->chunks_packed += packed_len;
	dat->chunks_expanded += len;
	if (dat->chunks_expanded <= TW_TRACEDAT_CHUNKS_FREE + dat->chunks_packed * TW_TRACEDAT_EXPAND_TIMES)
		return 0;
	return tw_dat__damage(dat, ring->at,
			      "its chunks would decompress to more than %d times their size plus %llu MiB",
			      TW_TRACEDAT_EXPAND_TIMES, (unsigned long long)(TW_TRACEDAT_CHUNKS_FREE >> 20));
}

/* Reads the sizes of a chunk. Return: 0; -EBADMSG if they are impossible */
static int chunk__head(struct tw_tracedat *dat, const struct tw_dat_ring *ring, uint32_t *ret_packed, uint32_t *ret_len)
{
	uint8_t head[CHUNK_HEAD];

	if (ring->end - ring->at < sizeof(head) || !tw_dat__read_at(dat, head, sizeof(head), ring->at))
		return tw_dat__damage(dat, ring->at, "the events of CPU %u end with %u chunks missing", ring->cpu,
				      ring->chunks);
	*ret_packed = tw_load32(head, dat->info.big_endian);
	*ret_len = tw_load32(head + 4, dat->info.big_endian);
	if (*ret_packed > ring->end - ring->at - sizeof(head) || *ret_packed > TW_TRACEDAT_CHUNK_MAX)
		return tw_dat__damage(
			dat, ring->at,
			"a chunk of CPU %u has a length of %u bytes: more than the limit, or more than the rest of its ring",
			ring->cpu, *ret_packed);
	if (*ret_len > TW_TRACEDAT_CHUNK_MAX)
		return tw_dat__damage(dat, ring->at, "a chunk of CPU %u would decompress to %u bytes; the limit is %u",
				      ring->cpu, *ret_len, TW_TRACEDAT_CHUNK_MAX);
	return chunk__allowed(dat, ring, *ret_packed, *ret_len);
}

/* Fills the window with the next chunk; skips chunks that cannot be decompressed. Return: false at the end or after damage */
static bool fill_chunk(struct tw_tracedat *dat, struct tw_dat_ring *ring)
{
	while (ring->chunks) {
		const uint64_t begin = ring->at;
		uint32_t packed_len = 0, len = 0;
		uint8_t *packed;
		bool ok;

		if (chunk__head(dat, ring, &packed_len, &len) || window__grow(dat, ring, len))
			return false;
		ring->chunks--;
		ring->at += CHUNK_HEAD + packed_len;
		dat->info.done += CHUNK_HEAD + packed_len;
		packed = malloc(packed_len ? packed_len : 1);
		if (!packed)
			dat->read_err = -ENOMEM;
		ok = packed && tw_dat__read_at(dat, packed, packed_len, begin + CHUNK_HEAD) &&
		     tw_dat__expand(dat, packed, packed_len, ring->window, len);
		free(packed);
		if (!ok) {
			tw_dat__damage(dat, begin, "a chunk of CPU %u cannot be decompressed", ring->cpu);
			continue;
		}
		ring->page_offset = begin;
		ring->len = len;
		if (len)
			return true;
	}
	return false;
}

/* Prepares a ring for reading. If the ring extends beyond the end of the file, this counts as damage. */
static void open_ring(struct tw_tracedat *dat, struct tw_dat_ring *ring)
{
	uint8_t count[CHUNKS_COUNT];

	if (ring->at == ring->end)
		return; /* an empty ring may have any offset, so the offset is not checked */
	if (ring->at > dat->source.size || ring->end - ring->at > dat->source.size - ring->at) {
		tw_dat__damage(dat, dat->source.size,
			       "the file ends here, but the events of CPU %u should be at bytes %llu to %llu",
			       ring->cpu, (unsigned long long)ring->at, (unsigned long long)ring->end);
		ring->end = dat->source.size;
		ring->at = ring->at < ring->end ? ring->at : ring->end;
	}
	if (!ring->compressed || ring->at == ring->end)
		return;
	if (ring->end - ring->at < sizeof(count) || !tw_dat__read_at(dat, count, sizeof(count), ring->at)) {
		tw_dat__damage(dat, ring->at, "the number of chunks of CPU %u cannot be read", ring->cpu);
		return;
	}
	ring->chunks = tw_load32(count, dat->info.big_endian);
	ring->at += sizeof(count);
}

/* Begins to read a sub-buffer of @len bytes. If events were lost before the sub-buffer, this is noted for its first event. */
static void ring__begin_page(struct tw_tracedat *dat, struct tw_dat_ring *ring, const uint8_t *page, size_t len)
{
	const size_t head = dat->layout.page.data_offset;
	struct tw_tracedat_event *event = &ring->event;
	enum tw_ring_missed missed;

	if (!tw_ring_page__init(&ring->walk, &dat->layout, page, len)) {
		if (len < head)
			tw_dat__damage(dat, ring->page_offset,
				       "a sub-buffer of CPU %u has %zu bytes, less than its header", ring->cpu, len);
		else
			tw_dat__damage(dat, ring->page_offset,
				       "a sub-buffer of CPU %u has a length of %u bytes, but room for %zu", ring->cpu,
				       tw_ring_page__size(&dat->layout, page), len - head);
	}
	missed = tw_ring_page__missed(&dat->layout, page, len, &event->lost_count);
	if (missed == TW_MISSED_NONE)
		return;
	event->lost = true;
	event->lost_unknown = missed == TW_MISSED_UNKNOWN;
	if (event->lost_unknown)
		event->lost_count = 0;
}

static bool ring__next_entry(struct tw_tracedat *dat, struct tw_dat_ring *ring)
{
	struct tw_ring_event event;
	const enum tw_ring_step step = tw_ring_page__next(&ring->walk, &dat->layout, &event);

	if (step == TW_RING_DAMAGED)
		tw_dat__damage(dat, ring->page_offset, "a sub-buffer of CPU %u has an entry that does not fit it",
			       ring->cpu);
	if (step != TW_RING_EVENT)
		return false;
	ring->event.time = tw_dat_clock__correct(&dat->clock, ring->index, event.time) + dat->info.time_offset;
	ring->event.record = event.record;
	ring->event.len = event.len;
	return true;
}

static bool next_page(struct tw_tracedat *dat, struct tw_dat_ring *ring)
{
	const uint32_t page = dat->buffers[ring->buffer].page_size;
	size_t len;

	if (ring->page == ring->len) {
		ring->page = ring->len = 0;
		if (!(ring->compressed ? fill_chunk(dat, ring) : fill_plain(dat, ring)))
			return false;
	} else if (!ring->compressed) {
		ring->page_offset += page;
	}
	len = ring->len - ring->page < page ? ring->len - ring->page : page;
	ring__begin_page(dat, ring, ring->window + ring->page, len);
	ring->page += len;
	return true;
}

static bool ring__next(struct tw_tracedat *dat, struct tw_dat_ring *ring)
{
	ring->event.lost = false;
	while (!ring__next_entry(dat, ring))
		if (!next_page(dat, ring))
			return false;
	return true;
}

static void start(struct tw_tracedat *dat)
{
	dat->started = true;
	for (uint32_t i = 0; i < dat->n_rings; i++) {
		open_ring(dat, &dat->rings[i]);
		if (ring__next(dat, &dat->rings[i]))
			tw_merge_heap__put(&dat->heap, &dat->rings[i].node, dat->rings[i].event.time);
	}
}

static struct tw_dat_ring *earliest(const struct tw_tracedat *dat)
{
	return dat->heap.n ? &dat->rings[dat->heap.entries[0].node->id] : NULL;
}

static void advance(struct tw_tracedat *dat, struct tw_dat_ring *ring)
{
	if (ring__next(dat, ring)) {
		tw_merge_heap__put(&dat->heap, &ring->node, ring->event.time);
		return;
	}
	tw_merge_heap__remove(&dat->heap, &ring->node);
	dat->windows -= ring->cap;
	ring->cap = 0;
	free(ring->window);
	ring->window = NULL;
}

bool tw_tracedat__next(struct tw_tracedat *dat, struct tw_tracedat_event *ret)
{
	struct tw_dat_ring *ring = earliest(dat);

	if (!dat->started)
		start(dat);
	else if (ring)
		advance(dat, ring);
	ring = earliest(dat);
	if (!ring)
		return false;
	*ret = ring->event;
	return true;
}

/*
 * Adds the rings of a buffer; an invalid ring counts as damage. All rings together must not be larger than the file, so that the time to
 * read them is proportional to the size of the file. @total: bytes of all rings so far that are inside the file
 */
static void add_rings(struct tw_tracedat *dat, uint32_t buffer, uint64_t *total)
{
	struct tw_tracedat_buffer *b = &dat->buffers[buffer];
	const uint32_t page = b->page_size;

	if (page < dat->layout.page.data_offset + 4u || page > TW_TRACEDAT_PAGE_MAX) {
		tw_dat__damage(dat, b->offset, "sub-buffers of %u bytes are impossible", page);
		return;
	}
	for (uint32_t i = 0; i < b->cpus && b->places; i++) {
		const struct tw_dat_place *place = &b->places[i];
		struct tw_dat_ring *ring = &dat->rings[dat->n_rings];
		const uint64_t size = place->size + (b->compressed && place->size ? CHUNKS_COUNT : 0);
		uint64_t inside;

		if (place->cpu >= TW_TRACEDAT_CPUS_MAX || size < place->size || size > UINT64_MAX - place->offset) {
			tw_dat__damage(dat, b->offset, "a ring of CPU %u with %llu bytes is impossible", place->cpu,
				       (unsigned long long)place->size);
			continue;
		}
		inside = place->offset < dat->source.size ? dat->source.size - place->offset : 0;
		inside = size < inside ? size : inside;
		if (inside > dat->source.size - *total) {
			tw_dat__damage(dat, b->offset, "the rings of its CPUs overlap");
			continue;
		}
		*total += inside;
		*ring = (struct tw_dat_ring){
			.buffer = buffer,
			.cpu = place->cpu,
			.index = i,
			.at = place->offset,
			.end = place->offset + size,
			.compressed = b->compressed,
			.event = { .buffer = buffer, .cpu = place->cpu },
			.node = { .id = dat->n_rings, .at = TW_MERGE_HEAP_OUT },
		};
		dat->info.data_bytes += size;
		dat->n_rings++;
		if (place->cpu >= b->cpu_end)
			b->cpu_end = place->cpu + 1;
	}
}

int tw_dat__open_rings(struct tw_tracedat *dat, struct tw_error *error)
{
	uint64_t n = 0, total = 0;

	for (size_t i = 0; i < dat->info.n_buffers; i++)
		n += dat->buffers[i].cpus;
	if (n > TW_TRACEDAT_RINGS_MAX)
		return tw_error__set(error, -EBADMSG, "%s has %llu rings, the limit is %d", dat->name,
				     (unsigned long long)n, TW_TRACEDAT_RINGS_MAX);
	dat->rings = calloc(n + 1, sizeof(*dat->rings));
	if (!dat->rings || !tw_merge_heap__grow(&dat->heap, n + 1))
		return -ENOMEM;
	for (uint32_t i = 0; i < dat->info.n_buffers; i++)
		add_rings(dat, i, &total);
	return 0;
}
