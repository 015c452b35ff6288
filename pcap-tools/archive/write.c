/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "base/time.h"
#include "pcap-tools/archive/archive_impl.h"
#include "pcap-tools/archive/packets.h"
#include "wire/encode.h"

#define ETHER_LEN 14
#define LOOKS     64 /* packets between two checks whether a file is full: a watermark may release thousands of packets */

_Static_assert(TW_MERGE_SLACK <= TW_PCAPNG_COPY_SLACK, "a copy may write a step more than the frame");

/* The Ethernet header of all packets. Both addresses are locally administered, because the packets are made for the file. */
static const uint8_t ether[ETHER_LEN] = {
	0x02, 'T', 'W', 'R', 0, 2, 0x02, 'T', 'W', 'R', 0, 1, TW_ETHERTYPE >> 8, TW_ETHERTYPE & 0xff,
};

static uint64_t packet_time(const struct tw_archive_stream *s, uint64_t time)
{
	if (s->given || s->dated_here)
		return tw_stream_clock__ns(&s->clock, time) + (uint64_t)s->offset;
	return tw_stream_clock__packet_time(&s->clock, time);
}

/* Reserves a packet with @len bytes after its Ethernet header. Return: address of these bytes; NULL after the writer failed */
static uint8_t *reserve(struct tw_archive *a, size_t len)
{
	uint8_t *p = tw_pcapng__reserve(a->file, ETHER_LEN + len);

	if (!p)
		return NULL;
	memcpy(p, ether, ETHER_LEN);
	return p + ETHER_LEN;
}

/* Adds the reserved packet to the file. Packets without events are never cut to snaplen: events cannot be decoded without metadata. */
static void commit(struct tw_archive *a, struct tw_archive_stream *s, uint64_t stream_time, size_t len, uint16_t events)
{
	const uint64_t time = packet_time(s, stream_time);
	const size_t original = ETHER_LEN + len, snaplen = events ? a->options.snaplen : original;
	struct tw_archive_count *here = &s->here;

	tw_pcapng__commit(a->file, s->interface, time, original < snaplen ? original : snaplen, original, events);
	here->start = here->packets ? tw_time__earlier(here->start, time) : time;
	here->end = tw_time__later(here->end, time);
	here->packets++;
	here->events += events;
	a->n_events += events;
}

static int put(struct tw_archive *a, struct tw_archive_stream *s, uint64_t time, const void *frame, size_t len)
{
	uint8_t *p = reserve(a, len);

	if (!p)
		return tw_pcapng__error(a->file, NULL);
	memcpy(p, frame, len);
	commit(a, s, time, len, 0);
	return 0;
}

static int put_offset(struct tw_archive *a, struct tw_archive_stream *s, const struct tw_offset_view *offset)
{
	uint8_t frame[sizeof(struct tw_frame_hdr) + sizeof(struct tw_offset) + TW_COPY_STEP];
	struct tw_frame_info info = s->own_frames;
	struct tw_frame f;

	info.base_time = offset->time;
	tw_frame__begin(&f, frame, sizeof(frame) - TW_COPY_STEP, &info);
	tw_offset__emit(&f, offset);
	return put(a, s, offset->time, frame, tw_frame__end(&f));
}

/* How to write a stream's metadata as out-of-band frames. Their packets all have the same time. */
struct explaining_frames {
	struct tw_metadata_frames frames;
	struct tw_archive *archive;
	struct tw_archive_stream *stream;
	uint64_t time; /* time by the stream's clock */
};

static int put_frame(void *ctx, const void *frame, size_t len)
{
	const struct explaining_frames *frames = ctx;

	return put(frames->archive, frames->stream, frames->time, frame, len);
}

static void frames__init(struct explaining_frames *frames, struct tw_archive *a, struct tw_archive_stream *s,
			 uint64_t time)
{
	*frames = (struct explaining_frames){ .archive = a, .stream = s, .time = time };
	frames->frames = (struct tw_metadata_frames){
		.info = s->own_frames,
		.max = TW_FRAME_MAX,
		.emit = put_frame,
		.ctx = frames,
	};
	frames->frames.info.base_time = time;
}

