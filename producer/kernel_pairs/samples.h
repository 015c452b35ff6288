/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What BPF programs count, in their maps. Also included by programs in C. */
#ifndef TW_KERNEL_SAMPLES_H
#define TW_KERNEL_SAMPLES_H

#include "pairs/histogram.h"

/* There are two sets of figures, the epochs: programs fill one, while this process reads and clears the other one. */
#define TW_KERNEL_EPOCHS 2
#define TW_KERNEL_CLOSED TW_KERNEL_EPOCHS /* instead of an epoch: nothing is measured */

struct tw_kernel_samples {
	uint64_t n, sum, max;
	uint64_t inverted_min; /* ~min, so that an empty structure is all zero */
};

/* The figures of one pair, epoch and CPU. */
struct tw_kernel_figures {
	uint64_t begun, again, cancelled, no_begin, backwards, evicted, unstamped, blocked;
	struct tw_kernel_samples
		samples; /* if there are groups: only samples without room in their map; also @buckets */
	uint64_t buckets[TW_HISTOGRAM_BUCKETS + 1]; /* the last one: beyond */
};
_Static_assert(sizeof(struct tw_kernel_figures) <= 32768, "the kernel's limit of a per-CPU value");

#endif
