/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "loader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#define LOG_SIZE  (1 << 20)
#define LOG_SHOWN 2000

static int make_map(struct loaded *l, enum tw_bpf_map map, enum bpf_map_type type, uint32_t key, uint32_t value,
		    uint32_t entries)
{
	static const char *const names[] = { "counters", "blank", "overflow", "window" };

	l->maps[map] = bpf_map_create(type, names[map], key, value, entries, NULL);
	return l->maps[map] < 0 ? -errno : 0;
}

static int make_maps(struct loaded *l, unsigned int streams, bool offload)
{
	const uint32_t rows = l->rows * (uint32_t)sizeof(struct tw_counter);
	const uint32_t index = sizeof(uint32_t);
	int err;

	if (offload)
		return make_map(l, TW_MAP_COUNTERS, BPF_MAP_TYPE_ARRAY, index, rows, 1);
	err = make_map(l, TW_MAP_COUNTERS, BPF_MAP_TYPE_PERCPU_HASH, sizeof(struct tw_counter_key), rows, streams);
	if (!err)
		err = make_map(l, TW_MAP_BLANK, BPF_MAP_TYPE_ARRAY, index, rows, 1);
	if (!err)
		err = make_map(l, TW_MAP_OVERFLOW, BPF_MAP_TYPE_PERCPU_ARRAY, index, rows, 1);
	if (!err)
		err = make_map(l, TW_MAP_WINDOW, BPF_MAP_TYPE_PERCPU_ARRAY, index, TW_BPF_WINDOW, 1);
	return err;
}

/* Adds int NAME(void) to the BTF. Of a function for bpf_loop(), the verifier only needs to know that it is static. */
static int add_function(struct btf *btf, const char *name, int returns)
{
	const int proto = btf__add_func_proto(btf, returns);

	return proto < 0 ? proto : btf__add_func(btf, name, BTF_FUNC_STATIC, proto);
}

/* Loads BTF of a program with two functions into the kernel. Return: its descriptor, or -errno */
static int load_btf(struct bpf_func_info *functions, uint32_t record_function)
{
	struct btf *btf = btf__new_empty();
	const int number = btf__add_int(btf, "int", sizeof(int), BTF_INT_SIGNED);
	const int first = add_function(btf, "classify", number);
	const int second = add_function(btf, "record", number);
	const void *raw;
	uint32_t size;
	int fd;

	functions[0] = (struct bpf_func_info){ .insn_off = 0, .type_id = (uint32_t)first };
	functions[1] = (struct bpf_func_info){ .insn_off = record_function, .type_id = (uint32_t)second };
	raw = btf__raw_data(btf, &size);
	fd = bpf_btf_load(raw, size, NULL);
	if (fd < 0)
		fd = -errno;
	btf__free(btf);
	return fd;
}

static void show_log(const char *log)
{
	const size_t len = strlen(log);

	fprintf(stderr, "%s\n", len > LOG_SHOWN ? log + len - LOG_SHOWN : log);
}

static int load_program(struct loaded *l, const struct bpf_insn *insns, uint32_t n, struct bpf_prog_load_opts *opts)
{
	const bool is_xdp = l->hook == TW_HOOK_XDP;
	char *log = NULL;

	l->program =
		bpf_prog_load(is_xdp ? BPF_PROG_TYPE_XDP : BPF_PROG_TYPE_SCHED_CLS, "classify", "GPL", insns, n, opts);
	if (l->program >= 0)
		return 0;
	log = calloc(1, LOG_SIZE);
	opts->log_buf = log;
	opts->log_size = LOG_SIZE;
	opts->log_level = 1;
	l->program =
		bpf_prog_load(is_xdp ? BPF_PROG_TYPE_XDP : BPF_PROG_TYPE_SCHED_CLS, "classify", "GPL", insns, n, opts);
	if (l->program < 0 && log) {
		l->program = -errno;
		show_log(log);
	}
	free(log);
	return l->program < 0 ? l->program : 0;
}

/* Return: a copy of the instructions, with the descriptors of the maps. */
static struct bpf_insn *with_maps(const struct loaded *l, const struct tw_bpf_program *program)
{
	struct bpf_insn *insns = calloc(program->n, sizeof(*insns));

	if (!insns)
		return NULL;
	memcpy(insns, program->insns, program->n * sizeof(*insns));
	for (uint32_t i = 0; i < program->n_map_uses; i++)
		insns[program->map_uses[i].insn].imm = l->maps[program->map_uses[i].map];
	return insns;
}

static int load_with_maps(struct loaded *l, const struct tw_bpf_options *options, const struct tw_bpf_program *program)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	struct bpf_func_info functions[2];
	struct bpf_insn *insns;
	int err, btf = -1;

	if (l->hook == TW_HOOK_XDP && !options->offload)
		opts.prog_flags = BPF_F_XDP_HAS_FRAGS;
	if (program->record_function) {
		btf = load_btf(functions, program->record_function);
		if (btf < 0)
			return btf;
		opts.prog_btf_fd = (uint32_t)btf;
		opts.func_info = functions;
		opts.func_info_cnt = 2;
		opts.func_info_rec_size = sizeof(functions[0]);
	}
	insns = with_maps(l, program);
	err = insns ? load_program(l, insns, program->n, &opts) : -ENOMEM;
	free(insns);
	if (btf >= 0)
		close(btf);
	return err;
}

