/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rings: a window moves over each, and the earliest event of all comes out of a heap. */
#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "pcap-tools/tracedat/impl.h"

#define CHUNKS_COUNT 4 /* bytes, of the count of chunks, which a ring's size leaves out */

bool tw_dat__read_at(struct tw_tracedat *dat, void *to, size_t len, uint64_t offset)
{
	return dat->source.read_at(dat->source.ctx, to, len, offset) == (int64_t)len;
}

bool tw_dat_ring__end(struct tw_dat_ring *ring)
{
	ring->at = ring->end;
	ring->chunks = 0;
	return false;
}

/* Make ready to read. What lies beyond the file's end is missing. */
static void open_ring(struct tw_tracedat *dat, struct tw_dat_ring *ring)
{
	uint8_t count[CHUNKS_COUNT];

	ring->opened = true;
	if (ring->at == ring->end)
		return; /* an empty one may be anywhere */
	if (ring->at > dat->source.size || ring->end - ring->at > dat->source.size - ring->at) {
		tw_dat__damage(dat, dat->source.size,
			       "the file ends here, but events of CPU %u should lie from %llu to %llu", ring->cpu,
			       (unsigned long long)ring->at, (unsigned long long)ring->end);
		ring->end = dat->source.size;
		ring->at = ring->at < ring->end ? ring->at : ring->end;
	}
	if (!ring->compressed || ring->at == ring->end)
		return;
	if (ring->end - ring->at < sizeof(count) || !tw_dat__read_at(dat, count, sizeof(count), ring->at)) {
		tw_dat__damage(dat, ring->at, "the compressed events of CPU %u have no beginning", ring->cpu);
		tw_dat_ring__end(ring);
		return;
	}
	ring->chunks = tw_load32(count, dat->info.big_endian);
	ring->at += sizeof(count);
}

/* The next sub-buffer. Return: false at the ring's end */
static bool next_page(struct tw_tracedat *dat, struct tw_dat_ring *ring)
{
	const uint32_t page = dat->buffers[ring->buffer].page_size;
	size_t len;

	if (ring->page == ring->len) {
		if (!tw_dat_ring__fill(dat, ring))
			return false;
	} else if (!ring->compressed) {
		ring->page_offset += page;
	}
	len = ring->len - ring->page < page ? ring->len - ring->page : page;
	tw_dat_ring__page(dat, ring, ring->window + ring->page, len);
	ring->page += len;
	return true;
}

bool tw_dat_ring__next(struct tw_tracedat *dat, struct tw_dat_ring *ring)
{
	ring->event.lost = false;
	if (!ring->opened)
		open_ring(dat, ring);
	while (!tw_dat_ring__entry(dat, ring))
		if (!next_page(dat, ring))
			return false;
	return true;
}

static bool earlier(const struct tw_dat_ring *a, const struct tw_dat_ring *b)
{
	if (a->event.time != b->event.time)
		return a->event.time < b->event.time;
	return a < b; /* they lie in the order of buffers and CPUs */
}

static void heap__down(struct tw_tracedat *dat, uint32_t i)
{
	struct tw_dat_ring **heap = dat->heap, *ring = heap[i];

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= dat->n_heap)
			break;
		if (child + 1 < dat->n_heap && earlier(heap[child + 1], heap[child]))
			child++;
		if (!earlier(heap[child], ring))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = ring;
}

static void start(struct tw_tracedat *dat)
{
	dat->started = true;
	for (uint32_t i = 0; i < dat->n_rings; i++)
		if (tw_dat_ring__next(dat, &dat->rings[i]))
			dat->heap[dat->n_heap++] = &dat->rings[i];
	for (uint32_t i = dat->n_heap / 2; i--;)
		heap__down(dat, i);
}

static void heap__advance(struct tw_tracedat *dat)
{
	struct tw_dat_ring *ring = dat->heap[0];

	if (!tw_dat_ring__next(dat, ring)) {
		dat->windows -= ring->cap;
		ring->cap = 0;
		free(ring->window);
		ring->window = NULL;
		dat->heap[0] = dat->heap[--dat->n_heap];
	}
	if (dat->n_heap)
		heap__down(dat, 0);
}

bool tw_tracedat__next(struct tw_tracedat *dat, struct tw_tracedat_event *ret)
{
	if (!dat->started)
		start(dat);
	else if (dat->n_heap)
		heap__advance(dat);
	if (!dat->n_heap)
		return false;
	*ret = dat->heap[0]->event;
	return true;
}

/*
 * Each ring of a buffer that can be; one that cannot is damage. All together are not larger than the file, so that reading
 * takes time in proportion to it. @total: bytes so far
 */
static void add_rings(struct tw_tracedat *dat, uint32_t buffer, uint64_t *total)
{
	const struct tw_dat_buffer *places = &dat->places[buffer];
	const uint32_t page = dat->buffers[buffer].page_size;

	if (page < dat->layout.page.data_offset + 4u || page > TW_TRACEDAT_PAGE_MAX) {
		tw_dat__damage(dat, places->offset, "sub-buffers of %u bytes cannot be", page);
		return;
	}
	for (uint32_t i = 0; i < dat->buffers[buffer].cpus && places->places; i++) {
		const struct tw_dat_place *place = &places->places[i];
		struct tw_dat_ring *ring = &dat->rings[dat->n_rings];
		const uint64_t size = place->size + (places->compressed && place->size ? CHUNKS_COUNT : 0);
		uint64_t inside;

		if (place->cpu >= TW_TRACEDAT_CPUS_MAX || size < place->size || size > UINT64_MAX - place->offset) {
			tw_dat__damage(dat, places->offset, "a ring of CPU %u with %llu bytes cannot be", place->cpu,
				       (unsigned long long)place->size);
			continue;
		}
		inside = place->offset < dat->source.size ? dat->source.size - place->offset : 0;
		inside = size < inside ? size : inside;
		if (inside > dat->source.size - *total) {
			tw_dat__damage(dat, places->offset, "the rings of its CPUs overlap");
			continue;
		}
		*total += inside;
		*ring = (struct tw_dat_ring){ .buffer = buffer, .cpu = place->cpu, .index = i };
		ring->compressed = places->compressed;
		ring->at = place->offset;
		ring->end = place->offset + size;
		ring->event = (struct tw_tracedat_event){ .buffer = buffer, .cpu = place->cpu };
		dat->info.data_bytes += size;
		dat->n_rings++;
		if (place->cpu >= dat->buffers[buffer].cpu_end)
			dat->buffers[buffer].cpu_end = place->cpu + 1;
	}
}

int tw_dat__open_rings(struct tw_tracedat *dat, struct tw_error *err)
{
	uint64_t n = 0, total = 0;

	for (size_t i = 0; i < dat->info.n_buffers; i++)
		n += dat->buffers[i].cpus;
	if (n > TW_TRACEDAT_RINGS_MAX)
		return tw_error__set(err, -EBADMSG, "%s has %llu rings, the limit is %d", dat->name,
				     (unsigned long long)n, TW_TRACEDAT_RINGS_MAX);
	dat->rings = calloc(n + 1, sizeof(*dat->rings));
	dat->heap = calloc(n + 1, sizeof(struct tw_dat_ring *));
	if (!dat->rings || !dat->heap)
		return -ENOMEM;
	for (uint32_t i = 0; i < dat->info.n_buffers; i++)
		add_rings(dat, i, &total);
	return 0;
}
