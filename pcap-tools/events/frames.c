/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/events/frames.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash_table.h"
#include "pcap-tools/capture/packet_frame.h"
#include "pcap-tools/merge/merge.h"
#include "stream/channels.h"

#define CHANNELS_MAX 16384 /* channels checked for gaps; further channels are probably forged */

enum order {
	UNDECIDED, /* the kind of file is unknown yet; frames are kept */
	AS_IT_IS,  /* the frames are in order: they are passed on unchanged */
	MERGED,    /* a capture of an interface, or packed frames */
};

struct channel_key {
	uint64_t stream_id, channel;
};

struct channel {
	struct tw_stream_channel numbers;
	uint32_t stream; /* index in tw_event_frames.numbers */
};

/* Precedes each kept frame: its packet time, the length of the frame, and the number of its missing bytes. */
struct kept_frame {
	uint64_t time;
	uint32_t len, missing;
};

struct tw_event_frames {
	tw_event_frames_take *take;
	tw_event_frames_offsets *offsets; /* NULL = none */
	void *ctx;
	struct tw_event_reader_stats *stats;
	enum order order;
	bool is_live;
	struct tw_hash_table numbers;   /* stream id -> struct tw_stream_numbers of frames passed on AS_IT_IS */
	struct tw_hash_table retired;   /* the same, of streams that the merge retired */
	struct tw_hash_table channels;  /* struct channel_key -> struct channel; only used for AS_IT_IS */
	struct channel_key latest;      /* the key looked up last */
	struct channel *latest_channel; /* its value; NULL = none */
	struct tw_merge *merge;
	struct tw_streams *streams;
	struct tw_capture_interfaces *interfaces;
	uint64_t n_snapped; /* cut frames passed to the merge, which counts them as malformed */
	uint8_t *opening;   /* the kept frames, each after its struct kept_frame */
	size_t opening_len;
	unsigned int n_opening;
};

static int take_merged(void *ctx, const struct tw_merged *out)
{
	struct tw_event_frames *frames = ctx;
	struct tw_event_frame frame = {
		.merged = true,
		.at_base = out->is_event && out->at_base,
		.packet_base = out->frame_time,
		.packet = out->packet,
	};
	struct tw_cursor unused;

	tw_frame__parse(out->head, sizeof(struct tw_frame_hdr), &frame.info, &unused);
	frame.tlvs = (struct tw_cursor){ .at = out->body, .left = out->body_len };
	if (!out->is_control) {
		frame.info.seq = out->seq;
		frame.info.base_time = out->base_time;
		frame.info.events = out->events;
		frame.info.flags = out->flags;
	}
	return frames->take(frames->ctx, &frame);
}

/* Whether a frame is one of those that need the merge (see frames.h). A recording with one event per packet has no such frames. */
static bool needs_merge(const struct tw_event_frame *frame)
{
	struct tw_cursor tlvs = frame->tlvs;
	enum tw_frame_status status;
	struct tw_tlv_view tlv;

	if (frame->info.events > 1)
		return true;
	while (tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		if (tlv.type == TW_TLV_WATERMARK || (tlvs.left && frame->info.channel != TW_CHANNEL_CONTROL))
			return true;
		if (!tlvs.left)
			return false;
	}
	return false;
}

/*
 * Finds the entry (struct tw_stream_numbers) of a stream in @frames->numbers, or inserts an empty one. @ret_index: index of the entry.
 * Return: 0; -E2BIG beyond TW_STREAMS_MAX, -ENOMEM
 */
static int find_numbers(struct tw_event_frames *frames, uint64_t stream_id, uint32_t *ret_index)
{
	const struct tw_hash_table *table = &frames->numbers;
	void *numbers;
	const int added = tw_hash_table__put_u64(&frames->numbers, stream_id, &numbers);

	if (added < 0)
		return added;
	*ret_index = (uint32_t)((size_t)((char *)numbers - (char *)tw_hash_table__value(table, 0)) / table->stride);
	return 0;
}

/*
 * Finds the entry (struct channel) of a frame's channel in @frames->channels, or inserts one. If it is new, the event numbers before this
 * frame are added to `before` of the stream. Return: 0; -E2BIG beyond TW_STREAMS_MAX or CHANNELS_MAX, -ENOMEM
 */
