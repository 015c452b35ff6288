/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files of report/: report.c takes events from the reader, selection.c selects events, pending.c keeps waiting events,
 * lines.c writes lines, columns.c and rows.c write tables, count.c counts events, names.c checks the names in the options.
 */
#ifndef TW_REPORT_IMPL_H
#define TW_REPORT_IMPL_H

#include "base/line.h"
#include "pcap-tools/report/report.h"
#include "stream/streams.h"

#define TW_REPORT_LINE_MAX    (64 * 1024)              /* bytes; longer lines are cut */
#define TW_REPORT_OUTPUT_SIZE (4 * TW_REPORT_LINE_MAX) /* bytes collected before a write() */

/* Flags in tw_stream_event.chosen. */
enum {
	TW_REPORT_CHOSEN_COMPILED = 1,  /* the event type has a usable print program */
	TW_REPORT_CHOSEN_SELECTION = 2, /* this flag and the next higher bit belong to selection.c */
};

/* Events lost on a CPU. */
struct tw_report_loss {
	struct tw_stream *stream;
	uint16_t cpu;
	struct tw_lost_view lost;
};

/* An event to be printed. */
struct tw_report_event {
	struct tw_stream *stream;
	struct tw_stream_event *known; /* its event type; NULL if the format is unknown */
	const struct tw_print *print;  /* NULL = print field=value, or bytes if the format is unknown */
	uint16_t cpu;
	uint64_t packet_time, error_ns; /* packet time and its error: as in struct tw_read_event */
	struct tw_event_view view;
	struct tw_record record;
	bool has_loss;                       /* events were lost directly before it, on its CPU */
	struct tw_report_loss loss;          /* the loss before the event; valid if has_loss */
	const struct tw_report_event *leave; /* function graph: the exit that makes this entry a leaf; NULL = no leaf */
};

#define TW_REPORT_LABELS 256 /* entries of the cache of labels */
#define TW_REPORT_LABEL  48  /* bytes; most event names are shorter, also with colour */

/* A cached event name, with the padding after it. */
struct tw_report_label {
	const struct tw_stream_event *known; /* NULL = free entry */
	size_t len;
	char text[TW_REPORT_LABEL];
};

/* The text of the seconds of the latest printed time. */
struct tw_report_second {
	uint64_t second;
	bool of_day; /* the text is a date and a time of day, otherwise a number */
	size_t len;  /* length of the text; 0 = no text yet */
	char text[40];
};

/* Collects bytes for a file descriptor. */
struct tw_report_output {
	int fd;
	int failure; /* -errno of the first failed write(), after which nothing is written; 0 = no failure */
	char *buf;
	size_t len;
};

/* The first event of the capture, where relative times begin. */
struct tw_report_origin {
	const struct tw_stream *stream; /* NULL = no event was read */
	uint64_t time;                  /* time of the event, by the stream's clock */
};

/* The state of a report. */
struct tw_report {
	int in; /* the file that is read */
	const char *name;
	const struct tw_report_options *options;
	struct tw_report_stats *stats;
	struct tw_event_reader *reader;
	struct tw_streams *streams; /* of the reader */
	struct tw_report_pending *pending;
	struct tw_report_columns *columns;        /* NULL = no table */
	bool checked_names;                       /* the names in the options were checked at the first event */
	struct tw_error refusal;                  /* why the report ends with -EINVAL; "" = it does not */
	struct tw_capture_filter *capture_filter; /* NULL = no filter */
	struct tw_report_output out;
	struct tw_report_origin origin;
	uint64_t last_time; /* time of the previous line, in printed units, for options->delta */
	uint32_t
		n_named; /* number of streams at the last tw_report__head(); above 1, lines begin with the stream's instance */
	bool several_hosts; /* lines begin with the stream's host, too */
	size_t width;       /* of the longest stream name, bytes */
	char *text; /* scratch buffer of TW_REPORT_LINE_MAX bytes, for a text in JSON, a value in a table, or a line that is not printed */
	struct tw_report_second second;
	struct tw_report_label labels[TW_REPORT_LABELS];
};

/** tw_report__event() - write the line of an event; tw_report__loss(): write the line of a loss, except in a table */
void tw_report__event(struct tw_report *report, const struct tw_report_event *event, struct tw_line *line);
void tw_report__loss(struct tw_report *report, const struct tw_report_loss *loss, struct tw_line *line);

/** tw_report__comm() - the task's name at the time of the event; "<idle>" for pid 0; "<...>" if the name is unknown */
const char *tw_report__comm(const struct tw_report_event *event, size_t *ret_len);

/**
 * tw_report__time() - convert @time to the kind of time that the options select, ns. For a stream without wall clock, TW_REPORT_WALL gives
 * the time of the trace clock
 */
uint64_t tw_report__time(const struct tw_report *report, const struct tw_stream *stream, uint64_t time);

/** tw_report__counts() - whether the times of tw_report__time() are counts, not ns */
bool tw_report__counts(const struct tw_report *report, const struct tw_stream *stream);

/** tw_report__flags() - write the irq and preemption flags in the kernel's latency format */
void tw_report__flags(struct tw_line *line, const struct tw_event_view *view);

/** tw_report__event_text() - write the text, or the fields, of an event whose format is known */
void tw_report__event_text(const struct tw_report *report, const struct tw_report_event *event, struct tw_line *line);

/** tw_report__bytes() - write the bytes of an event whose format is unknown, each after a blank */
void tw_report__bytes(struct tw_line *line, const struct tw_record *record);

/** tw_report__head() - determine the stream names with which lines begin, and their width; the first call also writes the header */
void tw_report__head(struct tw_report *report, struct tw_line *line);

struct tw_report_pending;

/** tw_report_pending__new() - make an empty queue; @report: borrowed. Return: NULL without memory */
struct tw_report_pending *tw_report_pending__new(struct tw_report *report);

/** tw_report_pending__event() - print an event, with the loss before it, or keep a copy. Return: 0, -ENOMEM, or a failure of write() */
int tw_report_pending__event(struct tw_report_pending *pending, struct tw_report_event *event);

/** tw_report_pending__loss() - keep a loss, to be printed before the next event of its CPU. Return: 0, or a failure of write() */
int tw_report_pending__loss(struct tw_report_pending *pending, const struct tw_report_loss *loss);

/**
 * tw_report_pending__flush() - print all waiting events and losses, at the end of the file
 * @complete: the file is not damaged. In this case, a table without events gets its header, and the names in the options are checked
 */
int tw_report_pending__flush(struct tw_report_pending *pending, bool complete);

/** tw_report_pending__free() - free @pending, which may be NULL */
void tw_report_pending__free(struct tw_report_pending *pending);

/** tw_report_output__flush() - write the collected bytes. Return: 0, or -errno of this or an earlier write() */
int tw_report_output__flush(struct tw_report_output *out);

#endif
