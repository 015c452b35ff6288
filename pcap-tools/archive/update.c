/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What explains a stream is taken in as it comes, before it has its turn in the order: names, times, counters, formats. */
#include <errno.h>
#include <stdlib.h>

#include "base/time.h"
#include "pcap-tools/archive/archive_impl.h"

void tw_archive_stream__free(struct tw_archive_stream *s)
{
	if (!s)
		return;
	tw_metadata__free(s->metadata);
	free(s);
}

int tw_archive__stream(struct tw_archive *a, uint64_t id, struct tw_archive_stream **ret)
{
	struct tw_stream *stream = tw_streams__find(a->streams, id);
	struct tw_archive_stream *s = stream ? stream->user[a->user] : NULL;

	if (!stream)
		return -E2BIG;
	if (!s) {
		s = calloc(1, sizeof(*s));
		if (s)
			s->metadata = tw_metadata__new(0, &a->metadata_room);
		if (!s || !s->metadata) {
			tw_archive_stream__free(s);
			return -ENOMEM;
		}
		s->stream = stream;
		s->since = a->now;
		s->own_frames = (struct tw_frame_info){
			.stream_id = id,
			.source = TW_SOURCE_OUT_OF_BAND,
			.channel = TW_CHANNEL_OUT_OF_BAND,
			.cpu = TW_CPU_NONE,
		};
		tw_stream_clock__init(&s->clock, a->options.align, a->options.wall);
		tw_stream_clock__own(&s->clock, &a->own);
		stream->user[a->user] = s;
	}
	*ret = s;
	return 0;
}

static int set_scale(struct tw_archive *a, const struct tw_archive_stream *s)
{
	const int err = tw_merge__set_scale(a->merge, s->stream->id, &s->stream->identity.scale);

	return err == -ENOSPC ? 0 : err; /* the merge counts what it has no room for */
}

static int update_one(struct tw_archive *a, struct tw_archive_stream *s, const struct tw_frame_info *info,
		      const struct tw_tlv_view *tlv)
{
	struct tw_tlv_view whole = *tlv;
	struct tw_clock_view clock;
	int err;

	if (tlv->type == TW_TLV_PART && !tw_stream__whole(s->stream, info, tlv, &whole))
		return 0;
	err = tw_stream__update(s->stream, info, &whole);
	if (err)
		return err;
	if (whole.type == TW_TLV_HOST) {
		tw_stream_clock__host(&s->clock, &s->stream->identity);
		return set_scale(a, s);
	}
	if (whole.type == TW_TLV_CLOCK && tw_clock__parse(&whole, &clock))
		tw_stream_clock__sample(&s->clock, &clock);
	return 0;
}

int tw_archive__update(struct tw_archive *a, const struct tw_frame_info *info, struct tw_cursor tlvs)
{
	struct tw_archive_stream *s;
	enum tw_frame_status status;
	struct tw_tlv_view tlv;
	int err = tw_merge__admit(a->merge, info->stream_id);

	if (err == -ENOSPC)
		return 0; /* it counts the frame */
	if (!err)
		err = tw_archive__stream(a, info->stream_id, &s);
	if (err)
		return err;
	s->own_frames.flags = info->flags;
	s->own_frames.schema_id = info->schema_id;
	if (info->source == TW_SOURCE_CONTROL)
		tw_stream_counters__control(&s->stream->counters, info->seq);
	while (!err && tw_cursor__next_tlv(&tlvs, &tlv, &status))
		err = update_one(a, s, info, &tlv);
	return err ? err : tw_archive__place(a, s);
}

/* An answer comes in a few ms, and the first packets are to say how good their times are. */
#define ANSWER_NS (30 * TW_NS_PER_MS)

/*
 * Times that the capture host's clock is to tell wait for an answer of the producer's as long as the merge waits for anything; others
 * for as long as an answer takes, where one is asked for.
 */
static bool is_dated(const struct tw_archive *a, const struct tw_archive_stream *s)
{
	const struct tw_stream_clock *clock = &s->clock;

	if (s->given || s->dated_here)
		return true;
	if (!tw_stream_clock__is_dated(clock))
		return false;
	if (!a->options.network || a->ending || tw_distance__known(&clock->distance))
		return true;
	return a->options.align == TW_ALIGN_NONE && a->now - s->since >= ANSWER_NS;
}

int tw_archive__place(struct tw_archive *a, struct tw_archive_stream *s)
{
	int err;

	if (s->placed && !s->moved)
		return 0;
	if (!s->placed) {
		if (!s->stream->has_host || !is_dated(a, s))
			return 0;
		if (a->capture_filter && !a->options.from_start &&
		    !tw_stream__has_whole(s->stream, s->own_frames.schema_id))
			return 0;
	}
	s->placed = true;
	s->moved = false;
	err = tw_merge__set_offset(a->merge, s->stream->id, tw_archive__offset(s));
	return err == -ENOSPC ? 0 : err;
}

int tw_archive__place_waiting(struct tw_archive *a)
{
	int err = 0;

	for (struct tw_archive_stream *s = tw_archive__first(a); s && !err; s = tw_archive__next(a, s)) {
		if (!s->placed)
			err = tw_archive__place(a, s);
	}
	return err;
}

/* Out-of-band frames, as a packed archive has them: how times stand, and what explains the stream, said again in each file. */
/* What receivers and producers say to each other, which was for then. */
static bool is_talk(const struct tw_tlv_view *tlv)
{
	return tlv->type == TW_TLV_TIME_SYNC || tlv->type == TW_TLV_METADATA_REQUEST || tlv->type == TW_TLV_REFUSED;
}

/* Return: whether it says anything that is to be written again. OFFSET is written before the packets for which it holds. */
static bool take_offsets(struct tw_archive *a, struct tw_archive_stream *s, struct tw_cursor tlvs)
{
	enum tw_frame_status status;
	struct tw_tlv_view tlv;
	bool more = false;

	while (tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		if (tlv.type != TW_TLV_OFFSET)
			more |= !is_talk(&tlv);
		else if (tw_offset__parse(&tlv, &s->stated))
			s->to_state = s->given = true;
	}
	if (s->given) {
		if (s->placed && s->offset != s->stated.offset)
			tw_archive__has_moved(a, s);
		s->offset = s->stated.offset;
	}
	return more;
}

int tw_archive__out_of_band(struct tw_archive *a, const struct tw_frame_info *info, const uint8_t *frame,
			    struct tw_cursor tlvs)
{
	struct tw_archive_stream *s = tw_archive__find(a, info->stream_id);
	const struct tw_merged out = {
		.stream_id = info->stream_id,
		.time = info->base_time,
		.head = frame,
		.body = tlvs.at,
		.body_len = tlvs.left,
		.is_control = true,
	};

	if (!s || !take_offsets(a, s, tlvs) || a->lost || tw_archive__is_full(a))
		return 0;
	return tw_archive__write(a, s, &out);
}
