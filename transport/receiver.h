/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface of receivers, the sources of frames. It is the counterpart of transport/sink.h. A capture host receives frames with
 * TPACKET_V3 or AF_XDP on a network interface, or on a UDP port. A producer receives requests with a packet socket, or with the UDP socket
 * from which it sends. A receiver belongs to one thread.
 */
#ifndef TW_RECEIVER_H
#define TW_RECEIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/tracewire.h"

/* An address without a port. Several streams may have the same address. An all-zero struct is an unknown address. */
struct tw_peer_address {
	uint8_t kind; /* enum tw_peer_kind */
	uint8_t bytes[16];
};

enum tw_peer_kind { TW_PEER_UNKNOWN, TW_PEER_IPV4, TW_PEER_IPV6, TW_PEER_ETHERNET };

#define TW_PEER_TEXT_MAX 48 /* bytes of an address as text, NUL included */

/** tw_peer_address__format() - write an address as text: 10.0.0.7, fe80::1, 52:54:00:12:34:56, or "an unknown address" */
void tw_peer_address__format(const struct tw_peer_address *source, char ret[TW_PEER_TEXT_MAX]);

/*
 * The sender of a frame, to which answers are sent. Two senders are the same if @len and all @bytes are equal. @bytes contains the sender's
 * socket address, and other data that the receiver needs to send an answer, such as a VLAN tag. Unused bytes are zero.
 */
struct tw_peer {
	uint32_t len; /* number of used bytes in @bytes */
	uint8_t bytes[48];
	struct tw_peer_address address; /* without the port */
};

/* A time stamp that a network card made. All zero = there is none. */
struct tw_card_stamp {
	uint64_t time;      /* of the card's clock, ns */
	uint32_t interface; /* index of the card's network interface */
};

struct tw_received_frame {
	const uint8_t *data; /* from the frame header on, link header excluded; any alignment */
	size_t len;          /* bytes captured, link padding included */
	/* CLOCK_REALTIME, ns: when the kernel received the frame; with AF_XDP, when the receiver found the frame in the ring */
	uint64_t time;
	uint8_t time_by;           /* source of @time: TW_STAMP_SOFTWARE or TW_STAMP_READING */
	struct tw_card_stamp card; /* when the card received the frame */
	/*
	 * Total number of frames dropped because the receiver was full, as far as known when this frame arrived. The first frame after a
	 * loss has a larger total than the frame before the loss. If this total has only a part of the loss, later totals have the rest.
	 */
	uint64_t dropped;
	const struct tw_peer *from; /* borrowed, like @data */
};

/* Frames received together from one sender. All have the same length, except that the last frame may be shorter. */
struct tw_received_batch {
	uint8_t *to;            /* the caller's memory, batch_max bytes; the frames are stored back to back */
	size_t len;             /* length of all frames together, bytes */
	size_t segment;         /* length of each frame but the last, bytes; not 0 */
	uint64_t time, dropped; /* as in struct tw_received_frame */
	uint8_t time_by;
	struct tw_card_stamp card; /* of the first frame: the card received the others later */
	struct tw_peer from;
	bool cut; /* a frame was omitted, because it was longer than the receiver's frame_max */
};

/* A transmit stamp of an answer. */
struct tw_sent_stamp {
	uint32_t cookie;           /* of the answer */
	uint8_t by;                /* TW_STAMP_SOFTWARE: @time is valid; TW_STAMP_HARDWARE: @card is valid */
	uint64_t time;             /* when the driver passed the answer to the hardware; CLOCK_REALTIME, ns */
	struct tw_card_stamp card; /* when the card sent the answer */
};

/* Totals since the receiver was opened. */
struct tw_receiver_stats {
	uint64_t frames;  /* received frames, including frames that were not handed out */
	uint64_t dropped; /* frames dropped because the receiver was full */
	/* lower bound of the number of frames dropped after the last received frame; valid once all received frames were handed out */
	uint64_t dropped_last;
};

