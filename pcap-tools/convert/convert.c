/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/convert/convert_impl.h"

#include <errno.h>
#include <stdlib.h>

#include "base/time.h"
#include "pcap-tools/capture/packet_frame.h"
#include "stream/ledger.h"

#define FORMATS         ((size_t)UINT16_MAX + 1)
#define PROGRESS_EVENTS 4096 /* events between two progress reports */

_Static_assert(TW_TRACEDAT_RECORD_SLACK >= TW_COPY_STEP, "records are copied in steps");

/* The Ethernet header of all packets. The events were never on a link, so both addresses are locally administered. */
static const uint8_t ether[CONVERT_ETHER_LEN] = {
	0x02, 'T', 'W', 'R', 0, 2, 0x02, 'T', 'W', 'R', 0, 1, TW_ETHERTYPE >> 8, TW_ETHERTYPE & 0xff,
};

uint8_t *tw_convert__packet(struct tw_convert *c, size_t len)
{
	uint8_t *p = tw_pcapng__reserve(c->file, CONVERT_ETHER_LEN + len);

	if (!p)
		return NULL;
	memcpy(p, ether, sizeof(ether));
	return p + CONVERT_ETHER_LEN;
}

void tw_convert__commit(struct tw_convert *c, struct convert_stream *s, uint64_t time, size_t len)
{
	tw_pcapng__commit(c->file, s->interface, time, CONVERT_ETHER_LEN + len, CONVERT_ETHER_LEN + len, 0);
	s->start = s->start ? tw_time__earlier(s->start, time) : time;
	s->end = tw_time__later(s->end, time);
}

static struct tw_frame_info ring_info(const struct tw_convert *c, const struct convert_stream *s,
				      const struct tw_tracedat_event *event)
{
	const bool late = event->time < s->newest;

	return (struct tw_frame_info){
		.flags = (uint8_t)(c->frame_flags | (late ? TW_FLAG_LATE : 0)),
		.source = TW_SOURCE_FTRACE,
		.channel = (uint16_t)(event->cpu + 1),
		.cpu = (uint16_t)event->cpu,
		.stream_id = s->id,
		.schema_id = c->schema_id,
		.seq = s->next_seq[event->cpu],
		.base_time = event->time,
	};
}

static void put_lost(struct tw_convert *c, struct convert_stream *s, const struct tw_tracedat_event *event)
{
	const struct tw_frame_info info = ring_info(c, s, event);
	const struct tw_lost_view lost = {
		.time = event->time,
		.where = TW_LOST_RING,
		.unknown = event->lost_unknown,
		.count = event->lost_count,
	};
	uint8_t *p = tw_convert__packet(c, sizeof(struct tw_frame_hdr) + sizeof(struct tw_lost));
	struct tw_frame frame;

	if (!p)
		return;
	tw_frame__begin(&frame, p, sizeof(struct tw_frame_hdr) + sizeof(struct tw_lost), &info);
	tw_lost__emit(&frame, &lost);
	tw_convert__commit(c, s, event->time, tw_frame__end(&frame));
	s->lost += lost.count;
	c->stats.lost += lost.count;
	c->stats.lost_unknown += lost.unknown;
}

/* Writes the value of an EVENT, with big-endian common fields, to @p. Up to TW_COPY_STEP bytes after the value are overwritten. */
static void put_record(const struct tw_convert *c, uint8_t *p, const struct tw_tracedat_event *event)
{
	const uint8_t *record = event->record;

	tw_store_be32(p, 0);
	tw_store_be16(p + 4, tw_load16(record, c->info->big_endian));
	p[6] = record[2];
	p[7] = record[3];
	tw_store_be32(p + 8, tw_load32(record + 4, c->info->big_endian));
	for (uint32_t at = TW_RECORD_COMMON; at < event->len; at += TW_COPY_STEP)
		memcpy(p + 4 + at, record + at, TW_COPY_STEP);
}

static int put_parts(struct tw_convert *c, struct convert_stream *s, const struct tw_tracedat_event *event)
{
	struct tw_frame_info info = ring_info(c, s, event);
	uint8_t *value = malloc(4 + (size_t)event->len + TW_COPY_STEP);

	if (!value)
		return -ENOMEM;
	put_record(c, value, event);
	tw_convert__parts(c, s, &info, TW_TLV_EVENT, value, 4 + event->len);
	free(value);
	return 0;
}

