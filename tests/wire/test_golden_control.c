/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Golden frames of the control channel: mostly one TLV each, built and read. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "golden_frame.h"
#include "wire/encode.h"
#include "wire/schema_text.h"

static const struct tw_frame_info control = {
	.stream_id = 0x1122334455667788,
	.schema_id = 0xa1b2c3d4e5f60718,
	.seq = 7,
	.base_time = 5000000000,
	.channel = TW_CHANNEL_CONTROL,
	.cpu = TW_CPU_NONE,
	.source = TW_SOURCE_CONTROL,
};

/* Checks that the built frame equals the golden frame, and that its only TLV has the type @type. Return: this TLV */
static struct tw_tlv_view only_tlv(struct golden_frame *g, enum tw_tlv_type type)
{
	struct tw_tlv_view tlv;
	struct tw_cursor c;

	golden__expect_built(g);
	c = golden__expect_header(g, &control, 1);
	tlv = golden__next(&c, type);
	golden__expect_end(&c);
	return tlv;
}

static void watermark(void **state)
{
	const uint16_t channels[] = { 1, 3 };
	const uint64_t next_seqs[] = { 1234, 1005 };
	struct tw_watermark_view mark;
	struct golden_frame g;
	struct tw_tlv_view tlv;
	uint16_t channel;
	uint64_t next_seq;

	(void)state;
	golden__begin(&g, "watermark", &control);
	assert_true(tw_watermark__emit(&g.frame, 9000000000, channels, next_seqs, 2));
	tlv = only_tlv(&g, TW_TLV_WATERMARK);
	assert_true(tw_watermark__parse(&tlv, &mark));
	assert_int_equal(mark.time, 9000000000);
	for (int i = 0; i < 2; i++) {
		assert_true(tw_watermark__next(&mark.channels, &channel, &next_seq));
		assert_int_equal(channel, channels[i]);
		assert_int_equal(next_seq, next_seqs[i]);
	}
	assert_false(tw_watermark__next(&mark.channels, &channel, &next_seq));
}

static void expect_schema(const struct tw_schema_view *read, const struct tw_schema_view *sent)
{
	assert_int_equal(read->kind, sent->kind);
	assert_int_equal(read->encoding, sent->encoding);
	assert_int_equal(read->event_id, sent->event_id);
	assert_int_equal(read->raw_length, sent->raw_length);
	assert_int_equal(read->index, sent->index);
	assert_int_equal(read->total, sent->total);
	assert_int_equal(read->len, sent->len);
	assert_memory_equal(read->data, sent->data, sent->len);
}

static void schema_plain(void **state)
{
	const struct tw_schema_text text = { .system = "sched", .text = "name: x\n", .len = 8 };
	struct tw_schema_view sent = { .kind = TW_SCHEMA_EVENT, .event_id = 314, .index = 2, .total = 26 };
	struct tw_schema_view read;
	struct golden_frame g;
	struct tw_tlv_view tlv;
	uint8_t buf[64];

	(void)state;
	assert_int_equal(tw_schema_text__compress(&text, buf, sizeof(buf), &sent, NULL), 0);
	golden__begin(&g, "schema-plain", &control);
	assert_true(tw_schema_tlv__emit(&g.frame, &sent));
	tlv = only_tlv(&g, TW_TLV_SCHEMA);
	assert_true(tw_schema_tlv__parse(&tlv, &read));
	expect_schema(&read, &sent);
}

/* The compressed form may differ between releases of zstd; the decompressed text may not. */
static void schema_zstd(void **state)
{
	struct tw_schema_text text;
	struct tw_schema_view read;
	struct golden_frame g;
	struct tw_tlv_view tlv;
	struct tw_cursor c;
	char buf[64];

	(void)state;
	golden__begin(&g, "schema-zstd", &control);
	c = golden__expect_header(&g, &control, 1);
	tlv = golden__next(&c, TW_TLV_SCHEMA);
	golden__expect_end(&c);
	assert_true(tw_schema_tlv__parse(&tlv, &read));
	assert_int_equal(read.event_id, 99);
	assert_int_equal(read.index, 0);
	assert_int_equal(read.total, 1);
	assert_int_equal(tw_schema_text__expand(&read, buf, sizeof(buf), &text, NULL), 0);
	assert_string_equal(text.system, "net");
	assert_int_equal(text.len, 40);
	for (size_t i = 0; i < text.len; i++)
		assert_int_equal(text.text[i], '.');
}

