/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sub-buffers of this machine's kernel: the meaning of each kind of entry, the result of libtraceevent for the same bytes, and invalid
 * bytes. A kernel with another ring layout is refused with a sentence.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <event-parse.h>
#include <kbuffer.h>

#include "pages.h"

/* Checks the next event of the walk. */
static void expect(struct tw_ring_page *walk, uint64_t time, uint16_t id, pid_t pid, uint32_t len)
{
	struct tw_ring_event event = { 0 };

	assert_true(tw_native_page__next(walk, &event));
	assert_int_equal(event.time, time);
	assert_int_equal(event.len, len);
	assert_int_equal(tw_native_event__id(&event), id);
	assert_int_equal(tw_native_event__pid(&event), pid);
	if (len > 8)
		assert_int_equal(event.record[len - 1], (uint8_t)(len - 1));
}

static void expect_end(struct tw_ring_page *walk)
{
	struct tw_ring_event event = { .len = 77 };

	assert_false(tw_native_page__next(walk, &event));
	assert_false(tw_native_page__next(walk, &event));
	assert_int_equal(event.len, 77);
}

static void test_empty(void **state)
{
	struct tw_ring_page walk;
	struct page page;

	(void)state;
	page__init(&page, 5);
	page__set_commit(&page, 0);
	tw_native_page__init(&walk, page.bytes, PAGE_BYTES);
	expect_end(&walk);
	tw_native_page__init(&walk, page.bytes, 0);
	expect_end(&walk);
}

static void test_every_length(void **state)
{
	struct tw_ring_page walk;
	struct page page;

	(void)state;
	for (uint32_t len = 8; len <= 400; len += 4) {
		page__init(&page, 1000);
		page__event(&page, 1, 7, 42, len, false);
		page__event(&page, 2, 8, 43, len, true);
		tw_native_page__init(&walk, page.bytes, PAGE_BYTES);
		expect(&walk, 1001, 7, 42, len);
		expect(&walk, 1003, 8, 43, len);
		expect_end(&walk);
	}
}

static void test_times(void **state)
{
	const uint64_t start = 0x0800000012345678, stamp = start + 5000000000;
	struct tw_ring_page walk;
	struct page page;

	(void)state;
	page__init(&page, start);
	page__event(&page, 0, 1, 1, 8, false);
	page__extend(&page, 30, 3ull << 30);
	page__event(&page, 1, 1, 2, 8, false);
	page__extend(&page, 31, stamp & 0x07ffffffffffffff); /* the entry has only 59 bits of the time */
	page__event(&page, 0, 1, 3, 8, false);
	tw_native_page__init(&walk, page.bytes, PAGE_BYTES);
	expect(&walk, start, 1, 1, 8);
	expect(&walk, start + (3ull << 30) + 1, 1, 2, 8);
	expect(&walk, stamp, 1, 3, 8);
	expect_end(&walk);
}

static void test_stamp_carries(void **state)
{
	(void)state;
	/* the 59 bits wrapped between the sub-buffer's time and the event's */
	assert_int_equal(tw_ring_page__absolute(5, 0x07fffffffffffff0), 0x0800000000000005);
	assert_int_equal(tw_ring_page__absolute(0x07fffffffffffff0, 0x0800000000000005), 0x0ffffffffffffff0);
	assert_int_equal(tw_ring_page__absolute(9, 9), 9);
}

static void test_padding(void **state)
{
	struct tw_ring_page walk;
	struct page page;

	(void)state;
	page__init(&page, 100);
	page__event(&page, 1, 1, 1, 12, false);
	page__head(&page, 29, 10); /* a discarded event: its time delta still counts */
	page__word(&page, 4 + 16);
	page.len += 16;
	page__event(&page, 1, 2, 2, 12, false);
	page__head(&page, 29, 0); /* nothing more in this sub-buffer */
	page__word(&page, 0);
	page__event(&page, 1, 3, 3, 12, false);
	tw_native_page__init(&walk, page.bytes, PAGE_BYTES);
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
	assert_int_equal(tw_ring_page__missed(&tw_native_layout, page.bytes, PAGE_BYTES, &count), TW_MISSED_NONE);
	page__set_commit(&page, TW_COMMIT_MISSED);
	assert_int_equal(tw_ring_page__missed(&tw_native_layout, page.bytes, PAGE_BYTES, &count), TW_MISSED_UNKNOWN);
	assert_int_equal(count, 9);
	memcpy(page.bytes + tw_native_layout.page.data_offset + page.len, &lost, sizeof(lost));
	page__set_commit(&page, TW_COMMIT_MISSED | TW_COMMIT_STORED);
	assert_int_equal(tw_ring_page__missed(&tw_native_layout, page.bytes, PAGE_BYTES, &count), TW_MISSED_EXACT);
	assert_int_equal(count, lost);
	/* the number of missed events would lie outside of the sub-buffer, so it is not read */
	count = 9;
	assert_int_equal(tw_ring_page__missed(&tw_native_layout, page.bytes,
					      tw_native_layout.page.data_offset + page.len + 7, &count),
			 TW_MISSED_UNKNOWN);
	assert_int_equal(count, 9);
}

