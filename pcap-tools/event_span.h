/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time in which the counted events of a capture occurred, for their rates. */
#ifndef TW_EVENT_SPAN_H
#define TW_EVENT_SPAN_H

#include "stream/stream.h"

/* It must be all zero before the first tw_event_span__add(). */
struct tw_event_span {
	const struct tw_stream *origin; /* stream of the first event; NULL = none; only tw_event_span__add() uses it */
	uint64_t origin_time;           /* of that event, by the stream's clock */
	int64_t first, last;            /* times of the first and the last event, ns since that event */
	bool is_unknown; /* some events have a time that counts something else, or that cannot be compared with the others */
};

/** tw_event_span__add() - add an event; the streams of all events must stay until the last one is added */
void tw_event_span__add(struct tw_event_span *span, const struct tw_stream *stream, uint64_t time);

/** tw_event_span__ns() - time from the first event to the last; 0 for less than two events, and if it is unknown */
uint64_t tw_event_span__ns(const struct tw_event_span *span);

#endif
