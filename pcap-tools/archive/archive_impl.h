/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of the archive: archive.c has the interface and updates the streams' state, write.c makes packets and files, accounting.c
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

/* Of one interface in one file. */
struct tw_archive_count {
	uint64_t packets, events;
	uint64_t start, end; /* packet times */
};

struct tw_archive_stream {
	struct tw_stream *stream; /* what is known of it */
	uint64_t since;           /* when it was first heard of, CLOCK_MONOTONIC, ns */
	struct tw_stream_clock clock;
	struct tw_metadata *metadata;
	struct tw_frame_info own_frames; /* of the frames that we write for it */
	bool placed;                     /* the merge knows its offset */
	bool moved;                      /* and is to be told another; the archive's moved is set too */
	bool described;                  /* its interface is in this file */
	bool said;                       /* or was in one before: its metadata have been written */
	bool given;                   /* the capture that is read has OFFSET records: they say what packet times are */
	bool to_state;                /* the last of them is not written yet */
	bool dated_here;              /* no CLOCK came in time */
	int64_t offset;               /* of packet times, where they are given or of here */
	struct tw_offset_view stated; /* that OFFSET record */
	uint32_t interface;
	struct tw_archive_count here, before; /* in this file, and in all before it */
	uint64_t filtered, unwanted, unwritten;
};

/* A stream that is over. */
struct tw_archive_over {
	struct tw_archive_report report;
	bool ended;     /* its END came */
	bool described; /* it had an interface in this file, of which packets may still be in the writer's buffer */
	uint32_t interface;
};

struct tw_archive {
	struct tw_archive_options options; /* its texts are in texts */
	char *texts[6];
	struct tw_merge *merge;
	struct tw_pcapng *file;
	struct tw_metadata_room metadata_room;
	struct tw_metadata_stats metadata_over; /* of streams that are over */
	struct tw_streams *streams;             /* live: its own and those of the merge, which are the same */
	unsigned int user;                      /* where the streams have struct tw_archive_stream */
	bool moved;                             /* a stream of them has */
	struct tw_archive_over *over;
	size_t n_over, size_over;
	uint64_t n_others; /* streams that the last of them stands for; 0 = only for itself */
	uint64_t n_put, n_events, n_files;
	bool full;               /* enough bytes or files */
	uint64_t now;            /* CLOCK_MONOTONIC, ns; 0 = files are read */
	uint64_t statistics_due; /* the same */
	struct tw_own_clock own;
	struct tw_capture_clock clock; /* what TW_ALIGN_HOST puts all streams on */
	int err;                       /* a failure that is not the writer's */
	bool lost;                     /* nothing can be written any more: what comes is only counted */
	bool ending;                   /* no answer that is still to come is waited for */
	bool finished;
	bool given_up;        /* the writer is stuck: what came and is not known to be written is not */
	uint64_t tail_frames; /* missing behind the last that came, at least */
	struct tw_capture_filter *capture_filter; /* NULL = no filter, and none of what follows */
	uint64_t undecided;                       /* events that did not get to the filter */
	uint8_t scratch[TW_FRAME_MAX + TW_COPY_STEP];
};

/** tw_archive__has_moved() - a stream's offset has changed: the merge is to be told, when it is not in the midst of letting out */
static inline void tw_archive__has_moved(struct tw_archive *a, struct tw_archive_stream *s)
{
	a->moved = s->moved = true;
}

/* archive.c */

/** tw_archive__present() - now, by the clock that packet times are compared with: the capture host's with TW_ALIGN_HOST, else the wall clock */
uint64_t tw_archive__present(const struct tw_archive *a);

/**
 * tw_archive__done() - take note of a failure, if it is one; the writer's it knows itself
 *
 * From then on events are only counted: those that nobody could write.
 *
 * Return: @err
 */
int tw_archive__done(struct tw_archive *a, int err);

/** tw_archive__find() - Return: NULL if there is no such stream */
static inline struct tw_archive_stream *tw_archive__find(const struct tw_archive *a, uint64_t id)
{
	const struct tw_stream *stream = tw_streams__find(a->streams, id);

	return stream ? stream->user[a->user] : NULL;
}

/* The first at @stream or after it of which the archive keeps something. */
static inline struct tw_archive_stream *tw_archive__from(const struct tw_archive *a, const struct tw_stream *stream)
{
	while (stream && !stream->user[a->user])
		stream = stream->next;
	return stream ? stream->user[a->user] : NULL;
}

/** tw_archive__first() - its streams, in order of appearance, and tw_archive__next() the one after @s; NULL at the end */
static inline struct tw_archive_stream *tw_archive__first(const struct tw_archive *a)
{
	return tw_archive__from(a, tw_streams__first(a->streams));
}

static inline struct tw_archive_stream *tw_archive__next(const struct tw_archive *a, const struct tw_archive_stream *s)
{
	return tw_archive__from(a, s->stream->next);
}

/** tw_archive__stream() - of a stream that the merge has admitted, made if need be. Return: 0; -E2BIG if it was not; -ENOMEM */
int tw_archive__stream(struct tw_archive *a, uint64_t id, struct tw_archive_stream **ret);

void tw_archive_stream__free(struct tw_archive_stream *s);

/* write.c */

/**
 * tw_archive__emit() - the merge's: one frame goes into the file, or is counted
 * Return: 0, also after a failure of the writer's: the merge goes on then, so that what it holds is counted too; -ENOMEM
 */
int tw_archive__emit(void *ctx, const struct tw_merged *out);

/** tw_archive__write() - what came out goes into the file. Return: 0, or a failure of the writer's */
int tw_archive__write(struct tw_archive *a, struct tw_archive_stream *s, const struct tw_merged *out);

/** tw_archive__offset() - of packet times from the stream's clock, ns, as of the newest packet */
int64_t tw_archive__offset(const struct tw_archive_stream *s);

/** tw_archive__open() - the first file's section */
int tw_archive__open(struct tw_archive *a, struct tw_output *output, struct tw_error *error);

/** tw_archive__describe() - a stream's interface begins in this file, with what is known of it; again in each file */
int tw_archive__describe(struct tw_archive *a, struct tw_archive_stream *s, uint64_t time);

/** tw_archive__put_interface() - a stream's, without what explains it */
int tw_archive__put_interface(struct tw_archive *a, struct tw_archive_stream *s);

/** tw_archive__next_file() - if it is due: end this file, begin the next. @now: CLOCK_MONOTONIC, ns; 0 = time is not asked */
int tw_archive__next_file(struct tw_archive *a, uint64_t now);

/* accounting.c */

/** tw_archive__put_statistics() - a stream's, as of now; its ledger is the comment */
int tw_archive__put_statistics(struct tw_archive *a, struct tw_archive_stream *s);

/** tw_archive__put_last() - after a failure: a stream's, with its interface if it has none yet. Return: 0; -ENOSPC without room */
int tw_archive__put_last(struct tw_archive *a, struct tw_archive_stream *s);

/** tw_archive__retire() - the merge's: a stream is over */
void tw_archive__retire(void *ctx, uint64_t stream_id, const struct tw_stream_numbers *stats);

/**
 * tw_archive__ended_before() - whether a control frame is a late repetition of the END of a stream that is over
 *
 * Producers send END several times. The last of them may come when the stream has been retired, and would begin it anew.
 */
bool tw_archive__ended_before(struct tw_archive *a, uint64_t stream_id, struct tw_cursor tlvs);

/** tw_archive__count_unwritten() - after the writer failed: packets that it could not write are no longer delivered */
void tw_archive__count_unwritten(struct tw_archive *a);

#endif
