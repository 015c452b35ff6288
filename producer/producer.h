/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The producer reads the kernel's per-CPU trace rings and passes frames to sinks. All its changes in the kernel are in separate
 * trace instances, which the kernel switches off and empties when the process dies.
 *
 *     tw_producer__new()       sets up instances, events and rings; nothing is traced yet
 *     tw_producer__start()     sends the metadata (HOST, CLOCK, SCHEMA, COMM), starts the reader threads and the tracing
 *     tw_command__run()        if a command is traced (producer/command.h)
 *     tw_producer__stop()      switches tracing off, reads the rings to their end, sends the last records and counters
 *     tw_producer__counters()  where every event went
 */
#ifndef TW_PRODUCER_H
#define TW_PRODUCER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/time.h"
#include "clocks/time_sync_responder.h"
#include "filter/filter.h"
#include "producer/events.h"
#include "producer/tracer/tracer.h"
#include "transport/receiver.h"
#include "transport/sink.h"

struct tw_producer_options {
	const struct tw_event_request *events;
	size_t n_events;
	struct tw_tracer_request tracing; /* which other events are recorded, and of which tasks */
	const char *clock;                /* trace clock in ns; NULL = "mono" */
	size_t buffer_kib;                /* size of each CPU's ring; 0 = default */
	size_t subbuf_kib;                /* sub-buffer size, kernel >= 6.8; 0 = derived from the latency */
	unsigned int latency_ms;          /* longest time that an event waits in its ring; 0 = 20, packed 40 */
	unsigned int events_per_frame;    /* 1 for viewers and classifiers; 0 = as many as fit */
	unsigned int threads;             /* number of reader threads; 0 = derived from the number of CPUs */
	unsigned int repeat_ms;           /* interval of repeated metadata for late receivers; 0 = never, for a file */
	bool hash_pointers;               /* addresses leave the producer hashed or moved, with a key for each stream */
	bool follow;                      /* trace only the tasks of tw_producer__follow() and their children */
	const struct tw_filter *
		filter; /* applies to all events, in addition to the requests' filters; HOST has its text; NULL = none */
	bool later_stage; /* the receiver evaluates tw_producer__filter_left(); otherwise a filter with such a part is refused */

	/*
	 * Opens the sink of reader thread @thread; called from tw_producer__start(). The producer closes it at the end of
	 * tw_producer__stop(), after a last flush.
	 */
	int (*open_sink)(void *ctx, unsigned int thread, struct tw_sink **ret, struct tw_error *error);
	/*
	 * Opens the receiver of time synchronisation requests (clocks/time_sync_responder.h); called from tw_producer__start() after the
	 * sinks. The producer closes it before them. NULL = no requests are answered.
	 */
	int (*open_questions)(void *ctx, struct tw_receiver **ret, struct tw_error *error);
	/*
	 * Called when a receiver says that it refuses the stream (enum tw_refused_why, or unknown); anybody can send that. Called in a
	 * thread of the producer; may be NULL. Must not block.
	 */
	void (*refused)(void *ctx, uint16_t why);
	/* Returns true if a receiver may just have joined, so that metadata is due at once; may be NULL. Must not block. */
	bool (*joined)(void *ctx);
	void *ctx;
	/*
	 * After it, nothing waits any more: events for which the sinks have no room are shed and counted. May be set while the producer
	 * stops. NULL = none.
	 */
	const struct tw_deadline *deadline;
};

/*
 * Rings whose kernel counters do not match the producer's or cannot be read: another process cleared or read the ring, or there is a
 * bug.
 */
struct tw_unsure {
	uint64_t rings;
	uint64_t read;        /* events read from them, counted by the producer */
	uint64_t kernel_read; /* counted by the kernel */
};

/*
 * Where the events went. recorded = delivered + lost_ring + filtered + shed + lost_tx, if balanced. The kernel neither records nor
 * counts events that its own filters reject.
 */
struct tw_producer_counters {
	uint64_t
		recorded; /* by the kernel: read + overwritten + refused by the ring; a lower bound if rings are unsure */
	uint64_t read;    /* events read from the rings */
	uint64_t filtered;       /* of these, rejected by the producer's part of the filter; they have no numbers */
	uint64_t given_up;       /* events whose `matches` search exceeded its limit; it counts as no match */
	uint64_t lost_ring;      /* ring overrun, or left in the ring at the end, as reported in LOST records */
	uint64_t shed;           /* the sink had no room in time */
	uint64_t lost_tx;        /* in frames that the sink dropped, except those of dropped_unseen */
	uint64_t delivered;      /* passed to the sink and not known as dropped */
	uint64_t frames, bytes;  /* frames passed to the sink, all kinds */
	uint64_t dropped_frames; /* by the sink */
	uint64_t dropped_unseen; /* of these, packed frames whose number of events is unknown */
	uint64_t unnamed;        /* events whose task name is unknown */
	uint64_t late;           /* events older than an earlier watermark */
	uint64_t names;          /* COMM records sent, without repetitions */
	uint64_t bookkeeping_read, bookkeeping_lost;
	struct tw_time_sync_responder_stats questions; /* of the clock; after tw_producer__stop() */
	uint64_t symbols;                              /* SYMBOL records sent, without repetitions */
	uint64_t nameless;                             /* addresses printed as symbols that lie in no symbol */
	uint64_t nameless_too_many; /* addresses for which the tables had no room; repeated ones count again */
	bool symbols_hidden;        /* the kernel hides addresses: kptr_restrict */
	uint64_t schemas;           /* schemas sent: 1, more if events were added */
	bool balanced;              /* the equation above holds */
	struct tw_unsure unsure;
	bool switched_off; /* tracing was switched off before tw_producer__stop() */
	double seconds;    /* from start to stop */
};

