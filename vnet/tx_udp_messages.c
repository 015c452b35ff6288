/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/tx_udp_messages.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>

/*
 * A batch costs the CPU about as much as copying 4 KB or more, at both ends. The link pays for padding, though: so an eighth, or
 * what frames of one event differ by.
 */
#define PAD_PART  8
#define PAD_BYTES 256

/* Consecutive frames that leave together. */
struct batch {
	unsigned int n;
	size_t longest, shortest;
};

/* Whether one more frame may go behind a batch: all that the batch has get padded to it. */
static bool fits(const struct batch *batch, size_t len)
{
	const size_t longest = len > batch->longest ? len : batch->longest;
	const size_t most = longest / PAD_PART > PAD_BYTES ? longest / PAD_PART : PAD_BYTES;

	return longest - batch->shortest <= most && longest * batch->n + len <= TX_UDP_BYTES;
}

static struct batch gather(const struct iovec *frames, unsigned int n, bool batches)
{
	struct batch batch = { .n = 1, .longest = frames[0].iov_len, .shortest = frames[0].iov_len };

	while (batches && batch.n < n) {
		const size_t len = frames[batch.n].iov_len;

		if (!len || !fits(&batch, len))
			break;
		batch.n++;
		if (len > batch.longest)
			batch.longest = len;
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

static void tell_segments(struct msghdr *msg, union tx_udp_segment *segment, uint16_t size)
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

static void add_message(struct tx_udp_messages *m, struct iovec *frames, const struct batch *batch)
{
	struct msghdr *msg = &m->headers[m->n].msg_hdr;

	*msg = (struct msghdr){ .msg_iov = frames, .msg_iovlen = batch->n };
	for (unsigned int i = 0; i + 1 < batch->n; i++)
		pad(&frames[i], batch->longest);
	if (batch->n > 1)
		tell_segments(msg, &m->segments[m->n], (uint16_t)batch->longest);
	m->n++;
}

void tx_udp_messages__write(struct tx_udp_messages *m, struct iovec *frames, unsigned int n, bool batches)
{
	m->n = 0;
	m->frames = frames;
	for (unsigned int at = 0; at < n;) {
		const struct batch batch = gather(frames + at, n - at, batches);

		if (batch.longest)
			add_message(m, frames + at, &batch);
		at += batch.n;
	}
}

unsigned int tx_udp_messages__frames(const struct tx_udp_messages *m, unsigned int sent)
{
	const struct msghdr *last;

	if (!sent)
		return 0;
	last = &m->headers[sent - 1].msg_hdr;
	return (unsigned int)(last->msg_iov - m->frames) + (unsigned int)last->msg_iovlen;
}
