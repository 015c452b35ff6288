/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel says of one CPU's ring: per_cpu/cpuN/stats. */
#ifndef TW_CPU_STATS_H
#define TW_CPU_STATS_H

#include <stdint.h>

#include "producer/instance.h"

struct tw_cpu_stats {
	uint64_t entries;        /* in the ring now */
	uint64_t overrun;        /* overwritten before they were read */
	uint64_t commit_overrun; /* refused: the ring wrapped within one commit */
	uint64_t dropped;        /* refused: overwrite is off */
	uint64_t read;
};

/** tw_cpu_stats__read() - Return: 0, or -errno if that CPU has no ring */
int tw_cpu_stats__read(const struct tw_instance *instance, unsigned int cpu, struct tw_cpu_stats *ret);

/** tw_cpu_stats__parse() - the same from a file already open, read from its start */
int tw_cpu_stats__parse(int fd, struct tw_cpu_stats *ret);

#endif
