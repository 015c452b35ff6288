/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface of receivers, the sources of frames: TPACKET_V3 or AF_XDP on a network interface, or a UDP port; for requests to a
 * producer, a packet socket or its UDP socket. It is the counterpart of transport/sink.h. A receiver belongs to one thread.
 */
#ifndef TW_RECEIVER_H
#define TW_RECEIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An address without a port. Many streams may have the same address. All zero = unknown. */
struct tw_peer_address {
	uint8_t kind; /* enum tw_peer_kind */
	uint8_t bytes[16];
};

enum tw_peer_kind { TW_PEER_UNKNOWN, TW_PEER_IPV4, TW_PEER_IPV6, TW_PEER_ETHERNET };

#define TW_PEER_TEXT_MAX 48 /* bytes of an address as text, NUL included */

/** tw_peer_address__format() - write an address as text: 10.0.0.7, fe80::1, 52:54:00:12:34:56, or "an unknown address" */
void tw_peer_address__format(const struct tw_peer_address *source, char ret[TW_PEER_TEXT_MAX]);

/*
 * The sender of a frame, to which answers are sent. Two senders are the same if @len and all @bytes are equal. @bytes has a socket address
 * of the receiver's kind, and other data that answers need; unused bytes are zero.
 */
struct tw_peer {
	uint32_t len; /* number of used bytes in @bytes */
	uint8_t bytes[48];
	struct tw_peer_address address; /* without the port */
};

struct tw_received_frame {
	const uint8_t *data; /* from the frame header on, link header excluded; any alignment */
	size_t len;          /* bytes captured, link padding included */
	/* when the kernel received the frame, ns of CLOCK_REALTIME; of a frame from an AF_XDP ring, when the receiver found it there */
	uint64_t time;
	/*
	 * Total number of frames dropped because the receiver was full, as far as known when this frame arrived. It is larger in the first
	 * frame after a loss than in the frame before it; a part of the loss may be counted in later frames.
	 */
	uint64_t dropped;
	const struct tw_peer *from; /* borrowed, like @data */
};

/* Frames received together from one sender. All have the same length, but the last frame may be shorter. */
struct tw_received_batch {
	uint8_t *to;            /* the caller's memory of batch_max bytes, for the frames back to back */
	size_t len;             /* of all frames together, bytes */
	size_t segment;         /* of each frame but the last, bytes; not 0 */
	uint64_t time, dropped; /* as in struct tw_received_frame */
	struct tw_peer from;
	bool cut; /* a frame longer than the receiver's frame_max was omitted */
};

/* Totals since the receiver was opened. */
struct tw_receiver_stats {
	uint64_t frames;  /* all frames received, whether or not they were handed out */
	uint64_t dropped; /* frames dropped because the receiver was full */
	/* lower bound of the frames dropped after the last received frame; valid when all received frames were handed out */
	uint64_t dropped_last;
};

struct tw_receiver;

struct tw_receiver_ops {
	/*
	 * Get the next frame, borrowed until the next call. Wait at most @timeout_ms for it; 0 = do not wait, -1 = no limit.
	 * Return: 1 with a frame; 0 after the timeout or a signal; -ENETDOWN if the interface went down (frames may follow when it is
	 * up again); -ENODEV if it was removed; another -errno.
	 */
	int (*next)(struct tw_receiver *receiver, int timeout_ms, struct tw_received_frame *ret);
	/*
	 * Wait as next() does, and copy the available frames into at most @n batches. A receiver has NULL here if copying the frames of
	 * next() is as fast.
	 * Return: the number of batches; 0 or -errno as next().
	 */
	int (*take)(struct tw_receiver *receiver, int timeout_ms, struct tw_received_batch *batches, unsigned int n);
	/* Send one frame to the sender @to. Return: 0; -EAGAIN if the queue is full; another -errno. */
	int (*answer)(struct tw_receiver *receiver, const struct tw_peer *to, const void *frame, size_t len);
	/*
	 * Stop receiving. Frames received so far are still handed out, and drops so far are counted. Later frames need not be handed out
	 * and are not counted as dropped. NULL = the receiver cannot be stopped.
	 */
	void (*stop)(struct tw_receiver *receiver);
	/* Get the statistics. Return: 0 or -errno */
	int (*stats)(struct tw_receiver *receiver, struct tw_receiver_stats *ret);
	/* Close and free the receiver. */
	void (*close)(struct tw_receiver *receiver);
};

struct tw_receiver {
	const struct tw_receiver_ops *ops;
	size_t frame_max; /* largest expected frame, bytes; tw_receiver__take() omits longer ones */
	size_t batch_max; /* largest size of a batch, bytes; 0 = frame_max */
	const char *how;  /* how it receives, for messages: "TPACKET_V3", "UDP port 18101, GRO" */
	int err; /* error that the next tw_receiver__take() returns, because frames preceded it; 0 = no error */
};

/* Each of these functions, except tw_received_batch__frame(), calls the operation of its name in struct tw_receiver_ops. */

static inline int tw_receiver__next(struct tw_receiver *receiver, int timeout_ms, struct tw_received_frame *ret)
{
	return receiver->ops->next(receiver, timeout_ms, ret);
}

/**
 * tw_receiver__take() - copy available frames into the caller's batches, by take() or, if the receiver does not have it, by next()
 * A caller uses either this function or tw_receiver__next(). Return: the number of batches; 0 or -errno as next().
 */
int tw_receiver__take(struct tw_receiver *receiver, int timeout_ms, struct tw_received_batch *batches, unsigned int n);

/**
 * tw_received_batch__frame() - get the frame at offset @at of a batch: 0, then one segment more for each further frame
 * Return: false after the last frame. The first frame may be empty.
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

/** tw_receiver__close() - close and free @receiver, which may be NULL */
static inline void tw_receiver__close(struct tw_receiver *receiver)
{
	if (receiver)
		receiver->ops->close(receiver);
}

#endif
