/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/archive/archive_impl.h"
#include "pcap-tools/archive/packets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"

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
	struct tw_archive_stream *s;

	if (!stream)
		return -E2BIG;
	if (stream->user[a->user]) {
		*ret = stream->user[a->user];
		return 0;
	}
	s = calloc(1, sizeof(*s));
	if (s)
		s->metadata = tw_metadata__new(0, &a->metadata_room);
	if (!s || !s->metadata) {
		tw_archive_stream__free(s);
		return -ENOMEM;
	}
	s->stream = stream;
	s->since = s->clocked = a->now;
	s->own_frames = (struct tw_frame_info){
		.stream_id = id,
		.source = TW_SOURCE_OUT_OF_BAND,
		.channel = TW_CHANNEL_OUT_OF_BAND,
		.cpu = TW_CPU_NONE,
	};
	tw_stream_clock__init(&s->clock, a->options.align, a->options.wall);
	tw_stream_clock__own(&s->clock, &a->own);
	*ret = stream->user[a->user] = s;
	return 0;
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
		err = tw_merge__set_scale(a->merge, s->stream->id, &s->stream->identity.scale);
		return err == -ENOSPC ? 0 : err; /* the merge counts what it has no room for */
	}
	if (whole.type == TW_TLV_CLOCK && tw_clock__parse(&whole, &clock)) {
		tw_stream_clock__sample(&s->clock, &clock);
		tw_archive_packets__clock(a, s, &clock);
		s->clocked = a->now;
	}
	return 0;
}

/*
 * Longest time that the packets of a stream wait for the first time synchronisation response of its producer, without which they have no
 * error bound. A response usually takes a few ms.
 */
#define ANSWER_NS (30 * TW_NS_PER_MS)

/* With TW_ALIGN_HOST, packet times follow from the responses, of which the first ones are the least exact: their way is not in any cache. */
#define ANSWERS 4

/*
 * Whether the offset of a stream's times is known. In a network capture, the stream also waits for answers of its producer: with
 * TW_ALIGN_HOST for the first one until the merge stops waiting for the offset, and for ANSWERS at most ANSWER_NS; otherwise for the first
 * one at most ANSWER_NS.
 */
static bool is_dated(const struct tw_archive *a, const struct tw_archive_stream *s)
{
	const struct tw_stream_clock *clock = &s->clock;
	const bool has_waited = a->now - s->since >= ANSWER_NS;

	if (s->given || s->dated_here)
		return true;
	if (!tw_stream_clock__is_dated(clock))
		return false;
	if (!a->options.network || a->ending)
		return true;
	if (a->options.align == TW_ALIGN_HOST)
		return tw_stream_clock__has_exchanges(clock, has_waited ? 1 : ANSWERS);
	return has_waited || tw_stream_clock__has_exchanges(clock, 1);
}

/* Packet time minus time by the stream's clock, for the newest packet, ns. */
static int64_t offset_of(const struct tw_archive_stream *s)
{
	const uint64_t newest = s->clock.written;

	if (s->given || s->dated_here)
		return s->offset;
	return (int64_t)(tw_stream_clock__packet_time_on_line(&s->clock, newest) - newest);
}

/*
 * Passes a stream's offset to the merge, which then can emit the stream's events. Does nothing while the offset or metadata that must
 * precede the events are missing, or if the merge has the current offset.
 */
static int archive__place(struct tw_archive *a, struct tw_archive_stream *s)
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
	err = tw_merge__set_offset(a->merge, s->stream->id, offset_of(s));
	return err == -ENOSPC ? 0 : err;
}

/*
 * Uses the metadata in a frame (names, times, counters, formats) on arrival, before the merge emits the frame. Return: 0, -ENOMEM, or a
 * failure of the writer
 */
static int archive__update(struct tw_archive *a, const struct tw_frame_info *info, struct tw_cursor tlvs)
{
	struct tw_archive_stream *s;
	enum tw_frame_status status;
	struct tw_tlv_view tlv;
	int err = tw_merge__admit(a->merge, info->stream_id);

	if (err == -ENOSPC)
		return 0; /* the merge counts the frame as refused */
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
	return err ? err : archive__place(a, s);
}

/* Calls archive__place() for all streams whose offset the merge does not have yet. Return: as archive__place() */
static int archive__place_waiting(struct tw_archive *a)
{
	int err = 0;

	for (struct tw_archive_stream *s = tw_archive__first(a); s && !err; s = tw_archive__next(a, s)) {
		if (!s->placed)
			err = archive__place(a, s);
	}
	return err;
}

/* Whether a record is a message between receiver and producer, which is of no use in a file. */
static bool is_talk(const struct tw_tlv_view *tlv)
{
	return tlv->type == TW_TLV_TIME_SYNC || tlv->type == TW_TLV_METADATA_REQUEST || tlv->type == TW_TLV_REFUSED;
}

