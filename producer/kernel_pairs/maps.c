/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/bpf_links.h"
#include "producer/kernel_pairs/impl.h"

#define ELEMENT_BYTES \
	72u /* of the kernel for each element of a hash map, besides key and value: struct htab_elem, buckets */
#define OPEN_MAX  (1u << 24) /* elements */
#define CELLS_MAX (1u << 15)
#define CELLS_MIN 64u

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
		tw_error__set(
			error, fd,
			"cannot make a BPF map: measuring in the kernel requires root, or CAP_BPF and CAP_PERFMON");
	else
		tw_error__set(error, fd, "cannot make a BPF map of %u entries: %s%s", entries, strerror(-fd),
			      fd == -ENOMEM ? "; give a smaller --memory" : "");
	return fd;
}

/* Loads BTF of an int, and of an array of u64 with @size bytes, which task storage needs. Return: its descriptor or -errno */
static int load_types(uint32_t size, uint32_t *ret_key, uint32_t *ret_value)
{
	struct btf *btf = btf__new_empty();
	const int key = btf__add_int(btf, "int", sizeof(int), BTF_INT_SIGNED);
	const int number = btf__add_int(btf, "u64", sizeof(uint64_t), 0);
	const int value = btf__add_array(btf, key, number, size / (uint32_t)sizeof(uint64_t));
	const void *raw;
	uint32_t len = 0;
	int fd = -ENOMEM;

	raw = value > 0 ? btf__raw_data(btf, &len) : NULL;
	if (raw)
		fd = bpf_btf_load(raw, len, NULL);
	*ret_key = (uint32_t)key;
	*ret_value = (uint32_t)value;
	btf__free(btf);
	return fd;
}

/* Whether a program at a tracepoint can use the map. Before Linux 5.12, or without BTF of the kernel, it cannot. */
static bool is_usable(int fd)
{
	struct tw_bpf_program code;
	struct tw_asm a;
	int program = -1;

	tw_asm__init(&a);
	tw_asm__call(&a, BPF_FUNC_get_current_task_btf);
	tw_asm__mov(&a, BPF_REG_2, BPF_REG_0);
	tw_asm__map(&a, BPF_REG_1, 0);
	tw_asm__imm(&a, BPF_REG_3, 0);
	tw_asm__imm(&a, BPF_REG_4, 0);
	tw_asm__call(&a, BPF_FUNC_task_storage_get);
	tw_asm__imm(&a, BPF_REG_0, 0);
	tw_asm__exit(&a);
	if (!tw_asm__finish(&a, &code)) {
		code.insns[code.map_uses[0].insn].imm = fd;
		program = bpf_prog_load(BPF_PROG_TYPE_TRACEPOINT, "tw_probe", "GPL", code.insns, code.n, NULL);
	}
	tw_asm__fini(&a);
	tw_bpf_program__fini(&code);
	if (program >= 0)
		close(program);
	return program >= 0;
}

/* Makes a map with a beginning for each task. Return: its descriptor; negative if the kernel has no such maps */
static int make_task_storage(uint32_t size)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	const int types = load_types(size, &opts.btf_key_type_id, &opts.btf_value_type_id);
	int fd;

	if (types < 0)
		return types;
	opts.btf_fd = (uint32_t)types;
	fd = bpf_map_create(BPF_MAP_TYPE_TASK_STORAGE, "tw_open", sizeof(int), size, 0, &opts);
	close(types);
	if (fd < 0 || is_usable(fd))
		return fd;
	close(fd);
	return -EOPNOTSUPP;
}

static int make_open(struct tw_kernel_maps *maps, struct tw_kernel_pair *pair, size_t memory, struct tw_error *error)
{
	const uint32_t key = (uint32_t)(pair->n_keys * sizeof(uint64_t)),
		       begin = tw_kernel_begin__size(pair->figures.n_by);
	const int storage = pair->in_task ? make_task_storage(begin) : -1;

	pair->in_task = storage >= 0;
	return pair->in_task ? storage
			     : make(maps, BPF_MAP_TYPE_HASH, "tw_open", key, begin,
				    limit(memory / (ELEMENT_BYTES + key + begin), 1, OPEN_MAX), error);
}

static int make_of_pair(struct tw_kernel_maps *maps, struct tw_kernel_pair_maps *ret, struct tw_kernel_pair *pair,
			size_t memory, struct tw_error *error)
{
	const uint32_t cell = tw_kernel_values__size(pair->figures.n_by), samples = sizeof(struct tw_kernel_samples);
	const size_t of_cell = ELEMENT_BYTES + cell + samples * maps->cpus;
	int *fds = ret->fds;

	if (pair->figures.n_by) {
		ret->max_cells = limit(memory / 2 / of_cell, CELLS_MIN, CELLS_MAX);
		memory -= memory / 2;
	}
	fds[TW_KERNEL_OPEN] = make_open(maps, pair, memory, error);
	if (fds[TW_KERNEL_OPEN] < 0)
		return fds[TW_KERNEL_OPEN];
	fds[TW_KERNEL_FIGURES] = make(maps, BPF_MAP_TYPE_PERCPU_ARRAY, "tw_figures", sizeof(uint32_t),
				      sizeof(struct tw_kernel_figures), TW_KERNEL_EPOCHS, error);
	if (fds[TW_KERNEL_FIGURES] < 0 || !pair->figures.n_by)
		return fds[TW_KERNEL_FIGURES] < 0 ? fds[TW_KERNEL_FIGURES] : 0;
	fds[TW_KERNEL_GROUPS] = make(maps, BPF_MAP_TYPE_PERCPU_HASH, "tw_groups", cell, samples, ret->max_cells, error);
	return fds[TW_KERNEL_GROUPS] < 0 ? fds[TW_KERNEL_GROUPS] : 0;
}

int tw_kernel_maps__make(struct tw_kernel_maps *maps, struct tw_kernel_plan *plan, size_t memory,
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
		if (!plan->pairs[i].is_of_packets)
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

int tw_kernel_maps__set_gate(const struct tw_kernel_maps *maps, uint32_t epoch)
{
	const uint32_t zero = 0;

	if (bpf_map_update_elem(maps->gate, &zero, &epoch, BPF_ANY))
		return -errno;
	tw_bpf_programs__await(); /* some may have read an earlier value of the gate */
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
