/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The messages of one direction of a flow that are on their way, in the order of their positions. Positions are sequence numbers of TCP or
 * numbers of datagrams. They wrap: a position is before another one if it is less than 2^31 before it.
 */
#ifndef TW_SOCKET_QUEUE_H
#define TW_SOCKET_QUEUE_H

#include "pcap-tools/sockets/event.h"

#define TW_SOCKET_QUEUE_MAX 1024 /* messages; if there are more, the oldest one is forgotten */

struct tw_socket_message {
	uint32_t position;
	uint32_t
		carrier; /* position of the message whose packet this one shares; its own if it has a packet of its own, or none yet */
	bool resent;                         /* the packet was sent more than once */
	uint64_t times[TW_SOCKET_STEPS_END]; /* of the steps, by their numbers, ns; 0 = unknown */
	char comm[TW_SOCKTS_COMM_LEN];       /* of the sender; all NUL = unknown */
};

struct tw_socket_queue {
	struct tw_socket_message *items; /* a ring of @room messages */
	uint32_t room, first, n;         /* @room: 0 or a power of two */
	uint32_t done;                   /* the bytes up to this position need no message any more */
	bool has_done;
	uint64_t forgotten; /* number of messages that were removed early, for lack of room */
};

/** tw_socket_position__is_after() - whether @a is after @b */
static inline bool tw_socket_position__is_after(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) > 0;
}

/** tw_socket_queue__at() - message @i, from 0; @i < n */
static inline struct tw_socket_message *tw_socket_queue__at(const struct tw_socket_queue *queue, uint32_t i)
{
	return &queue->items[(queue->first + i) & (queue->room - 1)];
}

/** tw_socket_queue__search() - number of messages before @position: the index of its message, if there is one */
uint32_t tw_socket_queue__search(const struct tw_socket_queue *queue, uint32_t position);

/** tw_socket_queue__find() - find the message with a position. Return: its index; n = there is none */
uint32_t tw_socket_queue__find(const struct tw_socket_queue *queue, uint32_t position);

/**
 * tw_socket_queue__add() - find the message with a position, or add it
 * @ret: its index; n = it was not added, because it is done, or older than all messages of a full queue
 * Return: 0 or -ENOMEM.
 */
int tw_socket_queue__add(struct tw_socket_queue *queue, uint32_t position, uint32_t *ret);

/** tw_socket_queue__remove() - remove message @i; @i < n */
void tw_socket_queue__remove(struct tw_socket_queue *queue, uint32_t i);

/** tw_socket_queue__is_done() - whether bytes need no message any more; tw_socket_queue__set_done(): those up to @position need none */
bool tw_socket_queue__is_done(const struct tw_socket_queue *queue, uint32_t position);
void tw_socket_queue__set_done(struct tw_socket_queue *queue, uint32_t position);

/** tw_socket_queue__forget() - remove all messages, and count them as forgotten; nothing is done */
void tw_socket_queue__forget(struct tw_socket_queue *queue);

#endif
