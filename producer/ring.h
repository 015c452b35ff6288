/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One CPU's trace ring: read() a sub-buffer, walk it, send each event, account for what the ring lost. */
#ifndef TW_TRACE_RING_H
#define TW_TRACE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/time.h"
#include "producer/cpu_stats.h"
#include "producer/filtering/event_filter.h"
#include "producer/frame_writer.h"
#include "producer/instance.h"
#include "producer/subbuf.h"
#include "producer/symbols/addresses.h"
#include "producer/tasks/tasks.h"

#define TW_TRACE_RING_SLOW_NS (20 * TW_NS_PER_MS) /* of waiting for room: a sink that is slower than what is recorded */

struct tw_trace_ring {
	struct tw_producer_channel channel;
	unsigned int cpu;
	int fd;                              /* trace_pipe_raw */
	int stats_fd;                        /* per_cpu/cpuN/stats */
	_Atomic uint64_t read;               /* events; this and the three below: base/counter.h */
	_Atomic uint64_t lost;               /* told by LOST records, where = RING */
	_Atomic uint64_t filtered;           /* events read that the gate did not let pass */
	uint64_t last_time;                  /* of the last event read */
	uint64_t sent_time;                  /* of the last one that passed */
	uint64_t watermark;                  /* last one told */
	_Atomic uint64_t late;               /* events older than that */
	uint64_t end;                        /* none is read any more once that many are read or lost; 0 = no bound */
	uint64_t leave_ns;                   /* a sub-buffer that fills within this time may wait for the next round */
	unsigned int leave_most;             /* so many full ones may wait with it */
	uint64_t fill_ns;                    /* what the last one took from its first event to its last */
	struct tw_seen_addresses *addresses; /* the reader's; NULL = none are looked up */
	struct tw_event_filter_hazard *gate; /* the reader's; NULL = everything passes */
	struct tw_event_filter_cpu gate_cpu;
	bool no_poll; /* poll() fails on it: not a reason to wake up */
	bool empty;   /* the last read found nothing more */
	int error;

	/* A sub-buffer of which not all was sent. */
	uint8_t *page;         /* room for it */
	bool holds;            /* there is one */
	struct tw_subbuf rest; /* what was not sent yet */
	uint64_t next;         /* the time of that */
	enum tw_subbuf_missed missed;
	uint64_t missed_count; /* what was lost before it, to be told */
};

/** tw_trace_ring__open() - Return: 0; -ENODEV if that CPU has no ring; another -errno with @err filled */
int tw_trace_ring__open(struct tw_trace_ring *ring, const struct tw_instance *instance, unsigned int cpu,
			struct tw_error *err);

/**
 * tw_trace_ring__drain() - read what is there and send it, at most @budget bytes, or until the port has waited for TW_TRACE_RING_SLOW_NS
 * @page: buffer of @page_size (the sub-buffer's size) and TW_SUBBUF_SLACK bytes
 * @round: events of this time or later may be left for the next call, and where it fills fast, what came shortly before;
 *         UINT64_MAX = nothing may
 *
 * Return: bytes of events read.
 */
size_t tw_trace_ring__drain(struct tw_trace_ring *ring, uint8_t *page, size_t page_size, size_t budget, uint64_t round,
			    struct tw_frame_writer *port, struct tw_tasks *tasks);

/**
 * tw_trace_ring__hold() - have a sub-buffer at hand, if there is one
 *
 * Not to be mixed with tw_trace_ring__drain() while the ring holds one.
 */
void tw_trace_ring__hold(struct tw_trace_ring *ring, size_t page_size);

/** tw_trace_ring__send_held() - the events that the ring holds and that are not newer than @until. Return: their bytes */
size_t tw_trace_ring__send_held(struct tw_trace_ring *ring, uint64_t until, struct tw_frame_writer *port,
				struct tw_tasks *tasks);

/**
 * tw_trace_ring__bound() - at the end of a run: read only what is recorded by now, whoever goes on writing
 * Return: 0, or -errno if the kernel does not say how much that is
 */
int tw_trace_ring__bound(struct tw_trace_ring *ring);

/**
 * tw_trace_ring__settle() - after the ring was read to its end: tell what was lost and not told yet, what is left in the ring included
 * @ret: the kernel's counters, for the books
 *
 * Return: 0, or -errno if the kernel's counters cannot be read; nothing more counts as lost then.
 */
int tw_trace_ring__settle(struct tw_trace_ring *ring, struct tw_frame_writer *port, struct tw_cpu_stats *ret);

/**
 * tw_trace_ring__fits() - whether the kernel's counters of the settled ring are ours
 *
 * Not if somebody else cleared or read the ring, nor if we skip events or count them twice. The counters do not tell which.
 */
bool tw_trace_ring__fits(const struct tw_trace_ring *ring, const struct tw_cpu_stats *stats);

/** tw_trace_ring__close() - an all-zero ring is fine */
void tw_trace_ring__close(struct tw_trace_ring *ring);

#endif
