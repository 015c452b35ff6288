/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by the files of `tracewire capture`. */
#ifndef CLI_CAPTURE_H
#define CLI_CAPTURE_H

#include <stdio.h>

#include "base/json.h"
#include "cli/capture/output_options.h"
#include "cli/capture/reference_option.h"
#include "cli/drop_counters.h"
#include "cli/receiver.h"
#include "clocks/capture_clock.h"
#include "clocks/step_watch.h"
#include "clocks/sync.h"
#include "filter/filter.h"

/* The status on a terminal: each status overwrites the previous one. */
struct screen {
	size_t lines; /* number of lines of the text; 0 = none is shown */
};

struct capture {
	struct output_request output; /* must be first: the options of output_group store into it */
	const char *interface, *udp, *file, *user;
	struct tw_filter *filter;
	uint64_t count;         /* --count; 0 = no limit */
	uint64_t snaplen;       /* --snapshot-length: bytes of a packet; 0 = all */
	uint64_t status;        /* --status: interval, ns; 0 = no status */
	uint64_t of_one_source; /* --streams-per-source; 0 = the default */
	uint64_t unanswered;    /* --unanswered: bytes a second of all streams that do not answer; 0 = no limit */
	bool has_unanswered;    /* --unanswered was given */
	enum tw_align align;
	bool has_align; /* --align was given */
	struct reference_option chosen_reference;
	bool xdp, packed, wall, quiet, verbose, json;
	struct drop_counters *rejected;
	struct tw_sync *sync;        /* synchronisation of this machine's clock, by NTP or PTP */
	struct tw_sync_state synced; /* the last state of @sync */
	struct tw_capture_clock clock;
	struct tw_card_stamps cards; /* used by the receiver */
	struct tw_reference reference;
	struct tw_step_watch step_watch;
	char reference_text[512]; /* describes @reference in the file; "" without --reference */
	char comment[1024];       /* of the file: about the clocks of this host; "" = none */
	struct receiver *receiver;
	struct screen screen;  /* shows the status on a terminal */
	unsigned int left_out; /* number of omitted statuses that no message has reported yet */
	bool reported_refused; /* capture__tell_first_refused() has printed its note */
	struct receiver_stats stats;
	uint64_t took; /* duration of the capture, ns */
};

/** capture__tell_begin() - report that the capture receives, unless --quiet is given; @how describes the source */
void capture__tell_begin(const struct capture *capture, const char *how);

/**
 * capture__tell_status() - print the status: with --json, one JSON object; otherwise a line for each stream or, on a terminal, a table that
 * replaces the previous one
 *
 * With --quiet, only JSON is printed. If standard error is still blocked by earlier output, the status is omitted. The next
 * printed status reports the number of omitted statuses.
 */
void capture__tell_status(struct capture *capture);

/** capture__tell_first_refused() - report on standard error, but only once, that frames were refused; print nothing with --quiet */
void capture__tell_first_refused(struct capture *capture);

/** capture__tell_end() - print the summary as text or JSON; with --quiet only JSON */
void capture__tell_end(struct capture *capture);

#endif
