/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/trace_clock.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/timex.h>

#include "base/time.h"

#define SLACK_NS       300000  /* usual limit from an event's time stamp to its commit; an interrupt can prolong this */
#define SLACK_OTHER_NS 2000000 /* for clocks without a clockid_t, which also differ between CPUs and drift */
#define TRIES          5       /* number of samples; the one with the smallest error is used */

/* The trace clocks that count nanoseconds: kernel/trace/trace.c, trace_clocks[]. */
static const struct {
	const char *name;
	int id;
} clocks[] = {
	{ "mono", CLOCK_MONOTONIC },
	{ "mono_raw", CLOCK_MONOTONIC_RAW },
	{ "boot", CLOCK_BOOTTIME },
	{ "tai", CLOCK_TAI },
	{ "local", -1 },
	{ "global", -1 },
	{ "perf", -1 },
};

int tw_trace_clock__init(struct tw_trace_clock *clock, const char *name, struct tw_error *error)
{
	if (!name)
		name = "mono";
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		if (strcmp(clocks[i].name, name))
			continue;
		*clock = (struct tw_trace_clock){
			.name = clocks[i].name,
			.id = clocks[i].id,
			.slack = clocks[i].id < 0 ? SLACK_OTHER_NS : SLACK_NS,
		};
		return 0;
	}
	return tw_error__set(
		error, -EINVAL,
		"clock '%s' cannot be used for a stream: choose one that counts nanoseconds on all CPUs (mono, "
		"mono_raw, boot, tai, local, global, perf)",
		name);
}

uint64_t tw_trace_clock__now(const struct tw_trace_clock *clock)
{
	if (clock->id >= 0)
		return tw_time__now(clock->id);
	return tw_time__now(CLOCK_MONOTONIC) + (uint64_t)atomic_load_explicit(&clock->offset, memory_order_relaxed);
}

/*
 * Reads the trace clock. If the clock has a clockid_t, calls clock_gettime(). Otherwise writes a mark, and reads its time stamp from the
 * ring.
 */
static bool read_trace(const struct tw_trace_clock *clock, uint64_t *ret)
{
	struct tw_trace_mark mark;

	if (clock->id >= 0) {
		*ret = tw_time__now(clock->id);
		return true;
	}
	if (!clock->probe || tw_instance__mark(clock->probe, &mark))
		return false;
	*ret = mark.time;
	return true;
}

/* Return: the reading of CLOCK that is the same clock */
static enum tw_clock clock_of(int id)
{
	switch (id) {
	case CLOCK_MONOTONIC:
		return TW_CLOCK_MONO;
	case CLOCK_BOOTTIME:
		return TW_CLOCK_BOOT;
	case CLOCK_TAI:
		return TW_CLOCK_TAI;
	case CLOCK_MONOTONIC_RAW:
		return TW_CLOCK_RAW;
	default:
		return TW_CLOCK_TRACE;
	}
}

static void sample_once(const struct tw_trace_clock *clock, struct tw_clock_view *s)
{
	uint64_t before, after;

	*s = (struct tw_clock_view){ .valid = 1u << TW_CLOCK_MONO | 1u << TW_CLOCK_BOOT | 1u << TW_CLOCK_REAL |
					      1u << TW_CLOCK_TAI | 1u << TW_CLOCK_RAW };
	before = tw_time__now(CLOCK_MONOTONIC);
	if (read_trace(clock, &s->reading[TW_CLOCK_TRACE]))
		s->valid |= 1u << TW_CLOCK_TRACE;
	s->reading[TW_CLOCK_REAL] = tw_time__now(CLOCK_REALTIME);
	s->reading[TW_CLOCK_BOOT] = tw_time__now(CLOCK_BOOTTIME);
	s->reading[TW_CLOCK_TAI] = tw_time__now(CLOCK_TAI);
	s->reading[TW_CLOCK_RAW] = tw_time__now(CLOCK_MONOTONIC_RAW);
	after = tw_time__now(CLOCK_MONOTONIC);
	s->reading[TW_CLOCK_MONO] = before + (after - before) / 2;
	/* Two readings of the same clock would differ, so one is used for both. */
	s->reading[TW_CLOCK_TRACE] = s->reading[clock_of(clock->id)];
	s->error_ns = (uint32_t)tw_time__earlier(after - before, UINT32_MAX);
}

/*
 * Adds the TAI offset and the kernel's plan for the end of the UTC day. If the kernel's clock is not synchronised, adjtimex() hides the plan.
 */
static void add_leap(struct tw_clock_view *s)
{
	static const enum tw_leap of_state[] = {
		[TIME_OK] = TW_LEAP_NONE, [TIME_INS] = TW_LEAP_INSERT, [TIME_DEL] = TW_LEAP_DELETE,
		[TIME_OOP] = TW_LEAP_NOW, [TIME_WAIT] = TW_LEAP_DONE,
	};
	struct timex tx = { 0 };
	const int state = adjtimex(&tx);

	if (state < 0)
		return;
	s->tai_offset = tx.tai;
	if (state < TIME_ERROR)
		s->leap = (uint16_t)of_state[state];
	else if (tx.status & (STA_INS | STA_DEL))
		s->leap = tx.status & STA_INS ? TW_LEAP_INSERT : TW_LEAP_DELETE;
}

void tw_trace_clock__sample(struct tw_trace_clock *clock, struct tw_clock_view *ret)
{
	struct tw_clock_view s;

	sample_once(clock, ret);
	for (int i = 1; i < TRIES; i++) {
		sample_once(clock, &s);
		if (s.error_ns < ret->error_ns)
			*ret = s;
	}
	add_leap(ret);
	if (ret->valid & 1u << TW_CLOCK_TRACE)
		atomic_store_explicit(&clock->offset,
				      (int64_t)(ret->reading[TW_CLOCK_TRACE] - ret->reading[TW_CLOCK_MONO]),
				      memory_order_relaxed);
}
