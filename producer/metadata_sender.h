/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is said on the control channel, and when: everything at the start; names as they are learned; clocks and counters every
 * second; all metadata again for late joiners, at once for those who ask; a new schema when events appeared. Runs in the first reader thread.
 */
#ifndef TW_METADATA_SENDER_H
#define TW_METADATA_SENDER_H

#include "producer/clock.h"
#include "producer/control_channel.h"
#include "producer/filtering/filtering.h"
#include "producer/host.h"
#include "producer/producer.h"
#include "producer/request_limiter.h"
#include "producer/schema_texts.h"
#include "producer/selection.h"
#include "producer/symbols/symbolizer.h"
#include "producer/sync/sync.h"
#include "producer/tasks/tasks.h"

struct tw_metadata_sender {
	struct tw_control_channel control;
	struct tw_tasks *tasks;
	struct tw_trace_clock *clock;
	struct tw_selection *selection;
	struct tw_filtering *filtering;
	struct tw_instance *instance;
	struct tw_producer_stream *stream;
	struct tw_hashed_pointers *pointers; /* hidden in events; NULL = sent as they are */
	const struct tw_producer_options *options;
	void (*stats)(void *ctx, struct tw_control_channel *control); /* sends STATS */
	void *stats_ctx;
	struct tw_host_attrs host;
	struct tw_sync *sync;
	struct tw_request_limiter *wants; /* of who asks */
	struct tw_clock_view sample;      /* the last that was said */
	struct tw_schema_texts texts;
	struct tw_symbolizer symbolizer;
	_Atomic uint64_t schemas;          /* announced (base/counter.h) */
	uint64_t closed;                   /* nothing is placed before this time of the stream's clock */
	uint64_t next_second, next_repeat; /* CLOCK_MONOTONIC: the stream's clock may be set back */
	uint64_t joined;                   /* when somebody last began to listen, by the same; 0 = long ago */
	uint64_t made_good;                /* shed control frames whose content was said again */
};

/**
 * tw_metadata_sender__load_texts() - the texts of what is selected now, and which of their fields are addresses
 * @ret_schema: their formats, the caller's; NULL where there is no filter, which is what needs them
 *
 * Return: 0 or -errno.
 */
int tw_metadata_sender__load_texts(struct tw_metadata_sender *announcer, struct tw_schema_texts *ret,
				   struct tw_schema **ret_schema, struct tw_error *err);

/** tw_metadata_sender__start() - HOST, CLOCK, SCHEMA and COMM before the first event */
void tw_metadata_sender__start(struct tw_metadata_sender *announcer);

/* For struct tw_round: @ctx is the announcer. */
void tw_metadata_sender__before(void *ctx, uint64_t now);
uint64_t tw_metadata_sender__after(void *ctx, uint64_t now, uint64_t *closed);

/** tw_metadata_sender__finish() - the last names and clocks */
void tw_metadata_sender__finish(struct tw_metadata_sender *announcer);

/** tw_metadata_sender__last() - the last counters, and END; the frame is left open for the last watermarks. May be called again */
void tw_metadata_sender__last(struct tw_metadata_sender *announcer, uint64_t now);

/** tw_metadata_sender__fini() - free what it owns: the texts, the symbols, who knows what keeps the clocks, what is wanted */
void tw_metadata_sender__fini(struct tw_metadata_sender *announcer);

#endif
