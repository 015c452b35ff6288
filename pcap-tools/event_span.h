/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time from the earliest to the latest counted event of a capture. Event rates are computed from this time. */
#ifndef TW_EVENT_SPAN_H
#define TW_EVENT_SPAN_H

#include "stream/stream.h"

/* It must be all zero before the first tw_event_span__add(). */
struct tw_event_span {
	const struct tw_stream *origin; /* stream of the first added event; NULL = no event; internal */
	uint64_t origin_time;           /* time of the first added event, by the clock of `origin` */
	int64_t first, last;            /* times of the earliest and the latest event, ns since the first added event */
	bool is_unknown; /* the clock of an event does not count ns, or cannot be compared with the clock of `origin` */
};

/** tw_event_span__add() - add an event; the streams of all events must exist until the last event is added */
void tw_event_span__add(struct tw_event_span *span, const struct tw_stream *stream, uint64_t time);

/** tw_event_span__ns() - ns from the earliest event to the latest; 0 for fewer than two events, or if the span is unknown */
uint64_t tw_event_span__ns(const struct tw_event_span *span);

#endif
