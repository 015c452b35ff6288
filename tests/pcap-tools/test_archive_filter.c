/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An archive with a filter writes the right events, and the ledgers in the file balance. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "archive_file.h"
#include "explained.h"

#define AHEAD 1700000000000000123ull

static struct tw_filter *filter;

/* @joined: the producer started before the capture */
static struct fixture *begin(const char *expression, bool joined)
{
	struct fixture *x;

	assert_int_equal(tw_filter__parse(expression, &filter, NULL), 0);
	x = fixture__new(&(struct tw_archive_options){ .from_start = !joined, .filter = filter });
	x->frame.joined = joined;
	return x;
}

static void end(struct fixture *x)
{
	fixture__free(x);
	tw_filter__free(filter);
}

/* Put the format of an event. @total: number of texts in its schema */
static void put_format(struct fixture *x, unsigned int id, const char *name, uint32_t total)
{
	uint8_t payload[2048];
	char text[2048];
	struct tw_schema_view view;

	view = explained__schema(TW_SCHEMA_EVENT, (uint16_t)id, text, explained__format(text, sizeof(text), id, name),
				 false, payload, sizeof(payload));
	view.total = total;
	test_frame__begin(&x->frame, TW_CHANNEL_CONTROL, TEST_CONTROL, 1000);
	assert_true(tw_schema_tlv__emit(&x->frame.f, &view));
	put(x, test_frame__end(&x->frame));
}

static void put_name(struct fixture *x, uint32_t pid, uint64_t time, const char *name)
{
	test_frame__begin(&x->frame, TW_CHANNEL_CONTROL, TEST_CONTROL, time);
	explained__comm(&x->frame, pid, time, name);
	put(x, test_frame__end(&x->frame));
}

static void put_hello(struct fixture *x)
{
	put(x, test_frame__hello(&x->frame, "box", "one", 1000, AHEAD));
}

/* Put events of id 42 by the tasks 0 to @n - 1. Each byte of an event's fields is the number of the task. */
static void put_events(struct fixture *x, uint64_t seq, uint64_t time, uint32_t n)
{
	test_frame__begin(&x->frame, 1, seq, time);
	for (uint32_t i = 0; i < n; i++)
		assert_true(test_frame__event(&x->frame, time + i, i, 24));
	put(x, test_frame__end(&x->frame));
}

/* Make @n events of the frame FILTERED, from event @first on, as a classifier does. */
static void reject(struct test_frame *t, unsigned int first, unsigned int n)
{
	uint8_t *at = t->buf + sizeof(struct tw_frame_hdr);

	for (unsigned int i = 0; i < first + n; i++, at += tw_load_be16(at + 2))
		if (i >= first)
			tw_store_be16(at, TW_TLV_FILTERED);
}

static struct tw_archive_stats stats_of(const struct fixture *x)
{
	struct tw_archive_stats stats;

	tw_archive__stats(x->archive, &stats);
	return stats;
}

/* Get the numbers of the events in the file, in file order. Return: number of events */
static unsigned int events_of(struct fixture *x, uint64_t *ret, unsigned int max)
{
	struct block block;
	unsigned int n = 0;

	for (x->at = 0; block__next(x->file, x->size, &x->at, &block);) {
		struct tw_frame_info info;
		struct tw_cursor tlvs;

		if (block.type != BLOCK_EPB)
			continue;
		assert_int_equal(tw_frame__parse(block.body + 20 + 14, load_u32(block.body + 12) - 14, &info, &tlvs),
				 TW_FRAME_OK);
		if (info.channel && n < max)
			ret[n++] = info.seq;
	}
	x->at = 0;
	return n;
}

static void expect_ledger(struct fixture *x, const char *text, const uint64_t numbers[4])
{
	struct block block = find(x, BLOCK_ISB);
	size_t len = 0;
	const char *comment = (const char *)block__option(&block, 12, 1, &len);

	assert_non_null(comment);
	assert_non_null(memmem(comment, len, text, strlen(text)));
	assert_int_equal(block__number(&block, 12, 4), numbers[0]);
	assert_int_equal(block__number(&block, 12, 5), numbers[1]);
	assert_int_equal(block__number(&block, 12, 6), numbers[2]);
	assert_int_equal(block__number(&block, 12, 8), numbers[3]);
}

static void test_writes_what_matches(void **state)
{
	struct fixture *x = begin("event.i in {0x01010101, 0x03030303}", false);
	struct block block;
	const uint8_t *filtered;
	uint64_t seq[8];
	size_t len = 0;

	(void)state;
	put_hello(x);
	put_format(x, 42, "event", 1);
	put_events(x, 0, 1500, 5);
	put_watermark(x, 3000, 5);
	finish(x);
	assert_int_equal(events_of(x, seq, 8), 2);
	assert_int_equal(seq[0], 1);
	assert_int_equal(seq[1], 3);
	assert_int_equal(stats_of(x).ledger.place[TW_PLACE_DELIVERED], 2);
	assert_int_equal(stats_of(x).ledger.place[TW_PLACE_CAPTURE_FILTER], 3);
	assert_int_equal(stats_of(x).ledger.place[TW_PLACE_WIRE], 0);
	assert_int_equal(stats_of(x).undecided_predicates.n, 0);
	block = find(x, BLOCK_IDB);
	filtered = block__option(&block, 8, 11, &len);
	assert_non_null(filtered);
	assert_int_equal(len, 1 + strlen(tw_filter__text(filter)));
	assert_memory_equal(filtered + 1, tw_filter__text(filter), len - 1);
	expect_ledger(x, "recorded=5 delivered=2 capture_filter=3 difference=0", (const uint64_t[]){ 5, 0, 2, 2 });
	end(x);
}

