/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire capture`: shared by its files. */
#ifndef CLI_CAPTURE_H
#define CLI_CAPTURE_H

#include <stdio.h>

#include "base/json.h"
#include "cli/capture/output_options.h"
#include "cli/drop_counters.h"
#include "cli/receiver.h"
#include "clocks/capture_clock.h"
#include "clocks/sync.h"
#include "filter/filter.h"

/* Text at a fixed place of a terminal on standard error, which is redrawn. */
struct screen {
	size_t lines; /* lines shown */
};

struct capture {
	struct output_request output; /* must be first: for its options */
	const char *interface, *udp, *file, *user;
	struct tw_filter *filter;
	uint64_t count;         /* events; 0 = no limit */
	uint64_t snaplen;       /* bytes; 0 = all */
	uint64_t status;        /* interval, ns; 0 = none */
	uint64_t of_one_source; /* number of streams; 0 = the default */
	uint64_t unanswered;    /* bytes a second of streams that do not answer; 0 = no limit */
	bool has_unanswered;    /* set by the user */
	enum tw_align align;
	bool xdp, packed, wall, quiet, json;
	struct drop_counters *rejected;
	struct tw_sync *sync; /* what this machine's clock is synchronised to */
	struct tw_capture_clock clock;
	struct receiver *receiver;
	struct screen screen;  /* with the status */
	unsigned int left_out; /* statuses left out because standard error was full */
	bool reported_refused;
	struct receiver_stats stats;
	uint64_t took; /* ns */
};

/** capture__tell_begin() - report that it receives, and from where */
void capture__tell_begin(const struct capture *capture, const char *how);

/**
 * capture__tell_status() - print the current status: a line for each stream, or one JSON object; on a terminal a table that replaces the
 * last one
 *
 * If standard error is still full from the last status, this one is left out; the next one has the number of omitted ones.
 */
void capture__tell_status(struct capture *capture);

/** capture__tell_first_refused() - one sentence on standard error when frames are refused for the first time */
void capture__tell_first_refused(struct capture *capture);

/** capture__tell_end() - print the summary */
void capture__tell_end(struct capture *capture);

#endif
