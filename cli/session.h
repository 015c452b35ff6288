/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run of the producer, from its start to the summary: what `live`, `record` and `stream` have in common. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "cli/run_options.h"
#include "producer/producer.h"

/* Where the frames go: what tells the three commands apart. */
struct session_output {
	/* The trace instance is there and nothing is traced yet. */
	int (*open)(void *ctx, struct tw_producer *producer, struct tw_error *error);
	int (*open_sink)(void *ctx, unsigned int thread, struct tw_sink **ret, struct tw_error *error);
	/* As in struct tw_producer_options; may be NULL. */
	int (*open_requests)(void *ctx, struct tw_receiver **ret, struct tw_error *error);
	/* As in struct tw_producer_options; may be NULL. */
	void (*refused)(void *ctx, uint16_t why);
	/* Somebody may have begun to listen; may be NULL. */
	bool (*joined)(void *ctx);
	/* Tracing runs: say where to look; may be NULL. */
	void (*started)(void *ctx);
	/* All frames are out. Not called when tracing could not start. May be NULL. */
	int (*finish)(void *ctx, struct tw_error *error);
	/* Its lines of the summary, below those of the producer's books; may be NULL. */
	void (*summarize)(void *ctx, const struct tw_producer_counters *books);
	/*
	 * The last of all, whatever was opened: nothing runs any more. The trace instance still says that the run lives, so that
	 * what is named after it is nobody else's to remove. May be NULL.
	 */
	int (*close)(void *ctx, struct tw_error *error);
};

/**
 * session__run() - trace until the command ends, a signal comes or something breaks; then say what became of the events
 * @defaults: what the command wants other than the user says: intervals, repetition, events in a frame
 * @command: to be run and traced; its first word NULL = none
 *
 * Return: exit status, with @error filled if something went wrong.
 */
int session__run(const struct run_config *config, const struct tw_producer_options *defaults, char **command,
		 const struct session_output *output, void *ctx, struct tw_error *error);

#endif
