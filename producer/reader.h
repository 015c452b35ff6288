/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader thread: the rings of some CPUs, one frame writer, one loop. Each round takes the time T, reads every ring to its end and
 * sends the WATERMARK T. The pause between rounds follows the rate, because reads of barely filled sub-buffers are the main cost: few
 * events are read soon, many in bulk, and a sub-buffer that fills fast waits for the next round. After several empty rounds the reader
 * sleeps until the kernel has events. If frames have to wait for room, the ring scheduler reads the rings in step.
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

/* Additional work in each round; for the one reader that sends the control channel. */
struct tw_round {
	void (*before)(void *ctx, uint64_t now); /* called before the rings are read */
	/*
	 * Called after the rings were read. All threads have read all events older than @watermark, except late ones. After it returns,
	 * nothing is placed before that time, or before an earlier time that it sets. Return: longest pause before the next round, ns
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
	size_t page_size;              /* size of the sub-buffers, bytes */
	size_t ring_size;              /* bytes */
	uint64_t min_pause, max_pause; /* ns */
	struct tw_ring_scheduler scheduler;
	struct tw_round round;
	struct tw_producer_channel *
		control; /* the control channel's number is in the watermark too; NULL except for the thread with a round */
	const struct tw_reader *all; /* n_all of them, including this one */
	unsigned int n_all;
	const struct tw_trace_clock *clock;
	struct tw_producer_tasks *tasks;
	struct tw_seen_addresses addresses;
	struct tw_event_filter_hazard hazard;
	const atomic_bool *stop;
	_Atomic uint64_t *newest;    /* time of the newest event that any reader has sent */
	int wake_fd;                 /* eventfd, readable when stop is set */
	_Atomic uint64_t read_until; /* all older events of its rings are read */
	uint64_t control_watermark;  /* of the control channel: the earliest of all readers; UINT64_MAX = no limit */
	uint64_t sent_watermark;     /* the last watermark of the rings */
	uint64_t sent_control_watermark; /* the last watermark of the control channel */
	uint64_t heartbeat;              /* when the next watermark is due without events */
	uint64_t bytes_per_ms;           /* smoothed */
	unsigned int empty_rounds;
	pthread_mutex_t stats_lock;      /* protects the members below */
	struct tw_sink_stats sink_stats; /* time of the last query */
	uint64_t next_stats;             /* time of the next query: a sink may need a system call */
	_Atomic int err;
};

/** tw_reader__loop() - run rounds until stop is set or the sink or a ring fails */
void tw_reader__loop(struct tw_reader *reader);

/**
 * tw_reader__finish() - read a part of what is left in the rings, after the loop and with tracing off; the last frame is not flushed
 * Return: whether there may be more; called for all readers in turn.
 */
bool tw_reader__finish(struct tw_reader *reader);

/**
 * tw_reader__send_watermark() - tell receivers that nothing older than @time follows on this thread's channels
 * @writer: the reader's; another reader's only while no threads run
 */
void tw_reader__send_watermark(struct tw_reader *reader, struct tw_frame_writer *writer, uint64_t time);

/** tw_reader__others_read_until() - the earliest read_until of the other threads; UINT64_MAX = there are no others */
uint64_t tw_reader__others_read_until(const struct tw_reader *reader);

/** tw_reader__ask_sink() - query the number of sent frames; called by the thread that owns the sink */
void tw_reader__ask_sink(struct tw_reader *reader);

/** tw_reader__sink_stats() - the sink's numbers of the last query. Called by any thread */
void tw_reader__sink_stats(struct tw_reader *reader, struct tw_sink_stats *ret);

/** tw_reader__fini() - free what the reader owns; its sink and its rings are borrowed */
void tw_reader__fini(struct tw_reader *reader);

#endif
