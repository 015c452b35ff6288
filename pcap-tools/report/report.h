/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints a capture, one line for each event: as text in the layout of `trace-cmd report`, as JSON objects, or as a table. Captures of an
 * interface are merged first (events/frames.h).
 */
#ifndef TW_REPORT_H
#define TW_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "pcap-tools/capture/capture_filter.h"
#include "pcap-tools/counts.h"
#include "pcap-tools/event_span.h"
#include "pcap-tools/events/reader.h"
#include "stream/ledger.h"

#define TW_REPORT_CPUS_MAX 4096 /* CPUs that can be selected by number */

enum tw_report_time {
	TW_REPORT_CLOCK,    /* time of the stream's clock */
	TW_REPORT_RELATIVE, /* time since the first event of the capture, as in TW_REPORT_BOUND_RELATIVE */
	TW_REPORT_WALL,     /* CLOCK_REALTIME, computed with the stream's first CLOCK record, in local time */
};

/* The first or the last time of the events to print. */
struct tw_report_bound {
	enum {
		TW_REPORT_UNBOUNDED,
		TW_REPORT_BOUND_RELATIVE, /* ns since the first event of the capture; events of other machines are compared by wall clock */
		TW_REPORT_BOUND_WALL, /* CLOCK_REALTIME, ns; events of streams without a wall clock are not printed */
	} kind;
	uint64_t ns;
};

#define TW_REPORT_COLUMNS_MAX 256

/* A table of values, one line for each event; losses have no line. A value that an event does not have is empty. */
struct tw_report_table {
	/*
	 * Names of the columns: time, time_ns, time_epoch, host, instance, cpu, pid, comm, flags, system, event, text, info (the same as
	 * text); or a field of events: FIELD, EVENT.FIELD, SYSTEM.EVENT.FIELD. All may begin with "trace.", as in Wireshark.
	 */
	const char *const *columns;
	size_t n_columns; /* at most TW_REPORT_COLUMNS_MAX */
	char separator;   /* between the values of a line; no quote and no line break */
	bool header;      /* the first line has the names of the columns */
	enum {
		TW_REPORT_QUOTE_NONE,
		TW_REPORT_QUOTE_NEEDED, /* double quotes if the value contains the separator, quotes or line breaks: RFC 4180 */
		TW_REPORT_QUOTE_DOUBLE,
		TW_REPORT_QUOTE_SINGLE,
	} quote; /* quotes within a quoted value are doubled */
};

/* Counts of the selected events. */
struct tw_report_counts {
	struct tw_counts events; /* by event, of all streams together */
	struct tw_counts tasks;  /* by stream, pid and task name at the time of the event */
	struct tw_event_span span;
	bool has_range;    /* since or until is given, and the first event can be compared with them */
	uint64_t range_ns; /* the time between since and until, limited to the capture's times; valid if has_range */
	struct tw_count_stream *streams; /* @n_streams of them: the streams in the capture */
	uint32_t n_streams;
};

struct tw_report_options {
	const char *const *events; /* patterns of events to print, NULL-terminated; NULL = all events */
	const uint8_t *cpus;  /* TW_REPORT_CPUS_MAX bytes, one per CPU: 1 = its events are printed; NULL = all CPUs */
	const uint32_t *pids; /* print only events of these tasks; @n_pids of them, 0 = all tasks */
	size_t n_pids;
	const char *const *
		comms; /* NULL-terminated list of texts, each with globs of task names, separated by commas; NULL = all tasks */
	struct tw_report_bound since, until; /* an event at one of these times is printed, too */
	const struct tw_filter *filter;      /* only matching events are printed; NULL = all events */
	enum tw_report_time time;
	bool delta;                          /* also print the time since the previous event */
	bool full_time;                      /* print times in nanoseconds; otherwise rounded to microseconds */
	bool latency;                        /* the layout of latency tracers, with irq and preemption flags */
	bool fields;                         /* print field=value instead of the text of the print fmt */
	bool json;                           /* print JSON objects */
	const struct tw_report_table *table; /* print a table; NULL = lines of text or JSON */
	struct tw_report_counts
		*counts; /* count the events here and print nothing; all zero at first; NULL = print them */
	bool colour;     /* mark names of events and losses in lines of text, for a terminal */
	bool compact;    /* lines of text without the blanks that align their columns, for a narrow terminal */
	bool raw; /* print texts byte for byte, without the escapes of base/printable.h; JSON and tables ignore it */
};

/* Counters of what was read, printed and not printed. */
struct tw_report_stats {
	struct tw_event_reader_stats read;
	uint64_t printed;      /* events printed, or counted in options->counts */
	bool not_written;      /* the output failed: some of the events counted as printed are missing */
	uint64_t without_wall; /* events printed with the time of the trace clock: their stream has no wall clock */
	uint64_t without_time; /* events not printed because their time cannot be compared with since and until */
	/* The next three members are set only with since or until, from events whose time can be compared with these. */
	int64_t span;                   /* time of the latest event, ns since the first event of the capture */
	uint64_t first_wall, last_wall; /* the earliest and the latest time by CLOCK_REALTIME, ns; 0 = unknown */
	uint64_t unknown;               /* events whose format is unknown; they are printed as bytes */
	uint64_t
		fallbacks; /* events printed as field=value: the print fmt could not be compiled, or there was no memory */
	char fallback[128];                            /* the first of the fallbacks: "system:event: why", printable */
	struct tw_capture_filter_stats capture_filter; /* counters of the filter in the options */
	/* Comparisons of this filter with names that no format has. If there are any, the report of an intact capture fails. */
	struct tw_undecided_predicates undecided_predicates;
};

/**
 * tw_report__run() - print a capture
 * @in: file descriptor of the capture; @name is its name in error texts
 * @out: file descriptor for the lines; blocks while a pipe is full
 * @ret: filled also after a failure
 * Return: 0; -EBADMSG if the capture is damaged: everything before the damage is printed; -EINVAL if the file is not a capture, if a
 * comparison of the filter is impossible for every event, if no event has a time that can be compared with since and until, or if the
 * options name an event or a field that no format of the capture has; -ENODATA if it has no frames; -EPROTONOSUPPORT if all frames are of
 * an unknown version; -EPIPE; another -errno of reading or writing.
 */
int tw_report__run(int in, const char *name, int out, const struct tw_report_options *options,
		   struct tw_report_stats *ret, struct tw_error *error);

/** tw_report_counts__ns() - the time from which rates are computed: range_ns if has_range, otherwise the span; 0 = unknown */
uint64_t tw_report_counts__ns(const struct tw_report_counts *counts);

/** tw_report_counts__fini() - free the members */
void tw_report_counts__fini(struct tw_report_counts *counts);

#endif
