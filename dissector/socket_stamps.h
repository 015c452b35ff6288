/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The socket events of the open capture (sockts:egress_ts, ingress_ts, held and icmp_echo), and the packets that they are about, by
 * connection.
 *
 * An event is about a range of bytes of a connection, about a datagram, or about an echo of ICMP. Bytes are counted with 64 bits, so that
 * sequence numbers that wrap need no care. Which packets an event belongs to depends on its stage:
 *
 * - SENDMSG: to the packets that contain bytes of the message;
 * - HELD: to the packets that contain the first byte that waited;
 * - SCHED, SND: as above, but only to those of the same transmission. A packet was captured after its own SCHED, and before that of the
 *   next transmission;
 * - RX, IP, L4: to the packets with the bytes, until they are sent again;
 * - ACK, SOCKET, READ: they are about all bytes up to theirs, so of each packet the first such event counts. ACK and SOCKET belong to the
 *   last transmission before them, READ (with WAKE and RUN) to that of the SOCKET;
 * - REQUEST, REPLY: to the request and the reply with this id and number, until another request has them.
 *
 * Everything is added in the first pass, in the order of the capture, and freed when the capture is closed. Nothing is stored, and no
 * packet is looked at, before the capture has a format of these events.
 */
#ifndef TW_SOCKET_STAMPS_H
#define TW_SOCKET_STAMPS_H

#include "dissector/compat.h"
#include "dissector/packet_header.h"
#include "schema/socket_events.h"

/* In the order in which bytes pass them; but the end of a wait in the send queue, and the stages of an echo, are the last ones here. */
enum tw_stage {
#define X(num, name, text) TW_STAGE_##name,
	TW_SOCKTS_EGRESS_LIST(X) TW_SOCKTS_INGRESS_LIST(X) TW_STAGE_HELD,
	TW_SOCKTS_ECHO_LIST(X)
#undef X
		TW_STAGES,
};

/* The position of a stamp or a segment in its tree, which is sorted by these members. */
struct tw_socket_stamp_place {
	uint64_t
		key; /* of a stamp: number of its last byte, or of the datagram; of a segment: number of the byte after it */
	uint32_t frame;
	uint32_t order; /* among the stamps of the frame */
};

struct tw_connection;

/* A socket event. */
struct tw_socket_stamp {
	struct tw_socket_stamp_place place;
	struct tw_connection *connection;
	struct tw_socket_stamp *next; /* of the same frame; NULL = the last */
	uint64_t software;            /* ns, by the stream's clock */
	uint64_t rtt;                 /* of a REPLY: time since the request, ns; 0 = unknown */
	int64_t time;                 /* ns, by the clock of the packet times */
	uint32_t stream;              /* number of its stream */
	uint32_t bytes;
	uint64_t waited;    /* HELD: ns */
	const char *reason; /* HELD: name of the reason */
	int32_t pid;
	uint16_t transmission;
	uint8_t stage; /* enum tw_stage */
	char comm[16 + 1];
};

/* A captured packet: a TCP segment with payload, a UDP datagram, or an echo. */
struct tw_segment {
	struct tw_socket_stamp_place place;
	struct tw_capture_point *point; /* where it was captured */
	uint64_t start; /* number of its first byte, or of the echo; of a datagram, its number at the capture point */
	int64_t time;   /* ns */
};

/* What an event says; the parameter of tw_socket_stamps__add(). */
struct tw_socket_stamp_event {
	struct tw_packet_flow flow;   /* of the packet: from the sender to the receiver */
	uint32_t seq;                 /* TCP: sequence number of the last byte; an echo: its number */
	uint32_t key;                 /* UDP: number of the datagram */
	struct tw_socket_stamp stamp; /* place.key, connection and next are set by the function */
};

extern bool tw_socket_stamps_on;   /* the capture has a format of these events */
extern bool tw_socket_stamps_full; /* later events or packets were not stored, because of a limit */

/** tw_socket_stamps__register() - let Wireshark make and free the state with each capture; called once when the plugin is registered */
void tw_socket_stamps__register(void);

/** tw_socket_stamps__turn_on() - from now on, store packets; called when a format of these events is added */
void tw_socket_stamps__turn_on(void);

/** tw_socket_stamps__add() - store an event. Return: it has the lifetime of the capture; NULL beyond a limit */
struct tw_socket_stamp *tw_socket_stamps__add(const struct tw_socket_stamp_event *event);

/**
 * tw_socket_stamps__add_packet() - store a packet
 * @interface: on which it was captured
 * Return: it has the lifetime of the capture; NULL if it has no payload, or beyond a limit
 */
const struct tw_segment *tw_socket_stamps__add_packet(const struct tw_packet_header *header, uint32_t interface,
						      uint32_t frame, int64_t time);

/** tw_socket_stamps__begin_frame() - the functions below may do the work that is permitted for a frame; called for each frame and packet */
void tw_socket_stamps__begin_frame(void);

/** tw_socket_stamps__gave_up() - whether this work was not enough for the frame, so that links and delays are missing */
bool tw_socket_stamps__gave_up(void);

#define TW_TIMELINE_MAX          64 /* stamps of one packet that are shown */
#define TW_SEGMENTS_OF_STAMP_MAX 16 /* packets of one stamp that are shown */

/* The stamps of one packet, in the order of time. */
struct tw_timeline {
	const struct tw_socket_stamp *stamps[TW_TIMELINE_MAX];
	uint32_t n;
};

/** tw_timeline__of() - find the stamps of a packet */
void tw_timeline__of(const struct tw_segment *segment, struct tw_timeline *ret);

/** tw_socket_stamp__segments() - find the packets to which a stamp belongs. Return: their number; they are in @ret */
uint32_t tw_socket_stamp__segments(const struct tw_socket_stamp *stamp,
				   const struct tw_segment *ret[TW_SEGMENTS_OF_STAMP_MAX]);

/** tw_socket_stamp__since() - time from an earlier stamp to this one, ns: by the stream's clock if both are of one stream */
int64_t tw_socket_stamp__since(const struct tw_socket_stamp *stamp, const struct tw_socket_stamp *earlier);

/* The delays of a packet. */
enum tw_delay {
	TW_DELAY_SCHED,
	TW_DELAY_QDISC,
	TW_DELAY_ACK,
	TW_DELAY_STACK,
	TW_DELAY_WAKEUP,
	TW_DELAY_READ,
	TW_DELAY_RTT, /* of an echo */
	TW_DELAYS,
};

/**
 * tw_timeline__delay() - find a delay in the stamps of a packet
 * @ret_end: the stamp with which the delay ends
 * Return: the delay, ns; -1 if it is not known
 */
int64_t tw_timeline__delay(const struct tw_timeline *timeline, enum tw_delay delay,
			   const struct tw_socket_stamp **ret_end);

#endif
