/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sub-buffers of other machines, with either byte order, longs of 4 or 8 bytes, and 5 or 6 bits for the type; and invalid sub-buffers.
 * tests/producer/test_native_ring.c reads sub-buffers of this machine's kernel.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "schema/ring_page.h"

#define DATA_MAX 28
#define PADDING  29
#define EXTEND   30
#define STAMP    31

struct page {
	struct tw_ring_layout layout;
	uint8_t bytes[256];
	size_t len;
};

static void put(const struct page *page, void *at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)at)[page->layout.big_endian ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static void init(struct page *page, bool big_endian, uint16_t long_size, uint8_t type_bits)
{
	*page = (struct page){ .layout = {
				       .page = { TW_RING_PAGE_TIME, long_size,
						 (uint16_t)(TW_RING_PAGE_TIME + long_size) },
				       .entry = { type_bits, (uint8_t)(32 - type_bits), PADDING, EXTEND, STAMP,
						  DATA_MAX },
				       .big_endian = big_endian,
			       } };
	page->len = page->layout.page.data_offset;
	put(page, page->bytes, 1000, 8);
}

static void add_word(struct page *page, uint32_t word)
{
	put(page, page->bytes + page->len, word, 4);
	page->len += 4;
}

static void add_head(struct page *page, uint32_t type, uint32_t delta)
{
	const unsigned int bits = page->layout.entry.type_len_bits;

	add_word(page, page->layout.big_endian ? type << (32 - bits) | delta : delta << bits | type);
}

static void set_commit(struct page *page, uint32_t flags)
{
	const uint16_t size = page->layout.page.commit_size;

	put(page, page->bytes + TW_RING_PAGE_TIME, flags | (page->len - page->layout.page.data_offset), size);
}

static void expect(struct tw_ring_page *walk, const struct page *page, uint64_t time, uint32_t len)
{
	struct tw_ring_event event = { .record = NULL };

	assert_int_equal(tw_ring_page__next(walk, &page->layout, &event), TW_RING_EVENT);
	assert_int_equal(event.time, time);
	assert_int_equal(event.len, len);
	assert_true(event.record + len <= page->bytes + page->len);
}

static void expect_no_more(struct tw_ring_page *walk, const struct page *page, enum tw_ring_step step)
{
	struct tw_ring_event event;

	assert_int_equal(tw_ring_page__next(walk, &page->layout, &event), step);
	assert_int_equal(tw_ring_page__next(walk, &page->layout, &event), TW_RING_END);
}

static void test_layouts(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		const uint8_t bits = i & 4 ? 6 : 5;
		struct tw_ring_page walk;
		struct page page;

		init(&page, i & 1, i & 2 ? 4 : 8, bits);
		add_head(&page, 2, 5);
		page.len += 8;
		add_head(&page, EXTEND, 7);
		add_word(&page, 1);
		add_head(&page, 0, 1);
		add_word(&page, 4 + 10); /* a length of 10, which is padded to 12 */
		page.len += 12;
		add_head(&page, PADDING, 3);
		add_word(&page, 4 + 8);
		page.len += 8;
		add_head(&page, STAMP, 9);
		add_word(&page, 1 << 10);
		add_head(&page, 3, 0);
		page.len += 12;
		set_commit(&page, 0);
		assert_true(tw_ring_page__init(&walk, &page.layout, page.bytes, page.len));
		expect(&walk, &page, 1005, 8);
		expect(&walk, &page, 1005 + 7 + (1ull << (32 - bits)) + 1, 12);
		expect(&walk, &page, (1ull << (42 - bits)) + 9, 12);
		expect_no_more(&walk, &page, TW_RING_END);
	}
}

static void test_missed(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		const uint16_t size = i & 2 ? 4 : 8;
		uint64_t count = 9;
		struct page page;

		init(&page, i & 1, size, 5);
		add_head(&page, 2, 5);
		page.len += 8;
		set_commit(&page, 0);
		assert_int_equal(tw_ring_page__missed(&page.layout, page.bytes, page.len, &count), TW_MISSED_NONE);
		set_commit(&page, TW_COMMIT_MISSED);
		assert_int_equal(tw_ring_page__missed(&page.layout, page.bytes, page.len, &count), TW_MISSED_UNKNOWN);
		set_commit(&page, TW_COMMIT_MISSED | TW_COMMIT_STORED);
		put(&page, page.bytes + page.len, 77, size);
		assert_int_equal(tw_ring_page__missed(&page.layout, page.bytes, page.len + size - 1, &count),
				 TW_MISSED_UNKNOWN);
		assert_int_equal(count, 9);
		assert_int_equal(tw_ring_page__missed(&page.layout, page.bytes, page.len + size, &count),
				 TW_MISSED_EXACT);
		assert_int_equal(count, 77);
	}
}

/* An entry of type @type with the second word @array is damaged, because the sub-buffer ends @more bytes after this word. */
static void expect_damaged(uint32_t type, uint32_t delta, uint32_t array, size_t more)
{
	struct tw_ring_page walk;
	struct page page;

	init(&page, true, 8, 5);
	add_head(&page, type, delta);
	add_word(&page, array);
	page.len += more;
	set_commit(&page, 0);
	assert_true(tw_ring_page__init(&walk, &page.layout, page.bytes, page.len));
	expect_no_more(&walk, &page, TW_RING_DAMAGED);
}

static void test_damage(void **state)
{
	struct tw_ring_page walk;
	struct page page;

	(void)state;
	expect_damaged(1, 0, 0, 16);          /* too short for the common fields */
	expect_damaged(0, 0, 4 + 7, 16);      /* the same */
	expect_damaged(0, 0, 3, 16);          /* the length includes its own 4 bytes */
	expect_damaged(0, 0, 4 + 17, 16);     /* longer than the rest of the sub-buffer */
	expect_damaged(0, 0, 4 + 15, 15);     /* longer than the rest, with its padding */
	expect_damaged(0, 0, UINT32_MAX, 16); /* padded, it would be 0 */
	expect_damaged(28, 0, 0, 16);
	expect_damaged(PADDING, 1, 4 + 17, 16);
	init(&page, false, 8, 5);
	add_head(&page, STAMP, 0); /* without its second word */
	set_commit(&page, 0);
	assert_true(tw_ring_page__init(&walk, &page.layout, page.bytes, page.len));
	expect_no_more(&walk, &page, TW_RING_DAMAGED);
	assert_false(tw_ring_page__init(&walk, &page.layout, page.bytes,
					page.len - 1)); /* its commit exceeds the sub-buffer */
	expect_no_more(&walk, &page, TW_RING_END);
	assert_false(tw_ring_page__init(&walk, &page.layout, page.bytes, page.layout.page.data_offset - 1u));
	expect_no_more(&walk, &page, TW_RING_END);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_missed),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
