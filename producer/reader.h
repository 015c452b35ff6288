/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader thread: some CPUs' rings, one port, one loop. Each round takes the time T, reads every ring to its end and tells the
 * WATERMARK T. The pause between rounds follows the rate: reads of barely filled sub-buffers are what costs, so few events are
 * fetched soon, many in bulk, and the sub-buffer being filled waits for the next round where it fills fast. After some empty rounds
 * it sleeps until the kernel has something. Where frames have to wait for room, rings are read in step (producer/ring_scheduler.h).
 */
#ifndef TW_READER_H
#define TW_READER_H

#include <pthread.h>
#include <stdatomic.h>

#include "producer/clock.h"
#include "producer/filtering/event_filter.h"
#include "producer/frame_writer.h"
#include "producer/ring.h"
#include "producer/ring_scheduler.h"
#include "producer/tasks/tasks.h"

/* What else the thread does each round; for the one thread that keeps the control channel. */
struct tw_round {
	void (*before)(void *ctx, uint64_t now); /* the rings are read */
	/*
	 * and after. All events older than @closed have been read, by any thread, but for late ones: once this returns, nothing
	 * is placed before that, or before an earlier time that it sets. Return: how long the next round may wait at most, ns
	 */
	uint64_t (*after)(void *ctx, uint64_t now, uint64_t *closed);
	void *ctx;
	int fd; /* an eventfd that is readable when the next round is to come at once */
};

struct tw_reader {
	pthread_t thread;
	bool started;
	struct tw_frame_writer port;
	struct tw_trace_ring *rings;
	size_t n_rings;
	uint8_t *page;
	size_t page_size;              /* of the sub-buffers, bytes */
	size_t ring_size;              /* bytes */
	uint64_t min_pause, max_pause; /* ns */
	struct tw_ring_scheduler pace;
	struct tw_round round;
	struct tw_producer_channel
		*control;            /* whose number the watermark tells too; NULL but for the thread with a round */
	const struct tw_reader *all; /* n_all of them, this one included */
	unsigned int n_all;
	const struct tw_trace_clock *clock;
	struct tw_tasks *tasks;
	struct tw_seen_addresses addresses;
	struct tw_event_filter_hazard gate;
	const atomic_bool *stop;
	_Atomic uint64_t *newest; /* time of the newest event that any reader has sent */
	bool alone;               /* the only reader: while its rings are empty nothing waits for its watermark */
	int wake_fd;              /* eventfd, readable when stop was set */
	_Atomic uint64_t proven;  /* all older events of its rings have been read, and looked at */
	uint64_t closed;          /* the control channel's: of all readers the least; UINT64_MAX = no bound */
	uint64_t watermark;       /* last one told */
	uint64_t told_control;    /* the same of the control channel */
	uint64_t heartbeat;       /* when the next watermark is due even if nothing happened */
	uint64_t bytes_per_ms;    /* smoothed */
	unsigned int empty_rounds;
	pthread_mutex_t stats_lock;      /* of what follows */
	struct tw_sink_stats sink_stats; /* as last asked for */
	uint64_t next_stats;             /* when to ask again: sinks may ask the kernel */
	_Atomic int error;
};

/** tw_reader__loop() - rounds until stop is set or the sink or a ring broke */
void tw_reader__loop(struct tw_reader *reader);

/**
 * tw_reader__finish() - after the loop and with tracing off: some of what is left in the rings; the last is not flushed
 * Return: whether there may be more; to be called for all readers in turn.
 */
bool tw_reader__finish(struct tw_reader *reader);

/** tw_reader__watermark() - tell that nothing older than @time comes on this thread's channels */
void tw_reader__watermark(struct tw_reader *reader, uint64_t time);

/** tw_reader__watermark_on() - the same through another thread's port, before the threads run */
void tw_reader__watermark_on(struct tw_reader *reader, struct tw_frame_writer *port, uint64_t time);

/** tw_reader__proven_by_others() - the least of what the other threads have proven; UINT64_MAX = there are none */
uint64_t tw_reader__proven_by_others(const struct tw_reader *reader);

/** tw_reader__ask_sink() - how many frames have left; by the thread whose sink it is */
void tw_reader__ask_sink(struct tw_reader *reader);

/** tw_reader__sink_stats() - what the sink said when asked last. Any thread */
void tw_reader__sink_stats(struct tw_reader *reader, struct tw_sink_stats *ret);

/** tw_reader__fini() - close the rings, free what the reader owns, not its sink */
void tw_reader__fini(struct tw_reader *reader);

#endif
