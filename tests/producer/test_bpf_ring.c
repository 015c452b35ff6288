/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sub-buffers that are made from a BPF ring: order, time stamps, lost events, and records that are not complete. The test writes the
 * ring's memory as the programs do, and reads the sub-buffers as those of a trace ring.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "producer/native_ring.h"
#include "producer/sockets/bpf_ring.h"

#define SLOTS      ((size_t)1024)
#define PAGE_BYTES 65536 /* more than the records of the window */
#define ID         0xff06

struct bench {
	uint8_t slots[SLOTS][TW_SOCKTS_SLOT_SIZE];
	unsigned long doorbell_consumer, doorbell_producer;
	struct tw_sockts_cpu cpu;
	struct tw_bpf_ring ring;
	uint8_t page[PAGE_BYTES + TW_NATIVE_PAGE_SLACK];
	size_t len; /* of the sub-buffer */
};

static struct bench *set_up(uint64_t number)
{
	struct bench *b = aligned_alloc(64, (sizeof(*b) + 63) / 64 * 64);

	assert_non_null(b);
	memset(b, 0, sizeof(*b));
	b->cpu.reserved = b->cpu.consumed = number;
	b->ring = (struct tw_bpf_ring){
		.cpu = &b->cpu,
		.clock = CLOCK_MONOTONIC,
		.doorbell_consumer = &b->doorbell_consumer,
		.doorbell_producer = &b->doorbell_producer,
		.slots = b->slots[0],
		.n_slots = SLOTS,
		.next = number,
	};
	return b;
}

static void tear_down(struct bench *b)
{
	free(b);
}

/* Completes a record. */
static void submit(struct bench *b, uint64_t number)
{
	const uint64_t state = TW_SOCKTS_COMPLETE(number);

	memcpy(b->slots[number % SLOTS], &state, sizeof(state));
}

/* Reserves a record of @len bytes. Return: the number of its slot */
static uint64_t reserve(struct bench *b, uint64_t time, uint64_t lost, uint32_t len)
{
	const uint64_t number = b->cpu.reserved++;
	const struct tw_sockts_head head = {
		.state = TW_SOCKTS_COMPLETE(number) | TW_SOCKTS_BUSY, .time = time, .lost = lost, .len = len
	};
	const struct tw_sockts_common common = { .common_type = ID, .common_pid = 7 };
	const uint32_t word = (uint32_t)time;
	uint8_t *at = b->slots[number % SLOTS];

	memcpy(at, &head, sizeof(head));
	memcpy(at + sizeof(head), &common, sizeof(common));
	memcpy(at + sizeof(head) + sizeof(common), &word, sizeof(word));
	return number;
}

