/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/info/event_counter.h"

#include <errno.h>

int tw_event_counter__init(struct tw_event_counter *counter, struct tw_counts *counts, struct tw_streams *streams)
{
	const struct tw_parts_limits limits = { .bytes = TW_STREAMS_EVENT_PARTS_FILE_BYTES,
						.count = TW_STREAMS_EVENT_PARTS_MAX };

	*counter = (struct tw_event_counter){ .counts = counts, .streams = streams };
	if (!counts)
		return 0;
	counter->parts = tw_parts__new(&limits);
	return counter->parts ? 0 : -ENOMEM;
}

void tw_event_counter__fini(struct tw_event_counter *counter)
{
	tw_parts__free(counter->parts);
	*counter = (struct tw_event_counter){ 0 };
}

/* @at_base: use the base time of @frame as the time of the event */
static int count(struct tw_event_counter *counter, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv,
		 bool at_base)
{
	struct tw_stream *stream = tw_streams__find(counter->streams, frame->stream_id);
	const struct tw_stream_event *known;
	struct tw_event_view event;
	struct tw_count_row key = { .pid = 0 };

	if (!stream || !tw_event__parse(tlv, frame->base_time, &event))
		return 0;
	tw_event_span__add(&counter->span, stream, at_base ? frame->base_time : event.time);
	known = tw_stream__event(stream, frame->schema_id, event.id);
	tw_count_row__name_event(&key, known ? known->format->system : NULL, known ? known->format->name : NULL,
				 event.id);
	return tw_counts__add(counter->counts, &key);
}

int tw_event_counter__take(struct tw_event_counter *counter, const struct tw_merged *out)
{
	struct tw_cursor tlvs = { .at = out->body, .left = out->body_len }, unused;
	enum tw_frame_status status = TW_FRAME_OK;
	struct tw_tlv_view tlv, whole;
	struct tw_frame_info frame;
	struct tw_part_view part;
	int err = 0;

	if (!counter->counts || out->is_control)
		return 0;
	tw_frame__parse(out->head, sizeof(struct tw_frame_hdr), &frame, &unused);
	while (!err && tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		if (tlv.type == TW_TLV_EVENT)
			err = count(counter, &frame, &tlv, out->is_event && out->at_base);
		else if (tlv.type == TW_TLV_PART && tw_part__parse(&tlv, &part) && part.inner_type == TW_TLV_EVENT &&
			 tw_parts__add(counter->parts, frame.stream_id, frame.channel, &part, &whole) == TW_PARTS_WHOLE)
			err = count(counter, &frame, &whole, out->is_event && out->at_base);
	}
	return err;
}
