/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to sockets. Shared by the programs that make sockts:egress_ts and sockts:egress_stats of TCP: egress.bpf.c for kernels that
 * stamp sent data for BPF programs, egress_tcp_functions.bpf.c for others. Here is what is known about a socket, and how events are made
 * from it.
 */
#ifndef TW_EGRESS_TCP_BPF_H
#define TW_EGRESS_TCP_BPF_H

#include "producer/sockets/sockets.bpf.h"

#define SOF_TIMESTAMPING_OPT_ID (1u << 7)
#define STATE_ESTABLISHED       1
#define STATE_CLOSE_WAIT        8
#define TXSTAMP_ACK_OF_SOCKET   1 /* the application asked for a time stamp of the acknowledgement */
#define CHRONO_RWND_LIMITED     2 /* enum tcp_chrono; the first number, 1, means busy */
#define CHRONO_SNDBUF_LIMITED   3
#define USEC_PER_SEC            1000000ull
#define RETRANSMITTED_MAX       16384
#define IN_FLIGHT_MAX           (1u << 30) /* largest window of TCP, bytes */
#define SENDERS                 4
#define CHOSEN                  16

/* The parts of the kernel's structures that are read; libbpf adapts the offsets to the running kernel. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	int counter;
} atomic_t;

struct sock___egress {
	struct sock_common __sk_common;
	uint32_t sk_tsflags;
	atomic_t sk_tskey; /* what the application's keys are counted from */
	uint8_t sk_bpf_cb_flags;
	unsigned long sk_pacing_rate;
};

struct minmax_sample {
	uint32_t t, v;
};

struct minmax {
	struct minmax_sample s[3];
};

struct inet_connection_sock {
	uint8_t icsk_ca_state : 5;
	uint8_t icsk_retransmits;
};

struct tcp_options_received {
	uint32_t ts_recent, rcv_tsval;
	uint16_t saw_tstamp : 1;
};

struct tcp_sock___egress {
	struct inet_connection_sock inet_conn;
	uint32_t write_seq, snd_nxt, snd_una;
	uint32_t srtt_us, mss_cache, snd_cwnd, snd_ssthresh, delivered, delivered_ce, lost, data_segs_out,
		total_retrans;
	uint32_t reordering, reord_seen, dsack_dups, rate_delivered, rate_interval_us;
	uint16_t timeout_rehash;
	uint8_t rate_app_limited : 1;
	uint64_t bytes_acked, bytes_sent, bytes_retrans;
	struct minmax rtt_min;
	struct tcp_options_received rx_opt;
	uint32_t chrono_start, chrono_stat[3];
	uint8_t chrono_type : 2;
};

struct dst_entry {
	struct net_device *dev;
};

struct sk_buff___egress {
	struct net_device *dev;
	unsigned long _skb_refdst;
	unsigned int len, end;
	unsigned char *head, *data;
	uint16_t transport_header;
	char cb[48];
};

struct tcp_skb_cb {
	uint32_t seq;
	uint8_t txstamp_ack : 2;
};

struct skb_shared_hwtstamps {
	int64_t hwtstamp;
};

struct skb_shared_info {
	uint8_t tx_flags;
	struct skb_shared_hwtstamps hwtstamps;
	uint32_t tskey;
};

struct iov_iter {
	size_t count;
};

struct msghdr {
	struct iov_iter msg_iter;
	unsigned int msg_flags;
};

#pragma clang attribute pop

/*
 * The value of an expression, which is a variable, once and for all. The compiler otherwise merges reads from the kernel's memory and from
 * maps into one instruction, which the verifier refuses.
 */
#define READ(expression)                           \
	({                                         \
		__auto_type value_ = (expression); \
		barrier_var(value_);               \
		value_;                            \
	})

/* A thread that sends on a socket. */
struct sender {
	uint64_t comm[2]; /* a name of TW_SOCKTS_COMM_LEN bytes */
	uint64_t cgroup;
	uint32_t from; /* sequence number of the first byte that it sent, or of a later one: sequence numbers wrap */
	int32_t pid;
};

/*
 * What is known about a socket. The memory belongs to the kernel's socket, and is freed with it. The last senders are kept, because data of
 * several threads may be on their way. The newest sender changes only while the socket is locked; the other programs read without a lock.
 */
