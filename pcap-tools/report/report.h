/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints a capture as text, one line for each event, in the layout of `trace-cmd report`; or as one JSON object a line.
 *
 * Recordings are in time order and are not buffered. Captures of an interface, recognised by a WATERMARK or a packed frame, are merged
 * first.
 */
#ifndef TW_REPORT_H
#define TW_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "pcap-tools/capture/capture_filter.h"

#define TW_REPORT_CPUS_MAX 4096 /* CPUs that can be selected by number */

enum tw_report_time {
	TW_REPORT_CLOCK,    /* time of the stream's clock */
	TW_REPORT_RELATIVE, /* since the first printed event */
	TW_REPORT_WALL,     /* CLOCK_REALTIME, from the stream's first CLOCK, in local time */
};

struct tw_report_options {
	const char *const *events; /* patterns, NULL-terminated; NULL = all */
	const uint8_t *cpus;       /* one byte for each CPU, TW_REPORT_CPUS_MAX of them, 1 = selected; NULL = all */
	const struct tw_filter *filter; /* only events that match; NULL = all */
	enum tw_report_time time;
	bool delta;     /* also the time since the event before */
	bool full_time; /* nanoseconds, otherwise rounded to microseconds */
	bool latency;   /* the layout of latency tracers, with irq and preemption flags */
	bool fields;    /* field=value instead of text */
	bool json;
	bool raw; /* texts byte for byte, without the escapes of base/printable.h; not for JSON */
};

/* Numbers of events that were printed, and of events that could not be. */
struct tw_report_stats {
	uint64_t packets, frames; /* packets read; of these, Tracewire's frames */
	uint64_t events;          /* events in them */
	uint64_t printed;
	bool not_written;       /* the output failed: some of the events counted as printed are missing */
	uint64_t filtered;      /* dropped by a classifier on the path, which left FILTERED */
	uint64_t lost;          /* from LOST records */
	uint64_t lost_unknown;  /* LOST records without a number */
	uint64_t missing;       /* by their numbers, without those that LOST reports: dropped on the path */
	uint64_t without_wall;  /* printed with the time of the trace clock: their stream has no wall clock */
	uint64_t unknown;       /* events whose format is unknown; shown as bytes */
	uint64_t snapped;       /* frames of which the capturing program kept only the beginning */
	uint64_t malformed;     /* frames that cannot be read, in whole or in part */
	uint64_t versions;      /* frames of an unknown version */
	uint64_t fallbacks;     /* events printed as field=value because their print fmt could not be compiled */
	uint64_t refused_texts; /* formats that could not be used */
	uint64_t refused_names; /* names of tasks and symbols beyond the limit for a capture */
	uint64_t incomplete;    /* formats and other values in PARTs of which one is missing */
	char fallback[128];     /* the first event of the fallbacks, "system:event: why", printable */
	struct tw_error text;   /* why the first format was refused */
	struct tw_capture_filter_stats capture_filter;       /* events that do not match the filter of the options */
	struct tw_undecided_predicates undecided_predicates; /* remarks about that filter */
};

/**
 * tw_report__run() - print a capture
 * @in: the capture; @name is its name in error texts
 * @out: receives the lines; a full pipe blocks
 * @ret: filled in any case
 *
 * Return: 0; -EBADMSG if the capture is damaged: everything before that is printed; -EINVAL if it is no capture, or for a filter that
 * cannot match any event; -ENODATA if it has no frames; -EPROTONOSUPPORT if all frames are of an unknown version; -EPIPE; another -errno
 * of reading or writing.
 */
int tw_report__run(int in, const char *name, int out, const struct tw_report_options *options,
		   struct tw_report_stats *ret, struct tw_error *error);

#endif
