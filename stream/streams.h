/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of streams. A user of a table is a part of the program that handles streams, and keeps its own data in each stream (struct
 * tw_stream_user). A table belongs to one thread.
 *
 * A stream is known from its first frame on, and live while its frames are handled. At most TW_STREAMS_LIVE_MAX streams are live at the
 * same time. If a further stream becomes live, another stream leaves: it stops being live (stream/eviction.h). The table then removes
 * this stream, or keeps it as a known stream, for readers of files that print all streams at the end.
 */
#ifndef TW_STREAMS_H
#define TW_STREAMS_H

#include "stream/stream.h"

/* Counters of data that were not kept, and the memory in use. Data that are received repeatedly count each time. */
struct tw_streams_stats {
	uint64_t refused_texts; /* formats, printk_formats and print programs that were invalid or beyond the limits */
	uint64_t refused_names; /* COMM and SYMBOL records beyond the limits */
	uint64_t refused_streams; /* calls of tw_streams__get() that failed */
	uint64_t malformed;       /* malformed metadata records and PARTs */
	uint64_t incomplete;      /* incomplete values in PARTs that were discarded, and single discarded PARTs */
	struct tw_error first;    /* reason of the first refusal; "" = nothing was refused */
	struct tw_error text;     /* reason of the first refusal counted in refused_texts */
	size_t memory;            /* bytes in use, limited by the options' memory */
};

enum {
	TW_STREAM_WANTS_FORMATS = 1,  /* SCHEMA, COMM, SYMBOL: needed for texts and values of events */
	TW_STREAM_WANTS_COUNTERS = 2, /* STATS, for the counters of struct tw_stream */
};

struct tw_streams_options {
	uint32_t known;         /* largest number of known streams; 0 = TW_STREAMS_MAX */
	uint32_t of_one_source; /* largest number of live streams of one address; 0 = no separate limit */
	/* A live stream that was silent for longer, in the unit of @now of tw_streams__hear(), counts as dead; 0 = no limit. */
	uint64_t silence;
	size_t memory; /* largest size of the streams and their metadata, bytes; 0 = TW_STREAMS_MEMORY_MAX */
	bool keeps;    /* streams stay known after they were live */
	enum tw_history history;
	/*
	 * The allocator of the table and its streams; must outlive them; NULL = malloc(). Incomplete values of PARTs, formats, programs,
	 * symbols and strings are always on the heap.
	 */
	const struct tw_alloc *alloc;
	unsigned int wants; /* TW_STREAM_WANTS_..., ORed: data to keep besides HOST, the first CLOCK, END and stats[] */
};

/* A user of the table. Its data for a stream are in user[] of struct tw_stream, at the index from tw_streams__add_user(). */
struct tw_stream_user {
	/*
	 * Release the user's data for a stream that stops being live. NULL = the data stay until the stream is removed. Return: 0, or
	 * -errno, which the calling function of the table returns.
	 */
	int (*leaves)(void *ctx, struct tw_stream *stream);
	void *ctx;
};

struct tw_streams;

/**
 * tw_streams__new() - make an empty table
 * @options: NULL = options of a program that reads events from files: .keeps, TW_STREAM_WANTS_FORMATS, and .silence as a number of frames
 * Return: NULL if out of memory.
 */
struct tw_streams *tw_streams__new(const struct tw_streams_options *options);

/** tw_streams__free() - free the table, which may be NULL; the users must have released their data */
void tw_streams__free(struct tw_streams *streams);

/**
 * tw_streams__add_user() - add a user; at most TW_STREAM_USERS_MAX
 * Return: the user's index, the lowest free index. When a stream leaves, users are called in order of their indexes.
 */
unsigned int tw_streams__add_user(struct tw_streams *streams, const struct tw_stream_user *user);

/** tw_streams__remove_user() - remove a user, which must have released its data */
void tw_streams__remove_user(struct tw_streams *streams, unsigned int number);

/** tw_streams__find() - find the known stream @id. Return: NULL if it is not known */
struct tw_stream *tw_streams__find(struct tw_streams *streams, uint64_t id);

/** tw_streams__get() - find the stream @id, or add it. Return: NULL beyond the limits or if out of memory; this is counted as refused */
struct tw_stream *tw_streams__get(struct tw_streams *streams, uint64_t id);

/**
 * tw_streams__live() - find or add the stream @id, and make it live; another stream may leave to make room
 * @now: as in tw_streams__hear()
 * Return: 0; -ENOSPC if no stream may leave, or if too many streams are known; -ENOMEM, also if the options' memory is used up; the -errno
 * of a user.
 */
int tw_streams__live(struct tw_streams *streams, uint64_t id, uint64_t now, struct tw_stream **ret);

/**
 * tw_streams__admit() - do the same as tw_streams__live(), for a stream with a known proof and address
 * @newcomer: the stream's standing; its member heard is the current time
 * Return: as tw_streams__live(); -EDQUOT if the address has of_one_source live streams, and none of them may leave.
 */
int tw_streams__admit(struct tw_streams *streams, uint64_t id, const struct tw_standing *newcomer,
		      struct tw_stream **ret);

/** tw_streams__hear() - note a frame of a live stream; @now: current time or number of frames, in the unit of the options' silence */
void tw_streams__hear(struct tw_stream *stream, const struct tw_frame_info *frame, uint64_t now);

/**
 * tw_streams__retire() - let a live stream leave: it stops being live, and is removed unless options.keeps is set
 * Return: 0, or the first -errno of a user.
 */
int tw_streams__retire(struct tw_stream *stream);

/**
 * tw_streams__take() - count @bytes of a user as memory of the table, until the table is freed
 * Return: false, with nothing counted, if the memory would exceed the limit.
 */
bool tw_streams__take(struct tw_streams *streams, size_t bytes);

/** tw_streams__refused() - number of texts and names refused so far; callers compare it before and after an update */
uint64_t tw_streams__refused(const struct tw_streams *streams);

/** tw_streams__set_position() - set the position of the next records: the number of their frame, which is stored with metadata */
void tw_streams__set_position(struct tw_streams *streams, uint32_t position);

/** tw_streams__first() - the first known stream; its member next leads to the others, in order of appearance. NULL if there is none */
struct tw_stream *tw_streams__first(const struct tw_streams *streams);

/** tw_streams__count() - number of known streams */
uint32_t tw_streams__count(const struct tw_streams *streams);

/** tw_streams__n_live() - number of live streams; tw_streams__at_live() - live stream @i, from 0; the order has no meaning */
size_t tw_streams__n_live(const struct tw_streams *streams);
struct tw_stream *tw_streams__at_live(const struct tw_streams *streams, size_t i);

/** tw_streams__stats() - copy the statistics of the table */
void tw_streams__stats(const struct tw_streams *streams, struct tw_streams_stats *ret);

#endif
