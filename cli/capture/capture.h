/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire capture`: what its files share. */
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

/* Text at a fixed place of a terminal on standard error, which is rewritten there. */
struct screen {
	size_t lines; /* lines shown */
};

struct capture {
	struct output_request output; /* first: for its options */
	const char *interface, *udp, *file, *user;
	struct tw_filter *filter;
	uint64_t count;         /* events; 0 = no limit */
	uint64_t snaplen;       /* bytes; 0 = all */
	uint64_t status;        /* ns between two; 0 = none */
	uint64_t of_one_source; /* streams at once; 0 = the default */
	uint64_t unanswered;    /* bytes a second, of streams that answer nothing; 0 = no limit */
	bool has_unanswered;    /* and not the default */
	enum tw_align align;
	bool xdp, packed, wall, quiet, json;
	struct drop_counters *rejected;
	struct tw_sync *sync; /* what keeps this machine's clock */
	struct tw_capture_clock clock;
	struct receiver *receiver;
	struct screen screen;  /* with the status */
	unsigned int left_out; /* statuses, while standard error took nothing */
	bool told_refused;
	struct receiver_stats stats;
	uint64_t took; /* ns */
};

/** capture__tell_begin() - that it receives, and @how */
void capture__tell_begin(const struct capture *capture, const char *how);

/**
 * capture__tell_status() - a line a stream, or one JSON object, as things stand; on a terminal a table in the place of the last
 *
 * While standard error has not taken the last one there is none, and the next sentence says how many were left out.
 */
void capture__tell_status(struct capture *capture);

/** capture__tell_first_refused() - the first time that frames were refused: one sentence on standard error */
void capture__tell_first_refused(struct capture *capture);

/** capture__tell_end() - the summary */
void capture__tell_end(struct capture *capture);

#endif
