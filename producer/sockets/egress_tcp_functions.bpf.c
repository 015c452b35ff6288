/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events sockts:egress_ts and sockts:egress_stats of TCP, for kernels without socket timestamping for BPF (before Linux 6.15).
 *
 * tcp_push() is called at the end of each sendmsg(), before its data can leave. There, the sequence number of the last byte becomes a key.
 * As the kernel's time stamps have one key for a packet of the send queue, so has this file: a key in the same packet replaces the one
 * before, unless the application has asked for a time stamp of that one (SO_TIMESTAMPING). A packet at a device has the last key among its
 * bytes. The kernel calls tcp_rate_skb_delivered() for each packet that is acknowledged, just before its own time stamp.
 */
#include "producer/sockets/egress_tcp.bpf.h"

#define KEYS           256 /* a power of two */
#define KEYS_BITS      8
#define STATE_SYN_SENT 2
#define STATE_SYN_RECV 3
#define NAGLE_PUSH     4 /* the argument of tcp_push() if sendmsg() goes on to wait for memory */

/* The parts of the kernel's structures that are read, besides those of egress_tcp.bpf.h */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sk_buff_head {
	struct sk_buff *prev;
	uint32_t qlen;
};

struct sock___queue {
	struct sk_buff_head sk_write_queue;
	struct dst_entry *sk_dst_cache;
};

struct sk_buff___inner {
	uint16_t inner_transport_header;
	uint8_t encapsulation : 1;
};

struct tcp_skb_cb___end {
	uint32_t end_seq;
};

#pragma clang attribute pop

/*
 * The keys of packets that were not acknowledged. Only programs that the socket's lock protects change them. If there are too many, the
 * oldest one is lost.
 */
struct keys {
	uint32_t first, end; /* numbers of the oldest key, and after the newest one */
	uint32_t pushed;     /* sequence number after the last sendmsg() */
	uint32_t is_pushed;  /* 1 = @pushed is valid */
	uint32_t seqs[KEYS];
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct keys);
} egress_keys SEC(".maps");

