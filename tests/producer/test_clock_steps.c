/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A producer that waits for events sends a CLOCK as soon as a clock was set, and is not woken otherwise. The step watch is simulated,
 * because a test must not set this machine's clocks; tests/vm/clock-samples.sh sets those of a virtual machine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/time.h"
#include "clocks/step_watch.h"
#include "run.h"

#define LATE_NS    (TW_NS_PER_SECOND / 2) /* the next CLOCK is due after a second */
#define ROUNDS_MAX 100 /* in a second without events, as far as this machine has no other reasons to wake the reader */

static int fd;
static atomic_uint rounds;
static uint64_t after; /* CLOCK_MONOTONIC */

int __wrap_tw_step_watch__fd(const struct tw_step_watch *watch);
bool __wrap_tw_step_watch__take(struct tw_step_watch *watch);

int __wrap_tw_step_watch__fd(const struct tw_step_watch *watch)
{
	(void)watch;
	return fd;
}

bool __wrap_tw_step_watch__take(struct tw_step_watch *watch)
{
	eventfd_t n;

	(void)watch;
	rounds++;
	return !eventfd_read(fd, &n);
}

static const struct tw_clock_view *newest(const struct receiver *got)
{
	return &got->clocks[got->n_clocks - 1].view;
}

static bool has_later_clock(const struct receiver *got)
{
	return got->n_clocks && newest(got)->reading[TW_CLOCK_MONO] > after;
}

static void test_step(void **state)
{
	struct run run;

	(void)state;
	fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	run__init(&run, "power:suspend_resume", NULL);
	run__start(&run);
	for (int i = 0; i < 3; i++) {
		uint64_t set;

		after = tw_time__now(CLOCK_MONOTONIC);
		run__await(&run, has_later_clock); /* the next one is due a second later */
		set = after = tw_time__now(CLOCK_MONOTONIC);
		eventfd_write(fd, 1);
		run__await(&run, has_later_clock);
		assert_in_range(tw_time__now(CLOCK_MONOTONIC) - set, 0, LATE_NS);
	}
	rounds = 0;
	sleep(1);
	assert_in_range(rounds, 1, ROUNDS_MAX);
	run__stop(&run);
	run__fini(&run);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_step) };
	const int skip = need_tracing();

	return skip ? skip : cmocka_run_group_tests(tests, NULL, NULL);
}