struct state {
	uint32_t has_flag;   /* 1 = this run has set the socket's flag; flags.bpf.c reads this first member */
	uint32_t messages;   /* calls of sendmsg() */
	uint32_t is_chosen;  /* the last one of them has events */
	uint32_t base;       /* sequence number that has the key 0, unless the application has a base */
	uint32_t key_base;   /* enum tw_sockts_key_base of @base */
	uint32_t is_sending; /* 1 = sendmsg() was entered; the two members below are then valid */
	uint32_t sending_from;
	uint32_t newest;     /* of the senders */
	uint32_t peer_began; /* time stamp of the peer's SYN or SYN-ACK; 0 = not known */
	uint64_t sending_bytes;
	struct sender senders[SENDERS];
	uint32_t n_chosen;
	uint32_t chosen[CHOSEN]; /* last bytes of the last messages that have events, if not all have */
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct state);
} egress_sockets SEC(".maps");

struct transmitted {
	uint64_t cookie;
	uint32_t seq, unused;
};

/* Number of retransmissions of the packets that have a key and were retransmitted. If the map is full, old ones make room for new ones. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, RETRANSMITTED_MAX);
	__type(key, struct transmitted);
	__type(value, uint32_t);
} retransmissions SEC(".maps");

/* What happened to some bytes. */
struct stamp {
	uint8_t type, hook;
	uint16_t transmission;
	uint32_t seq, bytes, ifindex;
	uint64_t hardware;
	int16_t phc; /* the clock of @hardware; -1 = unknown */
};

/* Finds the sender of a byte, among the last ones. */
static __always_inline const struct sender *find_sender(const struct state *state, uint32_t seq)
{
	uint32_t at = state->newest;

	for (uint32_t i = 1; i < SENDERS; i++) {
		if ((int32_t)(seq - state->senders[at % SENDERS].from) >= 0 || !state->senders[(at - 1) % SENDERS].pid)
			break;
		at--;
	}
	return &state->senders[at % SENDERS];
}

/* Decides whether the events of a call of sendmsg() are made. */
static __always_inline bool choose_message(struct state *state)
{
	state->is_chosen = false;
	if (!sockets__selects_current())
		return false;
	state->is_chosen = sockets__samples_number(state->messages++, 1);
	if (!state->is_chosen)
		sockets__count_unsampled(1);
	return state->is_chosen;
}

/* Keeps the current task as the sender of the bytes from @from. */
static __always_inline void set_sender(struct state *state, uint32_t from)
{
	const int32_t pid = (int32_t)bpf_get_current_pid_tgid();
	const uint64_t cgroup = bpf_get_current_cgroup_id();
	struct sender *sender = &state->senders[state->newest % SENDERS];
	uint32_t next = state->newest;
	uint64_t comm[2];

	bpf_get_current_comm(comm, sizeof(comm));
	if (sender->pid == pid && sender->cgroup == cgroup && sender->comm[0] == comm[0] &&
	    sender->comm[1] == comm[1]) {
		if (from - sender->from > 2 * IN_FLIGHT_MAX)
			sender->from = from - IN_FLIGHT_MAX;
		return;
	}
	if (sender->pid)
		next++;
	sender = &state->senders[next % SENDERS];
	sender->from = from;
	sender->pid = pid;
	sender->cgroup = cgroup;
	sender->comm[0] = comm[0];
	sender->comm[1] = comm[1];
	barrier();
	state->newest = next;
}

/* Counts the key as the application does if it has asked for that. */
static __always_inline void find_key(const struct sock___egress *sk, const struct state *state, uint32_t seq,
				     uint32_t tsflags, uint32_t *ret, uint8_t *ret_base)
{
	uint32_t base = READ(state->base);

	*ret_base = (uint8_t)READ(state->key_base);
	if (tsflags & SOF_TIMESTAMPING_OPT_ID) {
		base = (uint32_t)READ(sk->sk_tskey.counter);
		*ret_base = TW_SOCKTS_KEY_BASE_OPT_ID;
	}
	*ret = seq - base;
}

static __always_inline bool wants_stamp(struct sock *sk, const struct stamp *stamp, const struct sender *sender)
{
	const volatile struct tw_sockts_condition *condition = sockets__condition(TW_SOCKTS_egress_ts);
	struct tw_sockts_socket socket;
	struct tw_sockts_facts facts;

	if (!condition->n)
		return true;
	sockets__know_tcp(condition, &socket, &facts, sk);
	sockets__know_task(&facts, sender->pid, sender->cgroup, sender->comm);
	facts.type = stamp->type;
	facts.ifindex = stamp->ifindex;
	return tw_sockts_condition__passes(condition, &socket, &facts);
}

