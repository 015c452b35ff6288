/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clears flags of sockets. flags.c replaces both maps by those of runs, which egress.bpf.c describes. */
#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/bpf_helpers.h>

#define SOL_SOCKET           1
#define SK_BPF_CB_FLAGS      1009
#define FLAG_TX_TIMESTAMPING 1u

struct sock_common;

struct bpf_iter__tcp {
	void *meta;
	struct sock_common *sk_common;
};

/* The beginning of what a run knows about a socket. */
struct mark {
	uint32_t has_flag; /* 1 = this run has set the flag of the socket */
};

struct marks_map {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct mark);
};

struct marks_map marks SEC(".maps"); /* of the run that has ended */
struct marks_map heirs SEC(".maps"); /* of another run, which goes on */

/* Hands the flags that the other run needs over to it. */
SEC("iter/tcp")
int hand_over(struct bpf_iter__tcp *context)
{
	void *sk = context->sk_common ? bpf_skc_to_tcp_sock(context->sk_common) : NULL;
	struct mark *mark = sk ? bpf_sk_storage_get(&marks, sk, NULL, 0) : NULL;
	struct mark *heir = mark && mark->has_flag ? bpf_sk_storage_get(&heirs, sk, NULL, 0) : NULL;

	if (!heir)
		return 0;
	heir->has_flag = 1;
	mark->has_flag = 0;
	return 0;
}

SEC("iter/tcp")
int clear(struct bpf_iter__tcp *context)
{
	void *sk = context->sk_common ? bpf_skc_to_tcp_sock(context->sk_common) : NULL;
	const struct mark *mark = sk ? bpf_sk_storage_get(&marks, sk, NULL, 0) : NULL;
	uint32_t flags;

	if (!mark || !mark->has_flag || bpf_getsockopt(sk, SOL_SOCKET, SK_BPF_CB_FLAGS, &flags, sizeof(flags)))
		return 0;
	flags &= ~FLAG_TX_TIMESTAMPING;
	bpf_setsockopt(sk, SOL_SOCKET, SK_BPF_CB_FLAGS, &flags, sizeof(flags));
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
