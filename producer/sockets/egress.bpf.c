/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events sockts:egress_ts and sockts:egress_stats of TCP, by the kernel's socket timestamping for BPF (Linux 6.15).
 *
 * The kernel calls the sockops program for a socket that has the flag SK_BPF_CB_TX_TIMESTAMPING. The program sets the flag when a
 * connection is established; egress_existing sets it for connections that exist when the run begins. flags.h describes how the flags are
 * cleared.
 *
 * At the end of each sendmsg(), the kernel calls the program with the last packet of the send queue. The program asks for time stamps of
 * this packet; from then on, its key is the sequence number of its last byte (tskey). Later sends can be added to the packet; it then has
 * the key of the last one. The kernel keeps only one key for a packet, also if the application asks for time stamps (SO_TIMESTAMPING). A
 * key that the application asked for is therefore not replaced: in this case, the later send has the event `sendmsg` only.
 */
#include "producer/sockets/egress_tcp.bpf.h"

/* Numbers of the kernel's interface to user space. They are in <linux/bpf.h> since Linux 6.15. */
#define OP_ACTIVE_ESTABLISHED  4
#define OP_PASSIVE_ESTABLISHED 5
#define OP_SCHED               16
#define OP_SND_SW              17
#define OP_SND_HW              18
#define OP_ACK                 19
#define OP_SENDMSG             20
#define SOL_SOCKET             1
#define SK_BPF_CB_FLAGS        1009
#define FLAG_TX_TIMESTAMPING   1
#define MSG_DONTWAIT           0x40

/* The parts of the kernel's structures that are read, besides those of egress_tcp.bpf.h */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct tcphdr {
	uint16_t source, dest;
	uint32_t seq;
	uint16_t doff : 4;
};

struct sk_buff___inner {
	uint16_t inner_transport_header;
	uint8_t encapsulation : 1;
};

struct bpf_sock_ops_kern {
	struct sock *sk;
	struct sk_buff *skb;
};

#pragma clang attribute pop

extern int bpf_sock_ops_enable_tx_tstamp(struct bpf_sock_ops_kern *, uint64_t)
__ksym __weak;

/* Sets the socket's flag, unless another program has set it. @where: the context of a sockops program, or a socket */
static __always_inline void set_flag(void *where, struct state *state)
{
	uint32_t flags = 0;

	if (bpf_getsockopt(where, SOL_SOCKET, SK_BPF_CB_FLAGS, &flags, sizeof(flags)) || flags & FLAG_TX_TIMESTAMPING)
		return;
	flags |= FLAG_TX_TIMESTAMPING;
	if (!bpf_setsockopt(where, SOL_SOCKET, SK_BPF_CB_FLAGS, &flags, sizeof(flags)))
		state->has_flag = 1;
}

