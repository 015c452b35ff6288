/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where frames come from: an interface by TPACKET_V3 or AF_XDP, a UDP port. All have this one shape, the counterpart of
 * transport/sink.h. A receiver belongs to one thread.
 */
#ifndef TW_RECEIVER_H
#define TW_RECEIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An address alone, which many streams may share. All zero = not known. */
struct tw_rx_source {
	uint8_t kind; /* enum tw_rx_source_kind */
	uint8_t bytes[16];
};

enum tw_rx_source_kind { TW_RX_SOURCE_UNKNOWN, TW_RX_SOURCE_IPV4, TW_RX_SOURCE_IPV6, TW_RX_SOURCE_ETHERNET };

#define TW_RX_SOURCE_TEXT_MAX 48

/** tw_rx_source__format() - as text: 10.0.0.7, fe80::1, 52:54:00:12:34:56 */
void tw_rx_source__format(const struct tw_rx_source *source, char ret[TW_RX_SOURCE_TEXT_MAX]);

/*
 * Who sent a frame, to be answered: a socket address of the receiver's kind, and what else it takes to answer; the rest is zero.
 * Equal bytes are one sender.
 */
struct tw_rx_peer {
	uint32_t len;
	uint8_t bytes[48];
	struct tw_rx_source source; /* of it, the address alone */
};

struct tw_rx_frame {
	const uint8_t *data; /* from the frame header on, link header excluded; any alignment */
	size_t len;          /* bytes captured, link padding included */
	uint64_t time;       /* when the kernel received it, ns of CLOCK_REALTIME */
	/*
	 * Frames that had found the receiver full, as far as was known when this one came. It grows between the frames before and
	 * behind a loss; some of what it grows by may be told later.
	 */
	uint64_t dropped;
	const struct tw_rx_peer *from; /* borrowed as data is */
};

/* Frames that came together from one sender: all of one length, of which the last may be shorter. */
struct tw_rx_bundle {
	uint8_t *
		to; /* the caller's: where they go, one behind the other; room for what a bundle of the receiver takes */
	size_t len;     /* of all, bytes */
	size_t segment; /* of one; not 0 */
	uint64_t time, dropped;
	struct tw_rx_peer from;
	bool cut; /* a frame is longer than the receiver's frame_max, and not here */
};

/* Totals since the receiver was opened. */
struct tw_rx_stats {
	uint64_t frames;  /* handed out or still to be; those that their taker left aside included */
	uint64_t dropped; /* that found the receiver full */
	/* of these, at least, behind the last frame that was handed out: once all that there was has been */
	uint64_t dropped_last;
};

struct tw_rx;

struct tw_rx_ops {
	/*
	 * The next frame, borrowed until the next call; waits for it @timeout_ms, 0 = not at all, -1 = for ever.
	 * Return: 1 with a frame; 0 when the time is over or a signal came; -ENETDOWN when the interface went down (more may
	 * come when it is up again); -ENODEV when it vanished.
	 */
	int (*next)(struct tw_rx *rx, int timeout_ms, struct tw_rx_frame *ret);
	/*
	 * The same, copied: what is there, @n bundles at most. NULL = nothing is gained over next.
	 * Return: as next, or how many.
	 */
	int (*take)(struct tw_rx *rx, int timeout_ms, struct tw_rx_bundle *bundles, unsigned int n);
	/* Send one frame back. Return: 0 or -errno; a full queue is -EAGAIN. */
	int (*answer)(struct tw_rx *rx, const struct tw_rx_peer *to, const void *frame, size_t len);
	/*
	 * Frames that come from now on need not be handed out, and are not counted as dropped: of those that came before, all are. NULL = it
	 * goes on.
	 */
	void (*stop)(struct tw_rx *rx);
	/* Return: 0 or -errno */
	int (*stats)(struct tw_rx *rx, struct tw_rx_stats *ret);
	void (*close)(struct tw_rx *rx);
};

struct tw_rx {
	const struct tw_rx_ops *ops;
	size_t frame_max;  /* no longer frame is to be expected, bytes; tw_rx__take() leaves longer ones out */
	size_t bundle_max; /* what a bundle takes; 0 = frame_max */
	const char *how;   /* in words a user knows: "TPACKET_V3", "UDP port 18101, GRO" */
	int code;          /* of tw_rx__take(): said by its next call */
};

/* What each does stands at its operation above. */

static inline int tw_rx__next(struct tw_rx *rx, int timeout_ms, struct tw_rx_frame *ret)
{
	return rx->ops->next(rx, timeout_ms, ret);
}

/** tw_rx__take() - bundles into memory of the caller's, also from a receiver that only lends frames; instead of tw_rx__next() */
int tw_rx__take(struct tw_rx *rx, int timeout_ms, struct tw_rx_bundle *bundles, unsigned int n);

/** tw_rx_bundle__frame() - the frame that is @at bytes behind the first; the next one is a segment further. Return: false if there is none */
static inline bool tw_rx_bundle__frame(const struct tw_rx_bundle *bundle, size_t at, struct tw_rx_frame *ret)
{
	if (at && at >= bundle->len)
		return false;
	*ret = (struct tw_rx_frame){
		.data = bundle->to + at,
		.len = bundle->len - at < bundle->segment ? bundle->len - at : bundle->segment,
		.time = bundle->time,
		.dropped = bundle->dropped,
		.from = &bundle->from,
	};
	return true;
}

static inline int tw_rx__answer(struct tw_rx *rx, const struct tw_rx_peer *to, const void *frame, size_t len)
{
	return rx->ops->answer(rx, to, frame, len);
}

static inline void tw_rx__stop(struct tw_rx *rx)
{
	if (rx->ops->stop)
		rx->ops->stop(rx);
}

static inline int tw_rx__stats(struct tw_rx *rx, struct tw_rx_stats *ret)
{
	return rx->ops->stats(rx, ret);
}

/** tw_rx__close() - NULL is fine */
static inline void tw_rx__close(struct tw_rx *rx)
{
	if (rx)
		rx->ops->close(rx);
}

#endif
