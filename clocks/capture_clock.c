/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/capture_clock.h"

#include "base/time.h"

void tw_capture_clock__begin(struct tw_capture_clock *c)
{
	c->stamps = tw_stamps__measure();
	c->begun = c->stamps.distance;
}

uint64_t tw_capture_clock__now(const struct tw_capture_clock *c)
{
	return tw_time__now(CLOCK_BOOTTIME) + (uint64_t)c->begun;
}

uint64_t tw_capture_clock__at(struct tw_capture_clock *c, uint64_t realtime)
{
	const uint64_t age = tw_stamps__age(&c->stamps, realtime);

	return tw_capture_clock__now(c) - age;
}

int64_t tw_capture_clock__stepped(const struct tw_capture_clock *c)
{
	return c->stamps.distance - c->begun;
}
