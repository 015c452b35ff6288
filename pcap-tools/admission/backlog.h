/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of streams that are not admitted yet, copied into a ring of bytes: what comes pushes out the oldest. A frame that is pushed
 * out or gets too old is refused, unless it was taken.
 */
#ifndef TW_BACKLOG_H
#define TW_BACKLOG_H

#include "pcap-tools/merge/merge.h"
#include "transport/receiver.h"

struct tw_backlog;

/* A frame in it. */
struct tw_backlog_frame {
	uint64_t before; /* the handle of the same stream's frame before this one; 0 = none */
	struct tw_arrival arrival;
	uint32_t len;
	uint16_t events;
	uint8_t why; /* it is refused when it goes: TW_REFUSED_* */
	bool taken;  /* it is not */
	struct tw_peer_address source;
	uint32_t room; /* internal: bytes in the ring */
};

static inline const uint8_t *tw_backlog_frame__data(const struct tw_backlog_frame *frame)
{
	return (const uint8_t *)(frame + 1);
}

/* A frame goes without having been taken. */
typedef void tw_backlog_refused(void *ctx, const struct tw_backlog_frame *frame);

/** tw_backlog__new() - @bytes: of the ring, a power of two. Return: NULL without memory */
struct tw_backlog *tw_backlog__new(size_t bytes, tw_backlog_refused *refused, void *ctx);

/** tw_backlog__free() - NULL is fine */
void tw_backlog__free(struct tw_backlog *backlog);

/**
 * tw_backlog__put() - copy a frame in
 * @frame: without room; @data has its len, at most TW_FRAME_MAX
 *
 * Return: its handle, never 0 and never that of another.
 */
uint64_t tw_backlog__put(struct tw_backlog *backlog, const struct tw_backlog_frame *frame, const uint8_t *data);

/** tw_backlog__get() - Return: NULL if it was pushed out; borrowed until the next put or expire */
struct tw_backlog_frame *tw_backlog__get(struct tw_backlog *backlog, uint64_t handle);

/** tw_backlog__expire() - frames that arrived before that go; UINT64_MAX = all */
void tw_backlog__expire(struct tw_backlog *backlog, uint64_t before);

#endif
