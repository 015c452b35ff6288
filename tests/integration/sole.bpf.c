/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program that is attached to a cgroup alone, for socket-stamps.sh. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

SEC("sockops")
int sole(struct bpf_sock_ops *context)
{
	(void)context;
	return 1;
}

char LICENSE[] SEC("license") = "GPL";
