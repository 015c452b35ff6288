/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The metadata of one stream as received, so that repetitions for late receivers are left out of a recording, and each file of a ring
 * can begin with all metadata and be read alone.
 *
 * Kept are: the latest HOST; the first and the latest CLOCK; each text of each schema; the last two names of each task, because events
 * that are still to be written may be older than the last name; each symbol; the latest STATS. Records are untrusted: memory is bounded;
 * records beyond the limit are written, counted and not kept. Names of tasks that were not repeated for the longest time are evicted.
 */
#ifndef TW_METADATA_H
#define TW_METADATA_H

#include "stream/limits.h"
#include "wire/decode.h"

struct tw_metadata;

/* Limit for several streams together, so that strangers cannot multiply the memory; outlives them. */
struct tw_metadata_room {
	size_t limit, taken; /* bytes */
};

enum tw_metadata_verdict {
	TW_METADATA_WRITE, /* news, or a record that is never kept: to be written unchanged */
	TW_METADATA_SKIP,  /* a repetition, or a piece that waits for the rest */
	TW_METADATA_WHOLE, /* the last piece of a new value: call tw_metadata__emit_whole() */
};

struct tw_metadata_stats {
	size_t items, memory; /* kept items; memory in bytes */
	uint64_t known;       /* repetitions */
	uint64_t beyond;     /* records that were not kept because of the memory limit: their repetitions are written */
	uint64_t forgotten;  /* evicted names of tasks */
	uint64_t incomplete; /* values in pieces of which one is missing; nothing of them is written */
	uint64_t malformed;  /* malformed records; written unchanged */
};

/* Header of the frames to be made. */
struct tw_metadata_frames {
	struct tw_frame_info
		info; /* schema_id is that of each record; seq counts up, in frames of source CONTROL, and has the next number afterwards */
	size_t max; /* size of a frame, bytes; TW_METADATA_FRAME_MIN to TW_FRAME_MAX */
	int (*emit)(void *ctx, const void *frame,
		    size_t len); /* Return: 0, or -errno, which ends the call and becomes its result */
	void *ctx;
};
#define TW_METADATA_FRAME_MIN 256

/**
 * tw_metadata__new() - make an empty store
 * @memory: bytes; 0 = TW_STREAM_METADATA_MAX
 * @room: limit shared with other streams; NULL = only @memory limits it
 *
 * Return: NULL without memory.
 */
struct tw_metadata *tw_metadata__new(size_t memory, struct tw_metadata_room *room);

/** tw_metadata__free() - NULL is fine */
void tw_metadata__free(struct tw_metadata *m);

/**
 * tw_metadata__take() - keep the content of a TLV, and decide whether it is to be written
 * @frame: header of its frame
 * @tlv: as from tw_cursor__next_tlv(); copied
 *
 * A frame of which every TLV is to be skipped need not be written. CLOCK and STATS are small and always news; END is news once.
 */
enum tw_metadata_verdict tw_metadata__take(struct tw_metadata *m, const struct tw_frame_info *frame,
					   const struct tw_tlv_view *tlv);

/**
 * tw_metadata__emit_whole() - write the value for which TW_METADATA_WHOLE was returned; call it before the next take. Return: 0,
 * -ENOMEM, the result of emit
 */
int tw_metadata__emit_whole(struct tw_metadata *m, struct tw_metadata_frames *frames);

/**
 * tw_metadata__replay() - emit all that is kept: HOST, CLOCK, SCHEMA, COMM, SYMBOL, STATS; values that do not fit a frame as PARTs
 * Return: 0, -ENOMEM, the result of emit
 */
int tw_metadata__replay(struct tw_metadata *m, struct tw_metadata_frames *frames);

void tw_metadata__stats(const struct tw_metadata *m, struct tw_metadata_stats *ret);

/** tw_metadata_stats__add() - add the numbers to @to */
void tw_metadata_stats__add(struct tw_metadata_stats *to, const struct tw_metadata_stats *more);

#endif
