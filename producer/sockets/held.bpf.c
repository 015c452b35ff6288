/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event sockts:held: why data of TCP waited in the send queue, or in sendmsg().
 *
 * The kernel has no hook where it decides not to send. The fields that it tests (held_reasons.bpf.h) change only when data are sent, when
 * a segment is received, and when a timer expires. The programs therefore look at these fields after each sendmsg(), and at each received
 * segment before the kernel processes it. What they find has kept the first unsent byte waiting since they last looked, or since the byte
 * before it was sent. The wait ends when a packet with this byte passes the egress hook of the root cgroup. Time in which the programs
 * found no reason is in no event.
 *
 * If netfilter drops a packet that TCP sends, the kernel keeps its data in the send queue, and tries again after a time.
 *
 * A sendmsg() that needs room in the send buffer waits, or fails if it may not wait (O_NONBLOCK). This wait is independent of the others: the
 * bytes in the send buffer wait for another reason.
 */
#include "producer/sockets/sockets.bpf.h"

#include "producer/sockets/held_reasons.bpf.h"

#define SOCK_STREAM 1
#define STATES_SENDING \
	(1u << 1 | 1u << 4 | 1u << 8 | 1u << 9 | 1u << 11) /* ESTABLISHED, FIN_WAIT1, CLOSE_WAIT, LAST_ACK, CLOSING */

#define IPV6_HOP_BY_HOP     0
#define IPV6_ROUTING        43
#define IPV6_DESTINATION    60
#define IPV6_EXTENSIONS_MAX 4 /* hop-by-hop, destination, routing, destination */

#define NOSPACE    (1ul << 2) /* SOCK_NOSPACE */
#define SKB_MEMORY 4096       /* at least what the kernel's structures for a packet take from the send buffer */

/* The parts of the kernel's structures that are read; libbpf adapts the offsets to the running kernel. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct socket {
	unsigned long flags;
};

struct sock___held {
	struct socket *sk_socket;
	uint16_t sk_type;
	int sk_write_pending, sk_wmem_queued, sk_sndbuf;
};

struct iov_iter {
	size_t count;
};

struct msghdr {
	struct iov_iter msg_iter;
};

#pragma clang attribute pop

enum skb_drop_reason___held { SKB_DROP_REASON_NETFILTER_DROP = 1 };

/* The wait of a sendmsg() for room in the send buffer. */
struct buffer_wait {
	uint64_t since; /* 0 = there is none, or it may still be possible to go on without one */
	uint64_t seen;  /* when the programs last saw that it lasts; 0 = never */
	int32_t pid; /* the task that waits in sendmsg(); 0 = a sendmsg() has failed, and its task may do something else */
	uint32_t unused;
};

/*
 * What is known about a socket that had to wait. The memory belongs to the kernel's socket, and is freed with it. After sendmsg(), the socket is
 * not locked, so a segment can be processed at the same time. A state that does not fit the socket then is corrected at the next look.
 */
struct state {
	uint64_t
		since; /* since when the first unsent byte has waited, or the reason has been the same; 0 = no data wait */
	uint64_t seen; /* when the programs last looked */
	uint32_t from; /* sequence number of the first unsent byte */
	uint32_t bytes;
	uint32_t reason; /* enum tw_sockts_held_reason; 0 = none was found */
	uint32_t unused;
	struct buffer_wait buffer;
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct state);
} held_sockets SEC(".maps");

/* A wait that has ended. */
struct wait {
	uint64_t since, until;
	uint32_t seq, bytes, reason;
	uint32_t hook;
};

static __always_inline uint64_t cookie_of(const struct tcp_sock *tcp)
{
	return (uint64_t)((const struct sock *)tcp)->__sk_common.skc_cookie.counter;
}

static __always_inline bool wants(struct tcp_sock *tcp, uint32_t reason)
{
	const volatile struct tw_sockts_condition *condition = sockets__condition(TW_SOCKTS_held);
	struct tw_sockts_socket socket;
	struct tw_sockts_facts facts;

	if (!condition->n)
		return true;
	sockets__know_tcp(condition, &socket, &facts, (struct sock *)tcp);
	facts.reason = reason;
	return tw_sockts_condition__passes(condition, &socket, &facts);
}

