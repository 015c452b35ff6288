/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader thread reads the rings of some CPUs in rounds and sends frames through one frame writer. A round begins at time T, reads the
 * rings and sends a WATERMARK if one is due. The watermark is at most T minus the slack of the clock (producer/trace_clock.h). It is
 * earlier if a ring was not read to its end.
 *
 * The pause between rounds grows with the event rate, because the main cost at high rates would be reading barely filled sub-buffers.
 * Longer pauses let the sub-buffers fill. A sub-buffer that fills fast is left for the next round. After several empty rounds the reader
 * sleeps until the kernel has events, metadata is due, or a time limit has passed. If frames have to wait for room in the sink, the ring
 * scheduler reads the rings in equal steps of time.
 */
#ifndef TW_READER_H
#define TW_READER_H

#include <pthread.h>
#include <stdatomic.h>

#include "producer/filtering/event_filter.h"
#include "producer/frame_writer.h"
#include "producer/metadata_sender.h"
#include "producer/ring.h"
#include "producer/ring_scheduler.h"
#include "producer/tasks.h"
#include "producer/trace_clock.h"

struct tw_reader {
	pthread_t thread;
	bool started;
	struct tw_frame_writer writer;
	struct tw_trace_ring *rings; /* array of n_rings rings, borrowed */
	size_t n_rings;
	uint8_t *page;
	size_t page_size;              /* size of the sub-buffers, bytes */
	size_t ring_size;              /* bytes */
	uint64_t min_pause, max_pause; /* ns */
	struct tw_ring_scheduler scheduler;
	struct tw_metadata_sender *metadata; /* sends the control channel; NULL in all readers but the first */
	const struct tw_reader *all;         /* array of all n_all readers, including this one */
	unsigned int n_all;
	const struct tw_trace_clock *clock;
	struct tw_producer_tasks *tasks;
	struct tw_seen_addresses addresses;
	struct tw_event_filter_hazard hazard;
	const atomic_bool *stop;
	_Atomic uint64_t *newest;    /* time of the newest event sent by any reader */
	int wake_fd;                 /* eventfd, readable when stop is set */
	_Atomic uint64_t read_until; /* all events of its rings that are older than this time were read */
	uint64_t
		control_watermark; /* limit of the control channel's watermark, from tw_metadata_sender__after(); UINT64_MAX = none */
	uint64_t sent_watermark;         /* last watermark sent for the rings */
	uint64_t sent_control_watermark; /* last watermark sent for the control channel */
	uint64_t heartbeat;              /* when the next watermark is due even without events, by the stream's clock */
	uint64_t bytes_per_ms;           /* bytes of events per ms, smoothed */
	unsigned int empty_rounds;
	pthread_mutex_t stats_lock;      /* protects sink_stats */
	struct tw_sink_stats sink_stats; /* counters of the sink at the last query */
	uint64_t next_stats;             /* when to query the sink next; a query may need a system call */
	_Atomic int err;
};

/** tw_reader__loop() - run rounds until stop is set or the sink or a ring fails */
void tw_reader__loop(struct tw_reader *reader);

/**
 * tw_reader__finish() - after the loop, with tracing off: read a part of the remaining events; frames may stay unflushed
 * Called for all readers in turn, until it returns false for all of them. Return: whether there may be more events.
 */
bool tw_reader__finish(struct tw_reader *reader);

/**
 * tw_reader__send_watermark() - send a WATERMARK: no event older than @time follows on this reader's channels, except late events
 * @writer: the writer of this reader; may be another reader's writer only while no reader thread runs
 */
void tw_reader__send_watermark(struct tw_reader *reader, struct tw_frame_writer *writer, uint64_t time);

/** tw_reader__others_read_until() - the earliest read_until of the other readers; UINT64_MAX = there are no other readers */
uint64_t tw_reader__others_read_until(const struct tw_reader *reader);

/** tw_reader__ask_sink() - query the sink's counters and store them; called by the thread that owns the sink */
void tw_reader__ask_sink(struct tw_reader *reader);

/** tw_reader__sink_stats() - get the sink's counters of the last query. Called by any thread */
void tw_reader__sink_stats(struct tw_reader *reader, struct tw_sink_stats *ret);

/** tw_reader__fini() - free what the reader owns; its sink and its rings are borrowed */
void tw_reader__fini(struct tw_reader *reader);

#endif