static int find_channel(struct tw_event_frames *frames, const struct tw_frame_info *frame, struct channel **ret)
{
	const struct channel_key key = { frame->stream_id, frame->channel };
	void *channel = frames->latest_channel;
	struct tw_stream_numbers *numbers;
	uint32_t stream;
	int err;

	*ret = channel;
	if (channel && !memcmp(&key, &frames->latest, sizeof(key)))
		return 0;
	err = find_numbers(frames, frame->stream_id, &stream);
	if (!err)
		err = tw_hash_table__put(&frames->channels, &key, &channel);
	if (err < 0)
		return err;
	frames->latest = key;
	*ret = frames->latest_channel = channel;
	if (!err)
		return 0;
	frames->latest_channel->stream = stream;
	numbers = tw_hash_table__value(&frames->numbers, stream);
	numbers->before = tw_count__plus(numbers->before, frame->seq);
	return 0;
}

/* Counts the event numbers of a frame, and those missing before it; channels beyond the limits are not counted. Return: 0, -ENOMEM */
static int count_numbers(struct tw_event_frames *frames, const struct tw_frame_info *frame)
{
	struct tw_stream_numbers *numbers;
	uint64_t missing, *unused;
	struct channel *channel;
	int err;

	if (frame->channel == TW_CHANNEL_CONTROL)
		return 0;
	err = find_channel(frames, frame, &channel);
	if (err)
		return err == -E2BIG ? 0 : err;
	numbers = tw_hash_table__value(&frames->numbers, channel->stream);
	switch (tw_stream_channel__see(&channel->numbers, frame->seq, frame->events, &missing)) {
	case TW_STREAM_AFTER_GAP:
		numbers->gaps_wire = tw_count__plus(numbers->gaps_wire, missing);
		break;
	case TW_STREAM_LATE:
		tw_stream_channel__fill(&channel->numbers, frame->seq, frame->seq + frame->events, &unused);
		numbers->gaps_wire -= frame->events;
		break;
	case TW_STREAM_DUPLICATE:
		numbers->duplicates += frame->events;
		return 0;
	case TW_STREAM_IN_ORDER:
		break;
	}
	numbers->received += frame->events;
	return 0;
}

/* From HOST and the first CLOCK, sets the clock scale and the wall-clock offset of a stream in the merge, which orders events by them. */
static int place(struct tw_event_frames *frames, const struct tw_frame_info *info, struct tw_cursor tlvs)
{
	struct tw_stream *stream = tw_streams__get(frames->streams, info->stream_id);
	enum tw_frame_status status;
	struct tw_tlv_view tlv;
	int err = 0;

	while (stream && !err && tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		if (tlv.type != TW_TLV_HOST && (tlv.type != TW_TLV_CLOCK || stream->has_wall))
			continue;
		tw_stream__update(stream, info, &tlv);
		if (tlv.type == TW_TLV_HOST)
			err = tw_merge__set_scale(frames->merge, stream->id, &stream->identity.scale);
		else if (stream->has_wall)
			err = tw_merge__set_offset(frames->merge, stream->id, (int64_t)tw_stream__wall_offset(stream));
	}
	return err == -ENOSPC ? 0 : err; /* the merge counts the frame as refused */
}

/* An out-of-band frame is not ordered with the events, but may have metadata. */
static bool is_out_of_band(const struct tw_event_frame *frame)
{
	return frame->info.source == TW_SOURCE_OUT_OF_BAND;
}

static int pass_on(struct tw_event_frames *frames, struct tw_event_frame *frame, const uint8_t *data, size_t len)
{
	struct tw_arrival arrival = { .packet.time = frame->time };
	int err = 0;

	if (is_out_of_band(frame))
		return frames->take(frames->ctx, frame);
	if (frames->order == AS_IT_IS) {
		err = count_numbers(frames, &frame->info);
		return err ? err : frames->take(frames->ctx, frame);
	}
	frames->n_snapped += frame->missing > 0;
	if (frame->info.source == TW_SOURCE_CONTROL)
		err = place(frames, &frame->info, frame->tlvs);
	if (frames->offsets)
		arrival.packet.offsets = frames->offsets(frames->ctx, frame);
	return err ? err : tw_merge__frame(frames->merge, data, len, &arrival);
}

