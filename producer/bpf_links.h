/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaches BPF programs. The kernel detaches them when their links are closed, also when the process is killed. */
#ifndef TW_BPF_LINKS_H
#define TW_BPF_LINKS_H

#include <bpf/bpf.h>
#include <stddef.h>

#define TW_BPF_LINKS_MAX 128

/* The links of attached programs. All zero: none. */
struct tw_bpf_links {
	int fds[TW_BPF_LINKS_MAX];
	size_t n;
};

/** tw_bpf_links__trace() - attach a program to the tracepoint or function for which it was loaded. Return: 0 or -errno */
int tw_bpf_links__trace(struct tw_bpf_links *links, int program);

/**
 * tw_bpf_links__netfilter() - attach a program to the netfilter hook PRE_ROUTING of this network namespace, before all others, for both
 * families. Return: 0 or -errno
 */
int tw_bpf_links__netfilter(struct tw_bpf_links *links, int program);

/** tw_bpf_links__cgroup() - attach a program to a cgroup. Return: 0 or -errno */
int tw_bpf_links__cgroup(struct tw_bpf_links *links, int program, int cgroup, enum bpf_attach_type type);

/** tw_bpf_links__close() - detach the programs. They may still run on other CPUs */
void tw_bpf_links__close(struct tw_bpf_links *links);

/** tw_bpf_programs__await() - wait until programs that began before have ended */
void tw_bpf_programs__await(void);

#endif
