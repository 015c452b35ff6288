/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the frames come from. */
#include <errno.h>

#include "cli/capture/capture.h"
#include "vnet/rx_packet.h"
#include "vnet/rx_udp.h"

#define RETIRE_MS \
	10 /* frames come in batches: a file is in no hurry, and who captures what he causes sees less of it */

int capture__check_source(const struct capture *capture, struct tw_error *err)
{
	struct tw_udp_address at;

	if (!capture->interface && !capture->udp)
		return tw_error__set(
			err, -EINVAL,
			"nothing is given to receive from: name an interface with --interface, for example -i "
			"tw0, or a port with --udp, for example -u %u",
			TW_UDP_PORT);
	if (capture->interface && capture->udp)
		return tw_error__set(err, -EINVAL,
				     "--interface and --udp exclude each other: a capture receives from one of them");
	return capture->udp ? tw_udp_address__parse(capture->udp, &at, err) : 0;
}

static int open_packet(const struct capture *capture, struct tw_rx **ret, struct tw_error *err)
{
	const struct tw_rx_packet_options options = {
		.ifname = capture->interface,
		.ring = RECEIVER_RING,
		.retire_ms = RETIRE_MS,
	};

	return tw_rx_packet__open(&options, ret, err);
}

static int open_udp(const struct capture *capture, struct tw_rx **ret, struct tw_error *err)
{
	struct tw_rx_udp_options options = { .buffer = RECEIVER_RING };
	const int error = tw_udp_address__parse(capture->udp, &options.at, err);

	return error ? error : tw_rx_udp__open(&options, ret, err);
}

int capture__open_rx(const struct capture *capture, struct tw_rx **ret, struct tw_error *err)
{
	return capture->udp ? open_udp(capture, ret, err) : open_packet(capture, ret, err);
}