/* Writes the text of the filters that selected a stream's events: that of the producer, then that of this archive. */
static void describe_filter(const struct tw_archive *a, const struct tw_archive_stream *s, char *ret, size_t size)
{
	const char *there = s->stream->identity.filter,
		   *text = a->options.filter ? tw_filter__text(a->options.filter) : "";
	char here[TW_FILTER_TEXT_MAX + 1];

	tw_printable__copy(here, sizeof(here), text, strlen(text));
	if (!*there || !strcmp(there, here))
		snprintf(ret, size, "%s", here);
	else
		snprintf(ret, size, "%s%s%s", there, *here ? "; then: " : "", here);
}

/*
 * Writes as text the error bound that packet times have when the interface is written. The bound changes later, because clocks drift apart;
 * OFFSET records have the current bound.
 */
static void describe_times(const struct tw_archive *a, const struct tw_archive_stream *s, char *ret, size_t size)
{
	struct tw_stream_clock_summary clock;

	*ret = '\0';
	if (!a->options.network || s->given || s->dated_here)
		return;
	tw_stream_clock__summary(&s->clock, &clock);
	if (clock.error_ns == TW_ERROR_UNKNOWN)
		snprintf(ret, size, "; the initial error of packet times is unknown");
	else
		snprintf(ret, size, "; packet times are initially within %.6f s of the reference clock",
			 (double)clock.error_ns / TW_NS_PER_SECOND);
}

static void comment_on(const struct tw_archive_stream *s, char *ret, size_t size)
{
	char identity[640];

	tw_identity__comment(&s->stream->identity, s->stream->id, identity, sizeof(identity));
	snprintf(ret, size, "%s%s", identity,
		 s->dated_here ? "; packet times are from this machine's clock: no CLOCK record arrived in time" : "");
}

int tw_archive__put_interface(struct tw_archive *a, struct tw_archive_stream *s)
{
	char name[sizeof(s->stream->identity.host) + sizeof(s->stream->identity.instance)], described[1536], times[96],
		description[sizeof(described) + sizeof(times)], filter[TW_FILTER_TEXT_MAX + 1024 + 16], comment[768];
	const struct tw_pcapng_interface interface = {
		.name = name,
		.description = a->options.description ? a->options.description : description,
		.os = *s->stream->identity.os ? s->stream->identity.os : s->stream->identity.release,
		.filter = filter,
		.comment = comment,
		.linktype = TW_LINKTYPE_ETHERNET,
	};

	tw_identity__name(&s->stream->identity, s->stream->id, name, sizeof(name));
	tw_identity__describe(&s->stream->identity, described, sizeof(described));
	describe_times(a, s, times, sizeof(times));
	snprintf(description, sizeof(description), "%s%s", described, times);
	describe_filter(a, s, filter, sizeof(filter));
	comment_on(s, comment, sizeof(comment));
	return tw_pcapng__interface(a->file, &interface, &s->interface);
}

/* Repeats metadata of earlier files. The frames are out-of-band, because earlier files have used the numbers of the original frames. */
static int repeat_metadata(struct tw_archive *a, struct tw_archive_stream *s, uint64_t time)
{
	struct tw_offset_view offset = s->clock.stated;
	struct explaining_frames again;
	int err = 0;

	offset.kind = TW_OFFSET_START;
	offset.time = time;
	offset.step = 0;
	if (a->options.network && s->clock.started && !s->given)
		err = put_offset(a, s, &offset); /* first, because it determines the times of all later packets */
	frames__init(&again, a, s, time);
	return err ? err : tw_metadata__replay(s->metadata, &again.frames);
}

int tw_archive__describe(struct tw_archive *a, struct tw_archive_stream *s, uint64_t time)
{
	int err = tw_archive__put_interface(a, s);

	if (err)
		return err;
	s->described = true;
	if (s->said)
		err = repeat_metadata(a, s, time);
	s->said = true;
	return err;
}

static bool next_offset(struct tw_archive *a, struct tw_archive_stream *s, uint64_t time, uint64_t last,
			struct tw_offset_view *ret)
{
	if (s->to_state) {
		s->to_state = false;
		*ret = s->stated;
		ret->time = time;
		return true;
	}
	if (s->given || s->dated_here)
		return false;
	if (!a->options.network)
		return tw_stream_clock__change(&s->clock, time, ret);
	if (!tw_stream_clock__record(&s->clock, time, last, ret))
		return false;
	tw_archive__has_moved(a, s);
	return true;
}

/*
 * Writes what precedes a packet: the interface, if this file does not have it yet, and OFFSET records that apply from here on.
 * @last: time of the packet's last event
 */
