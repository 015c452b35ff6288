/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/events/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/time.h"
#include "pcap-tools/events/accounting.h"
#include "pcap-tools/events/reader_impl.h"

/* Counts a malformed frame or record. Return: 0, so that the reading continues without it */
static int skip_malformed(struct tw_event_reader *reader)
{
	reader->stats->malformed++;
	return 0;
}

/* Return: the packet time of an event. All events of a packet have the same distance from packet time. 0 = unknown */
static uint64_t packet_time(const struct tw_read_event *event, const struct tw_event_frame *frame)
{
	const struct tw_identity *id = &event->stream->identity;

	if (!frame->merged || !frame->packet.time)
		return frame->time;
	return frame->packet.time + tw_identity__ns(id, event->view.time) - tw_identity__ns(id, frame->packet_base);
}

/* Sets the time of an event by the capture host's clock, and its error bound. */
static void set_time(const struct tw_event_counts *s, const struct tw_event_frame *frame, struct tw_read_event *event)
{
	const uint64_t offsets = frame->merged ? frame->packet.offsets : s->offsets.n;
	const struct tw_event_offset *offset = tw_event_offsets__after(&s->offsets, offsets);

	event->time = packet_time(event, frame);
	event->error_ns = offset && event->time ? offset->error_ns : TW_ERROR_UNKNOWN;
}

/* @cut: the capture contains only the beginning of the event */
static int take_event(struct tw_event_reader *reader, struct tw_stream *stream, const struct tw_event_frame *frame,
		      const struct tw_tlv_view *tlv, bool cut)
{
	struct tw_read_event event = { .stream = stream, .frame = &frame->info, .cut = cut };

	if (!tw_event__parse(tlv, frame->info.base_time, &event.view))
		return skip_malformed(reader);
	if (frame->at_base)
		event.view.time = frame->info.base_time;
	reader->stats->events++;
	event.known = tw_stream__event(stream, frame->info.schema_id, event.view.id);
	event.record = (struct tw_record){
		.data = event.view.record,
		.len = event.view.len,
		.big_endian = frame->info.flags & TW_FLAG_BODY_BE,
		.from_wire = true,
		.cut = cut,
	};
	event.losses = ((const struct tw_event_counts *)stream->user[reader->user])->losses;
	set_time(stream->user[reader->user], frame, &event);
	return reader->ops->event(reader->ctx, &event);
}

static int take_lost(struct tw_event_reader *reader, struct tw_stream *stream, const struct tw_event_frame *frame,
		     const struct tw_tlv_view *tlv)
{
	struct tw_lost_view lost;

	if (!tw_lost__parse(tlv, frame->info.base_time, &lost))
		return skip_malformed(reader);
	tw_event_accounting__lost(stream, stream->user[reader->user], tlv, &lost);
	return !reader->ops->loss ? 0 : reader->ops->loss(reader->ctx, stream, frame->info.cpu, &lost);
}

static int take_part(struct tw_event_reader *reader, struct tw_stream *stream, const struct tw_event_frame *frame,
		     const struct tw_tlv_view *tlv)
{
	struct tw_part_view part;
	struct tw_tlv_view whole;

	if (!tw_part__parse(tlv, &part))
		return skip_malformed(reader);
	if (part.inner_type != TW_TLV_EVENT) {
		return tw_stream__update(stream, &frame->info, tlv);
	}
	if (tw_parts__add(reader->parts, stream->id, frame->info.channel, &part, &whole) != TW_PARTS_WHOLE)
		return 0;
	return take_event(reader, stream, frame, &whole, false);
}

/* Takes a TLV of which only the beginning was captured. An event is passed on if its header was captured. */
static int take_cut(struct tw_event_reader *reader, struct tw_stream *stream, const struct tw_event_frame *frame)
{
	struct tw_tlv_view tlv;

	if (frame->tlvs.left < sizeof(struct tw_tlv))
		return 0;
	if (!tw_cursor__cut_tlv(&frame->tlvs, frame->missing, &tlv))
		return skip_malformed(reader);
	if (tlv.type != TW_TLV_EVENT || sizeof(struct tw_tlv) + tlv.len < tw_tlv__min(tlv.type))
		return 0;
	return take_event(reader, stream, frame, &tlv, true);
}

