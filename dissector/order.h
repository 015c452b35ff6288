/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether it is certain which was first, a packet or the one before it of another stream: their times are further apart than
 * both streams' errors together. Found in the first pass; nothing is kept for a capture with one stream.
 */
#ifndef TW_ORDER_H
#define TW_ORDER_H

#include "dissector/capture.h"

enum tw_order { TW_ORDER_NO_OTHER, TW_ORDER_CERTAIN, TW_ORDER_UNCERTAIN };

/** tw_order__register() - at start; sets up with each capture */
void tw_order__register(void);

/** tw_order__learn() - a packet with events of that stream; first pass only, in the order of the file */
void tw_order__learn(const struct tw_stream *stream, const packet_info *pinfo);

/** tw_order__of() - of the events in that frame; TW_ORDER_NO_OTHER if no other stream had events before it */
enum tw_order tw_order__of(uint32_t frame);

#endif
