/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xdp/load.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tw_stub.skel.h"
#include "xdp/classifier.h"
#include "xdp/log_capture.h"

/* How to create a map. value_size 0 stands for the size of all rows of counters. */
static const struct layout {
	const char *name;
	uint32_t type, key_size, value_size, entries;
} layouts[TW_BPF_MAPS] = {
	[TW_MAP_COUNTERS] = { "tw_counters", BPF_MAP_TYPE_PERCPU_HASH, sizeof(struct tw_counter_key), 0,
			      TW_COUNTED_MAX },
	[TW_MAP_BLANK] = { "tw_blank", BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), 0, 1 },
	[TW_MAP_OVERFLOW] = { "tw_overflow", BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(uint32_t), 0, 1 },
	[TW_MAP_WINDOW] = { "tw_window", BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(uint32_t), TW_BPF_WINDOW, 1 },
};

/* The only map of an offloaded program. */
static const struct layout offloaded = { "tw_counters", BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), 0, 1 };

void tw_maps__none(struct tw_maps *maps)
{
	for (size_t i = 0; i < TW_BPF_MAPS; i++)
		maps->fds[i] = -1;
}

static int make(const struct layout *layout, unsigned int rows, int offload_to, struct tw_error *error)
{
	/* Hash entries are allocated when streams appear, because TW_COUNTED_MAX entries need much memory on machines with many CPUs. */
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_ifindex = (uint32_t)offload_to,
		    .map_flags = layout->type == BPF_MAP_TYPE_PERCPU_HASH ? BPF_F_NO_PREALLOC : 0);
	const uint32_t value = layout->value_size ? layout->value_size : rows * (uint32_t)sizeof(struct tw_counter);
	const int fd = bpf_map_create((enum bpf_map_type)layout->type, layout->name, layout->key_size, value,
				      layout->entries, &opts);

	if (fd >= 0)
		return fd;
	if (offload_to && fd != -EPERM)
		return tw_error__set(
			error, -EOPNOTSUPP,
			"the interface's driver does not offload BPF: it refuses the map of the counters (%s). "
			"Without --offload, the kernel runs the program",
			strerror(-fd));
	return tw_error__set(error, fd, "cannot make the map %s with values of %u bytes: %s", layout->name, value,
			     fd == -EPERM ? "this requires root, or CAP_BPF and CAP_NET_ADMIN" : strerror(-fd));
}

int tw_maps__make(struct tw_maps *maps, unsigned int rows, int offload_to, struct tw_error *error)
{
	tw_maps__none(maps);
	for (size_t i = 0; i < TW_BPF_MAPS; i++) {
		if (offload_to && i != TW_MAP_COUNTERS)
			continue;
		maps->fds[i] = make(offload_to ? &offloaded : &layouts[i], rows, offload_to, error);
		if (maps->fds[i] < 0)
			return maps->fds[i];
	}
	return 0;
}

void tw_maps__fini(struct tw_maps *maps)
{
	for (size_t i = 0; i < TW_BPF_MAPS; i++)
		if (maps->fds[i] >= 0)
			close(maps->fds[i]);
	tw_maps__none(maps);
}

int tw_map__id(int fd, uint32_t *ret, struct tw_error *error)
{
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info);
	const int err = fd >= 0 ? bpf_obj_get_info_by_fd(fd, &info, &len) : 0;

	*ret = info.id;
	return err ? tw_error__set(error, err, "cannot read the id of a map of counters: %s", strerror(-err)) : 0;
}

/* Older kernel headers do not have this flag. */
#ifndef BPF_F_XDP_HAS_FRAGS
#define BPF_F_XDP_HAS_FRAGS (1U << 5)
#endif

/* The program that is being loaded. It is a global variable, because the cookie that exchange() gets is fixed at registration. */
static const struct tw_loaded *loading;

/* At most two functions: the program, and the callback of bpf_loop(). */
static struct bpf_func_info functions[2];

/*
 * Set the BTF function info of the program: that of the stub, with the offset of the generated second function. No line info is used,
 * because it describes the stub's instructions. An offloaded program gets no function info either.
 */
static void set_functions(const struct tw_loaded *loaded, struct bpf_prog_load_opts *opts)
{
	const uint32_t n = loaded->options.code->record_function ? 2 : 1;

	opts->line_info = NULL;
	opts->line_info_cnt = 0;
	if (opts->func_info_cnt < n || opts->func_info_rec_size != sizeof(functions[0]) || loaded->options.offload_to) {
		opts->func_info = NULL;
		opts->func_info_cnt = 0;
		return;
	}
	memcpy(functions, opts->func_info, n * sizeof(functions[0]));
	functions[1].insn_off = loaded->options.code->record_function;
	opts->func_info = functions;
	opts->func_info_cnt = n;
}

/* Replace the stub's instructions by the generated ones. libbpf calls this before it loads a program. */
static int exchange(struct bpf_program *program, struct bpf_prog_load_opts *opts, long cookie)
{
	(void)cookie;
	if (!loading || program != loading->program)
		return 0;
	set_functions(loading, opts);
	return bpf_program__set_insns(program, loading->insns, loading->options.code->n);
}