/* Walks a copy of the bytes: the walk must stay inside and end. Return: number of events */
static size_t walk_copy(const uint8_t *bytes, size_t len)
{
	uint8_t *copy = malloc(len + 1);
	struct tw_ring_event event;
	struct tw_ring_page walk;
	size_t n = 0;

	assert_non_null(copy);
	memcpy(copy, bytes, len);
	tw_native_page__init(&walk, copy, len);
	while (tw_native_page__next(&walk, &event)) {
		assert_true(event.record >= copy + tw_native_layout.page.data_offset);
		assert_true(event.record + event.len <= copy + len);
		assert_true(event.len >= TW_RECORD_COMMON && event.len % 4 == 0);
		assert_true(++n <= len / 8);
	}
	free(copy);
	return n;
}

/* Fills a sub-buffer with all kinds of entries. */
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
	for (size_t len = tw_native_layout.page.data_offset; len <= tw_native_layout.page.data_offset + page.len;
	     len++) {
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
			page.bytes[(size_t)random() % (tw_native_layout.page.data_offset + page.len)] =
				(uint8_t)random();
		walk_copy(page.bytes, tw_native_layout.page.data_offset +
					      (size_t)random() % (PAGE_BYTES - tw_native_layout.page.data_offset));
	}
}

/* libtraceevent reads the same bytes. */
static void test_oracle(void **state)
{
	struct kbuffer *kbuf = kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST, KBUFFER_ENDIAN_SAME_AS_HOST);
	struct tw_ring_event event;
	unsigned long long time;
	struct tw_ring_page walk;
	struct page page;
	uint8_t *record;

	(void)state;
	assert_non_null(kbuf);
	fill(&page);
	assert_int_equal(kbuffer_load_subbuffer(kbuf, page.bytes), 0);
	tw_native_page__init(&walk, page.bytes, PAGE_BYTES);
	for (record = kbuffer_read_event(kbuf, &time); record; record = kbuffer_next_event(kbuf, &time)) {
		assert_true(tw_native_page__next(&walk, &event));
		assert_ptr_equal(event.record, record);
		assert_int_equal(event.time, time);
		assert_int_equal(event.len, kbuffer_event_size(kbuf));
	}
	expect_end(&walk);
	kbuffer_free(kbuf);
}

static const char page_text[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				"\tfield: local_t commit;\toffset:8;\tsize:%zu;\tsigned:1;\n"
				"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				"\tfield: char data;\toffset:%zu;\tsize:4080;\tsigned:1;\n";
static const char entry_text[] = "# compressed entry header\n"
				 "\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n"
				 "\tpadding     : type == %d\n\ttime_extend : type == 30\n"
				 "\ttime_stamp : type == 31\n\tdata max type_len  == 28\n";

static char dir[] = "/tmp/tracewire-layout-XXXXXX";

__attribute__((format(printf, 2, 3))) static void write_text(const char *name, const char *fmt, ...)
{
	char path[128];
	va_list ap;
	FILE *f;

	snprintf(path, sizeof(path), "%s/events/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fclose(f);
}

static int make(void **state)
{
	char events[64];

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(events, sizeof(events), "%s/events", dir);
	return mkdir(events, 0700);
}

static int removed(void **state)
{
	static const char *const names[] = { "/events/header_page", "/events/header_event", "/events", "" };
	char path[128];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", dir, names[i]);
		remove(path);
	}
	return 0;
}

static void write_known(void)
{
	write_text("header_page", page_text, sizeof(long), 8 + sizeof(long));
	write_text("header_event", entry_text, 29);
}

static void test_known(void **state)
{
	(void)state;
	write_known();
	assert_int_equal(tw_native_ring__check_layout(dir, NULL), 0);
}

static void test_other_page(void **state)
{
	struct tw_error error;

	(void)state;
	write_known();
	write_text("header_page", page_text, sizeof(long), 16 + sizeof(long));
	assert_int_equal(tw_native_ring__check_layout(dir, &error), -ENOTSUP);
	assert_non_null(strstr(error.text, "header_page"));
}

static void test_other_entries(void **state)
{
	struct tw_error error;

	(void)state;
	write_known();
	write_text("header_event", entry_text, 27);
	assert_int_equal(tw_native_ring__check_layout(dir, &error), -ENOTSUP);
	assert_non_null(strstr(error.text, "header_event"));
}

static void test_no_text(void **state)
{
	struct tw_error error;

	(void)state;
	write_known();
	write_text("header_event", "no such thing\n");
	assert_int_equal(tw_native_ring__check_layout(dir, &error), -ENOTSUP);
	assert_int_equal(tw_native_ring__check_layout("/nonexistent", &error), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),        cmocka_unit_test(test_every_length),
		cmocka_unit_test(test_times),        cmocka_unit_test(test_stamp_carries),
		cmocka_unit_test(test_padding),      cmocka_unit_test(test_missed),
		cmocka_unit_test(test_every_prefix), cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_oracle),       cmocka_unit_test(test_known),
		cmocka_unit_test(test_other_page),   cmocka_unit_test(test_other_entries),
		cmocka_unit_test(test_no_text),
	};

	return cmocka_run_group_tests(tests, make, removed);
}
