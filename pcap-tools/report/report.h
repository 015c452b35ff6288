/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints a capture as text, one line for each event, in the layout of `trace-cmd report`; or as one JSON object a line. Captures of an
 * interface are merged first (report/frames.h).
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
	TW_REPORT_RELATIVE, /* time since the first printed event */
	TW_REPORT_WALL,     /* CLOCK_REALTIME, from the stream's first CLOCK, in local time */
};

struct tw_report_options {
	const char *const *events; /* patterns of events to print, NULL-terminated; NULL = all events */
	const uint8_t *cpus; /* TW_REPORT_CPUS_MAX bytes, one per CPU: 1 = its events are printed; NULL = all CPUs */
	const struct tw_filter *filter; /* only matching events are printed; NULL = all events */
	enum tw_report_time time;
	bool delta;     /* also print the time since the line before */
	bool full_time; /* print times in nanoseconds; otherwise rounded to microseconds */
	bool latency;   /* the layout of latency tracers, with irq and preemption flags */
	bool fields;    /* print field=value instead of the text of the print fmt */
	bool json;      /* print JSON objects */
	bool raw;       /* print texts byte for byte, without the escapes of base/printable.h; JSON ignores it */
};

/* Counters of what was read, printed and not printed. */
struct tw_report_stats {
	uint64_t packets, frames; /* packets read; packets with a Tracewire frame */
	uint64_t events;          /* events in these frames */
	uint64_t printed;
	bool not_written;      /* the output failed: some of the events counted as printed are missing */
	uint64_t filtered;     /* FILTERED events: rejected by a classifier on the path */
	uint64_t lost;         /* events lost, according to LOST records */
	uint64_t lost_unknown; /* LOST records with an unknown number of events */
	uint64_t missing;      /* events missing by their numbers that no LOST reports: dropped on the path */
	uint64_t without_wall; /* events printed with the time of the trace clock: their stream has no wall clock */
	uint64_t unknown;      /* events whose format is unknown; shown as bytes */
	uint64_t snapped;      /* frames of which the capturing program kept only the beginning */
	uint64_t malformed;    /* frames that cannot be read, in whole or in part */
	uint64_t versions;     /* frames of an unknown version */
	uint64_t fallbacks;    /* events printed as field=value because their print fmt could not be compiled */
	char fallback[128];    /* the first of the fallbacks: "system:event: why", printable */
	struct tw_streams_stats streams; /* metadata that was not kept; @malformed includes its malformed records */
	struct tw_capture_filter_stats capture_filter;       /* counters of the filter in the options */
	struct tw_undecided_predicates undecided_predicates; /* its comparisons with names that no format has */
};

/**
 * tw_report__run() - print a capture
 * @in: file descriptor of the capture; @name is its name in error texts
 * @out: file descriptor for the lines; blocks while a pipe is full
 * @ret: filled also after a failure
 * Return: 0; -EBADMSG if the capture is damaged: everything before the damage is printed; -EINVAL if the file is not a capture, or for
 * a filter that cannot match any event; -ENODATA if it has no frames; -EPROTONOSUPPORT if all frames are of an unknown version; -EPIPE;
 * another -errno of reading or writing.
 */
int tw_report__run(int in, const char *name, int out, const struct tw_report_options *options,
		   struct tw_report_stats *ret, struct tw_error *error);

#endif