static __always_inline void record(struct tcp_sock *tcp, const struct wait *wait)
{
	struct tw_sockts_held *event;

	if (wait->until <= wait->since || !wants(tcp, wait->reason))
		return;
	event = sockets__reserve(sizeof(*event));
	if (!event)
		return;
	__builtin_memset(event, 0, sizeof(*event));
	sockets__set_common(&event->common, TW_SOCKTS_ID_held);
	sockets__set_identity(event, (struct sock *)tcp, cookie_of(tcp), PROTOCOL_TCP);
	event->since = wait->since;
	event->waited = wait->until - wait->since;
	event->seq = wait->seq;
	event->bytes = wait->bytes;
	event->reason = (uint8_t)wait->reason;
	event->hook = (uint8_t)wait->hook;
	sockets__submit(event);
}

/* The first unsent byte has waited until @until, for the reason that was found last. */
static __always_inline void record_head(struct tcp_sock *tcp, const struct state *state, uint64_t until, uint32_t hook)
{
	const struct wait wait = { .since = state->since,
				   .until = until,
				   .seq = state->from,
				   .bytes = state->bytes,
				   .reason = state->reason,
				   .hook = hook };

	if (state->reason)
		record(tcp, &wait);
}

/* A socket of TCP as the kernel's type; NULL if it is another one, or only a part of a connection of MPTCP */
static __always_inline struct tcp_sock *as_tcp(struct sock *sk)
{
	const struct sock___held *of = (const void *)sk;

	if (sk->sk_protocol != PROTOCOL_TCP || of->sk_type != SOCK_STREAM)
		return NULL;
	return (void *)bpf_skc_to_tcp_sock(sk);
}

static __always_inline struct state *find_state(struct tcp_sock *tcp)
{
	return bpf_sk_storage_get(&held_sockets, tcp, NULL, 0);
}

/* The state of a socket; NULL if it can have no events that are wanted. @cookie: makes the cookie, which is read later */
static __always_inline struct state *get_state(struct tcp_sock *tcp, uint64_t cookie)
{
	if (!sockets__wants_socket(TW_SOCKTS_held, (struct sock *)tcp, cookie, PROTOCOL_TCP))
		return NULL;
	return bpf_sk_storage_get(&held_sockets, tcp, NULL, BPF_SK_STORAGE_GET_F_CREATE);
}

/* Sets what is known at @now about the first unsent byte. If it has waited for another reason before, this wait has ended. */
static __always_inline void set_reason(struct tcp_sock *tcp, struct state *state, uint32_t reason, uint64_t now)
{
	if (state->reason && state->reason != reason) {
		record_head(tcp, state, state->seen, TW_SOCKTS_HOOK_TRACEPOINT);
		state->since = state->seen;
	}
	if (!reason)
		state->since = now;
	state->reason = reason;
	state->seen = now;
}

/* The first unsent byte is another one now, which waits since @now. */
static __always_inline void begin_head(struct state *state, uint32_t from, uint64_t now)
{
	state->from = from;
	state->since = state->seen = now;
	state->reason = 0;
}

/* Looks why the first unsent byte waits. Return: the state; NULL if there is none */
static __always_inline struct state *look_at_head(struct tcp_sock *tcp, struct state *state, uint64_t now)
{
	const uint32_t from = tcp->snd_nxt, bytes = tcp->write_seq - from;
	struct head head;
	uint32_t reason;

	if ((int32_t)bytes <= 0 || !read_head(tcp, from, &head)) {
		if (state)
			state->since = 0;
		return state;
	}
	reason = find_reason(tcp, &head);
	if (!state && reason)
		state = get_state(tcp, bpf_get_socket_cookie((struct sock *)tcp));
	if (!state)
		return NULL;
	if (!state->since || state->from != from)
		begin_head(state, from, now);
	set_reason(tcp, state, reason, now);
	state->bytes = bytes;
	return state;
}

static __always_inline bool lacks_buffer(const struct tcp_sock *tcp)
{
	const struct sock___held *sk = (const void *)tcp;
	const struct socket *socket = sk->sk_socket;

	return socket && socket->flags & NOSPACE;
}

/* A wait for room in the send buffer has ended. */
static __always_inline void end_buffer_wait(struct tcp_sock *tcp, struct buffer_wait *buffer, uint64_t until,
					    uint32_t bytes)
{
	const struct wait wait = { .since = buffer->since,
				   .until = until,
				   .seq = tcp->write_seq - bytes,
				   .bytes = bytes,
				   .reason = TW_SOCKTS_HELD_SNDBUF,
				   .hook = TW_SOCKTS_HOOK_TRACEPOINT };

	buffer->since = 0;
	record(tcp, &wait);
}

/*
 * A segment is received, and will be processed. If a sendmsg() has failed for lack of room, the segment that was seen last before there was
 * room has made it.
 */
