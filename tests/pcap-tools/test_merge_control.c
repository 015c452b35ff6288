/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control frames in the merge: they precede the events that need them, and missing ones are counted. */
#include "merging.h"

static void control_frames_are_missed_too(void **state)
{
	static const struct {
		uint64_t seq, gaps;
	} steps[] = {
		{ 2, 2 }, { 1, 1 }, { 1, 1 }, { 2, 1 },    { 3, 1 },   { 10, 7 },
		{ 5, 6 }, { 5, 6 }, { 0, 5 }, { 100, 94 }, { 37, 93 }, { 36, 93 } /* too old to be certain */,
	};
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		put_control(x, steps[i].seq);
		assert_int_equal(stats(x)->control_gaps, steps[i].gaps);
	}
	assert_int_equal(stats(x)->malformed, 0);
	put_control(x, 1ull << 40);
	assert_int_equal(stats(x)->malformed, 1);
	assert_int_equal(stats(x)->control_gaps, 93);
	fixture__free(x);

	x = fixture__new((struct tw_merge_options){ .from_start = false });
	put_control(x, 50);
	put_control(x, 49);
	put_control(x, 52);
	assert_int_equal(stats(x)->control_gaps, 1);
	fixture__free(x);
}

static void put_comm(struct fixture *x, uint64_t time)
{
	const struct tw_comm_view comm = { .time = time, .pid = 5, .name = (const uint8_t *)"bash", .len = 4 };

	test_frame__begin(&x->frame, TW_CHANNEL_CONTROL, TEST_CONTROL, time);
	tw_comm__emit(&x->frame.f, &comm);
	put(x);
}

/* A control frame precedes events that arrived after it, even if its time is later; then its packet time is that of the next event. */
static void control_precedes_what_came_after(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });

	(void)state;
	put_comm(x, 900);
	put_comm(x, 1500);
	put_events(x, 1, 0, 1000, 2);
	mark1(x, 2000, 2);
	assert_int_equal(x->sink.n, 4);
	assert_true(x->sink.out[0].control && x->sink.out[1].control);
	assert_int_equal(x->sink.out[0].time, 900);
	assert_int_equal(x->sink.out[1].time, 1000);
	fixture__free(x);
}

/* A name that arrives after newer events or names is emitted after them: packet times do not go back for it. */
static void control_about_the_past(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .from_start = true });

	(void)state;
	put_comm(x, 900);
	put_comm(x, 400);
	mark1(x, 950, 0);
	assert_int_equal(x->sink.n, 2);
	assert_int_equal(x->sink.out[1].time, 900);
	put_events(x, 1, 0, 1000, 2);
	put_comm(x, 500);
	mark1(x, 2000, 2);
	assert_int_equal(x->sink.out[2].time, 900);
	put_comm(x, 600);
	mark1(x, 2100, 2);
	assert_int_equal(x->sink.out[4].time, 1010);
	assert_int_equal(x->sink.out[5].time, 1010);
	assert_int_equal(stats(x)->late, 0);
	fixture__free(x);
}

/* Events also wait for the control channel, because a name that arrives later may belong before them, although all rings are complete. */
static void control_holds_events_back(void **state)
{
	struct fixture *x = fixture__new((struct tw_merge_options){ .wait_ns = 1000000 });
	const uint64_t next[] = { 2, 0 };

	(void)state;
	put_watermark(x, 900, (const uint16_t[]){ 0 }, next + 1, 1);
	put_events(x, 1, 0, 1000, 2);
	put_watermark(x, 2000, (const uint16_t[]){ 1 }, next, 1);
	assert_int_equal(x->sink.n, 0);
	put_comm(x, 950);
	assert_int_equal(x->sink.n, 0);
	put_watermark(x, 1005, (const uint16_t[]){ 0 }, next + 1, 1);
	assert_int_equal(x->sink.n, 2);
	assert_true(x->sink.out[0].control);
	assert_int_equal(x->sink.out[1].time, 1000);
	put_watermark(x, 1100000, (const uint16_t[]){ 1 }, next, 1); /* events do not wait for longer than wait_ns */
	assert_int_equal(x->sink.n, 3);
	fixture__free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_frames_are_missed_too),
		cmocka_unit_test(control_precedes_what_came_after),
		cmocka_unit_test(control_about_the_past),
		cmocka_unit_test(control_holds_events_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