static __always_inline bool wants_stats(struct sock *sk)
{
	const volatile struct tw_sockts_condition *condition = sockets__condition(TW_SOCKTS_egress_stats);
	struct tw_sockts_socket socket;
	struct tw_sockts_facts facts;

	if (!condition->n)
		return true;
	sockets__know_tcp(condition, &socket, &facts, sk);
	return tw_sockts_condition__passes(condition, &socket, &facts);
}

/* Whether a connected socket can have events that are wanted */
static __always_inline bool wants_socket(struct sock *sk, uint64_t cookie)
{
	return (sockets__is_on(TW_SOCKTS_egress_ts) &&
		sockets__wants_socket(TW_SOCKTS_egress_ts, sk, cookie, PROTOCOL_TCP)) ||
	       (sockets__is_on(TW_SOCKTS_egress_stats) &&
		sockets__wants_socket(TW_SOCKTS_egress_stats, sk, cookie, PROTOCOL_TCP));
}

static __always_inline void record_stamp(struct sock *sk, const struct state *state, const struct stamp *stamp)
{
	const struct sock___egress *of = (const void *)sk;
	const struct sender *sender = find_sender(state, stamp->seq);
	struct tw_sockts_egress_ts *event;

	if (!sockets__is_on(TW_SOCKTS_egress_ts) || !wants_stamp(sk, stamp, sender))
		return;
	event = sockets__reserve(sizeof(*event));
	if (!event)
		return;
	__builtin_memset(event, 0, sizeof(*event));
	sockets__set_common(&event->common, TW_SOCKTS_ID_egress_ts);
	sockets__set_identity(event, sk, (uint64_t)of->__sk_common.skc_cookie.counter, PROTOCOL_TCP);
	event->tsflags = of->sk_tsflags;
	find_key(of, state, stamp->seq, event->tsflags, &event->key, &event->key_base);
	event->type = stamp->type;
	event->transmission = stamp->transmission;
	event->seq = stamp->seq;
	event->bytes = stamp->bytes;
	event->ifindex = stamp->ifindex;
	event->software = sockets__time(event);
	event->hardware = stamp->hardware;
	event->phc = stamp->phc;
	event->sample = (uint16_t)sockets__sample();
	event->hook = stamp->hook;
	event->pid = sender->pid;
	event->cgroup = sender->cgroup;
	__builtin_memcpy(event->comm, sender->comm, sizeof(event->comm));
	sockets__submit(event);
}

/* Sets the times during which the sender was busy and was limited, as the kernel's tcp_get_info_chrono_stats(). */
static __always_inline void set_times(const struct tcp_sock___egress *tcp, struct tw_sockts_egress_stats *event)
{
	const uint32_t type = BPF_CORE_READ_BITFIELD(tcp, chrono_type);
	uint64_t jiffies[] = { tcp->chrono_stat[0], tcp->chrono_stat[1], tcp->chrono_stat[2] };

	for (uint32_t i = 0; i < 3; i++)
		if (type == i + 1)
			jiffies[i] += (uint32_t)bpf_jiffies64() - tcp->chrono_start;
	event->busy_us = (jiffies[0] + jiffies[1] + jiffies[2]) * settings.us_per_jiffy;
	event->rwnd_limited_us = jiffies[CHRONO_RWND_LIMITED - 1] * settings.us_per_jiffy;
	event->sndbuf_limited_us = jiffies[CHRONO_SNDBUF_LIMITED - 1] * settings.us_per_jiffy;
}

/* As the kernel's tcp_compute_delivery_rate(), bytes/s */
static __always_inline uint64_t delivery_rate(const struct tcp_sock___egress *tcp)
{
	const uint32_t interval = tcp->rate_interval_us;

	return interval ? (uint64_t)tcp->rate_delivered * tcp->mss_cache * USEC_PER_SEC / interval : 0;
}

