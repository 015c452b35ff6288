/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of a stream's clock at one of its times, by the best of all means. For clocks/ only. */
#ifndef TW_ESTIMATE_H
#define TW_ESTIMATE_H

#include "pcap-tools/clocks/stream_clock.h"

struct tw_clock_estimate {
	struct tw_bounds bounds; /* of the distance to the capture host's clock, ns */
	struct tw_bounds drift;  /* ns per s */
	enum tw_offset_method method;
};

/** tw_clock_estimate__make() - at a time of the stream's clock, ns. Return: false if nothing is known */
bool tw_clock_estimate__make(const struct tw_stream_clock *clock, uint64_t ns, struct tw_clock_estimate *ret);

/** tw_clock_estimate__offset() - of packet times, at a time of the stream's clock, ns */
int64_t tw_clock_estimate__offset(const struct tw_stream_clock *clock, uint64_t ns);

/** tw_clock_estimate__error() - of a packet's time with that offset, ns; TW_ERROR_UNKNOWN where there is no estimate */
uint64_t tw_clock_estimate__error(const struct tw_clock_estimate *estimate, int64_t offset);

/** tw_clock_estimate__lasts() - until when the estimate cannot vanish by itself: the stream's clock, ns */
uint64_t tw_clock_estimate__lasts(const struct tw_stream_clock *clock, const struct tw_clock_estimate *estimate);

#endif
