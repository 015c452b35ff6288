/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which metadata of a stream is kept, which metadata is news, and how it is replayed at the beginning of a new file. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explained.h"
#include "replayed.h"

#define SCHEMA 7 /* schema id of the frames of test_frame__begin() */

static struct test_frame frame;
static struct tw_metadata *m;

static int setup(void **state)
{
	(void)state;
	m = tw_metadata__new(0, NULL);
	return m ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	tw_metadata__free(m);
	return 0;
}

static void begin(void)
{
	test_frame__begin(&frame, TW_CHANNEL_CONTROL, 0, 1000);
}

/* Take all TLVs of the frame. Return: verdict on the last one */
static enum tw_metadata_verdict take(void)
{
	const size_t len = test_frame__end(&frame);
	enum tw_metadata_verdict verdict = TW_METADATA_SKIP;
	enum tw_frame_status status;
	struct tw_frame_info info;
	struct tw_cursor tlvs;
	struct tw_tlv_view tlv;

	assert_int_equal(tw_frame__parse(frame.buf, len, &info, &tlvs), TW_FRAME_OK);
	while (tw_cursor__next_tlv(&tlvs, &tlv, &status))
		verdict = tw_metadata__take(m, &info, &tlv);
	return verdict;
}

static enum tw_metadata_verdict take_comm(uint32_t pid, uint64_t time, const char *name)
{
	begin();
	explained__comm(&frame, pid, time, name);
	return take();
}

static enum tw_metadata_verdict take_symbol(uint64_t address, uint32_t size, const char *name)
{
	begin();
	explained__symbol(&frame, address, size, name);
	return take();
}

static enum tw_metadata_verdict take_host(const char *name)
{
	const struct tw_attr_view attr = { .attr = TW_HOST_NAME, .value = (const uint8_t *)name, .len = strlen(name) };

	begin();
	assert_true(tw_host__emit(&frame.f, &attr, 1));
	return take();
}

static enum tw_metadata_verdict take_clock(uint64_t trace, uint32_t valid)
{
	const struct tw_clock_view clock = { .valid = valid, .reading = { [TW_CLOCK_TRACE] = trace } };

	begin();
	assert_true(tw_clock__emit(&frame.f, &clock));
	return take();
}

static enum tw_metadata_verdict take_stats(uint64_t value)
{
	const struct tw_stat_view stat = { TW_STAT_RECORDED, 0, value };

	begin();
	assert_true(tw_stats__emit(&frame.f, &stat, 1));
	return take();
}

static enum tw_metadata_verdict take_text(uint16_t id, uint32_t index, const char *name)
{
	uint8_t buf[2048];
	char text[1024];
	const size_t len = explained__format(text, sizeof(text), id, name);
	struct tw_schema_view view = explained__schema(TW_SCHEMA_EVENT, id, text, len, false, buf, sizeof(buf));

	view.index = index;
	begin();
	assert_true(tw_schema_tlv__emit(&frame.f, &view));
	return take();
}

static struct tw_metadata_stats stats(void)
{
	struct tw_metadata_stats now;

	tw_metadata__stats(m, &now);
	return now;
}

static struct replayed replay(size_t max)
{
	struct replayed r = { 0 };
	struct tw_metadata_frames frames = replayed__frames(&r, 100, max);

	assert_int_equal(tw_metadata__replay(m, &frames), 0);
	assert_int_equal(frames.info.seq, 100 + r.n);
	assert_true(r.largest <= max);
	assert_false(r.unreadable);
	return r;
}

