/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the functions that put a packet into a queueing discipline, by their names and types, and loads a program for each of them. The
 * kernel permits a program at the entry of one function only.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "producer/packets/impl.h"

#define PARAMETERS 3
#define SUFFIX     "_enqueue"

/* One that the suffix does not name. Other functions with such a name are called by these. */
#define OTHER "etf_enqueue_timesortedlist"

/* Qdisc_ops__enqueue is never called. It stands for those of BPF programs. */
#define STAND_IN "__"

static bool is_named_so(const char *name)
{
	const size_t len = strlen(name), suffix = strlen(SUFFIX);

	if (!strcmp(name, OTHER))
		return true;
	return len > suffix && len < TW_PACKET_CLONE_NAME && !strcmp(name + len - suffix, SUFFIX) &&
	       !strstr(name, STAND_IN);
}

/* Whether a type is a pointer, or a pointer to a pointer, to a structure of this name. */
static bool points_to(const struct btf *btf, uint32_t id, size_t pointers, const char *name)
{
	const struct btf_type *type = btf__type_by_id(btf, id);

	for (; type && pointers && btf_is_ptr(type); pointers--)
		type = btf__type_by_id(btf, type->type);
	return type && !pointers && btf_is_struct(type) && !strcmp(btf__name_by_offset(btf, type->name_off), name);
}

/* Whether a type is that of the member `enqueue` of struct Qdisc_ops. */
static bool is_enqueue(const struct btf *btf, const struct btf_type *type)
{
	const struct btf_param *parameters;

	if (!type || !btf_is_func_proto(type) || btf_vlen(type) != PARAMETERS)
		return false;
	parameters = btf_params(type);
	return points_to(btf, parameters[0].type, 1, "sk_buff") && points_to(btf, parameters[1].type, 1, "Qdisc") &&
	       points_to(btf, parameters[2].type, 2, "sk_buff");
}

static int load_clone(struct tw_packet_clones *clones, const struct bpf_program *program, const char *function,
		      uint32_t id, int module)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY, .attach_btf_id = id,
		    .attach_btf_obj_fd = module < 0 ? 0 : (uint32_t)module);
	int fd;

	if (clones->n == TW_PACKET_CLONES_MAX)
		return -E2BIG;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, bpf_program__name(program), "GPL", bpf_program__insns(program),
			   bpf_program__insn_cnt(program), &opts);
	if (fd < 0)
		return 0;
	snprintf(clones->functions[clones->n], TW_PACKET_CLONE_NAME, "%s", function);
	clones->programs[clones->n++] = fd;
	return 0;
}

/* Loads programs for the functions whose types have the numbers from @first. @module: its types; -1 = the kernel itself */
static int load_of(struct tw_packet_clones *clones, const struct btf *btf, uint32_t first, int module,
		   const struct bpf_program *program)
{
	const uint32_t n = btf__type_cnt(btf);
	int err = 0;

	for (uint32_t id = first; id < n && !err; id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);
		const char *name = btf_is_func(type) ? btf__name_by_offset(btf, type->name_off) : "";

		if (is_named_so(name) && is_enqueue(btf, btf__type_by_id(btf, type->type)))
			err = load_clone(clones, program, name, id, module);
	}
	return err;
}

/* Whether an object of types is that of a module. */
static bool is_module(int fd)
{
	char name[64] = "";
	struct bpf_btf_info info = { .name = (uint64_t)(uintptr_t)name, .name_len = sizeof(name) };
	uint32_t len = sizeof(info);

	return !bpf_obj_get_info_by_fd(fd, &info, &len) && info.kernel_btf && strcmp(name, "vmlinux") != 0;
}

static int load_of_object(struct tw_packet_clones *clones, uint32_t id, struct btf *kernel,
			  const struct bpf_program *program)
{
	const int fd = bpf_btf_get_fd_by_id(id);
	struct btf *btf;
	int err = 0;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	btf = is_module(fd) ? btf__load_from_kernel_by_id_split(id, kernel) : NULL;
	if (btf)
		err = load_of(clones, btf, btf__type_cnt(kernel), fd, program);
	btf__free(btf);
	close(fd);
	return err;
}

int tw_packet_clones__load(struct tw_packet_clones *clones, struct btf *kernel, const struct bpf_program *program)
{
	int err = clones->has_kernel ? 0 : load_of(clones, kernel, 1, -1, program);

	clones->has_kernel = true;
	while (!err && !bpf_btf_get_next_id(clones->last, &clones->last))
		err = load_of_object(clones, clones->last, kernel, program);
	return err;
}

void tw_packet_clones__fini(struct tw_packet_clones *clones)
{
	while (clones->n)
		close(clones->programs[--clones->n]);
}