/* Finds the number of the first key that is not before a byte. */
static __always_inline uint32_t find_number(const struct keys *keys, uint32_t seq)
{
	uint32_t low = keys->first, high = keys->end;

	for (uint32_t i = 0; i <= KEYS_BITS && low != high; i++) {
		const uint32_t middle = low + (high - low) / 2;

		if ((int32_t)(keys->seqs[middle % KEYS] - seq) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Finds the last key among the bytes from @from to @end. Return: whether there is one */
static __always_inline bool find_last(const struct keys *keys, uint32_t from, uint32_t end, uint32_t *ret)
{
	const uint32_t number = find_number(keys, end);

	if (number == keys->first)
		return false;
	*ret = keys->seqs[(number - 1) % KEYS];
	return (int32_t)(*ret - from) >= 0;
}

static __always_inline void count_lost(void)
{
	uint32_t number;
	struct tw_sockts_cpu *of_cpu = sockets__this_cpu(&number);

	if (of_cpu)
		__sync_fetch_and_add(&of_cpu->lost, 1);
}

/* Adds a key, in the place of those from @from, which are in the same packet. */
static __always_inline void add_key(struct keys *keys, uint32_t from, uint32_t seq)
{
	const uint32_t number = find_number(keys, from);

	if (number - keys->first >= KEYS) {
		keys->first = number - KEYS + 1;
		count_lost();
	}
	keys->seqs[number % KEYS] = seq;
	barrier();
	keys->end = number + 1;
}

/* Whether the application has asked for a time stamp of a packet, with another key. */
static __always_inline bool is_of_application(const struct sk_buff___egress *skb, const struct tcp_skb_cb *cb,
					      uint32_t last)
{
	const struct skb_shared_info *shared = (const void *)(BPF_CORE_READ(skb, head) + BPF_CORE_READ(skb, end));

	return (BPF_CORE_READ(shared, tx_flags) & settings.tx_flags_of_sockets ||
		BPF_CORE_READ_BITFIELD_PROBED(cb, txstamp_ack) & TXSTAMP_ACK_OF_SOCKET) &&
	       BPF_CORE_READ(shared, tskey) != last;
}

static __always_inline struct keys *find_keys(struct sock *sk, uint64_t flags)
{
	return bpf_sk_storage_get(&egress_keys, sk, NULL, flags);
}

static __always_inline struct state *find_state(struct sock *sk)
{
	return bpf_sk_storage_get(&egress_sockets, sk, NULL, 0);
}

static __always_inline struct state *begin_socket(struct sock *sk, bool is_active)
{
	const struct tcp_sock___egress *tcp = (const void *)bpf_skc_to_tcp_sock(sk);
	struct state *state;

	/* This makes the cookie, which is read later. */
	if (!tcp || !wants_socket(sk, bpf_get_socket_cookie(sk)))
		return NULL;
	state = bpf_sk_storage_get(&egress_sockets, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
	if (state)
		begin_keys(state, tcp, is_active);
	return state;
}

SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(egress_tcp_begin, struct sock *sk, int before, int now)
{
	if (now == STATE_ESTABLISHED && sk->sk_protocol == PROTOCOL_TCP)
		begin_socket(sk, before == STATE_SYN_SENT);
	return 0;
}

/* A task begins to send. */
static __always_inline void begin_sendmsg(struct sock *sk, uint32_t bytes, bool goes_on)
{
	struct stamp stamp = { .type = TW_SOCKTS_EGRESS_SENDMSG_ENTRY, .hook = TW_SOCKTS_HOOK_FUNCTION, .phc = -1 };
	const struct tcp_sock___egress *tcp;
	struct state *state = find_state(sk);
	uint32_t from;

	/* A server can send before the handshake ends (TCP Fast Open). */
	if (!state && sk->__sk_common.skc_state == STATE_SYN_RECV)
		state = begin_socket(sk, false);
	if (!state || sockets__is_own())
		return;
	tcp = (const void *)bpf_skc_to_tcp_sock(sk);
	if (!tcp)
		return;
	from = READ(tcp->write_seq);
	if (goes_on && state->is_sending && from != state->sending_from)
		return;
	state->is_sending = 1;
	state->sending_from = from;
	state->sending_bytes = bytes;
	if (!choose_message(state))
		return;
	set_sender(state, from);
	stamp.seq = from + bytes - 1;
	stamp.bytes = bytes;
	record_stamp(sk, state, &stamp);
}

SEC("fentry/tcp_sendmsg_locked")
int BPF_PROG(egress_tcp_entry, struct sock *sk, struct msghdr *msg, size_t size)
{
	begin_sendmsg(sk, (uint32_t)size, false);
	return 0;
}

/* sendfile() before Linux 6.5 passes pages one at a time. Several can be one message. */
SEC("fentry/do_tcp_sendpages")
int BPF_PROG(egress_tcp_pages, struct sock *sk, void *page, int offset, size_t size)
{
	begin_sendmsg(sk, (uint32_t)size, true);
	return 0;
}

/* The data of sendmsg() are in the send queue. The last packet of the queue can already have been sent if not all data could be queued. */
static __always_inline void end_sendmsg(struct sock *sk, uint32_t end, struct state *state, struct keys *keys)
{
	const struct sock___queue *of = (const void *)sk;
	const struct sk_buff___egress *tail = (const void *)READ(of->sk_write_queue.prev);
	struct stamp stamp = {
		.type = TW_SOCKTS_EGRESS_SENDMSG, .hook = TW_SOCKTS_HOOK_FUNCTION, .seq = end - 1, .phc = -1
	};
	const struct tcp_skb_cb *cb = (const void *)&tail->cb;
	uint32_t packet = end - 1, from = keys->is_pushed ? keys->pushed : end;
	bool replaces = true;

	if (READ(of->sk_write_queue.qlen)) {
		packet = BPF_CORE_READ(cb, seq);
		replaces = !is_of_application(tail, cb, end - 1);
		if (!keys->is_pushed)
			from = end - BPF_CORE_READ(tail, len);
	}
	if (state->is_sending)
		from = READ(state->sending_from);
	else if (choose_message(state))
		set_sender(state, from);
	state->is_sending = 0;
	keys->pushed = end;
	keys->is_pushed = 1;
	if (!state->is_chosen)
		return;
	if (replaces)
		add_key(keys, packet, end - 1);
	stamp.bytes = end - from;
	record_stamp(sk, state, &stamp);
}

SEC("fentry/tcp_push")
int BPF_PROG(egress_tcp_push, struct sock *sk, int flags, int mss, int nagle)
{
	struct state *state = find_state(sk);
	const struct tcp_sock___egress *tcp;
	struct keys *keys;
	uint32_t end;

	if (!state || sockets__is_own())
		return 0;
	tcp = (const void *)bpf_skc_to_tcp_sock(sk);
	keys = find_keys(sk, BPF_SK_STORAGE_GET_F_CREATE);
	if (!tcp || !keys)
		return 0;
	end = READ(tcp->write_seq);
	if (keys->is_pushed && keys->pushed == end)
		return 0;
	if (nagle == NAGLE_PUSH && state->is_sending && end - state->sending_from < state->sending_bytes)
		return 0;
	end_sendmsg(sk, end, state, keys);
	return 0;
}

/* Finds the bytes of a packet that has its headers, also in a tunnel. Return: false if it has no data of TCP */
static __always_inline bool find_bytes(const struct sk_buff___egress *skb, uint32_t *ret_seq, uint32_t *ret_bytes)
{
	const struct sk_buff___inner *inner = (const void *)skb;
	const uint32_t headroom = (uint32_t)((uint64_t)skb->data - (uint64_t)skb->head);
	const uint32_t at = BPF_CORE_READ_BITFIELD_PROBED(inner, encapsulation) ? inner->inner_transport_header
										: skb->transport_header;
	const uint32_t before = at - headroom;
	struct tcp header;
	uint32_t length;

	if (bpf_probe_read_kernel(&header, sizeof(header), skb->head + at))
		return false;
	length = before + (header.offset >> 4) * 4u;
	*ret_seq = bpf_ntohl(header.seq);
	*ret_bytes = skb->len - length;
	return skb->len > length;
}

/* Whether a packet at a device is retransmitted: it is passed to its first device after later data, or after itself. */
static __always_inline bool is_retransmitted(const struct sock *sk, const struct sk_buff___egress *skb,
					     const struct stamp *stamp)
{
	const struct tcp_sock___egress *tcp = (const void *)sk;
	const struct sock___queue *of = (const void *)sk; /* the packet has lost its own destination */

	return stamp->type == TW_SOCKTS_EGRESS_SCHED && (int32_t)(stamp->seq - BPF_CORE_READ(tcp, snd_nxt)) < 0 &&
	       BPF_CORE_READ(of, sk_dst_cache, dev) == skb->dev;
}

static __always_inline int follow_packet(struct sk_buff *packet, enum tw_sockts_egress_type type)
{
	const struct sk_buff___egress *skb = (const void *)packet;
	struct stamp stamp = { .type = type, .hook = TW_SOCKTS_HOOK_TRACEPOINT, .phc = -1 };
	struct sock *sk = packet->sk;
	const struct state *state;
	const struct keys *keys;
	uint32_t seq;

	if (!sk || sk->sk_protocol != PROTOCOL_TCP)
		return 0;
	state = find_state(sk);
	keys = state ? find_keys(sk, 0) : NULL;
	if (!keys || !find_bytes(skb, &seq, &stamp.bytes) || !find_last(keys, seq, seq + stamp.bytes, &stamp.seq))
		return 0;
	/* bpf_skc_to_tcp_sock() does not permit the socket of a packet */
	if (BPF_CORE_READ((const struct tcp_sock___egress *)(const void *)sk, total_retrans))
		set_transmission(sk, &stamp, is_retransmitted(sk, skb, &stamp));
	stamp.ifindex = (uint32_t)packet->dev->ifindex;
	record_stamp(sk, state, &stamp);
	return 0;
}

SEC("tp_btf/net_dev_queue")
int BPF_PROG(egress_tcp_sched, struct sk_buff *skb)
{
	return follow_packet(skb, TW_SOCKTS_EGRESS_SCHED);
}

SEC("tp_btf/net_dev_start_xmit")
int BPF_PROG(egress_tcp_sent, struct sk_buff *skb)
{
	return follow_packet(skb, TW_SOCKTS_EGRESS_SND_SW);
}

/*
 * A packet, or a part of it that was removed from its begin, is acknowledged. The function is also called for packets that only SACK
 * acknowledges: they begin after the first byte that is missing. Of a packet with several keys, only the last one counts.
 */
SEC("fentry/tcp_rate_skb_delivered")
int BPF_PROG(egress_tcp_ack, struct sock *sk, struct sk_buff *packet)
{
	struct stamp stamp = { .type = TW_SOCKTS_EGRESS_ACK, .hook = TW_SOCKTS_HOOK_FUNCTION, .phc = -1 };
	const struct sk_buff___egress *skb = (const void *)packet;
	const struct tcp_skb_cb *cb = (const void *)&skb->cb;
	const struct tcp_skb_cb___end *cb_end = (const void *)cb;
	const struct state *state = find_state(sk);
	struct keys *keys = state ? find_keys(sk, 0) : NULL;
	const struct tcp_sock___egress *tcp;
	uint32_t end, number;

	if (!keys || keys->first == keys->end)
		return 0;
	tcp = (const void *)bpf_skc_to_tcp_sock(sk);
	if (!tcp)
		return 0;
	end = READ(tcp->snd_una);
	if ((int32_t)(BPF_CORE_READ(cb, seq) - end) > 0)
		return 0;
	if ((int32_t)(BPF_CORE_READ(cb_end, end_seq) - end) < 0)
		end = BPF_CORE_READ(cb_end, end_seq);
	number = find_number(keys, end);
	if (number == keys->first)
		return 0;
	stamp.seq = READ(keys->seqs[(number - 1) % KEYS]);
	stamp.bytes = packet->len;
	keys->first = number;
	if (tcp->total_retrans)
		set_transmission(sk, &stamp, false);
	record_stamp(sk, state, &stamp);
	record_stats(sk, tcp, state, stamp.seq, TW_SOCKTS_HOOK_FUNCTION);
	return 0;
}

SEC("iter/tcp")
int egress_tcp_before(struct bpf_iter__tcp *context)
{
	struct tcp_sock___egress *tcp;

	begin_existing(context->sk_common, &tcp);
	return 0;
}