static __always_inline void look_at_buffer(struct tcp_sock *tcp, struct state *state, uint64_t now)
{
	const struct sock___held *sk = (const void *)tcp;
	struct buffer_wait *buffer;

	if (lacks_buffer(tcp)) {
		if (!state && sk->sk_write_pending)
			state = get_state(tcp, bpf_get_socket_cookie((struct sock *)tcp));
		if (!state)
			return;
		buffer = &state->buffer;
		if (!buffer->since && sk->sk_write_pending) {
			buffer->since = now;
			buffer->pid = -1;
		}
		if (buffer->since && (!buffer->pid || sk->sk_write_pending))
			buffer->seen = now;
	} else if (state && state->buffer.since && !state->buffer.pid) {
		end_buffer_wait(tcp, &state->buffer, state->buffer.seen, 0);
	}
}

static __always_inline bool can_send(const struct tcp_sock *tcp)
{
	return 1u << ((const struct sock *)tcp)->__sk_common.skc_state & STATES_SENDING;
}

/* A segment is received. The kernel has the lock of the socket, and will then process the segment. */
SEC("tp_btf/tcp_probe")
int BPF_PROG(held_segment, struct sock *sk)
{
	struct tcp_sock *tcp = as_tcp(sk);
	struct state *state;
	uint64_t now;

	if (!tcp || !can_send(tcp) || (tcp->write_seq == tcp->snd_nxt && tcp->snd_una == tcp->snd_nxt))
		return 0;
	state = find_state(tcp);
	if (!state && tcp->write_seq == tcp->snd_nxt && !lacks_buffer(tcp))
		return 0;
	now = sockets__now();
	state = look_at_head(tcp, state, now);
	look_at_buffer(tcp, state, now);
	return 0;
}