static int put_event(struct tw_convert *c, struct convert_stream *s, const struct tw_tracedat_event *event)
{
	const size_t tlv_len = TW_EVENT_RECORD + (size_t)event->len, len = sizeof(struct tw_frame_hdr) + tlv_len;
	struct tw_frame_info info;
	uint8_t *p;

	if (len > TW_FRAME_MAX)
		return put_parts(c, s, event);
	p = tw_convert__packet(c, len);
	if (!p)
		return 0; /* tw_pcapng__error() returns the error */
	info = ring_info(c, s, event);
	info.length = (uint16_t)len;
	info.events = 1;
	tw_frame_hdr__emit(p, &info);
	p += sizeof(struct tw_frame_hdr);
	tw_store_be32(p, (uint32_t)TW_TLV_EVENT << 16 | (uint32_t)tlv_len);
	put_record(c, p + sizeof(struct tw_tlv), event);
	tw_convert__commit(c, s, event->time, len);
	return 0;
}

/* Fills @f at the first event with this id, not in advance, because a file has no events of most of its formats. Return: 0 or -ENOMEM */
static int look_at(struct tw_convert *c, struct convert_format *f, uint16_t id)
{
	f->looked = true;
	f->format = tw_schema__by_id(c->schema, id);
	if (!f->format)
		return 0;
	f->print = tw_print__new(f->format);
	if (!f->print)
		return -ENOMEM;
	f->fields = tw_print__addresses(f->print, &f->n_fields);
	if (f->n_fields)
		return 0;
	tw_print__free(f->print);
	f->print = NULL;
	return 0;
}

static int convert_event(struct tw_convert *c, const struct tw_tracedat_event *event)
{
	const uint16_t id = tw_load16(event->record, c->info->big_endian);
	struct convert_stream *s = &c->streams[event->buffer];
	struct convert_format *format = &c->formats[id];
	int err = 0;

	if (!format->looked)
		err = look_at(c, format, id);
	c->stats.unknown += !format->format;
	if (!err && format->n_fields)
		err = tw_convert__symbols(c, s, format, event);
	if (event->lost)
		put_lost(c, s, event);
	if (!err)
		err = put_event(c, s, event);
	c->stats.late += event->time < s->newest;
	s->newest = tw_time__later(s->newest, event->time);
	s->next_seq[event->cpu]++;
	s->events++;
	return err;
}

static int convert_events(struct tw_convert *c)
{
	struct tw_tracedat_event event;
	uint64_t n = 0;
	int err;

	if (!tw_tracedat__next(c->dat, &event))
		return tw_convert__explain(c, c->info->dated ? c->info->time_offset : 0);
	err = tw_convert__explain(c, event.time);
	if (err)
		return err;
	do {
		err = convert_event(c, &event);
		if (++n % PROGRESS_EVENTS)
			continue;
		if (!err)
			err = tw_pcapng__error(c->file, NULL);
		if (c->options->progress)
			c->options->progress(c->options->ctx, c->info->done, c->info->data_bytes);
	} while (!err && tw_tracedat__next(c->dat, &event));
	c->stats.events = n;
	return err;
}

/* Writes the statistics of a stream. A trace.dat file does not show how the stream ended, so the ledger stays open. */
static void close_stream(struct tw_convert *c, const struct convert_stream *s)
{
	const struct tw_ledger ledger = {
		.state = TW_LEDGER_OPEN,
		.recorded = s->events + s->lost,
		.place = { [TW_PLACE_DELIVERED] = s->events, [TW_PLACE_RING] = s->lost },
	};
	char comment[TW_LEDGER_TEXT_MAX];
	const struct tw_pcapng_statistics statistics = {
		.time = s->end,
		.start = s->start,
		.end = s->end,
		.received = s->events + s->lost,
		.dropped = s->lost,
		.os_dropped = s->lost,
		.delivered = s->events,
		.comment = comment,
	};

	tw_ledger__comment(&ledger, comment, sizeof(comment));
	tw_pcapng__statistics(c->file, s->interface, &statistics);
}

