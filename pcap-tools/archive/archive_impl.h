/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of the archive: archive.c implements archive.h and updates the state of streams, write.c makes packets and files, accounting.c
 * keeps the ledgers.
 */
#ifndef TW_ARCHIVE_IMPL_H
#define TW_ARCHIVE_IMPL_H

#include "clocks/capture_clock.h"
#include "pcap-tools/archive/archive.h"
#include "pcap-tools/capture/capture_filter.h"
#include "pcap-tools/metadata/metadata.h"
#include "stream/streams.h"
#include "wire/encode.h"
#include "wire/parts.h"

/* Counters of one interface, in one file or in several. */
struct tw_archive_count {
	uint64_t packets, events;
	uint64_t start, end; /* earliest and latest packet time */
};

struct tw_archive_stream {
	struct tw_stream *stream; /* its entry in the table of streams */
	uint64_t since;           /* time of its first frame, CLOCK_MONOTONIC, ns */
	uint64_t clocked;         /* time of its last CLOCK or response, CLOCK_MONOTONIC, ns */
	bool quiet;               /* there was none for long; see `quiet` of the archive */
	struct tw_stream_clock clock;
	struct tw_metadata *metadata;
	struct tw_frame_info own_frames; /* header of the out-of-band frames written for it */
	bool placed;                     /* the merge has its offset */
	bool moved;      /* its offset has changed, and the merge still has the old one; see `moved` of the archive */
	bool described;  /* its interface is in this file */
	bool said;       /* this or an earlier file has its interface, so later files repeat its metadata */
	bool given;      /* the capture that is read has OFFSET records, which determine packet times */
	bool to_state;   /* the OFFSET record in `stated` is not written yet */
	bool dated_here; /* its packet times are computed from arrival times, because no CLOCK arrived in time */
	int64_t offset;  /* packet time - time by the stream's clock, ns; valid if `given` or `dated_here` */
	struct tw_offset_view stated; /* content of the last OFFSET record */
	uint32_t interface;
	struct tw_archive_count here, before;   /* in this file, and in all earlier ones */
	uint64_t filtered, unwanted, unwritten; /* events at the places capture_filter, unwanted and disk */
};

/* An interface whose packets are beside the events. */
struct tw_archive_interface {
	struct tw_packet_interface what;
	bool described;                         /* it is in this file */
	uint32_t id;                            /* its number there */
	struct tw_archive_count here;           /* in this file; `events` is not used */
	uint64_t before;                        /* packets in earlier files */
	struct tw_archive_packet *first, *last; /* its queued packets, sorted by time */
	struct tw_packet_counters counters;
};

/* Packets beside the events: packets.h. */
struct tw_archive_packets {
	struct tw_archive_interface *interfaces; /* @n of them; 0 = no packets are captured */
	size_t n;
	size_t bytes;                     /* size of the queued packets */
	uint64_t until;                   /* packet time up to which all packets have been passed */
	uint64_t newest;                  /* packet time of the newest packet that was taken from the queue */
	bool dated;                       /* there was a CLOCK: the next four members are valid */
	uint64_t clocked;                 /* time of the last CLOCK by the stream's clock, ns */
	int64_t ahead;                    /* stream's clock - CLOCK_MONOTONIC, ns */
	uint64_t error, error_max;        /* bound of the error of @ahead: now; the largest so far; ns */
	uint32_t stamp_error;             /* the largest bound of the error of a packet's stamp, ns */
	int64_t shift;                    /* packet time - CLOCK_MONOTONIC, ns */
	uint64_t late, forced, unwritten; /* see struct tw_archive_packet_stats */
};

/* A stream that is over. */
struct tw_archive_over {
	struct tw_archive_report report;
	bool ended;     /* its END arrived */
	bool described; /* it had an interface in this file; its packets may still be in the writer's buffer */
	uint32_t interface;
};

struct tw_archive {
	struct tw_archive_options options; /* its texts point into `texts` */
	char *texts[5];
	struct tw_pcapng_section section; /* of each file */
	struct tw_merge *merge;
	struct tw_pcapng *file;
	struct tw_metadata_room metadata_room;
	struct tw_metadata_stats metadata_over; /* sum of the counters of streams that are over */
	struct tw_streams *streams;             /* the table of streams, which the merge uses too */
	unsigned int user;                      /* index in tw_stream.user of the struct tw_archive_stream */
	bool moved;                             /* `moved` of at least one stream is set */
	bool quiet;                             /* `quiet` of at least one stream is set */
	struct tw_archive_over *over;
	size_t n_over, size_over;
	uint64_t n_others; /* number of streams in the last row of `over`, if it is a sum; otherwise 0 */
	uint64_t n_put, n_events, n_files;
	bool full;               /* the limit of bytes or files is reached */
	uint64_t now;            /* CLOCK_MONOTONIC, ns; 0 = reading files */
	uint64_t statistics_due; /* CLOCK_MONOTONIC, ns; 0 = not set yet */
	struct tw_own_clock own;
	struct tw_capture_clock clock;
	int err;     /* a failure outside of the pcapng writer */
	bool lost;   /* writing is no longer possible: frames are only counted */
	bool ending; /* the archive waits for no further answers */
	bool finished;
	bool given_up;        /* the writer is stuck: events not known to be in the file count as not written */
	uint64_t tail_frames; /* lower bound of the frames missing after the last received one */
	struct tw_archive_packets packets;
	struct tw_capture_filter *capture_filter; /* NULL = no filter */
	uint64_t undecided;                       /* events not evaluated: too large for a frame, or malformed */
	uint8_t scratch[TW_FRAME_MAX + TW_COPY_STEP];
};

