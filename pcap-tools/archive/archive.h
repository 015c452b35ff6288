/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An archive takes frames and writes pcapng, in the caller's thread. It merges frames, adds names and times, repeats metadata in each file,
 * and writes the ledger. The recorder runs an archive in its thread.
 *
 * Each stream is an interface, "host:instance" from its HOST record. A packet's time is the event's time by the stream's clock plus an
 * offset (clocks/stream_clock.h). A stream's packets wait for its HOST and CLOCK, but not longer than wait_ns. Without them the stream is
 * named after its id and dated by arrival. Waiting packets are in memory only: a receiver that joins late should request the metadata
 * (clocks/clock_poller.h).
 *
 * Producers repeat metadata each second for receivers that join late; these repetitions are left out unless frames are written packed. If
 * the output is several files, each can be read alone: it has the metadata of a stream before the first packet of that stream.
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
	const char *application; /* the writing program: "tracewire record 0.1.0"; NULL = "tracewire VERSION" */
	const char *hardware;    /* hardware of this machine; NULL = not written */
	const char *os;          /* operating system of this machine; NULL = not written */
	const char *comment;     /* comment of the section; NULL = none */
	const char *description; /* of the interfaces; NULL = made from the HOST record: events, clock, kernel */
	size_t buffer;           /* bytes collected before a write; 0 = 960 KiB */
	size_t memory;           /* bytes queued for merging; 0 = 64 MiB */
	size_t metadata;         /* bytes of metadata of all streams; 0 = TW_STREAMS_METADATA_MAX */
	uint64_t wait_ns;        /* see struct tw_merge_options */
	bool from_start;         /* see struct tw_merge_options */
	/*
	 * The streams come from several machines over a network: gaps in their numbers are shown in the packet list, and OFFSET records
	 * have the error bounds of their times.
	 */
	bool network;
	bool packed;         /* frames are written as they were received; not possible with a filter */
	uint32_t snaplen;    /* bytes written of a packet with events; 0 = all */
	enum tw_align align; /* see clocks/stream_clock.h */
	bool wall;           /* see clocks/stream_clock.h */
	uint64_t
		statistics_ns; /* this machine's time between two statistics blocks of an interface; 0 = only one at the end */
	/*
	 * Events that do not match it are counted and not written; everything else is written. NULL = no filter. Borrowed until
	 * tw_archive__free(). It is bound to the formats in the frames: names that they do not have match nothing. Without from_start
	 * the first events of a stream wait for formats, as for a HOST. Events too large for a frame are written without a decision.
	 */
	const struct tw_filter *filter;
	/* Limits of what is written: later events count as not wanted; 0 = no limit. */
	uint64_t events_max, bytes_max, files_max;
	/*
	 * Returns the number of a stream's events that a classifier on the path dropped, so that their numbers are missing here. Called
	 * when the ledger is made, in the calling thread. They count as filtered and not as lost. NULL = none are known.
	 */
	uint64_t (*explain)(void *ctx, uint64_t stream_id);
	void *ctx; /* context of the callback */
};

/* The accounting. Counted in events unless said otherwise. */
struct tw_archive_stats {
	uint64_t packets;        /* packets written: events, LOST, control frames */
	uint64_t dropped;        /* packets that could not be written */
	uint64_t bytes;          /* of all files */
	uint64_t removed_early;  /* files of a ring that were deleted because the disk was full */
	struct tw_ledger ledger; /* sum of all streams */
	struct tw_merge_stats merge;
	struct tw_metadata_stats metadata; /* of all streams; items and memory do not include streams that are over */
	struct tw_capture_filter_stats capture_filter;       /* its rejected events are the ledger's capture_filter */
	struct tw_undecided_predicates undecided_predicates; /* of the filter, after the archive is finished */
};

struct tw_archive;

/**
 * tw_archive__new() - start a section; nothing is written before the first flush, or before the buffer is full
 * @output: stays the caller's
 *
 * Return: 0; -EINVAL if a comparison of the filter is impossible for every event; -ENOMEM.
 */
