/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads an untrusted capture: all packets, their frames and metadata, and the text of each event. Returned data must be readable to its
 * last byte, in file order, and within the limits.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pcap-tools/capture/capture_file.h"
#include "pcap-tools/capture/packet_frame.h"
#include "stream/streams.h"

static volatile uint8_t sink;

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void touch(const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < len; i++)
		sink ^= p[i];
}

static void show_event(struct tw_stream *stream, const struct tw_frame_info *info, const struct tw_tlv_view *tlv)
{
	struct tw_stream_event *known;
	struct tw_event_view event;
	const char *name;
	char text[256];
	struct tw_line line = tw_line__on(text, sizeof(text));
	size_t len;

	if (!tw_event__parse(tlv, info->base_time, &event))
		return;
	name = tw_stream__task(stream, event.pid, event.time, &len);
	if (name)
		check(strlen(name) == len);
	known = tw_stream__event(stream, info->schema_id, event.id);
	if (!known)
		return;
	check(known->format->id == event.id);
	if (!tw_stream__print(stream, known))
		return;
	const struct tw_record record = {
		.data = event.record,
		.len = event.len,
		.big_endian = info->flags & TW_FLAG_BODY_BE,
		.from_wire = true,
	};
	tw_print__run(known->print, &record, &stream->print_host, &line);
	touch(text, tw_line__len(&line));
}

static void read_frame(struct tw_streams *streams, const uint8_t *frame, size_t len)
{
	enum tw_frame_status status;
	struct tw_stream *stream;
	struct tw_frame_info info;
	struct tw_cursor tlvs;
	struct tw_tlv_view tlv;

	status = tw_frame__parse(frame, len, &info, &tlvs);
	if (status != TW_FRAME_OK && status != TW_FRAME_TRUNCATED)
		return;
	stream = tw_streams__get(streams, info.stream_id);
	if (!stream)
		return;
	while (tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		tw_stream__update(stream, &info, &tlv);
		if (tlv.type == TW_TLV_EVENT)
			show_event(stream, &info, &tlv);
	}
}

static void show_block(void *ctx, const struct tw_capture_block *block)
{
	struct tw_capture_options options = block->options;
	struct tw_capture_option option;
	unsigned int *interfaces = ctx;

	*interfaces = block->kind == TW_CAPTURE_SECTION ? 0 : *interfaces + (block->kind == TW_CAPTURE_INTERFACE);
	check(block->kind == TW_CAPTURE_SECTION || block->interface < *interfaces);
	while (tw_capture_options__next(&options, &option))
		touch(option.value, option.len);
	touch(options.at, options.left);
}

static void read_packets(struct tw_capture_file *file, struct tw_streams *streams, size_t size)
{
	struct tw_streams_stats stats;
	struct tw_packet packet;
	struct tw_error err = { "" };
	const uint8_t *frame;
	unsigned int interfaces = 0;
	uint64_t last = 0;
	size_t len;
	int r;

	tw_capture_file__watch(file, show_block, &interfaces);
	while ((r = tw_capture_file__next(file, &packet, &err)) > 0) {
		check(packet.offset > last &&
		      (tw_capture_file__is_compressed(file) || packet.offset + packet.len <= size));
		last = packet.offset;
		touch(packet.data, packet.len);
		frame = tw_packet__frame(packet.linktype, packet.data, packet.len, &len);
		if (!frame)
			continue;
		check(frame >= packet.data && len == packet.len - (size_t)(frame - packet.data));
		read_frame(streams, frame, len);
	}
	check(!r || *err.text);
	check(tw_capture_file__next(file, &packet, &err) == 0);
	tw_streams__stats(streams, &stats);
	check(stats.memory <= TW_STREAMS_MEMORY_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct tw_streams *streams;
	struct tw_capture_file *file;
	struct tw_error err = { "" };
	int r;

	if (fd < 0)
		fd = memfd_create("capture", 0);
	check(pwrite(fd, data, size, 0) == (ssize_t)size && !ftruncate(fd, (off_t)size) && !lseek(fd, 0, SEEK_SET));
	r = tw_capture_file__open(fd, "made.pcapng", &file, &err);
	check(!r || (r < 0 && *err.text));
	if (r)
		return 0;
	streams = tw_streams__new(NULL);
	check(streams);
	read_packets(file, streams, size);
	tw_streams__free(streams);
	tw_capture_file__close(file);
	return 0;
}
