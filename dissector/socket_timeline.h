/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's timeline of TCP segments, UDP datagrams and echoes of ICMP: shown in the packets themselves, by a postdissector, with links to the frames of
 * the socket events, and in these frames, with links to the packets.
 */
#ifndef TW_SOCKET_TIMELINE_H
#define TW_SOCKET_TIMELINE_H

#include "dissector/packet-tracewire.h"
#include "dissector/socket_stamps.h"

/** tw_socket_timeline__register() - register the fields and the postdissector; called once when the plugin is registered */
void tw_socket_timeline__register(void);

/** tw_socket_timeline__handoff() - begin to see packets; called when all protocols are registered */
void tw_socket_timeline__handoff(void);

/**
 * tw_socket_fields__of() - find the fields of a format that the timeline needs
 * Return: it has the lifetime of the capture; NULL if it is no format of a socket event with a time stamp
 */
const struct tw_socket_fields *tw_socket_fields__of(const struct tw_format *format);

/**
 * tw_socket_timeline__event() - in the first pass, store the event if it is a socket event with a time stamp; later, find it
 * @fields: of its format; @time: of the event, by the stream's clock
 * Called for each such event of a frame, in their order. Return: NULL if it was not stored.
 */
const struct tw_socket_stamp *tw_socket_timeline__event(struct tw_dissect *d, const struct tw_socket_fields *fields,
							const struct tw_record *record, uint64_t time);

/** tw_socket_timeline__put_event() - add the links and the delay of a socket event to the tree of its frame */
void tw_socket_timeline__put_event(struct tw_dissect *d, proto_tree *tree, int at, const struct tw_socket_stamp *stamp);

#endif