/* Takes a record of metadata, or one that a capture host made. */
static int take_record(struct tw_event_reader *reader, struct tw_stream *stream, const struct tw_event_frame *frame,
		       const struct tw_tlv_view *tlv)
{
	struct tw_event_counts *s = stream->user[reader->user];
	struct tw_offset_view offset;
	int err = 0;

	if (tlv->type == TW_TLV_OFFSET && tw_offset__parse(tlv, &offset)) {
		tw_event_offsets__add(&s->offsets, &offset);
		if (offset.kind < TW_OFFSET_KINDS)
			reader->stats->changes[offset.kind]++;
	}
	if (reader->ops->record)
		err = reader->ops->record(reader->ctx, stream, &frame->info, tlv);
	return err ? err : tw_stream__update(stream, &frame->info, tlv);
}

static int take_tlv(struct tw_event_reader *reader, struct tw_stream *stream, const struct tw_event_frame *frame,
		    const struct tw_tlv_view *tlv)
{
	switch (tlv->type) {
	case TW_TLV_EVENT:
		return take_event(reader, stream, frame, tlv, false);
	case TW_TLV_LOST:
		return take_lost(reader, stream, frame, tlv);
	case TW_TLV_PART:
		return take_part(reader, stream, frame, tlv);
	default:
		return take_record(reader, stream, frame, tlv);
	}
}

static int take_frame(void *ctx, struct tw_event_frame *frame)
{
	struct tw_event_reader *reader = ctx;
	struct tw_stream *stream = tw_streams__get(reader->streams, frame->info.stream_id);
	const uint64_t events = reader->stats->events;
	enum tw_frame_status status = TW_FRAME_OK;
	struct tw_event_counts *s;
	struct tw_tlv_view tlv;
	uint64_t filtered = 0;
	int err = 0;

	if (!stream)
		return skip_malformed(reader);
	s = tw_event_accounting__stream(reader, stream);
	if (!s)
		return -ENOMEM;
	if (frame->info.source == TW_SOURCE_CONTROL)
		tw_stream_counters__control(&stream->counters, frame->info.seq);
	while (!err && tw_cursor__next_tlv(&frame->tlvs, &tlv, &status)) {
		filtered += tlv.type == TW_TLV_FILTERED;
		err = take_tlv(reader, stream, frame, &tlv);
	}
	if (!err && status == TW_FRAME_MALFORMED && frame->missing)
		err = take_cut(reader, stream, frame);
	else
		reader->stats->malformed += status == TW_FRAME_MALFORMED;
	tw_event_accounting__frame(s, frame, reader->stats->events - events, filtered);
	return err;
}

static uint64_t offsets_so_far(void *ctx, const struct tw_event_frame *frame)
{
	const struct tw_event_reader *reader = ctx;
	const struct tw_stream *stream = tw_streams__find(reader->streams, frame->info.stream_id);
	const struct tw_event_counts *s = stream ? stream->user[reader->user] : NULL;

	return s ? s->offsets.n : 0;
}

static void take_block(void *ctx, const struct tw_capture_block *block)
{
	struct tw_event_reader *reader = ctx;
	const int err = tw_capture_interfaces__block(&reader->interfaces, block);

	reader->block_err = reader->block_err ? reader->block_err : err;
}

int tw_event_reader__run(struct tw_event_reader *reader, int *ret_err, struct tw_error *error)
{
	struct tw_packet packet;
	int more, err = 0;

	while ((more = tw_capture_file__next(reader->file, &packet, error)) > 0) {
		err = reader->block_err;
		if (!err)
			err = tw_event_frames__packet(reader->frames, &packet);
		if (err)
			break;
	}
	if (!err)
		err = reader->block_err;
	if (!err)
		err = tw_event_reader__flush(reader);
	*ret_err = err;
	return err ? 1 : more;
}

int tw_event_reader__check(const struct tw_event_reader *reader, struct tw_error *error)
{
	const struct tw_event_reader_stats *stats = reader->stats;

	if (!stats->frames)
		return tw_error__set(error, -ENODATA,
				     "%s has no Tracewire frames among its %" PRIu64
				     " packets (EtherType 0x%04X, or UDP port %u)",
				     reader->name, stats->packets, TW_ETHERTYPE, TW_UDP_PORT);
	if (stats->versions == stats->frames)
		return tw_error__set(
			error, -EPROTONOSUPPORT,
			"%s has an unknown version of the wire format (this program supports %u): use a newer tracewire",
			reader->name, TW_VERSION);
	return 0;
}

void tw_event_reader__finish(struct tw_event_reader *reader)
{
	struct tw_event_reader_stats *stats = reader->stats;

	tw_event_accounting__finish(reader);
	tw_streams__stats(reader->streams, &stats->streams);
	stats->malformed += stats->streams.malformed;
}

void tw_event_reader__free(struct tw_event_reader *reader)
{
	if (!reader)
		return;
	tw_event_accounting__fini(reader);
	tw_event_frames__free(reader->frames);
	tw_parts__free(reader->parts);
	tw_streams__free(reader->streams);
	if (reader->file)
		tw_capture_file__close(reader->file);
	free(reader);
}

