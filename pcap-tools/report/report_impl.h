/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to report. An event to be printed, and the state that all lines share. */
#ifndef TW_REPORT_IMPL_H
#define TW_REPORT_IMPL_H

#include "base/line.h"
#include "pcap-tools/report/report.h"
#include "stream/streams.h"

#define TW_REPORT_LINE_MAX    (64 * 1024)              /* bytes; longer lines are cut */
#define TW_REPORT_OUTPUT_SIZE (4 * TW_REPORT_LINE_MAX) /* bytes collected before a write() */

struct tw_report_event {
	struct tw_stream *stream;
	struct tw_stream_event *known; /* its event type; NULL if the format is unknown */
	const struct tw_print *print;  /* NULL = print field=value, or bytes if the format is unknown */
	uint16_t cpu;
	struct tw_event_view view;
	struct tw_record record;
	bool has_lost;                       /* events were lost directly before it, on its CPU */
	struct tw_lost_view lost;            /* that loss; valid if has_lost */
	const struct tw_report_event *leave; /* function graph: the exit that makes this entry a leaf; NULL = no leaf */
};

#define TW_REPORT_LABELS 256 /* entries of the cache of labels */
#define TW_REPORT_LABEL  32  /* bytes; most event names are shorter */

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
	size_t len;  /* of the text; 0 = no text yet */
	char text[40];
};

/* Collects bytes for a file descriptor. */
struct tw_report_output {
	int fd;
	int failure; /* -errno of the first failed write(), after which nothing is written; 0 = no failure */
	char *buf;
	size_t len;
};

struct tw_report {
	const struct tw_report_options *options;
	struct tw_streams *streams;
	struct tw_report_output out;
	uint64_t first_time,
		last_time; /* first event's time, ns, for RELATIVE; time of the line before, in printed units, for delta */
	uint64_t without_wall; /* see struct tw_report_stats */
	bool any_time;
	bool began;                          /* tw_report__head() was called */
	bool several_streams, several_hosts; /* lines begin with the stream's instance; with its host, too */
	unsigned int user;                   /* index in tw_stream.user, where NULL = no frame of the stream was read */
	uint32_t n_streams;                  /* number of streams of which a frame was read */
	uint32_t n_streams_then;             /* n_streams at the last tw_report__head() */
	size_t width;                        /* of the longest stream name, bytes */
	char *text; /* scratch buffer of TW_REPORT_LINE_MAX bytes, for an event's text before JSON escapes it */
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

/** tw_report__head() - determine how stream names precede the lines; the first call also writes the header */
void tw_report__head(struct tw_report *report, struct tw_line *line);

#endif
