/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sub-buffers that are made from a BPF ring: order, time stamps, lost events, and records that are not complete. The test writes the
 * ring's memory as the kernel does, and reads the sub-buffers as those of a trace ring.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/bpf.h>

#include "producer/native_ring.h"
#include "producer/sockets/bpf_ring.h"

#define SIZE       ((size_t)65536)
#define PAGE_BYTES 4096
#define ID         0xff06

struct bench {
	unsigned long consumer, producer;
	uint8_t *data;
	struct tw_sockts_cpu cpu;
	struct tw_bpf_ring ring;
	uint8_t page[PAGE_BYTES + TW_NATIVE_PAGE_SLACK];
	size_t len; /* of the sub-buffer */
};

static struct bench *set_up(unsigned long position)
{
	struct bench *b = calloc(1, sizeof(*b));
	const int fd = memfd_create("ring", MFD_CLOEXEC);

	assert_non_null(b);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, SIZE), 0);
	/* the data twice, as the kernel maps them */
	b->data = mmap(NULL, 2 * SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(b->data != MAP_FAILED);
	for (size_t i = 0; i < 2; i++)
		assert_true(mmap(b->data + i * SIZE, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) !=
			    MAP_FAILED);
	close(fd);
	b->consumer = b->producer = position;
	b->ring = (struct tw_bpf_ring){
		.cpu = &b->cpu,
		.clock = CLOCK_MONOTONIC,
		.consumer = &b->consumer,
		.producer = &b->producer,
		.data = b->data,
		.size = SIZE,
		.read_to = position,
	};
	return b;
}

static void tear_down(struct bench *b)
{
	munmap(b->data, 2 * SIZE);
	free(b);
}

static void write_bytes(struct bench *b, unsigned long at, const void *bytes, size_t len)
{
	memcpy(b->data + (at & (SIZE - 1)), bytes, len);
}

/* Reserves a record of @len bytes, with @flags in its header. Return: its position */
static unsigned long reserve(struct bench *b, uint64_t time, uint64_t lost, uint32_t len, uint32_t flags)
{
	const unsigned long at = b->producer;
	const struct tw_sockts_head head = { .time = time, .lost = lost };
	const uint32_t header[2] = { (uint32_t)(sizeof(head) + len) | flags, 0 };
	const uint32_t number = (uint32_t)time;

	write_bytes(b, at, header, sizeof(header));
	write_bytes(b, at + BPF_RINGBUF_HDR_SZ, &head, sizeof(head));
	write_bytes(b, at + BPF_RINGBUF_HDR_SZ + sizeof(head),
		    &(struct tw_sockts_common){ .common_type = ID, .common_pid = 7 }, sizeof(struct tw_sockts_common));
	if (len >= 12)
		write_bytes(b, at + BPF_RINGBUF_HDR_SZ + sizeof(head) + 8, &number, sizeof(number));
	b->producer = at + ((BPF_RINGBUF_HDR_SZ + sizeof(head) + len + 7) & ~7ul);
	return at;
}

static void put(struct bench *b, uint64_t time)
{
	reserve(b, time, 0, 64, 0);
}

/* Completes a record. */
static void submit(struct bench *b, unsigned long at, uint32_t len)
{
	const uint32_t header = (uint32_t)sizeof(struct tw_sockts_head) + len;

	write_bytes(b, at, &header, sizeof(header));
}

static size_t read_page(struct bench *b, struct tw_ring_page *ret)
{
	b->len = tw_bpf_ring__read(&b->ring, b->page, PAGE_BYTES);
	assert_in_range(b->len, 0, PAGE_BYTES);
	tw_native_page__init(ret, b->page, b->len);
	return b->len;
}

static uint64_t missed(const struct bench *b)
{
	uint64_t count = 0;
	const enum tw_ring_missed missed = tw_ring_page__missed(&tw_native_layout, b->page, b->len, &count);

	assert_int_not_equal(missed, TW_MISSED_UNKNOWN);
	return count;
}

static void expect_event(struct tw_ring_page *page, uint64_t time, uint32_t len)
{
	struct tw_ring_event event = { 0 };
	uint32_t number;

	assert_true(tw_native_page__next(page, &event));
	assert_int_equal(event.time, time);
	assert_int_equal(event.len, len);
	assert_int_equal(tw_native_event__id(&event), ID);
	assert_int_equal(tw_native_event__pid(&event), 7);
	memcpy(&number, event.record + 8, sizeof(number));
	assert_int_equal(number, (uint32_t)time);
}

static void expect_end(struct tw_ring_page *page)
{
	struct tw_ring_event event;

	assert_int_equal(tw_ring_page__next(page, &tw_native_layout, &event), TW_RING_END);
}

static void test_order(void **state)
{
	struct bench *b = set_up(0);
	struct tw_ring_page page;

	(void)state;
	assert_int_equal(read_page(b, &page), 0);
	put(b, 1000);
	put(b, 1050); /* was interrupted before its time stamp by the next two */
	put(b, 1020);
	put(b, 1030);
	put(b, 1030);
	assert_true(read_page(b, &page) > 0);
	expect_event(&page, 1000, 64);
	expect_event(&page, 1020, 64);
	expect_event(&page, 1030, 64);
	expect_event(&page, 1030, 64);
	expect_event(&page, 1050, 64);
	expect_end(&page);
	assert_int_equal(missed(b), 0);
	assert_int_equal(b->consumer, b->producer);
	assert_int_equal(b->ring.output, 5);
	assert_int_equal(read_page(b, &page), 0);
	tear_down(b);
}

