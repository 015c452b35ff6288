/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys of u32: their values, and their results for frames, which are those of the evaluator. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above */
#include <cmocka.h>

#include "filter/u32.h"
#include "tests/filter/bound.h"
#include "tests/filter/emitted.h"
#include "tests/filter/some_frames.h"

#define FRAMES 60 /* for each event and expression */

#define FRAME  "match u32 0x54575231 0xffffffff at 0 match u32 0x1000000 0xff010000 at 4 "
#define SCHEMA "match u32 0x11223344 0xffffffff at 16 match u32 0x55667788 0xffffffff at 20 "
#define EVENT  "match u32 0x1 0xffff at 44 match u32 0x10000 0xffff0000 at 48"

static const struct {
	const char *text;
	uint64_t schema_id;
	unsigned int n;
	const char *first;
} golden[] = {
	{ "sched_switch.prev_pid == 1", SOME_SCHEMA_ID, 1,
	  FRAME SCHEMA EVENT " match u32 0x13c0000 0xffff0000 at 56 match u32 0x1000000 0xffffffff at 80" },
	{ "cpu == 3", 0, 1, FRAME "match u32 0x3 0xffff at 40 " EVENT },
	{ "event == tiny && flags & 4 && tiny.size == 7", 0, 1,
	  FRAME EVENT " match u32 0x7d00400 0xffff0400 at 56 match u32 0x7000000 0xff000000 at 64" },
	/* The ids 2000 and 2001 differ in the last bit only, so one key matches both. */
	{ "system == \"vendor-bus\"", 0, 1, FRAME EVENT " match u32 0x7d00000 0xfffe0000 at 56" },
	{ "prev_pid in {1, 2} && next_pid in {3, 4}", 0, 4,
	  FRAME EVENT " match u32 0x13c0000 0xffff0000 at 56 match u32 0x1000000 0xffffffff at 80 match u32 0x3000000 "
		      "0xffffffff at 112" },
	{ "pid in {4..7}", 0, 1, FRAME EVENT " match u32 0x4 0xfffffffc at 60" },
	{ "tiny.change < 0", 0, 1,
	  FRAME EVENT " match u32 0x7d00000 0xffff0000 at 56 match u32 0x800000 0x800000 at 64" },
	{ "tiny.change >= -4 && tiny.change < 0", 0, 1,
	  FRAME EVENT " match u32 0x7d00000 0xffff0000 at 56 match u32 0xfc0000 0xfc0000 at 64" },
	{ "cpu == 1 && cpu == 2", 0, 0, NULL },
	{ "not flags & 1", 0, 1, FRAME EVENT " match u32 0x0 0x100 at 56" },
	{ "flags != 0", 0, 8, FRAME EVENT " match u32 0x100 0x100 at 56" },
	{ "saddr == 10.0.0.0/9", 0, 1,
	  FRAME EVENT " match u32 0x5e00000 0xffff0000 at 56 match u32 0xa00 0xff80 at 64" },
	{ "prev_comm == \"bash\"", 0, 1,
	  FRAME EVENT
	  " match u32 0x13c0000 0xffff0000 at 56 match u32 0x62617368 0xffffffff at 64 match u32 0x0 0xff000000 at 68" },
	{ "prev_comm ~ \"kw*\"", 0, 1,
	  FRAME EVENT " match u32 0x13c0000 0xffff0000 at 56 match u32 0x6b770000 0xffff0000 at 64" },
};

static void test_golden(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
		struct tw_bound *bound = bind_to(formats, golden[i].text, false);
		char buf[4096] = "";
		struct tw_line line = tw_line__on(buf, sizeof(buf) - 1);
		struct tw_error err;
		struct tw_u32 u32;

		if (tw_u32__compile(bound, golden[i].schema_id, &u32, &err))
			fail_msg("%s: %s", golden[i].text, err.text);
		if (u32.n)
			tw_u32_match__emit(&u32.matches[0], &line);
		*line.at = 0;
		emitted_is(golden[i].text, golden[i].first ? golden[i].first : "", buf);
		if (u32.n != golden[i].n)
			fail_msg("%s: %u matches", golden[i].text, u32.n);
		tw_u32__fini(&u32);
		tw_bound__free(bound);
	}
}

