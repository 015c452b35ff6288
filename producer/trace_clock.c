/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/trace_clock.h"

#include <errno.h>
#include <string.h>

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
	return tw_time__now(CLOCK_MONOTONIC) + (uint64_t)clock->offset;
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

static void sample_once(const struct tw_trace_clock *clock, struct tw_clock_view *s)
{
	uint64_t before, after;

	*s = (struct tw_clock_view){ .valid = 1u << TW_CLOCK_MONO | 1u << TW_CLOCK_BOOT | 1u << TW_CLOCK_REAL |
					      1u << TW_CLOCK_TAI };
	before = tw_time__now(CLOCK_MONOTONIC);
	if (read_trace(clock, &s->reading[TW_CLOCK_TRACE]))
		s->valid |= 1u << TW_CLOCK_TRACE;
	s->reading[TW_CLOCK_REAL] = tw_time__now(CLOCK_REALTIME);
	s->reading[TW_CLOCK_BOOT] = tw_time__now(CLOCK_BOOTTIME);
	s->reading[TW_CLOCK_TAI] = tw_time__now(CLOCK_TAI);
	after = tw_time__now(CLOCK_MONOTONIC);
	s->reading[TW_CLOCK_MONO] = before + (after - before) / 2;
	if (clock->id == CLOCK_MONOTONIC) /* two readings would differ, so one is used for both */
		s->reading[TW_CLOCK_TRACE] = s->reading[TW_CLOCK_MONO];
	s->error_ns = (uint32_t)(after - before);
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
	if (ret->valid & 1u << TW_CLOCK_TRACE)
		clock->offset = (int64_t)(ret->reading[TW_CLOCK_TRACE] - ret->reading[TW_CLOCK_MONO]);
}
