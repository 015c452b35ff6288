/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints a capture: parses the frames in order, keeps metadata, and passes selected events to tw_report_pending__event(). */
#include "pcap-tools/report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/printable.h"
#include "pcap-tools/capture/capture_file.h"
#include "pcap-tools/report/accounting.h"
#include "pcap-tools/report/columns.h"
#include "pcap-tools/report/count.h"
#include "pcap-tools/report/frames.h"
#include "pcap-tools/report/report_impl.h"
#include "pcap-tools/report/selection.h"
#include "wire/parts.h"

/*
 * Return: the print program of an event type; if the print fmt could not be compiled, it prints field=value. NULL if the options demand
 * field=value for all events, the format is unknown, or there is no memory. If field=value is printed only because there is no usable
 * program, the stats count the event, and name the first such event type.
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

/* Counts a malformed frame or record. Return: 0, so that the report continues without it */
static int skip_malformed(struct tw_report *report)
{
	report->stats->malformed++;
	return 0;
}

/* @cut: the capture contains only the beginning of the event */
static int take_event(struct tw_report *report, struct tw_stream *stream, const struct tw_report_frame *frame,
		      const struct tw_tlv_view *tlv, bool cut)
{
	struct tw_report_event event = { .stream = stream, .cpu = frame->info.cpu };

	if (!tw_event__parse(tlv, frame->info.base_time, &event.view))
		return skip_malformed(report);
	if (frame->at_base)
		event.view.time = frame->info.base_time;
	report->stats->events++;
	event.known = tw_stream__event(stream, frame->info.schema_id, event.view.id);
	if (!tw_report_selection__wants_event(report, &event))
		return 0;
	if (report->capture_filter &&
	    !tw_capture_filter__wants(report->capture_filter, stream, &frame->info, &event.view))
		return 0;
	report->stats->unknown += !event.known;
	report->stats->printed++;
	if (report->options->counts)
		return tw_report_count__event(report, &event);
	event.print = cut ? NULL : program_of(report, stream, event.known);
	event.record = (struct tw_record){
		.data = event.view.record,
		.len = event.view.len,
		.big_endian = frame->info.flags & TW_FLAG_BODY_BE,
		.from_wire = true,
		.cut = cut,
	};
	return tw_report_pending__event(report->pending, &event);
}

static int take_lost(struct tw_report *report, struct tw_stream *stream, const struct tw_report_frame *frame,
		     const struct tw_tlv_view *tlv)
{
	struct tw_report_loss loss = { .stream = stream, .cpu = frame->info.cpu };

	if (!tw_lost__parse(tlv, frame->info.base_time, &loss.lost))
		return skip_malformed(report);
	tw_report_accounting__lost(stream, stream->user[report->user], tlv, &loss.lost);
	if (report->options->counts)
		return 0;
	return tw_report_selection__wants_loss(report, &loss) ? tw_report_pending__loss(report->pending, &loss) : 0;
}

static int take_part(struct tw_report *report, struct tw_stream *stream, const struct tw_report_frame *frame,
		     const struct tw_tlv_view *tlv)
{
	struct tw_part_view part;
	struct tw_tlv_view whole;

	if (!tw_part__parse(tlv, &part))
		return skip_malformed(report);
	if (part.inner_type != TW_TLV_EVENT) {
		tw_stream__update(stream, &frame->info, tlv);
		return 0;
	}
	if (tw_parts__add(report->parts, stream->id, frame->info.channel, &part, &whole) != TW_PARTS_WHOLE)
		return 0;
	return take_event(report, stream, frame, &whole, false);
}

/* Takes a TLV of which only the beginning was captured. An event is printed if its header was captured. */
static int take_cut(struct tw_report *report, struct tw_stream *stream, const struct tw_report_frame *frame)
{
	struct tw_tlv_view tlv;

	if (frame->tlvs.left < sizeof(struct tw_tlv))
		return 0;
	if (!tw_cursor__cut_tlv(&frame->tlvs, frame->missing, &tlv))
		return skip_malformed(report);
	if (tlv.type != TW_TLV_EVENT || sizeof(struct tw_tlv) + tlv.len < tw_tlv__min(tlv.type))
		return 0;
	return take_event(report, stream, frame, &tlv, true);
}

static int take_tlv(struct tw_report *report, struct tw_stream *stream, const struct tw_report_frame *frame,
		    const struct tw_tlv_view *tlv)
{
	switch (tlv->type) {
	case TW_TLV_EVENT:
		return take_event(report, stream, frame, tlv, false);
	case TW_TLV_LOST:
		return take_lost(report, stream, frame, tlv);
	case TW_TLV_PART:
		return take_part(report, stream, frame, tlv);
	default:
		return tw_stream__update(stream, &frame->info, tlv);
	}
}

