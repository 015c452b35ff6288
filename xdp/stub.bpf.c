/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF object through which a generated program is loaded. Only the names, the types (BTF) and the licence of this object are used. The
 * kernel requires the types if a program has a callback, and libxdp requires them if several programs share an interface. The instructions
 * below are replaced by the generated ones before the kernel loads the program.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

static long tw_record(__u32 i, void *data)
{
	*(__u32 *)data += i;
	return 0;
}

SEC("tracewire")
int tw_classify(struct xdp_md *context)
{
	__u32 data = 0;

	(void)context;
	bpf_loop(1, tw_record, &data, 0);
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "GPL";
