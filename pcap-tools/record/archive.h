/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames in, pcapng out, in the caller's thread: merge, names, times and statistics. The recorder runs one in its thread; live
 * runs one in its receive loop.
 *
 * Each stream is an interface, "host:instance" from its HOST record. A packet's time is the event's time in the stream's clock plus
 * the distance of CLOCK_REALTIME in the stream's first CLOCK record, so that later steps of the wall clock change no order. Until
 * both records came, a stream's packets are held, up to a bound; then it is named after its id and dated by the local clock.
 */
#ifndef TW_ARCHIVE_H
#define TW_ARCHIVE_H

#include <stdint.h>

#include "base/error.h"
#include "pcap-tools/capture/sieve.h"
#include "pcap-tools/merge/merge.h"
#include "pcap-tools/pcapng/writer.h"

struct tw_archive_options {
	const char *name;        /* of the file for error texts */
	const char *application; /* who writes: "tracewire record 0.1.0"; NULL = "tracewire VERSION" */
	const char *hardware;    /* of this machine; NULL = unsaid */
	const char *os;          /* of this machine; NULL = unsaid */
	const char *comment;     /* on the section; NULL = none */
	const char *description; /* of the interfaces; NULL = made from the HOST record: events, clock, kernel */
	size_t buffer;           /* bytes collected before a write(); 0 = 256 KiB */
	size_t memory;           /* bytes held for merging; 0 = 64 MiB */
	uint64_t wait_ns;        /* see struct tw_merge_options */
	bool from_start;         /* see struct tw_merge_options */
	/*
	 * Events that it does not match are counted and not written; all else is. NULL = none. Borrowed until tw_archive__free().
	 * It is bound to the formats that the frames bring: names that they do not have match nothing. Without from_start the first
	 * events of a stream wait for formats, 2 s of its time at most. Events too large for a frame are written undecided.
	 */
	const struct tw_filter *filter;
	uint64_t events_max; /* after so many events nothing more is written or counted; 0 = no limit */
	/*
	 * How many of a stream's events a classifier on the way dropped, so that their numbers are missing here; asked when books are
	 * made, in the thread that asks for them. They are counted as filtered and not as lost. NULL = none are known of.
	 */
	uint64_t (*explain)(void *ctx, uint64_t stream_id);
	void *ctx; /* for explain */
};

/* The books. Counted in events unless said otherwise. */
struct tw_archive_stats {
	uint64_t packets; /* written: events, LOST, control frames */
	uint64_t events;  /* written; what could not be written after all counts as events */
	uint64_t
		filtered; /* did not match the filter here; merge.filtered are those rejected on the way, in their frames */
	uint64_t
		explained; /* rejected on the way with their frames: missing by their numbers, and not among the lost */
	uint64_t dropped;  /* packets that could not be written */
	uint64_t bytes;    /* of the file */
	uint64_t recorded; /* by the kernel, as STATS says; 0 = not told */
	uint64_t read;     /* from the rings, as STATS says; 0 = not told */
	uint64_t lost_ring;    /* the kernel's ring was full: LOST or STATS, whichever says more */
	uint64_t lost_shed;    /* by the producer */
	uint64_t lost_tx;      /* by its interface */
	uint64_t lost_wire;    /* missing by their numbers and not among shed, tx and explained */
	uint64_t lost_unknown; /* LOST records without a count */
	struct tw_merge_stats merge;
	struct tw_sieve_stats sieve; /* the filter's; its rejected are what filtered counts */
	struct tw_doubts doubts;     /* about the filter, once the archive is finished */
};

struct tw_archive;

/**
 * tw_archive__new() - start a section; nothing is written before the first flush
 * @output: stays the caller's
 *
 * Return: 0; -EINVAL if the filter can match nothing whatsoever; -ENOMEM.
 */
int tw_archive__new(struct tw_output *output, const struct tw_archive_options *options, struct tw_archive **ret,
		    struct tw_error *err);

/**
 * tw_archive__frame() - take one frame; copied
 * Return: 0, -ENOMEM, or the writer's failure, which is final: -ENOSPC, -EPIPE, ...
 */
int tw_archive__frame(struct tw_archive *a, const void *data, size_t len);

/** tw_archive__flush() - write out what was released: after each round for a live reader, now and then for a file */
int tw_archive__flush(struct tw_archive *a);

/**
 * tw_archive__finish() - let everything out, write each interface's statistics and the ledger, flush
 * No frames may follow.
 */
int tw_archive__finish(struct tw_archive *a);

/** tw_archive__is_full() - whether as many events as there may be were written */
bool tw_archive__is_full(const struct tw_archive *a);

/** tw_archive__error() - the first failure, 0 if none; its text goes to @err, which may be NULL */
int tw_archive__error(const struct tw_archive *a, struct tw_error *err);

void tw_archive__stats(const struct tw_archive *a, struct tw_archive_stats *ret);

/** tw_archive__free() - without finish what is still held is lost; NULL is fine */
void tw_archive__free(struct tw_archive *a);

#endif