static void put(struct bench *b, uint64_t time)
{
	submit(b, reserve(b, time, 0, 64));
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
	assert_int_equal(b->cpu.consumed, b->cpu.reserved);
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
		submit(b, reserve(b, time += steps[i], 0, i % 2 ? 112 : 116));
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
	submit(b, reserve(b, 10, 0, 64));
	submit(b, reserve(b, 20, 3, 64));
	submit(b, reserve(b, 30, 3, 64));
	submit(b, reserve(b, 40, 4, 64));
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

/* More records than a sub-buffer, the window and the ring, across the end of the ring's memory */
static void test_many(void **state)
{
	struct bench *b = set_up(1000);
	struct tw_ring_page page;
	uint64_t next = 1;

	(void)state;
	for (uint64_t i = 1; i <= 3000; i++) {
		put(b, i);
		if (i % 1000)
			continue;
		while (read_page(b, &page)) {
			struct tw_ring_event event;

			while (tw_native_page__next(&page, &event))
				assert_int_equal(event.time, next++);
		}
		assert_int_equal(next, i + 1);
		assert_int_equal(b->cpu.consumed, b->cpu.reserved);
	}
	tear_down(b);
}

/* A record whose program was interrupted by more programs than the window has records follows the records of all of them. */
static void test_window(void **state)
{
	struct bench *b = set_up(0);
	const uint64_t n = TW_BPF_RING_WINDOW + 200;
	struct tw_ring_page page;
	uint64_t next = 1;

	(void)state;
	put(b, n + 1);
	for (uint64_t i = 1; i <= n; i++)
		put(b, i);
	while (read_page(b, &page)) {
		struct tw_ring_event event;

		while (tw_native_page__next(&page, &event))
			assert_int_equal(event.time, next++);
	}
	assert_int_equal(next, n + 2);
	assert_int_equal(b->cpu.consumed, b->cpu.reserved);
	tear_down(b);
}

/* Records after one that is not complete wait for it. */
static void test_pending(void **state)
{
	struct bench *b = set_up(3 * SLOTS); /* the slots have records of an earlier round */
	struct tw_ring_page page;
	uint64_t pending;

	(void)state;
	for (uint64_t i = 0; i < SLOTS; i++)
		submit(b, 2 * SLOTS + i);
	put(b, 10);
	pending = reserve(b, 20, 0, 64);
	put(b, 15);
	b->cpu.reserved++; /* a slot that is not written yet */
	assert_true(read_page(b, &page) > 0);
	expect_event(&page, 10, 64);
	expect_end(&page);
	assert_int_equal(b->cpu.consumed, pending);
	assert_int_equal(read_page(b, &page), 0);
	assert_true(b->ring.is_pending);
	submit(b, pending);
	assert_true(read_page(b, &page) > 0);
	assert_true(b->ring.is_pending);
	expect_event(&page, 15, 64);
	expect_event(&page, 20, 64);
	expect_end(&page);
	assert_int_equal(b->cpu.consumed, pending + 2);
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

/* Records with impossible lengths are skipped, and counted. */
static void test_lengths(void **state)
{
	static const uint32_t longest = TW_SOCKTS_SLOT_SIZE - sizeof(struct tw_sockts_head);
	struct tw_ring_stats stats;
	struct bench *b = set_up(0);
	struct tw_ring_page page;

	(void)state;
	submit(b, reserve(b, 20, 0, TW_RECORD_COMMON - 1));
	submit(b, reserve(b, 30, 0, longest + 1));
	submit(b, reserve(b, 35, 0, UINT32_MAX));
	submit(b, reserve(b, 40, 0, 66));
	submit(b, reserve(b, 50, 0, longest));
	assert_true(read_page(b, &page) > 0);
	expect_event(&page, 40, 68);
	expect_event(&page, 50, longest);
	expect_end(&page);
	b->cpu.lost = 7;
	assert_int_equal(tw_bpf_ring__stats(&b->ring, &stats), 0);
	assert_int_equal(stats.read, 2);
	assert_int_equal(stats.entries, 0);
	assert_int_equal(tw_ring_stats__lost(&stats), 7 + 3);
	tear_down(b);
}

/* A reader does not wait while the ring has events, and forgets that the doorbell was rung before. */
static void test_wait(void **state)
{
	struct bench *b = set_up(0);
	struct tw_ring_page page;

	(void)state;
	b->doorbell_producer = 16;
	assert_true(tw_bpf_ring__begin_wait(&b->ring));
	assert_int_equal(b->doorbell_consumer, 16);
	assert_int_equal(b->cpu.wants_wakeup, 1);
	tw_bpf_ring__end_wait(&b->ring);
	assert_int_equal(b->cpu.wants_wakeup, 0);
	put(b, 10);
	assert_false(tw_bpf_ring__begin_wait(&b->ring));
	tw_bpf_ring__end_wait(&b->ring);
	assert_true(read_page(b, &page) > 0);
	assert_true(tw_bpf_ring__begin_wait(&b->ring));
	tear_down(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),     cmocka_unit_test(test_times),   cmocka_unit_test(test_lost),
		cmocka_unit_test(test_many),      cmocka_unit_test(test_window),  cmocka_unit_test(test_pending),
		cmocka_unit_test(test_backwards), cmocka_unit_test(test_lengths), cmocka_unit_test(test_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
