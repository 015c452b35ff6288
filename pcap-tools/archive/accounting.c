/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The accounting of an archive: makes the ledger of each stream, writes it to the file, and keeps the reports of streams that are over.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pcap-tools/archive/archive_impl.h"
#include "pcap-tools/archive/packets.h"

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* If the writer is stuck, an event that arrived counts as not written, unless it is known to be in the file or counts at another place. */
static uint64_t not_written(const struct tw_archive *a, const struct tw_archive_stream *s,
			    const struct tw_stream_numbers *n)
{
	const uint64_t written = s->here.events + s->before.events + s->filtered + s->unwanted;

	return a->given_up ? minus(n->received, n->filtered + n->incomplete + n->damaged + written) : s->unwritten;
}

static void make_ledger(const struct tw_archive *a, const struct tw_archive_stream *s,
			const struct tw_stream_numbers *merge, bool over, struct tw_ledger *ret)
{
	const struct tw_ledger_sources sources = {
		.counters = &s->stream->counters,
		.numbers = *merge,
		.own = { .delivered = s->here.events,
			 .elsewhere = s->before.events,
			 .filtered = s->filtered,
			 .unwanted = s->unwanted,
			 .disk = not_written(a, s, merge),
			 .tail_frames = a->tail_frames,
			 .explained = a->options.explain ? a->options.explain(a->options.ctx, s->stream->id) : 0,
			 .finished = over },
	};

	tw_ledger__make(&sources, ret);
}

static void ledger_of(const struct tw_archive *a, const struct tw_archive_stream *s, struct tw_ledger *ret)
{
	struct tw_stream_numbers merge;

	tw_merge__stream_stats(a->merge, s->stream->id, &merge);
	make_ledger(a, s, &merge, a->finished, ret);
}

static int put_ledger(struct tw_archive *a, const struct tw_archive_stream *s, const struct tw_ledger *ledger)
{
	char comment[TW_LEDGER_TEXT_MAX];
	struct tw_pcapng_statistics statistics = {
		.time = s->here.end,
		.start = s->here.start,
		.end = s->here.end,
		.delivered = s->here.events,
		.dropped = tw_ledger__sum(ledger, TW_LEDGER_LOST),
		.os_dropped = ledger->place[TW_PLACE_RING],
		.filters = a->capture_filter || tw_ledger__sum(ledger, TW_LEDGER_REJECTED),
		.comment = comment,
	};

	statistics.received = statistics.delivered + statistics.dropped + tw_ledger__sum(ledger, TW_LEDGER_REJECTED);
	tw_ledger__comment(ledger, comment, sizeof(comment));
	return tw_pcapng__statistics(a->file, s->interface, &statistics);
}

int tw_archive__put_statistics(struct tw_archive *a, struct tw_archive_stream *s)
{
	struct tw_ledger ledger;

	ledger_of(a, s, &ledger);
	return put_ledger(a, s, &ledger);
}

static void make_report(const struct tw_archive_stream *s, const struct tw_ledger *ledger,
			struct tw_archive_report *ret)
{
	const struct tw_identity *identity = &s->stream->identity;

	memset(ret, 0, sizeof(*ret));
	tw_identity__name(identity, s->stream->id, ret->name, sizeof(ret->name));
	memcpy(ret->sync, identity->sync, sizeof(ret->sync));
	memcpy(ret->grandmaster, identity->grandmaster, sizeof(ret->grandmaster));
	ret->sync_since = identity->sync_since;
	ret->stream_id = s->stream->id;
	ret->ledger = *ledger;
	ret->packets = s->before.packets + s->here.packets;
	tw_stream_clock__summary(&s->clock, &ret->clock);
	/* For the whole capture it does not matter which of its files has an event. */
	ret->ledger.place[TW_PLACE_DELIVERED] += ret->ledger.place[TW_PLACE_ELSEWHERE];
	ret->ledger.place[TW_PLACE_ELSEWHERE] = 0;
}

/* Adds a report to the last row. The row then has the name "N other streams" and the id 0. */
static void add_to_others(struct tw_archive *a, const struct tw_archive_report *report)
{
	struct tw_archive_report *others = &a->over[a->n_over - 1].report;

	a->n_others += a->n_others ? 1 : 2; /* the first time, the sum also includes the stream that the row had */
	snprintf(others->name, sizeof(others->name), "%" PRIu64 " other streams", a->n_others);
	others->stream_id = 0;
	others->clock = (struct tw_stream_clock_summary){ .error_ns = TW_ERROR_UNKNOWN };
	others->sync[0] = others->grandmaster[0] = '\0';
	others->sync_since = 0;
	tw_ledger__add(&others->ledger, &report->ledger);
	others->packets += report->packets;
}

/* Adds a stream that is over to the list. If the list is full, its last row becomes a sum: of its own stream, @over and all later ones. */
static void remember(struct tw_archive *a, const struct tw_archive_over *over)
{
	if (a->n_over == a->size_over && a->size_over < TW_STREAMS_REPORTED_MAX) {
		const size_t size = a->size_over ? 2 * a->size_over : 16;
		struct tw_archive_over *more = realloc(a->over, size * sizeof(*more));

		if (more) {
			a->over = more;
			a->size_over = size;
		}
	}
	if (a->n_over < a->size_over) {
		a->over[a->n_over++] = *over;
	} else if (a->n_over) {
		add_to_others(a, &over->report);
	}
}

