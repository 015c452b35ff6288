/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was measured of a flow or a program. */
#ifndef TW_SOCKET_FIGURES_H
#define TW_SOCKET_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "pairs/histogram.h"
#include "pcap-tools/sockets/event.h"

/*
 * The stages of a message: name, and what the time means. The last two are no stages of a message, but of its connection, and of the
 * program between two messages.
 */
#define TW_SOCKET_STAGES(X)                                                                            \
	X(SEND, "send", "in sendmsg(), from its entry until the data are in the send queue")           \
	X(TCP, "tcp", "in the send queue, until the packet is passed to a device")                     \
	X(QDISC, "qdisc", "in the queueing discipline, until the driver sends the packet")             \
	X(ACK, "ack", "on the network and at the peer, until the data are acknowledged")               \
	X(IP, "ip", "received: from the device to the IP layer")                                       \
	X(L4, "l4", "from the IP layer until the socket is found")                                     \
	X(SOCKET, "socket", "from there to the queue of the socket")                                   \
	X(WAKE, "wake", "from the queue of the socket to the wake-up of the task that reads")          \
	X(RUN, "run", "from the wake-up until the task runs")                                          \
	X(READ, "read", "in the queue of the socket, until the data were read; includes wake and run") \
	X(SRTT, "srtt", "smoothed round-trip time of the connection, at each acknowledgement")         \
	X(PROGRAM, "program", "in the program, from its last read until it sends an answer")

enum tw_socket_stage {
#define X(stage, name, text) TW_SOCKET_STAGE_##stage,
	TW_SOCKET_STAGES(X)
#undef X
		TW_SOCKET_STAGE_COUNT,
};

/* Counters of which one is added to the other when figures are added. */
#define TW_SOCKET_COUNTERS(X)                                                                                \
	X(events)                                                                                            \
	X(sent) /* messages: calls of sendmsg() */                                                           \
	X(bytes_sent)                                                                                        \
	X(received) /* messages that were read: segments or datagrams */                                     \
	X(bytes_received)                                                                                    \
	X(resent) /* messages whose packet was sent more than once */                                        \
	X(resets_sent)                                                                                       \
	X(resets_received)                                                                                   \
	X(drops)                                                                                             \
	X(stats)       /* acknowledgements with the state of the connection */                               \
	X(retransmits) /* this and the times below: increase of what the kernel counts for the connection */ \
	X(busy_us)                                                                                           \
	X(rwnd_limited_us)                                                                                   \
	X(sndbuf_limited_us)

/* Waits of sent data for one reason. */
struct tw_socket_held {
	uint64_t n, ns;
};

struct tw_socket_figures {
	struct tw_histogram *stages[TW_SOCKET_STAGE_COUNT]; /* ns; NULL = no sample */
#define X(name) uint64_t name;
	TW_SOCKET_COUNTERS(X)
#undef X
	struct tw_socket_held held[TW_SOCKTS_HELD_END];
};

/** tw_socket_stage__name(), tw_socket_stage__text() - name of a stage, and what its time means */
const char *tw_socket_stage__name(enum tw_socket_stage stage);
const char *tw_socket_stage__text(enum tw_socket_stage stage);

/** tw_socket_figures__sample() - add a time. Return: 0 or -ENOMEM */
int tw_socket_figures__sample(struct tw_socket_figures *figures, enum tw_socket_stage stage, uint64_t ns);

/** tw_socket_figures__held() - Return: the waits for all reasons, added */
struct tw_socket_held tw_socket_figures__held(const struct tw_socket_figures *figures);

/** tw_socket_figures__take() - add @from to @to, and clear @from. Its memory is moved if @to has none, so this cannot fail */
void tw_socket_figures__take(struct tw_socket_figures *to, struct tw_socket_figures *from);

/** tw_socket_figures__clear() - begin anew, and free the memory */
void tw_socket_figures__clear(struct tw_socket_figures *figures);

#endif
