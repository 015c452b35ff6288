/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "pcap-tools/record/archive_state.h"

/* Add what is known of a stream's events, apart from those written. */
static void archive__count_stream(const struct tw_archive *a, const struct tw_archive_stream *s,
				  struct tw_archive_stats *stats)
{
	const uint64_t shed = tw_stream_books__total(&s->books, TW_BOOK_SHED),
		       tx = tw_stream_books__total(&s->books, TW_BOOK_TX);
	struct tw_merge_stream_stats merge = s->at_end;
	uint64_t missing, explained = a->explain ? a->explain(a->ctx, s->id) : 0;

	if (!tw_archive__is_full(a))
		tw_merge__stream_stats(a->merge, s->id, &merge);
	missing = merge.gaps + merge.incomplete + merge.damaged;
	missing = missing > shed + tx ? missing - shed - tx : 0;
	explained = explained < missing ? explained : missing;
	stats->recorded += tw_stream_books__total(&s->books, TW_BOOK_RECORDED);
	stats->read += tw_stream_books__total(&s->books, TW_BOOK_READ);
	stats->lost_ring += tw_stream_books__total(&s->books, TW_BOOK_RING);
	stats->lost_shed += shed;
	stats->lost_tx += tx;
	stats->explained += explained;
	stats->lost_wire += missing - explained;
	stats->lost_unknown += s->books.unknown;
	stats->filtered += s->filtered;
	stats->merge.late += merge.late;
	stats->merge.filtered += merge.filtered;
	stats->merge.control_gaps += merge.control_gaps;
}

static void tell_filtered(const struct tw_archive_stats *of, bool filters, char *ret, size_t size)
{
	*ret = '\0';
	if (filters)
		snprintf(ret, size, "; filtered: %" PRIu64 " on the way, %" PRIu64 " before writing",
			 of->merge.filtered + of->explained, of->filtered);
}

int tw_archive__close_stream(struct tw_archive *a, const struct tw_archive_stream *s)
{
	struct tw_archive_stats of = { .events = s->events };
	struct tw_pcapng_statistics statistics = { .time = s->end, .start = s->start, .end = s->end };
	char filtered[128], ledger[640];

	archive__count_stream(a, s, &of);
	statistics.dropped = of.lost_ring + of.lost_shed + of.lost_tx + of.lost_wire;
	statistics.os_dropped = of.lost_ring;
	statistics.delivered = s->events;
	statistics.received = s->events + statistics.dropped + of.filtered + of.merge.filtered + of.explained;
	statistics.filters = a->filter || of.merge.filtered || of.explained;
	tell_filtered(&of, statistics.filters, filtered, sizeof(filtered));
	statistics.comment = ledger;
	snprintf(ledger, sizeof(ledger),
		 "events: %" PRIu64 " recorded by the kernel, %" PRIu64 " read, %" PRIu64
		 " in this file, of which out of order: %" PRIu64 "%s; lost: %" PRIu64 " in the ring, %" PRIu64
		 " by the producer, %" PRIu64 " in transmission, %" PRIu64
		 " on the wire; losses of unknown size: %" PRIu64 "; metadata frames lost: %" PRIu64,
		 of.recorded, of.read, of.events, of.merge.late, filtered, of.lost_ring, of.lost_shed, of.lost_tx,
		 of.lost_wire, of.lost_unknown, of.merge.control_gaps);
	return tw_pcapng__statistics(a->file, s->interface, &statistics);
}

void tw_archive__stats(const struct tw_archive *a, struct tw_archive_stats *ret)
{
	struct tw_merge_stats merge;
	struct tw_archive_stats stats = { .bytes = tw_pcapng__bytes(a->file), .dropped = tw_pcapng__dropped(a->file) };

	for (size_t i = 0; i < a->n_streams; i++) {
		stats.packets += a->streams[i]->packets;
		stats.events += a->streams[i]->events;
		archive__count_stream(a, a->streams[i], &stats);
	}
	tw_merge__stats(a->merge, &merge);
	if (tw_archive__is_full(a)) { /* what came behind it does not count */
		merge.late = stats.merge.late;
		merge.control_gaps = stats.merge.control_gaps;
		merge.filtered = stats.merge.filtered;
	}
	stats.merge = merge;
	tw_archive_filter__stats(a, &stats);
	stats.packets -= stats.dropped;
	stats.events -= stats.dropped < stats.events ? stats.dropped : stats.events;
	*ret = stats;
}
