/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run of the producer, from its start to the summary: common to `live`, `record` and `stream`. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "cli/run_options.h"
#include "producer/producer.h"

/* The destination of frames, in which the three commands differ. */
struct session_output {
	/* Called after the trace instance was created, before anything is traced. */
	int (*open)(void *ctx, struct tw_producer *producer, struct tw_error *error);
	int (*open_sink)(void *ctx, unsigned int thread, struct tw_sink **ret, struct tw_error *error);
	/* See the member of the same meaning in struct tw_producer_options; may be NULL. */
	int (*open_requests)(void *ctx, struct tw_receiver **ret, struct tw_error *error);
	/* See the member of the same meaning in struct tw_producer_options; may be NULL. */
	void (*refused)(void *ctx, uint16_t why);
	/* Whether a receiver may just have joined; may be NULL. */
	bool (*joined)(void *ctx);
	/* Called when tracing runs: prints where the events are; may be NULL. */
	void (*started)(void *ctx);
	/* Called when all frames are out; not called if tracing could not start. May be NULL. */
	int (*finish)(void *ctx, struct tw_error *error);
	/* Prints its lines of the summary, below the producer's accounting; may be NULL. */
	void (*summarize)(void *ctx, const struct tw_producer_counters *counters);
	/*
	 * Called last, whatever was opened, after everything has ended. The trace instance still shows that the run lives, so no cleanup
	 * removes objects named after it. May be NULL.
	 */
	int (*close)(void *ctx, struct tw_error *error);
};

/**
 * session__run() - trace until the command ends, a signal arrives or something fails; then print what happened to the events
 * @defaults: values used if the user gives none: intervals, repetition, events in a frame
 * @command: to be run and traced; its first word NULL = none
 *
 * Return: exit status, with @error filled if something went wrong.
 */
int session__run(const struct run_config *config, const struct tw_producer_options *defaults, char **command,
		 const struct session_output *output, void *ctx, struct tw_error *error);

#endif
