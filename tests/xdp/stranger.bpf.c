/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Somebody else's XDP program: it passes all, and knows no fragments. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

SEC("xdp")
int stranger(struct xdp_md *context)
{
	(void)context;
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "GPL";
