/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What explains one stream, kept as it came: so that what is repeated for those who join late is left out of a recording, and so
 * that each file of a ring can begin with all of it and stand alone.
 *
 * Kept are: the latest HOST; the first and the latest CLOCK; each text of each schema; of each task its last two names, as events
 * that are about to be written may be older than the last; each symbol; the latest STATS. Records come from strangers: memory is
 * bounded, and what is beyond it is written, counted and not kept. Names of tasks that were not told for the longest time make room.
 */
#ifndef TW_METADATA_H
#define TW_METADATA_H

#include "stream/limits.h"
#include "wire/decode.h"

struct tw_metadata;

/* What several streams may take together, so that strangers cannot multiply it; lives longer than they do. */
struct tw_metadata_room {
	size_t limit, taken; /* bytes */
};

enum tw_metadata_verdict {
	TW_METADATA_WRITE, /* something new, or nothing that is kept here: to be written as it stands */
	TW_METADATA_SKIP,  /* says what was said before, or is a piece that waits for the rest */
	TW_METADATA_WHOLE, /* the last piece of something new: tw_metadata__emit_whole() is to be called */
};

struct tw_metadata_stats {
	size_t items, memory; /* kept now; memory in bytes */
	uint64_t known;       /* records that said what was said before */
	uint64_t beyond;      /* records that were not kept for want of memory: repetitions of them are written */
	uint64_t forgotten;   /* names of tasks that made room for others */
	uint64_t incomplete;  /* values that came in pieces of which one is missing; nothing of them is written */
	uint64_t malformed;   /* records that could not be read; written as they are */
};

/* Frames as they are to be made. */
struct tw_metadata_frames {
	struct tw_frame_info
		info; /* schema_id is each record's own; seq counts up, in frames of source CONTROL, and is left behind */
	size_t max;   /* bytes of a frame; TW_METADATA_FRAME_MIN to TW_FRAME_MAX */
	int (*emit)(void *ctx, const void *frame,
		    size_t len); /* Return: 0, or -errno, which ends the call and is returned by it */
	void *ctx;
};
#define TW_METADATA_FRAME_MIN 256

/**
 * tw_metadata__new() - nothing is known yet
 * @memory: bytes; 0 = TW_STREAM_METADATA_MAX
 * @room: shared with other streams; NULL = none but the memory bounds it
 *
 * Return: NULL without memory.
 */
struct tw_metadata *tw_metadata__new(size_t memory, struct tw_metadata_room *room);

/** tw_metadata__free() - NULL is fine */
void tw_metadata__free(struct tw_metadata *m);

/**
 * tw_metadata__take() - keep what a TLV says, and tell whether it is to be written
 * @frame: that it came in
 * @tlv: as tw_cursor__next_tlv() hands it out; copied
 *
 * A frame of which every TLV is to be skipped need not be written. CLOCK and STATS are small, and each is news; END is said once.
 */
enum tw_metadata_verdict tw_metadata__take(struct tw_metadata *m, const struct tw_frame_info *frame,
					   const struct tw_tlv_view *tlv);

/** tw_metadata__emit_whole() - what TW_METADATA_WHOLE was about; before the next take. Return: 0, -ENOMEM, emit's */
int tw_metadata__emit_whole(struct tw_metadata *m, struct tw_metadata_frames *frames);

/**
 * tw_metadata__replay() - all that is kept: HOST, CLOCK, SCHEMA, COMM, SYMBOL, STATS; in PARTs what does not fit a frame
 * Return: 0, -ENOMEM, emit's
 */
int tw_metadata__replay(struct tw_metadata *m, struct tw_metadata_frames *frames);

void tw_metadata__stats(const struct tw_metadata *m, struct tw_metadata_stats *ret);

/** tw_metadata_stats__add() - @to becomes the sum of both */
void tw_metadata_stats__add(struct tw_metadata_stats *to, const struct tw_metadata_stats *more);

#endif
