/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/rx.h"

#include <string.h>

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
