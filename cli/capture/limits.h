/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a capture did not keep, ask or read because of a limit or without privileges: in its status and its summary. */
#ifndef CLI_CAPTURE_LIMITS_H
#define CLI_CAPTURE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "pcap-tools/archive/archive.h"

struct capture_limits {
	uint64_t early;              /* events let out before their turn, as memory was used up */
	uint64_t metadata_bytes;     /* kept now */
	uint64_t metadata_not_kept;  /* records: written each time they came, and not said again in files that follow */
	uint64_t names_forgotten;    /* of tasks: the same, from some time on */
	uint64_t metadata_in_pieces; /* values of which a piece is missing, so that they are not in the file */
	uint64_t not_asked;          /* frames of streams that are not asked for their clocks */
	bool classifiers_unread;     /* what they dropped is among the losses on the wire */
};

/** capture_limits__make() - from an archive's counters; the caller sets the last two members */
struct capture_limits capture_limits__make(const struct tw_archive_stats *stats);

/** capture_limits__print() - a line each, for people; nothing where no limit was met */
void capture_limits__print(const struct capture_limits *limits, const struct tw_ledger *ledger, FILE *out);

/** capture_limits__json() - an object with all of them, the value of "limits" */
void capture_limits__json(const struct capture_limits *limits, struct tw_json *json);

#endif
