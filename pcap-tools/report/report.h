/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A capture as text, one line an event, in the layout of `trace-cmd report`; or as one JSON object a line.
 *
 * Recordings are in the order of time and stream through. Captures of the wire, which a WATERMARK or a packed frame
 * tells, go through a merge first.
 */
#ifndef TW_REPORT_H
#define TW_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "pcap-tools/capture/capture_filter.h"

#define TW_REPORT_CPUS_MAX 4096 /* that can be chosen by number */

enum tw_report_time {
	TW_REPORT_CLOCK,    /* of the stream's clock */
	TW_REPORT_RELATIVE, /* since the first event printed */
	TW_REPORT_WALL,     /* CLOCK_REALTIME, as the stream's first CLOCK tells it, in local time */
};

struct tw_report_options {
	const char *const *events;      /* patterns, NULL-terminated; NULL = all */
	const uint8_t *cpus;            /* one byte a CPU, TW_REPORT_CPUS_MAX of them, 1 = wanted; NULL = all */
	const struct tw_filter *filter; /* only events that match; NULL = all */
	enum tw_report_time time;
	bool delta;     /* since the event before, too */
	bool full_time; /* nanoseconds, else rounded to microseconds */
	bool latency;   /* the layout of latency tracers, with irq and preemption flags */
	bool fields;    /* field=value instead of text */
	bool json;
	bool raw; /* texts byte for byte, not as base/printable.h has them; not for JSON */
};

/* What was printed, and what could not be. */
struct tw_report_stats {
	uint64_t packets, frames; /* read; frames are Tracewire's */
	uint64_t events;          /* in them */
	uint64_t printed;
	bool not_written;       /* the output failed: some of the events printed are not there */
	uint64_t filtered;      /* rejected by a classifier in place, on the way */
	uint64_t lost;          /* as LOST records tell */
	uint64_t lost_unknown;  /* LOST records without a count */
	uint64_t missing;       /* by their numbers, and not among those lost: dropped on the way */
	uint64_t unknown;       /* events whose format did not come; shown as bytes */
	uint64_t snapped;       /* frames of which whoever captured kept only the beginning */
	uint64_t malformed;     /* frames that cannot be read, or in part */
	uint64_t versions;      /* frames of a version not known here */
	uint64_t fallbacks;     /* events printed as field=value because their print fmt could not be compiled */
	uint64_t refused_texts; /* formats that could not be used */
	uint64_t refused_names; /* of tasks and symbols, beyond what is kept of a capture */
	uint64_t incomplete;    /* formats and the like in PARTs of which one is missing */
	char fallback[128];     /* the first event of the fallbacks, "system:event: why", printable */
	struct tw_error text;   /* why the first text was refused */
	struct tw_capture_filter_stats capture_filter;       /* events that the options' filter rejected */
	struct tw_undecided_predicates undecided_predicates; /* about that filter */
};

/**
 * tw_report__run() - print a capture
 * @in: the capture; @name is what error texts call it
 * @out: where lines go; a full pipe blocks
 * @ret: filled in any case
 *
 * Return: 0; -EBADMSG if the capture is damaged: what stood before that is printed; -EINVAL for what is no capture;
 * also for a filter that can match nothing whatsoever; -ENODATA if there are no frames in it; -EPROTONOSUPPORT if all frames are of an unknown version; -EPIPE; another
 * -errno of reading or writing.
 */
int tw_report__run(int in, const char *name, int out, const struct tw_report_options *options,
		   struct tw_report_stats *ret, struct tw_error *error);

#endif
