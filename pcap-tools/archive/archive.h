/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames in, pcapng out, in the caller's thread: merge, names, times, what is said again in each file, and the ledger. The recorder
 * runs one in its thread.
 *
 * Each stream is an interface, "host:instance" from its HOST record. A packet's time is the event's time in the stream's clock plus
 * an offset (clocks/stream_clock.h). A stream's packets wait for its HOST and CLOCK, as long as the merge waits for anything; then it is
 * named after its id and dated by when it came. What waits is in memory only: who joins late had better ask for them (clocks/clock_poller.h).
 *
 * Metadata that say nothing new are left out: they are repeated each second for those who join late. Where the output is several
 * files, each begins with all of it and stands alone.
 */
#ifndef TW_ARCHIVE_H
#define TW_ARCHIVE_H

#include <stdint.h>

#include "base/error.h"
#include "clocks/stream_clock.h"
#include "pcap-tools/capture/capture_filter.h"
#include "pcap-tools/merge/merge.h"
#include "pcap-tools/metadata/metadata.h"
#include "pcap-tools/output/output.h"
#include "pcap-tools/pcapng/writer.h"
#include "stream/ledger.h"

struct tw_archive_options {
	const char *name;        /* of the file for error texts */
	const char *application; /* who writes: "tracewire record 0.1.0"; NULL = "tracewire VERSION" */
	const char *hardware;    /* of this machine; NULL = unsaid */
	const char *os;          /* of this machine; NULL = unsaid */
	const char *comment;     /* on the section; NULL = none */
	const char *description; /* of the interfaces; NULL = made from the HOST record: events, clock, kernel */
	size_t buffer;           /* bytes collected before a write; 0 = 960 KiB */
	size_t memory;           /* bytes held for merging; 0 = 64 MiB */
	size_t metadata;         /* bytes of metadata kept of all streams; 0 = TW_STREAMS_METADATA_MAX */
	uint64_t wait_ns;        /* see struct tw_merge_options */
	bool from_start;         /* the same */
	/*
	 * The streams come from several machines over a network: they are put in one order, holes in their numbers are told in the
	 * list, and OFFSET records say how good their times are.
	 */
	bool network;
	bool packed;         /* frames are kept as they were received; a filter does not go with that */
	uint32_t snaplen;    /* bytes of a packet with events that are written; 0 = all */
	enum tw_align align; /* see clocks/stream_clock.h */
	bool wall;           /* the same */
	uint64_t
		statistics_ns; /* of this machine's time between two statistics blocks of an interface; 0 = one at the end */
	/*
	 * Events that it does not match are counted and not written; all else is. NULL = none. Borrowed until tw_archive__free().
	 * It is bound to the formats that the frames bring: names that they do not have match nothing. Without from_start the first
	 * events of a stream wait for formats, as for a HOST. Events too large for a frame are written undecided.
	 */
	const struct tw_filter *filter;
	/* Events behind these are counted as not wanted; 0 = no limit. */
	uint64_t events_max, bytes_max, files_max;
	/*
	 * How many of a stream's events a classifier on the way dropped, so that their numbers are missing here; asked when books are
	 * made, in the thread that asks for them. They are counted as filtered and not as lost. NULL = none are known of.
	 */
	uint64_t (*explain)(void *ctx, uint64_t stream_id);
	void *ctx; /* for explain */
};

/* The books. Counted in events unless said otherwise. */
struct tw_archive_stats {
	uint64_t packets;        /* written: events, LOST, control frames */
	uint64_t dropped;        /* packets that could not be written */
	uint64_t bytes;          /* of all files */
	uint64_t removed_early;  /* files of a ring that had to go for want of space on the disk */
	struct tw_ledger ledger; /* of all streams together */
	struct tw_merge_stats merge;
	struct tw_metadata_stats
		metadata; /* of all streams; items and memory are those of the streams that are not over */
	struct tw_capture_filter_stats capture_filter; /* the filter's; its rejected are the ledger's capture_filter */
	struct tw_undecided_predicates undecided_predicates; /* about the filter, once the archive is finished */
};

