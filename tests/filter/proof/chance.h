/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers that a seed reproduces on any machine. */
#ifndef CHANCE_H
#define CHANCE_H

#include <stdbool.h>
#include <stdint.h>

struct chance {
	uint64_t state;
};

/** chance__bits() - 64 random bits: splitmix64 */
static inline uint64_t chance__bits(struct chance *c)
{
	uint64_t z = c->state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/** chance__below() - a number from 0 to @n - 1; @n is at least 1 */
static inline uint32_t chance__below(struct chance *c, uint32_t n)
{
	return (uint32_t)((chance__bits(c) >> 32) * n >> 32);
}

/** chance__percent() - true with a probability of @percent percent */
static inline bool chance__percent(struct chance *c, uint32_t percent)
{
	return chance__below(c, 100) < percent;
}

/** chance__number() - a number of @bits bits: often a small one, the largest, or one around the middle; otherwise any */
static inline uint64_t chance__number(struct chance *c, unsigned int bits)
{
	const uint64_t most = UINT64_MAX >> (64 - bits);

	switch (chance__below(c, 6)) {
	case 0:
	case 1:
	case 2:
		return chance__below(c, 10) & most;
	case 3:
		return (most - chance__below(c, 3)) & most;
	case 4:
		return ((most >> 1) + chance__below(c, 3) - 1) & most;
	default:
		return chance__bits(c) & most >> chance__below(c, bits);
	}
}

#endif
