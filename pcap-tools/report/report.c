/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From packets to events: frames are found, put in order where they need it, and taken apart. */
#include "pcap-tools/report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/event_pattern.h"
#include "pcap-tools/capture/file.h"
#include "pcap-tools/capture/packet_frame.h"
#include "pcap-tools/merge/merge.h"
#include "pcap-tools/report/hold.h"
#include "pcap-tools/report/impl.h"
#include "wire/parts.h"

#define PARTS_BYTES ((size_t)16 << 20) /* of events in pieces */
#define PARTS_COUNT 256

/* What is known of an event id from its first event on: struct tw_known_event's chosen. */
enum {
	LOOKED_AT = 1,
	WANTED = 2,
	COMPILED = 4, /* it has a program, which was not refused */
};

struct run {
	struct tw_report report; /* first: the lines' part of it */
	struct tw_report_stats *stats;
	struct tw_merge *merge; /* NULL while frames come in order */
	struct tw_parts *parts;
	struct tw_report_hold *hold;
};

/* A frame, as it came or out of the merge. */
struct frame {
	struct tw_frame_info info;
	struct tw_cursor tlvs;
	bool at_base; /* the event's time is the base time, whatever it says */
};

static bool wants_cpu(const struct tw_report_options *options, uint16_t cpu)
{
	return !options->cpus || (cpu < TW_REPORT_CPUS_MAX && options->cpus[cpu]);
}

static bool matches(const char *const *patterns, const struct tw_format *format)
{
	for (; *patterns; patterns++) {
		if (tw_event_patterns__match(*patterns, format->system, format->name))
			return true;
	}
	return false;
}

static bool wants_event(const struct tw_report_options *options, struct tw_known_event *known)
{
	if (!options->events)
		return true;
	if (!known)
		return false;
	if (!(known->chosen & LOOKED_AT))
		known->chosen |= LOOKED_AT | (matches(options->events, known->format) ? WANTED : 0);
	return known->chosen & WANTED;
}

/* Events that are printed as field=value though they have a text are counted, and the first is named. */
static const struct tw_print *program_of(struct run *run, struct tw_known_event *known)
{
	const struct tw_print *print;
	const char *why;

	if (!known || run->report.options->fields)
		return NULL;
	if (known->chosen & COMPILED && known->print)
		return known->print;
	print = tw_known_event__print(run->report.knowledge, known);
	why = print ? tw_print__refusal(print) : "no memory";
	if (!why) {
		known->chosen |= COMPILED;
		return print;
	}
	if (!run->stats->fallbacks++)
		snprintf(run->stats->fallback, sizeof(run->stats->fallback), "%s:%s: %s", known->format->system,
			 known->format->name, why);
	return print;
}

static int take_event(struct run *run, struct tw_known_stream *stream, const struct frame *frame,
		      const struct tw_tlv_view *tlv)
{
	struct tw_report_event event = { .stream = stream, .cpu = frame->info.cpu };

	if (!tw_event__parse(tlv, frame->info.base_time, &event.view)) {
		run->stats->malformed++;
		return 0;
	}
	if (frame->at_base)
		event.view.time = frame->info.base_time;
	run->stats->events++;
	event.known = tw_known_stream__event(stream, frame->info.schema_id, event.view.id);
	if (!wants_cpu(run->report.options, event.cpu) || !wants_event(run->report.options, event.known))
		return 0;
	run->stats->unknown += !event.known;
	event.print = program_of(run, event.known);
	event.record = (struct tw_record){
		.data = event.view.record,
		.len = event.view.len,
		.big_endian = frame->info.flags & TW_FLAG_BODY_BE,
		.from_wire = true,
	};
	run->stats->printed++;
	return tw_report_hold__event(run->hold, &event);
}