/* Return: 0; -ENOMEM, for which the caller fills @error; another -errno */
static int convert(struct tw_convert *c, struct tw_error *error)
{
	int err = tw_convert__texts(c, error);

	if (!err)
		err = tw_convert__open_streams(c, error);
	if (err)
		return err;
	err = convert_events(c);
	for (size_t i = 0; i < c->n_streams; i++)
		close_stream(c, &c->streams[i]);
	if (!err)
		tw_pcapng__flush(c->file);
	c->stats.bytes = tw_pcapng__bytes(c->file);
	return err == -ENOMEM ? err : tw_pcapng__error(c->file, error);
}

static void convert__fini(struct tw_convert *c)
{
	for (size_t i = 0; i < c->n_streams; i++) {
		free(c->streams[i].next_seq);
		tw_hash_table__fini(&c->streams[i].looked_up);
		tw_hash_table__fini(&c->streams[i].sent);
	}
	free(c->streams);
	for (size_t i = 0; c->formats && i < FORMATS; i++)
		tw_print__free(c->formats[i].print);
	free(c->formats);
	tw_schema_records__fini(&c->texts);
	tw_symbols__free(c->symbols);
	tw_schema__free(c->schema);
	tw_pcapng__close(c->file);
	tw_output__free(c->output);
	free(c->frame_bytes);
}

int tw_convert__run(struct tw_tracedat *dat, const struct tw_convert_options *options, struct tw_convert_stats *ret,
		    struct tw_error *error)
{
	struct tw_convert c = { .dat = dat, .info = tw_tracedat__info(dat), .options = options };
	int err = -ENOMEM;

	c.frame_flags = c.info->big_endian ? TW_FLAG_BODY_BE : 0;
	c.frame_bytes = malloc(TW_FRAME_MAX + TW_COPY_STEP);
	c.formats = calloc(FORMATS, sizeof(*c.formats));
	c.schema = tw_schema__new();
	if (c.frame_bytes && c.formats && c.schema)
		err = convert(&c, error);
	if (err == -ENOMEM)
		tw_error__set(error, err, "converting to %s: no memory", options->name);
	*ret = c.stats;
	convert__fini(&c);
	return err;
}

#define WAIT_NS    2000000000u /* longest wait of the merge; the same value as in cli/capture/capture.c */
#define LOOK_EVERY 1024        /* packets between two progress reports */

static int unpack_packets(struct tw_capture_file *in, struct tw_archive *archive,
			  void (*progress)(void *ctx, uint64_t offset), void *ctx, struct tw_packed_stats *stats,
			  struct tw_error *error)
{
	struct tw_packet packet;
	uint64_t n = 0;
	int more;

	while ((more = tw_capture_file__next(in, &packet, error)) == 1) {
		size_t len;
		const uint8_t *frame = tw_packet__frame(packet.linktype, packet.data, packet.len, &len);
		const int err = frame ? tw_archive__frame(archive, frame, len, NULL) : 0;

		stats->others += !frame;
		if (err) {
			tw_archive__error(archive, error);
			return err;
		}
		if (progress && ++n % LOOK_EVERY == 0)
			progress(ctx, packet.offset);
	}
	return more;
}

int tw_packed__convert(struct tw_capture_file *in, struct tw_output *output,
		       void (*progress)(void *ctx, uint64_t offset), void *ctx, struct tw_packed_stats *ret,
		       struct tw_error *error)
{
	const struct tw_archive_options options = {
		.application = "tracewire convert " TRACEWIRE_VERSION,
		.wait_ns = WAIT_NS,
		.network = true,
	};
	struct tw_archive *archive;
	struct tw_error why;
	int err = tw_archive__new(output, &options, &archive, error), finished;

	*ret = (struct tw_packed_stats){ .others = 0 };
	if (err)
		return err;
	err = unpack_packets(in, archive, progress, ctx, ret, error);
	finished = tw_archive__finish(archive);
	if (finished && (!err || err == -EBADMSG)) {
		tw_archive__error(archive, &why);
		err = tw_error__set(error, finished, "%s", why.text);
	}
	tw_archive__stats(archive, &ret->archive);
	if (tw_archive__reports(archive, &ret->streams, &ret->n_streams) && !err)
		err = tw_error__set(error, -ENOMEM, "no memory for the ledgers of the streams");
	tw_archive__free(archive);
	return err;
}
