/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts the kernel's time stamps of frames to CLOCK_BOOTTIME. The time stamps are from CLOCK_REALTIME, which may be set after the stamp
 * was made. CLOCK_BOOTTIME has the same rate and is never set. The result is an interval, so that a caller can choose a time that is not
 * too early, or one that is not too late. A struct tw_stamps belongs to one thread.
 */
#ifndef TW_STAMPS_H
#define TW_STAMPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"
#include "wire/tracewire.h"

#define TW_STAMPS_TRIES       3 /* number of measurements for each conversion; the one with the smallest error is used */
#define TW_STAMPS_FIRST_TRIES 32   /* number of measurements at the start */
#define TW_STAMPS_DRIFT       2000 /* 1/2000 = 500 ppm: largest difference between the rates of two clocks */

/* A time of an exchange, and where it comes from. */
struct tw_stamped_time {
	uint64_t time;
	uint8_t by; /* enum tw_stamp */
};

struct tw_stamps {
	int64_t distance;  /* REALTIME - BOOTTIME, ns; it changes when REALTIME is set */
	uint64_t error_ns; /* error bound of @distance, ns */
	uint64_t set_at;   /* CLOCK_BOOTTIME when it was noticed that REALTIME was set, ns; 0 = it was not set */
};

/* CLOCK_BOOTTIME of a time stamp, ns: min <= time <= max */
struct tw_stamp_bounds {
	uint64_t min, max;
};

/** tw_stamps__measure() - measure the distance @tries times; the result is the initial state for tw_stamps__convert() */
static inline struct tw_stamps tw_stamps__measure(unsigned int tries)
{
	struct tw_stamps ret = { .error_ns = UINT64_MAX };

	for (unsigned int i = 0; i < tries; i++) {
		const uint64_t before = tw_time__now(CLOCK_BOOTTIME);
		const uint64_t real = tw_time__now(CLOCK_REALTIME);
		const uint64_t half = (tw_time__now(CLOCK_BOOTTIME) - before) / 2;

		if (half + 1 < ret.error_ns)
			ret = (struct tw_stamps){ .distance = (int64_t)(real - before - half), .error_ns = half + 1 };
	}
	return ret;
}

/* Notice whether REALTIME was set since the last measurement. Return: whether it was set within the last second */
static inline bool tw_stamps__notice(struct tw_stamps *stamps, const struct tw_stamps *now, uint64_t boot)
{
	const uint64_t error = stamps->error_ns + now->error_ns;

	if ((uint64_t)(now->distance - stamps->distance) + error > 2 * error) {
		*stamps = *now;
		stamps->set_at = boot;
	}
	return stamps->set_at && boot - stamps->set_at < TW_NS_PER_SECOND;
}

/**
 * tw_stamps__convert() - convert a recent time stamp
 *
 * The interval contains both the distance measured at first and the distance measured now, because a step of REALTIME that is smaller than
 * the errors is not noticed.
 *
 * Return: false, with @ret unchanged, if the result would be unknown: REALTIME was set within the last second before the last measurement,
 * or the time stamp is in the future or older than a second.
 */
static inline bool tw_stamps__convert(struct tw_stamps *stamps, uint64_t realtime, struct tw_stamp_bounds *ret)
{
	const struct tw_stamps now = tw_stamps__measure(TW_STAMPS_TRIES);
	const uint64_t boot = tw_time__now(CLOCK_BOOTTIME);
	struct tw_stamp_bounds by_first, by_now;

	if (tw_stamps__notice(stamps, &now, boot))
		return false;
	by_first.min = realtime - (uint64_t)stamps->distance - stamps->error_ns;
	by_first.max = realtime - (uint64_t)stamps->distance + stamps->error_ns;
	by_now.min = realtime - (uint64_t)now.distance - now.error_ns;
	by_now.max = realtime - (uint64_t)now.distance + now.error_ns;
	by_first.min = tw_time__earlier(by_first.min, by_now.min);
	by_first.max = tw_time__later(by_first.max, by_now.max);
	if (by_first.min > boot || boot - by_first.min > TW_NS_PER_SECOND)
		return false;
	by_first.max = tw_time__earlier(by_first.max, boot);
	*ret = by_first;
	return true;
}

/**
 * tw_stamps__convert_sent() - convert the transmit stamp of a frame
 * @since: CLOCK_BOOTTIME before the frame was passed to the kernel
 * Return: as tw_stamps__convert(); also false if REALTIME was set after @since, or the stamp is older than @since.
 */
static inline bool tw_stamps__convert_sent(struct tw_stamps *stamps, uint64_t realtime, uint64_t since,
					   struct tw_stamp_bounds *ret)
{
	struct tw_stamp_bounds bounds;

	if (!tw_stamps__convert(stamps, realtime, &bounds) || stamps->set_at > since || bounds.max < since)
		return false;
	bounds.min = tw_time__later(bounds.min, since);
	*ret = bounds;
	return true;
}

#endif