static void test_news(void **state)
{
	(void)state;
	assert_int_equal(take_host("alpha"), TW_METADATA_WRITE);
	assert_int_equal(take_host("alpha"), TW_METADATA_SKIP);
	assert_int_equal(take_host("beta"), TW_METADATA_WRITE);
	assert_int_equal(take_host("alpha"), TW_METADATA_WRITE);
	assert_int_equal(take_text(9, 0, "one"), TW_METADATA_WRITE);
	assert_int_equal(take_text(10, 1, "two"), TW_METADATA_WRITE);
	assert_int_equal(take_text(9, 0, "one"), TW_METADATA_SKIP);
	assert_int_equal(take_symbol(0x1000, 16, "f"), TW_METADATA_WRITE);
	assert_int_equal(take_symbol(0x1000, 16, "f"), TW_METADATA_SKIP);
	assert_int_equal(take_symbol(0x1000, 32, "g"), TW_METADATA_WRITE);
	assert_int_equal(take_stats(1), TW_METADATA_WRITE);
	assert_int_equal(take_stats(1), TW_METADATA_WRITE);
	assert_int_equal(take_clock(1, 1), TW_METADATA_WRITE);
	assert_int_equal(take_clock(1, 1), TW_METADATA_WRITE);
	assert_int_equal(stats().known, 3);
}

/* The same text with another schema id is another text. */
static void test_schemas(void **state)
{
	(void)state;
	assert_int_equal(take_text(9, 0, "one"), TW_METADATA_WRITE);
	begin();
	frame.f.info.schema_id = SCHEMA + 1;
	uint8_t buf[2048];
	char text[1024];
	const size_t len = explained__format(text, sizeof(text), 9, "one");
	const struct tw_schema_view view = explained__schema(TW_SCHEMA_EVENT, 9, text, len, false, buf, sizeof(buf));

	assert_true(tw_schema_tlv__emit(&frame.f, &view));
	assert_int_equal(take(), TW_METADATA_WRITE);
	assert_int_equal(stats().items, 2);
	struct replayed r = replay(TW_FRAME_MAX);
	struct tw_frame_info info = { 0 };
	struct tw_cursor tlvs = { 0 };
	struct tw_tlv_view tlv;
	size_t at = 0;

	assert_int_equal(r.n, 2);
	assert_true(replayed__next(&r, &at, &info, &tlvs, &tlv));
	assert_int_equal(info.schema_id, SCHEMA);
	assert_true(replayed__next(&r, &at, &info, &tlvs, &tlv));
	assert_int_equal(info.schema_id, SCHEMA + 1);
	assert_int_equal(info.base_time, 5000);
	free(r.bytes);
}

static void test_end(void **state)
{
	(void)state;
	begin();
	assert_true(tw_end__emit(&frame.f));
	assert_int_equal(take(), TW_METADATA_WRITE);
	begin();
	assert_true(tw_end__emit(&frame.f));
	assert_int_equal(take(), TW_METADATA_SKIP);
	assert_int_equal(stats().items, 0); /* END is not kept: a file that begins with END would end at once */
}

static void check_names(const char *const *names, size_t n)
{
	struct replayed r = replay(TW_FRAME_MAX);
	struct tw_frame_info info = { 0 };
	struct tw_cursor tlvs = { 0 };
	struct tw_tlv_view tlv;
	struct tw_comm_view comm;
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		assert_true(replayed__next(&r, &at, &info, &tlvs, &tlv));
		assert_int_equal(tlv.type, TW_TLV_COMM);
		assert_true(tw_comm__parse(&tlv, &comm));
		assert_int_equal(comm.len, strlen(names[i]));
		assert_memory_equal(comm.name, names[i], comm.len);
	}
	assert_false(replayed__next(&r, &at, &info, &tlvs, &tlv));
	free(r.bytes);
}

/* Of each task, the two names with the latest times are kept, in any order of arrival. The older name is replayed first. */
static void test_names(void **state)
{
	(void)state;
	assert_int_equal(take_comm(5, 100, "first"), TW_METADATA_WRITE);
	assert_int_equal(take_comm(5, 300, "third"), TW_METADATA_WRITE);
	assert_int_equal(take_comm(5, 300, "third"), TW_METADATA_SKIP);
	assert_int_equal(take_comm(5, 100, "first"), TW_METADATA_SKIP);
	check_names((const char *const[]){ "first", "third" }, 2);
	assert_int_equal(take_comm(5, 200, "second"), TW_METADATA_WRITE);
	check_names((const char *const[]){ "second", "third" }, 2);
	assert_int_equal(take_comm(5, 50, "zero"), TW_METADATA_WRITE);
	check_names((const char *const[]){ "second", "third" }, 2);
	assert_int_equal(take_comm(5, 400, "fourth"), TW_METADATA_WRITE);
	check_names((const char *const[]){ "third", "fourth" }, 2);
	assert_int_equal(take_comm(5, 400, "other"), TW_METADATA_WRITE);
	check_names((const char *const[]){ "third", "other" }, 2);
}

