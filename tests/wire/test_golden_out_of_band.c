/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Golden out-of-band frames: time synchronisation, and the offsets of packet times that a capture host writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "golden_frame.h"
#include "wire/encode.h"
#include "wire/time_sync.h"

static const struct tw_frame_info out_of_band = {
	.stream_id = 0x1122334455667788,
	.schema_id = 0xa1b2c3d4e5f60718,
	.base_time = 5000000000,
	.channel = TW_CHANNEL_OUT_OF_BAND,
	.cpu = TW_CPU_NONE,
	.source = TW_SOURCE_OUT_OF_BAND,
};

/* Checks that the built frame equals the golden frame, uses no number, and has only one TLV, of the type @type. Return: this TLV */
static struct tw_tlv_view only_tlv(struct golden_frame *g, const struct tw_frame_info *info, enum tw_tlv_type type)
{
	struct tw_tlv_view tlv;
	struct tw_cursor c;

	golden__expect_built(g);
	c = golden__expect_header(g, info, 0);
	tlv = golden__next(&c, type);
	golden__expect_end(&c);
	return tlv;
}

static void expect_exchange(const char *name, const struct tw_frame_info *info, const struct tw_time_sync_view *sent)
{
	struct tw_time_sync_view read;
	struct golden_frame g;
	struct tw_tlv_view tlv;

	golden__begin(&g, name, info);
	assert_true(tw_time_sync__emit(&g.frame, sent));
	tlv = only_tlv(&g, info, TW_TLV_TIME_SYNC);
	assert_true(tw_time_sync__parse(&tlv, &read));
	assert_int_equal(read.id, sent->id);
	assert_int_equal(read.asked, sent->asked);
	assert_int_equal(read.received, sent->received);
	assert_int_equal(read.answered, sent->answered);
	assert_int_equal(read.is_short, sent->is_short);
	assert_int_equal(read.received_by, sent->received_by);
	assert_int_equal(read.answered_by, sent->answered_by);
	assert_int_equal(read.sent_by, sent->sent_by);
	assert_int_equal(read.previous, sent->previous);
	assert_int_equal(read.sent, sent->sent);
	tlv.len = TW_TIME_SYNC_MIN - sizeof(struct tw_tlv) - 1;
	assert_false(tw_time_sync__parse(&tlv, &read));
}

/* A response is as long as its request, so that it cannot be used for amplification. */
static void exchange(void **state)
{
	struct tw_time_sync_view view = { .id = 17, .asked = 1700000000000000000, .is_short = true };
	struct tw_frame_info question = out_of_band;
	struct golden_frame asked, answered;

	(void)state;
	question.base_time = 0;
	expect_exchange("time-sync-request", &question, &view);
	view.received = 5000012000;
	view.answered = 5000013500;
	expect_exchange("time-sync-response", &out_of_band, &view);
	golden__begin(&asked, "time-sync-request", &question);
	golden__begin(&answered, "time-sync-response", &out_of_band);
	assert_int_equal(asked.golden.len, answered.golden.len);
}

/* The long form has the sources of the times, and the stamp of an earlier response. A record with a part of the long form is short. */
static void stamped(void **state)
{
	struct tw_time_sync_view view = { .id = 18, .asked = 1700000000000000000 }, read;
	struct tw_frame_info question = out_of_band;
	struct golden_frame asked, answered;
	struct tw_tlv_view tlv;
	struct tw_cursor c;

	(void)state;
	question.base_time = 0;
	expect_exchange("time-sync-request-stamped", &question, &view);
	view.received = 5000012000;
	view.answered = 5000013500;
	view.received_by = TW_STAMP_SOFTWARE;
	view.answered_by = TW_STAMP_READING;
	view.sent_by = TW_STAMP_HARDWARE;
	view.previous = 17;
	view.sent = 4900013900;
	expect_exchange("time-sync-response-stamped", &out_of_band, &view);
	golden__begin(&asked, "time-sync-request-stamped", &question);
	golden__begin(&answered, "time-sync-response-stamped", &out_of_band);
	assert_int_equal(asked.golden.len, answered.golden.len);
	c = golden__expect_header(&answered, &out_of_band, 0);
	tlv = golden__next(&c, TW_TLV_TIME_SYNC);
	tlv.len--;
	assert_true(tw_time_sync__parse(&tlv, &read));
	assert_true(read.is_short && read.answered == view.answered);
	assert_int_equal(read.received_by | read.answered_by | read.sent_by | read.previous | read.sent, 0);
}

