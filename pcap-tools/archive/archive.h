/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An archive takes frames and writes pcapng, in the caller's thread. It merges the frames, names the streams, computes packet times,
 * repeats metadata in each file, and writes the ledger. The recorder (pcap-tools/record) runs an archive in a thread.
 *
 * Each stream becomes an interface of the file, named "host:instance" after its HOST record. A packet's time is the event's time by the
 * stream's clock plus an offset (clocks/stream_clock.h). A stream's packets wait for its HOST and CLOCK, but not longer than wait_ns. If no
 * HOST arrives in time, the stream is named after its id. If no CLOCK arrives in time, packet times are computed from arrival times.
 * Waiting packets are in memory only, so a receiver that joins late should request the metadata to shorten the wait
 * (clocks/clock_poller.h).
 *
 * Producers repeat metadata each second for receivers that join late. An archive omits these repetitions, unless frames are written packed.
 * If the output is several files, each can be read alone: it has the metadata of a stream before the first packet of that stream.
 */
#ifndef TW_ARCHIVE_H
#define TW_ARCHIVE_H

#include <stdint.h>

#include "base/error.h"
#include "clocks/capture_clock.h"
#include "clocks/stream_clock.h"
#include "pcap-tools/capture/capture_filter.h"
#include "pcap-tools/merge/merge.h"
#include "pcap-tools/metadata/metadata.h"
#include "pcap-tools/output/output.h"
#include "pcap-tools/packets/packet_capture.h"
#include "pcap-tools/pcapng/writer.h"
#include "stream/ledger.h"

struct tw_archive_options {
	const char *application; /* the writing program, such as "tracewire record 0.1.0"; NULL = "tracewire VERSION" */
	const char *hardware;    /* hardware of this machine; NULL = not written */
	const char *os;          /* operating system of this machine; NULL = not written */
	const char *comment;     /* comment of the section; NULL = none */
	const char *description; /* of each interface; NULL = made from the stream's HOST: events, clock, kernel */
	size_t buffer;           /* bytes collected before a write; 0 = 960 KiB */
	size_t memory;           /* limit of the bytes queued for merging; 0 = 64 MiB */
	size_t metadata;         /* limit of the metadata kept for all streams, bytes; 0 = TW_STREAMS_METADATA_MAX */
	uint64_t wait_ns;        /* see struct tw_merge_options */
	bool from_start;         /* see struct tw_merge_options */
	/*
	 * The streams may come from several machines over a network. So LOST records are written for gaps in the event numbers, and
	 * OFFSET records for the error bounds of the packet times.
	 */
	bool network;
	bool packed;                   /* frames are written as they were received; not to be combined with a filter */
	uint32_t snaplen;              /* bytes written of a packet with events; 0 = all */
	enum tw_align align;           /* see clocks/stream_clock.h */
	bool wall;                     /* see clocks/stream_clock.h */
	struct tw_capture_clock clock; /* that has begun already; all zero = begin one */
	struct tw_own_clock own;       /* the first state of this host's clocks, as for tw_archive__own_clock() */
	/* Longest time that a packet (tw_archive__packet()) waits for events before it, ns; 0 = no limit except memory. */
	uint64_t packet_wait_ns;
	/* Time between two statistics blocks of an interface, by CLOCK_MONOTONIC. 0 = only at the end of a file and of a stream. */
	uint64_t statistics_ns;
	/*
	 * The capture filter; NULL = no filter. Borrowed until tw_archive__free(). Events that do not match it are counted, but not
	 * written. Everything else is written. A comparison with a name that the formats of a stream do not have is FALSE for all its
	 * events. Without from_start, the first events of a stream wait for its formats as they wait for its HOST. Events that are too
	 * large for a frame are written without being evaluated.
	 */
	const struct tw_filter *filter;
	/* Limits of what is written; 0 = no limit. Events that follow after a limit is reached count at the place `unwanted`. */
	uint64_t events_max, bytes_max, files_max;
	/*
	 * Returns the number of a stream's events that a classifier between producer and capture dropped. The archive does not receive
	 * these events, and counts them as rejected instead of lost. Called in the thread that makes the ledger. NULL = no dropped events
	 * are known.
	 */
	uint64_t (*explain)(void *ctx, uint64_t stream_id);
	/*
	 * Returns the present by the clock of packet times, ns since 1970: the reference with TW_ALIGN_HOST, otherwise the wall clock.
	 * NULL = these clocks are read; a test injects its own.
	 */
	uint64_t (*present)(void *ctx);
	void *ctx; /* context of the callbacks */
};

