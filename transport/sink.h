/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface of sinks, the destinations of frames: for example, a network interface, a UDP socket or a recorder. A sink belongs to one
 * thread. A producer with several reader threads opens one sink for each thread.
 *
 * A frame is built in the sink's memory: reserve a slot, build the frame in it, commit the slot. Committed frames are sent in order, in
 * batches. A flush sends the remaining frames, unless the lower layer has no room for them (-EAGAIN).
 */
#ifndef TW_SINK_H
#define TW_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "wire/tracewire.h"

#define TW_SINK_FRAME_MIN 128 /* smallest frame_max of a sink for events, bytes: a frame header and a PART fit */

/* Totals since the sink was opened. After a flush that returned 0, or after give_up, frames - dropped is the number of sent frames. */
struct tw_sink_stats {
	uint64_t frames;         /* committed frames */
	uint64_t bytes;          /* bytes of committed frames, without link headers */
	uint64_t dropped;        /* committed frames known not to have been sent */
	uint64_t dropped_events; /* events in dropped frames; control frames have none */
	uint64_t dropped_unseen; /* dropped frames with an unknown number of events, which dropped_events excludes */
	uint64_t waits;          /* number of times that reserve found no room */
};

/** tw_sink_stats__drop() - count a complete frame that will not be sent, and its events */
static inline void tw_sink_stats__drop(struct tw_sink_stats *stats, const uint8_t *frame)
{
	stats->dropped++;
	if (frame[offsetof(struct tw_frame_hdr, source)] != TW_SOURCE_CONTROL)
		stats->dropped_events += tw_load_be16(frame + offsetof(struct tw_frame_hdr, events));
}

struct tw_sink;

struct tw_sink_ops {
	/* Reserve a slot of frame_max + TW_COPY_STEP bytes, 4-byte aligned. Return: NULL if there is no room; then flush, and try again */
	void *(*reserve)(struct tw_sink *sink);
	/* Return the reserved slot to the sink, with a complete frame of @len bytes. */
	void (*commit)(struct tw_sink *sink, size_t len);
	/*
	 * Send the committed frames. Return: 0 if all were sent; -EAGAIN if the lower layer has no room: the caller may try again later;
	 * another -errno if the sink can send no more frames.
	 */
	int (*flush)(struct tw_sink *sink);
	/* Get the statistics. */
	void (*stats)(struct tw_sink *sink, struct tw_sink_stats *ret);
	/*
	 * Stop sending, and count the committed frames that were not sent as dropped. Afterwards, only stats and close may be called.
	 * NULL = committed frames never wait in this sink.
	 */
	void (*give_up)(struct tw_sink *sink);
	/* Close and free the sink. */
	void (*close)(struct tw_sink *sink);
};

struct tw_sink {
	const struct tw_sink_ops *ops;
	size_t frame_max; /* largest frame that a slot can hold, bytes, without the link header; may become smaller */
	const char *how;  /* the transport, for messages: "AF_XDP, copy mode, multi-buffer" */
	size_t overhead;  /* length of the headers of lower layers before each frame, bytes */
	uint64_t padding; /* total length of the padding that was sent after frames, bytes */
	const char *blocked_by; /* why flush returned -EAGAIN, for messages: "the link is down"; NULL = unknown */
};

/* Each function calls the operation of its name in struct tw_sink_ops. */

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

/** tw_sink__close() - close and free @sink, which may be NULL */
static inline void tw_sink__close(struct tw_sink *sink)
{
	if (sink)
		sink->ops->close(sink);
}

#endif
