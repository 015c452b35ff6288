/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A store of the metadata of one stream, as received. A recording uses it to omit metadata that the producer repeats for receivers that
 * join late. It also lets each file of a ring of files begin with all metadata, so that the file can be read alone.
 *
 * It keeps:
 * - the latest HOST and the latest STATS
 * - the first CLOCK with CLOCK_REALTIME, and the latest CLOCK
 * - each text of each schema
 * - the last two names of each task, because events that are still to be written may be older than the last name
 * - the first symbol of each address and size
 *
 * Records are untrusted, so memory is bounded. To make room, previous names of tasks are evicted, then the names that were
 * not repeated for the longest time. Records for which there is no room are written and counted, but not kept.
 */
#ifndef TW_METADATA_H
#define TW_METADATA_H

#include "stream/limits.h"
#include "wire/decode.h"

struct tw_metadata;

/* A memory limit shared by the stores of several streams, so that forged streams cannot multiply the memory. Must outlive the stores. */
struct tw_metadata_room {
	size_t limit, taken; /* bytes */
};

enum tw_metadata_verdict {
	TW_METADATA_WRITE, /* write the record unchanged: for example, it is new, or its type is never omitted */
	TW_METADATA_SKIP, /* do not write the record: it is a repetition, or a PART of a value that is not complete yet */
	TW_METADATA_WHOLE, /* call tw_metadata__emit_whole(): the record is the last PART of a new value */
};

struct tw_metadata_stats {
	uint64_t items, memory; /* number of kept records, and memory of the store in bytes */
	uint64_t known;         /* repetitions, which are not written */
	uint64_t beyond;     /* records that were not kept because of the memory limit: their repetitions are written */
	uint64_t forgotten;  /* evicted names of tasks */
	uint64_t incomplete; /* discarded incomplete values, and discarded PARTs of values whose beginning is missing */
	uint64_t malformed;  /* malformed records; written unchanged */
};

/* How to make and emit frames. */
struct tw_metadata_frames {
	/* Header of the frames. schema_id and flags are replaced by those of the records; seq is increased after each CONTROL frame. */
	struct tw_frame_info info;
	size_t max; /* largest size of a frame, bytes; TW_METADATA_FRAME_MIN to TW_FRAME_MAX */
	/* Return: 0; a -errno ends the calling function and becomes its result. */
	int (*emit)(void *ctx, const void *frame, size_t len);
	void *ctx;
};
#define TW_METADATA_FRAME_MIN 256

/**
 * tw_metadata__new() - make an empty store
 * @memory: limit of its memory, bytes; 0 = TW_STREAM_METADATA_MAX
 * @room: limit shared with other streams; NULL = no shared limit
 * Return: NULL without memory.
 */
struct tw_metadata *tw_metadata__new(size_t memory, struct tw_metadata_room *room);

/** tw_metadata__free() - free @m, which may be NULL */
void tw_metadata__free(struct tw_metadata *m);

/**
 * tw_metadata__take() - keep a copy of a TLV, and decide whether it is to be written
 * @frame: header of the frame that contains @tlv
 * @tlv: as from tw_cursor__next_tlv()
 *
 * If the verdict for each TLV of a frame is TW_METADATA_SKIP, the frame has no new content; write it only if it has a number. CLOCK
 * and STATS are small and always written; only the first END is written.
 */
enum tw_metadata_verdict tw_metadata__take(struct tw_metadata *m, const struct tw_frame_info *frame,
					   const struct tw_tlv_view *tlv);

/**
 * tw_metadata__emit_whole() - emit the value for which tw_metadata__take() returned TW_METADATA_WHOLE; call it before the next
 * tw_metadata__take(). Return: 0, -ENOMEM, the result of emit
 */
int tw_metadata__emit_whole(struct tw_metadata *m, struct tw_metadata_frames *frames);

/**
 * tw_metadata__replay() - emit all kept records: HOST, CLOCK, SCHEMA, COMM, SYMBOL, STATS. Values that do not fit a frame become PARTs
 * Return: 0, -ENOMEM, the result of emit
 */
int tw_metadata__replay(struct tw_metadata *m, struct tw_metadata_frames *frames);

/** tw_metadata__stats() - get the counters of a store */
void tw_metadata__stats(const struct tw_metadata *m, struct tw_metadata_stats *ret);

/** tw_metadata_stats__add() - add the counters of @more to @to */
void tw_metadata_stats__add(struct tw_metadata_stats *to, const struct tw_metadata_stats *more);

#endif
