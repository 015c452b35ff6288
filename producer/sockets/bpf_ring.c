/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/sockets/bpf_ring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/time.h"
#include "producer/native_ring.h"

#define DELTA_BITS 27
#define DELTA_MAX  ((1u << DELTA_BITS) - 1)

/* A sub-buffer that is written. */
struct page {
	uint8_t *bytes;
	size_t size; /* room for events, and for the number of lost events after them */
	size_t len;  /* bytes of events */
	uint64_t time;
};

static void page__begin(struct page *page, uint8_t *bytes, size_t size, uint64_t time)
{
	*page = (struct page){ .bytes = bytes, .size = size - tw_native_layout.page.data_offset, .time = time };
	memcpy(bytes, &time, sizeof(time));
}

static void page__put_word(struct page *page, uint32_t word)
{
	memcpy(page->bytes + tw_native_layout.page.data_offset + page->len, &word, sizeof(word));
	page->len += sizeof(word);
}

/* The first word of an entry: five bits of type, 27 of time. */
static void page__put_head(struct page *page, uint32_t type, uint32_t delta)
{
	page__put_word(page, TW_HOST_BE ? type << DELTA_BITS | delta : delta << 5 | type);
}

/* Adds an event. Return: false if it has no room, or is older than the event before it */
static bool page__add(struct page *page, const struct tw_bpf_ring_record *record)
{
	const struct tw_entry_layout *entry = &tw_native_layout.entry;
	const uint32_t len = (record->len + 3) & ~3u;
	uint64_t delta = record->time - page->time;

	if (record->time < page->time || page->len + 4 * sizeof(uint32_t) + len + sizeof(unsigned long) > page->size)
		return false;
	if (delta > DELTA_MAX) {
		page__put_head(page, entry->time_extend, delta & DELTA_MAX);
		page__put_word(page, (uint32_t)(delta >> DELTA_BITS));
		delta = 0;
	}
	if (len > entry->data_max * 4) {
		page__put_head(page, 0, (uint32_t)delta);
		page__put_word(page, len + 4);
	} else {
		page__put_head(page, len / 4, (uint32_t)delta);
	}
	memset(page->bytes + tw_native_layout.page.data_offset + page->len + len - 4, 0, 4);
	memcpy(page->bytes + tw_native_layout.page.data_offset + page->len, record->bytes, record->len);
	page->len += len;
	page->time = record->time;
	return true;
}

/* Completes the sub-buffer. @lost: number of events lost before it. Return: its length */
static size_t page__end(struct page *page, uint64_t lost)
{
	const size_t head = tw_native_layout.page.data_offset;
	unsigned long commit = page->len, count = lost;

	if (lost) {
		commit |= TW_COMMIT_MISSED | TW_COMMIT_STORED;
		memcpy(page->bytes + head + page->len, &count, sizeof(count));
	}
	memcpy(page->bytes + TW_RING_PAGE_TIME, &commit, sizeof(commit));
	return head + page->len + (lost ? sizeof(count) : 0);
}

/* Puts a record into the window, after those that are not newer. */
static void insert(struct tw_bpf_ring *ring, const struct tw_bpf_ring_record *record)
{
	size_t at = ring->n++;

	for (; at > ring->at && ring->window[at - 1].time > record->time; at--)
		ring->window[at] = ring->window[at - 1];
	ring->window[at] = *record;
}

/*
 * Takes the next record of the ring. @end: position up to which records are reserved
 * Return: false if the record is not complete. The kernel writes the lengths, but they are checked: one that leads beyond @end counts as not
 * complete, and a record that is too short or does not fit half of the smallest sub-buffer is skipped.
 */
static bool take(struct tw_bpf_ring *ring, uint64_t end)
{
	const uint8_t *const at = ring->data + (ring->read_to & (ring->size - 1));
	const uint32_t head = __atomic_load_n((const uint32_t *)(const void *)at, __ATOMIC_ACQUIRE);
	const uint32_t len = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
	const uint64_t next = ring->read_to + ((BPF_RINGBUF_HDR_SZ + (uint64_t)len + 7) & ~(uint64_t)7);
	struct tw_sockts_head stamps;

	if (head & BPF_RINGBUF_BUSY_BIT || next > end)
		return false;
	if (head & BPF_RINGBUF_DISCARD_BIT) {
		ring->read_to = next;
		return true;
	}
	if (len < sizeof(stamps) + TW_RECORD_COMMON || len > TW_NATIVE_PAGE_MIN / 2) {
		ring->skipped++;
	} else {
		memcpy(&stamps, at + BPF_RINGBUF_HDR_SZ, sizeof(stamps));
		insert(ring, &(struct tw_bpf_ring_record){
				     .time = stamps.time,
				     .lost = stamps.lost,
				     .position = ring->read_to,
				     .bytes = at + BPF_RINGBUF_HDR_SZ + sizeof(stamps),
				     .len = len - (uint32_t)sizeof(stamps),
			     });
	}
	ring->read_to = next;
	return true;
}

