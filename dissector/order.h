/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether it is certain which was first, a packet or the one before it of another stream: their times are further apart than
 * both streams' errors together. Found in the first pass; nothing is kept for a capture with one stream.
 */
#ifndef TW_ORDER_H
#define TW_ORDER_H

#include "dissector/stream.h"

enum tw_order { TW_ORDER_NO_OTHER, TW_ORDER_CERTAIN, TW_ORDER_UNCERTAIN };

/** tw_order__register() - at start; sets up with each capture */
void tw_order__register(void);

/** tw_order__learn() - a packet with events of that stream; first pass only, in the order of the file */
void tw_order__learn(const struct tw_dissector_stream *stream, const packet_info *pinfo);

/** tw_order__of() - of the events in that frame; TW_ORDER_NO_OTHER if no other stream had events before it */
enum tw_order tw_order__of(uint32_t frame);

/* How far a stream's packet times may be from the capture host's clock: what its OFFSET records say, by the frames they came in. */
struct tw_time_error {
	uint64_t ns;    /* TW_ERROR_UNKNOWN */
	uint32_t frame; /* whose OFFSET told it */
};

/**
 * tw_stream__learn_time_error() - packets behind @frame have times that are no further than @ns from the truth; first pass only
 * Return: false beyond the capture's limits. Then nothing is known of the packets behind it.
 */
bool tw_stream__learn_time_error(struct tw_dissector_stream *stream, uint64_t ns, uint32_t frame);

/** tw_stream__time_error() - what the last OFFSET before @frame says, the same in every pass; NULL if there was none */
const struct tw_time_error *tw_stream__time_error(const struct tw_dissector_stream *stream, uint32_t frame);

#endif
