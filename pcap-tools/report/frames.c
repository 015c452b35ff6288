/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/report/frames.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash_table.h"
#include "pcap-tools/capture/packet_frame.h"
#include "pcap-tools/merge/merge.h"

#define CHANNELS_MAX 16384 /* channels checked for gaps; further channels are probably forged */

enum order {
	UNDECIDED, /* the kind of file is unknown; frames are kept */
	AS_IT_IS,  /* a recording: frames are passed on unchanged */
	MERGED,    /* a capture of an interface */
};

struct channel_key {
	uint64_t stream_id, channel;
};

/* Precedes each kept frame: its length and its missing bytes. */
struct kept_frame {
	uint32_t len, missing;
};

struct tw_report_frames {
	tw_report_take *take;
	void *ctx;
	struct tw_report_stats *stats;
	enum order order;
	struct tw_hash_table next_numbers; /* struct channel_key -> uint64_t next number; only used for AS_IT_IS */
	struct channel_key latest;         /* the key looked up last */
	uint64_t *latest_next;             /* its value; NULL = none */
	struct tw_merge *merge;
	struct tw_streams *streams;
	uint64_t n_snapped; /* cut frames passed to the merge, which counts them as malformed */
	uint8_t *opening;   /* the kept frames, each after its struct kept_frame */
	size_t opening_len;
	unsigned int n_opening;
};

struct tw_report_frames *tw_report_frames__new(struct tw_streams *streams, bool in_order, tw_report_take *take,
					       void *ctx, struct tw_report_stats *stats)
{
	struct tw_report_frames *frames = calloc(1, sizeof(*frames));

	if (!frames)
		return NULL;
	*frames = (struct tw_report_frames){
		.streams = streams,
		.take = take,
		.ctx = ctx,
		.stats = stats,
		.order = in_order ? AS_IT_IS : UNDECIDED,
		.next_numbers = { .key_size = sizeof(struct channel_key),
				  .value_size = sizeof(uint64_t),
				  .max = CHANNELS_MAX },
	};
	return frames;
}

void tw_report_frames__free(struct tw_report_frames *frames)
{
	if (!frames)
		return;
	tw_merge__free(frames->merge);
	tw_hash_table__fini(&frames->next_numbers);
	free(frames->opening);
	free(frames);
}

static int take_merged(void *ctx, const struct tw_merged *out)
{
	struct tw_report_frames *frames = ctx;
	struct tw_report_frame frame = { .at_base = out->is_event && out->at_base };
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

/* Whether a frame occurs only in captures of an interface: it has several events or records, or a WATERMARK. */
static bool needs_merge(const struct tw_report_frame *frame)
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

/* Finds the expected number of a channel's next frame, initially @frame's own. Return: 0; -E2BIG beyond CHANNELS_MAX, -ENOMEM */
static int next_number(struct tw_report_frames *frames, const struct tw_frame_info *frame, uint64_t **ret)
{
	const struct channel_key key = { frame->stream_id, frame->channel };
	void *next;
	int added;

	if (!frames->latest_next || memcmp(&key, &frames->latest, sizeof(key))) {
		added = tw_hash_table__put(&frames->next_numbers, &key, &next);
		if (added < 0)
			return added;
		frames->latest = key;
		frames->latest_next = next;
		if (added)
			*frames->latest_next = frame->seq;
	}
	*ret = frames->latest_next;
	return 0;
}

/* Counts the event numbers missing before the frame in its channel; channels beyond CHANNELS_MAX are not counted. Return: 0, -ENOMEM */
static int count_missing(struct tw_report_frames *frames, const struct tw_frame_info *frame)
{
	uint64_t *next;
	int err;

	if (frame->channel == TW_CHANNEL_CONTROL || frame->flags & TW_FLAG_LATE)
		return 0;
	err = next_number(frames, frame, &next);
	if (err)
		return err == -E2BIG ? 0 : err;
	if (frame->seq > *next)
		frames->stats->missing += frame->seq - *next;
	if (frame->seq >= *next)
		*next = frame->seq + frame->events;
	return 0;
}

/* Sets a stream's clock scale and wall-clock offset in the merge, from HOST and first CLOCK: the merge needs them to order the events. */
static int place(struct tw_report_frames *frames, const struct tw_frame_info *info, struct tw_cursor tlvs)
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
	return err == -E2BIG ? 0 : err;
}