/* Time differences of 27 bits and more, and a record whose length has no room in the first word */
static void test_times(void **state)
{
	static const uint64_t steps[] = { 0, 1, (1 << 27) - 1, 1 << 27, (1 << 27) + 1, 0x123456789abcdef };
	const size_t n = sizeof(steps) / sizeof(steps[0]);
	struct bench *b = set_up(24);
	struct tw_ring_page page;
	uint64_t time = 5;

	(void)state;
	for (size_t i = 0; i < n; i++)
		reserve(b, time += steps[i], 0, i % 2 ? 112 : 116, 0);
	assert_true(read_page(b, &page) > 0);
	time = 5;
	for (size_t i = 0; i < n; i++)
		expect_event(&page, time += steps[i], i % 2 ? 112 : 116);
	expect_end(&page);
	tear_down(b);
}

/* A sub-buffer ends before lost events; the next one has their number. */
static void test_lost(void **state)
{
	struct bench *b = set_up(0);
	struct tw_ring_page page;

	(void)state;
	reserve(b, 10, 0, 64, 0);
	reserve(b, 20, 3, 64, 0);
	reserve(b, 30, 3, 64, 0);
	reserve(b, 40, 4, 64, 0);
	assert_true(read_page(b, &page) > 0);
	expect_event(&page, 10, 64);
	expect_end(&page);
	assert_int_equal(missed(b), 0);
	assert_true(read_page(b, &page) > 0);
	expect_event(&page, 20, 64);
	expect_event(&page, 30, 64);
	expect_end(&page);
	assert_int_equal(missed(b), 3);
	assert_true(read_page(b, &page) > 0);
	expect_event(&page, 40, 64);
	assert_int_equal(missed(b), 1);
	assert_int_equal(read_page(b, &page), 0);
	tear_down(b);
}

/* More records than a sub-buffer and than the window, across the end of the ring's memory */
static void test_many(void **state)
{
	const unsigned long start = SIZE - 1000;
	struct bench *b = set_up(start & ~7ul);
	uint64_t next = 1;
	struct tw_ring_page page;
	unsigned int pages = 0;

	(void)state;
	for (uint64_t i = 1; i <= 600; i++)
		put(b, i);
	while (read_page(b, &page)) {
		struct tw_ring_event event;

		while (tw_native_page__next(&page, &event))
			assert_int_equal(event.time, next++);
		pages++;
		assert_true(pages < 20);
	}
	assert_int_equal(next, 601);
	assert_true(pages > 8);
	assert_int_equal(b->consumer, b->producer);
	tear_down(b);
}

/* Records after one that is not complete wait for it. */
static void test_pending(void **state)
{
	struct bench *b = set_up(0);
	struct tw_ring_page page;
	unsigned long at;

	(void)state;
	put(b, 10);
	at = reserve(b, 20, 0, 64, BPF_RINGBUF_BUSY_BIT);
	put(b, 15);
	assert_true(read_page(b, &page) > 0);
	expect_event(&page, 10, 64);
	expect_end(&page);
	assert_int_equal(b->consumer, at);
	assert_int_equal(read_page(b, &page), 0);
	assert_true(b->ring.is_pending);
	submit(b, at, 64);
	assert_true(read_page(b, &page) > 0);
	assert_false(b->ring.is_pending);
	expect_event(&page, 15, 64);
	expect_event(&page, 20, 64);
	expect_end(&page);
	tear_down(b);
}

/* A record that is older than one that was output begins a sub-buffer. */
static void test_backwards(void **state)
{
	struct bench *b = set_up(0);
	struct tw_ring_page page;

	(void)state;
	put(b, 100);
	assert_true(read_page(b, &page) > 0);
	put(b, 90);
	assert_true(read_page(b, &page) > 0);
	expect_event(&page, 90, 64);
	expect_end(&page);
	tear_down(b);
}

/* Discarded records are left out. Records with impossible lengths are skipped, and counted; the reading never leaves the ring. */
static void test_lengths(void **state)
{
	static const uint32_t huge = BPF_RINGBUF_DISCARD_BIT - 1;
	struct tw_ring_stats stats;
	struct bench *b = set_up(0);
	struct tw_ring_page page;
	unsigned long at;

	(void)state;
	reserve(b, 10, 0, 64, BPF_RINGBUF_DISCARD_BIT);
	reserve(b, 20, 0, 4, 0);
	reserve(b, 30, 0, 2100, 0);
	reserve(b, 40, 0, 66, 0);
	assert_true(read_page(b, &page) > 0);
	expect_event(&page, 40, 68);
	expect_end(&page);
	b->cpu.recorded = 3;
	b->cpu.lost = 7;
	assert_int_equal(tw_bpf_ring__stats(&b->ring, &stats), 0);
	assert_int_equal(stats.read, 1);
	assert_int_equal(stats.entries, 0);
	assert_int_equal(tw_ring_stats__lost(&stats), 7 + 2);
	at = reserve(b, 50, 0, 64, 0);
	write_bytes(b, at, &huge, sizeof(huge));
	assert_int_equal(read_page(b, &page), 0);
	assert_true(b->ring.is_pending);
	assert_int_equal(b->consumer, at);
	tear_down(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),   cmocka_unit_test(test_times),   cmocka_unit_test(test_lost),
		cmocka_unit_test(test_many),    cmocka_unit_test(test_pending), cmocka_unit_test(test_backwards),
		cmocka_unit_test(test_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
