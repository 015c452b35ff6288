/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of streams. Each part of a program that handles streams uses such a table, and keeps its own data in the streams (struct
 * tw_stream_user). A table belongs to one thread.
 *
 * A stream is known from its first frame on, and live while its frames are handled. At most TW_STREAMS_LIVE_MAX are live at once; for a
 * further one, another leaves (stream/eviction.h). A stream that is no longer live is removed, or stays known, for readers of files that
 * print it at the end.
 */
#ifndef TW_STREAMS_H
#define TW_STREAMS_H

#include "stream/stream.h"

/* Data that were not kept. Repeated data count each time. */
struct tw_streams_stats {
	uint64_t refused_texts;   /* formats and printk_formats that could not be used, or were beyond the limits */
	uint64_t refused_names;   /* COMM and SYMBOL beyond the limits */
	uint64_t refused_streams; /* calls of tw_streams__get() beyond the limits */
	uint64_t malformed;       /* metadata records with invalid lengths */
	uint64_t incomplete;      /* values in PARTs that are incomplete or too large */
	struct tw_error first;    /* reason of the first refusal; "" = none */
	struct tw_error text;     /* reason of the first of refused_texts */
	size_t memory;            /* memory in use, of the options' memory */
};

enum {
	TW_STREAM_WANTS_FORMATS = 1,  /* SCHEMA, COMM, SYMBOL: needed for texts and values of events */
	TW_STREAM_WANTS_COUNTERS = 2, /* STATS, END */
};

struct tw_streams_options {
	uint32_t known;         /* streams; 0 = TW_STREAMS_MAX */
	uint32_t of_one_source; /* live streams of one address; 0 = no separate limit */
	/* A live stream that was silent for that long, in the unit of tw_streams__hear(), may leave; 0 = no limit. */
	uint64_t silence;
	size_t memory; /* bytes of metadata; 0 = TW_STREAMS_MEMORY_MAX */
	bool keeps;    /* streams that are no longer live stay known */
	enum tw_history history;
	/* The allocator of the table and its streams; outlives them. Formats, programs, symbols and strings (schema/) are on the heap. NULL = malloc() */
	const struct tw_alloc *alloc;
	unsigned int wants; /* metadata to keep in addition to HOST and the first CLOCK: TW_STREAM_WANTS_... */
};

/* A user of the table. Its data of a stream are in user[], at the index returned by tw_streams__add_user(). */
struct tw_stream_user {
	/*
	 * A stream is no longer live: release the data kept of it. NULL = the data stay as long as the stream is known. Return: 0, or
	 * -errno, which the calling function returns.
	 */
	int (*leaves)(void *ctx, struct tw_stream *stream);
	void *ctx;
};

struct tw_streams;

/** tw_streams__new() - @options: NULL = those of a reader of events: keeps, wants formats. Return: NULL without memory */
struct tw_streams *tw_streams__new(const struct tw_streams_options *options);

/** tw_streams__free() - after the users released their data; NULL is fine */
void tw_streams__free(struct tw_streams *streams);

/**
 * tw_streams__add_user() - add a user; at most TW_STREAM_USERS_MAX
 * Return: its index. Indexes are assigned in order from 0. When a stream leaves, users are called in order of their indexes.
 */
unsigned int tw_streams__add_user(struct tw_streams *streams, const struct tw_stream_user *user);

/** tw_streams__remove_user() - remove a user, after it released its data */
void tw_streams__remove_user(struct tw_streams *streams, unsigned int number);

/** tw_streams__find() - Return: NULL if no stream of that id is known */
struct tw_stream *tw_streams__find(struct tw_streams *streams, uint64_t id);

/** tw_streams__get() - find or add the stream of that id; NULL beyond the limits or without memory, which is counted */
struct tw_stream *tw_streams__get(struct tw_streams *streams, uint64_t id);

/**
 * tw_streams__live() - find or add the stream of that id and make it live; another stream may leave for it
 * @now: as in tw_streams__hear()
 * Return: 0; -ENOSPC if none leaves; -ENOMEM; the value returned by a user.
 */
int tw_streams__live(struct tw_streams *streams, uint64_t id, uint64_t now, struct tw_stream **ret);

/**
 * tw_streams__admit() - the same, for a stream with a known proof
 * @newcomer: heard now
 *
 * Return: as tw_streams__live(); -EDQUOT if only another stream of the same address could leave, and none does.
 */
int tw_streams__admit(struct tw_streams *streams, uint64_t id, const struct tw_standing *newcomer,
		      struct tw_stream **ret);

/** tw_streams__hear() - record a frame of a live stream; @now: a time or a number of frames, in the unit of the options' silence */
void tw_streams__hear(struct tw_stream *stream, const struct tw_frame_info *frame, uint64_t now);

/**
 * tw_streams__retire() - end the live time of a stream, and remove it unless the table keeps streams. Return: 0, or the value returned
 * by a user
 */
int tw_streams__retire(struct tw_stream *stream);

/** tw_streams__take() - @bytes that a user keeps as long as the table is there. Return: false, nothing counted, beyond the options' memory */
bool tw_streams__take(struct tw_streams *streams, size_t bytes);

/** tw_streams__refused() - texts and names that were refused so far: whether the last update refused one */
uint64_t tw_streams__refused(const struct tw_streams *streams);

/**
 * tw_streams__set_position() - set the position of the next records in the capture: the number of their frame. Metadata keep the
 * position of their record
 */
void tw_streams__set_position(struct tw_streams *streams, uint32_t position);

/** tw_streams__first() - the first known stream; the others follow by next, in order of appearance. NULL if there is none */
struct tw_stream *tw_streams__first(const struct tw_streams *streams);

/** tw_streams__count() - known streams */
uint32_t tw_streams__count(const struct tw_streams *streams);

/** tw_streams__n_live() - the number of live streams; tw_streams__at_live() - the @i-th of them, in any order */
size_t tw_streams__n_live(const struct tw_streams *streams);
struct tw_stream *tw_streams__at_live(const struct tw_streams *streams, size_t i);

void tw_streams__stats(const struct tw_streams *streams, struct tw_streams_stats *ret);

#endif
