/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring of one CPU: reads sub-buffers, sends each event in them, and counts the events that the ring lost. The sub-buffers come from the trace
 * ring of an instance, or from a BPF ring of socket events.
 */
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
#include "producer/sockets/bpf_ring.h"
#include "producer/symbols.h"
#include "producer/tasks.h"

/* If the frame writer has waited for room this long in one round, ns, the sink counts as slower than the recording. */
#define TW_TRACE_RING_SLOW_NS (20 * TW_NS_PER_MS)

struct tw_trace_ring {
	struct tw_producer_channel channel;
	struct tw_bpf_ring *bpf;   /* NULL = a trace ring */
	int fd;                    /* trace_pipe_raw, or the doorbell of the BPF ring; for poll() */
	int stats_fd;              /* per_cpu/cpuN/stats; -1 for a BPF ring */
	_Atomic uint64_t read;     /* events read; this counter and the two below: see producer/counter.h */
	_Atomic uint64_t lost;     /* events lost by the ring, reported by LOST records with where = RING */
	_Atomic uint64_t filtered; /* events read that the event filter rejected */
	uint64_t last_time;        /* time of the last event read */
	uint64_t sent_time;        /* time of the last event that passed the event filter */
	uint64_t sent_watermark;   /* time of the last watermark sent */
	_Atomic uint64_t late;     /* events older than a watermark sent before them (producer/counter.h) */
	uint64_t end;              /* once this number of events was read or lost, stop reading; 0 = no limit */
	uint64_t leave_ns;         /* a sub-buffer that fills within this time, ns, may wait for the next round */
	unsigned int leave_max;    /* number of full sub-buffers that may wait; 0 = no sub-buffer waits */
	uint64_t fill_ns;          /* time from the first to the last event of the last sub-buffer read, ns */
	struct tw_seen_addresses *addresses;   /* set of the addresses that the reader has seen; NULL = no look-ups */
	struct tw_event_filter_hazard *hazard; /* hazard pointer of the reader; NULL = every event passes */
	struct tw_event_filter_cpu filter_cpu;
	bool no_poll; /* poll() reported POLLERR: do not poll this ring until it has events */
	bool empty;   /* the last read found no events, and no event is being written */
	int err;

	/* For the ring scheduler: a sub-buffer that has been read, but is not sent completely yet. */
	uint8_t *page;            /* buffer for the sub-buffer */
	bool holds;               /* @page contains such a sub-buffer */
	struct tw_ring_page rest; /* its events that are not sent yet */
	uint64_t next;            /* time of the first event in @rest */
	enum tw_ring_missed missed;
	/* events lost before the sub-buffer and not reported yet, if @missed is TW_MISSED_EXACT */
	uint64_t missed_count;
};

/** tw_trace_ring__open() - open the ring of a CPU. Return: 0; -ENODEV if the CPU has no ring; another -errno with @error filled */
int tw_trace_ring__open(struct tw_trace_ring *ring, const struct tw_instance *instance, unsigned int cpu,
			struct tw_error *error);

/**
 * tw_trace_ring__open_bpf() - open the BPF ring of a CPU
 * @number: of its channel; @clock: the stream's clock
 * Return: as above
 */
int tw_trace_ring__open_bpf(struct tw_trace_ring *ring, const struct tw_sockets *sockets, unsigned int cpu,
			    uint16_t number, clockid_t clock, struct tw_error *error);

/**
 * tw_trace_ring__drain() - read and send the events in the ring, until @budget bytes are read or the writer has waited for
 * TW_TRACE_RING_SLOW_NS
 * @page: buffer of @page_size + TW_NATIVE_PAGE_SLACK bytes; @page_size: size of a sub-buffer
 * @round: events of this time or later may be left for the next call; if the ring fills fast, slightly older events may be left too.
 * UINT64_MAX = leave no events
 * Return: bytes of events read.
 */
size_t tw_trace_ring__drain(struct tw_trace_ring *ring, uint8_t *page, size_t page_size, size_t budget, uint64_t round,
			    struct tw_frame_writer *writer, struct tw_producer_tasks *tasks);

/**
 * tw_trace_ring__hold() - read a sub-buffer into ring->page, unless it has one already. tw_trace_ring__send_held() must send the whole
 * sub-buffer before tw_trace_ring__drain() is called
 */
void tw_trace_ring__hold(struct tw_trace_ring *ring, size_t page_size);

/** tw_trace_ring__send_held() - send the events in ring->page that are not newer than @until. Return: bytes of these events */
size_t tw_trace_ring__send_held(struct tw_trace_ring *ring, uint64_t until, struct tw_frame_writer *writer,
				struct tw_producer_tasks *tasks);

/**
 * tw_trace_ring__bound() - at the end of a run: limit the reading to little more than the events recorded until now, so that the run ends
 * Return: 0 or -errno
 */
int tw_trace_ring__bound(struct tw_trace_ring *ring);

/**
 * tw_trace_ring__settle() - after the ring was read to its end: report all losses not reported yet, including the events left in the ring
 * @ret: the kernel's counters
 * Return: 0, or -errno if the kernel's counters cannot be read; then only losses that were already counted are reported.
 */
int tw_trace_ring__settle(struct tw_trace_ring *ring, struct tw_frame_writer *writer, struct tw_ring_stats *ret);

/**
 * tw_trace_ring__fits() - whether the kernel's counters of the settled ring equal the producer's. They differ if another process cleared,
 * resized or read the ring, or if the producer skipped events or counted them twice; the counters do not show which.
 */
bool tw_trace_ring__fits(const struct tw_trace_ring *ring, const struct tw_ring_stats *stats);

/** tw_trace_ring__close() - close the files and free the buffer; an all-zero ring is fine */
void tw_trace_ring__close(struct tw_trace_ring *ring);

#endif