/* The counters of the packets beside the events. */
struct tw_archive_packet_stats {
	size_t interfaces;
	uint64_t written;   /* packets written to all files */
	uint64_t dropped;   /* packets that the kernel dropped, because its buffer was full */
	uint64_t late;      /* packets and events written after a newer event or packet */
	uint64_t forced;    /* packets written early, because the queue had reached its limit */
	uint64_t unwritten; /* packets that could not be written */
	uint64_t unread;    /* packets that were in the kernel's buffer at the end, and were not read */
	uint64_t error_ns;  /* largest error of packet times relative to the events; TW_ERROR_UNKNOWN = unknown */
	/* An interface that has gone away, and why: "eth0 could not be captured to the end (...)"; "" = all are there. */
	char gone[320];
};

/* The counters of an archive, for all its streams. */
struct tw_archive_stats {
	uint64_t packets;        /* packets written: events, LOST, control frames */
	uint64_t dropped;        /* packets that could not be written */
	uint64_t bytes;          /* bytes written to all files */
	uint64_t removed_early;  /* files of a ring that were deleted because the disk was full */
	struct tw_ledger ledger; /* sum of the ledgers of all streams */
	struct tw_merge_stats merge;
	struct tw_archive_packet_stats beside; /* packets beside the events */
	struct tw_metadata_stats metadata; /* of all streams; items and memory do not include streams that are over */
	struct tw_capture_filter_stats capture_filter;       /* its `rejected` is the ledger's capture_filter */
	struct tw_undecided_predicates undecided_predicates; /* of the filter; valid after tw_archive__finish() */
};

struct tw_archive;

/**
 * tw_archive__new() - make an archive and begin a section; nothing is written before the first flush, unless the buffer becomes full
 * @output: the caller finishes and frees it
 *
 * Return: 0; -EINVAL if a comparison of the filter is impossible for every event; -ENOMEM.
 */
int tw_archive__new(struct tw_output *output, const struct tw_archive_options *options, struct tw_archive **ret,
		    struct tw_error *error);

/**
 * tw_archive__frame() - accept one frame, which is copied unless @arrival lends its buffer
 * @arrival: NULL = read from a file
 *
 * Out-of-band frames (source OUT_OF_BAND) are ignored if they arrived from a network: producers send only answers out-of-band, and the
 * caller passes the times in an answer to tw_archive__answer(). If they are read from a packed capture, their OFFSET records determine
 * packet times, and their metadata are used.
 *
 * Return: 0, -ENOMEM, or the writer's failure, which is final: -ENOSPC, -EPIPE, ...
 */
int tw_archive__frame(struct tw_archive *a, const void *data, size_t len, const struct tw_arrival *arrival);

/** tw_archive__retire_stream() - write the queued frames of an evicted stream, and end the stream. Return: as tw_archive__frame() */
int tw_archive__retire_stream(struct tw_archive *a, uint64_t stream_id);

/**
 * tw_archive__answer() - use the times of a time synchronisation request and its response; no effect for an unknown stream
 * @sample: two times of the capture host's clock, and two of the stream's clock
 */
void tw_archive__answer(struct tw_archive *a, uint64_t stream_id, const struct tw_time_sync_sample *sample);

/** tw_archive__own_clock() - set what this host knows about its own clock; see tw_stream_clock__own() */
void tw_archive__own_clock(struct tw_archive *a, const struct tw_own_clock *own);

/**
 * tw_archive__capture() - announce that packets will be written beside the events of the first stream; call it before the first frame
 * @interfaces: @n of them; copied, but their texts are borrowed until tw_archive__free()
 *
 * From then on, events wait until the packets before them are passed. The archive has no other `align` than TW_ALIGN_NONE, without `wall`.
 *
 * Return: 0 or -ENOMEM.
 */
