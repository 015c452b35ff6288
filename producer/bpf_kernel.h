/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the running kernel permits BPF programs to be attached to. */
#ifndef TW_BPF_KERNEL_H
#define TW_BPF_KERNEL_H

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* For <linux/bpf.h> before Linux 6.4 */
#define TW_BPF_PROG_NETFILTER   32
#define TW_BPF_ATTACH_NETFILTER 45

/* All zero, except for @cgroup: nothing is known. */
struct tw_bpf_kernel {
	struct btf *btf;
	bool has_fentry;
	int cgroup; /* root of cgroup2; -1 = none */
};

/**
 * tw_bpf_kernel__init() - find out what the kernel permits
 * Return: 0 or -errno with @error filled; call tw_bpf_kernel__fini() in either case.
 */
int tw_bpf_kernel__init(struct tw_bpf_kernel *kernel, struct tw_error *error);
void tw_bpf_kernel__fini(struct tw_bpf_kernel *kernel);

/** tw_bpf_kernel__tracepoint() - Return: the number of arguments of a tracepoint; -ENOENT if the kernel does not have it */
int tw_bpf_kernel__tracepoint(const struct tw_bpf_kernel *kernel, const char *name);

/** tw_bpf_kernel__has_function() - whether the kernel has a function of this name, for example a kfunc */
bool tw_bpf_kernel__has_function(const struct tw_bpf_kernel *kernel, const char *name);

/** tw_bpf_kernel__enumerator() - Return: the value of an enumerator of the kernel; 0 if the kernel does not have it */
uint32_t tw_bpf_kernel__enumerator(const struct tw_bpf_kernel *kernel, const char *name);

/** tw_bpf_kernel__has_netfilter() - whether programs can be attached to netfilter hooks (Linux 6.4) */
bool tw_bpf_kernel__has_netfilter(const struct tw_bpf_kernel *kernel);

/** tw_cgroup__open_root() - open the mount point of cgroup2. @path: NULL, or gets its path, PATH_MAX bytes. Return: descriptor or -errno */
int tw_cgroup__open_root(char *path);

#endif
