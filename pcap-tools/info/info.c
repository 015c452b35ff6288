/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/info/info.h"

#include <errno.h>
#include <stdlib.h>

#include "pcap-tools/capture/packet_frame.h"
#include "pcap-tools/info/state.h"

void tw_info_times__see(struct tw_info_times *times, uint64_t time)
{
	if (!time)
		return;
	if (!times->known || time < times->first)
		times->first = time;
	if (!times->known || time > times->last)
		times->last = time;
	times->known = true;
}

static int ignore(void *ctx, const struct tw_merged *out)
{
	(void)ctx;
	(void)out;
	return 0;
}

static void note_retired(void *ctx, uint64_t stream_id, const struct tw_merge_stream_stats *stats)
{
	struct tw_info_reader *r = ctx;
	struct tw_info_stream *s = tw_streams__find(r->info->table, stream_id)->user[r->user];

	s->retired = true;
	s->numbers = *stats;
}

static int read_packet(struct tw_info_reader *r, const struct tw_packet *packet)
{
	struct tw_info_interface *interface = tw_info_reader__interface(r, packet->interface);
	const uint8_t *frame;
	size_t len;

	r->info->packets++;
	r->info->bytes += packet->len;
	if (interface)
		interface->packets++;
	tw_info_times__see(&r->info->times, packet->time);
	frame = tw_packet__frame(packet->linktype, packet->data, packet->len, &len);
	return frame ? tw_info_reader__frame(r, packet, frame, len) : 0;
}

/* Return: 0, also where the file is damaged; else a failure. */
static int read_file(struct tw_info_reader *r, struct tw_capture_file *file, struct tw_error *err)
{
	struct tw_packet packet;
	int code = 0, more = 1;

	tw_capture_file__watch(file, tw_info_reader__block, r);
	while (!code && (more = tw_capture_file__next(file, &packet, err)) > 0) {
		code = read_packet(r, &packet);
		code = code ? code : r->code;
	}
	code = code ? code : r->code;
	if (code)
		return tw_error__set(err, code, "no memory to read a capture");
	if (more == -EBADMSG)
		r->info->damage = *err;
	return more == -EBADMSG ? 0 : more;
}

static int read_into(struct tw_info_reader *r, int fd, const char *name, struct tw_error *err)
{
	const struct tw_streams_options streams = { .known = TW_STREAMS_TOLD_MAX,
						    .silence = TW_STREAMS_SILENT_FRAMES,
						    .keeps = true,
						    .wants = TW_STREAM_WANTS_COUNTERS };
	struct tw_merge_options options = { .emit = ignore, .retired = note_retired, .ctx = r };
	struct tw_capture_file *file;
	int code;

	options.streams = r->info->table = tw_streams__new(&streams);
	if (!r->info->table)
		return tw_error__set(err, -ENOMEM, "no memory to read %s", name);
	r->user = tw_streams__add_user(r->info->table, &(struct tw_stream_user){ .ctx = r });
	code = tw_merge__new(&options, &r->merge, err);
	if (!code)
		code = tw_capture_file__open(fd, name, &file, err);
	if (code)
		return code;
	r->info->is_pcapng = tw_capture_file__is_pcapng(file);
	r->info->is_compressed = tw_capture_file__is_compressed(file);
	r->info->is_recording = tw_capture_file__is_recording(file);
	code = read_file(r, file, err);
	if (!code && tw_info_reader__settle(r))
		code = tw_error__set(err, -ENOMEM, "no memory to read a capture");
	tw_capture_file__close(file);
	return code;
}

int tw_info__read(int fd, const char *name, struct tw_info *ret, struct tw_error *err)
{
	struct tw_info_reader *r = calloc(1, sizeof(*r));
	int code;

	if (!r)
		return tw_error__set(err, -ENOMEM, "no memory to read %s", name);
	*ret = (struct tw_info){ 0 };
	r->info = ret;
	code = read_into(r, fd, name, err);
	tw_merge__free(r->merge);
	free(r);
	if (code)
		tw_info__fini(ret);
	return code;
}

void tw_info__fini(struct tw_info *info)
{
	for (uint32_t i = 0; i < info->n_streams; i++)
		free(info->streams[i]);
	free(info->streams);
	tw_streams__free(info->table);
	free(info->interfaces);
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