struct tw_receiver;

struct tw_receiver_ops {
	/*
	 * Get the next frame, borrowed until the next call. Wait for it at most @timeout_ms; 0 = do not wait, -1 = wait without limit.
	 * Return: 1 with a frame; 0 after the timeout or a signal; -ENETDOWN if the interface went down (more frames may arrive after it
	 * is up again); -ENODEV if the interface was removed; another -errno.
	 */
	int (*next)(struct tw_receiver *receiver, int timeout_ms, struct tw_received_frame *ret);
	/*
	 * Wait as next() does, and copy the available frames into at most @n batches. NULL = tw_receiver__take() copies the frames that
	 * next() returns.
	 * Return: the number of batches; 0 or -errno as for next().
	 */
	int (*take)(struct tw_receiver *receiver, int timeout_ms, struct tw_received_batch *batches, unsigned int n);
	/*
	 * Send one frame to the sender @to. If @cookie is not 0, the kernel makes a transmit stamp, which sent() returns with this cookie.
	 * Return: 0; -EAGAIN if the queue is full; another -errno.
	 */
	int (*answer)(struct tw_receiver *receiver, const struct tw_peer *to, const void *frame, size_t len,
		      uint32_t cookie);
	/*
	 * Get the next transmit stamp of an answer; does not wait. A software stamp is usually available when answer() returns. If it
	 * becomes available later, as that of a card does, next() and take() may return 0 before the timeout. Stamps may be missing. NULL =
	 * the receiver gets no stamps.
	 * Return: false if no stamp is available.
	 */
	bool (*sent)(struct tw_receiver *receiver, struct tw_sent_stamp *ret);
	/*
	 * Stop receiving. Frames received before are still handed out, and frames dropped before are counted. Frames that arrive later may
	 * be handed out; if they are dropped instead, they are not counted. NULL = the receiver cannot be stopped.
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
	const char *how;  /* the method of receiving, for messages: "TPACKET_V3", "UDP port 18101, GRO" */
	int err; /* error after the frames of the last tw_receiver__take(); the next call returns it; 0 = no error */
	/*
	 * Set by the caller: answers with a cookie get transmit stamps of network cards, too. Many cards can stamp only one packet at a
	 * time, so other programs may lose stamps that they need.
	 */
	bool card_stamps;
};

/* tw_receiver__next(), answer(), sent(), stop(), stats() and close() call the operation of the same name in struct tw_receiver_ops. */

static inline int tw_receiver__next(struct tw_receiver *receiver, int timeout_ms, struct tw_received_frame *ret)
{
	return receiver->ops->next(receiver, timeout_ms, ret);
}

/**
 * tw_receiver__take() - copy available frames into the caller's batches, with take() or, if the receiver has no take(), with next()
 * A caller uses either this function or tw_receiver__next(), not both. Return: the number of batches; 0 or -errno as for next().
 */
int tw_receiver__take(struct tw_receiver *receiver, int timeout_ms, struct tw_received_batch *batches, unsigned int n);

/**
 * tw_received_batch__frame() - get the frame at offset @at of a batch
 * @at: 0 for the first frame; for each next frame, @batch->segment more
 * Return: false if there is no frame at @at. The first frame always exists, and may be empty.
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
		.time_by = batch->time_by,
		.card = at ? (struct tw_card_stamp){ 0 } : batch->card,
		.dropped = batch->dropped,
		.from = &batch->from,
	};
	return true;
}

static inline int tw_receiver__answer(struct tw_receiver *receiver, const struct tw_peer *to, const void *frame,
				      size_t len, uint32_t cookie)
{
	return receiver->ops->answer(receiver, to, frame, len, cookie);
}

static inline bool tw_receiver__sent(struct tw_receiver *receiver, struct tw_sent_stamp *ret)
{
	return receiver->ops->sent && receiver->ops->sent(receiver, ret);
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
