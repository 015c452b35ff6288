/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An iterator that prints a line for each TCP socket that has a flag for time stamps by BPF (SK_BPF_CB_FLAGS). */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define SOL_SOCKET      1
#define SK_BPF_CB_FLAGS 1009

struct seq_file;
struct sock_common;

struct bpf_iter_meta {
	struct seq_file *seq;
} __attribute__((preserve_access_index));

struct bpf_iter__tcp {
	struct bpf_iter_meta *meta;
	struct sock_common *sk_common;
};

SEC("iter/tcp")
int flagged(struct bpf_iter__tcp *context)
{
	static const char line[] = "flagged\n";
	void *sk = context->sk_common ? bpf_skc_to_tcp_sock(context->sk_common) : NULL;
	__u32 flags = 0;

	if (sk && !bpf_getsockopt(sk, SOL_SOCKET, SK_BPF_CB_FLAGS, &flags, sizeof(flags)) && flags)
		bpf_seq_write(context->meta->seq, line, sizeof(line) - 1);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
