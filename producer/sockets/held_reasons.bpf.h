/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to sockets. Why the kernel does not send the first packet of a send queue, for held.bpf.c. The tests are those of
 * tcp_write_xmit() (net/ipv4/tcp_output.c), with the fields of the socket that the kernel compares. A packet that netfilter has dropped
 * leaves no trace in the socket, so these are noted here.
 */
#ifndef TW_HELD_REASONS_BPF_H
#define TW_HELD_REASONS_BPF_H

#include "producer/sockets/sockets.bpf.h"

#define FLAG_FIN        1
#define NAGLE_CORK      2
#define NAGLE_PUSH      4
#define PACING_NEEDED   1   /* enum sk_pacing */
#define TIMER_IS_QUEUED 1   /* HRTIMER_STATE_ENQUEUED */
#define TSQ_FLAGS       3ul /* TSQ_THROTTLED, and TSQ_QUEUED, which replaces it until the socket is called */
#define DROPPED_MAX     1024

/* The parts of the kernel's structures that are read; libbpf adapts the offsets to the running kernel. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sk_buff___queue {
	struct sk_buff___queue *next;
	unsigned int len;
	char cb[48];
};

struct sk_buff_head {
	struct sk_buff___queue *next;
};

struct sock___queue {
	struct sk_buff_head sk_write_queue;
	unsigned long sk_tsq_flags;
	uint32_t sk_pacing_status;
};

struct hrtimer {
	uint8_t state;
};

struct hrtimer___later {
	bool is_queued;
};

struct tcp_sock {
	uint32_t write_seq, snd_nxt, snd_una, snd_wnd, snd_sml, snd_cwnd, mss_cache;
	uint32_t packets_out, sacked_out, lost_out, retrans_out;
	uint8_t nonagle : 4;
	struct hrtimer pacing_timer;
};

struct tcp_skb_cb {
	uint32_t seq, end_seq;
	uint16_t tcp_flags;
};

#pragma clang attribute pop

/* The packet of a socket that netfilter dropped last. */
struct dropped {
	uint32_t seq;
};

/* The key is the address of the socket. A program that sees a dropped packet cannot reach the state of its socket. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, DROPPED_MAX);
	__type(key, uint64_t);
	__type(value, struct dropped);
} held_dropped_packets SEC(".maps");

static __always_inline bool is_pacing(struct tcp_sock *tcp)
{
	const struct sock___queue *sk = (const void *)tcp;
	const struct hrtimer___later *later = (const void *)&tcp->pacing_timer;

	if (sk->sk_pacing_status != PACING_NEEDED)
		return false;
	return bpf_core_field_exists(later->is_queued) ? later->is_queued : tcp->pacing_timer.state & TIMER_IS_QUEUED;
}

/* The first packet of the send queue. */
struct head {
	uint32_t seq, end, len;
	bool is_last, has_fin;
};

/* Return: false if there is none with data, or if it changes meanwhile */
static __always_inline bool read_head(struct tcp_sock *tcp, uint32_t from, struct head *ret)
{
	const struct sock___queue *sk = (const void *)tcp;
	const struct sk_buff___queue *skb = sk->sk_write_queue.next;
	const struct tcp_skb_cb *cb = (const void *)&skb->cb;
	const uint64_t end = (uint64_t)&sk->sk_write_queue;

	if (!skb || (uint64_t)skb == end)
		return false;
	ret->len = skb->len;
	ret->is_last = (uint64_t)skb->next == end;
	ret->seq = BPF_CORE_READ(cb, seq);
	ret->end = BPF_CORE_READ(cb, end_seq);
	ret->has_fin = BPF_CORE_READ_BITFIELD_PROBED(cb, tcp_flags) & FLAG_FIN;
	return ret->len && ret->seq == from;
}

/* As the kernel's tcp_nagle_test(), for a packet that is not full. Return: the reason, 0 = it may be sent */
static __always_inline uint32_t test_nagle(struct tcp_sock *tcp, const struct head *head)
{
	const uint32_t nonagle = (uint32_t)BPF_CORE_READ_BITFIELD(tcp, nonagle), small = tcp->snd_sml;

	if (!head->is_last || head->has_fin || nonagle & NAGLE_PUSH)
		return 0;
	if (nonagle & NAGLE_CORK)
		return TW_SOCKTS_HELD_CORK;
	return !nonagle && tcp->packets_out && (int32_t)(small - tcp->snd_una) > 0 &&
			       (int32_t)(small - tcp->snd_nxt) <= 0
		       ? TW_SOCKTS_HELD_NAGLE
		       : 0;
}

/* Netfilter has dropped a packet of a socket. */
static __always_inline void note_dropped(const struct sock *sk, uint32_t seq)
{
	const uint64_t key = (uint64_t)sk;
	const struct dropped dropped = { .seq = seq };

	bpf_map_update_elem(&held_dropped_packets, &key, &dropped, BPF_ANY);
}

/* Whether netfilter has dropped the packet that begins with the first unsent byte; the kernel sends it again after a time. */
static __always_inline bool is_dropped(struct tcp_sock *tcp, uint32_t from)
{
	const uint64_t key = (uint64_t)tcp;
	const struct dropped *dropped = bpf_map_lookup_elem(&held_dropped_packets, &key);

	return dropped && dropped->seq == from;
}

/*
 * Why the kernel does not send the first packet of the send queue, in the order of the tests in tcp_write_xmit(). A packet of several segments
 * that passes the other tests is held only if it does not fit one of the windows as a whole (tcp_tso_should_defer()). Return: 0 = not known
 */
static __always_inline uint32_t find_reason(struct tcp_sock *tcp, const struct head *head)
{
	const struct sock___queue *sk = (const void *)tcp;
	const uint32_t in_flight = tcp->packets_out - tcp->sacked_out - tcp->lost_out + tcp->retrans_out;
	const uint32_t mss = tcp->mss_cache, window_end = tcp->snd_una + tcp->snd_wnd, cwnd = tcp->snd_cwnd;
	const bool is_one = head->len <= mss;
	const uint32_t first_end = is_one ? head->end - head->has_fin : head->seq + mss;
	const uint32_t window = window_end - head->seq, quota = (cwnd - in_flight) * mss;
	uint32_t reason;

	if (is_pacing(tcp))
		return TW_SOCKTS_HELD_PACING;
	if ((int32_t)(in_flight - cwnd) >= 0)
		return TW_SOCKTS_HELD_CWND;
	if ((int32_t)(first_end - window_end) > 0)
		return TW_SOCKTS_HELD_RWND;
	reason = head->len < mss ? test_nagle(tcp, head) : 0;
	if (reason)
		return reason;
	if (sk->sk_tsq_flags & TSQ_FLAGS)
		return TW_SOCKTS_HELD_TSQ;
	if (!is_one && (head->len > quota || head->len > window))
		return quota < window ? TW_SOCKTS_HELD_CWND : TW_SOCKTS_HELD_RWND;
	return is_dropped(tcp, head->seq) ? TW_SOCKTS_HELD_NETFILTER : 0;
}

#endif
