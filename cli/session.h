/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run of the producer, from its start to the summary: common to `live`, `record` and `stream`. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "cli/outcome.h"
#include "cli/run_options.h"
#include "producer/producer.h"

/* The destination of frames, in which the three commands differ. */
struct session_output {
	/* Connects to a destination, and sets the options that depend on it. Called before the trace instance is created; may be NULL. */
	int (*connect)(void *ctx, struct tw_producer_options *options, struct tw_error *error);
	/* Opens the output; called after the trace instance was created, before anything is traced. */
	int (*open)(void *ctx, struct tw_producer *producer, struct tw_error *error);
	int (*open_sink)(void *ctx, unsigned int thread, struct tw_sink **ret, struct tw_error *error);
	/* The callback open_questions of struct tw_producer_options; may be NULL. */
	int (*open_requests)(void *ctx, struct tw_receiver **ret, struct tw_error *error);
	/* The callback refused of struct tw_producer_options; may be NULL. */
	void (*refused)(void *ctx, uint16_t why);
	/* The callback joined of struct tw_producer_options; may be NULL. */
	bool (*joined)(void *ctx);
	/* Called after tracing and the command have started: prints the destination of the events; may be NULL. */
	void (*started)(void *ctx);
	/*
	 * Called about every 100 ms between `started` and the end of tracing. Return: whether the run shall end. May be NULL.
	 */
	bool (*tick)(void *ctx);
	/* Called when the producer has sent its last frame; not called if tracing or the command could not start. May be NULL. */
	int (*finish)(void *ctx, struct tw_error *error);
	/* Adds the output's numbers and file to @outcome, for the short lines; may be NULL. */
	void (*add_outcome)(void *ctx, const struct tw_producer_counters *counters, struct outcome *outcome);
	/* With --verbose, prints the output's lines of the summary, below the producer's accounting; may be NULL. */
	void (*summarize)(void *ctx, const struct tw_producer_counters *counters);
	/*
	 * Closes the output; called last, even if the output was opened only in part or not at all. The run's trace instance still exists
	 * then, if it was made: it shows that the run is alive, so no cleanup removes objects named after the instance. May be NULL.
	 */
	int (*close)(void *ctx, struct tw_error *error);
};

/**
 * session__run() - trace until the command ends, a stop is requested or something fails; then print what happened to the events
 * @defaults: producer options that the caller determines; run_config__producer() sets the other options from @config
 * @command: command to be run while tracing, NULL-terminated; an empty list = none
 *
 * Return: exit status, with @error filled if something went wrong.
 */
int session__run(const struct run_config *config, const struct tw_producer_options *defaults, char **command,
		 const struct session_output *output, void *ctx, struct tw_error *error);

#endif