int tw_archive__new(struct tw_output *output, const struct tw_archive_options *options, struct tw_archive **ret,
		    struct tw_error *error);

/**
 * tw_archive__frame() - take one frame; copied unless its buffer is lent
 * @arrival: NULL = read from a file
 *
 * Out-of-band frames (source OUT_OF_BAND): if they are read from a packed capture, their OFFSET records determine packet times, and their
 * metadata are used. Out-of-band frames that arrived from a network are ignored: producers send only answers, for which there is
 * tw_archive__answer().
 *
 * Return: 0, -ENOMEM, or the writer's failure, which is final: -ENOSPC, -EPIPE, ...
 */
int tw_archive__frame(struct tw_archive *a, const void *data, size_t len, const struct tw_arrival *arrival);

/** tw_archive__retire_stream() - write what is queued of a stream that admission evicted, and end it. Return: as above */
int tw_archive__retire_stream(struct tw_archive *a, uint64_t stream_id);

/**
 * tw_archive__answer() - take an answer about a stream's clock; unknown streams are ignored
 * @sample: two times of the capture host's clock, two of the stream's clock
 */
void tw_archive__answer(struct tw_archive *a, uint64_t stream_id, const struct tw_time_sync_sample *sample);

/** tw_archive__own_clock() - set what this host knows about its own clock; see tw_stream_clock__own() */
void tw_archive__own_clock(struct tw_archive *a, const struct tw_own_clock *own);

/**
 * tw_archive__tick() - do what is due at @now, CLOCK_MONOTONIC in ns: packets that waited too long, statistics, the next file
 * Return: as tw_archive__frame()
 */
int tw_archive__tick(struct tw_archive *a, uint64_t now);

/** tw_archive__flush() - write released packets: after each round for a live reader, from time to time for a file. Return: as above */
int tw_archive__flush(struct tw_archive *a);

/** tw_archive__missing() - before the end: note that at least @frames frames of unknown streams were lost after the last that arrived */
void tw_archive__missing(struct tw_archive *a, uint64_t frames);

/**
 * tw_archive__finish() - release everything, write each interface's statistics and the ledger, flush
 *
 * No frames may follow. After a failure the statistics with the final ledger are written with tw_output__write_last().
 *
 * Return: as tw_archive__frame().
 */
int tw_archive__finish(struct tw_archive *a);

/**
 * tw_archive__give_up() - end an archive whose thread is blocked in a write to the output; nothing more is written to the file
 *
 * What arrived and is not known to be in the file counts as not written. Called between @begin and @done of tw_output__watch(). Only the
 * accounting may be read afterwards, and that thread must not continue.
 *
 * @err, @why: the failure that the archive has from then on, and its text
 */
void tw_archive__give_up(struct tw_archive *a, int err, const struct tw_error *why);

/** tw_archive__is_full() - whether the limit of what to write is reached */
bool tw_archive__is_full(const struct tw_archive *a);

/** tw_archive__error() - the first failure, 0 if none; its text is written to @error, which may be NULL */
int tw_archive__error(const struct tw_archive *a, struct tw_error *error);

/** tw_archive__stats() - get the totals of all streams so far */
void tw_archive__stats(const struct tw_archive *a, struct tw_archive_stats *ret);

/*
 * The report of one stream. The last report of streams that are over may stand for several, if there are too many to report one by one:
 * its name is "N other streams", and its id is 0.
 */
struct tw_archive_report {
	char name[256]; /* host:instance */
	uint64_t stream_id;
	uint64_t packets;        /* packets written, including metadata */
	struct tw_ledger ledger; /* events delivered, in all files */
	struct tw_stream_clock_summary clock;
};

/** tw_archive__reports() - one for every stream, including those that are over. @ret: free it. Return: their number; 0 without memory */
size_t tw_archive__reports(const struct tw_archive *a, struct tw_archive_report **ret);

/** tw_archive__free() - free it; frames that are still queued are lost, unless it was finished; NULL is fine */
void tw_archive__free(struct tw_archive *a);

#endif
