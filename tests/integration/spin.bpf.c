/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A slow program at tc's ingress: it delays each packet by SPIN_NS. */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#include <bpf/bpf_helpers.h>

#define SPIN_NS   5000000
#define ROUND_MAX (1 << 23) /* the kernel's limit for bpf_loop() */

static long is_over(__u32 round, void *end)
{
	(void)round;
	return bpf_ktime_get_ns() >= *(__u64 *)end;
}

SEC("tc")
int spin(struct __sk_buff *skb)
{
	__u64 end = bpf_ktime_get_ns() + SPIN_NS;

	(void)skb;
	bpf_loop(ROUND_MAX, is_over, &end, 0);
	return TC_ACT_OK;
}

char LICENSE[] SEC("license") = "GPL";
