/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clocks that are set against each other, simulated: a test must not set those of this machine. tests/vm/clock-samples.sh sets real ones. */
#include "clocks/step_watch.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "base/time.h"

#define MS     (int64_t) TW_NS_PER_MS
#define SECOND (int64_t) TW_NS_PER_SECOND

/* MONOTONIC, and what the other clocks are ahead of it. */
static uint64_t mono = 1000 * TW_NS_PER_SECOND, step = 40;
static int64_t boot, real = 1700000000 * SECOND, tai;

int __wrap_clock_gettime(clockid_t id, struct timespec *ret);

int __wrap_clock_gettime(clockid_t id, struct timespec *ret)
{
	uint64_t ns = mono += step;

	if (id == CLOCK_BOOTTIME)
		ns += (uint64_t)boot;
	if (id == CLOCK_REALTIME || id == CLOCK_TAI)
		ns += (uint64_t)real;
	if (id == CLOCK_TAI)
		ns += (uint64_t)tai;
	*ret = tw_time__timespec(ns);
	return 0;
}

/* Each change is noticed once. A suspend makes BOOTTIME and the clocks of the time of day gain on MONOTONIC. */
static void test_changes(void **state)
{
	static const struct {
		int64_t boot, real, tai;
	} changes[] = {
		{ .real = 3600 * SECOND },
		{ .real = -1000 },
		{ .tai = 37 * SECOND },
		{ .tai = -1 * SECOND },
		{ .real = -1 * SECOND, .tai = SECOND }, /* a leap second */
		{ .boot = 1500 * MS, .real = 1500 * MS },
		{ .boot = MS / 100, .real = MS / 100 },
	};
	struct tw_step_watch watch;

	(void)state;
	tw_step_watch__open(&watch);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		for (int k = 0; k < 100; k++) {
			mono += TW_NS_PER_SECOND / 7;
			assert_false(tw_step_watch__take(&watch));
		}
		boot += changes[i].boot;
		real += changes[i].real;
		tai += changes[i].tai;
		assert_true(tw_step_watch__take(&watch));
	}
	step = 0; /* a clock with a coarse resolution */
	for (int k = 0; k < 100; k++)
		assert_false(tw_step_watch__take(&watch));
	tw_step_watch__close(&watch);
}

/* Nothing wakes a thread that waits while nothing happens. A watch that is not open can be polled and closed. */
static void test_quiet(void **state)
{
	struct tw_step_watch watch = { .is_open = false };
	struct pollfd fd;

	(void)state;
	assert_int_equal(tw_step_watch__fd(&watch), -1);
	tw_step_watch__close(&watch);
	tw_step_watch__open(&watch);
	fd = (struct pollfd){ .fd = tw_step_watch__fd(&watch), .events = POLLIN };
	assert_true(fd.fd >= 0);
	assert_int_equal(poll(&fd, 1, 50), 0);
	tw_step_watch__close(&watch);
	assert_int_equal(tw_step_watch__fd(&watch), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_quiet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