/*
 * Takes the OFFSET records of a frame, which are written later, before the packets to which they apply.
 * Return: whether the frame has other records to be written
 */
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

/*
 * Takes an out-of-band frame of a packed capture: OFFSET records, and the metadata that each file of such a capture repeats.
 * @frame: the frame; @tlvs: its TLVs
 */
static int archive__out_of_band(struct tw_archive *a, const struct tw_frame_info *info, const uint8_t *frame,
				struct tw_cursor tlvs)
{
	struct tw_archive_stream *s = tw_archive__find(a, info->stream_id);
	const struct tw_merged out = {
		.stream_id = info->stream_id,
		.time = info->base_time,
		.last = info->base_time,
		.head = frame,
		.body = tlvs.at,
		.body_len = tlvs.left,
		.is_control = true,
	};

	if (!s || !take_offsets(a, s, tlvs) || a->lost || tw_archive__is_full(a))
		return 0;
	return tw_archive__write(a, s, &out);
}

/* Copies the options and their texts: the caller may free the texts, but later files need them. Return: false without memory */
static bool keep_options(struct tw_archive *a, const struct tw_archive_options *options)
{
	const char **texts[] = { &a->options.application, &a->options.hardware, &a->options.os, &a->options.comment,
				 &a->options.description };

	_Static_assert(sizeof(texts) / sizeof(texts[0]) == sizeof(a->texts) / sizeof(a->texts[0]), "one per text");
	a->options = *options;
	if (!a->options.application)
		a->options.application = "tracewire " TRACEWIRE_VERSION;
	if (!a->options.events_max)
		a->options.events_max = UINT64_MAX;
	if (!a->options.snaplen)
		a->options.snaplen = UINT32_MAX;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!*texts[i])
			continue;
		a->texts[i] = strdup(*texts[i]);
		if (!a->texts[i])
			return false;
		*texts[i] = a->texts[i];
	}
	a->section = (struct tw_pcapng_section){
		.hardware = a->options.hardware,
		.os = a->options.os,
		.application = a->options.application,
		.comment = a->options.comment,
	};
	return true;
}

static int make_merge(struct tw_archive *a, struct tw_error *error)
{
	const struct tw_merge_options options = {
		.memory = a->options.memory,
		.wait_ns = a->options.wait_ns,
		.from_start = a->options.from_start,
		.one_order = true,
		.packed = a->options.packed,
		.report_gaps = a->options.network,
		.streams = a->streams,
		.emit = tw_archive__emit,
		.retired = tw_archive__retire,
		.ctx = a,
	};

	return tw_merge__new(&options, &a->merge, error);
}

int tw_archive__new(struct tw_output *output, const struct tw_archive_options *options, struct tw_archive **ret,
		    struct tw_error *error)
{
	const struct tw_streams_options streams = {
		.silence = TW_STREAMS_SILENT_FRAMES,
		.wants = TW_STREAM_WANTS_COUNTERS | (options->filter ? TW_STREAM_WANTS_FORMATS : 0),
	};
	struct tw_archive *a = calloc(1, sizeof(*a));
	int err;

	if (a)
		a->streams = tw_streams__new(&streams);
	if (!a || !a->streams || !keep_options(a, options)) {
		tw_archive__free(a);
		return tw_error__set(error, -ENOMEM, "writing %s: no memory", tw_output__name(output));
	}
	a->clock = options->clock;
	if (!a->clock.begun)
		tw_capture_clock__begin(&a->clock);
	a->own = options->own;
	a->metadata_room.limit = options->metadata ? options->metadata : TW_STREAMS_METADATA_MAX;
	err = make_merge(a, error);
	if (!err) {
		/* This user has no callback: tw_archive__retire() frees a stream's state after the merge has emitted its frames. */
		a->user = tw_streams__add_user(a->streams, &(struct tw_stream_user){ .ctx = a });
		if (options->filter)
			err = tw_capture_filter__new(options->filter, a->streams, &a->capture_filter, error);
	}
	if (!err)
		err = tw_pcapng__open(output, options->buffer, &a->section, &a->file, error);
	if (err)
		tw_archive__free(a);
	else
		*ret = a;
	return err;
}

void tw_archive__free(struct tw_archive *a)
{
	if (!a)
		return;
	for (struct tw_archive_stream *s = a->streams ? tw_archive__first(a) : NULL, *next; s; s = next) {
		next = tw_archive__next(a, s);
		tw_archive_stream__free(s);
	}
	tw_capture_filter__free(a->capture_filter);
	tw_merge__free(a->merge);
	tw_streams__free(a->streams);
	tw_archive_packets__fini(a);
	tw_pcapng__close(a->file);
	for (size_t i = 0; i < sizeof(a->texts) / sizeof(a->texts[0]); i++)
		free(a->texts[i]);
	free(a->over);
	free(a);
}

