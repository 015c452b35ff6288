/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slow programs for tc: they delay each short packet, such as the requests for a clock and the responses. */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#include <bpf/bpf_helpers.h>

#define DELAY_NS  400000
#define SHORT     256       /* largest length of a packet that is delayed, bytes */
#define ROUND_MAX (1 << 20) /* far more than DELAY_NS takes */

static long is_over(__u32 round, void *end)
{
	(void)round;
	return bpf_ktime_get_ns() >= *(__u64 *)end;
}

static int spin(const struct __sk_buff *skb, __u64 ns)
{
	__u64 end = bpf_ktime_get_ns() + ns;

	if (skb->len <= SHORT)
		bpf_loop(ROUND_MAX, is_over, &end, 0);
	return TC_ACT_OK;
}

SEC("tc/constant")
int constant(struct __sk_buff *skb)
{
	return spin(skb, DELAY_NS);
}

SEC("tc/jitter")
int jitter(struct __sk_buff *skb)
{
	return spin(skb, bpf_get_prandom_u32() % DELAY_NS);
}

char LICENSE[] SEC("license") = "GPL";
