/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/events/accounting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tw_event_counts *tw_event_accounting__stream(struct tw_event_reader *reader, struct tw_stream *stream)
{
	if (stream->user[reader->user])
		return stream->user[reader->user];
	stream->user[reader->user] = calloc(1, sizeof(struct tw_event_counts));
	reader->n_streams += stream->user[reader->user] != NULL;
	return stream->user[reader->user];
}

void tw_event_accounting__lost(struct tw_stream *stream, struct tw_event_counts *s, const struct tw_tlv_view *tlv,
			       const struct tw_lost_view *lost)
{
	tw_stream_counters__lost(&stream->counters, tlv);
	s->losses++;
	if (lost->where == TW_LOST_RECEIVER)
		s->receiver = tw_count__plus(s->receiver, lost->count);
}

void tw_event_accounting__frame(struct tw_event_counts *s, const struct tw_event_frame *frame, uint64_t events,
				uint64_t filtered)
{
	const uint64_t found = events + filtered;

	s->events += events;
	if (frame->merged || frame->info.source == TW_SOURCE_CONTROL || frame->info.source == TW_SOURCE_OUT_OF_BAND)
		return;
	s->filtered += filtered;
	if (!frame->missing && frame->info.events > found)
		s->damaged += frame->info.events - found;
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Makes the ledger of a stream from the frames of the file. */
static void count(const struct tw_event_reader *reader, const struct tw_stream *stream, const struct tw_event_counts *s,
		  struct tw_ledger *ret)
{
	struct tw_ledger_sources sources = { .counters = &stream->counters,
					     .own = { .receiver = s->receiver, .finished = true } };
	struct tw_stream_numbers *n = &sources.numbers;

	tw_event_frames__numbers(reader->frames, stream->id, n);
	n->events_out = minus(n->events_out, tw_count__plus(s->filtered, s->damaged));
	n->filtered = tw_count__plus(n->filtered, s->filtered);
	n->damaged = tw_count__plus(n->damaged, s->damaged);
	/* Not those of the merge, which also counts frames cut by the snap length: the reader counts malformed frames itself. */
	n->malformed = 0;
	if (stream->counters.from_start) {
		n->gaps_wire = tw_count__plus(n->gaps_wire, n->before);
		n->before = 0;
	}
	sources.own.delivered = n->events_out;
	tw_ledger__make(&sources, ret);
}

/* Assigns the stored ledgers of the file's interfaces to streams. */
static void find_stored(const struct tw_event_reader *reader)
{
	for (uint32_t i = 0; i < reader->interfaces.n; i++) {
		const struct tw_capture_interface *interface = &reader->interfaces.items[i];
		struct tw_event_counts *s = interface->stream ? interface->stream->user[reader->user] : NULL;

		if (!interface->has_ledger || !s)
			continue;
		s->has_stored = true;
		s->stored = interface->ledger;
	}
}

/* Whether the stream was converted from a trace.dat: then the version in HOST is that of trace-cmd. */
static bool is_of_trace_cmd(const struct tw_stream *stream)
{
	return !strncmp(stream->identity.version, "trace-cmd", strlen("trace-cmd"));
}

static void add_ledger(struct tw_event_reader *reader, const struct tw_stream *stream, const struct tw_event_counts *s)
{
	struct tw_event_reader_stats *stats = reader->stats;
	struct tw_ledger ledger = s->stored;

	if (s->has_stored)
		stats->cut = tw_count__plus(stats->cut, minus(ledger.place[TW_PLACE_DELIVERED], s->events));
	else
		count(reader, stream, s, &ledger);
	if (ledger.place[TW_PLACE_WIRE] && !*stats->program_filter)
		snprintf(stats->program_filter, sizeof(stats->program_filter), "%s",
			 tw_capture_interfaces__filter(&reader->interfaces, stream));
	if (is_of_trace_cmd(stream))
		stats->trace_cmd = tw_count__plus(stats->trace_cmd, ledger.place[TW_PLACE_RING]);
	tw_ledger__add(&stats->ledger, &ledger);
}

void tw_event_accounting__finish(struct tw_event_reader *reader)
{
	find_stored(reader);
	reader->stats->ledger.state = TW_LEDGER_CLOSED;
	for (struct tw_stream *stream = tw_streams__first(reader->streams); stream; stream = stream->next) {
		if (stream->user[reader->user])
			add_ledger(reader, stream, stream->user[reader->user]);
	}
}

void tw_event_accounting__fini(struct tw_event_reader *reader)
{
	struct tw_stream *stream = reader->streams ? tw_streams__first(reader->streams) : NULL;

	for (; stream; stream = stream->next)
		free(stream->user[reader->user]);
	tw_capture_interfaces__fini(&reader->interfaces);
}