static void compact(struct tw_bpf_ring *ring)
{
	ring->n -= ring->at;
	memmove(ring->window, ring->window + ring->at, ring->n * sizeof(ring->window[0]));
	ring->at = 0;
}

/*
 * Fills the window. Return: the time up to which its records may be output. All may be output if no record was reserved after those in the
 * window, or if one is not complete: an interrupt that reserves in between completes its record first.
 */
static uint64_t fill(struct tw_bpf_ring *ring)
{
	const uint64_t now = tw_time__now(ring->clock);
	uint64_t end = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE), before;

	ring->is_pending = false;
	compact(ring);
	do {
		before = end;
		while (ring->read_to < end && ring->n < TW_BPF_RING_WINDOW) {
			ring->is_pending = !take(ring, end);
			if (ring->is_pending)
				return UINT64_MAX;
		}
		end = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
	} while (end != before && ring->n < TW_BPF_RING_WINDOW);
	return ring->read_to == end ? UINT64_MAX : now;
}

/* Lets the kernel overwrite the records that were output, up to the first one that was not. */
static void release(struct tw_bpf_ring *ring)
{
	uint64_t until = ring->read_to;

	for (size_t i = ring->at; i < ring->n; i++)
		until = tw_time__earlier(until, ring->window[i].position);
	__atomic_store_n(ring->consumer, until, __ATOMIC_RELEASE);
}

size_t tw_bpf_ring__read(struct tw_bpf_ring *ring, uint8_t *bytes, size_t size)
{
	const uint64_t until = fill(ring);
	const uint64_t lost = ring->lost;
	struct page page;
	size_t len = 0;

	while (ring->at < ring->n && ring->window[ring->at].time <= until) {
		const struct tw_bpf_ring_record *record = &ring->window[ring->at];

		if (!len) {
			page__begin(&page, bytes, size, record->time);
			ring->lost = record->lost > lost ? record->lost : lost;
		} else if (record->lost > ring->lost) {
			break;
		}
		if (!page__add(&page, record))
			break;
		len = page.len;
		ring->at++;
		ring->output++;
	}
	release(ring);
	return len ? page__end(&page, ring->lost - lost) : 0;
}

void tw_bpf_ring__set_wakeup(struct tw_bpf_ring *ring, bool wanted)
{
	__atomic_store_n(&ring->cpu->wants_wakeup, wanted, __ATOMIC_SEQ_CST);
}

int tw_bpf_ring__stats(const struct tw_bpf_ring *ring, struct tw_ring_stats *ret)
{
	uint64_t missed = 0;
	const int err = ring->counts_missed ? tw_sockets__missed(ring->sockets, &missed) : 0;

	if (err)
		return err;
	*ret = (struct tw_ring_stats){
		.entries = __atomic_load_n(&ring->cpu->recorded, __ATOMIC_RELAXED) - ring->output - ring->skipped,
		.dropped = __atomic_load_n(&ring->cpu->lost, __ATOMIC_RELAXED) + ring->skipped + missed,
		.read = ring->output,
	};
	return 0;
}

static int map(struct tw_bpf_ring *ring, int fd)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), *producer;

	if (consumer == MAP_FAILED)
		return -errno;
	ring->consumer = consumer;
	producer = mmap(NULL, page + 2 * ring->size, PROT_READ, MAP_SHARED, fd, (off_t)page);
	if (producer == MAP_FAILED)
		return -errno;
	ring->producer = producer;
	ring->data = (const uint8_t *)producer + page;
	return 0;
}

int tw_bpf_ring__open(const struct tw_sockets *sockets, unsigned int cpu, clockid_t clock, struct tw_bpf_ring **ret,
		      struct tw_error *error)
{
	const int fd = tw_sockets__ring(sockets, cpu);
	struct tw_bpf_ring *ring;
	int err;

	if (fd < 0)
		return fd;
	ring = calloc(1, sizeof(*ring));
	if (!ring)
		return tw_error__set(error, -ENOMEM, "out of memory");
	ring->sockets = sockets;
	ring->cpu = tw_sockets__cpu(sockets, cpu);
	ring->counts_missed = !cpu;
	ring->clock = clock;
	ring->size = tw_sockets__ring_size(sockets);
	err = map(ring, fd);
	if (err) {
		tw_bpf_ring__close(ring);
		return tw_error__set(error, err, "the ring of CPU %u for socket events cannot be mapped: %s", cpu,
				     strerror(-err));
	}
	*ret = ring;
	return 0;
}

void tw_bpf_ring__close(struct tw_bpf_ring *ring)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!ring)
		return;
	if (ring->consumer)
		munmap(ring->consumer, page);
	if (ring->producer)
		munmap((void *)(uintptr_t)ring->producer, page + 2 * ring->size);
	free(ring);
}