static void add_numbers(struct tw_stream_numbers *to, const struct tw_stream_numbers *numbers)
{
#define X(name, what) to->name = tw_count__plus(to->name, numbers->name);
	TW_STREAM_NUMBERS(X)
#undef X
}

/* Keeps the numbers of a stream that leaves the merge. */
static void add_retired(void *ctx, uint64_t stream_id, const struct tw_stream_numbers *stats)
{
	struct tw_event_frames *frames = ctx;
	void *numbers;

	if (tw_hash_table__put_u64(&frames->retired, stream_id, &numbers) >= 0)
		add_numbers(numbers, stats);
}

/* Sets the order, which is known now, and passes on the kept frames. */
static int decide(struct tw_event_frames *frames, enum order order)
{
	const struct tw_merge_options options = { .one_order = true,
						  .from_start = frames->is_live,
						  .streams = frames->streams,
						  .emit = take_merged,
						  .retired = add_retired,
						  .ctx = frames };
	size_t at = 0;
	int err = order == MERGED ? tw_merge__new(&options, &frames->merge, NULL) : 0;

	if (!err)
		frames->order = order;
	while (!err && at < frames->opening_len) {
		const uint8_t *data = frames->opening + at + sizeof(struct kept_frame);
		struct tw_event_frame frame = { 0 };
		struct kept_frame kept;

		memcpy(&kept, frames->opening + at, sizeof(kept));
		frame.missing = kept.missing;
		frame.time = kept.time;
		tw_frame__parse(data, kept.len, &frame.info, &frame.tlvs);
		err = pass_on(frames, &frame, data, kept.len);
		at += sizeof(kept) + kept.len;
	}
	frames->opening_len = 0;
	return err;
}

struct tw_event_frames *tw_event_frames__new(struct tw_streams *streams, struct tw_capture_interfaces *interfaces,
					     enum tw_event_frames_source source, tw_event_frames_take *take,
					     tw_event_frames_offsets *offsets, void *ctx,
					     struct tw_event_reader_stats *stats)
{
	struct tw_event_frames *frames = calloc(1, sizeof(*frames));

	if (!frames)
		return NULL;
	*frames = (struct tw_event_frames){
		.streams = streams,
		.interfaces = interfaces,
		.take = take,
		.offsets = offsets,
		.ctx = ctx,
		.stats = stats,
		.order = source == TW_EVENT_FRAMES_RECORDING ? AS_IT_IS : UNDECIDED,
		.is_live = source == TW_EVENT_FRAMES_LIVE,
		.numbers = { .key_size = sizeof(uint64_t),
			     .value_size = sizeof(struct tw_stream_numbers),
			     .max = TW_STREAMS_MAX },
		.retired = { .key_size = sizeof(uint64_t),
			     .value_size = sizeof(struct tw_stream_numbers),
			     .max = TW_STREAMS_MAX },
		.channels = { .key_size = sizeof(struct channel_key),
			      .value_size = sizeof(struct channel),
			      .max = CHANNELS_MAX },
	};
	if (frames->is_live && decide(frames, MERGED)) {
		tw_event_frames__free(frames);
		return NULL;
	}
	return frames;
}

void tw_event_frames__free(struct tw_event_frames *frames)
{
	if (!frames)
		return;
	tw_merge__free(frames->merge);
	tw_hash_table__fini(&frames->numbers);
	tw_hash_table__fini(&frames->retired);
	tw_hash_table__fini(&frames->channels);
	free(frames->opening);
	free(frames);
}

static int keep(struct tw_event_frames *frames, const struct tw_event_frame *frame, const uint8_t *data, size_t len)
{
	const struct kept_frame kept = {
		.len = (uint32_t)(len < TW_FRAME_MAX ? len : TW_FRAME_MAX),
		.missing = frame->missing,
		.time = frame->time,
	};

	if (!frames->opening)
		frames->opening = malloc(TW_EVENT_OPENING_BYTES);
	if (!frames->opening)
		return -ENOMEM;
	memcpy(frames->opening + frames->opening_len, &kept, sizeof(kept));
	frames->opening_len += sizeof(kept);
	memcpy(frames->opening + frames->opening_len, data, kept.len);
	frames->opening_len += kept.len;
	frames->n_opening++;
	return 0;
}

