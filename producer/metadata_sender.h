/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends the records of the control channel through the writer of the first reader: all metadata at the start; new task names and symbols in
 * each round; clocks and counters every second; clocks also as soon as one of them was set, or the machine was suspended, before the events
 * that follow; all metadata again for receivers that join late or request it; a new schema when the kernel's events have changed. Before
 * the first round of the reader threads and after their end, the main thread uses the sender. In between, the first reader thread uses it.
 */
#ifndef TW_METADATA_SENDER_H
#define TW_METADATA_SENDER_H

#include <stdatomic.h>

#include "clocks/phcs.h"
#include "clocks/step_watch.h"
#include "clocks/sync.h"
#include "producer/control_channel.h"
#include "producer/events.h"
#include "producer/filtering/filtering.h"
#include "producer/producer.h"
#include "producer/request_limiter.h"
#include "producer/schema_texts.h"
#include "producer/sockets/sockets.h"
#include "producer/symbols.h"
#include "producer/tasks.h"
#include "producer/trace_clock.h"

#define TW_HOST_HOOKS_MAX TW_SOCKET_STAGES_MAX
#define TW_HOST_ATTRS_MAX (24 + TW_HOST_HOOKS_MAX)

/* The attributes of a HOST record, which describes the host and the producer of the stream. */
struct tw_host_attrs {
	struct tw_attr_view attrs[TW_HOST_ATTRS_MAX]; /* values point into @text; the filter's text is borrowed */
	size_t n;
	size_t n_fixed; /* the first attributes, which do not change during the run */
	char text[TW_HOST_ATTRS_MAX][256];
};

/* The attributes that describe the stream; tw_host_attrs__init() adds those of the host. Texts may be NULL. */
struct tw_host_stream {
	const char *instance, *clock, *events, *filter;
	const char *no_sockets; /* why the run has none of the selected socket events */
	const struct tw_socket_stage
		*stages; /* of the socket events of the run; @n_stages, at most TW_HOST_HOOKS_MAX */
	size_t n_stages;
	uint64_t cpus;
	bool pointers_hashed;
};

/** tw_host_attrs__init() - collect the attributes; texts are cut after 255 bytes, except the filter, which is borrowed */
void tw_host_attrs__init(struct tw_host_attrs *host, const struct tw_host_stream *stream);

struct tw_metadata_sender {
	struct tw_control_channel control;
	struct tw_producer_tasks *tasks;
	struct tw_trace_clock *clock;
	struct tw_selection *selection;
	struct tw_filtering *filtering;
	struct tw_sockets *sockets; /* NULL = no socket events */
	struct tw_producer_stream *stream;
	struct tw_hashed_pointers *pointers; /* NULL = addresses are sent unchanged */
	const struct tw_producer_options *options;
	void (*stats)(void *ctx, struct tw_control_channel *control); /* sends a STATS record */
	void *stats_ctx;
	struct tw_host_attrs host;
	struct tw_sync *sync;
	bool said_denied;                /* the user was told that ptp4l may not be asked */
	uint32_t sync_ns;                /* error bound of REALTIME relative to its time source, ns; 0 = unknown */
	atomic_bool card_stamps;         /* tw_sync_state.card_stamps, for the responder */
	struct tw_phcs phcs;             /* the PTP hardware clocks that CLOCK has readings of */
	struct tw_step_watch step_watch; /* of the thread that sends */
	struct tw_request_limiter *requests;
	struct tw_clock_view sample; /* the last clock sample that was sent */
	struct tw_schema_texts texts;
	struct tw_symbolizer symbolizer;
	_Atomic uint64_t schemas;          /* schemas sent, without repetitions (producer/counter.h) */
	uint64_t watermark;                /* control frames sent later get no time before this one (stream's clock) */
	uint64_t next_second, next_repeat; /* when due, CLOCK_MONOTONIC, which is never set back */
	uint64_t joined;                   /* when a receiver last joined, CLOCK_MONOTONIC; 0 = none has joined */
	uint64_t resent;                   /* value of @control.channel.shed for which all metadata was sent again */
};

/**
 * tw_metadata_sender__load_texts() - read the format texts of the selected events and determine which fields contain addresses
 * @ret_schema: the parsed formats, owned by the caller; NULL if there is no filter, because only filters need them
 * Return: 0, or -errno with @error filled
 */
int tw_metadata_sender__load_texts(struct tw_metadata_sender *metadata, struct tw_schema_texts *ret,
				   struct tw_schema **ret_schema, struct tw_error *error);

/** tw_metadata_sender__send_host() - send HOST once more, because its attributes have changed; before the first round */
void tw_metadata_sender__send_host(struct tw_metadata_sender *metadata);

/** tw_metadata_sender__start() - send HOST, CLOCK, SCHEMA and COMM before the first event */
void tw_metadata_sender__start(struct tw_metadata_sender *metadata);

/** tw_metadata_sender__before() - send the records that are due, with the time @now; called in each round before the rings are read */
void tw_metadata_sender__before(struct tw_metadata_sender *metadata, uint64_t now);

/**
 * tw_metadata_sender__after() - send new names and symbols; called in each round after the rings were read
 * @watermark: in: all threads have read all events older than this time, except late events. Out: the same time, or, while addresses wait
 * for the first read of kallsyms, the watermark of the previous round. A later round sends the symbols of these addresses with that time
 * Return: longest pause before the next round, ns
 */
uint64_t tw_metadata_sender__after(struct tw_metadata_sender *metadata, uint64_t now, uint64_t *watermark);

/** tw_metadata_sender__finish() - send the remaining names and symbols, and a last clock sample */
void tw_metadata_sender__finish(struct tw_metadata_sender *metadata);

/**
 * tw_metadata_sender__last() - send the final counters and END. The frame of END stays open, so that watermarks can be added. May be called
 * again
 */
void tw_metadata_sender__last(struct tw_metadata_sender *metadata, uint64_t now);

/** tw_metadata_sender__fini() - free the texts, the symbols, the sync and the request limiter, close the PHCs and the step watch */
void tw_metadata_sender__fini(struct tw_metadata_sender *metadata);

#endif
