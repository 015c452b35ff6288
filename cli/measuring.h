/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A live run whose events are not written, but measured: common to `latency`, `hist`, `top` and `sockets`. */
#ifndef CLI_MEASURING_H
#define CLI_MEASURING_H

#include "cli/outcome.h"
#include "cli/run_options.h"
#include "pcap-tools/capture/capture_filter.h"
#include "schema/schema.h"

/* What is measured, and how it is shown. While print() runs, and after end(), frame() is not called. */
struct measuring_ops {
	/* Checks, before anything is traced, whether the events of the run can be measured, by their @formats; NULL = all can */
	int (*check)(void *ctx, const struct tw_schema *formats, struct tw_error *error);
	/* Begins the measurement. @filter: the part of --filter that the measurement must evaluate; NULL = none */
	int (*begin)(void *ctx, const struct tw_filter *filter, struct tw_error *error);
	/* Takes a frame; called in another thread. */
	int (*frame)(void *ctx, const void *data, size_t len, struct tw_error *error);
	/* Completes the result, after the last frame. */
	int (*end)(void *ctx, struct tw_error *error);
	/* Prints the result of @ns since the start, or since the interval before. @clear: then begin a new result, for the next interval */
	void (*print)(void *ctx, uint64_t ns, bool clear);
	/* Writes files and notes that follow the last result; NULL = none. */
	int (*conclude)(void *ctx, struct tw_error *error);
	/* Adds to @outcome what happened to the events. */
	void (*add_outcome)(void *ctx, struct outcome *outcome);
	/* The counters of the filter that was passed to begin(). */
	const struct tw_capture_filter_stats *(*filtered)(void *ctx);
};

struct measuring {
	struct run_config run; /* of the options, with the events to be measured */
	const char *what;      /* what is measured, for the first line: "runqlat, offcpu" */
	uint64_t interval;     /* ns; 0 = one result at the end */
	uint64_t intervals;    /* number of results; 0 = until the end */
	const struct measuring_ops *ops;
	void *ctx;
};

/**
 * measuring__run() - trace the events in measuring->run.selection, and measure them
 * @command: as for session__run()
 * Return: exit status, with @error filled if something went wrong.
 */
int measuring__run(const struct measuring *measuring, char **command, struct tw_error *error);

#endif
