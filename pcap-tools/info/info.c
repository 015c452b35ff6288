/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/info/info.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "base/time.h"
#include "pcap-tools/capture/packet_frame.h"
#include "pcap-tools/info/event_counter.h"
#include "pcap-tools/merge/merge.h"

/* State while a capture is read. */
struct reader {
	struct tw_info *info;
	struct tw_merge *merge; /* finds missing events, by gaps in their numbers */
	struct tw_event_counter counter;
	unsigned int user; /* index in tw_stream.user of the stream's struct tw_info_stream */
	int err;           /* -ENOMEM that a callback found and could not return; 0 = none */
};

static void times__add(struct tw_info_times *times, uint64_t time)
{
	if (!time)
		return;
	times->first = times->known ? tw_time__earlier(times->first, time) : time;
	times->last = tw_time__later(times->last, time);
	times->known = true;
}

/* Blocks of a file that are not packets. */

static void copy_text(char *to, size_t size, const struct tw_capture_option *option)
{
	tw_printable__copy(to, size, option->value, option->len);
}

static void begin_section(struct reader *r, const struct tw_capture_block *block)
{
	struct tw_capture_options options = block->options;
	struct tw_capture_option option;
	struct tw_info *info = r->info;

	if (info->sections++)
		return;
	while (tw_capture_options__next(&options, &option)) {
		if (option.code == TW_OPT_SHB_APPLICATION)
			copy_text(info->application, sizeof(info->application), &option);
		else if (option.code == TW_OPT_SHB_HARDWARE)
			copy_text(info->hardware, sizeof(info->hardware), &option);
		else if (option.code == TW_OPT_SHB_OS)
			copy_text(info->os, sizeof(info->os), &option);
		else if (option.code == TW_OPT_COMMENT && !*info->comment)
			copy_text(info->comment, sizeof(info->comment), &option);
	}
}

static void take_block(void *ctx, const struct tw_capture_block *block)
{
	struct reader *r = ctx;
	const int err = tw_capture_interfaces__block(&r->info->interfaces, block);

	r->err = r->err ? r->err : err;
	if (block->kind == TW_CAPTURE_SECTION)
		begin_section(r, block);
}

/* The frames of a file: for each stream, its host, the number of its events, and the error bounds of its times. */

/* Finds or adds a stream. Return: NULL beyond the table's limits or without memory */
static struct tw_info_stream *find_stream(struct reader *r, uint64_t id)
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
		r->err = -ENOMEM;
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
	if (s->n_schemas < TW_STREAM_SCHEMAS_NAMED_MAX)
		s->schemas[s->n_schemas++] = id;
}

static void take_lost(struct tw_info_stream *s, const struct tw_tlv_view *tlv)
{
	struct tw_lost_view lost;

	tw_stream_counters__lost(&s->stream->counters, tlv);
	if (tw_lost__parse(tlv, 0, &lost) && lost.where <= TW_LOST_RECEIVER &&
	    lost.count <= UINT64_MAX - s->lost[lost.where])
		s->lost[lost.where] += lost.count;
}

static void forget_hooks(struct tw_info_stream *s)
{
	while (s->n_hooks)
		free(s->hooks[--s->n_hooks]);
}

static int take_hook(struct tw_info_stream *s, const struct tw_attr_view *attr)
{
	char text[256];

	if (s->n_hooks == TW_INFO_HOOKS_MAX)
		return 0;
	tw_printable__copy(text, sizeof(text), attr->value, attr->len);
	s->hooks[s->n_hooks] = strdup(text);
	return s->hooks[s->n_hooks] ? (s->n_hooks++, 0) : -ENOMEM;
}

static int take_host(struct tw_info_stream *s, const struct tw_tlv_view *tlv)
{
	struct tw_cursor attrs = { tlv->value, tlv->len };
	struct tw_attr_view attr;
	bool first = true;
	int err = 0;

	while (!err && tw_host__next(&attrs, &attr)) {
		if (attr.attr == TW_HOST_PHCS)
			tw_printable__copy(s->phcs, sizeof(s->phcs), attr.value, attr.len);
		if (attr.attr != TW_HOST_HOOK)
			continue;
		if (first)
			forget_hooks(s);
		first = false;
		err = take_hook(s, &attr);
	}
	return err;
}

