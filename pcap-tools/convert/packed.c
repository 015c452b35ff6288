/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/convert/packed.h"

#include <errno.h>

#include "pcap-tools/capture/packet_frame.h"

#define WAIT_NS    2000000000u /* as capture waits */
#define LOOK_EVERY 1024        /* packets between two words about the progress */

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
		.name = tw_output__name(output),
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
	ret->n_streams = tw_archive__reports(archive, &ret->streams);
	tw_archive__free(archive);
	return err;
}