/* Where a filter is evaluated, as numbers of events; an event may count in several. */
struct tw_filter_places {
	size_t kernel;   /* in part or whole by the kernel */
	size_t producer; /* by the producer */
	size_t later;    /* left for the receiver */
	size_t off;      /* it cannot match: not enabled */
	size_t refused;  /* the kernel refused a part that it should be able to evaluate; a later stage does it */
	size_t left_out; /* added while tracing and cannot be filtered: not enabled */
};

struct tw_producer;

/**
 * tw_producer__new() - set up the instances and the rings; nothing is traced yet
 * @options: borrowed until tw_producer__free()
 *
 * Stale instances are removed first.
 *
 * Return: 0; -EINVAL for an invalid option or filter (a usage error), -ENOENT for an event that does not exist (a usage error too),
 * -EACCES/-EPERM without privileges, -ENODEV without tracefs, or another errno; always with a sentence in @error.
 */
int tw_producer__new(const struct tw_producer_options *options, struct tw_producer **ret, struct tw_error *error);

/** tw_producer__instance() - name of the trace instance: "tracewire-..."; it identifies the other objects of the run */
const char *tw_producer__instance(const struct tw_producer *producer);

/**
 * tw_producer__filter_places() - where the filter is evaluated; all 0 without one. Grows when events are added. Called by any thread
 */
void tw_producer__filter_places(struct tw_producer *producer, struct tw_filter_places *ret);

/** tw_producer__filter_note() - the sentence of tw_filter__ambiguous_key() for the selected events; empty if there is none */
const struct tw_error *tw_producer__filter_note(const struct tw_producer *producer);

/** tw_producer__filter_left() - the filter if the receiver has to evaluate it too, otherwise NULL */
const struct tw_filter *tw_producer__filter_left(const struct tw_producer *producer);

/** tw_producer__threads() - number of reader threads, and therefore of sinks */
unsigned int tw_producer__threads(const struct tw_producer *producer);

/** tw_producer__marker() - path of the trace_marker for tw_producer__follow(), written to @buf. Return: @buf */
char *tw_producer__marker(const struct tw_producer *producer, char *buf, size_t size);

/**
 * tw_producer__follow() - trace only the task that last wrote to the marker and all its later children; call it before start
 *
 * The mark gives the task's global pid, which a task inside a pid namespace cannot know.
 */
int tw_producer__follow(struct tw_producer *producer, struct tw_error *error);

/**
 * tw_producer__ignore() - exclude a task of the run, such as the viewer, and its later children from the trace
 * Return: 0; -ENOTSUP inside a pid namespace.
 */
int tw_producer__ignore(struct tw_producer *producer, pid_t pid);

/**
 * tw_producer__start() - open the sinks, send the metadata, start the readers and tracing
 * Return: 0, or -errno with @error filled and nothing running.
 */
int tw_producer__start(struct tw_producer *producer, struct tw_error *error);

/** tw_producer__broken() - 0, or the -errno of a sink or ring that has failed. Called by any thread. */
int tw_producer__broken(const struct tw_producer *producer);

/** tw_producer__progress() - a number that grows while every reader thread works, also without events. Called by any thread */
uint64_t tw_producer__progress(const struct tw_producer *producer);

/**
 * tw_producer__stop() - switch tracing off, read the rings to the end, send the last frames, end threads and sinks
 *
 * Each ring is read up to the events that it has when the threads have ended, even if tracing continues: later ones count as lost there.
 *
 * Return: 0, or the first -errno, -ETIMEDOUT if events were given up because of the deadline; the counters are valid in any case.
 */
int tw_producer__stop(struct tw_producer *producer, struct tw_error *error);

/** tw_producer__counters() - counters so far; final after tw_producer__stop(). Called by any thread */
void tw_producer__counters(const struct tw_producer *producer, struct tw_producer_counters *ret);

/**
 * tw_producer__free() - stop if needed and remove the instances; NULL is fine
 * Return: number of instances that stay, switched off, because another process has one of their files open
 */
unsigned int tw_producer__free(struct tw_producer *producer);

#endif
