/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trace ring of one CPU: read() a sub-buffer, walk it, send each event, count what the ring lost. */
#ifndef TW_TRACE_RING_H
#define TW_TRACE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/time.h"
#include "producer/filtering/event_filter.h"
#include "producer/frame_writer.h"
#include "producer/instance.h"
#include "producer/native_ring.h"
#include "producer/symbols.h"
#include "producer/tasks.h"

#define TW_TRACE_RING_SLOW_NS (20 * TW_NS_PER_MS) /* of waiting for room: the sink takes less than is recorded */

struct tw_trace_ring {
	struct tw_producer_channel channel;
	unsigned int cpu;
	int fd;                    /* trace_pipe_raw */
	int stats_fd;              /* per_cpu/cpuN/stats */
	_Atomic uint64_t read;     /* events; this and the two below: producer/counter.h */
	_Atomic uint64_t lost;     /* reported by LOST records, where = RING */
	_Atomic uint64_t filtered; /* events read that the event filter rejected */
	uint64_t last_time;        /* of the last event read */
	uint64_t sent_time;        /* of the last one that passed */
	uint64_t sent_watermark;   /* the last one */
	_Atomic uint64_t late;     /* events older than that (producer/counter.h) */
	uint64_t end;              /* nothing more is read once this many events are read or lost; 0 = no bound */
	uint64_t leave_ns;         /* a sub-buffer that fills within this time may wait for the next round */
	unsigned int leave_max;    /* this many full ones may wait with it */
	uint64_t fill_ns;          /* what the last one took from its first event to its last */
	struct tw_seen_addresses *addresses;   /* the reader's; NULL = none are looked up */
	struct tw_event_filter_hazard *hazard; /* the reader's; NULL = everything passes */
	struct tw_event_filter_cpu filter_cpu;
	bool no_poll; /* poll() fails on it: not a reason to wake up */
	bool empty;   /* the last read found nothing more */
	int err;

	/* A sub-buffer of which a part was not sent yet: for the ring scheduler. */
	uint8_t *page;            /* room for it */
	bool holds;               /* there is one */
	struct tw_ring_page rest; /* that part */
	uint64_t next;            /* time of its first event */
	enum tw_ring_missed missed;
	uint64_t missed_count; /* what was lost before it, to be reported */
};

/** tw_trace_ring__open() - Return: 0; -ENODEV if that CPU has no ring; another -errno with @error filled */
int tw_trace_ring__open(struct tw_trace_ring *ring, const struct tw_instance *instance, unsigned int cpu,
			struct tw_error *error);

/**
 * tw_trace_ring__drain() - read what is there and send it, at most @budget bytes, or until the writer has waited for TW_TRACE_RING_SLOW_NS
 * @page: buffer of @page_size (the sub-buffer's size) and TW_SUBBUF_SLACK bytes
 * @round: events of this time or later may be left for the next call, and where it fills fast, what came shortly before;
 *         UINT64_MAX = nothing may
 *
 * Return: bytes of events read.
 */
size_t tw_trace_ring__drain(struct tw_trace_ring *ring, uint8_t *page, size_t page_size, size_t budget, uint64_t round,
			    struct tw_frame_writer *writer, struct tw_producer_tasks *tasks);

/** tw_trace_ring__hold() - read a sub-buffer, if the ring holds none; tw_trace_ring__drain() must not be called until it is sent */
void tw_trace_ring__hold(struct tw_trace_ring *ring, size_t page_size);

/** tw_trace_ring__send_held() - the events that the ring holds and that are not newer than @until. Return: their bytes */
size_t tw_trace_ring__send_held(struct tw_trace_ring *ring, uint64_t until, struct tw_frame_writer *writer,
				struct tw_producer_tasks *tasks);

/**
 * tw_trace_ring__bound() - at the end of a run: read only what is recorded by now, even if tracing goes on
 * Return: 0, or -errno if the kernel does not say how much that is
 */
int tw_trace_ring__bound(struct tw_trace_ring *ring);

/**
 * tw_trace_ring__settle() - after the ring was read to its end: report what was lost and not reported yet, including what is left in the ring
 * @ret: the kernel's counters
 *
 * Return: 0, or -errno if the kernel's counters cannot be read; nothing more counts as lost then.
 */
int tw_trace_ring__settle(struct tw_trace_ring *ring, struct tw_frame_writer *writer, struct tw_ring_stats *ret);

/**
 * tw_trace_ring__fits() - whether the kernel's counters of the settled ring equal ours
 *
 * They do not if another process cleared or read the ring, or if we skip events or count them twice. The counters do not tell which.
 */
bool tw_trace_ring__fits(const struct tw_trace_ring *ring, const struct tw_ring_stats *stats);

/** tw_trace_ring__close() - an all-zero ring is fine */
void tw_trace_ring__close(struct tw_trace_ring *ring);

#endif
