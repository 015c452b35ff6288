/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface of what receives frames: TPACKET_V3 or AF_XDP on an interface, a UDP port. The counterpart of transport/sink.h.
 * A receiver belongs to one thread.
 */
#ifndef TW_RECEIVER_H
#define TW_RECEIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An address without a port: many streams may share it. All zero = not known. */
struct tw_peer_address {
	uint8_t kind; /* enum tw_peer_kind */
	uint8_t bytes[16];
};

enum tw_peer_kind { TW_PEER_UNKNOWN, TW_PEER_IPV4, TW_PEER_IPV6, TW_PEER_ETHERNET };

#define TW_PEER_TEXT_MAX 48

/** tw_peer_address__format() - as text: 10.0.0.7, fe80::1, 52:54:00:12:34:56 */
void tw_peer_address__format(const struct tw_peer_address *source, char ret[TW_PEER_TEXT_MAX]);

/*
 * The sender of a frame, for answers: a socket address of the receiver's kind, and what else an answer needs; the rest is zero.
 * Equal bytes mean the same sender.
 */
struct tw_peer {
	uint32_t len;
	uint8_t bytes[48];
	struct tw_peer_address address; /* without the port */
};

struct tw_received_frame {
	const uint8_t *data; /* from the frame header on, link header excluded; any alignment */
	size_t len;          /* bytes captured, link padding included */
	uint64_t time;       /* when the kernel received it, ns of CLOCK_REALTIME */
	/*
	 * Frames that had found the receiver full, as far as was known when this one came. It grows between the frames before and
	 * behind a loss; some of what it grows by may be told later.
	 */
	uint64_t dropped;
	const struct tw_peer *from; /* borrowed as data is */
};

/* Frames that came together from one sender: all of one length, of which the last may be shorter. */
struct tw_received_batch {
	uint8_t *to;    /* the caller's memory: where they go, back to back; room for batch_max bytes */
	size_t len;     /* of all, bytes */
	size_t segment; /* of one; not 0 */
	uint64_t time, dropped;
	struct tw_peer from;
	bool cut; /* a frame is longer than the receiver's frame_max, and not here */
};

/* Totals since the receiver was opened. */
struct tw_receiver_stats {
	uint64_t frames;  /* handed out or still to be; those that their taker left aside included */
	uint64_t dropped; /* that found the receiver full */
	/* of these, at least, behind the last frame that was handed out: once all that there was has been */
	uint64_t dropped_last;
};

struct tw_receiver;

struct tw_receiver_ops {
	/*
	 * The next frame, borrowed until the next call; waits for it @timeout_ms, 0 = not at all, -1 = for ever.
	 * Return: 1 with a frame; 0 when the time is over or a signal came; -ENETDOWN when the interface went down (more may
	 * come when it is up again); -ENODEV when it vanished.
	 */
	int (*next)(struct tw_receiver *receiver, int timeout_ms, struct tw_received_frame *ret);
	/*
	 * The same, copied: what is there, @n batches at most. NULL = nothing is gained over next.
	 * Return: as next, or how many.
	 */
	int (*take)(struct tw_receiver *receiver, int timeout_ms, struct tw_received_batch *batches, unsigned int n);
	/* Send one frame back. Return: 0 or -errno; a full queue is -EAGAIN. */
	int (*answer)(struct tw_receiver *receiver, const struct tw_peer *to, const void *frame, size_t len);
	/*
	 * Frames that come from now on need not be handed out, and are not counted as dropped: of those that came before, all are. NULL = it
	 * goes on.
	 */
	void (*stop)(struct tw_receiver *receiver);
	/* Return: 0 or -errno */
	int (*stats)(struct tw_receiver *receiver, struct tw_receiver_stats *ret);
	void (*close)(struct tw_receiver *receiver);
};

struct tw_receiver {
	const struct tw_receiver_ops *ops;
	size_t frame_max; /* no longer frame is to be expected, bytes; tw_receiver__take() leaves longer ones out */
	size_t batch_max; /* what a batch takes; 0 = frame_max */
	const char *how;  /* in words a user knows: "TPACKET_V3", "UDP port 18101, GRO" */
	int err;          /* of tw_receiver__take(): its next call returns it */
};

/* What each does stands at its operation above. */

static inline int tw_receiver__next(struct tw_receiver *receiver, int timeout_ms, struct tw_received_frame *ret)
{
	return receiver->ops->next(receiver, timeout_ms, ret);
}

/** tw_receiver__take() - batches into memory of the caller's, also from a receiver that only lends frames; instead of tw_receiver__next() */
int tw_receiver__take(struct tw_receiver *receiver, int timeout_ms, struct tw_received_batch *batches, unsigned int n);

/** tw_received_batch__frame() - the frame that is @at bytes behind the first; the next one is a segment further. Return: false if there is none */
static inline bool tw_received_batch__frame(const struct tw_received_batch *batch, size_t at,
					    struct tw_received_frame *ret)
{
	if (at && at >= batch->len)
		return false;
	*ret = (struct tw_received_frame){
		.data = batch->to + at,
		.len = batch->len - at < batch->segment ? batch->len - at : batch->segment,
		.time = batch->time,
		.dropped = batch->dropped,
		.from = &batch->from,
	};
	return true;
}

static inline int tw_receiver__answer(struct tw_receiver *receiver, const struct tw_peer *to, const void *frame,
				      size_t len)
{
	return receiver->ops->answer(receiver, to, frame, len);
}

static inline void tw_receiver__stop(struct tw_receiver *receiver)
{
	if (receiver->ops->stop)
		receiver->ops->stop(receiver);
}

static inline int tw_receiver__stats(struct tw_receiver *receiver, struct tw_receiver_stats *ret)
{
	return receiver->ops->stats(receiver, ret);
}

/** tw_receiver__close() - NULL is fine */
static inline void tw_receiver__close(struct tw_receiver *receiver)
{
	if (receiver)
		receiver->ops->close(receiver);
}

#endif