static int put_times(struct tw_archive *a, struct tw_archive_stream *s, uint64_t time, uint64_t last)
{
	struct tw_offset_view offset;
	bool any = next_offset(a, s, time, last, &offset);
	int err = s->described ? 0 : tw_archive__describe(a, s, time);

	for (; !err && any; any = next_offset(a, s, time, last, &offset))
		err = put_offset(a, s, &offset);
	return err;
}

static void copy_tlv(struct tw_frame *f, const struct tw_tlv_view *tlv)
{
	void *value = tw_frame__add(f, (enum tw_tlv_type)tlv->type, tlv->len);

	if (value)
		memcpy(value, tlv->value, tlv->len);
}

static struct tw_cursor tlvs_of(const struct tw_merged *out)
{
	return (struct tw_cursor){ .at = out->body, .left = out->body_len };
}

/* Copies a control frame without repeated metadata. A frame that becomes empty is also written, because it has a number. */
static int put_changed(struct tw_archive *a, struct tw_archive_stream *s, const struct tw_merged *out,
		       const struct tw_frame_info *info)
{
	struct tw_cursor tlvs = tlvs_of(out);
	struct explaining_frames whole; /* for values that were reassembled from PARTs */
	enum tw_frame_status status;
	struct tw_tlv_view tlv;
	struct tw_frame f;
	int err = 0;

	frames__init(&whole, a, s, out->time);
	tw_frame__begin(&f, a->scratch, TW_FRAME_MAX, info);
	while (!err && tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		switch (tw_metadata__take(s->metadata, info, &tlv)) {
		case TW_METADATA_WRITE:
			copy_tlv(&f, &tlv);
			break;
		case TW_METADATA_WHOLE:
			err = tw_metadata__emit_whole(s->metadata, &whole.frames);
			break;
		case TW_METADATA_SKIP:
			break;
		}
	}
	f.info.events = info->events;
	return err ? err : put(a, s, out->time, a->scratch, tw_frame__end(&f));
}

/* Writes a control frame as it arrived. Its metadata are kept for later files. */
static int put_packed(struct tw_archive *a, struct tw_archive_stream *s, const struct tw_merged *out,
		      const struct tw_frame_info *info)
{
	struct tw_cursor tlvs = tlvs_of(out);
	enum tw_frame_status status;
	struct tw_tlv_view tlv;

	while (tw_cursor__next_tlv(&tlvs, &tlv, &status))
		tw_metadata__take(s->metadata, info, &tlv);
	return put(a, s, out->time, out->head, tw_merged__len(out));
}

static int put_control(struct tw_archive *a, struct tw_archive_stream *s, const struct tw_merged *out)
{
	struct tw_frame_info info = { 0 };
	struct tw_cursor unused;

	tw_frame__parse(out->head, sizeof(struct tw_frame_hdr), &info, &unused);
	return a->options.packed ? put_packed(a, s, out, &info) : put_changed(a, s, out, &info);
}

static int put_merged(struct tw_archive *a, struct tw_archive_stream *s, const struct tw_merged *out)
{
	const size_t len = tw_merged__len(out);
	uint8_t *p = reserve(a, len);

	if (!p)
		return tw_pcapng__error(a->file, NULL);
	tw_merged__copy(out, p);
	commit(a, s, out->time, len, (uint16_t)out->delivered); /* fits: a frame has fewer than 2^16 bytes */
	return 0;
}

/* Adds the LOST records of a frame to the counters of its stream. */
static void look_at_losses(struct tw_archive_stream *s, const struct tw_merged *out)
{
	struct tw_cursor tlvs = tlvs_of(out);
	enum tw_frame_status status;
	struct tw_tlv_view tlv;

	while (tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		if (tlv.type == TW_TLV_LOST)
			tw_stream_counters__lost(&s->stream->counters, &tlv);
	}
}

/*
 * Called if no CLOCK or response relates the stream's clock to another clock. Packet times are then computed with the offset that the merge
 * chose by the arrival of the stream's frames; if there is none, with an offset by which the stream's first packet has the present time.
 */
static void date_here(const struct tw_archive *a, struct tw_archive_stream *s, uint64_t time)
{
	s->dated_here = true;
	if (!tw_merge__placed_by_arrival(a->merge, s->stream->id, &s->offset))
		s->offset = (int64_t)(tw_archive__present(a) - tw_stream_clock__ns(&s->clock, time));
}