static void take_offset(struct tw_info_stream *s, const struct tw_tlv_view *tlv)
{
	if (!tw_offset__parse(tlv, &s->offset))
		return;
	s->n_offsets++;
	if (s->offset.kind < TW_OFFSET_KINDS)
		s->changes[s->offset.kind]++;
}

static int take_tlv(struct tw_info_stream *s, const struct tw_frame_info *frame, const struct tw_tlv_view *tlv)
{
	struct tw_tlv_view whole = *tlv;
	int err = 0;

	switch (tlv->type) {
	case TW_TLV_EVENT:
		s->events++;
		return 0;
	case TW_TLV_PART:
		s->events += tw_part__is_last_of_event(tlv);
		if (!tw_stream__whole(s->stream, frame, tlv, &whole))
			return 0;
		break;
	case TW_TLV_OFFSET:
		take_offset(s, tlv);
		return 0;
	case TW_TLV_LOST:
		take_lost(s, tlv);
		return 0;
	default:
		break;
	}
	if (whole.type == TW_TLV_HOST)
		err = take_host(s, &whole);
	return err ? err : tw_stream__update(s->stream, frame, &whole);
}

static bool is_ring(const struct tw_frame_info *frame)
{
	return frame->source == TW_SOURCE_FTRACE || frame->source == TW_SOURCE_BPF;
}

static int take_frame(struct reader *r, struct tw_info_stream *s, const struct tw_frame_info *frame,
		      struct tw_cursor tlvs, bool snapped)
{
	enum tw_frame_status status = TW_FRAME_OK;
	struct tw_tlv_view tlv;
	int err = 0;

	see_schema(s, frame->schema_id);
	s->hashed |= (frame->flags & TW_FLAG_PTR_HASHED) != 0;
	s->big_endian |= (frame->flags & TW_FLAG_BODY_BE) != 0;
	if (frame->source == TW_SOURCE_CONTROL)
		tw_stream_counters__control(&s->stream->counters, frame->seq);
	if (snapped && is_ring(frame)) {
		s->events += frame->events;
		return 0;
	}
	while (!err && tw_cursor__next_tlv(&tlvs, &tlv, &status))
		err = take_tlv(s, frame, &tlv);
	r->info->unreadable += status != TW_FRAME_OK && !snapped;
	return err;
}

static int take_packet_frame(struct reader *r, const struct tw_packet *packet, const uint8_t *frame, size_t len)
{
	struct tw_frame_info info;
	struct tw_cursor tlvs;
	const enum tw_frame_status status = tw_frame__parse(frame, len, &info, &tlvs);
	struct tw_info_stream *s;
	bool snapped;
	int err;

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
		return r->err;
	}
	tw_capture_interfaces__join(&r->info->interfaces, packet->interface, s->stream);
	s->packets++;
	s->bytes += packet->len;
	times__add(&s->times, packet->time);
	err = take_frame(r, s, &info, tlvs, snapped);
	return err ? err : tw_merge__frame(r->merge, frame, len, NULL);
}

static void settle_stream(struct reader *r, struct tw_info_stream *s)
{
	struct tw_ledger_sources sources = { .counters = &s->stream->counters,
					     .own = { .receiver = s->lost[TW_LOST_RECEIVER], .finished = true } };

	if (!s->retired)
		tw_merge__stream_stats(r->merge, s->stream->id, &s->numbers);
	sources.numbers = s->numbers;
	s->received = sources.own.delivered = sources.numbers.events_out;
	tw_ledger__make(&sources, &s->counted);
}

/* Makes the ledgers, after the last packet. Return: 0, -ENOMEM */
static int settle(struct reader *r)
{
	struct tw_info *info = r->info;
	const int err = tw_merge__flush(r->merge);

	for (uint32_t i = 0; i < info->n_streams; i++)
		settle_stream(r, info->streams[i]);
	for (uint32_t i = 0; i < info->interfaces.n; i++) {
		const struct tw_capture_interface *interface = &info->interfaces.items[i];
		struct tw_info_stream *s = interface->stream ? interface->stream->user[r->user] : NULL;

		if (!interface->has_ledger || !s)
			continue;
		s->has_stored = true;
		s->stored = interface->ledger;
	}
	return err;
}

static int take_merged(void *ctx, const struct tw_merged *out)
{
	struct reader *r = ctx;

	return tw_event_counter__take(&r->counter, out);
}

