/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times as the project counts them: nanoseconds in 64 bits. */
#ifndef TW_TIME_H
#define TW_TIME_H

#include <stdint.h>
#include <time.h>

#define TW_NS_PER_SECOND 1000000000ull
#define TW_NS_PER_MS     1000000ull

/** tw_time__now() - what a clock says, ns; clock_gettime(2) of a clock that exists does not fail */
static inline uint64_t tw_time__now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * TW_NS_PER_SECOND + (uint64_t)ts.tv_nsec;
}

/** tw_time__earlier(), tw_time__later() - of two times of one clock */
static inline uint64_t tw_time__earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t tw_time__later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

#endif
