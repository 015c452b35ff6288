/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far a stream's packet times may be from the capture host's clock: what its OFFSET records say, by the frames they came in. */
#ifndef TW_TIME_ERROR_H
#define TW_TIME_ERROR_H

#include "dissector/capture.h"

struct tw_time_error {
	uint64_t ns;    /* TW_ERROR_UNKNOWN */
	uint32_t frame; /* whose OFFSET told it */
};

/**
 * tw_stream__learn_time_error() - packets behind @frame have times that are no further than @ns from the truth; first pass only
 * Return: false beyond the capture's limits. Then nothing is known of the packets behind it.
 */
bool tw_stream__learn_time_error(struct tw_stream *stream, uint64_t ns, uint32_t frame);

/** tw_stream__time_error() - what the last OFFSET before @frame says, the same in every pass; NULL if there was none */
const struct tw_time_error *tw_stream__time_error(const struct tw_stream *stream, uint32_t frame);

#endif