static void note_retired(void *ctx, uint64_t stream_id, const struct tw_stream_numbers *stats)
{
	struct reader *r = ctx;
	struct tw_info_stream *s = tw_streams__find(r->info->table, stream_id)->user[r->user];

	s->retired = true;
	s->numbers = *stats;
}

static int read_packet(struct reader *r, const struct tw_packet *packet)
{
	struct tw_capture_interface *interface = tw_capture_interfaces__find(&r->info->interfaces, packet->interface);
	const uint8_t *frame;
	size_t len;

	r->info->packets++;
	r->info->bytes += packet->len;
	if (interface)
		interface->packets++;
	times__add(&r->info->times, packet->time);
	frame = tw_packet__frame(packet->linktype, packet->data, packet->len, &len);
	return frame ? take_packet_frame(r, packet, frame, len) : 0;
}

/* Reads the file to its end. Return: 0, also if the file is damaged; otherwise -errno */
static int read_file(struct reader *r, struct tw_capture_file *file, struct tw_error *error)
{
	struct tw_packet packet;
	int err = 0, more = 1;

	tw_capture_file__watch(file, take_block, r);
	while (!err && (more = tw_capture_file__next(file, &packet, error)) > 0) {
		err = read_packet(r, &packet);
		err = err ? err : r->err;
	}
	err = err ? err : r->err;
	if (err)
		return tw_error__set(error, err, "no memory to read a capture");
	if (more == -EBADMSG)
		r->info->damage = *error;
	return more == -EBADMSG ? 0 : more;
}

static int read_into(struct reader *r, int fd, const char *name, struct tw_counts *events, struct tw_error *error)
{
	const struct tw_streams_options streams = { .known = TW_STREAMS_REPORTED_MAX,
						    .silence = TW_STREAMS_SILENT_FRAMES,
						    .keeps = true,
						    .wants = TW_STREAM_WANTS_COUNTERS |
							     (events ? TW_STREAM_WANTS_FORMATS : 0) };
	struct tw_merge_options options = { .emit = take_merged, .retired = note_retired, .ctx = r };
	struct tw_capture_file *file;
	int err;

	options.streams = r->info->table = tw_streams__new(&streams);
	if (!r->info->table || tw_event_counter__init(&r->counter, events, r->info->table))
		return tw_error__set(error, -ENOMEM, "no memory to read %s", name);
	r->user = tw_streams__add_user(r->info->table, &(struct tw_stream_user){ .ctx = r });
	err = tw_merge__new(&options, &r->merge, error);
	if (!err)
		err = tw_capture_file__open(fd, name, &file, error);
	if (err)
		return err;
	r->info->is_pcapng = tw_capture_file__is_pcapng(file);
	r->info->is_compressed = tw_capture_file__is_compressed(file);
	r->info->is_recording = tw_capture_file__is_recording(file);
	err = read_file(r, file, error);
	if (!err && settle(r))
		err = tw_error__set(error, -ENOMEM, "no memory to read a capture");
	r->info->events_ns = tw_event_span__ns(&r->counter.span);
	tw_capture_file__close(file);
	return err;
}

int tw_info__read(int fd, const char *name, struct tw_counts *events, struct tw_info *ret, struct tw_error *error)
{
	struct reader r = { .info = ret };
	int err;

	*ret = (struct tw_info){ 0 };
	err = read_into(&r, fd, name, events, error);
	tw_merge__free(r.merge);
	tw_event_counter__fini(&r.counter);
	if (err)
		tw_info__fini(ret);
	return err;
}

void tw_info__fini(struct tw_info *info)
{
	for (uint32_t i = 0; i < info->n_streams; i++) {
		forget_hooks(info->streams[i]);
		free(info->streams[i]);
	}
	free(info->streams);
	tw_streams__free(info->table);
	tw_capture_interfaces__fini(&info->interfaces);
	*info = (struct tw_info){ 0 };
}

const struct tw_ledger *tw_info_stream__ledger(const struct tw_info_stream *stream)
{
	return stream->has_stored ? &stream->stored : &stream->counted;
}

int64_t tw_info_stream__missing(const struct tw_info_stream *stream)
{
	return stream->has_stored ? (int64_t)(stream->stored.place[TW_PLACE_DELIVERED] - stream->events) : 0;
}