/* A request with METADATA_REQUEST gets an ordinary response, which is shorter than the request. */
static void want(void **state)
{
	const struct tw_time_sync_view sent = { .id = 17, .asked = 1700000000000000000, .is_short = true };
	struct tw_time_sync_view read;
	struct tw_frame_info question = out_of_band;
	struct golden_frame g;
	struct tw_tlv_view tlv;
	struct tw_cursor c;
	uint64_t stream;
	uint16_t what;

	(void)state;
	question.base_time = 0;
	golden__begin(&g, "metadata-request", &question);
	assert_true(tw_time_sync__emit(&g.frame, &sent));
	assert_true(tw_number_tlv__emit(&g.frame, TW_TLV_METADATA_REQUEST, TW_METADATA_REQUEST_ALL));
	golden__expect_built(&g);
	c = golden__expect_header(&g, &question, 0);
	golden__next(&c, TW_TLV_TIME_SYNC);
	tlv = golden__next(&c, TW_TLV_METADATA_REQUEST);
	golden__expect_end(&c);
	c = (struct tw_cursor){ .at = tlv.value, .left = tlv.len };
	assert_true(tw_number_tlv__next(&c, &what));
	assert_int_equal(what, TW_METADATA_REQUEST_ALL);
	assert_false(tw_number_tlv__next(&c, &what));
	assert_true(tw_time_sync_frame__read(g.golden.data, g.golden.len, &stream, &read));
	assert_int_equal(read.id, sent.id);
	assert_int_equal(tw_time_sync_frame__metadata_request(g.golden.data, g.golden.len), TW_METADATA_REQUEST_ALL);
	assert_int_equal(tw_time_sync_frame__metadata_request(g.golden.data, g.golden.len - 1), 0);
	golden__begin(&g, "time-sync-request", &question);
	assert_int_equal(tw_time_sync_frame__metadata_request(g.golden.data, g.golden.len), 0);
}

/* A receiver that does not know REFUSED records reads this frame as an ordinary request. */
static void refused(void **state)
{
	const struct tw_time_sync_view sent = { .id = 17, .asked = 1700000000000000000, .is_short = true };
	uint8_t built[TW_TIME_SYNC_ROOM];
	struct tw_time_sync_view read;
	struct tw_frame_info question = out_of_band;
	struct golden_frame g;
	uint64_t stream;

	(void)state;
	question.base_time = 0;
	golden__begin(&g, "refused", &question);
	assert_true(tw_time_sync__emit(&g.frame, &sent));
	assert_true(tw_number_tlv__emit(&g.frame, TW_TLV_REFUSED, TW_REFUSED_PLACES));
	golden__expect_built(&g);
	assert_true(tw_time_sync_frame__read(g.golden.data, g.golden.len, &stream, &read));
	assert_int_equal(read.id, sent.id);
	assert_int_equal(tw_time_sync_frame__refused(g.golden.data, g.golden.len), TW_REFUSED_PLACES);
	assert_int_equal(tw_time_sync_frame__metadata_request(g.golden.data, g.golden.len), 0);
	assert_int_equal(tw_time_sync_frame__refuse(built, question.stream_id, &sent, TW_REFUSED_PLACES), g.golden.len);
	golden__begin(&g, "metadata-request", &question);
	assert_int_equal(tw_time_sync_frame__refused(g.golden.data, g.golden.len), 0);
}

static void expect_offset(const char *name, const struct tw_offset_view *sent)
{
	struct tw_offset_view read;
	struct golden_frame g;
	struct tw_tlv_view tlv;

	golden__begin(&g, name, &out_of_band);
	assert_true(tw_offset__emit(&g.frame, sent));
	tlv = only_tlv(&g, &out_of_band, TW_TLV_OFFSET);
	assert_true(tw_offset__parse(&tlv, &read));
	assert_int_equal(read.kind, sent->kind);
	assert_int_equal(read.method, sent->method);
	assert_int_equal(read.time, sent->time);
	assert_int_equal(read.offset, sent->offset);
	assert_int_equal(read.step, sent->step);
	assert_int_equal(read.error_ns, sent->error_ns);
	assert_int_equal(read.drift, sent->drift);
	assert_memory_equal(&read.by, &sent->by, sizeof(read.by));
	tlv.len--;
	assert_false(tw_offset__parse(&tlv, &read));
}

static void offset(void **state)
{
	const struct tw_offset_view step = {
		.kind = TW_OFFSET_STEP,
		.method = TW_OFFSET_BY_TIME_SYNC,
		.time = 5000000000,
		.offset = 1699999995000000000,
		.step = -3600000000000,
		.error_ns = 35000,
		.drift = -12000,
		.by = { TW_STAMP_SOFTWARE, TW_STAMP_HARDWARE, TW_STAMP_READING, TW_STAMP_SOFTWARE },
	};
	const struct tw_offset_view unknown = {
		.kind = TW_OFFSET_START,
		.method = TW_OFFSET_BY_NONE,
		.time = 5000000000,
		.offset = -1,
		.error_ns = TW_ERROR_UNKNOWN,
	};

	(void)state;
	expect_offset("offset-step", &step);
	expect_offset("offset-unknown", &unknown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exchange), cmocka_unit_test(stamped), cmocka_unit_test(want),
		cmocka_unit_test(refused),  cmocka_unit_test(offset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
