/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The producer reads the kernel's per-CPU trace rings and passes frames to sinks. It makes its settings in trace instances of its own,
 * which the kernel switches off and empties when the process dies. producer/tracer/top_level.h describes the exceptions.
 *
 *     tw_producer__new()       sets up instances, events and rings; nothing is traced yet
 *     tw_producer__start()     sends the metadata (HOST, CLOCK, SCHEMA, COMM), starts the reader threads and the tracing
 *     tw_command__run()        lets a traced command call exec (producer/command.h)
 *     tw_producer__stop()      switches tracing off, reads the rings to their end, sends the last records and counters
 *     tw_producer__counters()  gets the numbers of events: recorded, delivered, filtered, lost
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
#include "producer/sockets/selection.h"
#include "producer/tracer/tracer.h"
#include "transport/receiver.h"
#include "transport/sink.h"

struct tw_producer_options {
	const struct tw_event_request *events;
	size_t n_events;
	struct tw_tracer_request tracing; /* tracer, functions, trace options, stack traces; tasks and CPUs to trace */
	struct tw_socket_selection sockets;
	const char *clock;             /* trace clock in ns; NULL = "mono" */
	struct tw_words phcs;          /* PTP hardware clocks to read: names as for tw_phcs__add() (clocks/phcs.h) */
	size_t buffer_kib;             /* size of each CPU's ring; 0 = derived from the memory */
	size_t subbuf_kib;             /* sub-buffer size, kernel >= 6.8; 0 = derived from the latency */
	unsigned int latency_ms;       /* longest wait of an event in its ring; 0 = 20, or 40 for packed frames */
	unsigned int events_per_frame; /* upper limit; 1 for viewers and classifiers; 0 = as many as fit */
	unsigned int threads;          /* number of reader threads; 0 = derived from the number of CPUs */
	unsigned int repeat_ms; /* pause between repetitions of all metadata, for receivers that join late; 0 = never */
	bool hash_pointers;     /* replace virtual addresses in the stream (producer/hashed_pointers.h) */
	int own_socket;         /* connected socket of UDP with which the frames are sent; 0 = none */
	bool show_self; /* keep wake-ups and switches of the run's own tasks, and packets of its own interface, in the trace */
	bool follow; /* the caller calls tw_producer__follow(); the producer does not read this member */
	/* Filter for all events, in addition to the filters of the requests. The HOST record contains its text. NULL = none */
	const struct tw_filter *filter;
	/*
	 * True: the receiver will evaluate the filter that tw_producer__filter_left() returns. False: a filter is refused if the kernel and
	 * the producer together cannot evaluate all of it.
	 */
	bool later_stage;

	/* Opens the sink of reader thread @thread; called by tw_producer__start(). tw_producer__stop() flushes and closes the sink. */
	int (*open_sink)(void *ctx, unsigned int thread, struct tw_sink **ret, struct tw_error *error);
	/*
	 * Opens the receiver of time synchronisation requests, which can contain metadata requests and refusals
	 * (clocks/time_sync_responder.h). Called by tw_producer__start() after the sinks were opened. The producer closes the receiver
	 * before the sinks. NULL = no requests are answered.
	 */
	int (*open_questions)(void *ctx, struct tw_receiver **ret, struct tw_error *error);
	/*
	 * Called when a message says that a receiver refuses the stream; any host can send such a message. @why: enum tw_refused_why, or an
	 * unknown value. Called in a thread of the producer; must not block. May be NULL.
	 */
	void (*refused)(void *ctx, uint16_t why);
	/*
	 * Called with one sentence if a PTP hardware clock cannot be read, or not any more, or if ptp4l may not be asked. The run
	 * continues, and PHCS or SYNC of HOST has the reason. Called in any thread; must not block. May be NULL.
	 */
	void (*clock_failed)(void *ctx, const char *sentence);
	/*
	 * Called by tw_producer__new() and tw_producer__start() with one sentence for selected events that cannot be recorded, if the run
	 * goes on without them; and in any thread if fewer or more messages of sockets have events because of options.sockets.max_cpu. May
	 * be NULL.
	 */
	void (*event_left_out)(void *ctx, const char *sentence);
	/* Number of signals so far that end the run; called by any thread. One ends a start that waits. NULL = there are none */
	int (*signals)(void *ctx);
	/*
	 * Whether a receiver may have joined since the last call; if so, all metadata is sent immediately. Called only if @repeat_ms is not
	 * 0. Must not block. May be NULL.
	 */
	bool (*joined)(void *ctx);
	void *ctx;
	/*
	 * After the deadline, the producer does not wait for room in the sinks: it sheds and counts the events for which a sink has no
	 * room. The last frames have a time limit of their own (producer/frame_writer.h). The deadline may be set while the producer stops.
	 * NULL = no deadline.
	 */
	const struct tw_deadline *deadline;
};

