/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transport/receiver.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

void tw_rx_source__format(const struct tw_rx_source *source, char ret[TW_RX_SOURCE_TEXT_MAX])
{
	const uint8_t *b = source->bytes;

	switch (source->kind) {
	case TW_RX_SOURCE_IPV4:
		inet_ntop(AF_INET, b, ret, TW_RX_SOURCE_TEXT_MAX);
		break;
	case TW_RX_SOURCE_IPV6:
		inet_ntop(AF_INET6, b, ret, TW_RX_SOURCE_TEXT_MAX);
		break;
	case TW_RX_SOURCE_ETHERNET:
		snprintf(ret, TW_RX_SOURCE_TEXT_MAX, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4],
			 b[5]);
		break;
	default:
		snprintf(ret, TW_RX_SOURCE_TEXT_MAX, "an unknown address");
	}
}

static void copy_frame(const struct tw_rx *rx, const struct tw_rx_frame *frame, struct tw_rx_bundle *ret)
{
	ret->cut = frame->len > rx->frame_max;
	ret->len = ret->cut ? 0 : frame->len;
	ret->segment = rx->frame_max;
	ret->time = frame->time;
	ret->dropped = frame->dropped;
	ret->from = *frame->from;
	memcpy(ret->to, frame->data, ret->len);
}

static int take_copies(struct tw_rx *rx, int timeout_ms, struct tw_rx_bundle *bundles, unsigned int n)
{
	struct tw_rx_frame frame;
	unsigned int taken = 0;
	int code = tw_rx__next(rx, timeout_ms, &frame);

	while (code == 1) {
		copy_frame(rx, &frame, &bundles[taken++]);
		code = taken < n ? tw_rx__next(rx, 0, &frame) : 0;
	}
	if (!taken)
		return code;
	rx->code = code;
	return (int)taken;
}

int tw_rx__take(struct tw_rx *rx, int timeout_ms, struct tw_rx_bundle *bundles, unsigned int n)
{
	const int code = rx->code;

	rx->code = 0;
	if (code)
		return code;
	return rx->ops->take ? rx->ops->take(rx, timeout_ms, bundles, n) : take_copies(rx, timeout_ms, bundles, n);
}
