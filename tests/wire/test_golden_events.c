/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Golden frames of events: building gives these bytes, and reading gives these values. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"
#include "golden_frame.h"
#include "wire/encode.h"

static const struct tw_frame_info ring = {
	.stream_id = 0x1122334455667788,
	.schema_id = 0xa1b2c3d4e5f60718,
	.seq = 1000,
	.base_time = 5000000000,
	.channel = 3,
	.cpu = 2,
	.source = TW_SOURCE_FTRACE,
};

/* A sched_switch as recorded by a little-endian 64-bit kernel, followed by slack, because events are copied in steps. */
static const uint8_t sched_switch[64 + TW_COPY_STEP] = "\x3a\x01\x01\x00\xe9\x03\x00\x00"
						       "bash\0\0\0\0\0\0\0\0\0\0\0\0"
						       "\xe9\x03\x00\x00\x78\x00\x00\x00"
						       "\x01\x00\x00\x00\x00\x00\x00\x00"
						       "sleep\0\0\0\0\0\0\0\0\0\0\0"
						       "\xea\x03\x00\x00\x78\x00\x00\x00";

/* A record of @id by @pid in this host's byte order, followed by @body. */
struct record {
	uint8_t bytes[TW_RECORD_COMMON + 4 + TW_COPY_STEP];
};

static struct record record(uint16_t id, uint32_t pid, const char *body)
{
	struct record r = { { 0 } };

	memcpy(r.bytes, &id, sizeof(id));
	memcpy(r.bytes + 4, &pid, sizeof(pid));
	memcpy(r.bytes + TW_RECORD_COMMON, body, 4);
	return r;
}

static struct tw_event_view next_event(struct tw_cursor *c, enum tw_tlv_type type)
{
	const struct tw_tlv_view tlv = golden__next(c, type);
	struct tw_event_view event;

	assert_true(tw_event__parse(&tlv, ring.base_time, &event));
	return event;
}

static void one_event(void **state)
{
	struct golden_frame g;
	struct tw_event_view event;
	struct tw_cursor c;

	(void)state;
	golden__begin(&g, "one-event", &ring);
	if (!TW_HOST_BE) {
		assert_true(tw_frame__add_event(&g.frame, sched_switch, 64, ring.base_time));
		golden__expect_built(&g);
	}
	c = golden__expect_header(&g, &ring, 1);
	event = next_event(&c, TW_TLV_EVENT);
	assert_int_equal(event.time, 5000000000);
	assert_int_equal(event.id, 314);
	assert_int_equal(event.common_flags, 1);
	assert_int_equal(event.common_preempt_count, 0);
	assert_int_equal(event.pid, 1001);
	assert_int_equal(event.len, 64);
	assert_memory_equal(event.record + TW_RECORD_COMMON, sched_switch + TW_RECORD_COMMON, 64 - TW_RECORD_COMMON);
	golden__expect_end(&c);
}

/* All fields of a one-event frame have fixed offsets. Classifiers, in software or in a NIC, depend on it. */
static void one_event_has_fixed_offsets(void **state)
{
	struct golden_frame g;

	(void)state;
	golden__begin(&g, "one-event", &ring);
	assert_int_equal(tw_load_be16(g.golden.data + 48), TW_TLV_EVENT);
	assert_int_equal(tw_load_be16(g.golden.data + 56), 314);
	assert_int_equal(tw_load_be32(g.golden.data + 60), 1001);
	assert_memory_equal(g.golden.data + 64, "bash", 5);
	assert_int_equal(tw_load32(g.golden.data + 64 + 48, false), 1002); /* next_pid: at 56 in the record */
}

static void build_packed(struct tw_frame *f)
{
	const struct record first = record(100, 1001, "\xef\xbe\xad\xde");
	const struct record second = record(101, 0, "\0\0\0\0");
	const struct record last = record(100, UINT32_MAX, "\xfe\xff\xff\xff");
	const struct tw_lost_view lost = { .time = ring.base_time + 3000, .where = TW_LOST_RING, .count = 12345 };
	uint32_t at;

	assert_true(tw_frame__add_event(f, first.bytes, 12, ring.base_time + 500));
	at = f->len;
	assert_true(tw_frame__add_event(f, sched_switch, 64, ring.base_time + 1500));
	tw_store_be16(f->buf + at, TW_TLV_FILTERED); /* the change made by a classifier */
	assert_true(tw_frame__add_event(f, second.bytes, 8, ring.base_time - 2500));
	assert_true(tw_frame__add_event(f, last.bytes, 12, ring.base_time + INT32_MAX));
	assert_true(tw_lost__emit(f, &lost));
}

