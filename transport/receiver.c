/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transport/receiver.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

void tw_peer_address__format(const struct tw_peer_address *address, char ret[TW_PEER_TEXT_MAX])
{
	const uint8_t *b = address->bytes;

	switch (address->kind) {
	case TW_PEER_IPV4:
		inet_ntop(AF_INET, b, ret, TW_PEER_TEXT_MAX);
		break;
	case TW_PEER_IPV6:
		inet_ntop(AF_INET6, b, ret, TW_PEER_TEXT_MAX);
		break;
	case TW_PEER_ETHERNET:
		snprintf(ret, TW_PEER_TEXT_MAX, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4], b[5]);
		break;
	default:
		snprintf(ret, TW_PEER_TEXT_MAX, "an unknown address");
	}
}

static void copy_frame(const struct tw_receiver *receiver, const struct tw_received_frame *frame,
		       struct tw_received_batch *ret)
{
	ret->cut = frame->len > receiver->frame_max;
	ret->len = ret->cut ? 0 : frame->len;
	ret->segment = receiver->frame_max;
	ret->time = frame->time;
	ret->time_by = frame->time_by;
	ret->card = frame->card;
	ret->dropped = frame->dropped;
	ret->from = *frame->from;
	memcpy(ret->to, frame->data, ret->len);
}

static int take_copies(struct tw_receiver *receiver, int timeout_ms, struct tw_received_batch *batches, unsigned int n)
{
	struct tw_received_frame frame;
	unsigned int taken = 0;
	int err = tw_receiver__next(receiver, timeout_ms, &frame);

	while (err == 1) {
		copy_frame(receiver, &frame, &batches[taken++]);
		err = taken < n ? tw_receiver__next(receiver, 0, &frame) : 0;
	}
	if (!taken)
		return err;
	receiver->err = err;
	return (int)taken;
}

int tw_receiver__take(struct tw_receiver *receiver, int timeout_ms, struct tw_received_batch *batches, unsigned int n)
{
	const int err = receiver->err;

	receiver->err = 0;
	if (err)
		return err;
	return receiver->ops->take ? receiver->ops->take(receiver, timeout_ms, batches, n)
				   : take_copies(receiver, timeout_ms, batches, n);
}
