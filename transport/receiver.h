/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface of receivers of frames: TPACKET_V3 or AF_XDP on a network interface, or a UDP port. The counterpart of transport/sink.h.
 * A receiver belongs to one thread.
 */
#ifndef TW_RECEIVER_H
#define TW_RECEIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An address without a port, which many streams may share. All zero = unknown. */
struct tw_peer_address {
	uint8_t kind; /* enum tw_peer_kind */
	uint8_t bytes[16];
};

enum tw_peer_kind { TW_PEER_UNKNOWN, TW_PEER_IPV4, TW_PEER_IPV6, TW_PEER_ETHERNET };

#define TW_PEER_TEXT_MAX 48

/** tw_peer_address__format() - as text: 10.0.0.7, fe80::1, 52:54:00:12:34:56 */
void tw_peer_address__format(const struct tw_peer_address *source, char ret[TW_PEER_TEXT_MAX]);

/*
 * The sender of a frame, for answers: a socket address of the receiver's kind, and other data that an answer needs; the rest is zero.
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
	 * Number of frames dropped because the receiver was full, as known when this frame arrived. It grows between the frames before
	 * and after a loss; a part of the loss may become known later.
	 */
	uint64_t dropped;
	const struct tw_peer *from; /* borrowed as data is */
};

/* Frames received together from one sender. All have the same length, except that the last may be shorter. */
struct tw_received_batch {
	uint8_t *to;    /* the caller's memory for the frames, back to back: batch_max bytes */
	size_t len;     /* of all, bytes */
	size_t segment; /* of one; not 0 */
	uint64_t time, dropped;
	struct tw_peer from;
	bool cut; /* a frame was longer than the receiver's frame_max and was omitted */
};

/* Totals since the receiver was opened. */
struct tw_receiver_stats {
	uint64_t frames;  /* frames handed out or still to be handed out, including those that the caller skipped */
	uint64_t dropped; /* frames dropped because the receiver was full */
	/* of these, at least, after the last frame handed out; valid when all received frames were handed out */
	uint64_t dropped_last;
};

struct tw_receiver;

struct tw_receiver_ops {
	/*
	 * The next frame, borrowed until the next call. Waits for @timeout_ms; 0 = does not wait, -1 = without limit.
	 * Return: 1 with a frame; 0 after the timeout or a signal; -ENETDOWN when the interface went down (frames may follow when it is
	 * up again); -ENODEV when it was removed.
	 */
	int (*next)(struct tw_receiver *receiver, int timeout_ms, struct tw_received_frame *ret);
	/*
	 * Copies the frames that are available, @n batches at most. NULL = next is as fast.
	 * Return: as next, or the number of batches.
	 */
	int (*take)(struct tw_receiver *receiver, int timeout_ms, struct tw_received_batch *batches, unsigned int n);
	/* Send one frame back. Return: 0 or -errno; a full queue is -EAGAIN. */
	int (*answer)(struct tw_receiver *receiver, const struct tw_peer *to, const void *frame, size_t len);
	/*
	 * Stop receiving. Later frames need not be handed out and are not counted as dropped; all earlier frames are. NULL = reception
	 * continues.
	 */
	void (*stop)(struct tw_receiver *receiver);
	/* Return: 0 or -errno */
	int (*stats)(struct tw_receiver *receiver, struct tw_receiver_stats *ret);
	void (*close)(struct tw_receiver *receiver);
};

struct tw_receiver {
	const struct tw_receiver_ops *ops;
	size_t frame_max; /* largest expected frame, bytes; tw_receiver__take() omits longer ones */
	size_t batch_max; /* size of a batch, bytes; 0 = frame_max */
	const char *how;  /* for messages: "TPACKET_V3", "UDP port 18101, GRO" */
	int err;          /* of tw_receiver__take(): its next call returns it */
};

/* Each calls the operation of that name; see above. */

static inline int tw_receiver__next(struct tw_receiver *receiver, int timeout_ms, struct tw_received_frame *ret)
{
	return receiver->ops->next(receiver, timeout_ms, ret);
}

/** tw_receiver__take() - batches into memory of the caller's, also from a receiver that only lends frames; instead of tw_receiver__next() */
int tw_receiver__take(struct tw_receiver *receiver, int timeout_ms, struct tw_received_batch *batches, unsigned int n);

/**
 * tw_received_batch__frame() - the frame at @at bytes after the first; the next one follows after a segment. Return: false if there is
 * none
 */
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
