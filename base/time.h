/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times, in nanoseconds as 64-bit numbers, and deadlines. */
#ifndef TW_TIME_H
#define TW_TIME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define TW_NS_PER_SECOND 1000000000ull
#define TW_NS_PER_MS     1000000ull

/** tw_time__ns() - convert a struct timespec to ns */
static inline uint64_t tw_time__ns(const struct timespec *ts)
{
	return (uint64_t)ts->tv_sec * TW_NS_PER_SECOND + (uint64_t)ts->tv_nsec;
}

/** tw_time__now() - read @clock, which must exist, because an error of clock_gettime(2) is not noticed. Return: ns */
static inline uint64_t tw_time__now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return tw_time__ns(&ts);
}

/** tw_time__earlier(), tw_time__later() - the earlier and the later of two times of one clock */
static inline uint64_t tw_time__earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t tw_time__later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/** tw_time__apart() - the distance of two times of one clock */
static inline uint64_t tw_time__apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/*
 * A deadline for a waiting thread. Another thread or a signal handler may set the deadline during the wait. The waiting thread checks it at
 * least every TW_DEADLINE_SLICE_MS, so it need not be woken.
 */
#define TW_DEADLINE_SLICE_MS 20 /* longest sleep between two checks */

/* In an all-zero struct, no deadline is set. */
struct tw_deadline {
	_Atomic uint64_t at; /* CLOCK_MONOTONIC, ns; 0 = no deadline */
};

/** tw_deadline__overdue() - ns since the deadline; 0 if it has not passed or is not set; @deadline may be NULL */
static inline uint64_t tw_deadline__overdue(const struct tw_deadline *deadline)
{
	const uint64_t at = deadline ? atomic_load(&deadline->at) : 0;
	const uint64_t now = at ? tw_time__now(CLOCK_MONOTONIC) : 0;

	return at && now > at ? now - at : 0;
}

/** tw_deadline__is_over() - whether the deadline is set and has passed; @deadline may be NULL */
static inline bool tw_deadline__is_over(const struct tw_deadline *deadline)
{
	return tw_deadline__overdue(deadline) > 0;
}

/** tw_time__timespec() - convert ns to a struct timespec */
static inline struct timespec tw_time__timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / TW_NS_PER_SECOND), .tv_nsec = (long)(ns % TW_NS_PER_SECOND) };
}

#endif
