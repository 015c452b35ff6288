/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time from the earliest to the latest counted event of a capture, from which rates are computed. */
#ifndef TW_EVENT_SPAN_H
#define TW_EVENT_SPAN_H

#include "stream/stream.h"

/* It must be all zero before the first tw_event_span__add(). */
struct tw_event_span {
	const struct tw_stream *origin; /* of the event added first; NULL = none; only tw_event_span__add() uses it */
	uint64_t origin_time;           /* time of that event, by the stream's clock */
	int64_t first, last;            /* times of the earliest and the latest event, ns since that event */
	bool is_unknown; /* the clock of some events does not count ns, or their times cannot be compared with the others */
};

/** tw_event_span__add() - add an event; the streams of all events must stay until the last one is added */
void tw_event_span__add(struct tw_event_span *span, const struct tw_stream *stream, uint64_t time);

/** tw_event_span__ns() - ns from the earliest event to the latest; 0 for fewer than two events, and if it is unknown */
uint64_t tw_event_span__ns(const struct tw_event_span *span);

#endif
