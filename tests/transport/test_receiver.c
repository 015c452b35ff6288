/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies of frames from a receiver that only lends frames. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "transport/receiver.h"

#define FRAME_MAX 100

/* A receiver whose next() returns prepared results in turn: the length of a frame, or a code below 1. */
struct turns {
	struct tw_receiver rx;
	int turn[8];
	unsigned int at;
	uint8_t frame[2 * FRAME_MAX];
	struct tw_peer peer;
};

static int next(struct tw_receiver *rx, int timeout_ms, struct tw_received_frame *ret)
{
	struct turns *t = (struct turns *)rx;
	const int turn = t->turn[t->at];

	(void)timeout_ms;
	if (turn <= 0) {
		t->at += turn < 0;
		return turn;
	}
	t->at++;
	memset(t->frame, (int)t->at, sizeof(t->frame));
	t->peer.len = t->at;
	*ret = (struct tw_received_frame){ .data = t->frame, .len = (size_t)turn, .time = t->at, .from = &t->peer };
	return 1;
}

static const struct tw_receiver_ops ops = { .next = next };

static uint8_t places[4][FRAME_MAX];
static struct tw_received_batch bundles[4];

static int setup(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		bundles[i] = (struct tw_received_batch){ .to = places[i] };
	return 0;
}

static void as_many_as_there_is_room_for(void **state)
{
	struct turns t = { .rx = { .ops = &ops, .frame_max = FRAME_MAX }, .turn = { 10, 100, 30, 0 } };
	struct tw_received_frame f = { .len = 0 };

	(void)state;
	assert_int_equal(tw_receiver__take(&t.rx, 0, bundles, 2), 2);
	assert_true(tw_received_batch__frame(&bundles[1], 0, &f));
	assert_int_equal(f.len, 100);
	assert_int_equal(f.data[99], 2);
	assert_int_equal(f.time, 2);
	assert_int_equal(f.from->len, 2);
	assert_false(tw_received_batch__frame(&bundles[1], bundles[1].segment, &f));
	assert_int_equal(places[0][9], 1);
	assert_int_equal(tw_receiver__take(&t.rx, 0, bundles, 2), 1);
	assert_int_equal(tw_receiver__take(&t.rx, 0, bundles, 2), 0);
}

static void longer_than_any_may_be(void **state)
{
	struct turns t = { .rx = { .ops = &ops, .frame_max = FRAME_MAX }, .turn = { 101, 20, 0 } };

	(void)state;
	assert_int_equal(tw_receiver__take(&t.rx, 0, bundles, 4), 2);
	assert_true(bundles[0].cut);
	assert_int_equal(bundles[0].len, 0);
	assert_false(bundles[1].cut);
}

static void what_ended_it_is_said_behind_the_frames(void **state)
{
	struct turns t = { .rx = { .ops = &ops, .frame_max = FRAME_MAX }, .turn = { 10, -ENETDOWN, 20, 0 } };

	(void)state;
	assert_int_equal(tw_receiver__take(&t.rx, 0, bundles, 4), 1);
	assert_int_equal(tw_receiver__take(&t.rx, 0, bundles, 4), -ENETDOWN);
	assert_int_equal(tw_receiver__take(&t.rx, 0, bundles, 4), 1);
	assert_int_equal(tw_receiver__take(&t.rx, 0, bundles, 4), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(as_many_as_there_is_room_for, setup),
		cmocka_unit_test_setup(longer_than_any_may_be, setup),
		cmocka_unit_test_setup(what_ended_it_is_said_behind_the_frames, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
