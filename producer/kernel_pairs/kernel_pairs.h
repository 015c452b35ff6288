/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures pairs (pairs/) in the kernel. A BPF program at the tracepoint of each event of the pairs finds the pairs, and counts their
 * times in histograms; no event leaves the kernel. The time is that of CLOCK_MONOTONIC, as with the trace clock `mono`. The programs are
 * attached by perf events of this process, so the kernel removes them when the process ends.
 *
 * Differences to the measurement of a stream: if the memory is full, new beginnings are counted as evicted, and old ones stay. If an event
 * occurs while a program runs on the same CPU, for example in an interrupt, the kernel skips the program of this event;
 * tw_kernel_pairs__missed() counts these events. If a key of an event is the pid of the current task, the event is ignored if this task
 * belongs to this process.
 */
#ifndef TW_KERNEL_PAIRS_H
#define TW_KERNEL_PAIRS_H

#include "filter/filter.h"
#include "pairs/figures.h"
#include "producer/packets/packets.h"

#define TW_KERNEL_PAIRS_MAX    64
#define TW_KERNEL_PAIRS_MEMORY ((size_t)32 << 20)

struct tw_kernel_pairs_options {
	const char *tracing_dir;            /* as from tw_tracing_dir__find(); borrowed, like all pointers below */
	const struct tw_pair *const *pairs; /* @n_pairs of them, at most TW_KERNEL_PAIRS_MAX */
	size_t n_pairs;
	const char *const *
		by; /* names of the @n_by fields whose values are the groups; 0 = those of each pair, if programs can read them */
	size_t n_by;
	uint64_t linear; /* width of the buckets, ns; 0 = powers of two, in the unit of each pair */
	/*
	 * Bytes of the maps of all pairs together, for beginnings without an end and for groups. The kernel allocates the maps at the
	 * start. There is room for at least one beginning of each pair. Pairs with events of packets/ use their share only for groups.
	 * If the only key of a pair is the pid of the current task, the kernel stores the beginning with the task, and this memory is not
	 * limited. The idle tasks of the CPUs, which all have the pid 0, are then different tasks.
	 */
	size_t memory;
	const struct tw_filter *filter;      /* events that do not match are ignored; NULL = none */
	struct tw_packets_selection packets; /* for pairs with events of packets/ */
	bool include_self;                   /* do not ignore events of this process */
	bool no_task_storage;                /* for tests: keep the beginnings of tasks in a hash map, too */
};

struct tw_kernel_pairs;

/**
 * tw_kernel_pairs__new() - make the maps and load the programs; nothing is measured yet
 * Return: 0; -EOPNOTSUPP if the pairs or the filter need what a BPF program at a tracepoint cannot do; -EINVAL if a condition, a key, a
 * group or the filter is invalid; -ENOENT if this kernel lacks an event that a pair needs; -EPERM without root; -ENOMEM, another -errno.
 */
int tw_kernel_pairs__new(const struct tw_kernel_pairs_options *options, struct tw_kernel_pairs **ret,
			 struct tw_error *error);

/** tw_kernel_pairs__note() - Return: why pair @i is left out, or is measured without the groups that it defines; NULL if neither is so */
const char *tw_kernel_pairs__note(const struct tw_kernel_pairs *kernel, size_t i);

/** tw_kernel_pairs__measures() - whether pair @i is measured; pairs with events of packets/ that the kernel does not permit are left out */
bool tw_kernel_pairs__measures(const struct tw_kernel_pairs *kernel, size_t i);

/** tw_kernel_pairs__filter_note() - Return: the sentence of tw_filter__ambiguous_key() about the filter; its text may be "" */
const struct tw_error *tw_kernel_pairs__filter_note(const struct tw_kernel_pairs *kernel);

/** tw_kernel_pairs__start() - attach the programs, and then begin to measure all pairs at once; called once. Return: 0 or -errno */
int tw_kernel_pairs__start(struct tw_kernel_pairs *kernel, struct tw_error *error);

/** tw_kernel_pairs__stop() - end the measurement, and remove the programs from the tracepoints. The figures can still be taken */
void tw_kernel_pairs__stop(struct tw_kernel_pairs *kernel);

/**
 * tw_kernel_pairs__take() - read the figures since the last call, and begin new ones
 * Beginnings without an end stay: their ends count in the new figures.
 * @ret: the figures of all pairs, in the order of the options, sorted by tw_pair_figures__sort(); valid until the next call
 * Return: 0, -ENOMEM, or an -errno of reading the maps.
 */
int tw_kernel_pairs__take(struct tw_kernel_pairs *kernel, struct tw_pair_figures **ret, struct tw_error *error);

/** tw_kernel_pairs__names() - the names of the groups */
const struct tw_pair_names *tw_kernel_pairs__names(const struct tw_kernel_pairs *kernel);

/**
 * tw_kernel_pairs__missed() - Return: number of events for which the kernel skipped the program, up to now or tw_kernel_pairs__stop();
 * TW_MISSED_UNKNOWN if it cannot be read
 */
uint64_t tw_kernel_pairs__missed(const struct tw_kernel_pairs *kernel);

/** tw_kernel_pairs__hook() - Return: what the programs of pair @i are attached to, for people; NULL = the tracepoints of its events */
const char *tw_kernel_pairs__hook(const struct tw_kernel_pairs *kernel, size_t i);

/** tw_kernel_pairs__follow() - follow changes of CLOCK_TAI minus CLOCK_REALTIME; to be called several times a second */
void tw_kernel_pairs__follow(struct tw_kernel_pairs *kernel);

/* The size of a measurement, for people. */
struct tw_kernel_pairs_size {
	size_t programs, instructions, memory; /* memory: of the maps, bytes, as far as this process can calculate it */
};

/** tw_kernel_pairs__size() - the number of programs and their instructions, and the memory of the maps */
struct tw_kernel_pairs_size tw_kernel_pairs__size(const struct tw_kernel_pairs *kernel);

/** tw_kernel_pairs__free() - stop if needed, and free everything; @kernel may be NULL */
void tw_kernel_pairs__free(struct tw_kernel_pairs *kernel);

#endif
