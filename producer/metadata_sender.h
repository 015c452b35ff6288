/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is said on the control channel, and when: everything at the start; names as they are learned; clocks and counters every
 * second; all metadata again for late joiners, at once for those who ask; a new schema when events appeared. Runs in the first reader thread.
 */
#ifndef TW_ANNOUNCER_H
#define TW_ANNOUNCER_H

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

struct tw_announcer {
	struct tw_control control;
	struct tw_tasks *tasks;
	struct tw_trace_clock *clock;
	struct tw_selection *selection;
	struct tw_filtering *filtering;
	struct tw_instance *instance;
	struct tw_stream *stream;
	struct tw_pointers *pointers; /* hidden in events; NULL = sent as they are */
	const struct tw_producer_options *options;
	void (*stats)(void *ctx, struct tw_control *control); /* sends STATS */
	void *stats_ctx;
	struct tw_host host;
	struct tw_sync *sync;
	struct tw_wants *wants;      /* of who asks */
	struct tw_clock_view sample; /* the last that was said */
	struct tw_texts texts;
	struct tw_symbolizer symbolizer;
	_Atomic uint64_t schemas;          /* announced (base/counter.h) */
	uint64_t closed;                   /* nothing is placed before this time of the stream's clock */
	uint64_t next_second, next_repeat; /* CLOCK_MONOTONIC: the stream's clock may be set back */
	uint64_t joined;                   /* when somebody last began to listen, by the same; 0 = long ago */
	uint64_t made_good;                /* shed control frames whose content was said again */
};

/**
 * tw_announcer__load_texts() - the texts of what is selected now, and which of their fields are addresses
 * @ret_schema: their formats, the caller's; NULL where there is no filter, which is what needs them
 *
 * Return: 0 or -errno.
 */
int tw_announcer__load_texts(struct tw_announcer *announcer, struct tw_texts *ret, struct tw_schema **ret_schema,
			     struct tw_error *err);

/** tw_announcer__start() - HOST, CLOCK, SCHEMA and COMM before the first event */
void tw_announcer__start(struct tw_announcer *announcer);

/* For struct tw_round: @ctx is the announcer. */
void tw_announcer__before(void *ctx, uint64_t now);
uint64_t tw_announcer__after(void *ctx, uint64_t now, uint64_t *closed);

/** tw_announcer__finish() - the last names and clocks */
void tw_announcer__finish(struct tw_announcer *announcer);

/** tw_announcer__last() - the last counters, and END; the frame is left open for the last watermarks. May be called again */
void tw_announcer__last(struct tw_announcer *announcer, uint64_t now);

/** tw_announcer__fini() - free what it owns: the texts, the symbols, who knows what keeps the clocks, what is wanted */
void tw_announcer__fini(struct tw_announcer *announcer);

#endif
