/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walking sub-buffers: what each kind of entry means, libtraceevent's opinion of the same bytes, and bytes nobody would write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <event-parse.h>
#include <kbuffer.h>

#include "pages.h"

/* The next event is that one. */
static void expect(struct tw_subbuf *walk, uint64_t time, uint16_t id, pid_t pid, uint32_t len)
{
	struct tw_subbuf_event event = { 0 };

	assert_true(tw_subbuf__next(walk, &event));
	assert_int_equal(event.time, time);
	assert_int_equal(event.len, len);
	assert_int_equal(tw_subbuf_event__id(&event), id);
	assert_int_equal(tw_subbuf_event__pid(&event), pid);
	if (len > 8)
		assert_int_equal(event.record[len - 1], (uint8_t)(len - 1));
}

static void expect_end(struct tw_subbuf *walk)
{
	struct tw_subbuf_event event = { .len = 77 };

	assert_false(tw_subbuf__next(walk, &event));
	assert_false(tw_subbuf__next(walk, &event));
	assert_int_equal(event.len, 77);
}

static void test_empty(void **state)
{
	struct tw_subbuf walk;
	struct page page;

	(void)state;
	page__init(&page, 5);
	page__set_commit(&page, 0);
	tw_subbuf__init(&walk, page.bytes, PAGE_BYTES);
	expect_end(&walk);
	tw_subbuf__init(&walk, page.bytes, 0);
	expect_end(&walk);
}

static void test_every_length(void **state)
{
	struct tw_subbuf walk;
	struct page page;

	(void)state;
	for (uint32_t len = 8; len <= 400; len += 4) {
		page__init(&page, 1000);
		page__event(&page, 1, 7, 42, len, false);
		page__event(&page, 2, 8, 43, len, true);
		tw_subbuf__init(&walk, page.bytes, PAGE_BYTES);
		expect(&walk, 1001, 7, 42, len);
		expect(&walk, 1003, 8, 43, len);
		expect_end(&walk);
	}
}

static void test_times(void **state)
{
	const uint64_t start = 0x0800000012345678, stamp = start + 5000000000;
	struct tw_subbuf walk;
	struct page page;

	(void)state;
	page__init(&page, start);
	page__event(&page, 0, 1, 1, 8, false);
	page__extend(&page, 30, 3ull << 30);
	page__event(&page, 1, 1, 2, 8, false);
	page__extend(&page, 31, stamp & 0x07ffffffffffffff); /* 59 bits of the time are all that is written */
	page__event(&page, 0, 1, 3, 8, false);
	tw_subbuf__init(&walk, page.bytes, PAGE_BYTES);
	expect(&walk, start, 1, 1, 8);
	expect(&walk, start + (3ull << 30) + 1, 1, 2, 8);
	expect(&walk, stamp, 1, 3, 8);
	expect_end(&walk);
}

static void test_stamp_carries(void **state)
{
	(void)state;
	/* the 59 bits wrapped between the sub-buffer's time and the event's */
	assert_int_equal(tw_subbuf__absolute(5, 0x07fffffffffffff0), 0x0800000000000005);
	assert_int_equal(tw_subbuf__absolute(0x07fffffffffffff0, 0x0800000000000005), 0x0ffffffffffffff0);
	assert_int_equal(tw_subbuf__absolute(9, 9), 9);
}

static void test_padding(void **state)
{
	struct tw_subbuf walk;
	struct page page;

	(void)state;
	page__init(&page, 100);
	page__event(&page, 1, 1, 1, 12, false);
	page__head(&page, 29, 10); /* discarded: its time went by all the same */
	page__word(&page, 4 + 16);
	page.len += 16;
	page__event(&page, 1, 2, 2, 12, false);
	page__head(&page, 29, 0); /* nothing more in this sub-buffer */
	page__word(&page, 0);
	page__event(&page, 1, 3, 3, 12, false);
	tw_subbuf__init(&walk, page.bytes, PAGE_BYTES);
	expect(&walk, 101, 1, 1, 12);
	expect(&walk, 112, 2, 2, 12);
	expect_end(&walk);
}

