/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The producer: reads the kernel's per-CPU trace rings and hands frames to sinks. Everything it changes in the kernel lives
 * in trace instances of its own, which the kernel itself switches off and empties when the process dies.
 *
 *     tw_producer__new()       instances, events, rings; nothing is traced yet
 *     tw_producer__start()     sends the metadata (HOST, CLOCK, SCHEMA, COMM), starts the reader threads and the tracing
 *     tw_command__run()        where a command is traced (producer/command.h)
 *     tw_producer__stop()      tracing off, rings read to their end, last records and counters sent
 *     tw_producer__counters()  what became of every event
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
	struct tw_tracer_request tracing; /* what else is recorded, and of which tasks */
	const char *clock;                /* trace clock in ns; NULL = "mono" */
	size_t buffer_kib;                /* ring per CPU; 0 = default */
	size_t subbuf_kib;                /* sub-buffer, kernel >= 6.8; 0 = what suits the latency */
	unsigned int latency_ms;          /* longest that an event waits in its ring; 0 = 20, packed 40 */
	unsigned int events_per_frame;    /* 1 for viewing and classifying; 0 = as many as fit */
	unsigned int threads;             /* readers; 0 = by the number of CPUs */
	unsigned int repeat_ms;           /* metadata again for late joiners, every so often; 0 = never, for a file */
	bool hash_pointers;               /* addresses leave the producer hashed or moved, with a key of the stream */
	bool follow;                      /* only the tasks of tw_producer__follow() and their children */
	const struct tw_filter *filter;   /* of all events, besides the requests' own; HOST has its text; NULL = none */
	bool later_stage; /* the receiver evaluates tw_producer__filter_left(); else a filter that leaves something is refused */

	/*
	 * Opens the sink of reader thread @thread, called from tw_producer__start(). The producer closes it at the end of
	 * tw_producer__stop(), after a last flush.
	 */
	int (*open_sink)(void *ctx, unsigned int thread, struct tw_sink **ret, struct tw_error *error);
	/*
	 * Opens where questions for the stream's clock come in (clocks/time_sync_responder.h), called from tw_producer__start() after the
	 * sinks. The producer closes it before them. NULL = no requests are answered.
	 */
	int (*open_questions)(void *ctx, struct tw_receiver **ret, struct tw_error *error);
	/*
	 * The receiver says that it takes nothing of the stream (enum tw_refused_why, or unknown); anybody can say so. Called
	 * in a thread of the producer's; may be NULL. Must not block.
	 */
	void (*refused)(void *ctx, uint16_t why);
	/* True when a receiver may just have joined, so that metadata is due at once; may be NULL. Must not block. */
	bool (*joined)(void *ctx);
	void *ctx;
	/*
	 * When it is over, nothing is waited for any more: what the sinks have no room for is shed, and counted. May be set while the
	 * producer stops. NULL = none.
	 */
	const struct tw_deadline *deadline;
};

/* Rings of which the kernel's counters do not fit ours, or cannot be read: another process cleared or read them, or there is a fault. */
struct tw_unsure {
	uint64_t rings;
	uint64_t read;        /* events taken out of them, by our count */
	uint64_t kernel_read; /* by the kernel's */
};

/*
 * Where the events went. recorded = delivered + lost_ring + filtered + shed + lost_tx, if balanced. What the kernel's own filters
 * reject it neither records nor counts.
 */
struct tw_producer_counters {
	uint64_t recorded; /* by the kernel: read + overwritten + refused by the ring; at least, if rings are unsure */
	uint64_t read;     /* events taken out of the rings */
	uint64_t filtered; /* of these, rejected by the producer's part of the filter; they get no number */
	uint64_t
		given_up; /* events of which a search of `matches` took more than one may, and counts as nothing found */
	uint64_t lost_ring;      /* ring overrun, or left in the ring at the end, as announced in LOST records */
	uint64_t shed;           /* the sink would not take them in time */
	uint64_t lost_tx;        /* in frames that the sink dropped, but for those of dropped_unseen */
	uint64_t delivered;      /* handed over and not known as dropped */
	uint64_t frames, bytes;  /* handed over, all kinds */
	uint64_t dropped_frames; /* by the sink */
	uint64_t dropped_unseen; /* of these, packed ones whose number of events is not known */
	uint64_t unnamed;        /* events whose task's name could not be learned */
	uint64_t late;           /* events older than a watermark sent before */
	uint64_t names;          /* COMM records sent, repetitions excluded */
	uint64_t bookkeeping_read, bookkeeping_lost;
	struct tw_time_sync_responder_stats questions; /* for the clock; after tw_producer__stop() */
	uint64_t symbols;                              /* SYMBOL records sent, repetitions excluded */
	uint64_t nameless;                             /* addresses that are printed as symbols and lie in none */
	uint64_t nameless_too_many; /* times that an address was met for which there was no room in the tables */
	bool symbols_hidden;        /* the kernel tells no addresses: kptr_restrict */
	uint64_t schemas;           /* schemas announced: 1, more if events appeared */
	bool balanced;              /* the sum holds */
	struct tw_unsure unsure;
	bool switched_off; /* tracing was off before tw_producer__stop() */
	double seconds;    /* from start to stop */
};

