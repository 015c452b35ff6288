/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints a capture: passes the selected events to tw_report_pending__event(), or counts them. */
#include "pcap-tools/report/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "pcap-tools/report/columns.h"
#include "pcap-tools/report/count.h"
#include "pcap-tools/report/report_impl.h"
#include "pcap-tools/report/selection.h"

/*
 * Return: the print program of an event type; if the print fmt could not be compiled, the program prints field=value. NULL if the options
 * demand field=value for all events, the format is unknown, or there is no memory. If field=value is printed only because the print fmt
 * could not be compiled or there is no memory, the stats count the event, and name the first such event type.
 */
static const struct tw_print *program_of(struct tw_report *report, struct tw_stream *stream,
					 struct tw_stream_event *known)
{
	struct tw_report_stats *stats = report->stats;
	const struct tw_print *print;
	const char *why;

	if (!known || report->options->fields)
		return NULL;
	if (known->chosen & TW_REPORT_CHOSEN_COMPILED && known->print)
		return known->print;
	print = tw_stream__print(stream, known);
	why = print ? tw_print__refusal(print) : "no memory";
	if (!why) {
		known->chosen |= TW_REPORT_CHOSEN_COMPILED;
		return print;
	}
	if (!stats->fallbacks++) {
		snprintf(stats->fallback, sizeof(stats->fallback), "%s:%s: %s", known->format->system,
			 known->format->name, why);
		tw_printable__mend(stats->fallback, sizeof(stats->fallback));
	}
	return print;
}

static int take_event(void *ctx, const struct tw_read_event *read)
{
	struct tw_report *report = ctx;
	struct tw_report_event event = {
		.stream = read->stream,
		.known = read->known,
		.cpu = read->frame->cpu,
		.packet_time = read->time,
		.error_ns = read->error_ns,
		.view = read->view,
		.record = read->record,
	};

	if (!tw_report_selection__wants_event(report, &event))
		return 0;
	if (report->capture_filter &&
	    !tw_capture_filter__wants(report->capture_filter, read->stream, read->frame, &read->view))
		return 0;
	report->stats->unknown += !event.known;
	report->stats->printed++;
	if (report->options->counts)
		return tw_report_count__event(report, &event);
	event.print = read->cut ? NULL : program_of(report, event.stream, event.known);
	return tw_report_pending__event(report->pending, &event);
}

static int take_loss(void *ctx, struct tw_stream *stream, uint16_t cpu, const struct tw_lost_view *lost)
{
	struct tw_report *report = ctx;
	const struct tw_report_loss loss = { .stream = stream, .cpu = cpu, .lost = *lost };

	if (report->options->counts || !tw_report_selection__wants_loss(report, &loss))
		return 0;
	return tw_report_pending__loss(report->pending, &loss);
}

static const struct tw_event_reader_ops ops = { .event = take_event, .loss = take_loss };

/* Reads the capture, and prints or counts the events. Return: 0; -EBADMSG if the capture is damaged; another -errno */
static int print_events(struct tw_report *report, struct tw_error *error)
{
	int err, more = tw_event_reader__run(report->reader, &err, error);

	if (!err)
		err = tw_report_pending__flush(report->pending, !more);
	if (!err && report->options->counts)
		err = tw_report_count__finish(report);
	report->stats->not_written = tw_report_output__flush(&report->out) != 0;
	if (report->stats->not_written && !err)
		err = report->out.failure;
	if (*report->refusal.text)
		return tw_error__set(error, -EINVAL, "%s", report->refusal.text);
	if (err)
		return tw_error__set(error, err, "printing %s failed: %s", report->name, strerror(-err));
	return more;
}

static void finish(struct tw_report *report)
{
	struct tw_report_stats *stats = report->stats;

	if (report->reader)
		tw_event_reader__finish(report->reader);
	if (report->capture_filter) {
		tw_capture_filter__stats(report->capture_filter, &stats->capture_filter);
		tw_capture_filter__undecided_predicates(report->capture_filter, &stats->undecided_predicates);
	}
	tw_report_pending__free(report->pending);
	tw_report_columns__free(report->columns);
	tw_capture_filter__free(report->capture_filter);
	tw_event_reader__free(report->reader);
	free(report->out.buf);
	free(report->text);
}

static int prepare(struct tw_report *report, struct tw_error *error)
{
	const struct tw_filter *filter = report->options->filter;

	report->out.buf = malloc(TW_REPORT_OUTPUT_SIZE);
	report->text = malloc(TW_REPORT_LINE_MAX);
	report->pending = tw_report_pending__new(report);
	if (!report->out.buf || !report->text || !report->pending ||
	    tw_report_columns__new(report->options->table, &report->columns))
		return tw_error__set(error, -ENOMEM, "no memory to read %s", report->name);
	return filter ? tw_capture_filter__new(filter, report->streams, &report->capture_filter, error) : 0;
}

int tw_report__run(int in, const char *name, int out, const struct tw_report_options *options,
		   struct tw_report_stats *ret, struct tw_error *error)
{
	struct tw_report report = { .in = in, .name = name, .options = options, .stats = ret, .out.fd = out };
	int err;

	*ret = (struct tw_report_stats){ .unknown = 0 };
	err = tw_event_reader__new(in, name, &ops, &report, &ret->read, &report.reader, error);
	if (err)
		return err;
	report.streams = tw_event_reader__streams(report.reader);
	err = prepare(&report, error);
	if (!err)
		err = print_events(&report, error);
	if (!err)
		err = tw_event_reader__check(report.reader, error);
	if (!err)
		err = tw_report_selection__check(&report, name, error);
	finish(&report);
	return err;
}
