/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/sockets/bpf_ring.h"

#include <errno.h>
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
 * Takes the record of the next slot. Return: false if it is not complete. The programs write the lengths, but they are checked: a record
 * that is too short or does not fit its slot is skipped.
 */
static bool take(struct tw_bpf_ring *ring)
{
	const uint8_t *const at = ring->slots + (ring->next & (ring->n_slots - 1)) * TW_SOCKTS_SLOT_SIZE;
	struct tw_sockts_head head;

	if (__atomic_load_n((const uint64_t *)(const void *)at, __ATOMIC_ACQUIRE) != TW_SOCKTS_COMPLETE(ring->next))
		return false;
	memcpy(&head, at, sizeof(head));
	if (head.len < TW_RECORD_COMMON || head.len > TW_SOCKTS_SLOT_SIZE - sizeof(head)) {
		ring->skipped++;
	} else {
		ring->last_time = head.time;
		insert(ring, &(struct tw_bpf_ring_record){
				     .time = head.time,
				     .lost = head.lost,
				     .number = ring->next,
				     .bytes = at + sizeof(head),
				     .len = head.len,
			     });
	}
	ring->next++;
	return true;
}

/* Number of slots that are reserved, including those that were read */
static uint64_t count_reserved(const struct tw_bpf_ring *ring)
{
	return __atomic_load_n(&ring->cpu->reserved, __ATOMIC_SEQ_CST);
}

static void compact(struct tw_bpf_ring *ring)
{
	ring->n -= ring->at;
	memmove(ring->window, ring->window + ring->at, ring->n * sizeof(ring->window[0]));
	ring->at = 0;
}

/*
 * Fills the window. Return: the time up to which its records may be output. All may be output if no record was reserved after those in the
 * window, or if one is not complete: an interrupt that reserves in between completes its record first. If the window is full, a record
 * that is newer than the last one may have been interrupted, and records after the window may be older.
 */
static uint64_t fill(struct tw_bpf_ring *ring)
{
	const uint64_t now = tw_time__now(ring->clock);
	uint64_t end = count_reserved(ring), before;

	ring->is_pending = false;
	compact(ring);
	do {
		before = end;
		while (ring->next < end && ring->n < TW_BPF_RING_WINDOW) {
			ring->is_pending = !take(ring);
			if (ring->is_pending)
				return UINT64_MAX;
		}
		end = count_reserved(ring);
	} while (end != before && ring->n < TW_BPF_RING_WINDOW);
	return ring->next == end ? UINT64_MAX : tw_time__earlier(now, ring->last_time);
}

/* Lets programs write the slots whose records were output, up to the first one that was not. */
static void release(struct tw_bpf_ring *ring)
{
	uint64_t until = ring->next;

	for (size_t i = ring->at; i < ring->n; i++)
		until = tw_time__earlier(until, ring->window[i].number);
	__atomic_store_n(&ring->cpu->consumed, until, __ATOMIC_RELEASE);
}

size_t tw_bpf_ring__read(struct tw_bpf_ring *ring, uint8_t *bytes, size_t size)
{
	const uint64_t until = fill(ring);
	const uint64_t lost = ring->lost;
	struct page page = { 0 };
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

bool tw_bpf_ring__begin_wait(struct tw_bpf_ring *ring)
{
	__atomic_store_n(ring->doorbell_consumer, __atomic_load_n(ring->doorbell_producer, __ATOMIC_ACQUIRE),
			 __ATOMIC_RELEASE);
	__atomic_store_n(&ring->cpu->wants_wakeup, 1, __ATOMIC_SEQ_CST);
	return count_reserved(ring) == ring->next;
}

void tw_bpf_ring__end_wait(struct tw_bpf_ring *ring)
{
	__atomic_store_n(&ring->cpu->wants_wakeup, 0, __ATOMIC_RELAXED);
}

int tw_bpf_ring__stats(const struct tw_bpf_ring *ring, struct tw_ring_stats *ret)
{
	uint64_t missed = 0;
	const int err = ring->counts_missed ? tw_sockets__missed(ring->sockets, &missed) : 0;

	if (err)
		return err;
	*ret = (struct tw_ring_stats){
		.entries = count_reserved(ring) - ring->output - ring->skipped,
		.dropped = __atomic_load_n(&ring->cpu->lost, __ATOMIC_RELAXED) + ring->skipped + missed,
		.read = ring->output,
	};
	return 0;
}

static size_t size_of(const struct tw_bpf_ring *ring)
{
	return ring->n_slots * TW_SOCKTS_SLOT_SIZE;
}

static int map(struct tw_bpf_ring *ring, int slots_fd, int doorbell_fd)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *const slots = mmap(NULL, size_of(ring), PROT_READ, MAP_SHARED, slots_fd, 0);
	void *consumer, *producer;

	if (slots == MAP_FAILED)
		return -errno;
	ring->slots = slots;
	consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, doorbell_fd, 0);
	if (consumer == MAP_FAILED)
		return -errno;
	ring->doorbell_consumer = consumer;
	producer = mmap(NULL, page, PROT_READ, MAP_SHARED, doorbell_fd, (off_t)page);
	if (producer == MAP_FAILED)
		return -errno;
	ring->doorbell_producer = producer;
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
	ring->n_slots = tw_sockets__ring_size(sockets) / TW_SOCKTS_SLOT_SIZE;
	err = map(ring, fd, tw_sockets__doorbell(sockets, cpu));
	if (err) {
		tw_bpf_ring__close(ring);
		return tw_error__set(error, err, "the ring of CPU %u for socket events cannot be mapped: %s", cpu,
				     strerror(-err));
	}
	*ret = ring;
	return 0;
}

static void unmap(const void *at, size_t size)
{
	if (at)
		munmap((void *)(uintptr_t)at, size);
}

void tw_bpf_ring__close(struct tw_bpf_ring *ring)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!ring)
		return;
	unmap(ring->slots, size_of(ring));
	unmap(ring->doorbell_consumer, page);
	unmap(ring->doorbell_producer, page);
	free(ring);
}
