/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to kernel_pairs. Generates the program of a tracepoint (BPF_PROG_TYPE_TRACEPOINT), which plays the roles of its event.
 *
 * The context of such a program is the record, but without the common fields, its first 8 bytes. The kernel runs at most one program at a
 * time on each CPU, without preemption, so per-CPU values need no atomic operations.
 */
#ifndef TW_KERNEL_PROGRAM_H
#define TW_KERNEL_PROGRAM_H

#include "filter/bpf/asm.h"
#include "producer/kernel_pairs/plan.h"
#include "producer/kernel_pairs/samples.h"

/*
 * The maps. The gate is an array of one u32, which all programs read first: the epoch, 0 or 1, or a larger number if nothing is measured.
 * The figures and groups of the epochs are separate, so that those of one epoch can be read and cleared while the other one is filled.
 */
#define TW_KERNEL_GATE 0 /* number of the map */

/* Each pair has these maps. */
enum tw_kernel_map {
	/*
	 * HASH: keys, 8 bytes each, as tw_field__read() makes them -> struct tw_kernel_begin. For a pair with in_task, it is TASK_STORAGE,
	 * which is much faster. There, a struct tw_kernel_begin with the time 0 is empty.
	 */
	TW_KERNEL_OPEN,
	TW_KERNEL_FIGURES, /* PERCPU_ARRAY: epoch -> struct tw_kernel_figures */
	TW_KERNEL_GROUPS,  /* PERCPU_HASH, if there are groups: struct tw_kernel_cell -> struct tw_kernel_samples */
	TW_KERNEL_MAPS,
};

/** tw_kernel_map__number() - the number of a pair's map in programs */
static inline uint16_t tw_kernel_map__number(unsigned int pair, enum tw_kernel_map map)
{
	return (uint16_t)(TW_KERNEL_GATE + 1 + pair * TW_KERNEL_MAPS + map);
}

/* The values that are the group of a sample. Of @values, only the first n_by elements of the pair exist. */
struct tw_kernel_values {
	uint8_t from[TW_PAIR_KEYS_MAX]; /* number of the role that has read the value; 0 = no event has it */
	uint32_t
		cell; /* in struct tw_kernel_cell: epoch << 16 | index of a bucket, TW_HISTOGRAM_BUCKETS = beyond; otherwise 0 */
	uint64_t values[TW_PAIR_KEYS_MAX]; /* zero-extended */
};

/* A beginning. Without groups, only the time exists. */
struct tw_kernel_begin {
	uint64_t time; /* CLOCK_MONOTONIC, ns */
	struct tw_kernel_values by;
};

/* One bucket of a group. */
struct tw_kernel_cell {
	struct tw_kernel_values by;
};

/** tw_kernel_values__size() - the number of bytes of struct tw_kernel_values that exist */
static inline uint32_t tw_kernel_values__size(size_t n_by)
{
	return (uint32_t)(offsetof(struct tw_kernel_values, values) + n_by * sizeof(uint64_t));
}

/** tw_kernel_begin__size() - the number of bytes of struct tw_kernel_begin that exist */
static inline uint32_t tw_kernel_begin__size(size_t n_by)
{
	return (uint32_t)sizeof(uint64_t) + (n_by ? tw_kernel_values__size(n_by) : 0);
}

/**
 * tw_kernel_bucket__emit() - generate code that replaces the value in r1 by tw_histogram__bucket() of it; r2 and r3 change
 * The result is at most TW_HISTOGRAM_BUCKETS, which the verifier may not know.
 */
void tw_kernel_bucket__emit(struct tw_asm *a, const struct tw_histogram_scale *scale);

/**
 * tw_kernel_program__generate() - generate the program of a tracepoint
 * @own: the process whose events are ignored in the roles that have by_task, as bpf_get_current_pid_tgid() returns it; 0 = none
 * @ret: free with tw_bpf_program__fini(); no instructions if the event has no effect
 * Return: 0, -E2BIG, -ENOMEM.
 */
int tw_kernel_program__generate(const struct tw_tracepoint *tracepoint, uint32_t own, struct tw_bpf_program *ret);

#endif
