/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire capture`: what its files share. */
#ifndef CLI_CAPTURE_H
#define CLI_CAPTURE_H

#include <stdio.h>

#include "base/json.h"
#include "cli/capture/output_options.h"
#include "cli/capture/screen.h"
#include "cli/receiver.h"
#include "cli/rejected.h"
#include "filter/filter.h"
#include "pcap-tools/clocks/capture_clock.h"
#include "producer/sync/sync.h"

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
	struct rejected *rejected;
	struct tw_sync *sync; /* what keeps this machine's clock */
	struct tw_capture_clock clock;
	struct receiver *receiver;
	struct screen screen;  /* with the status */
	unsigned int left_out; /* statuses, while standard error took nothing */
	bool told_refused;
	struct receiver_stats stats;
	uint64_t took; /* ns */
};

/** capture__check_source() - whether the options say where frames come from. Return: 0, -EINVAL */
int capture__check_source(const struct capture *capture, struct tw_error *err);

/** capture__open_rx() - what it receives from */
int capture__open_rx(const struct capture *capture, struct tw_receiver **ret, struct tw_error *err);

/**
 * capture__start() - open what it receives from and what it writes to, give up all privileges, receive from now on
 * @how: what it receives from, in words, at most @size bytes
 * Return: 0 or -errno with @err filled and nothing open.
 */
int capture__start(struct capture *capture, char *how, size_t size, struct tw_error *err);

/** capture__wait() - until somebody asks to stop, the receiver ends by itself, or the time is over; tells what is due meanwhile */
void capture__wait(struct capture *capture);

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

/** capture__print_refused_json() - an object, the value of "refused" */
void capture__print_refused_json(const struct tw_refusals *refusals, struct tw_json *json);

/** capture__print_refused() - lines for people; none if nothing was */
void capture__print_refused(const struct tw_refusals *refusals, FILE *out);

/** capture__tell_end() - the summary */
void capture__tell_end(struct capture *capture);

#endif
