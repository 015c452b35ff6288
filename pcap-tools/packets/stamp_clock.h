/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts the stamps of packets from CLOCK_REALTIME, by which the kernel makes them, to CLOCK_MONOTONIC, which nobody can set.
 *
 * The difference of the two clocks is constant, also while NTP adjusts their rate, until CLOCK_REALTIME is set, a leap second comes, or
 * the machine is suspended: a step. Each reading of both clocks gives bounds of the difference. The bounds of readings that agree are
 * intersected. If a reading contradicts them, there was a step since the reading before it. A stamp then counts as made after the step if
 * its time would be after the reading before the step, and not in the future; otherwise as made before it.
 *
 * After a step back, a stamp is converted to a time that is wrong by the step in two cases: if it was made after the step, and its packet
 * is read before the clocks are read again; or if it was made before the step, and its packet waited for longer than the step.
 */
#ifndef TW_STAMP_CLOCK_H
#define TW_STAMP_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* One reading of the clocks, in this order, ns. */
struct tw_stamp_clock_reading {
	uint64_t before; /* CLOCK_MONOTONIC */
	uint64_t real;   /* CLOCK_REALTIME */
	uint64_t after;  /* CLOCK_MONOTONIC */
};

/* Bounds of CLOCK_REALTIME - CLOCK_MONOTONIC, ns. */
struct tw_stamp_clock_bounds {
	int64_t min, max;
};

/* All zero: no reading yet. */
struct tw_stamp_clock {
	bool begun, stepped;
	struct tw_stamp_clock_bounds now, before; /* before: the last step; valid if stepped */
	uint64_t seen;                            /* time of the last reading, CLOCK_MONOTONIC, ns */
	uint64_t from, until;                     /* of the last step: the readings before and after it */
};

/** tw_stamp_clock__read() - read the clocks, and take the reading; takes less than a microsecond */
void tw_stamp_clock__read(struct tw_stamp_clock *clock);

/** tw_stamp_clock__take() - take a reading, which is not older than those before it */
void tw_stamp_clock__take(struct tw_stamp_clock *clock, const struct tw_stamp_clock_reading *reading);

/** tw_stamp_clock__covers() - whether a stamp is not after the last reading; otherwise the clocks are to be read before it is converted */
bool tw_stamp_clock__covers(const struct tw_stamp_clock *clock, uint64_t stamp);

/** tw_stamp_clock__convert() - convert a stamp, of CLOCK_REALTIME, to CLOCK_MONOTONIC */
uint64_t tw_stamp_clock__convert(const struct tw_stamp_clock *clock, uint64_t stamp);

/** tw_stamp_clock__error() - bound of the error of a conversion, ns */
uint32_t tw_stamp_clock__error(const struct tw_stamp_clock *clock);

#endif
