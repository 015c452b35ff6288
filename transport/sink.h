/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface of what frames are sent through: a virtual interface, a real one, a pcapng file, a pipe. A sink belongs to
 * one thread; a producer with several reader threads opens a sink for each.
 *
 * A frame is written in place: reserve a slot, build the frame in it, commit it. Committed frames leave in order, in
 * batches, at the latest with the next flush.
 */
#ifndef TW_SINK_H
#define TW_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "wire/tracewire.h"

#define TW_SINK_FRAME_MIN 128 /* of frame_max where events leave, bytes: a header and a PART worth sending */

/* Totals since the sink was opened. sent + dropped = committed, once flush has returned 0 or after give_up. */
struct tw_sink_stats {
	uint64_t frames;         /* handed over by commit */
	uint64_t bytes;          /* of those frames, link header excluded */
	uint64_t dropped;        /* frames of those known not to have left */
	uint64_t dropped_events; /* that were in them; metadata has none */
	uint64_t dropped_unseen; /* of dropped, frames that nobody saw: their events are not counted */
	uint64_t waits;          /* times that reserve had no room */
};

/** tw_sink_stats__drop() - this complete frame will not leave */
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
	/* Push out what was committed. 0 = all gone, -EAGAIN = back-pressure, try again; other: broken for good. */
	int (*flush)(struct tw_sink *sink);
	void (*stats)(struct tw_sink *sink, struct tw_sink_stats *ret);
	/* What was committed and has not left never will: it counts as dropped. Only stats and close may follow. NULL = nothing waits here. */
	void (*give_up)(struct tw_sink *sink);
	/* Frees the sink. */
	void (*close)(struct tw_sink *sink);
};

struct tw_sink {
	const struct tw_sink_ops *ops;
	size_t frame_max; /* largest frame a slot takes, bytes, link header excluded; may become less */
	const char *how;  /* transport in words a user knows: "AF_XDP, copy mode, multi-buffer" */
	size_t overhead;  /* bytes of headers that go in front of each frame */
	uint64_t padding; /* bytes sent behind frames, in all */
	const char
		*blocked_by; /* why flush said -EAGAIN, in words a user knows: "the link is down"; NULL = not known */
};

/* What each does stands at its operation above. */

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
