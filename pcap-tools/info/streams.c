/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the frames of a file say: of each stream who it is, how many events there are, and how good their times are. */
#include <errno.h>
#include <stdlib.h>

#include "pcap-tools/capture/packet_frame.h"
#include "pcap-tools/info/state.h"

/* Return: NULL beyond the limit or without memory */
static struct tw_info_stream *find_stream(struct tw_info_reader *r, uint64_t id)
{
	struct tw_info *info = r->info;
	struct tw_stream *stream = tw_streams__get(info->table, id);
	struct tw_info_stream **larger;

	if (!stream || stream->user[r->user])
		return stream ? stream->user[r->user] : NULL;
	larger = reallocarray(info->streams, info->n_streams + 1, sizeof(struct tw_info_stream *));
	if (larger) {
		info->streams = larger;
		stream->user[r->user] = larger[info->n_streams] = calloc(1, sizeof(**larger));
	}
	if (!larger || !larger[info->n_streams]) {
		r->code = -ENOMEM;
		return NULL;
	}
	larger[info->n_streams++]->stream = stream;
	return stream->user[r->user];
}

static void see_schema(struct tw_info_stream *s, uint64_t id)
{
	if (!id || (s->n_schemas && s->schemas[s->n_schemas - 1] == id))
		return;
	for (uint32_t i = 0; i < s->n_schemas; i++) {
		if (s->schemas[i] == id)
			return;
	}
	if (s->n_schemas < TW_INFO_SCHEMAS_SEEN)
		s->schemas[s->n_schemas++] = id;
}

static void take_lost(struct tw_info_stream *s, struct tw_stream_counters *counters, const struct tw_tlv_view *tlv)
{
	struct tw_lost_view lost;

	tw_stream_counters__lost(counters, tlv);
	if (tw_lost__parse(tlv, 0, &lost) && lost.where <= TW_LOST_RECEIVER &&
	    lost.count <= UINT64_MAX - s->lost[lost.where])
		s->lost[lost.where] += lost.count;
}

static bool is_last_of_event(const struct tw_tlv_view *tlv)
{
	struct tw_part_view part;

	return tw_part__parse(tlv, &part) && part.inner_type == TW_TLV_EVENT && part.offset + part.len == part.total;
}

static int take_tlv(struct tw_info_stream *s, struct tw_stream *stream, const struct tw_frame_info *frame,
		    const struct tw_tlv_view *tlv)
{
	switch (tlv->type) {
	case TW_TLV_EVENT:
		s->events++;
		return 0;
	case TW_TLV_PART:
		s->events += is_last_of_event(tlv);
		break;
	case TW_TLV_OFFSET:
		s->n_offsets += tw_offset__parse(tlv, &s->offset);
		return 0;
	case TW_TLV_LOST:
		take_lost(s, &stream->counters, tlv);
		return 0;
	default:
		break;
	}
	return tw_stream__update(stream, frame, tlv);
}

/* Of one stream only, or of none in particular. */
static void join(struct tw_info_interface *interface, uint32_t stream)
{
	if (!interface)
		return;
	if (!interface->has_frames)
		interface->stream = stream;
	else if (interface->stream != stream)
		interface->stream = TW_INFO_NONE;
	interface->has_frames = true;
}

static bool is_ring(const struct tw_frame_info *frame)
{
	return frame->source == TW_SOURCE_FTRACE || frame->source == TW_SOURCE_BPF;
}

static int take_frame(struct tw_info_reader *r, struct tw_stream *stream, const struct tw_frame_info *frame,
		      struct tw_cursor tlvs, bool snapped)
{
	struct tw_info_stream *s = stream->user[r->user];
	enum tw_frame_status status = TW_FRAME_OK;
	struct tw_tlv_view tlv;
	int code = 0;

	see_schema(s, frame->schema_id);
	s->hashed |= (frame->flags & TW_FLAG_PTR_HASHED) != 0;
	s->big_endian |= (frame->flags & TW_FLAG_BODY_BE) != 0;
	if (frame->source == TW_SOURCE_CONTROL)
		tw_stream_counters__control(&stream->counters, frame->seq);
	if (snapped && is_ring(frame)) {
		s->events += frame->events;
		return 0;
	}
	while (!code && tw_cursor__next_tlv(&tlvs, &tlv, &status))
		code = take_tlv(s, stream, frame, &tlv);
	r->info->unreadable += status != TW_FRAME_OK && !snapped;
	return code;
}

int tw_info_reader__frame(struct tw_info_reader *r, const struct tw_packet *packet, const uint8_t *frame, size_t len)
{
	struct tw_frame_info info;
	struct tw_cursor tlvs;
	const enum tw_frame_status status = tw_frame__parse(frame, len, &info, &tlvs);
	struct tw_info_stream *s;
	bool snapped;
	int code;

	if (status == TW_FRAME_NOT_OURS)
		return 0;
	r->info->frames++;
	r->info->versions += status == TW_FRAME_VERSION;
	snapped = tw_packet__is_snapped(packet, status, len);
	r->info->snapped += snapped;
	r->info->unreadable += !snapped && (status == TW_FRAME_MALFORMED || status == TW_FRAME_TRUNCATED);
	if (status != TW_FRAME_OK && status != TW_FRAME_TRUNCATED)
		return 0;
	s = find_stream(r, info.stream_id);
	if (!s) {
		r->info->refused++;
		return r->code;
	}
	join(tw_info_reader__interface(r, packet->interface), s->stream->number);
	s->packets++;
	s->bytes += packet->len;
	tw_info_times__see(&s->times, packet->time);
	code = take_frame(r, tw_streams__find(r->info->table, info.stream_id), &info, tlvs, snapped);
	return code ? code : tw_merge__frame(r->merge, frame, len, NULL);
}

/* What a recording tells of its losses on the way is not told by arrival: its LOST records say whose they were. */
static void attribute(const struct tw_info_stream *s, struct tw_merge_stream_stats *n)
{
	const uint64_t told = s->lost[TW_LOST_RECEIVER], receiver = told < n->gaps_wire ? told : n->gaps_wire;

	n->gaps_wire -= receiver;
	n->gaps_receiver += receiver;
}

static void settle_stream(struct tw_info_reader *r, struct tw_info_stream *s)
{
	struct tw_ledger_sources sources = { .books = &s->stream->counters, .own.finished = true };

	if (!s->retired)
		tw_merge__stream_stats(r->merge, s->stream->id, &s->numbers);
	sources.numbers = s->numbers;
	attribute(s, &sources.numbers);
	s->received = sources.own.delivered = sources.numbers.events_out;
	tw_ledger__make(&sources, &s->counted);
}

int tw_info_reader__settle(struct tw_info_reader *r)
{
	struct tw_info *info = r->info;
	const int code = tw_merge__flush(r->merge);

	for (uint32_t i = 0; i < info->n_streams; i++)
		settle_stream(r, info->streams[i]);
	for (uint32_t i = 0; i < info->n_interfaces; i++) {
		const struct tw_info_interface *interface = &info->interfaces[i];

		if (!interface->has_ledger || interface->stream == TW_INFO_NONE)
			continue;
		info->streams[interface->stream]->has_stored = true;
		info->streams[interface->stream]->stored = interface->ledger;
	}
	return code;
}
