/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/packets/stamp_clock.h"

#include "base/time.h"

static int64_t middle(const struct tw_stamp_clock_bounds *bounds)
{
	return bounds->min + (bounds->max - bounds->min) / 2;
}

void tw_stamp_clock__read(struct tw_stamp_clock *clock)
{
	struct tw_stamp_clock_reading reading;

	reading.before = tw_time__now(CLOCK_MONOTONIC);
	reading.real = tw_time__now(CLOCK_REALTIME);
	reading.after = tw_time__now(CLOCK_MONOTONIC);
	tw_stamp_clock__take(clock, &reading);
}

/* Narrows the bounds by those of a reading. Return: false if the two contradict each other */
static bool narrow(struct tw_stamp_clock_bounds *bounds, const struct tw_stamp_clock_bounds *by)
{
	const int64_t min = bounds->min > by->min ? bounds->min : by->min;
	const int64_t max = bounds->max < by->max ? bounds->max : by->max;

	if (min > max)
		return false;
	*bounds = (struct tw_stamp_clock_bounds){ min, max };
	return true;
}

void tw_stamp_clock__take(struct tw_stamp_clock *clock, const struct tw_stamp_clock_reading *reading)
{
	const struct tw_stamp_clock_bounds bounds = {
		.min = (int64_t)(reading->real - reading->after),
		.max = (int64_t)(reading->real - reading->before),
	};

	if (!clock->begun) {
		clock->now = bounds;
	} else if (!narrow(&clock->now, &bounds)) {
		clock->before = clock->now;
		clock->now = bounds;
		clock->stepped = true;
		clock->from = clock->seen;
		clock->until = reading->after;
	}
	clock->begun = true;
	clock->seen = reading->after;
}

bool tw_stamp_clock__covers(const struct tw_stamp_clock *clock, uint64_t stamp)
{
	return clock->begun && stamp - (uint64_t)middle(&clock->now) <= clock->seen;
}

uint64_t tw_stamp_clock__convert(const struct tw_stamp_clock *clock, uint64_t stamp)
{
	const uint64_t time = stamp - (uint64_t)middle(&clock->now);
	uint64_t earlier;

	if (!clock->stepped || (time >= clock->from && time <= clock->seen + tw_stamp_clock__error(clock)))
		return time;
	earlier = stamp - (uint64_t)middle(&clock->before);
	return earlier <= clock->until ? earlier : time;
}

uint32_t tw_stamp_clock__error(const struct tw_stamp_clock *clock)
{
	const uint64_t size = (uint64_t)(clock->now.max - clock->now.min);

	return (uint32_t)tw_time__earlier(size / 2 + 1, UINT32_MAX);
}