/* sendmsg() has ended. If it waited for room, some segment was received meanwhile. @copied: number of bytes, or -errno */
static __always_inline void end_sendmsg(struct tcp_sock *tcp, struct state *state, int copied, uint64_t now)
{
	const int32_t pid = (int32_t)bpf_get_current_pid_tgid();
	const struct sock___held *sk = (const void *)tcp;
	const uint32_t bytes = copied > 0 ? (uint32_t)copied : 0;
	struct buffer_wait *buffer = &state->buffer;

	if (buffer->since && !buffer->pid && bytes)
		end_buffer_wait(tcp, buffer, buffer->seen, 0);
	if (buffer->since && buffer->seen && (buffer->pid == pid || buffer->pid < 0))
		end_buffer_wait(tcp, buffer, now, bytes);
	if (buffer->since && buffer->pid && buffer->pid != pid)
		return; /* another task is in sendmsg() */
	if (!lacks_buffer(tcp) || sk->sk_write_pending) {
		buffer->since = 0;
	} else if (!buffer->since || buffer->pid) {
		buffer->since = now;
		buffer->seen = 0;
		buffer->pid = 0;
	}
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(held_sendmsg, struct sock *sk, int copied)
{
	struct tcp_sock *tcp = as_tcp(sk);
	struct state *state;
	uint64_t now;

	if (!tcp || !can_send(tcp))
		return 0;
	state = find_state(tcp);
	if (!state && tcp->write_seq == tcp->snd_nxt && !lacks_buffer(tcp))
		return 0;
	now = sockets__now();
	state = look_at_head(tcp, state, now);
	if (!state && lacks_buffer(tcp))
		state = get_state(tcp, bpf_get_socket_cookie((struct sock *)tcp));
	if (state)
		end_sendmsg(tcp, state, copied, now);
	return 0;
}

/*
 * sendmsg() has begun, or goes on after a wait. Only a call that might have to wait is noted, so that the beginning of the wait is known. The
 * kernel needs more memory than the bytes themselves.
 */
SEC("tp_btf/tcp_sendmsg_locked")
int BPF_PROG(held_entry, struct sock *sk, struct msghdr *msg)
{
	const int32_t pid = (int32_t)bpf_get_current_pid_tgid();
	const struct sock___held *of = (const void *)sk;
	const uint64_t bytes = msg->msg_iter.count;
	struct tcp_sock *tcp;
	struct state *state;

	if ((uint64_t)of->sk_wmem_queued + bytes + bytes / 2 + SKB_MEMORY < (uint64_t)of->sk_sndbuf)
		return 0;
	tcp = as_tcp(sk);
	state = tcp && can_send(tcp) ? get_state(tcp, bpf_get_socket_cookie(sk)) : NULL;
	if (!state || state->buffer.since)
		return 0;
	state->buffer.since = sockets__now();
	state->buffer.seen = 0;
	state->buffer.pid = pid;
	return 0;
}

/* What is read of a packet of TCP. */
struct segment {
	uint32_t seq, bytes;
};

/* Whether a header of IPv6 is one that a program can add to its packets (setsockopt), with its length in its second byte. */
static __always_inline bool is_extension(uint8_t header)
{
	return header == IPV6_HOP_BY_HOP || header == IPV6_ROUTING || header == IPV6_DESTINATION;
}

/* Where the TCP header of a packet begins, which begins with its IP header. Return: 0 if there is none */
static __always_inline uint32_t find_tcp(struct __sk_buff *skb)
{
	uint8_t version, protocol, extension[2];
	uint32_t at = sizeof(struct ipv6);

	if (bpf_skb_load_bytes(skb, 0, &version, sizeof(version)) ||
	    bpf_skb_load_bytes(skb,
			       version >> 4 == 4 ? offsetof(struct ipv4, protocol) : offsetof(struct ipv6, next_header),
			       &protocol, sizeof(protocol)))
		return 0;
	if (version >> 4 == 4)
		at = (version & 15u) * 4;
	for (uint32_t i = 0; i < IPV6_EXTENSIONS_MAX && version >> 4 == 6 && is_extension(protocol); i++) {
		if (bpf_skb_load_bytes(skb, at, extension, sizeof(extension)))
			return 0;
		protocol = extension[0];
		at += (extension[1] + 1u) * 8;
	}
	return protocol == PROTOCOL_TCP ? at : 0;
}

/* @skb: a packet that begins with its IP header. Return: false if it has no data of TCP */
static __always_inline bool read_segment(struct __sk_buff *skb, struct segment *ret)
{
	const uint32_t at = find_tcp(skb);
	uint32_t headers;
	struct tcp tcp;

	if (!at || bpf_skb_load_bytes(skb, at, &tcp, sizeof(tcp)))
		return false;
	headers = at + (tcp.offset >> 4) * 4u;
	ret->seq = bpf_ntohl(tcp.seq);
	ret->bytes = skb->len - headers;
	return skb->len > headers;
}

/* The first unsent bytes are sent. The bytes after them are now the first ones. */
static __always_inline void send_head(struct tcp_sock *tcp, struct state *state, const struct segment *segment)
{
	const uint32_t next = segment->seq + segment->bytes, left = tcp->write_seq - next;
	const uint64_t now = sockets__now();

	if (state->since && state->from - segment->seq < segment->bytes)
		record_head(tcp, state, now, TW_SOCKTS_HOOK_CGROUP);
	begin_head(state, next, now);
	if ((int32_t)left <= 0)
		state->since = 0;
}

/* A packet of this host. TCP counts a packet as sent only after the kernel has taken it, so a packet before that number is sent again. */
SEC("cgroup_skb/egress")
int held_sent(struct __sk_buff *skb)
{
	struct bpf_sock *sk = skb->sk;
	struct segment segment;
	struct tcp_sock *tcp;
	struct state *state;

	if (!sk)
		return 1;
	tcp = (void *)bpf_skc_to_tcp_sock(sk);
	if (!tcp || !can_send(tcp))
		return 1;
	state = find_state(tcp);
	if (!state && tcp->write_seq - tcp->snd_nxt <= skb->len)
		return 1;
	if (!read_segment(skb, &segment) || (int32_t)(segment.seq - tcp->snd_nxt) < 0)
		return 1;
	if (!state && (int32_t)(tcp->write_seq - segment.seq - segment.bytes) > 0)
		state = get_state(tcp, bpf_get_socket_cookie(skb));
	if (state)
		send_head(tcp, state, &segment);
	return 1;
}

SEC("tp_btf/kfree_skb")
int BPF_PROG(held_dropped, struct sk_buff *skb, void *location, int reason)
{
	struct sock *sk = skb->sk;
	struct tcp header;

	if (!bpf_core_enum_value_exists(enum skb_drop_reason___held, SKB_DROP_REASON_NETFILTER_DROP) ||
	    reason != (int)bpf_core_enum_value(enum skb_drop_reason___held, SKB_DROP_REASON_NETFILTER_DROP))
		return 0;
	if (!sk || sk->sk_protocol != PROTOCOL_TCP ||
	    bpf_probe_read_kernel(&header, sizeof(header), skb->head + skb->transport_header))
		return 0;
	note_dropped(sk, bpf_ntohl(header.seq));
	return 0;
}