static int take_lost(struct run *run, struct tw_known_stream *stream, const struct frame *frame,
		     const struct tw_tlv_view *tlv)
{
	struct tw_lost_view lost;

	if (!tw_lost__parse(tlv, frame->info.base_time, &lost)) {
		run->stats->malformed++;
		return 0;
	}
	run->stats->lost += lost.count;
	run->stats->lost_unknown += lost.unknown;
	if (!wants_cpu(run->report.options, frame->info.cpu))
		return 0;
	return tw_report_hold__lost(run->hold, stream, frame->info.cpu, &lost);
}

static int take_part(struct run *run, struct tw_known_stream *stream, const struct frame *frame,
		     const struct tw_tlv_view *tlv)
{
	struct tw_part_view part;
	struct tw_tlv_view whole;

	if (!tw_part__parse(tlv, &part)) {
		run->stats->malformed++;
		return 0;
	}
	if (part.inner_type != TW_TLV_EVENT) {
		tw_knowledge__learn(run->report.knowledge, stream, &frame->info, tlv);
		return 0;
	}
	if (tw_parts__add(run->parts, stream->id, frame->info.channel, &part, &whole) != TW_PARTS_WHOLE)
		return 0;
	return take_event(run, stream, frame, &whole);
}

static int take_frame(struct run *run, struct frame *frame)
{
	struct tw_known_stream *stream = tw_knowledge__stream(run->report.knowledge, frame->info.stream_id);
	enum tw_frame_status status = TW_FRAME_OK;
	struct tw_tlv_view tlv;
	int error = 0;

	if (!stream) {
		run->stats->malformed++;
		return 0;
	}
	while (!error && tw_cursor__next_tlv(&frame->tlvs, &tlv, &status)) {
		if (tlv.type == TW_TLV_EVENT)
			error = take_event(run, stream, frame, &tlv);
		else if (tlv.type == TW_TLV_LOST)
			error = take_lost(run, stream, frame, &tlv);
		else if (tlv.type == TW_TLV_PART)
			error = take_part(run, stream, frame, &tlv);
		else if (tlv.type == TW_TLV_FILTERED)
			run->stats->filtered++;
		else
			tw_knowledge__learn(run->report.knowledge, stream, &frame->info, &tlv);
	}
	run->stats->malformed += status == TW_FRAME_MALFORMED;
	return error;
}

static int take_merged(void *ctx, const struct tw_merged *out)
{
	struct frame frame = { .at_base = out->is_event && out->at_base };
	struct tw_cursor unused;

	tw_frame__parse(out->head, sizeof(struct tw_frame_hdr), &frame.info, &unused);
	frame.tlvs = (struct tw_cursor){ .at = out->body, .left = out->body_len };
	if (!out->is_control) {
		frame.info.seq = out->seq;
		frame.info.base_time = out->base_time;
		frame.info.events = out->events;
		frame.info.flags = out->flags;
	}
	return take_frame(ctx, &frame);
}

/* What only captures of the wire have: a watermark, or several records in a frame of a ring. */
static bool needs_merge(const struct frame *frame)
{
	struct tw_cursor tlvs = frame->tlvs;
	enum tw_frame_status status;
	struct tw_tlv_view tlv;

	if (frame->info.events > 1)
		return true;
	while (tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		if (tlv.type == TW_TLV_WATERMARK || (tlvs.left && frame->info.channel != TW_CHANNEL_CONTROL))
			return true;
		if (!tlvs.left)
			return false;
	}
	return false;
}

static int start_merge(struct run *run, struct tw_error *err)
{
	const struct tw_merge_options options = { .emit = take_merged, .ctx = run };

	return tw_merge__new(&options, &run->merge, err);
}