static enum tw_event_frames_source source_of(const struct tw_event_reader *reader)
{
	if (!reader->file)
		return TW_EVENT_FRAMES_LIVE;
	return tw_capture_file__is_recording(reader->file) ? TW_EVENT_FRAMES_RECORDING : TW_EVENT_FRAMES_CAPTURE;
}

static bool prepare(struct tw_event_reader *reader)
{
	const struct tw_parts_limits limits = { .bytes = TW_STREAMS_EVENT_PARTS_FILE_BYTES,
						.count = TW_STREAMS_EVENT_PARTS_MAX };
	const struct tw_streams_options streams = { .silence = TW_STREAMS_SILENT_FRAMES,
						    .keeps = true,
						    .wants = TW_STREAM_WANTS_FORMATS | TW_STREAM_WANTS_COUNTERS };

	reader->streams = tw_streams__new(&streams);
	reader->parts = tw_parts__new(&limits);
	if (!reader->streams || !reader->parts)
		return false;
	reader->user = tw_streams__add_user(reader->streams, &(struct tw_stream_user){ .ctx = reader });
	reader->frames = tw_event_frames__new(reader->streams, &reader->interfaces, source_of(reader), take_frame,
					      offsets_so_far, reader, reader->stats);
	return reader->frames;
}

/* Return: NULL without memory */
static struct tw_event_reader *new_reader(const char *name, const struct tw_event_reader_ops *ops, void *ctx,
					  struct tw_event_reader_stats *stats)
{
	struct tw_event_reader *reader = calloc(1, sizeof(*reader));

	*stats = (struct tw_event_reader_stats){ 0 };
	if (!reader)
		return NULL;
	reader->name = name;
	reader->ops = ops;
	reader->ctx = ctx;
	reader->stats = stats;
	return reader;
}

int tw_event_reader__new(int in, const char *name, const struct tw_event_reader_ops *ops, void *ctx,
			 struct tw_event_reader_stats *stats, struct tw_event_reader **ret, struct tw_error *error)
{
	struct tw_event_reader *reader = new_reader(name, ops, ctx, stats);
	int err = reader ? tw_capture_file__open(in, name, &reader->file, error)
			 : tw_error__set(error, -ENOMEM, "no memory to read %s", name);

	if (!err && !prepare(reader))
		err = tw_error__set(error, -ENOMEM, "no memory to read %s", name);
	if (err) {
		tw_event_reader__free(reader);
		return err;
	}
	tw_capture_file__watch(reader->file, take_block, reader);
	stats->is_recording = tw_capture_file__is_recording(reader->file);
	*ret = reader;
	return 0;
}

int tw_event_reader__new_live(const struct tw_event_reader_ops *ops, void *ctx, struct tw_event_reader_stats *stats,
			      struct tw_event_reader **ret, struct tw_error *error)
{
	struct tw_event_reader *reader = new_reader("the trace", ops, ctx, stats);

	if (!reader || !prepare(reader)) {
		tw_event_reader__free(reader);
		return tw_error__set(error, -ENOMEM, "no memory to read the trace");
	}
	*ret = reader;
	return 0;
}

int tw_event_reader__frame(struct tw_event_reader *reader, const void *data, size_t len)
{
	return tw_event_frames__frame(reader->frames, data, len);
}

int tw_event_reader__flush(struct tw_event_reader *reader)
{
	return tw_event_frames__flush(reader->frames);
}

struct tw_streams *tw_event_reader__streams(const struct tw_event_reader *reader)
{
	return reader->streams;
}

bool tw_event_reader__has_frames(const struct tw_event_reader *reader, const struct tw_stream *stream)
{
	return stream->user[reader->user];
}

uint32_t tw_event_reader__n_streams(const struct tw_event_reader *reader)
{
	return reader->n_streams;
}

enum tw_selected tw_event_reader__records(const struct tw_event_reader *reader, const char *system, const char *event)
{
	const struct tw_stream *s = tw_streams__first(reader->streams);
	enum tw_selected selected = TW_SELECTED_UNKNOWN;
	bool is_unknown = false;

	for (; s; s = s->next) {
		if (!tw_event_reader__has_frames(reader, s))
			continue;
		selected = tw_identity__records(&s->identity, system, event);
		if (selected == TW_SELECTED_YES)
			return selected;
		is_unknown |= selected == TW_SELECTED_UNKNOWN;
	}
	return is_unknown ? TW_SELECTED_UNKNOWN : selected;
}