int loader__load(const struct tw_rules *rules, const struct tw_bpf_options *options,
		 const struct tw_bpf_program *program, unsigned int streams, struct loaded *ret)
{
	struct loaded l = { .program = -1, .rows = tw_rules__rows(rules), .hook = options->hook };
	const int cpus = libbpf_num_possible_cpus();
	int err;

	if (cpus < 0)
		return cpus;
	for (int i = 0; i < TW_BPF_MAPS; i++)
		l.maps[i] = -1;
	l.cpus = options->offload ? 1 : (unsigned int)cpus;
	l.scratch = calloc((size_t)l.cpus * l.rows, sizeof(*l.scratch));
	err = l.scratch ? make_maps(&l, streams, options->offload) : -ENOMEM;
	if (!err)
		err = load_with_maps(&l, options, program);
	if (err)
		loader__unload(&l);
	else
		*ret = l;
	return err;
}

int loader__build(const struct tw_rules *rules, const struct tw_bpf_options *options, struct loaded *ret,
		  struct tw_error *err)
{
	struct tw_bpf_program program;
	int error = tw_bpf__generate(rules, options, &program, err);

	if (error)
		return error;
	error = loader__load(rules, options, &program, LOADER_STREAMS, ret);
	if (error)
		tw_error__set(err, error, "cannot load the program: %s", strerror(-error));
	tw_bpf_program__fini(&program);
	return error;
}

void loader__unload(struct loaded *loaded)
{
	if (!loaded->scratch && !loaded->rows)
		return;
	if (loaded->program >= 0)
		close(loaded->program);
	for (int i = 0; i < TW_BPF_MAPS; i++)
		if (loaded->maps[i] >= 0)
			close(loaded->maps[i]);
	free(loaded->scratch);
	*loaded = (struct loaded){ 0 };
}

int loader__run(const struct loaded *loaded, void *packet, size_t len, size_t room, unsigned int repeat,
		struct loader_run *ret)
{
	struct __sk_buff skb = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = (uint32_t)len, .data_out = packet,
		    .data_size_out = (uint32_t)room, .repeat = (int)repeat);

	if (loaded->hook == TW_HOOK_TC) {
		opts.ctx_in = opts.ctx_out = &skb;
		opts.ctx_size_in = opts.ctx_size_out = sizeof(skb);
	}
	if (bpf_prog_test_run_opts(loaded->program, &opts))
		return -errno;
	*ret = (struct loader_run){ opts.retval, skb.mark, opts.data_size_out, opts.duration };
	return 0;
}

static void add_up(const struct loaded *loaded, struct tw_counter *rows)
{
	memset(rows, 0, loaded->rows * sizeof(*rows));
	for (unsigned int cpu = 0; cpu < loaded->cpus; cpu++)
		for (unsigned int i = 0; i < loaded->rows; i++) {
			rows[i].frames += loaded->scratch[cpu * loaded->rows + i].frames;
			rows[i].events += loaded->scratch[cpu * loaded->rows + i].events;
		}
}

int loader__rows(const struct loaded *loaded, const struct tw_counter_key *key, struct tw_counter *rows)
{
	const uint32_t only = 0;

	if (bpf_map_lookup_elem(loaded->maps[TW_MAP_COUNTERS],
				loaded->maps[TW_MAP_OVERFLOW] < 0 ? (const void *)&only : key, loaded->scratch))
		return -errno;
	add_up(loaded, rows);
	return 0;
}

int loader__overflow(const struct loaded *loaded, struct tw_counter *rows)
{
	const uint32_t only = 0;

	if (bpf_map_lookup_elem(loaded->maps[TW_MAP_OVERFLOW], &only, loaded->scratch))
		return -errno;
	add_up(loaded, rows);
	return 0;
}

int loader__zero(const struct loaded *loaded, const struct tw_counter_key *key)
{
	memset(loaded->scratch, 0, (size_t)loaded->cpus * loaded->rows * sizeof(*loaded->scratch));
	return bpf_map_update_elem(loaded->maps[TW_MAP_COUNTERS], key, loaded->scratch, BPF_ANY) ? -errno : 0;
}

int loader__forget(const struct loaded *loaded, const struct tw_counter_key *key)
{
	return bpf_map_delete_elem(loaded->maps[TW_MAP_COUNTERS], key) ? -errno : 0;
}

bool loader__is_blank(const struct loaded *loaded)
{
	struct tw_counter_key key;

	return bpf_map_get_next_key(loaded->maps[TW_MAP_COUNTERS], NULL, &key) != 0;
}
