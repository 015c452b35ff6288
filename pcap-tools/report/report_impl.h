/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to report. One event on its way to a line, and what lines have in common. */
#ifndef TW_REPORT_IMPL_H
#define TW_REPORT_IMPL_H

#include "base/line.h"
#include "pcap-tools/report/report.h"
#include "stream/streams.h"

#define TW_REPORT_LINE_MAX    (64 * 1024)              /* bytes; what is longer is cut */
#define TW_REPORT_OUTPUT_SIZE (4 * TW_REPORT_LINE_MAX) /* bytes collected before a write() */

struct tw_report_event {
	struct tw_stream *stream;
	struct tw_stream_event *known; /* NULL if its format did not come */
	const struct tw_print *print;  /* NULL without known, or without memory */
	uint16_t cpu;
	struct tw_event_view view;
	struct tw_record record;
	bool has_lost;                       /* right before it, on its CPU */
	struct tw_lost_view lost;            /* if so */
	const struct tw_report_event *leave; /* of the function graph: the exit that makes this entry a leaf, or NULL */
};

#define TW_REPORT_LABELS 256
#define TW_REPORT_LABEL  32 /* bytes; most events have shorter names */

/* An event's name as it stands on the line. */
struct tw_report_label {
	const struct tw_stream_event *known; /* NULL = free */
	size_t len;
	char text[TW_REPORT_LABEL];
};

/* A time's seconds as text. */
struct tw_report_second {
	uint64_t second;
	size_t len; /* 0 = none yet */
	char text[40];
};

/* Bytes on their way to a file descriptor. */
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
		last_time; /* ns as shown, for RELATIVE; of the line before, in units as shown, for delta */
	bool any_time;
	bool began;                          /* the first line is written */
	bool several_streams, several_hosts; /* then lines begin with their stream's name */
	unsigned int user;                   /* where the streams have a mark that something of them came out */
	uint32_t n_streams;                  /* that have it */
	uint32_t n_streams_then;             /* when names and their width were found */
	size_t width;                        /* of the longest name */
	char *text; /* TW_REPORT_LINE_MAX bytes, where JSON has an event's text before it is escaped */
	struct tw_report_second second;
	struct tw_report_label labels[TW_REPORT_LABELS];
};

/** tw_report__text_line() - and tw_report__json_line(): write one event */
void tw_report__text_line(struct tw_report *report, const struct tw_report_event *event, struct tw_line *line);
void tw_report__json_line(struct tw_report *report, const struct tw_report_event *event, struct tw_line *line);

/** tw_report__text_lost() - and tw_report__json_lost(): events that are not there */
void tw_report__text_lost(struct tw_report *report, const struct tw_stream *stream, uint16_t cpu,
			  const struct tw_lost_view *lost, struct tw_line *line);
void tw_report__json_lost(struct tw_report *report, const struct tw_stream *stream, uint16_t cpu,
			  const struct tw_lost_view *lost, struct tw_line *line);

/** tw_report__head() - what stands before the first line; and how names of streams stand before each */
void tw_report__head(struct tw_report *report, struct tw_line *line);

#endif