static void test_order(void **state)
{
	static const uint16_t types[] = { TW_TLV_HOST, TW_TLV_CLOCK, TW_TLV_CLOCK,  TW_TLV_SCHEMA,
					  TW_TLV_COMM, TW_TLV_COMM,  TW_TLV_SYMBOL, TW_TLV_STATS };
	struct tw_frame_info info = { 0 };
	struct tw_cursor tlvs = { 0 };
	struct tw_tlv_view tlv;
	struct tw_clock_view clock;
	struct replayed r;
	size_t at = 0;

	(void)state;
	take_stats(1);
	take_symbol(0x1000, 16, "f");
	take_comm(6, 0, "task");
	take_comm(7, 0, "other");
	take_text(9, 0, "one");
	take_clock(1, 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_REAL);
	take_clock(2, 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_REAL);
	take_clock(3, 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_REAL);
	take_host("alpha");
	take_stats(2);
	r = replay(TW_FRAME_MAX);
	assert_int_equal(r.n, 1); /* all records fit in one frame */
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		assert_true(replayed__next(&r, &at, &info, &tlvs, &tlv));
		assert_int_equal(tlv.type, types[i]);
		if (tlv.type == TW_TLV_CLOCK) {
			assert_true(tw_clock__parse(&tlv, &clock));
			assert_int_equal(clock.reading[TW_CLOCK_TRACE], i == 1 ? 1 : 3);
		}
	}
	assert_false(replayed__next(&r, &at, &info, &tlvs, &tlv));
	free(r.bytes);
}

/* In small frames, texts are replayed as PARTs. A record in PARTs is reassembled and compared like any other record. */
static void test_parts(void **state)
{
	struct tw_metadata *first = m;
	struct tw_metadata_frames frames;
	struct replayed r, reported = { 0 };
	struct tw_frame_info info = { 0 };
	struct tw_cursor tlvs = { 0 };
	struct tw_tlv_view tlv;
	enum tw_metadata_verdict verdict = TW_METADATA_WRITE;
	size_t at = 0, pieces = 0;

	(void)state;
	take_text(9, 0, "one");
	r = replay(TW_METADATA_FRAME_MIN);
	m = tw_metadata__new(0, NULL);
	assert_non_null(m);
	while (replayed__next(&r, &at, &info, &tlvs, &tlv)) {
		if (pieces)
			assert_int_equal(verdict, TW_METADATA_SKIP);
		assert_int_equal(tlv.type, TW_TLV_PART);
		verdict = tw_metadata__take(m, &info, &tlv);
		pieces++;
	}
	assert_true(pieces > 2);
	assert_int_equal(verdict, TW_METADATA_WHOLE);
	frames = replayed__frames(&reported, 3, TW_FRAME_MAX);
	assert_int_equal(tw_metadata__emit_whole(m, &frames), 0);
	assert_int_equal(reported.n, 1);
	assert_int_equal(take_text(9, 0, "one"), TW_METADATA_SKIP);
	for (at = 0; replayed__next(&r, &at, &info, &tlvs, &tlv);)
		assert_int_equal(tw_metadata__take(first, &info, &tlv), TW_METADATA_SKIP);
	at = 0;
	replayed__next(&reported, &at, &info, &tlvs, &tlv);
	assert_int_equal(info.schema_id, SCHEMA);
	assert_int_equal(info.seq, 3);
	assert_int_equal(tw_metadata__take(first, &info, &tlv), TW_METADATA_SKIP);
	tw_metadata__free(first);
	free(reported.bytes);
	free(r.bytes);
}

