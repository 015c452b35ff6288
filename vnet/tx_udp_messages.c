/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/tx_udp_messages.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>

/*
 * Padding reduces the number of batches. At the sender and at the receiver, each batch costs as much CPU time as copying about 4 KB. But
 * padding also takes bandwidth. Therefore padding is limited to an eighth of the padded length. If a frame is padded to the longest frame
 * of its batch, the limit is at least PAD_BYTES, the usual difference in length between frames with one event each.
 */
#define PAD_PART  8
#define PAD_BYTES 256

/* A batch: consecutive frames that are sent together. */
struct batch {
	unsigned int n;
	size_t size;     /* length of each datagram but the last, bytes */
	size_t shortest; /* length of the shortest frame, bytes */
};

size_t tx_udp_messages__takes(size_t len, size_t max)
{
	return max - len <= max / PAD_PART ? max : len;
}

static bool may_pad(size_t len, size_t to)
{
	return to - len <= (to / PAD_PART > PAD_BYTES ? to / PAD_PART : PAD_BYTES);
}

/* Whether a frame of @len bytes may be added to a batch. If this frame is the longest one, the other frames are padded to its length. */
static bool fits(const struct batch *batch, size_t len)
{
	const size_t size = len > batch->size ? len : batch->size;

	return len && may_pad(batch->shortest, size) && size * batch->n + len <= TX_UDP_BYTES;
}

/* Gathers the frames of the next batch. The last frame of a batch may be shorter than the others, because it gets no padding. */
static struct batch gather(const struct iovec *frames, unsigned int n, size_t max, bool batches)
{
	struct batch batch = { .n = 1, .shortest = frames[0].iov_len };

	batch.size = batches ? tx_udp_messages__takes(batch.shortest, max) : batch.shortest;
	while (batches && batch.n < n && fits(&batch, frames[batch.n].iov_len)) {
		const size_t len = frames[batch.n++].iov_len;

		if (len > batch.size)
			batch.size = len;
		if (len < batch.shortest)
			batch.shortest = len;
	}
	return batch;
}

static void pad(struct iovec *frame, size_t len)
{
	memset((uint8_t *)frame->iov_base + frame->iov_len, 0, len - frame->iov_len);
	frame->iov_len = len;
}

static void set_segment_size(struct msghdr *msg, union tx_udp_segment *segment, uint16_t size)
{
	segment->header = (struct cmsghdr){
		.cmsg_level = IPPROTO_UDP,
		.cmsg_type = UDP_SEGMENT,
		.cmsg_len = CMSG_LEN(sizeof(size)),
	};
	memcpy(CMSG_DATA(&segment->header), &size, sizeof(size));
	msg->msg_control = segment;
	msg->msg_controllen = sizeof(*segment);
}

static bool are_contiguous(const struct iovec *frames, const struct batch *batch)
{
	return batch->n > 1 && (uint8_t *)frames[0].iov_base + batch->size == frames[1].iov_base;
}

static void add_message(struct tx_udp_messages *m, struct iovec *frames, const struct batch *batch)
{
	struct msghdr *msg = &m->headers[m->n].msg_hdr;
	struct iovec *piece = &m->pieces[m->n];

	for (unsigned int i = 0; i + 1 < batch->n; i++)
		pad(&frames[i], batch->size);
	*msg = (struct msghdr){ .msg_iov = frames, .msg_iovlen = batch->n };
	if (are_contiguous(frames, batch)) {
		*piece = frames[0];
		piece->iov_len = (batch->n - 1) * batch->size + frames[batch->n - 1].iov_len;
		msg->msg_iov = piece;
		msg->msg_iovlen = 1;
	}
	if (batch->n > 1)
		set_segment_size(msg, &m->segments[m->n], (uint16_t)batch->size);
}

void tx_udp_messages__write(struct tx_udp_messages *m, struct iovec *frames, unsigned int n, size_t max, bool batches)
{
	m->n = 0;
	for (unsigned int at = 0; at < n;) {
		const struct batch batch = gather(frames + at, n - at, max, batches);

		if (batch.size) {
			add_message(m, frames + at, &batch);
			m->ends[m->n++] = at + batch.n;
		}
		at += batch.n;
	}
}

unsigned int tx_udp_messages__frames(const struct tx_udp_messages *m, unsigned int sent)
{
	return sent ? m->ends[sent - 1] : 0;
}
