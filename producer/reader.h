/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader thread: some CPUs' rings, one frame writer, one loop. Each round takes the time T, reads every ring to its end and sends the
 * WATERMARK T. The pause between rounds follows the rate: reads of barely filled sub-buffers are what costs, so few events are
 * fetched soon, many in bulk, and the sub-buffer being filled waits for the next round if it fills fast. After some empty rounds
 * the reader sleeps until the kernel has something. Where frames have to wait for room, the ring scheduler reads rings in step.
 */
#ifndef TW_READER_H
#define TW_READER_H

#include <pthread.h>
#include <stdatomic.h>

#include "producer/filtering/event_filter.h"
#include "producer/frame_writer.h"
#include "producer/ring.h"
#include "producer/ring_scheduler.h"
#include "producer/tasks.h"
#include "producer/trace_clock.h"

/* What else the thread does in each round; for the one reader that sends the control channel. */
struct tw_round {
	void (*before)(void *ctx, uint64_t now); /* before the rings are read */
	/*
	 * After the rings were read. All threads have read all events older than @watermark, but for late ones: once this returns, nothing
	 * is placed before that, or before an earlier time that it sets. Return: how long the next round may wait at most, ns
	 */
	uint64_t (*after)(void *ctx, uint64_t now, uint64_t *watermark);
	void *ctx;
	int fd; /* an eventfd that is readable when the next round has to begin at once */
};

struct tw_reader {
	pthread_t thread;
	bool started;
	struct tw_frame_writer writer;
	struct tw_trace_ring *rings; /* n_rings of them, borrowed */
	size_t n_rings;
	uint8_t *page;
	size_t page_size;              /* of the sub-buffers, bytes */
	size_t ring_size;              /* bytes */
	uint64_t min_pause, max_pause; /* ns */
	struct tw_ring_scheduler scheduler;
	struct tw_round round;
	struct tw_producer_channel
		*control;            /* the watermark has its number too; NULL but for the thread with a round */
	const struct tw_reader *all; /* n_all of them, this one included */
	unsigned int n_all;
	const struct tw_trace_clock *clock;
	struct tw_producer_tasks *tasks;
	struct tw_seen_addresses addresses;
	struct tw_event_filter_hazard hazard;
	const atomic_bool *stop;
	_Atomic uint64_t *newest;    /* time of the newest event that any reader has sent */
	int wake_fd;                 /* eventfd, readable when stop was set */
	_Atomic uint64_t read_until; /* it has read all older events of its rings */
	uint64_t control_watermark;  /* of the control channel: the earliest of all readers; UINT64_MAX = no bound */
	uint64_t sent_watermark;     /* the last one, of the rings */
	uint64_t sent_control_watermark; /* the last one, of the control channel */
	uint64_t heartbeat;              /* when the next watermark is due even if nothing happened */
	uint64_t bytes_per_ms;           /* smoothed */
	unsigned int empty_rounds;
	pthread_mutex_t stats_lock;      /* of what follows */
	struct tw_sink_stats sink_stats; /* when last asked */
	uint64_t next_stats;             /* when to ask again: a sink may have to ask the kernel */
	_Atomic int err;
};

/** tw_reader__loop() - rounds until stop is set or the sink or a ring broke */
void tw_reader__loop(struct tw_reader *reader);

/**
 * tw_reader__finish() - after the loop and with tracing off: some of what is left in the rings; the last is not flushed
 * Return: whether there may be more; to be called for all readers in turn.
 */
bool tw_reader__finish(struct tw_reader *reader);

/**
 * tw_reader__send_watermark() - say that nothing older than @time follows on this thread's channels
 * @writer: the reader's own; another's only while no threads run
 */
void tw_reader__send_watermark(struct tw_reader *reader, struct tw_frame_writer *writer, uint64_t time);

/** tw_reader__others_read_until() - the earliest read_until of the other threads; UINT64_MAX = there are none */
uint64_t tw_reader__others_read_until(const struct tw_reader *reader);

/** tw_reader__ask_sink() - how many frames have left; by the thread whose sink it is */
void tw_reader__ask_sink(struct tw_reader *reader);

/** tw_reader__sink_stats() - what the sink said when asked last. Any thread */
void tw_reader__sink_stats(struct tw_reader *reader, struct tw_sink_stats *ret);

/** tw_reader__fini() - free what the reader owns: neither its sink nor its rings */
void tw_reader__fini(struct tw_reader *reader);

#endif