/* A new name of a task evicts the name that was least recently repeated. Nothing but names of tasks is evicted. */
static void test_memory(void **state)
{
	const size_t limit = 64 << 10;
	char name[16];

	(void)state;
	tw_metadata__free(m);
	m = tw_metadata__new(limit, NULL);
	assert_non_null(m);
	take_host("alpha");
	take_comm(1, 0, "init");
	for (uint32_t pid = 2; pid < 5000; pid++) {
		snprintf(name, sizeof(name), "task-%u", pid);
		assert_int_equal(take_comm(pid, 0, name), TW_METADATA_WRITE);
		assert_int_equal(take_comm(1, 0, "init"), TW_METADATA_SKIP); /* it stays, because it is repeated */
		assert_true(stats().memory <= limit);
	}
	assert_true(stats().forgotten > 4000);
	assert_int_equal(stats().beyond, 0);
	assert_int_equal(take_comm(2, 0, "task-2"), TW_METADATA_WRITE);
	for (uint64_t i = 0; i < 5000; i++)
		take_symbol(0x1000 * i, 16, "function");
	assert_true(stats().beyond > 0);
	assert_true(stats().memory <= limit);
	assert_int_equal(take_symbol(0, 16, "function"), TW_METADATA_SKIP);
	assert_int_equal(take_symbol(0x1000 * 4999, 16, "function"), TW_METADATA_WRITE);
	assert_int_equal(take_host("alpha"), TW_METADATA_SKIP);
}

/* Streams with a common limit stay below it together, and return their memory when they are freed. */
static void test_room(void **state)
{
	struct tw_metadata_room room = { .limit = 32 << 10 };
	struct tw_metadata *other = m;

	(void)state;
	tw_metadata__free(other);
	other = tw_metadata__new(0, &room);
	m = other;
	for (uint64_t i = 0; i < 1000; i++)
		take_symbol(0x1000 * i, 16, "function");
	assert_true(stats().beyond > 0);
	assert_true(room.taken <= room.limit && room.taken == stats().memory);
	room.limit = room.taken; /* take away the rest, which was too small for the first stream's table to grow */
	m = tw_metadata__new(0, &room);
	assert_non_null(m);
	assert_int_equal(take_host("alpha"), TW_METADATA_WRITE);
	assert_int_equal(take_host("alpha"),
			 TW_METADATA_WRITE); /* news again, because there was no memory to keep it */
	tw_metadata__free(other);
	assert_int_equal(take_host("alpha"), TW_METADATA_WRITE);
	assert_int_equal(take_host("alpha"), TW_METADATA_SKIP);
	assert_int_equal(room.taken, stats().memory);
	tw_metadata__free(m);
	assert_int_equal(room.taken, 0);
	m = NULL;
}

/* Records other than metadata are not kept; malformed ones are written unchanged. */
static void test_others(void **state)
{
	const struct tw_frame_info info = { .stream_id = TEST_STREAM };
	const struct tw_tlv_view unknown = { .type = 999, .value = (const uint8_t *)"", .len = 0 };
	const uint8_t few[8] = { 0 };
	const struct tw_tlv_view bad = { .type = TW_TLV_COMM, .value = few, .len = sizeof(few) };

	(void)state;
	assert_int_equal(tw_metadata__take(m, &info, &unknown), TW_METADATA_WRITE);
	assert_int_equal(tw_metadata__take(m, &info, &bad), TW_METADATA_WRITE);
	assert_int_equal(stats().malformed, 1);
	assert_int_equal(stats().items, 0);
}

static int refuse(void *ctx, const void *data, size_t len)
{
	(void)ctx;
	(void)data;
	(void)len;
	return -ENOSPC;
}

static void test_failure(void **state)
{
	struct tw_metadata_frames frames = { .max = 1000, .emit = refuse };

	(void)state;
	assert_int_equal(tw_metadata__replay(m, &frames), 0); /* there is nothing to replay */
	take_text(9, 0, "one");
	assert_int_equal(tw_metadata__replay(m, &frames), -ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_news, setup, teardown),
		cmocka_unit_test_setup_teardown(test_schemas, setup, teardown),
		cmocka_unit_test_setup_teardown(test_end, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_order, setup, teardown),
		cmocka_unit_test_setup_teardown(test_parts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(test_room, setup, teardown),
		cmocka_unit_test_setup_teardown(test_others, setup, teardown),
		cmocka_unit_test_setup_teardown(test_failure, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
