/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/bpf_kernel.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Whether the kernel permits a program at the entry of a function. To find out, this loads and attaches one. */
static bool permits_fentry(const struct btf *btf)
{
	const struct bpf_insn insns[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K }, { .code = BPF_JMP | BPF_EXIT } };
	const int function = btf__find_by_name_kind(btf, "tcp_v4_rcv", BTF_KIND_FUNC);
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY,
		    .attach_btf_id = function > 0 ? (uint32_t)function : 0);
	int fd, link = -1;

	if (function <= 0)
		return false;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "tw_probe", "GPL", insns, 2, &opts);
	if (fd >= 0) {
		link = bpf_raw_tracepoint_open(NULL, fd);
		close(fd);
	}
	if (link >= 0)
		close(link);
	return link >= 0;
}

/* libbpf prints nothing; the caller reports the error */
static struct btf *load_btf(void)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct btf *btf = btf__load_vmlinux_btf();

	libbpf_set_print(print);
	return btf;
}

int tw_bpf_kernel__init(struct tw_bpf_kernel *kernel, struct tw_error *error)
{
	*kernel = (struct tw_bpf_kernel){ .cgroup = tw_cgroup__open_root(NULL) };
	kernel->btf = load_btf();
	if (!kernel->btf)
		return tw_error__set(
			error, -EOPNOTSUPP,
			"this kernel has no type information (BTF, /sys/kernel/btf/vmlinux), which BPF programs need");
	kernel->has_fentry = permits_fentry(kernel->btf);
	return 0;
}

void tw_bpf_kernel__fini(struct tw_bpf_kernel *kernel)
{
	btf__free(kernel->btf);
	if (kernel->cgroup >= 0)
		close(kernel->cgroup);
	*kernel = (struct tw_bpf_kernel){ .cgroup = -1 };
}

int tw_bpf_kernel__tracepoint(const struct tw_bpf_kernel *kernel, const char *name)
{
	const struct btf_type *type;
	char text[128];
	int id;

	snprintf(text, sizeof(text), "btf_trace_%s", name);
	id = btf__find_by_name_kind(kernel->btf, text, BTF_KIND_TYPEDEF);
	/* a pointer to a function whose first parameter is not an argument of the tracepoint */
	for (int steps = 0; steps < 2 && id > 0; steps++)
		id = (int)btf__type_by_id(kernel->btf, (uint32_t)id)->type;
	type = id > 0 ? btf__type_by_id(kernel->btf, (uint32_t)id) : NULL;
	return type && btf_is_func_proto(type) && btf_vlen(type) ? btf_vlen(type) - 1 : -ENOENT;
}

bool tw_bpf_kernel__has_function(const struct tw_bpf_kernel *kernel, const char *name)
{
	return btf__find_by_name_kind(kernel->btf, name, BTF_KIND_FUNC) > 0;
}

/* Finds a value of an enum. Return: false if it has no such name */
static bool find_value(const struct btf *btf, const struct btf_type *type, const char *name, uint32_t *ret)
{
	const struct btf_enum *values = btf_enum(type);

	for (uint16_t i = 0; i < btf_vlen(type); i++) {
		if (strcmp(btf__name_by_offset(btf, values[i].name_off), name) != 0)
			continue;
		*ret = (uint32_t)values[i].val;
		return true;
	}
	return false;
}

uint32_t tw_bpf_kernel__enumerator(const struct tw_bpf_kernel *kernel, const char *name)
{
	uint32_t value = 0;
	bool found = false;

	for (uint32_t i = 1; i < btf__type_cnt(kernel->btf) && !found; i++) {
		const struct btf_type *type = btf__type_by_id(kernel->btf, i);

		found = btf_is_enum(type) && find_value(kernel->btf, type, name, &value);
	}
	return value;
}

bool tw_bpf_kernel__has_netfilter(const struct tw_bpf_kernel *kernel)
{
	return btf__find_by_name_kind(kernel->btf, "bpf_nf_link", BTF_KIND_STRUCT) > 0;
}

int tw_cgroup__open_root(char *path)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	const struct mntent *mount;
	int fd = -ENOENT;

	if (!mounts)
		return -errno;
	while (fd == -ENOENT && (mount = getmntent(mounts))) {
		if (strcmp(mount->mnt_type, "cgroup2") != 0)
			continue;
		fd = open(mount->mnt_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		fd = fd < 0 ? -errno : fd;
		if (path)
			snprintf(path, PATH_MAX, "%s", mount->mnt_dir);
	}
	endmntent(mounts);
	return fd;
}
