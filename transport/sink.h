/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface of destinations of frames: a veth pair, a network interface, a pcapng file, a pipe. A sink belongs to one thread; a
 * producer with several reader threads opens one for each.
 *
 * A frame is written in place: reserve a slot, build the frame in it, commit it. Committed frames are sent in order, in batches, at the
 * latest with the next flush.
 */
#ifndef TW_SINK_H
#define TW_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "wire/tracewire.h"

#define TW_SINK_FRAME_MIN 128 /* smallest frame_max of a sink for events, bytes: a header and a PART of useful size */

/* Totals since the sink was opened. sent + dropped = committed, once flush has returned 0 or after give_up. */
struct tw_sink_stats {
	uint64_t frames;         /* handed over by commit */
	uint64_t bytes;          /* of those frames, link header excluded */
	uint64_t dropped;        /* frames known not to have been sent */
	uint64_t dropped_events; /* events in these frames; metadata have none */
	uint64_t dropped_unseen; /* of dropped, frames whose drop only a counter showed: their events are not counted */
	uint64_t waits;          /* number of times that reserve had no room */
};

/** tw_sink_stats__drop() - count a complete frame that will not be sent */
static inline void tw_sink_stats__drop(struct tw_sink_stats *stats, const uint8_t *frame)
{
	stats->dropped++;
	if (frame[offsetof(struct tw_frame_hdr, source)] != TW_SOURCE_CONTROL)
		stats->dropped_events += tw_load_be16(frame + offsetof(struct tw_frame_hdr, events));
}

struct tw_sink;

struct tw_sink_ops {
	/* A slot of frame_max + TW_COPY_STEP bytes, 4-byte aligned; NULL = no room now, flush and try again. */
	void *(*reserve)(struct tw_sink *sink);
	/* Hand over the reserved slot with a complete frame of len bytes. */
	void (*commit)(struct tw_sink *sink, size_t len);
	/*
	 * Send the committed frames. Return: 0 = all were sent; -EAGAIN = back-pressure, try again; another -errno: the sink is broken.
	 */
	int (*flush)(struct tw_sink *sink);
	void (*stats)(struct tw_sink *sink, struct tw_sink_stats *ret);
	/*
	 * Give up: count committed frames that were not sent as dropped. Only stats and close may follow. NULL = no frame waits in this
	 * sink.
	 */
	void (*give_up)(struct tw_sink *sink);
	/* Frees the sink. */
	void (*close)(struct tw_sink *sink);
};

struct tw_sink {
	const struct tw_sink_ops *ops;
	size_t frame_max;       /* largest frame of a slot, bytes, without the link header; may become smaller */
	const char *how;        /* the transport, for messages: "AF_XDP, copy mode, multi-buffer" */
	size_t overhead;        /* bytes of headers before each frame */
	uint64_t padding;       /* padding bytes sent after frames, in total */
	const char *blocked_by; /* why flush returned -EAGAIN, for messages: "the link is down"; NULL = unknown */
};

/* Each calls the operation of that name; see above. */

static inline void *tw_sink__reserve(struct tw_sink *sink)
{
	return sink->ops->reserve(sink);
}

static inline void tw_sink__commit(struct tw_sink *sink, size_t len)
{
	sink->ops->commit(sink, len);
}

static inline int tw_sink__flush(struct tw_sink *sink)
{
	return sink->ops->flush(sink);
}

static inline void tw_sink__stats(struct tw_sink *sink, struct tw_sink_stats *ret)
{
	sink->ops->stats(sink, ret);
}

static inline void tw_sink__give_up(struct tw_sink *sink)
{
	if (sink->ops->give_up)
		sink->ops->give_up(sink);
}

/** tw_sink__close() - NULL is fine */
static inline void tw_sink__close(struct tw_sink *sink)
{
	if (sink)
		sink->ops->close(sink);
}

#endif
