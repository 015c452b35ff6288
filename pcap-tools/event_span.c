/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/event_span.h"

void tw_event_span__add(struct tw_event_span *span, const struct tw_stream *stream, uint64_t time)
{
	int64_t at;

	if (!span->origin) {
		span->origin = stream;
		span->origin_time = time;
	}
	if (tw_identity__counts(&stream->identity) ||
	    !tw_stream__since(stream, time, span->origin, span->origin_time, &at)) {
		span->is_unknown = true;
		return;
	}
	span->first = at < span->first ? at : span->first;
	span->last = at > span->last ? at : span->last;
}

uint64_t tw_event_span__ns(const struct tw_event_span *span)
{
	return span->is_unknown ? 0 : (uint64_t)span->last - (uint64_t)span->first;
}
