/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The age of the kernel's time stamps of received frames. The time stamps are from CLOCK_REALTIME, which may be set after the frame was
 * received. Ages are therefore computed with CLOCK_BOOTTIME, which has the same rate and is never set. A struct tw_stamps belongs to one
 * thread.
 */
#ifndef TW_STAMPS_H
#define TW_STAMPS_H

#include <stdint.h>

#include "base/time.h"

#define TW_STAMPS_TRIES 3 /* number of measurements; the one with the smallest error is used */

struct tw_stamps {
	int64_t distance;  /* REALTIME - BOOTTIME, ns; it changes when REALTIME is set */
	uint64_t error_ns; /* error bound of @distance, ns */
};

/** tw_stamps__measure() - measure the distance; the result of the first call is the initial state for tw_stamps__age() */
static inline struct tw_stamps tw_stamps__measure(void)
{
	struct tw_stamps ret = { .error_ns = UINT64_MAX };

	for (int i = 0; i < TW_STAMPS_TRIES; i++) {
		const uint64_t before = tw_time__now(CLOCK_BOOTTIME);
		const uint64_t real = tw_time__now(CLOCK_REALTIME);
		const uint64_t error = tw_time__now(CLOCK_BOOTTIME) - before;

		if (error < ret.error_ns)
			ret = (struct tw_stamps){ (int64_t)(real - before - error / 2), error };
	}
	return ret;
}

/**
 * tw_stamps__age() - lower bound of the time since the time stamp @realtime, ns
 *
 * With a lower bound, a time of arrival computed from the age is not too early. The bound is 0 if the age is unknown: REALTIME was set
 * since the last call, or the time stamp is in the future or older than a second.
 */
static inline uint64_t tw_stamps__age(struct tw_stamps *stamps, uint64_t realtime)
{
	const struct tw_stamps last = *stamps, now = tw_stamps__measure();
	const uint64_t error = last.error_ns + now.error_ns;
	uint64_t age;

	if ((uint64_t)(now.distance - last.distance) + error > 2 * error) {
		*stamps = now;
		return 0;
	}
	age = tw_time__now(CLOCK_BOOTTIME) + (uint64_t)last.distance - realtime;
	return age < TW_NS_PER_SECOND && age > error ? age - error : 0;
}

#endif
