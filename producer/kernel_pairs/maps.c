/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "producer/kernel_pairs/impl.h"

#define ELEMENT_BYTES \
	72u /* of the kernel for each element of a hash map, besides key and value: struct htab_elem, buckets */
#define OPEN_MAX  (1u << 24) /* elements */
#define CELLS_MAX (1u << 15)
#define CELLS_MIN 64u
#define SETTLE_US 20000 /* a program ends in less time */

static uint32_t limit(size_t n, uint32_t least, uint32_t most)
{
	return n < least ? least : n > most ? most : (uint32_t)n;
}

static int make(struct tw_kernel_maps *maps, enum bpf_map_type type, const char *name, uint32_t key, uint32_t value,
		uint32_t entries, struct tw_error *error)
{
	const int fd = bpf_map_create(type, name, key, value, entries, NULL);
	const size_t copies = type == BPF_MAP_TYPE_PERCPU_ARRAY || type == BPF_MAP_TYPE_PERCPU_HASH ? maps->cpus : 1;
	const bool is_hash = type == BPF_MAP_TYPE_HASH || type == BPF_MAP_TYPE_PERCPU_HASH;

	if (fd >= 0)
		maps->memory += entries * (copies * value + (is_hash ? key + ELEMENT_BYTES : 0));
	else if (fd == -EPERM)
		tw_error__set(error, fd, "cannot make a BPF map: this requires root, or CAP_BPF and CAP_PERFMON");
	else
		tw_error__set(error, fd, "cannot make a BPF map of %u entries: %s%s", entries, strerror(-fd),
			      fd == -ENOMEM ? "; give a smaller --memory" : "");
	return fd;
}

static int make_of_pair(struct tw_kernel_maps *maps, struct tw_kernel_pair_maps *ret, const struct tw_kernel_pair *pair,
			size_t memory, struct tw_error *error)
{
	const uint32_t key = (uint32_t)(pair->n_keys * sizeof(uint64_t)),
		       begin = tw_kernel_begin__size(pair->figures.n_by),
		       cell = tw_kernel_values__size(pair->figures.n_by), samples = sizeof(struct tw_kernel_samples);
	const size_t of_cell = ELEMENT_BYTES + cell + samples * maps->cpus;
	int *fds = ret->fds;

	if (pair->figures.n_by) {
		ret->max_cells = limit(memory / 2 / of_cell, CELLS_MIN, CELLS_MAX);
		memory -= memory / 2;
	}
	ret->max_open = limit(memory / (ELEMENT_BYTES + key + begin), 1, OPEN_MAX);
	fds[TW_KERNEL_OPEN] = make(maps, BPF_MAP_TYPE_HASH, "tw_open", key, begin, ret->max_open, error);
	if (fds[TW_KERNEL_OPEN] < 0)
		return fds[TW_KERNEL_OPEN];
	fds[TW_KERNEL_FIGURES] = make(maps, BPF_MAP_TYPE_PERCPU_ARRAY, "tw_figures", sizeof(uint32_t),
				      sizeof(struct tw_kernel_figures), TW_KERNEL_EPOCHS, error);
	if (fds[TW_KERNEL_FIGURES] < 0 || !pair->figures.n_by)
		return fds[TW_KERNEL_FIGURES] < 0 ? fds[TW_KERNEL_FIGURES] : 0;
	fds[TW_KERNEL_GROUPS] = make(maps, BPF_MAP_TYPE_PERCPU_HASH, "tw_groups", cell, samples, ret->max_cells, error);
	return fds[TW_KERNEL_GROUPS] < 0 ? fds[TW_KERNEL_GROUPS] : 0;
}

int tw_kernel_maps__make(struct tw_kernel_maps *maps, const struct tw_kernel_plan *plan, size_t memory,
			 struct tw_error *error)
{
	const int cpus = libbpf_num_possible_cpus();
	uint32_t zero = 0, closed = TW_KERNEL_CLOSED;
	int err = 0;

	*maps = (struct tw_kernel_maps){ .gate = -1, .cpus = cpus > 0 ? (size_t)cpus : 1 };
	if (cpus < 0)
		return tw_error__set(error, cpus, "the number of CPUs cannot be read: %s", strerror(-cpus));
	maps->pairs = calloc(plan->n_pairs, sizeof(*maps->pairs));
	if (!maps->pairs)
		return tw_error__set(error, -ENOMEM, "no memory for the pairs");
	maps->n_pairs = plan->n_pairs;
	for (size_t i = 0; i < plan->n_pairs; i++)
		memset(maps->pairs[i].fds, -1, sizeof(maps->pairs[i].fds));
	maps->gate = make(maps, BPF_MAP_TYPE_ARRAY, "tw_gate", sizeof(zero), sizeof(closed), 1, error);
	if (maps->gate < 0)
		return maps->gate;
	if (bpf_map_update_elem(maps->gate, &zero, &closed, BPF_ANY))
		return tw_error__set(error, -errno, "cannot write a BPF map: %s", strerror(errno));
	for (size_t i = 0; i < plan->n_pairs && !err; i++)
		err = make_of_pair(maps, &maps->pairs[i], &plan->pairs[i], memory / plan->n_pairs, error);
	return err;
}

int tw_kernel_maps__fd(const struct tw_kernel_maps *maps, uint16_t number)
{
	if (number == TW_KERNEL_GATE)
		return maps->gate;
	number = (uint16_t)(number - TW_KERNEL_GATE - 1);
	return maps->pairs[number / TW_KERNEL_MAPS].fds[number % TW_KERNEL_MAPS];
}

/*
 * Waits until programs that have read an earlier value of the gate have ended. They run without preemption, and this system call waits for
 * an RCU grace period. It fails if the kernel runs with nohz_full.
 */
static void settle(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		usleep(SETTLE_US);
}

int tw_kernel_maps__set_gate(const struct tw_kernel_maps *maps, uint32_t epoch)
{
	const uint32_t zero = 0;

	if (bpf_map_update_elem(maps->gate, &zero, &epoch, BPF_ANY))
		return -errno;
	settle();
	return 0;
}

void tw_kernel_maps__fini(struct tw_kernel_maps *maps)
{
	for (size_t i = 0; i < maps->n_pairs; i++) {
		for (size_t map = 0; map < TW_KERNEL_MAPS; map++)
			if (maps->pairs[i].fds[map] >= 0)
				close(maps->pairs[i].fds[map]);
	}
	if (maps->gate >= 0)
		close(maps->gate);
	free(maps->pairs);
	*maps = (struct tw_kernel_maps){ .gate = -1 };
}