/*
 * Rings whose counters in the kernel cannot be read, or differ from the producer's counters. They differ if another process cleared,
 * resized or read the ring, or if the producer skipped events or counted them twice.
 */
struct tw_unsure {
	uint64_t rings;
	uint64_t read;        /* events read from these rings, as counted by the producer */
	uint64_t kernel_read; /* events read from these rings, as counted by the kernel */
};

/*
 * Counters of a run. If @balanced is set, recorded = delivered + lost_ring + filtered + shed + lost_tx. The kernel neither records nor
 * counts events that its own filters reject.
 */
struct tw_producer_counters {
	/* Events recorded by the kernel: read + lost_ring. A lower bound if unsure.rings is not 0. */
	uint64_t recorded;
	uint64_t read;      /* events read from the rings */
	uint64_t filtered;  /* events read and then rejected by the event filter; they have no numbers */
	uint64_t given_up;  /* events with a `matches` search that exceeded its limit; the search counts as no match */
	uint64_t lost_ring; /* events overwritten or refused by a ring, or left in it at the end; reported by LOST */
	uint64_t shed;      /* events for which the sink had no room in time */
	uint64_t lost_tx;   /* events in dropped frames, if the number of events is known: see dropped_unseen */
	uint64_t delivered; /* events in frames passed to the sinks, without those of lost_tx */
	uint64_t frames, bytes;  /* all frames passed to the sinks, and their bytes */
	uint64_t dropped_frames; /* frames that the sinks dropped */
	uint64_t dropped_unseen; /* of dropped_frames: packed frames whose number of events is unknown */
	uint64_t
		unfollowed; /* tasks that were not selected for lack of room: their socket events are missing; not in the equation */
	uint64_t unsampled; /* messages of sockets without events, because of options.sockets; not in the equation */
	uint64_t
		thinned; /* number of times that options.sockets.max_cpu has changed the number of messages that have events */
	uint64_t unnamed;                              /* events whose task name is unknown */
	uint64_t late;                                 /* events older than a watermark that was sent before them */
	uint64_t bookkeeping_read, bookkeeping_lost;   /* events of the bookkeeping instance (producer/tasks.h) */
	uint64_t bookkeeping_unsure;                   /* bookkeeping rings whose number of lost events is unknown */
	struct tw_time_sync_responder_stats questions; /* received requests, by result; all 0 until the run ends */
	uint64_t symbols;                              /* SYMBOL records sent, without repetitions */
	uint64_t nameless; /* addresses that are printed as symbols, but lie in no symbol of kallsyms */
	/* Addresses not looked up because a set of seen addresses was full (producer/symbols.h); each occurrence in an event counts. */
	uint64_t nameless_too_many;
	bool symbols_hidden; /* kallsyms has no addresses (kptr_restrict) or cannot be read, so no symbols are sent */
	uint64_t schemas;    /* schemas sent, without repetitions: 1 + the number of times that the schema changed */
	bool balanced;       /* the equation in the comment on this struct holds */
	struct tw_unsure unsure;
	bool switched_off; /* tracing was switched off before tw_producer__stop() */
	double seconds;    /* duration of tracing until tw_producer__stop(), or until now */
};

