/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct tw_producer, shared by producer.c and setup.c. */
#ifndef TW_PRODUCER_IMPL_H
#define TW_PRODUCER_IMPL_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "clocks/card_stamps.h"
#include "clocks/time_sync_responder.h"
#include "producer/filtering/filtering.h"
#include "producer/metadata_sender.h"
#include "producer/producer.h"
#include "producer/reader.h"

struct tw_producer {
	const struct tw_producer_options *options;
	struct tw_instance *instance;
	struct tw_tracer *tracer;
	struct tw_instance *probe; /* instance for reading a trace clock that has no clockid_t; NULL for other clocks */
	struct tw_producer_tasks *tasks;
	struct tw_trace_clock clock;
	struct tw_selection selection;
	struct tw_filtering filtering;
	struct tw_producer_stream stream;
	struct tw_hashed_pointers pointers; /* all zero = addresses are sent unchanged */
	struct tw_metadata_sender metadata;
	struct tw_socket_selected socket_names; /* of options.sockets */
	struct tw_sockets *sockets;             /* NULL = no socket events */
	struct tw_error no_sockets;  /* why there are none although some are selected; "" if that is not so */
	struct tw_trace_ring *rings; /* of all possible CPUs; if there are @sockets, each CPU has two */
	size_t n_rings, n_cpus;
	struct tw_reader *readers; /* each reads a part of the rings */
	unsigned int n_readers;
	bool own_pids; /* this process is in the initial pid namespace, so getpid() returns a global pid */

	/* state of the run */
	struct tw_card_stamps cards;                   /* used by the responder */
	struct tw_time_sync_responder *responder;      /* NULL if there is no receiver of requests */
	struct tw_time_sync_responder_stats questions; /* counters of the responder, set when the run has ended */
	pthread_mutex_t mark_lock;                     /* held by a thread while it finds its global pid */
	sem_t marked, go;
	atomic_bool stop;
	_Atomic uint64_t newest; /* time of the newest event sent by any reader */
	bool running;
	int wake_fd;
	uint64_t started_ns;
	_Atomic uint64_t stopped_ns; /* 0 until tw_producer__stop() sets it, while the readers still run */
	const char *blocked_by;      /* why the sink accepted no more frames at the end; NULL = unknown */

	/* results; @recorded and @unsure come from settle_rings(), after the rings were read to their end */
	bool settled;
	atomic_bool switched_off; /* another process switched tracing off; set while the readers run */
	uint64_t recorded;
	struct tw_unsure unsure;
};

/** tw_producer__socket_events() - Return: bits 1 << enum tw_sockts_event of the selected socket events that can pass the filter */
uint32_t tw_producer__socket_events(const struct tw_producer *p);

/**
 * tw_producer__without_sockets() - go on without the selected socket events
 * @err, @why: why they cannot be recorded
 * Return: 0, and the caller of the run was told; @err with @error filled if the run has no other events
 */
int tw_producer__without_sockets(struct tw_producer *p, int err, const struct tw_error *why, struct tw_error *error);

/** tw_producer__describe_host() - collect the attributes of HOST */
void tw_producer__describe_host(struct tw_producer *p);

#endif