static void test_missed(void **state)
{
	const unsigned long lost = 123456;
	uint64_t count = 9;
	struct page page;

	(void)state;
	page__init(&page, 100);
	page__event(&page, 1, 1, 1, 12, false);
	assert_int_equal(tw_subbuf__missed(page.bytes, PAGE_BYTES, &count), TW_MISSED_NONE);
	page__set_commit(&page, TW_COMMIT_MISSED);
	assert_int_equal(tw_subbuf__missed(page.bytes, PAGE_BYTES, &count), TW_MISSED_UNKNOWN);
	assert_int_equal(count, 9);
	memcpy(page.bytes + TW_SUBBUF_DATA + page.len, &lost, sizeof(lost));
	page__set_commit(&page, TW_COMMIT_MISSED | TW_COMMIT_STORED);
	assert_int_equal(tw_subbuf__missed(page.bytes, PAGE_BYTES, &count), TW_MISSED_EXACT);
	assert_int_equal(count, lost);
	/* where the number would lie outside it is not read */
	count = 9;
	assert_int_equal(tw_subbuf__missed(page.bytes, TW_SUBBUF_DATA + page.len + 7, &count), TW_MISSED_UNKNOWN);
	assert_int_equal(count, 9);
}

/* A walk that never leaves its bytes and always ends. Return: events */
static size_t walk_copy(const uint8_t *bytes, size_t len)
{
	uint8_t *copy = malloc(len + 1);
	struct tw_subbuf_event event;
	struct tw_subbuf walk;
	size_t n = 0;

	assert_non_null(copy);
	memcpy(copy, bytes, len);
	tw_subbuf__init(&walk, copy, len);
	while (tw_subbuf__next(&walk, &event)) {
		assert_true(event.record >= copy + TW_SUBBUF_DATA);
		assert_true(event.record + event.len <= copy + len);
		assert_true(event.len >= TW_RECORD_COMMON && event.len % 4 == 0);
		assert_true(++n <= len / 8);
	}
	free(copy);
	return n;
}

/* All there is, in one sub-buffer. */
static void fill(struct page *page)
{
	page__init(page, 1ull << 59);
	for (uint32_t i = 0; page->len < 3800; i++) {
		page__event(page, i, (uint16_t)i, i, 8 + i % 60 * 4, i % 7 == 0);
		if (i % 5 == 0)
			page__extend(page, 30, (uint64_t)i << 28);
		if (i % 11 == 0)
			page__extend(page, 31, (uint64_t)(i + 100) << 32);
	}
}

static void test_every_prefix(void **state)
{
	size_t n, before = 0;
	struct page page;

	(void)state;
	fill(&page);
	for (size_t len = TW_SUBBUF_DATA; len <= TW_SUBBUF_DATA + page.len; len++) {
		n = walk_copy(page.bytes, len);
		assert_true(n >= before);
		before = n;
	}
	assert_true(before > 20);
}

static void test_hostile(void **state)
{
	struct page page;

	(void)state;
	srandom(1);
	for (int round = 0; round < 20000; round++) {
		fill(&page);
		for (int i = 0; i < 1 + round % 16; i++)
			page.bytes[(size_t)random() % (TW_SUBBUF_DATA + page.len)] = (uint8_t)random();
		walk_copy(page.bytes, TW_SUBBUF_DATA + (size_t)random() % (PAGE_BYTES - TW_SUBBUF_DATA));
	}
}

/* libtraceevent reads the same bytes. */
static void test_oracle(void **state)
{
	struct kbuffer *kbuf = kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST, KBUFFER_ENDIAN_SAME_AS_HOST);
	struct tw_subbuf_event event;
	unsigned long long time;
	struct tw_subbuf walk;
	struct page page;
	uint8_t *record;

	(void)state;
	assert_non_null(kbuf);
	fill(&page);
	assert_int_equal(kbuffer_load_subbuffer(kbuf, page.bytes), 0);
	tw_subbuf__init(&walk, page.bytes, PAGE_BYTES);
	for (record = kbuffer_read_event(kbuf, &time); record; record = kbuffer_next_event(kbuf, &time)) {
		assert_true(tw_subbuf__next(&walk, &event));
		assert_ptr_equal(event.record, record);
		assert_int_equal(event.time, time);
		assert_int_equal(event.len, kbuffer_event_size(kbuf));
	}
	expect_end(&walk);
	kbuffer_free(kbuf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),        cmocka_unit_test(test_every_length),
		cmocka_unit_test(test_times),        cmocka_unit_test(test_stamp_carries),
		cmocka_unit_test(test_padding),      cmocka_unit_test(test_missed),
		cmocka_unit_test(test_every_prefix), cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_oracle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