/* Where a filter is evaluated, in kinds of events; one may count in several. */
struct tw_filter_places {
	size_t kernel;   /* part of it or all by the kernel */
	size_t producer; /* by the producer */
	size_t later;    /* left for the receiver */
	size_t off;      /* none of them can match: not enabled */
	size_t refused;  /* the kernel does not take what it could have done; the next stages do that */
	size_t left_out; /* came into being while tracing and cannot be filtered: not enabled */
};

struct tw_producer;

/**
 * tw_producer__new() - set up the instances and the rings; nothing is traced yet
 * @options: borrowed until tw_producer__free()
 *
 * Instances of dead producers are removed first.
 *
 * Return: 0; -EINVAL for an option or filter that can't be (a usage error), -ENOENT for an event that is not there (usage too),
 * -EACCES/-EPERM without privileges, -ENODEV without tracefs, or another errno; always with a sentence in @error.
 */
int tw_producer__new(const struct tw_producer_options *options, struct tw_producer **ret, struct tw_error *error);

/** tw_producer__instance() - name of the trace instance: "tracewire-..."; owner of whatever else a run makes */
const char *tw_producer__instance(const struct tw_producer *producer);

/** tw_producer__filter_places() - where the filter is evaluated; all 0 without one. Grows when events come into being. Any thread */
void tw_producer__filter_places(struct tw_producer *producer, struct tw_filter_places *ret);

/** tw_producer__filter_left() - the filter, if the receiver has to evaluate it too; else NULL */
const struct tw_filter *tw_producer__filter_left(const struct tw_producer *producer);

/** tw_producer__threads() - how many reader threads, and so sinks, there will be */
unsigned int tw_producer__threads(const struct tw_producer *producer);

/** tw_producer__marker() - path of the trace_marker for tw_producer__follow(), in @buf. Return: @buf */
char *tw_producer__marker(const struct tw_producer *producer, char *buf, size_t size);

/**
 * tw_producer__follow() - trace only the task that wrote to the marker last and all its later children; before start
 *
 * The mark tells the task's global pid, which it cannot know itself inside a pid namespace.
 */
int tw_producer__follow(struct tw_producer *producer, struct tw_error *error);

/**
 * tw_producer__ignore() - leave a task of ours and its later children out of the trace, such as the viewer's
 * Return: 0; -ENOTSUP inside a pid namespace.
 */
int tw_producer__ignore(struct tw_producer *producer, pid_t pid);

/**
 * tw_producer__start() - open the sinks, announce, start readers and tracing
 * Return: 0, or -errno with @error filled and nothing running.
 */
int tw_producer__start(struct tw_producer *producer, struct tw_error *error);

/** tw_producer__broken() - 0 while all goes well; the -errno of a sink or ring that failed for good. Any thread may ask. */
int tw_producer__broken(const struct tw_producer *producer);

/** tw_producer__progress() - grows as long as every reader thread does its work, also if nothing comes. Any thread */
uint64_t tw_producer__progress(const struct tw_producer *producer);

/**
 * tw_producer__stop() - tracing off, rings read to the end, last frames out, threads and sinks gone
 *
 * Of each ring that is read which is in it when the threads have ended, even if tracing goes on: the rest counts as lost there.
 *
 * Return: 0, or the first -errno met, -ETIMEDOUT if something was given up as the deadline was over; the counters are valid in any case.
 */
int tw_producer__stop(struct tw_producer *producer, struct tw_error *error);

/** tw_producer__counters() - counters so far; final and settled after tw_producer__stop(). Any thread */
void tw_producer__counters(const struct tw_producer *producer, struct tw_producer_counters *ret);

/**
 * tw_producer__free() - stop if needed and remove the instances; NULL is fine
 * Return: how many instances stay, switched off, because another process has a file of them open
 */
unsigned int tw_producer__free(struct tw_producer *producer);

#endif
