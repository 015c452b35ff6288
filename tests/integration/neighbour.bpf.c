/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sockops program of another tool, for socket-neighbours.sh: it wants time stamps of its sockets, and counts its calls by their
 * operation.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#define SOL_SOCKET      1
#define SK_BPF_CB_FLAGS 1009
#define TX_TIMESTAMPING 1
#define OPS             32

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, OPS);
	__type(key, __u32);
	__type(value, __u64);
} calls SEC(".maps");

SEC("sockops")
int neighbour(struct bpf_sock_ops *context)
{
	const __u32 op = context->op;
	__u32 flags = TX_TIMESTAMPING;
	__u64 *n = bpf_map_lookup_elem(&calls, &op);

	if (n)
		__sync_fetch_and_add(n, 1);
	if (op == BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB) {
		bpf_sock_ops_cb_flags_set(context, BPF_SOCK_OPS_STATE_CB_FLAG);
		bpf_setsockopt(context, SOL_SOCKET, SK_BPF_CB_FLAGS, &flags, sizeof(flags));
	}
	return 1;
}

char LICENSE[] SEC("license") = "GPL";