static const struct {
	const char *text, *why;
} refused[] = {
	{ "comm == a",
	  "column 1: u32 cannot express 'comm == a', because the task's name is not in the frames of its events" },
	{ "time > 1",
	  "column 1: u32 cannot express 'time > 1', because an event's time is a sum of two numbers, and u32 cannot add" },
	{ "cpu == 1 and levels == 3",
	  "column 14: u32 cannot express 'levels == 3', because it can only compare bits at fixed offsets for equality" },
	{ "prev_comm > a",
	  "column 1: u32 cannot express 'prev_comm > a', because it can only compare bits at fixed offsets for equality" },
	{ "prev_comm != \"bash or so\"",
	  "u32 cannot express 'prev_comm != \"bash or so\"': it is nested too deeply, or exceeds a limit (64 matches, "
	  "128 keys in a match)" },
	{ "pid in {0..9} && prev_pid in {0,1,2,3} && next_pid in {0,1,2,3,4,5,6,7,8}",
	  "u32 cannot express 'pid in {0..9} && prev_pid in {0,1,2,3} && next_pid in {0,1,2,3,4,5,6,7,8}': it is "
	  "nested too deeply, or exceeds a limit (64 matches, 128 keys in a match)" },
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct tw_bound *bound = bind_to(formats, refused[i].text, false);
		struct tw_error err;
		struct tw_u32 u32;

		assert_int_equal(tw_u32__compile(bound, 0, &u32, &err), -EOPNOTSUPP);
		emitted_is(refused[i].text, refused[i].why, err.text);
		tw_bound__free(bound);
	}
}

/* As in cls_u32: a word that the packet does not have does not match. */
static bool passes(const struct tw_u32 *u32, const uint8_t *frame, size_t len)
{
	for (unsigned int m = 0; m < u32->n; m++) {
		const struct tw_u32_match *match = &u32->matches[m];
		unsigned int k = 0;

		while (k < match->n && match->keys[k].offset + 4 <= len &&
		       !((tw_load_be32(frame + match->keys[k].offset) ^ match->keys[k].value) & match->keys[k].mask))
			k++;
		if (k == match->n)
			return true;
	}
	return false;
}

static void compare_frames(struct some_run *run, const char *text, struct tw_bound *bound, const struct tw_u32 *u32)
{
	struct some_frame frame;

	assert_int_equal(tw_bound__prepare(bound, NULL), 0);
	for (size_t e = 0; e < tw_schema__count(formats); e++) {
		const struct tw_format *format = tw_schema__at(formats, e);

		for (uint32_t n = 0; n < FRAMES; n++) {
			bool wanted, got;

			some_frame__make(&frame, format, n, false, run->big_endian);
			wanted = tw_bound__matches(bound, &frame.event);
			got = passes(u32, frame.bytes + SOME_ETH, frame.len - SOME_ETH);
			if (wanted != got)
				fail_msg("%s: frame %u of %s %s", text, n, format->name, wanted ? "is lost" : "passes");
			run->frames++;
			run->matched += wanted;
		}
	}
	run->expressions++;
}

static void compare(void *ctx, const char *text)
{
	struct some_run *run = ctx;
	const struct tw_bind_options options = { .schema = formats, .big_endian = run->big_endian };
	struct tw_bound *bound;
	struct tw_u32 u32;
	int error;

	if (bound__make(text, &options, &bound, NULL))
		return;
	error = tw_u32__compile(bound, SOME_SCHEMA_ID, &u32, NULL);
	assert_true(!error || error == -EOPNOTSUPP);
	if (!error) {
		compare_frames(run, text, bound, &u32);
		tw_u32__fini(&u32);
	}
	tw_bound__free(bound);
}

static void test_as_evaluator(void **state)
{
	(void)state;
	some_run__in_both_orders(compare, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_as_evaluator),
	};

	return cmocka_run_group_tests(tests, formats__set_up, formats__tear_down);
}
