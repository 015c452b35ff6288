/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An archive's insides: archive.c writes packets, archive_stats.c keeps the books. */
#ifndef TW_ARCHIVE_STATE_H
#define TW_ARCHIVE_STATE_H

#include "pcap-tools/identity.h"
#include "pcap-tools/record/archive.h"
#include "pcap-tools/record/books.h"
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
	uint64_t latest; /* stream time of the packet held last */
	struct tw_hold hold;
};

struct tw_archive {
	struct tw_merge *merge;
	struct tw_pcapng *file;
	char *description;
	struct tw_archive_stream *streams[TW_MERGE_STREAMS_MAX];
	size_t n_streams;
	struct tw_archive_stream *latest;
	int code; /* a failure that is not the writer's */
};

/** tw_archive__close_stream() - its statistics and the ledger go into the file */
int tw_archive__close_stream(struct tw_archive *a, const struct tw_archive_stream *s);

#endif