void tw_archive__retire(void *ctx, uint64_t stream_id, const struct tw_stream_numbers *stats)
{
	struct tw_archive *a = ctx;
	struct tw_archive_stream *s = tw_archive__find(a, stream_id);
	struct tw_metadata_stats metadata;
	struct tw_archive_over over;
	struct tw_ledger ledger;

	if (!s)
		return;
	over.ended = stats->ended;
	over.described = s->described;
	over.interface = s->interface;
	make_ledger(a, s, stats, true, &ledger);
	if (s->described && !a->lost)
		put_ledger(a, s, &ledger); /* the writer stores a failure, and returns it from its next call */
	make_report(s, &ledger, &over.report);
	remember(a, &over);
	tw_metadata__stats(s->metadata, &metadata);
	metadata.items = metadata.memory = 0;
	tw_metadata_stats__add(&a->metadata_over, &metadata);
	s->stream->user[a->user] = NULL;
	tw_archive_stream__free(s);
}

bool tw_archive__ended_before(struct tw_archive *a, uint64_t stream_id, struct tw_cursor tlvs)
{
	if (!a->n_over || tw_archive__find(a, stream_id) || !tw_cursor__has(tlvs, TW_TLV_END))
		return false;
	for (size_t i = a->n_over; i-- > 0;) {
		if (a->over[i].report.stream_id == stream_id)
			return a->over[i].ended;
	}
	return false;
}

static void count_unwritten_of_over(struct tw_archive *a, uint32_t interface, uint64_t events)
{
	for (size_t i = 0; i < a->n_over; i++) {
		struct tw_archive_over *over = &a->over[i];

		if (!over->described || over->interface != interface)
			continue;
		over->report.packets--;
		over->report.ledger.place[TW_PLACE_DELIVERED] -= events;
		over->report.ledger.place[TW_PLACE_DISK] += events;
	}
}

void tw_archive__count_unwritten(struct tw_archive *a)
{
	struct tw_pcapng_unwritten packet = { 0 };

	while (tw_pcapng__next_unwritten(a->file, &packet)) {
		const uint16_t events = packet.weight;

		if (tw_archive_packets__unwritten(a, packet.interface))
			continue;
		count_unwritten_of_over(a, packet.interface, events);
		for (struct tw_archive_stream *s = tw_archive__first(a); s; s = tw_archive__next(a, s)) {
			if (!s->described || s->interface != packet.interface)
				continue;
			s->here.packets--;
			s->here.events -= events;
			s->unwritten += events;
		}
	}
}

int tw_archive__reports(const struct tw_archive *a, struct tw_archive_report **ret, size_t *ret_n)
{
	const size_t most = a->n_over + tw_streams__count(a->streams);
	struct tw_archive_report *reports = most ? calloc(most, sizeof(*reports)) : NULL;
	size_t n = 0;

	*ret = reports;
	*ret_n = 0;
	if (!reports)
		return most ? -ENOMEM : 0;
	while (n < a->n_over) {
		reports[n] = a->over[n].report;
		n++;
	}
	for (const struct tw_archive_stream *s = tw_archive__first(a); s; s = tw_archive__next(a, s)) {
		struct tw_ledger ledger;

		ledger_of(a, s, &ledger);
		make_report(s, &ledger, &reports[n++]);
	}
	*ret_n = n;
	return 0;
}

static void add_report(struct tw_archive_stats *stats, const struct tw_archive_report *report)
{
	tw_ledger__add(&stats->ledger, &report->ledger);
	stats->packets += report->packets;
}

void tw_archive__stats(const struct tw_archive *a, struct tw_archive_stats *ret)
{
	struct tw_archive_stats stats = {
		.bytes = tw_pcapng__bytes(a->file),
		.dropped = tw_pcapng__dropped(a->file),
		.removed_early = tw_pcapng__removed_early(a->file),
		.ledger = { .state = TW_LEDGER_CLOSED },
		.metadata = a->metadata_over,
	};
	struct tw_metadata_stats metadata;

	for (size_t i = 0; i < a->n_over; i++)
		add_report(&stats, &a->over[i].report);
	tw_merge__stats(a->merge, &stats.merge);
	tw_archive_packets__stats(a, &stats.beside);
	for (const struct tw_archive_stream *s = tw_archive__first(a); s; s = tw_archive__next(a, s)) {
		struct tw_archive_report report;
		struct tw_ledger ledger;

		ledger_of(a, s, &ledger);
		make_report(s, &ledger, &report);
		add_report(&stats, &report);
		tw_metadata__stats(s->metadata, &metadata);
		tw_metadata_stats__add(&stats.metadata, &metadata);
	}
	if (a->capture_filter) {
		tw_capture_filter__stats(a->capture_filter, &stats.capture_filter);
		stats.capture_filter.undecided += a->undecided;
	}
	if (a->capture_filter && a->finished)
		tw_capture_filter__undecided_predicates(a->capture_filter, &stats.undecided_predicates);
	*ret = stats;
}
