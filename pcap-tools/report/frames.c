/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/report/frames.h"

#include <errno.h>
#include <stdlib.h>

#include "pcap-tools/capture/packet_frame.h"
#include "pcap-tools/merge/merge.h"
#include "pcap-tools/report/clocks.h"
#include "pcap-tools/report/gaps.h"

enum order {
	UNDECIDED, /* frames are kept */
	AS_IT_IS,
	MERGED,
};

struct tw_report_frames {
	tw_report_take *take;
	void *ctx;
	struct tw_report_stats *stats;
	enum order order;
	struct tw_report_gaps *gaps;
	struct tw_merge *merge;
	struct tw_report_clocks clocks;
	uint8_t *opening; /* frames, each behind its length */
	size_t opening_len;
	unsigned int n_opening;
};

struct tw_report_frames *tw_report_frames__new(bool in_order, tw_report_take *take, void *ctx,
					       struct tw_report_stats *stats)
{
	struct tw_report_frames *frames = calloc(1, sizeof(*frames));

	if (!frames)
		return NULL;
	*frames = (struct tw_report_frames){ .take = take, .ctx = ctx, .stats = stats };
	frames->order = in_order ? AS_IT_IS : UNDECIDED;
	frames->gaps = tw_report_gaps__new();
	if (frames->gaps)
		return frames;
	free(frames);
	return NULL;
}

void tw_report_frames__free(struct tw_report_frames *frames)
{
	if (!frames)
		return;
	tw_merge__free(frames->merge);
	tw_report_gaps__free(frames->gaps);
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

/* What only captures of the wire have. */
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

static int take_as_it_is(struct tw_report_frames *frames, struct tw_report_frame *frame)
{
	frames->stats->missing += tw_report_gaps__frame(frames->gaps, &frame->info);
	return frames->take(frames->ctx, frame);
}

static int merge(struct tw_report_frames *frames, const struct tw_report_frame *frame, const uint8_t *data, size_t len)
{
	int error = 0;

	if (frame->info.source == TW_SOURCE_CONTROL)
		error = tw_report_clocks__look(&frames->clocks, frames->merge, frame->info.stream_id, frame->tlvs);
	return error ? error : tw_merge__frame(frames->merge, data, len, NULL);
}

static int take_kept(struct tw_report_frames *frames, const uint8_t *data, size_t len)
{
	struct tw_report_frame frame = { 0 };

	tw_frame__parse(data, len, &frame.info, &frame.tlvs);
	return frames->order == MERGED ? merge(frames, &frame, data, len) : take_as_it_is(frames, &frame);
}

/* It is known now what the file is: the frames that were kept go first. */
static int decide(struct tw_report_frames *frames, enum order order)
{
	const struct tw_merge_options options = { .across = true, .emit = take_merged, .ctx = frames };
	size_t at = 0;
	uint32_t len;
	int error = order == MERGED ? tw_merge__new(&options, &frames->merge, NULL) : 0;

	if (!error)
		frames->order = order;
	while (!error && at < frames->opening_len) {
		memcpy(&len, frames->opening + at, sizeof(len));
		error = take_kept(frames, frames->opening + at + sizeof(len), len);
		at += sizeof(len) + len;
	}
	frames->opening_len = 0;
	return error;
}

static int keep(struct tw_report_frames *frames, const uint8_t *data, size_t frame_len)
{
	const uint32_t len = (uint32_t)(frame_len < TW_FRAME_MAX ? frame_len : TW_FRAME_MAX);

	if (!frames->opening)
		frames->opening = malloc(TW_REPORT_OPENING_BYTES);
	if (!frames->opening)
		return -ENOMEM;
	memcpy(frames->opening + frames->opening_len, &len, sizeof(len));
	memcpy(frames->opening + frames->opening_len + sizeof(len), data, len);
	frames->opening_len += sizeof(len) + len;
	frames->n_opening++;
	return 0;
}

static bool is_full(const struct tw_report_frames *frames)
{
	return frames->n_opening == TW_REPORT_OPENING_FRAMES ||
	       TW_REPORT_OPENING_BYTES - frames->opening_len < sizeof(uint32_t) + TW_FRAME_MAX;
}

/* Count what is wrong with it. Return: whether it can be read. */
static bool is_readable(struct tw_report_stats *stats, enum tw_frame_status status)
{
	if (status == TW_FRAME_NOT_OURS)
		return false;
	stats->frames++;
	stats->versions += status == TW_FRAME_VERSION;
	stats->malformed += status == TW_FRAME_MALFORMED || status == TW_FRAME_TRUNCATED;
	return status == TW_FRAME_OK || status == TW_FRAME_TRUNCATED;
}

int tw_report_frames__packet(struct tw_report_frames *frames, const struct tw_packet *packet)
{
	size_t len;
	const uint8_t *data = tw_packet__frame(packet->linktype, packet->data, packet->len, &len);
	struct tw_report_frame frame = { 0 };
	int error = 0;

	frames->stats->packets++;
	if (!data || !is_readable(frames->stats, tw_frame__parse(data, len, &frame.info, &frame.tlvs)))
		return 0;
	if (frame.info.source ==
	    TW_SOURCE_ASIDE) /* no numbers, no place among the events; but what explains them may be there */
		return frames->take(frames->ctx, &frame);
	if (frames->order != MERGED && needs_merge(&frame))
		error = decide(frames, MERGED);
	else if (frames->order == UNDECIDED && is_full(frames))
		error = decide(frames, AS_IT_IS);
	if (error)
		return error;
	if (frames->order == MERGED)
		return merge(frames, &frame, data, len);
	return frames->order == UNDECIDED ? keep(frames, data, len) : take_as_it_is(frames, &frame);
}

int tw_report_frames__flush(struct tw_report_frames *frames)
{
	struct tw_merge_stats merge;
	int error = frames->order == UNDECIDED ? decide(frames, AS_IT_IS) : 0;

	if (!frames->merge)
		return error;
	error = tw_merge__flush(frames->merge);
	tw_merge__stats(frames->merge, &merge);
	frames->stats->filtered += merge.filtered;
	frames->stats->malformed += merge.malformed + merge.refused;
	frames->stats->missing += merge.gaps + merge.incomplete + merge.damaged;
	return error;
}
