/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Another owner's XDP program: it passes all frames, and does not support fragments. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

SEC("xdp")
int stranger(struct xdp_md *context)
{
	(void)context;
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "GPL";
