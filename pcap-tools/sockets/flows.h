/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flows and the programs of socket events. Both tables have limits. If the table of flows is full, the flow that was idle longest makes
 * room, and its figures are added to those of all such flows. Flows without a socket, such as those of a port scan or of forwarded packets,
 * make room first. Programs beyond the limit have common figures.
 */
#ifndef TW_SOCKET_FLOWS_H
#define TW_SOCKET_FLOWS_H

#include "base/hash_table.h"
#include "pcap-tools/sockets/event.h"
#include "pcap-tools/sockets/figures.h"
#include "pcap-tools/sockets/queue.h"

#define TW_SOCKET_FLOWS_MAX    1024
#define TW_SOCKET_PROGRAMS_MAX 256

/* The identity of a flow: the socket of one side of a connection, or of a pair of hosts that exchange datagrams. */
struct tw_socket_flow_id {
	uint64_t stream, netns_cookie;
	uint8_t local[TW_SOCKET_ADDRESS_LEN], remote[TW_SOCKET_ADDRESS_LEN];
	uint16_t local_port, remote_port, protocol, unused;
};

/* The state of a connection, by the kernel's latest report. */
struct tw_socket_state {
	uint64_t srtt_us, retransmits, busy_us, rwnd_limited_us, sndbuf_limited_us;
};

struct tw_socket_program {
	uint64_t stream;
	char comm[TW_SOCKTS_COMM_LEN]; /* padded with NULs */
	struct tw_socket_figures figures;
};

struct tw_socket_flow {
	struct tw_socket_flow_id id;
	uint64_t cookie; /* of the latest socket; 0 = unknown, or there is none. See tw_socket_flows__set_cookie() */
	struct tw_socket_figures figures;
	struct tw_socket_queue out, in;
	/* The latest sendmsg() that has begun: position of its first byte, and time. A time of 0 = none */
	uint32_t entry_from;
	uint64_t entry_time;
	uint64_t read_time; /* of the latest read after which nothing was sent; 0 = none */
	bool is_whole;      /* the first byte of the connection was seen */
	bool has_state;
	struct tw_socket_state state;         /* valid with has_state */
	char comm[TW_SOCKTS_COMM_LEN];        /* of the latest sender or reader; all NUL = unknown */
	uint8_t chosen;                       /* for the caller: 0 = not examined yet */
	struct tw_socket_flow *newer, *older; /* in order of use */
};

/* Flows in order of use. */
struct tw_socket_flow_list {
	struct tw_socket_flow *newest, *oldest;
};

struct tw_socket_flows {
	struct tw_hash_table by_id; /* struct tw_socket_flow_id -> struct tw_socket_flow * */
	struct tw_socket_flow_list without_socket, with_socket;
	struct tw_socket_figures others; /* of the flows that made room */
	uint64_t n_others;               /* their number; a flow that comes back counts again */
	uint64_t forgotten; /* messages of these flows that were on their way, or that a queue had no room for */
	struct tw_hash_table programs;           /* stream and comm -> struct tw_socket_program * */
	struct tw_socket_figures other_programs; /* of the programs beyond the limit */
};

/** tw_socket_flows__init() - make empty tables */
void tw_socket_flows__init(struct tw_socket_flows *flows);

/** tw_socket_flows__fini() - free all flows and programs */
void tw_socket_flows__fini(struct tw_socket_flows *flows);

/** tw_socket_flow_id__of() - the flow of an event */
struct tw_socket_flow_id tw_socket_flow_id__of(const struct tw_socket_event *event);

/** tw_socket_flow_id__reverse() - the same flow, seen from the other host */
struct tw_socket_flow_id tw_socket_flow_id__reverse(const struct tw_socket_flow_id *id);

/** tw_socket_flows__find() - find a flow. Return: NULL if it is not in the table */
struct tw_socket_flow *tw_socket_flows__find(const struct tw_socket_flows *flows, const struct tw_socket_flow_id *id);

/** tw_socket_flows__get() - find or add a flow, which becomes the newest one. Return: 0 or -ENOMEM */
int tw_socket_flows__get(struct tw_socket_flows *flows, const struct tw_socket_flow_id *id,
			 struct tw_socket_flow **ret);

/** tw_socket_flows__set_cookie() - set the cookie of a flow, not 0 */
void tw_socket_flows__set_cookie(struct tw_socket_flows *flows, struct tw_socket_flow *flow, uint64_t cookie);

/** tw_socket_flows__program() - the figures of a program. @comm: TW_SOCKTS_COMM_LEN bytes. Return: NULL if @comm is unknown, or no memory */
struct tw_socket_figures *tw_socket_flows__program(struct tw_socket_flows *flows, uint64_t stream, const char *comm);

/** tw_socket_flows__clear() - begin new figures of all flows and programs. Messages that are on their way stay */
void tw_socket_flows__clear(struct tw_socket_flows *flows);

/** tw_socket_flows__forgotten() - number of messages that were not followed to their end, for lack of room, since the beginning */
uint64_t tw_socket_flows__forgotten(const struct tw_socket_flows *flows);

#endif