static int take_frame(void *ctx, struct tw_report_frame *frame)
{
	struct tw_report *report = ctx;
	struct tw_stream *stream = tw_streams__get(report->streams, frame->info.stream_id);
	const uint64_t events = report->stats->events;
	enum tw_frame_status status = TW_FRAME_OK;
	struct tw_report_stream *s;
	struct tw_tlv_view tlv;
	uint64_t filtered = 0;
	int err = 0;

	if (!stream)
		return skip_malformed(report);
	s = tw_report_accounting__stream(report, stream);
	if (!s)
		return -ENOMEM;
	if (frame->info.source == TW_SOURCE_CONTROL)
		tw_stream_counters__control(&stream->counters, frame->info.seq);
	while (!err && tw_cursor__next_tlv(&frame->tlvs, &tlv, &status)) {
		filtered += tlv.type == TW_TLV_FILTERED;
		err = take_tlv(report, stream, frame, &tlv);
	}
	if (!err && status == TW_FRAME_MALFORMED && frame->missing)
		err = take_cut(report, stream, frame);
	else
		report->stats->malformed += status == TW_FRAME_MALFORMED;
	tw_report_accounting__frame(s, frame, report->stats->events - events, filtered);
	return err;
}

static void take_block(void *ctx, const struct tw_capture_block *block)
{
	struct tw_report *report = ctx;
	const int err = tw_capture_interfaces__block(&report->interfaces, block);

	report->block_err = report->block_err ? report->block_err : err;
}

static int take_packets(struct tw_report *report, struct tw_capture_file *file, const char *name,
			struct tw_error *error)
{
	struct tw_packet packet;
	int more, err = 0;

	tw_capture_file__watch(file, take_block, report);
	while ((more = tw_capture_file__next(file, &packet, error)) > 0) {
		err = report->block_err;
		if (!err)
			err = tw_report_frames__packet(report->frames, &packet);
		if (err)
			break;
	}
	if (!err)
		err = tw_report_frames__flush(report->frames);
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
		return tw_error__set(error, err, "printing %s failed: %s", name, strerror(-err));
	return more;
}

/* Return: 0, or -errno if the file has nothing that can be printed with these options */
static int check_result(const struct tw_report *report, const char *name, struct tw_error *error)
{
	const struct tw_report_stats *stats = report->stats;

	if (!stats->frames)
		return tw_error__set(error, -ENODATA,
				     "%s has no Tracewire frames among its %" PRIu64
				     " packets (EtherType 0x%04X, or UDP port %u)",
				     name, stats->packets, TW_ETHERTYPE, TW_UDP_PORT);
	if (stats->versions == stats->frames)
		return tw_error__set(
			error, -EPROTONOSUPPORT,
			"%s has an unknown version of the wire format (this program supports %u): use a newer tracewire",
			name, TW_VERSION);
	return tw_report_selection__check(report, name, error);
}

static void finish(struct tw_report *report)
{
	struct tw_report_stats *stats = report->stats;

	if (report->streams) {
		tw_report_accounting__finish(report);
		tw_streams__stats(report->streams, &stats->streams);
		stats->malformed += stats->streams.malformed;
	}
	if (report->capture_filter) {
		tw_capture_filter__stats(report->capture_filter, &stats->capture_filter);
		tw_capture_filter__undecided_predicates(report->capture_filter, &stats->undecided_predicates);
	}
	tw_report_accounting__fini(report);
	tw_report_frames__free(report->frames);
	tw_parts__free(report->parts);
	tw_report_pending__free(report->pending);
	tw_report_columns__free(report->columns);
	tw_capture_filter__free(report->capture_filter);
	tw_streams__free(report->streams);
	free(report->out.buf);
	free(report->text);
}

static bool prepare(struct tw_report *report, bool in_order)
{
	const struct tw_parts_limits limits = { .bytes = TW_STREAMS_EVENT_PARTS_FILE_BYTES,
						.count = TW_STREAMS_EVENT_PARTS_MAX };
	const struct tw_streams_options streams = { .silence = TW_STREAMS_SILENT_FRAMES,
						    .keeps = true,
						    .wants = TW_STREAM_WANTS_FORMATS | TW_STREAM_WANTS_COUNTERS };

	report->streams = tw_streams__new(&streams);
	report->out.buf = malloc(TW_REPORT_OUTPUT_SIZE);
	report->text = malloc(TW_REPORT_LINE_MAX);
	report->parts = tw_parts__new(&limits);
	report->pending = tw_report_pending__new(report);
	report->frames = tw_report_frames__new(report->streams, &report->interfaces, in_order, take_frame, report,
					       report->stats);
	if (report->streams)
		report->user = tw_streams__add_user(report->streams, &(struct tw_stream_user){ .ctx = report });
	if (tw_report_columns__new(report->options->table, &report->columns))
		return false;
	return report->frames && report->streams && report->out.buf && report->text && report->parts && report->pending;
}

int tw_report__run(int in, const char *name, int out, const struct tw_report_options *options,
		   struct tw_report_stats *ret, struct tw_error *error)
{
	struct tw_report report = { .in = in, .name = name, .options = options, .stats = ret, .out.fd = out };
	struct tw_capture_file *file;
	int err;

	*ret = (struct tw_report_stats){ 0 };
	err = tw_capture_file__open(in, name, &file, error);
	if (err)
		return err;
	err = prepare(&report, tw_capture_file__is_recording(file))
		      ? 0
		      : tw_error__set(error, -ENOMEM, "no memory to read %s", name);
	if (!err && options->filter)
		err = tw_capture_filter__new(options->filter, report.streams, &report.capture_filter, error);
	if (!err)
		err = take_packets(&report, file, name, error);
	if (!err)
		err = check_result(&report, name, error);
	finish(&report);
	tw_capture_file__close(file);
	return err;
}