static void packed(void **state)
{
	struct tw_frame_info info = ring;
	struct golden_frame g;
	struct tw_event_view event;
	struct tw_lost_view lost;
	struct tw_tlv_view tlv;
	struct tw_cursor c;

	(void)state;
	info.seq = 1001;
	golden__begin(&g, "packed", &info);
	if (!TW_HOST_BE) {
		build_packed(&g.frame);
		golden__expect_built(&g);
	}
	c = golden__expect_header(&g, &info, 4);
	event = next_event(&c, TW_TLV_EVENT);
	assert_int_equal(event.time, ring.base_time + 500);
	assert_int_equal(tw_load32(event.record + TW_RECORD_COMMON, false), 0xdeadbeef);
	event = next_event(&c, TW_TLV_FILTERED);
	assert_int_equal(event.time, ring.base_time + 1500);
	assert_int_equal(event.id, 314);
	event = next_event(&c, TW_TLV_EVENT);
	assert_int_equal(event.time, ring.base_time - 2500);
	assert_int_equal(event.len, TW_RECORD_COMMON);
	event = next_event(&c, TW_TLV_EVENT);
	assert_int_equal(event.time, ring.base_time + INT32_MAX);
	assert_int_equal(event.pid, UINT32_MAX);
	tlv = golden__next(&c, TW_TLV_LOST);
	assert_true(tw_lost__parse(&tlv, info.base_time, &lost));
	assert_int_equal(lost.time, ring.base_time + 3000);
	assert_int_equal(lost.where, TW_LOST_RING);
	assert_int_equal(lost.count, 12345);
	assert_false(lost.unknown);
	golden__expect_end(&c);
}

static void big_endian(void **state)
{
	struct tw_frame_info info = ring;
	const struct record r = record(100, 77, "\1\2\3\4");
	struct golden_frame g;
	struct tw_event_view event;
	struct tw_cursor c;

	(void)state;
	info.flags = TW_FLAG_BODY_BE | TW_FLAG_LATE;
	golden__begin(&g, "big-endian", &info);
	assert_true(tw_frame__add_event(&g.frame, r.bytes, 12, info.base_time));
	golden__expect_built(&g);
	c = golden__expect_header(&g, &info, 1);
	event = next_event(&c, TW_TLV_EVENT);
	assert_int_equal(event.id, 100);
	assert_int_equal(event.pid, 77);
	assert_int_equal(tw_load32(event.record + TW_RECORD_COMMON, true), 0x01020304);
	golden__expect_end(&c);
}

static void lost_unknown(void **state)
{
	const struct tw_lost_view expected = { .time = ring.base_time - 1, .where = TW_LOST_RING, .unknown = true };
	struct tw_frame_info info = ring;
	struct golden_frame g;
	struct tw_lost_view lost;
	struct tw_tlv_view tlv;
	struct tw_cursor c;

	(void)state;
	info.seq = 1005;
	golden__begin(&g, "lost-unknown", &info);
	assert_true(tw_lost__emit(&g.frame, &expected));
	golden__expect_built(&g);
	c = golden__expect_header(&g, &info, 0);
	tlv = golden__next(&c, TW_TLV_LOST);
	assert_true(tw_lost__parse(&tlv, info.base_time, &lost));
	assert_int_equal(lost.time, expected.time);
	assert_true(lost.unknown);
	assert_int_equal(lost.count, 0);
	golden__expect_end(&c);
}

/* A capture host writes its own LOST records for events whose numbers are missing. */
static void lost_behind_the_producer(void **state)
{
	const struct tw_lost_view sent[] = {
		{ .time = ring.base_time + 3000, .where = TW_LOST_WIRE, .count = 10 },
		{ .time = ring.base_time + 3000, .where = TW_LOST_RECEIVER, .count = 7 },
	};
	struct tw_frame_info info = ring;
	struct golden_frame g;
	struct tw_lost_view lost;
	struct tw_tlv_view tlv;
	struct tw_cursor c;

	(void)state;
	info.seq = 1005;
	golden__begin(&g, "lost-wire", &info);
	for (int i = 0; i < 2; i++)
		assert_true(tw_lost__emit(&g.frame, &sent[i]));
	golden__expect_built(&g);
	c = golden__expect_header(&g, &info, 0);
	for (int i = 0; i < 2; i++) {
		tlv = golden__next(&c, TW_TLV_LOST);
		assert_true(tw_lost__parse(&tlv, info.base_time, &lost));
		assert_int_equal(lost.time, sent[i].time);
		assert_int_equal(lost.where, sent[i].where);
		assert_int_equal(lost.count, sent[i].count);
		assert_false(lost.unknown);
	}
	golden__expect_end(&c);
}