struct tw_archive;

/**
 * tw_archive__new() - start a section; nothing is written before the first flush
 * @output: stays the caller's
 *
 * Return: 0; -EINVAL if the filter can match nothing whatsoever; -ENOMEM.
 */
int tw_archive__new(struct tw_output *output, const struct tw_archive_options *options, struct tw_archive **ret,
		    struct tw_error *error);

/**
 * tw_archive__frame() - take one frame; copied, if it is not lent
 * @arrival: NULL = out of a file
 *
 * Of out-of-band frames (source OUT_OF_BAND), OFFSET records of a packed archive tell its times, and metadata are learnt from. Those that
 * arrived are ignored: producers send none but answers, which tw_archive__answer() is for.
 *
 * Return: 0, -ENOMEM, or the writer's failure, which is final: -ENOSPC, -EPIPE, ...
 */
int tw_archive__frame(struct tw_archive *a, const void *data, size_t len, const struct tw_arrival *arrival);

/** tw_archive__retire_stream() - whoever admits streams has given its place away: what is held of it is written, and it is over. Return: as above */
int tw_archive__retire_stream(struct tw_archive *a, uint64_t stream_id);

/**
 * tw_archive__answer() - an answer to a question about a stream's clock; unknown streams are ignored
 * @sample: two times of the capture host's clock, two of the stream's as that counts
 */
void tw_archive__answer(struct tw_archive *a, uint64_t stream_id, const struct tw_time_sync_sample *sample);

/** tw_archive__own_clock() - what this host says of its own clock; see tw_stream_clock__own() */
void tw_archive__own_clock(struct tw_archive *a, const struct tw_own_clock *own);

/**
 * tw_archive__tick() - what is due by time: packets that waited too long, statistics, the next file
 * @now: CLOCK_MONOTONIC, ns
 */
int tw_archive__tick(struct tw_archive *a, uint64_t now);

/** tw_archive__flush() - write out what was released: after each round for a live reader, now and then for a file */
int tw_archive__flush(struct tw_archive *a);

/** tw_archive__missing() - frames that were lost behind the last that came, at least; of which stream is not known. Before the end */
void tw_archive__missing(struct tw_archive *a, uint64_t frames);

/**
 * tw_archive__finish() - let everything out, write each interface's statistics and the ledger, flush
 *
 * No frames may follow. After a failure the statistics with the final ledger go to where tw_output__write_last() puts them.
 */
int tw_archive__finish(struct tw_archive *a);

/**
 * tw_archive__give_up() - of an archive whose thread does not come back from the output: the end, without a word more in the file
 *
 * What came and is not known to be in the file counts as not written. Called between what tw_output__watch() tells; only books may be
 * asked for after it, and that thread may not go on.
 *
 * @why: the failure from then on, of @err
 */
void tw_archive__give_up(struct tw_archive *a, int err, const struct tw_error *why);

/** tw_archive__is_full() - whether as much as there may be was written */
bool tw_archive__is_full(const struct tw_archive *a);

/** tw_archive__error() - the first failure, 0 if none; its text goes to @error, which may be NULL */
int tw_archive__error(const struct tw_archive *a, struct tw_error *error);

void tw_archive__stats(const struct tw_archive *a, struct tw_archive_stats *ret);

/*
 * What is to be told of one stream. Of streams that are over the last report may stand for several, which were too many to be told one by
 * one: its name says how many, and its id is 0.
 */
struct tw_archive_report {
	char name[256]; /* host:instance */
	uint64_t stream_id;
	uint64_t packets;        /* written */
	struct tw_ledger ledger; /* delivered: in all files */
	struct tw_stream_clock_summary clock;
};

/**
 * tw_archive__reports() - of every stream, those that are over too
 * @ret: the caller's, to be freed with free()
 * Return: how many; 0 with NULL without memory too.
 */
size_t tw_archive__reports(const struct tw_archive *a, struct tw_archive_report **ret);

/** tw_archive__free() - without finish what is still held is lost; NULL is fine */
void tw_archive__free(struct tw_archive *a);

#endif