/* Writes the packets that precede an event or a control frame. */
static int put_packets_before(struct tw_archive *a, const struct tw_archive_stream *s, uint64_t stream_time)
{
	const uint64_t time = packet_time(s, stream_time);

	a->packets.late += time < a->packets.newest;
	return tw_archive_packets__put(a, time);
}

int tw_archive__write(struct tw_archive *a, struct tw_archive_stream *s, const struct tw_merged *out)
{
	int err;

	if (!s->described && !s->given && !s->dated_here && !tw_stream_clock__is_dated(&s->clock))
		date_here(a, s, out->time);
	err = a->packets.n ? put_packets_before(a, s, out->time) : 0;
	if (!err)
		err = put_times(a, s, out->time, out->last);
	if (err)
		return err;
	return out->is_control ? put_control(a, s, out) : put_merged(a, s, out);
}

static int count_as(uint64_t *place, const struct tw_merged *out)
{
	*place += out->delivered;
	return 0;
}

static void write_or_count(struct tw_archive *a, struct tw_archive_stream *s, const struct tw_merged *out)
{
	const int err = tw_archive__write(a, s, out);

	if (err)
		s->unwritten += out->delivered; /* the packet did not reach the writer */
	tw_archive__done(a, err);
	if (!err && ++a->n_put % LOOKS == 0)
		tw_archive__done(a, tw_archive__next_file(a, 0));
}

/* Whether an event, which is alone in its frame, matches the filter. An event that cannot be read counts as undecided, and matches. */
static bool wants(struct tw_archive *a, struct tw_archive_stream *s, const struct tw_merged *out)
{
	const struct tw_tlv_view tlv = {
		.type = TW_TLV_EVENT,
		.value = out->body + sizeof(struct tw_tlv),
		.len = tw_load_be16(out->body + 2) - sizeof(struct tw_tlv),
	};
	struct tw_frame_info info = { 0 };
	struct tw_event_view view;
	struct tw_cursor unused;

	if (!tw_event__parse(&tlv, out->time, &view)) {
		a->undecided++;
		return true;
	}
	tw_frame__parse(out->head, sizeof(struct tw_frame_hdr), &info, &unused);
	view.time = out->time;
	return tw_capture_filter__wants(a->capture_filter, s->stream, &info, &view);
}

int tw_archive__emit(void *ctx, const struct tw_merged *out)
{
	struct tw_archive *a = ctx;
	struct tw_archive_stream *s = tw_archive__find(a, out->stream_id);
	const int err = s ? 0 : tw_archive__stream(a, out->stream_id, &s);

	if (err)
		return err;
	if (out->has_lost)
		look_at_losses(s, out);
	if (a->lost)
		return count_as(&s->unwritten, out);
	if (tw_archive__is_full(a))
		return count_as(&s->unwanted, out);
	if (a->capture_filter && !out->is_event && !out->is_control)
		a->undecided += out->events; /* events that are too large for a frame, and emitted in PARTs */
	if (a->capture_filter && out->is_event && !wants(a, s, out))
		return count_as(&s->filtered, out);
	write_or_count(a, s, out);
	return 0;
}

int tw_archive__next_file(struct tw_archive *a, uint64_t now)
{
	int err = 0;

	if (a->options.bytes_max && tw_pcapng__bytes(a->file) >= a->options.bytes_max)
		a->full = true;
	if (a->lost || a->full || !tw_pcapng__is_due(a->file, now))
		return 0;
	if (++a->n_files == a->options.files_max) {
		a->full = true;
		return 0;
	}
	for (struct tw_archive_stream *s = tw_archive__first(a); s && !err; s = tw_archive__next(a, s)) {
		if (s->described)
			err = tw_archive__put_statistics(a, s);
	}
	if (!err)
		err = tw_archive_packets__put_statistics(a);
	if (!err)
		err = tw_pcapng__next_file(a->file, &a->section);
	for (struct tw_archive_stream *s = tw_archive__first(a); s && !err; s = tw_archive__next(a, s)) {
		s->before.packets += s->here.packets;
		s->before.events += s->here.events;
		s->here = (struct tw_archive_count){ 0 };
		s->described = false;
	}
	tw_archive_packets__next_file(a);
	for (size_t i = 0; i < a->n_over && !err; i++)
		a->over[i].described = false;
	return err;
}