int tw_archive__done(struct tw_archive *a, int err)
{
	if (!err || a->lost)
		return err;
	if (!tw_pcapng__error(a->file, NULL) && !a->err)
		a->err = err;
	a->lost = true;
	tw_archive__count_unwritten(a);
	return err;
}

/* Passes to the merge the offsets that changed while the merge emitted frames. */
static int tell_moved(struct tw_archive *a)
{
	int err = 0;

	if (!a->moved)
		return 0;
	a->moved = false; /* archive__place() may write more packets, which may set a->moved again */
	for (struct tw_archive_stream *s = tw_archive__first(a); s && !err; s = tw_archive__next(a, s)) {
		if (s->moved)
			err = archive__place(a, s);
	}
	return err;
}

uint64_t tw_archive__present(const struct tw_archive *a)
{
	uint64_t now;

	if (a->options.present)
		return a->options.present(a->options.ctx);
	if (a->options.align != TW_ALIGN_HOST)
		return tw_time__now(CLOCK_REALTIME);
	now = tw_capture_clock__now(&a->clock);
	return now + (uint64_t)tw_bounds__middle(tw_reference_state__at(&a->own.reference, now));
}

/*
 * A producer sends a CLOCK each second, and answers requests. If neither arrived for this time, its machine may have been suspended. Its
 * clock may then have stopped, so the times of events that arrive before the next CLOCK may be wrong. After a suspend of any length, a
 * producer sends a CLOCK before further events (clocks/step_watch.h). This time is for a CLOCK that was lost, and for older producers. It
 * is not shorter, because a machine that was not suspended is silent for as long if one CLOCK is lost.
 */
#define QUIET_NS (2 * TW_NS_PER_SECOND)

static void find_quiet_streams(struct tw_archive *a)
{
	a->quiet = false;
	for (struct tw_archive_stream *s = tw_archive__first(a); s; s = tw_archive__next(a, s)) {
		s->quiet = a->now - s->clocked > QUIET_NS;
		a->quiet |= s->quiet;
	}
}

/* Called for each frame with events while some streams are quiet: the clock of a stream that is quiet, but not silent, is doubted. */
static void doubt_quiet_stream(struct tw_archive *a, uint64_t stream_id)
{
	struct tw_archive_stream *s = tw_archive__find(a, stream_id);

	if (s && s->quiet && a->now - s->clocked > QUIET_NS)
		tw_stream_clock__doubt(&s->clock);
}

static int take(struct tw_archive *a, const void *data, size_t len, const struct tw_arrival *arrival)
{
	struct tw_frame_info info;
	struct tw_cursor tlvs;
	const enum tw_frame_status status = tw_frame__parse(data, len, &info, &tlvs);
	const bool readable = status == TW_FRAME_OK || status == TW_FRAME_TRUNCATED;
	int err = 0;

	if (arrival)
		a->now = tw_time__later(a->now, arrival->now);
	if (readable && arrival && info.source == TW_SOURCE_OUT_OF_BAND)
		return 0; /* only capture hosts make OFFSET records, so those that arrive from a network are ignored */
	if (readable && info.source == TW_SOURCE_CONTROL && tw_archive__ended_before(a, info.stream_id, tlvs))
		return 0;
	if (readable && (info.source == TW_SOURCE_CONTROL || info.source == TW_SOURCE_OUT_OF_BAND))
		err = archive__update(a, &info, tlvs);
	else if (readable && a->quiet)
		doubt_quiet_stream(a, info.stream_id);
	if (!err && status == TW_FRAME_OK && info.source == TW_SOURCE_OUT_OF_BAND)
		err = archive__out_of_band(a, &info, data, tlvs);
	if (!err)
		err = tw_merge__frame(a->merge, data, len, arrival);
	return err;
}

/* Stores @err. Return: @err; if it is 0, an earlier failure, or 0 */
static int archive__result(struct tw_archive *a, int err)
{
	return tw_archive__done(a, err) ? err : tw_archive__error(a, NULL);
}

int tw_archive__frame(struct tw_archive *a, const void *data, size_t len, const struct tw_arrival *arrival)
{
	int err = take(a, data, len, arrival);

	if (!err)
		err = tell_moved(a);
	if (!err)
		err = tw_archive__next_file(a, 0);
	return archive__result(a, err);
}

int tw_archive__retire_stream(struct tw_archive *a, uint64_t stream_id)
{
	return archive__result(a, tw_merge__retire(a->merge, stream_id));
}