static int take_packet(struct run *run, const struct tw_packet *packet, struct tw_error *err)
{
	size_t len;
	const uint8_t *data = tw_packet__frame(packet->linktype, packet->data, packet->len, &len);
	struct frame frame = { 0 };
	enum tw_frame_status status;
	int error;

	run->stats->packets++;
	if (!data)
		return 0;
	status = tw_frame__parse(data, len, &frame.info, &frame.tlvs);
	if (status == TW_FRAME_NOT_OURS)
		return 0;
	run->stats->frames++;
	run->stats->versions += status == TW_FRAME_VERSION;
	run->stats->malformed += status == TW_FRAME_MALFORMED || status == TW_FRAME_TRUNCATED;
	if (status != TW_FRAME_OK && status != TW_FRAME_TRUNCATED)
		return 0;
	if (!run->merge && needs_merge(&frame)) {
		error = start_merge(run, err);
		if (error)
			return error;
	}
	return run->merge ? tw_merge__frame(run->merge, data, len) : take_frame(run, &frame);
}

static int take_packets(struct run *run, struct tw_capture_file *file, const char *name, struct tw_error *err)
{
	struct tw_packet packet;
	int r, error = 0;

	while ((r = tw_capture_file__next(file, &packet, err)) > 0) {
		error = take_packet(run, &packet, err);
		if (error)
			break;
	}
	if (!error && run->merge)
		error = tw_merge__flush(run->merge);
	if (!error)
		error = tw_report_hold__flush(run->hold);
	if (tw_report_output__flush(&run->report.out) && !error)
		error = run->report.out.failure;
	if (error)
		return tw_error__set(err, error, "printing %s failed: %s", name, strerror(-error));
	return r;
}

static int judge(const struct run *run, const char *name, struct tw_error *err)
{
	const struct tw_report_stats *stats = run->stats;

	if (!stats->frames)
		return tw_error__set(err, -ENODATA,
				     "%s has no Tracewire frames among its %" PRIu64
				     " packets (EtherType 0x%04X, or UDP port %u)",
				     name, stats->packets, TW_ETHERTYPE, TW_UDP_PORT);
	if (stats->versions == stats->frames)
		return tw_error__set(
			err, -EPROTONOSUPPORT,
			"%s is of a version of the wire format that this program does not know (it knows %u): "
			"a newer tracewire can read it",
			name, TW_VERSION);
	return 0;
}

static void finish(struct run *run)
{
	struct tw_merge_stats merge;
	struct tw_knowledge_stats knowledge;

	if (run->merge) {
		tw_merge__stats(run->merge, &merge);
		run->stats->filtered = merge.filtered;
		run->stats->malformed += merge.malformed;
	}
	if (run->report.knowledge) {
		tw_knowledge__stats(run->report.knowledge, &knowledge);
		run->stats->refused_texts = knowledge.refused_texts;
		run->stats->text = knowledge.first;
	}
	tw_merge__free(run->merge);
	tw_parts__free(run->parts);
	tw_report_hold__free(run->hold);
	tw_knowledge__free(run->report.knowledge);
	free(run->report.out.buf);
	free(run->report.text);
}

static bool prepare(struct run *run)
{
	const struct tw_parts_limits limits = { .bytes = PARTS_BYTES, .count = PARTS_COUNT };

	run->report.knowledge = tw_knowledge__new();
	run->report.out.buf = malloc(TW_REPORT_OUTPUT_SIZE);
	run->report.text = malloc(TW_REPORT_LINE_MAX);
	run->parts = tw_parts__new(&limits);
	run->hold = tw_report_hold__new(&run->report);
	return run->report.knowledge && run->report.out.buf && run->report.text && run->parts && run->hold;
}

int tw_report__run(int in, const char *name, int out, const struct tw_report_options *options,
		   struct tw_report_stats *ret, struct tw_error *err)
{
	struct run run = { .report = { .options = options, .out.fd = out }, .stats = ret };
	struct tw_capture_file *file;
	int error;

	*ret = (struct tw_report_stats){ 0 };
	error = tw_capture_file__open(in, name, &file, err);
	if (error)
		return error;
	error = prepare(&run) ? 0 : tw_error__set(err, -ENOMEM, "no memory to read %s", name);
	if (!error)
		error = take_packets(&run, file, name, err);
	if (!error)
		error = judge(&run, name, err);
	finish(&run);
	tw_capture_file__close(file);
	return error;
}