static bool is_full(const struct tw_event_frames *frames)
{
	return frames->n_opening == TW_EVENT_OPENING_FRAMES ||
	       TW_EVENT_OPENING_BYTES - frames->opening_len < sizeof(struct kept_frame) + TW_FRAME_MAX;
}

/* Counts a frame and its faults. Return: whether it can be read. */
static bool is_readable(struct tw_event_reader_stats *stats, enum tw_frame_status status, bool snapped)
{
	if (status == TW_FRAME_NOT_OURS)
		return false;
	stats->frames++;
	stats->versions += status == TW_FRAME_VERSION;
	stats->snapped += snapped;
	stats->malformed += !snapped && (status == TW_FRAME_MALFORMED || status == TW_FRAME_TRUNCATED);
	return status == TW_FRAME_OK || status == TW_FRAME_TRUNCATED;
}

/* Records that the stream of a frame was captured on the packet's interface. */
static void join(const struct tw_event_frames *frames, const struct tw_packet *packet,
		 const struct tw_frame_info *frame)
{
	const struct tw_stream *stream = frames->interfaces ? tw_streams__get(frames->streams, frame->stream_id) : NULL;

	if (stream)
		tw_capture_interfaces__join(frames->interfaces, packet->interface, stream);
}

int tw_event_frames__packet(struct tw_event_frames *frames, const struct tw_packet *packet)
{
	size_t len;
	const uint8_t *data = tw_packet__frame(packet->linktype, packet->data, packet->len, &len);
	struct tw_event_frame frame = { 0 };
	enum tw_frame_status status;
	bool snapped;
	int err = 0;

	frames->stats->packets++;
	if (!data)
		return 0;
	status = tw_frame__parse(data, len, &frame.info, &frame.tlvs);
	snapped = tw_packet__is_snapped(packet, status, len);
	if (!is_readable(frames->stats, status, snapped))
		return 0;
	join(frames, packet, &frame.info);
	frame.missing = snapped ? frame.info.length - (uint32_t)len : 0;
	frame.time = packet->time;
	if (frames->order != MERGED && !is_out_of_band(&frame) && needs_merge(&frame))
		err = decide(frames, MERGED);
	else if (frames->order == UNDECIDED && is_full(frames))
		err = decide(frames, AS_IT_IS);
	if (err)
		return err;
	return frames->order == UNDECIDED ? keep(frames, &frame, data, len) : pass_on(frames, &frame, data, len);
}

int tw_event_frames__frame(struct tw_event_frames *frames, const void *data, size_t len)
{
	struct tw_event_frame frame = { 0 };
	const enum tw_frame_status status = tw_frame__parse(data, len, &frame.info, &frame.tlvs);

	frames->stats->packets++;
	if (!is_readable(frames->stats, status, false))
		return 0;
	return pass_on(frames, &frame, data, len);
}

int tw_event_frames__flush(struct tw_event_frames *frames)
{
	struct tw_merge_stats merge;
	int err = frames->order == UNDECIDED ? decide(frames, AS_IT_IS) : 0;

	if (!frames->merge)
		return err;
	err = tw_merge__flush(frames->merge);
	tw_merge__stats(frames->merge, &merge);
	frames->stats->malformed += merge.malformed + merge.refused - frames->n_snapped;
	return err;
}

void tw_event_frames__numbers(const struct tw_event_frames *frames, uint64_t stream_id, struct tw_stream_numbers *ret)
{
	const struct tw_stream_numbers *as_it_is = tw_hash_table__find_u64(&frames->numbers, stream_id),
				       *retired = tw_hash_table__find_u64(&frames->retired, stream_id);

	*ret = (struct tw_stream_numbers){ 0 };
	if (frames->merge)
		tw_merge__stream_stats(frames->merge, stream_id, ret);
	if (retired)
		add_numbers(ret, retired);
	if (!as_it_is)
		return;
	ret->before = 0; /* as_it_is has the numbers before the stream's first frame */
	add_numbers(ret, as_it_is);
	ret->events_out = tw_count__plus(ret->events_out, as_it_is->received);
}