int tw_archive__capture(struct tw_archive *a, const struct tw_packet_interface *interfaces, size_t n);

/** tw_archive__packet() - accept a packet, which is copied. Return: as tw_archive__frame() */
int tw_archive__packet(struct tw_archive *a, const struct tw_captured_packet *packet);

/**
 * tw_archive__packets_until() - note that all packets with a stamp up to @mono were passed, so that events up to this time can be written
 * @mono: CLOCK_MONOTONIC, ns
 * Return: as tw_archive__frame()
 */
int tw_archive__packets_until(struct tw_archive *a, uint64_t mono);

/** tw_archive__packet_counters() - set the counters of interface @i of the capture; call it before tw_archive__finish() */
void tw_archive__packet_counters(struct tw_archive *a, size_t i, const struct tw_packet_counters *counters);

/**
 * tw_archive__tick() - do what is due at @now: write packets that waited too long, write statistics, begin the next file
 * @now: CLOCK_MONOTONIC, ns
 * Return: as tw_archive__frame()
 */
int tw_archive__tick(struct tw_archive *a, uint64_t now);

/**
 * tw_archive__flush() - pass the buffered bytes to the output; called for a pipe after each batch of frames, for a file from time to time.
 * Return: as tw_archive__frame()
 */
int tw_archive__flush(struct tw_archive *a);

/**
 * tw_archive__missing() - note that at least @frames frames, of unknown streams, were lost after the last received one; call it before
 * tw_archive__finish()
 */
void tw_archive__missing(struct tw_archive *a, uint64_t frames);

/**
 * tw_archive__finish() - write all queued frames, write the statistics of each interface with its ledger, and flush
 *
 * No frames may follow. After a failure, the final statistics are written with tw_output__write_last().
 *
 * Return: as tw_archive__frame().
 */
int tw_archive__finish(struct tw_archive *a);

/**
 * tw_archive__give_up() - end an archive whose thread is blocked in a write to the output; nothing more is written to the file
 *
 * Events that arrived and are not known to be in the file count as not written. Called by another thread, between the callbacks @begin and
 * @done of tw_output__watch().
 * Afterwards only the accounting may be read, and the blocked thread must not continue.
 *
 * @err, @why: the failure that the archive has from then on, and its text
 */
void tw_archive__give_up(struct tw_archive *a, int err, const struct tw_error *why);

/** tw_archive__is_full() - whether a limit of events, bytes or files is reached */
bool tw_archive__is_full(const struct tw_archive *a);

/** tw_archive__error() - Return: the first failure, with its text in @error, which may be NULL; 0 if there was no failure */
int tw_archive__error(const struct tw_archive *a, struct tw_error *error);

/** tw_archive__stats() - get the totals of all streams so far */
void tw_archive__stats(const struct tw_archive *a, struct tw_archive_stats *ret);

/*
 * The report of one stream. If too many streams are over to report them one by one, the last of their reports is the sum of several
 * streams: its name is "N other streams", and its id is 0.
 */
struct tw_archive_report {
	char name[256]; /* host:instance */
	uint64_t stream_id;
	uint64_t packets;        /* packets written, including metadata */
	struct tw_ledger ledger; /* its TW_PLACE_DELIVERED has the events in all files */
	struct tw_stream_clock_summary clock;
	char sync[128],
		grandmaster
			[64]; /* what the producer's clocks are synchronised to, and the PTP grandmaster; "" = unknown */
	uint64_t sync_since;  /* time since which they are, by the producer's wall clock, ns since 1970; 0 = unknown */
};

/**
 * tw_archive__reports() - report all streams, including those that are over
 * @ret: array of *ret_n reports, to be freed with free(); NULL if there are none
 * Return: 0 or -ENOMEM.
 */
int tw_archive__reports(const struct tw_archive *a, struct tw_archive_report **ret, size_t *ret_n);

/** tw_archive__free() - free the archive; queued frames are lost if it was not finished; NULL is fine */
void tw_archive__free(struct tw_archive *a);

#endif