static __always_inline void set_stats(const struct sock___egress *sk, const struct tcp_sock___egress *tcp,
				      const struct state *state, struct tw_sockts_egress_stats *event)
{
	const uint32_t end = tcp->write_seq, now = tcp->rx_opt.rcv_tsval;

	set_times(tcp, event);
	event->pacing_rate = sk->sk_pacing_rate;
	event->delivery_rate = delivery_rate(tcp);
	event->bytes_acked = tcp->bytes_acked;
	event->bytes_sent = tcp->bytes_sent;
	event->bytes_retrans = tcp->bytes_retrans;
	event->srtt_us = tcp->srtt_us >> 3;
	event->min_rtt_us = tcp->rtt_min.s[0].v;
	event->cwnd = tcp->snd_cwnd;
	event->ssthresh = tcp->snd_ssthresh;
	event->delivered = tcp->delivered;
	event->delivered_ce = tcp->delivered_ce;
	event->lost = tcp->lost;
	event->data_segs_out = tcp->data_segs_out;
	event->retransmits = tcp->total_retrans;
	event->reordering = tcp->reordering;
	event->reord_seen = tcp->reord_seen;
	event->dsack_dups = tcp->dsack_dups;
	event->sndq_size = end - tcp->snd_una;
	event->bytes_notsent = (int32_t)(end - tcp->snd_nxt) > 0 ? end - tcp->snd_nxt : 0;
	if (state->peer_began && BPF_CORE_READ_BITFIELD(tcp, rx_opt.saw_tstamp))
		event->peer_elapsed = now - state->peer_began;
	event->timeout_rehash = tcp->timeout_rehash;
	event->recur_retrans = tcp->inet_conn.icsk_retransmits;
	event->app_limited = BPF_CORE_READ_BITFIELD(tcp, rate_app_limited);
	event->ca_state = BPF_CORE_READ_BITFIELD(tcp, inet_conn.icsk_ca_state);
}

/* @tcp: @sk; its members can be read directly */
static __always_inline void record_stats(struct sock *sk, const struct tcp_sock___egress *tcp,
					 const struct state *state, uint32_t seq, enum tw_sockts_hook hook)
{
	const struct sock___egress *of = (const void *)sk;
	struct tw_sockts_egress_stats *event;
	uint8_t unused;

	if (!sockets__is_on(TW_SOCKTS_egress_stats) || !wants_stats(sk))
		return;
	event = sockets__reserve(sizeof(*event));
	if (!event)
		return;
	__builtin_memset(event, 0, sizeof(*event));
	sockets__set_common(&event->common, TW_SOCKTS_ID_egress_stats);
	sockets__set_identity(event, sk, (uint64_t)of->__sk_common.skc_cookie.counter, PROTOCOL_TCP);
	find_key(of, state, seq, of->sk_tsflags, &event->key, &unused);
	event->seq = seq;
	set_stats(of, tcp, state, event);
	event->hook = (uint8_t)hook;
	sockets__submit(event);
}

/* The keys of a new connection begin at its first byte. Data that were sent with the SYN (TCP Fast Open) are already counted. */
static __always_inline void begin_keys(struct state *state, const struct tcp_sock___egress *tcp, bool is_active)
{
	state->base =
		tcp->snd_una - (uint32_t)tcp->bytes_acked + is_active; /* a SYN that was acknowledged is counted */
	state->key_base = TW_SOCKTS_KEY_BASE_FIRST;
	state->peer_began = is_active ? tcp->rx_opt.rcv_tsval : tcp->rx_opt.ts_recent;
}

/* Sets the number of earlier transmissions of a packet, on a socket that has retransmitted. @again: the packet is just retransmitted */
static __always_inline void set_transmission(const struct sock *sk, struct stamp *stamp, bool again)
{
	const struct transmitted key = { .cookie = (uint64_t)sk->__sk_common.skc_cookie.counter, .seq = stamp->seq };
	uint32_t *known = bpf_map_lookup_elem(&retransmissions, &key), first = 1;

	if (again && !known) {
		bpf_map_update_elem(&retransmissions, &key, &first, BPF_ANY);
		stamp->transmission = 1;
	} else if (known) {
		*known += again;
		stamp->transmission = (uint16_t)*known;
		if (stamp->type == TW_SOCKTS_EGRESS_ACK)
			bpf_map_delete_elem(&retransmissions, &key);
	}
}

struct bpf_iter__tcp {
	void *meta;
	struct sock_common *sk_common;
};

/* Begins to follow a connection that is older than the run. Return: NULL if it is not followed, or was followed before */
static __always_inline struct state *begin_existing(struct sock_common *sk, struct tcp_sock___egress **ret)
{
	struct tcp_sock___egress *tcp;
	struct state *state;

	if (!sk || (sk->skc_state != STATE_ESTABLISHED && sk->skc_state != STATE_CLOSE_WAIT))
		return NULL;
	tcp = (void *)bpf_skc_to_tcp_sock(sk);
	if (!tcp || !wants_socket((struct sock *)tcp, bpf_get_socket_cookie(tcp)) ||
	    bpf_sk_storage_get(&egress_sockets, tcp, NULL, 0))
		return NULL;
	state = bpf_sk_storage_get(&egress_sockets, tcp, NULL, BPF_SK_STORAGE_GET_F_CREATE);
	if (!state)
		return NULL;
	state->base = tcp->write_seq;
	state->key_base = TW_SOCKTS_KEY_BASE_SEEN;
	*ret = tcp;
	return state;
}

#endif
