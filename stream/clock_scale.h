/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conversion between ticks of a clock and ns. Results out of range saturate. */
#ifndef TW_CLOCK_SCALE_H
#define TW_CLOCK_SCALE_H

#include <stdint.h>

struct tw_clock_scale {
	uint64_t mult; /* ns = (ticks * mult) >> shift; 0 = no conversion: the clock counts ns, or unknown units */
	unsigned int shift;
};

/** tw_clock_scale__ns() - convert @ticks to ns */
static inline uint64_t tw_clock_scale__ns(const struct tw_clock_scale *scale, uint64_t ticks)
{
	unsigned __int128 ns;

	if (!scale->mult)
		return ticks;
	ns = (unsigned __int128)ticks * scale->mult >> scale->shift;
	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

/** tw_clock_scale__ticks() - convert @ns to ticks: the last tick that is not after @ns */
static inline uint64_t tw_clock_scale__ticks(const struct tw_clock_scale *scale, uint64_t ns)
{
	unsigned __int128 ticks;

	if (!scale->mult || ns == UINT64_MAX)
		return ns;
	ticks = ((((unsigned __int128)ns + 1) << scale->shift) - 1) / scale->mult;
	return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

#endif
