/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to report. One event on its way to a line, and the state that lines share. */
#ifndef TW_REPORT_IMPL_H
#define TW_REPORT_IMPL_H

#include "base/line.h"
#include "pcap-tools/report/report.h"
#include "stream/streams.h"

#define TW_REPORT_LINE_MAX    (64 * 1024)              /* bytes; longer lines are cut */
#define TW_REPORT_OUTPUT_SIZE (4 * TW_REPORT_LINE_MAX) /* bytes collected before a write() */

struct tw_report_event {
	struct tw_stream *stream;
	struct tw_stream_event *known; /* NULL if its format is unknown */
	const struct tw_print *print;  /* NULL without a format, or without memory */
	uint16_t cpu;
	struct tw_event_view view;
	struct tw_record record;
	bool has_lost;                       /* directly before it, on its CPU */
	struct tw_lost_view lost;            /* if there is a loss */
	const struct tw_report_event *leave; /* of the function graph: the exit that makes this entry a leaf, or NULL */
};

#define TW_REPORT_LABELS 256
#define TW_REPORT_LABEL  32 /* bytes; most events have shorter names */

/* An event's name as printed on the line. */
struct tw_report_label {
	const struct tw_stream_event *known; /* NULL = free entry */
	size_t len;
	char text[TW_REPORT_LABEL];
};

/* The seconds of a time as text. */
struct tw_report_second {
	uint64_t second;
	bool of_day; /* the text is a date and a time of day */
	size_t len;  /* 0 = none yet */
	char text[40];
};

/* Collects bytes for a file descriptor. */
struct tw_report_output {
	int fd;
	int failure; /* -errno of write(), 0 = none; final */
	char *buf;
	size_t len;
};

struct tw_report {
	const struct tw_report_options *options;
	struct tw_streams *streams;
	struct tw_report_output out;
	uint64_t first_time,
		last_time; /* times as printed: the first, ns, for RELATIVE; that of the line before, in printed units, for delta */
	uint64_t without_wall; /* see the stats */
	bool any_time;
	bool began;                          /* the first line is written */
	bool several_streams, several_hosts; /* lines then begin with the name of their stream */
	unsigned int user;                   /* offset of a mark in the streams' memory: the stream has output */
	uint32_t n_streams;                  /* number of such streams */
	uint32_t n_streams_then;             /* when names and their width were determined */
	size_t width;                        /* of the longest name */
	char *text;                          /* TW_REPORT_LINE_MAX bytes, for an event's text before JSON escapes it */
	struct tw_report_second second;
	struct tw_report_label labels[TW_REPORT_LABELS];
};

/** tw_report__text_line(), tw_report__json_line() - write one event */
void tw_report__text_line(struct tw_report *report, const struct tw_report_event *event, struct tw_line *line);
void tw_report__json_line(struct tw_report *report, const struct tw_report_event *event, struct tw_line *line);

/** tw_report__text_lost(), tw_report__json_lost() - write a loss of events */
void tw_report__text_lost(struct tw_report *report, const struct tw_stream *stream, uint16_t cpu,
			  const struct tw_lost_view *lost, struct tw_line *line);
void tw_report__json_lost(struct tw_report *report, const struct tw_stream *stream, uint16_t cpu,
			  const struct tw_lost_view *lost, struct tw_line *line);

/** tw_report__head() - write the header before the first line; determines how names of streams precede each line */
void tw_report__head(struct tw_report *report, struct tw_line *line);

#endif