/* A connection was established. */
static __always_inline void begin_socket(struct bpf_sock_ops *context, bool is_active)
{
	struct bpf_sock *sk = context->sk;
	const struct bpf_sock_ops_kern *kern = bpf_cast_to_kern_ctx(context);
	const struct tcp_sock___egress *tcp;
	struct state *state;

	/* This makes the cookie, which is read later. */
	if (!sk || !wants_socket(kern->sk, bpf_get_socket_cookie(context)))
		return;
	state = bpf_sk_storage_get(&egress_sockets, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
	if (!state)
		return;
	tcp = READABLE(kern->sk, struct tcp_sock___egress);
	begin_keys(state, tcp, is_active);
	set_flag(context, state);
}

/* Asks for time stamps of a packet, unless this would change the key that the application gets. */
static __always_inline void enable_stamps(struct bpf_sock_ops_kern *kern, const struct sk_buff___egress *skb,
					  uint32_t last)
{
	const struct skb_shared_info *shared = READABLE(skb->head + skb->end, struct skb_shared_info);
	const struct tcp_skb_cb *cb = READABLE(&skb->cb, struct tcp_skb_cb);

	if ((shared->tx_flags & settings.tx_flags_of_sockets ||
	     BPF_CORE_READ_BITFIELD(cb, txstamp_ack) & TXSTAMP_ACK_OF_SOCKET) &&
	    shared->tskey != last)
		return;
	bpf_sock_ops_enable_tx_tstamp(kern, 0);
}

static __always_inline bool chooses(void)
{
	return settings.has_samples || settings.has_tasks;
}

static __always_inline void note_chosen(struct state *state, uint32_t last)
{
	if (chooses())
		state->chosen[state->n_chosen++ % CHOSEN] = last;
}

/*
 * Whether a packet has the last byte of a message that has events. Another run may have asked for the time stamps of the packet. Messages
 * from before the last CHOSEN ones are not known any more; their packets have events in any case.
 */
static __always_inline bool is_chosen(const struct state *state, uint32_t seq, uint32_t bytes)
{
	const uint32_t n = state->n_chosen;
	uint32_t found = 0;

	if (!chooses())
		return true;
	bytes += !bytes;
	if (n >= CHOSEN && (int32_t)(seq - state->chosen[n % CHOSEN]) < 0)
		return true;
#pragma clang loop unroll(disable)
	for (uint32_t i = 0; i < CHOSEN; i++) {
		uint32_t is_in = i < n && seq - state->chosen[i] < bytes;

		barrier_var(is_in);
		found |= is_in;
	}
	return found;
}

/* The data of sendmsg() are in the send queue. Return: false if it has no events */
static __always_inline bool end_sendmsg(struct bpf_sock_ops_kern *kern, struct state *state, struct stamp *stamp)
{
	const struct sk_buff___egress *skb = (const void *)kern->skb;
	const struct tcp_sock___egress *tcp = READABLE(kern->sk, struct tcp_sock___egress);
	const struct tcp_skb_cb *cb = READABLE(&skb->cb, struct tcp_skb_cb);
	const uint32_t last = cb->seq + skb->len - 1, end = READ(tcp->write_seq);
	uint32_t from = end - READ(skb->len);

	if (state->is_sending)
		from = READ(state->sending_from);
	else if (choose_message(state))
		set_sender(state, from);
	state->is_sending = 0;
	if (!state->is_chosen)
		return false; /* without time stamps, the kernel calls no program for its packets */
	note_chosen(state, last);
	enable_stamps(kern, skb, last);
	stamp->type = TW_SOCKTS_EGRESS_SENDMSG;
	stamp->seq = last;
	stamp->bytes = end - from;
	return true;
}

/*
 * Number of bytes of payload of a packet that has its headers. The headers can be read if they have the ports of the socket, which NAT
 * changes, or if the payload has the byte of the key, which can have left with the packet before (tcp_grow_skb()).
 * Return: 0 if it is unknown, because a tunnel has encrypted the packet
 */
static __always_inline uint32_t count_payload(struct sock *sk, const struct sk_buff___egress *skb, uint32_t key)
{
	const struct sk_buff___inner *inner = (const void *)skb;
	const uint32_t headroom = (uint32_t)READ((uint64_t)skb->data - (uint64_t)skb->head);
	const uint32_t at =
		BPF_CORE_READ_BITFIELD(inner, encapsulation) ? inner->inner_transport_header : skb->transport_header;
	const struct tcphdr *tcp = READABLE(skb->head + at, struct tcphdr);
	const uint32_t bytes = skb->len - (at - headroom) - (uint32_t)BPF_CORE_READ_BITFIELD(tcp, doff) * 4;
	const bool has_ports =
		tcp->dest == sk->__sk_common.skc_dport && tcp->source == bpf_htons(sockets__local_port(sk));

	return bytes <= skb->len && (has_ports || key - bpf_ntohl(tcp->seq) < bytes) ? bytes : 0;
}

/* Whether the packet comes from the protocol, and not from another device that is stacked on this one. */
static __always_inline bool is_at_first_device(const struct sk_buff___egress *skb)
{
	const struct dst_entry *dst = READABLE(skb->_skb_refdst & ~1ul, struct dst_entry);

	return dst && dst->dev == skb->dev;
}

/* Whether a packet at a device is retransmitted: it is passed to its first device after later data, or after itself. */
static __always_inline bool is_retransmitted(const struct tcp_sock___egress *tcp, const struct sk_buff___egress *skb,
					     uint32_t op, uint32_t seq)
{
	return op == OP_SCHED && (int32_t)(seq - tcp->snd_nxt) < 0 && is_at_first_device(skb);
}

/*
 * A packet is passed to a device, sent, or acknowledged. When it is acknowledged, it has no headers, and its device is not known.
 * Return: false if it has no events
 */
static __always_inline bool follow_packet(const struct bpf_sock_ops_kern *kern, uint32_t op, const struct state *state,
					  struct stamp *stamp)
{
	const struct tcp_sock___egress *tcp = READABLE(kern->sk, struct tcp_sock___egress);
	const struct sk_buff___egress *skb = (const void *)kern->skb;
	const struct skb_shared_info *shared = READABLE(skb->head + skb->end, struct skb_shared_info);

	stamp->seq = shared->tskey;
	stamp->type = op == OP_SCHED    ? TW_SOCKTS_EGRESS_SCHED
		      : op == OP_SND_SW ? TW_SOCKTS_EGRESS_SND_SW
		      : op == OP_SND_HW ? TW_SOCKTS_EGRESS_SND_HW
					: TW_SOCKTS_EGRESS_ACK;
	if (tcp->total_retrans)
		set_transmission(kern->sk, stamp, is_retransmitted(tcp, skb, op, stamp->seq));
	if (op == OP_ACK) {
		stamp->bytes = skb->len;
		return is_chosen(state, stamp->seq, stamp->bytes);
	}
	stamp->bytes = count_payload(kern->sk, skb, stamp->seq);
	stamp->ifindex = (uint32_t)skb->dev->ifindex;
	if (op == OP_SND_HW) {
		stamp->hardware = (uint64_t)shared->hwtstamps.hwtstamp;
		stamp->phc = sockets__phc_of(skb->dev);
	}
	return is_chosen(state, stamp->seq, stamp->bytes);
}

SEC("sockops")
int egress_tcp(struct bpf_sock_ops *context)
{
	struct stamp stamp = { .hook = TW_SOCKTS_HOOK_SOCKOPS, .phc = -1 };
	const uint32_t op = context->op;
	struct bpf_sock_ops_kern *kern;
	struct bpf_sock *sk;
	struct state *state;

	if (op == OP_ACTIVE_ESTABLISHED || op == OP_PASSIVE_ESTABLISHED)
		begin_socket(context, op == OP_ACTIVE_ESTABLISHED);
	if (op < OP_SCHED || op > OP_SENDMSG)
		return 1;
	sk = context->sk;
	state = sk ? bpf_sk_storage_get(&egress_sockets, sk, NULL, 0) : NULL;
	if (!state || (op == OP_SENDMSG && sockets__is_own()))
		return 1;
	kern = bpf_cast_to_kern_ctx(context);
	if (op == OP_SENDMSG ? !end_sendmsg(kern, state, &stamp) : !follow_packet(kern, op, state, &stamp))
		return 1;
	record_stamp(kern->sk, state, &stamp);
	if (op == OP_ACK)
		record_stats(kern->sk, READABLE(kern->sk, struct tcp_sock___egress), state, stamp.seq,
			     TW_SOCKTS_HOOK_SOCKOPS);
	return 1;
}

/*
 * Whether sendmsg() continues. The tracepoint is in its loop, which is also passed after waiting for memory. A sendmsg() that may not wait
 * does not continue without progress. @bytes: those that are left
 */
static __always_inline bool continues(const struct state *state, uint32_t from, uint64_t bytes, uint32_t msg_flags)
{
	if (!state->is_sending || bytes + (from - state->sending_from) != state->sending_bytes)
		return false;
	return from != state->sending_from || !(msg_flags & MSG_DONTWAIT);
}

SEC("tp_btf/tcp_sendmsg_locked")
int BPF_PROG(egress_entry, struct sock *sk, struct msghdr *msg)
{
	struct stamp stamp = { .type = TW_SOCKTS_EGRESS_SENDMSG_ENTRY, .hook = TW_SOCKTS_HOOK_TRACEPOINT, .phc = -1 };
	const struct sock___egress *of = (const void *)sk;
	const struct tcp_sock___egress *tcp = READABLE(sk, struct tcp_sock___egress);
	struct state *state;
	uint32_t from;
	uint64_t bytes;

	if (!(of->sk_bpf_cb_flags & FLAG_TX_TIMESTAMPING))
		return 0;
	state = bpf_sk_storage_get(&egress_sockets, sk, NULL, 0);
	if (!state || sockets__is_own())
		return 0;
	from = tcp->write_seq;
	bytes = msg->msg_iter.count;
	if (continues(state, from, bytes, msg->msg_flags))
		return 0;
	state->is_sending = 1;
	state->sending_from = from;
	state->sending_bytes = bytes;
	if (!choose_message(state))
		return 0;
	set_sender(state, from);
	stamp.seq = from + (uint32_t)bytes - 1;
	stamp.bytes = (uint32_t)bytes;
	record_stamp(sk, state, &stamp);
	return 0;
}

/* Run once for each network namespace. Only connections that can send are needed: those that are established later follow by themselves. */
SEC("iter/tcp")
int egress_existing(struct bpf_iter__tcp *context)
{
	struct tcp_sock___egress *tcp;
	struct state *state = begin_existing(context->sk_common, &tcp);

	if (state)
		set_flag(tcp, state);
	return 0;
}
