/* SPDX-License-Identifier: GPL-2.0-or-later */
/* At tc's ingress: drops one of five large packets. */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#include <bpf/bpf_helpers.h>

#define LARGE   500 /* bytes; acknowledgements are smaller */
#define DROPPED 3   /* of PERIOD packets */
#define PERIOD  5

__u64 seen;

SEC("tc")
int drop(struct __sk_buff *skb)
{
	if (skb->len < LARGE)
		return TC_ACT_OK;
	return __sync_fetch_and_add(&seen, 1) % PERIOD == DROPPED ? TC_ACT_SHOT : TC_ACT_OK;
}

char LICENSE[] SEC("license") = "GPL";
