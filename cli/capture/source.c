/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the frames come from. */
#include "cli/capture/capture.h"
#include "vnet/rx_packet.h"

#define RETIRE_MS \
	10 /* frames come in batches: a file is in no hurry, and who captures what he causes sees less of it */

int capture__open_rx(const struct capture *capture, struct tw_rx **ret, struct tw_error *err)
{
	const struct tw_rx_packet_options options = {
		.ifname = capture->interface,
		.ring = RECEIVER_RING,
		.retire_ms = RETIRE_MS,
	};

	return tw_rx_packet__open(&options, ret, err);
}