/* Events that a classifier made FILTERED are neither lost nor written, and the others keep their numbers. */
static void test_filtered_on_the_way(void **state)
{
	struct fixture *x = begin("pid != 4", false);
	uint64_t seq[8];

	(void)state;
	put_hello(x);
	test_frame__begin(&x->frame, 1, 0, 1500);
	for (uint32_t i = 0; i < 6; i++)
		assert_true(test_frame__event(&x->frame, 1500 + i, i, 24));
	test_frame__end(&x->frame);
	reject(&x->frame, 1, 2);
	put(x, x->frame.f.len);
	put_events(x, 8, 1600, 1); /* 6 and 7 are lost */
	put_watermark(x, 3000, 9);
	finish(x);
	assert_int_equal(events_of(x, seq, 8), 4);
	assert_int_equal(seq[0], 0);
	assert_int_equal(seq[1], 3);
	assert_int_equal(seq[2], 5);
	assert_int_equal(seq[3], 8);
	assert_int_equal(stats_of(x).merge.filtered, 2);
	assert_int_equal(stats_of(x).ledger.place[TW_PLACE_CAPTURE_FILTER], 1);
	assert_int_equal(stats_of(x).ledger.place[TW_PLACE_WIRE], 2);
	expect_ledger(x, "recorded=9 delivered=4 classifier=2 capture_filter=1 wire=2 difference=0",
		      (const uint64_t[]){ 9, 2, 4, 4 });
	end(x);
}

/* The name of a task is valid from its time on. */
static void test_names(void **state)
{
	struct fixture *x = begin("comm == \"new\"", false);
	uint64_t seq[8];

	(void)state;
	put_hello(x);
	put_name(x, 0, 0, "old");
	put_name(x, 1, 0, "old");
	put_events(x, 0, 1500, 2);
	put_watermark(x, 1600, 2);
	put_name(x, 1, 1700, "new");
	put_events(x, 2, 1800, 2);
	put_watermark(x, 3000, 4);
	finish(x);
	assert_int_equal(events_of(x, seq, 8), 1);
	assert_int_equal(seq[0], 3);
	end(x);
}

/* Events of a stream that was joined late wait until all its formats have arrived. */
static void test_formats_come_late(void **state)
{
	struct fixture *x = begin("event.i == 0x01010101", true);
	uint64_t seq[8];

	(void)state;
	put_hello(x);
	put_events(x, 5, 1500, 2);
	put_watermark(x, 1600, 7);
	put_format(x, 41, "other", 2);
	put_events(x, 7, 1700, 2);
	put_watermark(x, 1800, 9);
	assert_int_equal(stats_of(x).ledger.place[TW_PLACE_DELIVERED] +
				 stats_of(x).ledger.place[TW_PLACE_CAPTURE_FILTER],
			 0);
	put_format(x, 42, "event", 2);
	put_events(x, 9, 1900, 2);
	put_watermark(x, 2000, 11);
	assert_int_equal(stats_of(x).ledger.place[TW_PLACE_DELIVERED], 3);
	finish(x);
	assert_int_equal(events_of(x, seq, 8), 3);
	assert_int_equal(seq[0], 6);
	assert_int_equal(stats_of(x).ledger.place[TW_PLACE_CAPTURE_FILTER], 3);
	assert_int_equal(stats_of(x).capture_filter.unknown, 0);
	end(x);
}

/* If the formats never arrive, events do not wait for ever, and events decided without formats are counted. */
static void test_formats_never_come(void **state)
{
	struct fixture *x = begin("event.i == 0x01010101", true);

	(void)state;
	put_hello(x);
	put_events(x, 5, 1500, 2);
	put_watermark(x, 1600, 7);
	put_events(x, 7, 2100000000, 2);
	put_watermark(x, 2200000000, 9);
	assert_int_equal(stats_of(x).ledger.place[TW_PLACE_CAPTURE_FILTER], 4);
	assert_int_equal(stats_of(x).capture_filter.unknown, 4);
	finish(x);
	end(x);
}

static void test_doubts(void **state)
{
	struct fixture *x = begin("event.j == 1", false);

	(void)state;
	put_hello(x);
	put_format(x, 42, "event", 1);
	put_events(x, 0, 1500, 2);
	put_watermark(x, 1600, 2);
	finish(x);
	assert_int_equal(stats_of(x).undecided_predicates.n, 1);
	assert_string_equal(stats_of(x).undecided_predicates.text[0].text,
			    "column 7: event has no field 'j'; did you mean 'i'?");
	end(x);
}

static void test_nonsense(void **state)
{
	struct tw_archive_options options = { 0 };
	struct tw_archive *archive = NULL;
	struct tw_error err;

	(void)state;
	assert_int_equal(tw_filter__parse("cpu == word", &filter, NULL), 0);
	options.filter = filter;
	assert_int_equal(tw_archive__new(NULL, &options, &archive, &err), -EINVAL);
	assert_null(archive);
	tw_filter__free(filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writes_what_matches),
		cmocka_unit_test(test_filtered_on_the_way),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_formats_come_late),
		cmocka_unit_test(test_formats_never_come),
		cmocka_unit_test(test_doubts),
		cmocka_unit_test(test_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