static void host(void **state)
{
	static const uint8_t four[8] = { 0, 0, 0, 0, 0, 0, 0, 4 }, one[8] = { 0, 0, 0, 0, 0, 0, 0, 1 };
	const struct tw_attr_view attrs[] = {
		{ TW_HOST_NAME, (const uint8_t *)"worker-7", 8 },
		{ TW_HOST_RELEASE, (const uint8_t *)"6.1.0-9", 7 },
		{ TW_HOST_CPUS, four, sizeof(four) },
		{ TW_HOST_CLOCK_MULT, one, sizeof(one) },
	};
	struct tw_attr_view attr;
	struct golden_frame g;
	struct tw_tlv_view tlv;
	struct tw_cursor c;

	(void)state;
	golden__begin(&g, "host", &control);
	assert_true(tw_host__emit(&g.frame, attrs, 4));
	tlv = only_tlv(&g, TW_TLV_HOST);
	c = (struct tw_cursor){ tlv.value, tlv.len };
	for (int i = 0; i < 4; i++) {
		assert_true(tw_host__next(&c, &attr));
		assert_int_equal(attr.attr, attrs[i].attr);
		assert_int_equal(attr.len, attrs[i].len);
		assert_memory_equal(attr.value, attrs[i].value, attr.len);
	}
	assert_false(tw_host__next(&c, &attr));
	assert_int_equal(c.left, 0);
}

static void clock_sample(void **state)
{
	struct tw_clock_view sent = { .valid = 1 << TW_CLOCK_TRACE | 1 << TW_CLOCK_MONO | 1 << TW_CLOCK_REAL,
				      .error_ns = 120,
				      .sync_ns = 2500,
				      .tai_offset = 37,
				      .leap = TW_LEAP_INSERT,
				      .n_phcs = 1,
				      .phcs = { { 2, TW_PHC_BY_EXTENDED, 90, 40, 1700000037000000000, 9000000040 } } };
	struct tw_clock_view read;
	struct golden_frame g;
	struct tw_tlv_view tlv;

	(void)state;
	sent.reading[TW_CLOCK_TRACE] = 9000000000;
	sent.reading[TW_CLOCK_MONO] = 9000000050;
	sent.reading[TW_CLOCK_REAL] = 1700000000000000000;
	golden__begin(&g, "clock", &control);
	assert_true(tw_clock__emit(&g.frame, &sent));
	tlv = only_tlv(&g, TW_TLV_CLOCK);
	assert_true(tw_clock__parse(&tlv, &read));
	assert_int_equal(read.valid, sent.valid);
	assert_int_equal(read.error_ns, sent.error_ns);
	assert_int_equal(read.sync_ns, sent.sync_ns);
	assert_memory_equal(read.reading, sent.reading, sizeof(sent.reading));
	assert_int_equal(read.tai_offset, 37);
	assert_int_equal(read.leap, TW_LEAP_INSERT);
	assert_int_equal(read.n_phcs, 1);
	assert_int_equal(read.phcs[0].index, 2);
	assert_int_equal(read.phcs[0].method, TW_PHC_BY_EXTENDED);
	assert_int_equal(read.phcs[0].error_ns, 90);
	assert_int_equal(read.phcs[0].sync_ns, 40);
	assert_int_equal(read.phcs[0].phc, 1700000037000000000);
	assert_int_equal(read.phcs[0].trace, 9000000040);
	tlv.len -= 4; /* a part of a PHC is missing */
	assert_false(tw_clock__parse(&tlv, &read));
	tlv.len = TW_CLOCK_MIN - sizeof(struct tw_tlv); /* the short form */
	assert_true(tw_clock__parse(&tlv, &read));
	assert_int_equal(read.reading[TW_CLOCK_REAL], sent.reading[TW_CLOCK_REAL]);
	assert_int_equal(read.tai_offset, 0);
	assert_int_equal(read.n_phcs, 0);
	tlv.len--;
	assert_false(tw_clock__parse(&tlv, &read));
}

