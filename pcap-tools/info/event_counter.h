/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to info. Counts the events that the merge emits, by their names. */
#ifndef TW_INFO_EVENT_COUNTER_H
#define TW_INFO_EVENT_COUNTER_H

#include "pcap-tools/counts.h"
#include "pcap-tools/event_span.h"
#include "pcap-tools/merge/merge.h"
#include "stream/streams.h"
#include "wire/parts.h"

struct tw_event_counter {
	struct tw_counts *counts;   /* NULL = nothing is counted */
	struct tw_event_span span;  /* of the counted events */
	struct tw_streams *streams; /* the table of streams, which has the formats */
	struct tw_parts *parts;     /* for events in PARTs */
};

/** tw_event_counter__init() - make a counter. @counts, @streams: borrowed; @counts may be NULL. Return: 0 or -ENOMEM */
int tw_event_counter__init(struct tw_event_counter *counter, struct tw_counts *counts, struct tw_streams *streams);

/** tw_event_counter__take() - count the events in a frame. Return: 0 or -ENOMEM */
int tw_event_counter__take(struct tw_event_counter *counter, const struct tw_merged *out);

/** tw_event_counter__fini() - free the memory; @counter may be all zero */
void tw_event_counter__fini(struct tw_event_counter *counter);

#endif