/** tw_archive__has_moved() - note that a stream's offset has changed; the merge gets the new offset when it has finished emitting frames */
static inline void tw_archive__has_moved(struct tw_archive *a, struct tw_archive_stream *s)
{
	a->moved = s->moved = true;
}

/* archive.c */

/** tw_archive__present() - the current time by the clock of packet times: the reference with TW_ALIGN_HOST, otherwise the wall clock */
uint64_t tw_archive__present(const struct tw_archive *a);

/** tw_archive__done() - store a failure; from then on, events only count as not written. @err: 0 = no failure. Return: @err */
int tw_archive__done(struct tw_archive *a, int err);

/** tw_archive__find() - find the state of a stream. Return: NULL if there is no such stream */
static inline struct tw_archive_stream *tw_archive__find(const struct tw_archive *a, uint64_t id)
{
	const struct tw_stream *stream = tw_streams__find(a->streams, id);

	return stream ? stream->user[a->user] : NULL;
}

/* Returns the first stream at or after @stream for which the archive has state. */
static inline struct tw_archive_stream *tw_archive__from(const struct tw_archive *a, const struct tw_stream *stream)
{
	while (stream && !stream->user[a->user])
		stream = stream->next;
	return stream ? stream->user[a->user] : NULL;
}

/** tw_archive__first() - the first stream, in order of appearance; tw_archive__next(): the stream after @s; NULL at the end */
static inline struct tw_archive_stream *tw_archive__first(const struct tw_archive *a)
{
	return tw_archive__from(a, tw_streams__first(a->streams));
}

static inline struct tw_archive_stream *tw_archive__next(const struct tw_archive *a, const struct tw_archive_stream *s)
{
	return tw_archive__from(a, s->stream->next);
}

/** tw_archive__stream() - find or make the state of a stream. Return: 0; -E2BIG if the merge has not admitted it; -ENOMEM */
int tw_archive__stream(struct tw_archive *a, uint64_t id, struct tw_archive_stream **ret);

void tw_archive_stream__free(struct tw_archive_stream *s);

/* write.c */

/**
 * tw_archive__emit() - callback of the merge: writes one frame to the file, or counts it
 * Return: 0, also after a failure of the writer, so that the merge continues and its queued frames are counted too; -ENOMEM
 */
int tw_archive__emit(void *ctx, const struct tw_merged *out);

/** tw_archive__write() - write a frame to the file: from the merge, or an out-of-band frame. Return: 0, or a failure of the writer */
int tw_archive__write(struct tw_archive *a, struct tw_archive_stream *s, const struct tw_merged *out);

/** tw_archive__describe() - write a stream's interface to this file, and repeat the stream's metadata if an earlier file has the stream */
int tw_archive__describe(struct tw_archive *a, struct tw_archive_stream *s, uint64_t time);

/** tw_archive__put_interface() - write a stream's interface, without metadata */
int tw_archive__put_interface(struct tw_archive *a, struct tw_archive_stream *s);

/** tw_archive__next_file() - if the next file is due, begin it. @now: CLOCK_MONOTONIC, ns; 0 = ignore time limits */
int tw_archive__next_file(struct tw_archive *a, uint64_t now);

/* accounting.c */

/** tw_archive__put_statistics() - write a statistics block with a stream's current numbers, and its ledger as the comment */
int tw_archive__put_statistics(struct tw_archive *a, struct tw_archive_stream *s);

/** tw_archive__retire() - callback of the merge: a stream is over */
void tw_archive__retire(void *ctx, uint64_t stream_id, const struct tw_stream_numbers *stats);

/**
 * tw_archive__ended_before() - whether a control frame is a late copy of the END of a stream that is over
 *
 * Producers send END several times. A copy may arrive after the stream was retired, and would begin the stream again.
 */
bool tw_archive__ended_before(struct tw_archive *a, uint64_t stream_id, struct tw_cursor tlvs);

/** tw_archive__count_unwritten() - after a failure of the writer: packets that it could not write no longer count as delivered */
void tw_archive__count_unwritten(struct tw_archive *a);

#endif
