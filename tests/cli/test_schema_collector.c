/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Schemas from an interface: a schema is complete when HOST and all texts have arrived, in any order. The number of streams is limited. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../pcap-tools/explained.h"
#include "cli/filter/attach/schema_collector.h"

#define EVENTS 3u

static struct schema_collector *collector;
static struct test_frame frame;

static int setup(void **state)
{
	(void)state;
	collector = schema_collector__new();
	return !collector;
}

static int teardown(void **state)
{
	(void)state;
	schema_collector__free(collector);
	return 0;
}

static void begin(uint64_t stream, uint64_t schema, uint16_t channel)
{
	test_frame__begin(&frame, channel, 0, 1000);
	frame.f.info.stream_id = stream;
	frame.f.info.schema_id = schema;
}

/* Passes the built frame to the collector, in memory of exactly its size. */
static const struct collected_schema *take(void)
{
	const size_t len = test_frame__end(&frame);
	const struct collected_schema *collected;
	struct tw_frame_info info;
	uint8_t *copy = malloc(len);

	assert_non_null(copy);
	memcpy(copy, frame.buf, len);
	collected = schema_collector__take(collector, copy, len, &info);
	free(copy);
	return collected;
}

static void add_format(uint32_t index, uint32_t total)
{
	char text[1024];
	uint8_t buf[2048];
	const size_t len = explained__format(text, sizeof(text), 100 + index, "made");
	struct tw_schema_view view =
		explained__schema(TW_SCHEMA_EVENT, (uint16_t)(100 + index), text, len, index % 2, buf, sizeof(buf));

	view.index = index;
	view.total = total;
	assert_true(tw_schema_tlv__emit(&frame.f, &view));
}

static const struct collected_schema *tell_format(uint64_t stream, uint64_t schema, uint32_t index)
{
	begin(stream, schema, TW_CHANNEL_CONTROL);
	add_format(index, EVENTS);
	return take();
}

static const struct collected_schema *tell_host(uint64_t stream, uint64_t schema)
{
	static const uint8_t four[8] = { [7] = 4 };
	const struct tw_attr_view attr = { .attr = TW_HOST_LONG_SIZE, .value = four, .len = sizeof(four) };

	begin(stream, schema, TW_CHANNEL_CONTROL);
	tw_host__emit(&frame.f, &attr, 1);
	return take();
}

static void complete_when_all_has_come(void **state)
{
	const struct collected_schema *collected;

	(void)state;
	assert_false(tell_format(1, 7, 2)->complete);
	assert_false(tell_format(1, 7, 0)->complete);
	assert_false(tell_format(1, 7, 0)->complete); /* repeated */
	assert_false(tell_format(1, 7, 1)->complete); /* the size of a long is unknown */
	assert_false(tell_format(2, 7, 1)->complete); /* another stream with its own HOST */
	collected = tell_host(1, 7);
	assert_true(collected->complete);
	assert_int_equal(collected->stream_id, 1);
	assert_int_equal(collected->id, 7);
	assert_int_equal(collected->refused.n, 0);
	assert_int_equal(tw_schema__count(collected->schema), EVENTS);
	assert_string_equal(tw_schema__by_id(collected->schema, 102)->name, "made");
	assert_true(tell_host(1, 7)->complete); /* it stays complete */
	assert_false(tell_host(1, 8)->complete);
}

/* A format without a long or a pointer gets the size of a long from HOST. */
static void the_host_tells_the_size_of_a_long(void **state)
{
	static const char text[] = "name: made\nID: 100\nformat:\n"
				   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
				   "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
				   "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
				   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
				   "\nprint fmt: \"%d\", REC->common_pid\n";
	uint8_t buf[1024];
	const struct tw_schema_view view =
		explained__schema(TW_SCHEMA_EVENT, 100, text, strlen(text), false, buf, sizeof(buf));

	(void)state;
	begin(1, 7, TW_CHANNEL_CONTROL);
	assert_true(tw_schema_tlv__emit(&frame.f, &view));
	assert_int_equal(tw_schema__by_id(take()->schema, 100)->long_size, 8);
	assert_int_equal(tw_schema__by_id(tell_host(1, 7)->schema, 100)->long_size, 4);
}

static void events_and_strangers_tell_nothing(void **state)
{
	struct tw_frame_info info;

	(void)state;
	begin(1, 7, 1);
	add_format(0, EVENTS);
	assert_null(take());
	begin(1, 0, TW_CHANNEL_CONTROL);
	add_format(0, EVENTS);
	assert_null(take());
	assert_null(schema_collector__take(collector, "", 0, &info));
	assert_null(schema_collector__take(collector, "no frame of ours, but as long as one has to be, and longer", 58,
					   &info));
}

static void contradictions_complete_nothing(void **state)
{
	(void)state;
	tell_host(1, 7);
	tell_format(1, 7, 0);
	begin(1, 7, TW_CHANNEL_CONTROL);
	add_format(1, 2);
	assert_false(take()->complete);
	begin(1, 7, TW_CHANNEL_CONTROL);
	add_format(2, UINT32_MAX);
	assert_false(take()->complete);
	assert_int_equal(tell_format(1, 7, 1)->n, 2);
	assert_true(tell_format(1, 7, 2)->complete);
}

static void formats_that_cannot_be_read_are_counted(void **state)
{
	const struct collected_schema *collected;
	uint8_t buf[64];
	struct tw_schema_view view =
		explained__schema(TW_SCHEMA_EVENT, 100, "no format", strlen("no format"), false, buf, sizeof(buf));

	(void)state;
	tell_host(1, 7);
	begin(1, 7, TW_CHANNEL_CONTROL);
	assert_true(tw_schema_tlv__emit(&frame.f, &view));
	collected = take();
	assert_true(collected->complete);
	assert_int_equal(collected->refused.n, 1);
	assert_string_not_equal(collected->refused.why.text, "");
}

/* A stranger sends a thousand streams. The stream that continues is still collected. */
static void many_streams_are_bounded(void **state)
{
	(void)state;
	tell_format(1, 7, 0);
	for (uint64_t stream = 2; stream < 1000; stream++) {
		tell_format(stream, stream, 0);
		if (stream % (COLLECTED_SCHEMAS_MAX - 1) == 0)
			assert_false(tell_format(1, 7, 1)->complete);
	}
	assert_false(tell_format(1, 7, 2)->complete);
	assert_true(tell_host(1, 7)->complete);
	assert_int_equal(tell_format(2, 2, 1)->n, 1); /* forgotten, and collected again */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(complete_when_all_has_come, setup, teardown),
		cmocka_unit_test_setup_teardown(the_host_tells_the_size_of_a_long, setup, teardown),
		cmocka_unit_test_setup_teardown(events_and_strangers_tell_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(contradictions_complete_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(formats_that_cannot_be_read_are_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(many_streams_are_bounded, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