/* The number of event types for which each stage evaluates the filter. One type can be counted in several members. */
struct tw_filter_places {
	size_t kernel;   /* the kernel evaluates the filter or a part of it */
	size_t producer; /* the reader threads evaluate the filter or a part of it */
	size_t later;    /* the receiver has to evaluate a part of the filter */
	size_t off;      /* not enabled, because the event cannot match */
	size_t refused;  /* the kernel refused its part of the filter; a later stage evaluates the part */
	size_t left_out; /* not enabled: the event was added while tracing, and its filter cannot be set */
};

struct tw_producer;

/**
 * tw_producer__new() - remove stale instances, and set up the instances and the rings of this run; nothing is traced yet
 * @options: borrowed until tw_producer__free()
 * Return: 0; -EINVAL for an invalid option or filter (a usage error), -ENOENT for an event that does not exist (also a usage error),
 * -EACCES/-EPERM without privileges, -ENODEV without tracefs, or another -errno. After each failure, @error has a sentence.
 */
int tw_producer__new(const struct tw_producer_options *options, struct tw_producer **ret, struct tw_error *error);

/**
 * tw_producer__instance() - name of the trace instance, "tracewire-..."; other objects of the run, such as veth pairs, are marked with it
 */
const char *tw_producer__instance(const struct tw_producer *producer);

/**
 * tw_producer__filter_places() - get the number of event types for which each stage evaluates the filter; all 0 without a filter. Called by
 * any thread
 */
void tw_producer__filter_places(struct tw_producer *producer, struct tw_filter_places *ret);

/**
 * tw_producer__filter_note() - a sentence for the user if a name in the filter, such as `comm`, is a key of the filter language and also a
 * field of a selected event; otherwise empty
 */
const struct tw_error *tw_producer__filter_note(const struct tw_producer *producer);

/** tw_producer__filter_left() - the filter, if the receiver has to evaluate a part of it; otherwise NULL */
const struct tw_filter *tw_producer__filter_left(const struct tw_producer *producer);

/** tw_producer__threads() - number of reader threads; each has one sink */
unsigned int tw_producer__threads(const struct tw_producer *producer);

/** tw_producer__marker() - path of the trace_marker for tw_producer__follow(), written to @buf. Return: @buf */
char *tw_producer__marker(const struct tw_producer *producer, char *buf, size_t size);

/**
 * tw_producer__follow() - trace only the task that last wrote to the file of tw_producer__marker(), and its later children
 * Call it before tw_producer__start(). With the write, the kernel records the task's global pid, its pid in the initial pid namespace. A
 * task in another pid namespace cannot know its global pid.
 * Return: 0 or -errno
 */
int tw_producer__follow(struct tw_producer *producer, struct tw_error *error);

/**
 * tw_producer__ignore() - exclude a task of the run and its later children from the trace
 * Return: 0; -ENOTSUP if this process is not in the initial pid namespace; another -errno
 */
int tw_producer__ignore(struct tw_producer *producer, pid_t pid);

/**
 * tw_producer__ignore_device() - exclude events about packets on an interface that only this run uses; call it before tw_producer__start()
 */
void tw_producer__ignore_device(struct tw_producer *producer, const char *name);

/**
 * tw_producer__add_phc_of() - also read the PTP hardware clock of the interface that the run sends to, if there is one; call it before
 * tw_producer__start()
 */
void tw_producer__add_phc_of(struct tw_producer *producer, const char *interface);

/** tw_producer__start() - open the sinks, send the metadata, start the readers and the tracing. Return: 0; -errno, and nothing runs */
int tw_producer__start(struct tw_producer *producer, struct tw_error *error);

/** tw_producer__broken() - 0, or the -errno of a sink or ring that has failed. Called by any thread. */
int tw_producer__broken(const struct tw_producer *producer);

/**
 * tw_producer__progress() - a number that grows as long as every reader thread continues its rounds, even without events. Called by any
 * thread
 */
uint64_t tw_producer__progress(const struct tw_producer *producer);

/**
 * tw_producer__stop() - switch tracing off, read the rings to the end, send the last frames, end the threads, close the sinks
 * The last read of a ring ends soon after the newest event that the ring had when the reader threads ended. If the kernel continues to
 * trace, later events are not read, and count as lost in the ring.
 * Return: 0, or the first -errno; -ETIMEDOUT if frames were given up because the sinks had no room in time. The counters are valid in any
 * case.
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
