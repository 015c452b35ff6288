/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers in the fields of socket events (the system `sockts`), and their names. The BPF programs, the producer's format texts, the
 * readers of captures and the Wireshark plugin all use these lists. Numbers that exist do not change, because captures have them.
 *
 * A list calls X(number, name of the enumerator, name for people). An enumerator END is one more than the last number.
 */
#ifndef TW_SOCKET_EVENTS_H
#define TW_SOCKET_EVENTS_H

#define TW_SOCKTS_SYSTEM   "sockts"
#define TW_SOCKTS_COMM_LEN 16 /* bytes of the name of a task, padded with NULs */

/* What made the event: where the program is attached. */
#define TW_SOCKTS_HOOK_LIST(X)         \
	X(1, SOCKOPS, "sockops")       \
	X(2, TRACEPOINT, "tracepoint") \
	X(3, FUNCTION, "function")     \
	X(4, CGROUP, "cgroup")         \
	X(5, NETFILTER, "netfilter")   \
	X(6, STAMP, "stamp") /* the kernel's own time stamp of the packet */

/* What happened to the bytes of egress_ts. */
#define TW_SOCKTS_EGRESS_LIST(X)             \
	X(1, SENDMSG_ENTRY, "sendmsg_entry") \
	X(2, SENDMSG, "sendmsg")             \
	X(3, SCHED, "sched")                 \
	X(4, SND_SW, "snd_sw")               \
	X(5, SND_HW, "snd_hw")               \
	X(6, ACK, "ack")

/* Where the count of the field `key` begins. */
#define TW_SOCKTS_KEY_BASE_LIST(X)                                                         \
	X(1, OPT_ID, "opt_id") /* where the application has set SOF_TIMESTAMPING_OPT_ID */ \
	X(2, FIRST, "first")   /* at the first byte of payload, or the first datagram */   \
	X(3, SEEN, "seen")     /* at the first byte or datagram after the run began: the socket existed before */

/* What happened to the bytes of ingress_ts. */
#define TW_SOCKTS_INGRESS_LIST(X) \
	X(1, RX, "rx")            \
	X(2, IP, "ip")            \
	X(3, L4, "l4")            \
	X(4, SOCKET, "socket")    \
	X(5, WAKE, "wake")        \
	X(6, RUN, "run")          \
	X(7, READ, "read")

/* What kept data of TCP from being sent, in the order in which the kernel tests it. */
#define TW_SOCKTS_HELD_LIST(X)                                                                \
	X(1, PACING, "pacing")                                                                \
	X(2, CWND, "cwnd")           /* the congestion window */                              \
	X(3, RWND, "rwnd")           /* the receive window of the peer */                     \
	X(4, CORK, "cork")           /* the program wants to send more (TCP_CORK) */          \
	X(5, NAGLE, "nagle")         /* a small packet is not acknowledged yet */             \
	X(6, TSQ, "tsq")             /* TCP small queues: earlier packets are in the qdisc */ \
	X(7, NETFILTER, "netfilter") /* a rule of netfilter dropped the packet */             \
	X(8, SNDBUF, "sndbuf")       /* sendmsg() waited for room in the send buffer */

#define TW_SOCKTS_DIRECTION_LIST(X) \
	X(1, SENT, "sent")          \
	X(2, RECEIVED, "received")

/* What icmp_echo is about. */
#define TW_SOCKTS_ECHO_LIST(X)                     \
	X(1, REQUEST, "request") /* it was sent */ \
	X(2, REPLY, "reply")     /* it was received */

#define X(num, name, text) TW_SOCKTS_HOOK_##name = (num),
enum tw_sockts_hook { TW_SOCKTS_HOOK_LIST(X) };
#undef X
#define X(num, name, text) TW_SOCKTS_EGRESS_##name = (num),
enum tw_sockts_egress_type {
	TW_SOCKTS_EGRESS_LIST(X) TW_SOCKTS_EGRESS_END,
};
#undef X
#define X(num, name, text) TW_SOCKTS_KEY_BASE_##name = (num),
enum tw_sockts_key_base { TW_SOCKTS_KEY_BASE_LIST(X) };
#undef X
#define X(num, name, text) TW_SOCKTS_INGRESS_##name = (num),
enum tw_sockts_ingress_type {
	TW_SOCKTS_INGRESS_LIST(X) TW_SOCKTS_INGRESS_END,
};
#undef X
#define X(num, name, text) TW_SOCKTS_ECHO_##name = (num),
enum tw_sockts_echo_type { TW_SOCKTS_ECHO_LIST(X) };
#undef X
#define X(num, name, text) TW_SOCKTS_HELD_##name = (num),
enum tw_sockts_held_reason {
	TW_SOCKTS_HELD_LIST(X) TW_SOCKTS_HELD_END,
};
#undef X
#define X(num, name, text) TW_SOCKTS_DIRECTION_##name = (num),
enum tw_sockts_direction { TW_SOCKTS_DIRECTION_LIST(X) };
#undef X

#endif