/*
 * Register exchange() as libbpf's handler for all ELF sections without another handler. Only this kind of handler stays when libxdp changes
 * the program's type to an extension.
 */
static int register_exchange(void)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .prog_prepare_load_fn = exchange);
	static bool registered;
	int err;

	if (registered)
		return 0;
	err = libbpf_register_prog_handler(NULL, BPF_PROG_TYPE_XDP, BPF_XDP, &opts);
	registered = err >= 0;
	return registered ? 0 : err;
}

static int put_maps(struct tw_loaded *loaded)
{
	const struct tw_bpf_program *code = loaded->options.code;

	loaded->insns = malloc(code->n * sizeof(*loaded->insns));
	if (!loaded->insns)
		return -ENOMEM;
	memcpy(loaded->insns, code->insns, code->n * sizeof(*loaded->insns));
	for (uint32_t i = 0; i < code->n_map_uses; i++) {
		struct bpf_insn *insn = &loaded->insns[code->map_uses[i].insn];

		insn->src_reg = BPF_PSEUDO_MAP_FD;
		insn->imm = loaded->options.maps->fds[code->map_uses[i].map];
	}
	return 0;
}

static int set_kind(struct tw_loaded *loaded)
{
	const struct tw_load_options *options = &loaded->options;

	if (options->offload_to)
		bpf_program__set_ifindex(loaded->program, (uint32_t)options->offload_to);
	if (options->hook == TW_HOOK_TC) {
		bpf_program__set_expected_attach_type(loaded->program, 0);
		return bpf_program__set_type(loaded->program, BPF_PROG_TYPE_SCHED_CLS);
	}
	bpf_program__set_expected_attach_type(loaded->program, BPF_XDP);
	if (!options->offload_to)
		bpf_program__set_flags(loaded->program, BPF_F_XDP_HAS_FRAGS);
	return bpf_program__set_type(loaded->program, BPF_PROG_TYPE_XDP);
}

static int open_stub(struct tw_loaded *loaded)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "tracewire");
	const void *elf;
	size_t size;
	int err = register_exchange();

	if (err)
		return err;
	elf = tw_stub__elf_bytes(&size);
	loaded->object = bpf_object__open_mem(elf, size, &opts);
	if (!loaded->object)
		return -errno;
	loaded->program = bpf_object__find_program_by_name(loaded->object, TW_PROGRAM_NAME);
	return loaded->program ? set_kind(loaded) : -ENOENT;
}

int tw_loaded__open(const struct tw_load_options *options, struct tw_loaded *ret, struct tw_error *error)
{
	struct tw_log_capture log;
	int err;

	*ret = (struct tw_loaded){ .options = *options };
	tw_log_capture__begin(&log);
	err = put_maps(ret);
	if (!err)
		err = open_stub(ret);
	tw_log_capture__end(&log);
	loading = ret;
	return err ? tw_error__set(error, err, "cannot make a BPF object: %s", tw_log_capture__why(&log, err)) : 0;
}

int tw_loaded__load(const struct tw_load_options *options, struct tw_loaded *ret, struct tw_error *error)
{
	struct tw_log_capture log;
	int err = tw_loaded__open(options, ret, error);

	if (err)
		return err;
	tw_log_capture__begin(&log);
	err = bpf_object__load(ret->object);
	tw_log_capture__end(&log);
	if (err == -EPERM)
		return tw_error__set(error, err,
				     "cannot load the BPF program: this requires root, or CAP_BPF and CAP_NET_ADMIN");
	return err ? tw_error__set(error, err, "the kernel refuses the program of %u instructions: %s",
				   options->code->n, tw_log_capture__why(&log, err))
		   : 0;
}

int tw_loaded__fd(const struct tw_loaded *loaded)
{
	return loaded->program ? bpf_program__fd(loaded->program) : -1;
}

void tw_loaded__fini(struct tw_loaded *loaded)
{
	if (loading == loaded)
		loading = NULL;
	bpf_object__close(loaded->object);
	free(loaded->insns);
	*loaded = (struct tw_loaded){ 0 };
}

static int info_of(int fd, struct bpf_prog_info *info)
{
	uint32_t len = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return fd < 0 ? -EBADF : bpf_obj_get_info_by_fd(fd, info, &len);
}

int tw_program__id(int fd, uint32_t *ret, struct tw_error *error)
{
	struct bpf_prog_info info;
	const int err = info_of(fd, &info);

	*ret = err ? 0 : info.id;
	return err ? tw_error__set(error, err, "cannot read the id of the program: %s", strerror(-err)) : 0;
}

void tw_program__name_of(uint32_t id, char name[BPF_OBJ_NAME_LEN])
{
	const int fd = bpf_prog_get_fd_by_id(id);
	struct bpf_prog_info info;

	name[0] = '\0';
	if (!info_of(fd, &info))
		memcpy(name, info.name, BPF_OBJ_NAME_LEN);
	name[BPF_OBJ_NAME_LEN - 1] = '\0';
	if (fd >= 0)
		close(fd);
}