void tw_archive__answer(struct tw_archive *a, uint64_t stream_id, const struct tw_time_sync_sample *sample)
{
	struct tw_archive_stream *s = tw_archive__find(a, stream_id);

	if (!s || !tw_stream_clock__exchange(&s->clock, sample))
		return;
	s->clocked = a->now;
	tw_merge__set_answered(a->merge, stream_id);
	if (!s->placed)
		tw_archive__done(a, archive__place(a, s));
}

void tw_archive__own_clock(struct tw_archive *a, const struct tw_own_clock *own)
{
	a->own = *own;
	for (struct tw_archive_stream *s = tw_archive__first(a); s; s = tw_archive__next(a, s))
		tw_stream_clock__own(&s->clock, own);
}

static int put_due_statistics(struct tw_archive *a, uint64_t now)
{
	struct tw_archive_stream *s = a->statistics_due ? tw_archive__first(a) : NULL;
	int err = 0;

	if (!a->options.statistics_ns || now < a->statistics_due || a->lost)
		return 0;
	for (; s && !err; s = tw_archive__next(a, s)) {
		if (s->described)
			err = tw_archive__put_statistics(a, s);
	}
	a->statistics_due = now + a->options.statistics_ns;
	return err;
}

int tw_archive__tick(struct tw_archive *a, uint64_t now)
{
	int err = 0;

	if (a->options.network) {
		tw_merge__set_present(a->merge, now, tw_archive__present(a));
		err = tw_merge__tick(a->merge, now);
	}
	a->now = tw_time__later(a->now, now);
	if (!err && a->options.network) {
		find_quiet_streams(a);
		err = archive__place_waiting(a);
	}
	if (!err)
		err = tell_moved(a);
	if (!err)
		err = put_due_statistics(a, now);
	if (!err)
		err = tw_archive__next_file(a, now);
	return archive__result(a, err);
}

int tw_archive__flush(struct tw_archive *a)
{
	const int err = tw_archive__error(a, NULL);

	return err ? err : tw_archive__done(a, tw_pcapng__flush(a->file));
}

bool tw_archive__is_full(const struct tw_archive *a)
{
	return a->full || a->n_events >= a->options.events_max;
}

int tw_archive__error(const struct tw_archive *a, struct tw_error *error)
{
	const int err = tw_pcapng__error(a->file, error);

	if (err || !a->err)
		return err;
	return tw_error__set(error, a->err, "merging events: %s", strerror(-a->err));
}

/* Writes the final statistics of a stream. If this file does not have the stream's interface yet, the interface is written first. */
static int close_stream(struct tw_archive *a, struct tw_archive_stream *s)
{
	const uint64_t newest = tw_stream_clock__time(&s->clock, s->clock.written);
	const int err = s->described ? 0 : tw_archive__describe(a, s, newest);

	return err ? err : tw_archive__put_statistics(a, s);
}

void tw_archive__missing(struct tw_archive *a, uint64_t frames)
{
	a->tail_frames += frames;
}

/* After a failure, the final statistics are written to the end of the file. Statistics that do not fit there are only in the summary. */
static void put_last(struct tw_archive *a)
{
	tw_pcapng__begin_last(a->file);
	for (struct tw_archive_stream *s = tw_archive__first(a); s; s = tw_archive__next(a, s)) {
		s->described = s->described || !tw_archive__put_interface(a, s);
		if (s->described)
			tw_archive__put_statistics(a, s);
	}
	tw_archive_packets__put_statistics(a);
	tw_pcapng__end_last(a->file);
}

int tw_archive__finish(struct tw_archive *a)
{
	int err;

	a->ending = true;
	tw_archive__done(a, archive__place_waiting(a));
	err = tw_archive__done(a, tw_merge__flush(a->merge));
	if (!err)
		err = tw_archive__done(a, tw_archive_packets__put(a, UINT64_MAX));
	a->finished = true;
	for (struct tw_archive_stream *s = tw_archive__first(a); s && !a->lost; s = tw_archive__next(a, s))
		err = tw_archive__done(a, close_stream(a, s));
	if (!a->lost)
		err = tw_archive__done(a, tw_archive_packets__put_statistics(a));
	if (!a->lost)
		err = tw_archive__done(a, tw_pcapng__flush(a->file));
	if (tw_pcapng__error(a->file, NULL))
		put_last(a);
	return err ? err : tw_archive__error(a, NULL);
}

void tw_archive__give_up(struct tw_archive *a, int err, const struct tw_error *why)
{
	a->finished = a->given_up = true;
	tw_pcapng__give_up(a->file, err, why);
	tw_archive__done(a, err);
	tw_archive_packets__put(a, UINT64_MAX); /* counts the queued packets as not written */
}
