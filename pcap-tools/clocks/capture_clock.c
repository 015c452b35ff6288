/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/clocks/capture_clock.h"

#include "base/time.h"
#include "pcap-tools/clocks/saturate.h"

#define TRIES 3 /* the tightest is used */

/* REALTIME less BOOTTIME, which only changes when REALTIME is set. */
static int64_t measure(uint64_t *ret_error)
{
	int64_t distance = 0;

	*ret_error = UINT64_MAX;
	for (int i = 0; i < TRIES; i++) {
		const uint64_t before = tw_time__now(CLOCK_BOOTTIME);
		const uint64_t real = tw_time__now(CLOCK_REALTIME);
		const uint64_t after = tw_time__now(CLOCK_BOOTTIME);

		if (after - before >= *ret_error)
			continue;
		*ret_error = after - before;
		distance = (int64_t)(real - before - *ret_error / 2);
	}
	return distance;
}

void tw_capture_clock__begin(struct tw_capture_clock *c)
{
	c->begun = c->distance = measure(&c->error_ns);
}

uint64_t tw_capture_clock__now(const struct tw_capture_clock *c)
{
	return tw_time__now(CLOCK_BOOTTIME) + (uint64_t)c->begun;
}

uint64_t tw_capture_clock__at(struct tw_capture_clock *c, uint64_t realtime)
{
	uint64_t error, at;
	const int64_t distance = measure(&error);
	const uint64_t now = tw_capture_clock__now(c);

	if (tw_saturate__size(distance - c->distance) > error + c->error_ns) {
		c->distance = distance;
		c->error_ns = error;
		return now;
	}
	at = realtime - (uint64_t)distance + (uint64_t)c->begun + error;
	return at < now && now - at < TW_NS_PER_SECOND ? at : now;
}

int64_t tw_capture_clock__stepped(const struct tw_capture_clock *c)
{
	return c->distance - c->begun;
}
