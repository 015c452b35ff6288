/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one socket event says about the messages of its flow.
 *
 * A sent message is a call of sendmsg(), and is acknowledged with the first acknowledgement that reaches its last byte. Messages that share
 * a packet have the packet's steps. A received message of TCP is a segment; it is in the queue of the socket, or read, with the first event
 * that reaches its last byte. A message of UDP is a datagram. Each stage of a message counts once, for its first transmission.
 */
#ifndef TW_SOCKET_FOLLOW_H
#define TW_SOCKET_FOLLOW_H

#include "pcap-tools/sockets/flows.h"

/* What an event meant, for a timeline. */
struct tw_socket_step {
	struct tw_socket_flow *flow;
	const struct tw_socket_event *event;
	uint64_t since;    /* time of the step before it of the same message, ns; 0 = unknown */
	uint64_t messages; /* number of messages that made this step with the event */
};

struct tw_socket_follower {
	struct tw_socket_flows flows;
	uint64_t backwards;   /* stages that would end before they begin, which are left out */
	uint64_t stray_drops; /* dropped packets of no known flow */
	void (*step)(void *ctx,
		     const struct tw_socket_step *step); /* called for each event of a flow; NULL = not called */
	void *ctx;
};

/** tw_socket_follower__event() - take an event. Return: 0 or -ENOMEM */
int tw_socket_follower__event(struct tw_socket_follower *follower, const struct tw_socket_event *event);

#endif
