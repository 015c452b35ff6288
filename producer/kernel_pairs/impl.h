/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to kernel_pairs. The state of a measurement. */
#ifndef TW_KERNEL_PAIRS_IMPL_H
#define TW_KERNEL_PAIRS_IMPL_H

#include "producer/kallsyms.h"
#include "producer/kernel_pairs/plan.h"
#include "producer/kernel_pairs/program.h"

struct tw_kernel_pair_maps {
	int fds[TW_KERNEL_MAPS]; /* descriptors; -1 = there is no such map */
	uint32_t max_cells;      /* largest number of entries of TW_KERNEL_GROUPS */
};

struct tw_kernel_maps {
	int gate;
	struct tw_kernel_pair_maps *pairs; /* @n_pairs of them */
	size_t n_pairs;
	size_t cpus;   /* number of possible CPUs, which is the number of copies of a per-CPU value */
	size_t memory; /* estimate, bytes */
};

/**
 * tw_kernel_maps__make() - make the maps of all pairs
 * @plan: in_task of its pairs is cleared if the kernel has no task storage for programs at tracepoints
 * @memory: as in struct tw_kernel_pairs_options
 * Return: 0 or -errno; call tw_kernel_maps__fini() in either case.
 */
int tw_kernel_maps__make(struct tw_kernel_maps *maps, struct tw_kernel_plan *plan, size_t memory,
			 struct tw_error *error);

/** tw_kernel_maps__fd() - the descriptor of the map with this number in programs */
int tw_kernel_maps__fd(const struct tw_kernel_maps *maps, uint16_t number);

/** tw_kernel_maps__set_gate() - set the epoch, or TW_KERNEL_CLOSED, and wait until no program uses the previous one. Return: 0 or -errno */
int tw_kernel_maps__set_gate(const struct tw_kernel_maps *maps, uint32_t epoch);

/** tw_kernel_maps__fini() - close all descriptors */
void tw_kernel_maps__fini(struct tw_kernel_maps *maps);

/* A program that is loaded, and the perf event by which it is attached; -1 = not attached. */
struct tw_kernel_program {
	const struct tw_format *format;
	int fd, event;
	uint32_t n; /* instructions */
};

struct tw_kernel_pairs {
	struct tw_kernel_plan plan;
	struct tw_kernel_maps maps;
	struct tw_kernel_program *programs; /* @n_programs of them */
	size_t n_programs;
	uint32_t epoch; /* the epoch that the programs fill, or filled last */
	bool has_stopped;
	uint64_t missed_before;                /* events for which the kernel skipped a program before the start */
	uint64_t missed;                       /* the same between start and stop; valid after the stop */
	uint8_t record[TW_KERNEL_CONTEXT_MAX]; /* zeros, except while a value is named */
	struct tw_pair_figures *shown;         /* copies of the pairs' figures */
	struct tw_pair_names *names;
	struct tw_kallsyms kallsyms; /* read only if a group has values that are printed as symbols */
};

/**
 * tw_kernel_pairs__read() - read.c: add what the programs counted in an epoch to the figures of a pair
 * @clear: also remove this epoch from the maps; no program may use this epoch
 * Return: 0 or -errno.
 */
int tw_kernel_pairs__read(struct tw_kernel_pairs *kernel, struct tw_kernel_pair *pair, uint32_t epoch, bool clear);

#endif