static void comm(void **state)
{
	const struct tw_comm_view sent = { .origin = TW_COMM_EXEC,
					   .time = 5000000123,
					   .pid = 1002,
					   .tgid = 1002,
					   .name = (const uint8_t *)"sleep",
					   .len = 5 };
	struct tw_comm_view read;
	struct golden_frame g;
	struct tw_tlv_view tlv;

	(void)state;
	golden__begin(&g, "comm", &control);
	assert_true(tw_comm__emit(&g.frame, &sent));
	tlv = only_tlv(&g, TW_TLV_COMM);
	assert_true(tw_comm__parse(&tlv, &read));
	assert_int_equal(read.origin, sent.origin);
	assert_int_equal(read.time, sent.time);
	assert_int_equal(read.pid, sent.pid);
	assert_int_equal(read.tgid, sent.tgid);
	assert_int_equal(read.len, sent.len);
	assert_memory_equal(read.name, sent.name, sent.len);
}

static void symbol(void **state)
{
	const struct tw_symbol_view sent = {
		.size = 0x120, .address = 0xffffffff81000000, .name = (const uint8_t *)"schedule_x", .len = 10
	};
	struct tw_symbol_view read;
	struct golden_frame g;
	struct tw_tlv_view tlv;

	(void)state;
	golden__begin(&g, "symbol", &control);
	assert_true(tw_symbol__emit(&g.frame, &sent));
	tlv = only_tlv(&g, TW_TLV_SYMBOL);
	assert_true(tw_symbol__parse(&tlv, &read));
	assert_int_equal(read.size, sent.size);
	assert_int_equal(read.address, sent.address);
	assert_int_equal(read.len, sent.len);
	assert_memory_equal(read.name, sent.name, sent.len);
}

static void stats(void **state)
{
	const struct tw_stat_view sent[] = {
		{ TW_STAT_RECORDED, TW_CHANNEL_CONTROL, 1000000 },
		{ TW_STAT_READ, TW_CHANNEL_CONTROL, 999990 },
		{ TW_STAT_OVERRUN, 3, 10 },
	};
	struct tw_stat_view read;
	struct golden_frame g;
	struct tw_tlv_view tlv;
	struct tw_cursor c;

	(void)state;
	golden__begin(&g, "stats", &control);
	assert_true(tw_stats__emit(&g.frame, sent, 3));
	tlv = only_tlv(&g, TW_TLV_STATS);
	c = (struct tw_cursor){ tlv.value, tlv.len };
	for (int i = 0; i < 3; i++) {
		assert_true(tw_stats__next(&c, &read));
		assert_int_equal(read.stat, sent[i].stat);
		assert_int_equal(read.channel, sent[i].channel);
		assert_int_equal(read.value, sent[i].value);
	}
	assert_false(tw_stats__next(&c, &read));
}

/* The last frame of the control channel: the final counters, the last watermark, and END. */
static void end(void **state)
{
	const struct tw_stat_view recorded = { TW_STAT_RECORDED, TW_CHANNEL_CONTROL, 1000000 };
	const uint16_t channel = 3;
	const uint64_t next_seq = 1005;
	struct golden_frame g;
	struct tw_cursor c;

	(void)state;
	golden__begin(&g, "end", &control);
	assert_true(tw_stats__emit(&g.frame, &recorded, 1));
	assert_true(tw_watermark__emit(&g.frame, 9000000000, &channel, &next_seq, 1));
	assert_true(tw_end__emit(&g.frame));
	golden__expect_built(&g);
	c = golden__expect_header(&g, &control, 1);
	golden__next(&c, TW_TLV_STATS);
	golden__next(&c, TW_TLV_WATERMARK);
	assert_int_equal(golden__next(&c, TW_TLV_END).len, sizeof(struct tw_end) - sizeof(struct tw_tlv));
	golden__expect_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(watermark), cmocka_unit_test(schema_plain), cmocka_unit_test(schema_zstd),
		cmocka_unit_test(host),      cmocka_unit_test(clock_sample), cmocka_unit_test(comm),
		cmocka_unit_test(symbol),    cmocka_unit_test(stats),        cmocka_unit_test(end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