/* Checks one piece of an event. @name: the golden frame with this piece, part-first or part-last */
static void expect_part(const char *name, uint32_t offset, size_t len, uint16_t events)
{
	static const uint8_t value[24] = "\0\0\0\0\0\5\0\0\0\0\3\xe9"
					 "abcdefghij";
	struct tw_frame_info info = ring;
	struct golden_frame g;
	struct tw_part_view part;
	struct tw_tlv_view tlv;
	struct tw_cursor c;

	info.seq = 2000;
	golden__begin(&g, name, &info);
	assert_int_equal(tw_frame__add_part(&g.frame, TW_TLV_EVENT, 42, value, sizeof(value), offset), len);
	golden__expect_built(&g);
	c = golden__expect_header(&g, &info, events);
	tlv = golden__next(&c, TW_TLV_PART);
	assert_true(tw_part__parse(&tlv, &part));
	assert_int_equal(part.inner_type, TW_TLV_EVENT);
	assert_int_equal(part.id, 42);
	assert_int_equal(part.total, sizeof(value));
	assert_int_equal(part.offset, offset);
	assert_int_equal(part.len, len);
	assert_memory_equal(part.bytes, value + offset, len);
	golden__expect_end(&c);
}

static void parts(void **state)
{
	(void)state;
	expect_part("part-first", 0, 8, 0);
	expect_part("part-last", 8, 16, 1);
}

static void auth(void **state)
{
	const struct record r = record(100, 1001, "\1\0\0\0");
	struct golden_frame g;
	struct tw_tlv_view tlv;
	struct tw_cursor c;
	uint8_t *value;

	(void)state;
	golden__begin(&g, "auth", &ring);
	assert_true(tw_frame__add_event(&g.frame, r.bytes, 12, ring.base_time));
	value = tw_frame__add(&g.frame, TW_TLV_AUTH, 20);
	assert_non_null(value);
	tw_store_be16(value, 0xff01);
	tw_store_be16(value + 2, 7);
	for (int i = 0; i < 16; i++)
		value[4 + i] = (uint8_t)(0xe0 + i);
	golden__expect_built(&g);
	c = golden__expect_header(&g, &ring, 1);
	next_event(&c, TW_TLV_EVENT);
	tlv = golden__next(&c, TW_TLV_AUTH);
	assert_int_equal(tlv.len, 20);
	golden__expect_end(&c);
}

static void padding_and_unknown_types(void **state)
{
	const struct record r = record(102, 1, "\0\0\0\0");
	struct golden_frame g;
	struct tw_tlv_view tlv;
	struct tw_cursor c;

	(void)state;
	golden__begin(&g, "pad", &ring);
	memset(tw_frame__add(&g.frame, TW_TLV_PAD, 4), 0xff, 4);
	assert_true(tw_frame__add_event(&g.frame, r.bytes, 8, ring.base_time));
	memcpy(tw_frame__add(&g.frame, (enum tw_tlv_type)999, 5), "later", 5);
	golden__expect_built(&g);
	c = golden__expect_header(&g, &ring, 1);
	golden__next(&c, TW_TLV_PAD);
	assert_int_equal(next_event(&c, TW_TLV_EVENT).id, 102);
	tlv = golden__next(&c, (enum tw_tlv_type)999);
	assert_int_equal(tlv.len, 5);
	assert_memory_equal(tlv.value, "later", 5);
	golden__expect_end(&c);
	assert_null(tw_tlv__name(999));
	assert_string_equal(tw_tlv__name(TW_TLV_PAD), "PAD");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_event),
		cmocka_unit_test(one_event_has_fixed_offsets),
		cmocka_unit_test(packed),
		cmocka_unit_test(big_endian),
		cmocka_unit_test(lost_unknown),
		cmocka_unit_test(parts),
		cmocka_unit_test(auth),
		cmocka_unit_test(padding_and_unknown_types),
		cmocka_unit_test(lost_behind_the_producer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