static int pass_on(struct tw_report_frames *frames, struct tw_report_frame *frame, const uint8_t *data, size_t len)
{
	int err = 0;

	if (frames->order == AS_IT_IS) {
		err = count_missing(frames, &frame->info);
		return err ? err : frames->take(frames->ctx, frame);
	}
	frames->n_snapped += frame->missing > 0;
	if (frame->info.source == TW_SOURCE_CONTROL)
		err = place(frames, &frame->info, frame->tlvs);
	return err ? err : tw_merge__frame(frames->merge, data, len, NULL);
}

/* Sets the order after the kind of file was found, and passes on the kept frames. */
static int decide(struct tw_report_frames *frames, enum order order)
{
	const struct tw_merge_options options = {
		.one_order = true, .streams = frames->streams, .emit = take_merged, .ctx = frames
	};
	size_t at = 0;
	int err = order == MERGED ? tw_merge__new(&options, &frames->merge, NULL) : 0;

	if (!err)
		frames->order = order;
	while (!err && at < frames->opening_len) {
		const uint8_t *data = frames->opening + at + sizeof(struct kept_frame);
		struct tw_report_frame frame = { 0 };
		struct kept_frame kept;

		memcpy(&kept, frames->opening + at, sizeof(kept));
		frame.missing = kept.missing;
		tw_frame__parse(data, kept.len, &frame.info, &frame.tlvs);
		err = pass_on(frames, &frame, data, kept.len);
		at += sizeof(kept) + kept.len;
	}
	frames->opening_len = 0;
	return err;
}

static int keep(struct tw_report_frames *frames, const struct tw_report_frame *frame, const uint8_t *data, size_t len)
{
	const struct kept_frame kept = {
		.len = (uint32_t)(len < TW_FRAME_MAX ? len : TW_FRAME_MAX),
		.missing = frame->missing,
	};

	if (!frames->opening)
		frames->opening = malloc(TW_REPORT_OPENING_BYTES);
	if (!frames->opening)
		return -ENOMEM;
	memcpy(frames->opening + frames->opening_len, &kept, sizeof(kept));
	frames->opening_len += sizeof(kept);
	memcpy(frames->opening + frames->opening_len, data, kept.len);
	frames->opening_len += kept.len;
	frames->n_opening++;
	return 0;
}

static bool is_full(const struct tw_report_frames *frames)
{
	return frames->n_opening == TW_REPORT_OPENING_FRAMES ||
	       TW_REPORT_OPENING_BYTES - frames->opening_len < sizeof(struct kept_frame) + TW_FRAME_MAX;
}

/* Counts a frame and its faults. Return: whether it can be read. */
static bool is_readable(struct tw_report_stats *stats, enum tw_frame_status status, bool snapped)
{
	if (status == TW_FRAME_NOT_OURS)
		return false;
	stats->frames++;
	stats->versions += status == TW_FRAME_VERSION;
	stats->snapped += snapped;
	stats->malformed += !snapped && (status == TW_FRAME_MALFORMED || status == TW_FRAME_TRUNCATED);
	return status == TW_FRAME_OK || status == TW_FRAME_TRUNCATED;
}

int tw_report_frames__packet(struct tw_report_frames *frames, const struct tw_packet *packet)
{
	size_t len;
	const uint8_t *data = tw_packet__frame(packet->linktype, packet->data, packet->len, &len);
	struct tw_report_frame frame = { 0 };
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
	frame.missing = snapped ? frame.info.length - (uint32_t)len : 0;
	if (frame.info.source ==
	    TW_SOURCE_OUT_OF_BAND) /* has no numbers and no place among the events, but may have metadata */
		return frames->take(frames->ctx, &frame);
	if (frames->order != MERGED && needs_merge(&frame))
		err = decide(frames, MERGED);
	else if (frames->order == UNDECIDED && is_full(frames))
		err = decide(frames, AS_IT_IS);
	if (err)
		return err;
	return frames->order == UNDECIDED ? keep(frames, &frame, data, len) : pass_on(frames, &frame, data, len);
}

int tw_report_frames__flush(struct tw_report_frames *frames)
{
	struct tw_merge_stats merge;
	int err = frames->order == UNDECIDED ? decide(frames, AS_IT_IS) : 0;

	if (!frames->merge)
		return err;
	err = tw_merge__flush(frames->merge);
	tw_merge__stats(frames->merge, &merge);
	frames->stats->filtered += merge.filtered;
	frames->stats->malformed += merge.malformed + merge.refused - frames->n_snapped;
	frames->stats->missing += merge.gaps + merge.incomplete + merge.damaged;
	return err;
}
