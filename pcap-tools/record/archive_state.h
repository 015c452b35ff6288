/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An archive's insides: archive.c writes packets, archive_filter.c says which, archive_stats.c keeps the books. */
#ifndef TW_ARCHIVE_STATE_H
#define TW_ARCHIVE_STATE_H

#include "pcap-tools/capture/sieve.h"
#include "pcap-tools/identity.h"
#include "pcap-tools/record/archive.h"
#include "pcap-tools/ledger/books.h"
#include "pcap-tools/record/hold.h"

struct tw_archive_stream {
	uint64_t id;
	struct tw_identity identity;
	struct tw_stream_books books;
	bool named, dated;
	bool open; /* has its interface: packets are written */
	uint32_t interface;
	uint64_t clock_trace, clock_real; /* of its first CLOCK */
	uint64_t offset;                  /* from the stream's clock, in ns, to packet time */
	uint64_t start, end;              /* packet times */
	uint64_t packets, events;
	uint64_t filtered;
	uint64_t first, latest; /* stream times of the packets held first and last */
	struct tw_hold hold;
	struct tw_merge_stream_stats at_end; /* when the archive was full */
	struct tw_known_stream *known;       /* for the filter; NULL without, or beyond a limit */
};

struct tw_archive {
	struct tw_merge *merge;
	struct tw_pcapng *file;
	char *description;
	struct tw_archive_stream *streams[TW_MERGE_STREAMS_MAX];
	size_t n_streams;
	struct tw_archive_stream *latest;
	int code; /* a failure that is not the writer's */
	uint64_t n_events, events_max;
	uint64_t (*explain)(void *ctx, uint64_t stream_id);
	void *ctx;
	const struct tw_filter *filter; /* NULL = none, and none of what follows */
	struct tw_sieve *sieve;
	struct tw_knowledge *knowledge;
	bool from_start, finished;
	uint64_t undecided; /* events that did not get to the sieve */
};

/** tw_archive__close_stream() - its statistics and the ledger go into the file */
int tw_archive__close_stream(struct tw_archive *a, const struct tw_archive_stream *s);

/** tw_archive_filter__init() - Return: 0, also without a filter; as tw_sieve__new(): fini is due then too */
int tw_archive_filter__init(struct tw_archive *a, const struct tw_archive_options *options, struct tw_error *err);

void tw_archive_filter__fini(struct tw_archive *a);

/** tw_archive_filter__learn() - take in what a frame with that header says; only with a filter, as all that follow */
void tw_archive_filter__learn(struct tw_archive *a, struct tw_archive_stream *s, const uint8_t *head,
			      const struct tw_tlv_view *tlv);

/**
 * tw_archive_filter__is_ready() - whether what was held can be asked for: from the first event on whose schema is known
 *
 * When watermarks let out an event, all metadata that arrived before it are out, so that then names are known too.
 */
bool tw_archive_filter__is_ready(struct tw_archive *a, struct tw_archive_stream *s, const struct tw_merged *out);

/**
 * tw_archive_filter__wants() - whether an event is to be written; else it is counted
 * @head: of the frame that it came in
 * @event: its TLV, which was parsed before
 */
bool tw_archive_filter__wants(struct tw_archive *a, struct tw_archive_stream *s, const uint8_t *head,
			      const uint8_t *event, uint64_t time);

/** tw_archive_filter__describe() - what a stream's events went through, as text: at its producer, and here */
void tw_archive_filter__describe(const struct tw_archive *a, const struct tw_archive_stream *s, char *ret, size_t size);

/** tw_archive_filter__stats() - what it counted, of all streams */
void tw_archive_filter__stats(const struct tw_archive *a, struct tw_archive_stats *ret);

#endif
