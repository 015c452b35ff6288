/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slowest samples of a pair, each with the two events as text. */
#ifndef TW_LATENCY_SLOWEST_H
#define TW_LATENCY_SLOWEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TW_LATENCY_TOP_MAX 1000 /* samples of a pair */

/* One of the two events. */
struct tw_latency_moment {
	uint64_t time; /* ns by the clock of the stream */
	uint32_t pid;
	uint16_t cpu;
	uint32_t comm; /* number of the task's name in the names of the result; TW_PAIR_NO_NAME = unknown */
	char *text;    /* name of the event and its text, printable; owned */
};

struct tw_latency_slow {
	uint64_t ns;
	struct tw_latency_moment begin, end;
};

struct tw_latency_slowest {
	struct tw_latency_slow
		*items; /* @n of them, at most @max; a heap whose first item is the fastest, until they are sorted */
	size_t n, max;
	bool is_sorted;
};

/** tw_latency_slowest__init() - keep @max samples, at most TW_LATENCY_TOP_MAX; 0 = none. Return: 0, -ENOMEM */
int tw_latency_slowest__init(struct tw_latency_slowest *slowest, size_t max);

/** tw_latency_slowest__takes() - whether a sample is slower than one that is kept, or fewer than @max are kept */
bool tw_latency_slowest__takes(const struct tw_latency_slowest *slowest, uint64_t ns);

/** tw_latency_slowest__add() - add a sample, and take its texts; if there are @max samples, it replaces the fastest */
void tw_latency_slowest__add(struct tw_latency_slowest *slowest, const struct tw_latency_slow *slow);

/** tw_latency_slowest__sort() - sort the samples, the slowest first; samples can be added afterwards */
void tw_latency_slowest__sort(struct tw_latency_slowest *slowest);

/** tw_latency_slowest__clear() - forget all samples; tw_latency_slowest__fini() also frees the memory */
void tw_latency_slowest__clear(struct tw_latency_slowest *slowest);
void tw_latency_slowest__fini(struct tw_latency_slowest *slowest);

#endif
