/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/capture/capture_impl.h"

#define EXPONENT_MAX 19 /* 10^19 is the last that fits a u64 */

/* if_tsresol: a negative power of 10, or of 2 with the high bit. */
struct tw_resolution tw_resolution__of(uint8_t tsresol)
{
	const unsigned int exponent = tsresol & 0x7f;
	struct tw_resolution r = { .mult = NS_PER_S };

	if (tsresol & 0x80) {
		r.shift = (uint8_t)exponent;
		return r;
	}
	for (unsigned int i = 0; i < exponent && i < 9; i++)
		r.mult /= 10;
	if (exponent > 9) {
		r = (struct tw_resolution){ .divisor = 1 };
		for (unsigned int i = 9; i < exponent && i < 9 + EXPONENT_MAX; i++)
			r.divisor *= 10;
	}
	return r;
}

uint64_t tw_resolution__ns(const struct tw_resolution *r, uint64_t ticks)
{
	uint64_t ns;

	if (r->mult == 1)
		ns = ticks;
	else if (!r->mult)
		ns = ticks / r->divisor;
	else
		ns = (uint64_t)(((unsigned __int128)ticks * r->mult) >> r->shift);
	return ns + (uint64_t)r->offset * NS_PER_S;
}
