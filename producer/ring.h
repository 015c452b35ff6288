/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trace ring of one CPU: read() a sub-buffer, walk it, send each event, count the ring's losses. */
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

#define TW_TRACE_RING_SLOW_NS \
	(20 * TW_NS_PER_MS) /* waiting time from which on the sink counts as slower than the recording */

struct tw_trace_ring {
	struct tw_producer_channel channel;
	unsigned int cpu;
	int fd;                              /* trace_pipe_raw */
	int stats_fd;                        /* per_cpu/cpuN/stats */
	_Atomic uint64_t read;               /* events; this counter and the two below: producer/counter.h */
	_Atomic uint64_t lost;               /* reported by LOST records, where = RING */
	_Atomic uint64_t filtered;           /* events read that the event filter rejected */
	uint64_t last_time;                  /* of the last event read */
	uint64_t sent_time;                  /* of the last one that passed */
	uint64_t sent_watermark;             /* the last one */
	_Atomic uint64_t late;               /* events older than a watermark sent before (producer/counter.h) */
	uint64_t end;                        /* stop reading after this number of read or lost events; 0 = no limit */
	uint64_t leave_ns;                   /* a sub-buffer that fills within this time may wait for the next round */
	unsigned int leave_max;              /* this number of full ones may wait with it */
	uint64_t fill_ns;                    /* time from the first to the last event of the last one */
	struct tw_seen_addresses *addresses; /* the reader's; NULL = no look-ups */
	struct tw_event_filter_hazard *hazard; /* the reader's; NULL = every event passes */
	struct tw_event_filter_cpu filter_cpu;
	bool no_poll; /* poll() reports an error: not a reason to wake up */
	bool empty;   /* the last read found nothing */
	int err;

	/* A sub-buffer that is sent only in part so far: for the ring scheduler. */
	uint8_t *page;            /* buffer for it */
	bool holds;               /* there is such a sub-buffer */
	struct tw_ring_page rest; /* the part not sent yet */
	uint64_t next;            /* time of its first event */
	enum tw_ring_missed missed;
	uint64_t missed_count; /* losses before it that are not reported yet */
};

/** tw_trace_ring__open() - Return: 0; -ENODEV if that CPU has no ring; another -errno with @error filled */
int tw_trace_ring__open(struct tw_trace_ring *ring, const struct tw_instance *instance, unsigned int cpu,
			struct tw_error *error);

/**
 * tw_trace_ring__drain() - read and send what the ring has, at most @budget bytes, or until the writer has waited for
 * TW_TRACE_RING_SLOW_NS
 * @page: buffer of @page_size (the sub-buffer's size) and TW_SUBBUF_SLACK bytes
 * @round: events of this time or later may be left for the next call; if the ring fills fast, also slightly older ones; UINT64_MAX =
 * leave none
 *
 * Return: bytes of events read.
 */
size_t tw_trace_ring__drain(struct tw_trace_ring *ring, uint8_t *page, size_t page_size, size_t budget, uint64_t round,
			    struct tw_frame_writer *writer, struct tw_producer_tasks *tasks);

/** tw_trace_ring__hold() - read a sub-buffer if the ring holds none; tw_trace_ring__drain() must not be called until it is sent */
void tw_trace_ring__hold(struct tw_trace_ring *ring, size_t page_size);

/** tw_trace_ring__send_held() - send the held events that are not newer than @until. Return: their bytes */
size_t tw_trace_ring__send_held(struct tw_trace_ring *ring, uint64_t until, struct tw_frame_writer *writer,
				struct tw_producer_tasks *tasks);

/**
 * tw_trace_ring__bound() - at the end of a run: limit reading to what is recorded by now, even if tracing continues
 * Return: 0, or -errno if the kernel's counters cannot be read
 */
int tw_trace_ring__bound(struct tw_trace_ring *ring);

/**
 * tw_trace_ring__settle() - after the ring was read to its end: report all unreported losses, including events left in the ring
 * @ret: the kernel's counters
 *
 * Return: 0, or -errno if the kernel's counters cannot be read; no further losses are counted then.
 */
int tw_trace_ring__settle(struct tw_trace_ring *ring, struct tw_frame_writer *writer, struct tw_ring_stats *ret);

/**
 * tw_trace_ring__fits() - whether the kernel's counters of the settled ring equal the producer's
 *
 * They differ if another process cleared or read the ring, or if the producer skipped events or counted them twice. The counters do not
 * tell which.
 */
bool tw_trace_ring__fits(const struct tw_trace_ring *ring, const struct tw_ring_stats *stats);

/** tw_trace_ring__close() - close it; an all-zero ring is fine */
void tw_trace_ring__close(struct tw_trace_ring *ring);

#endif
