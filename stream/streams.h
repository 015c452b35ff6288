/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of streams: which there are, and which has to leave when it is full. Each part of a program that handles streams uses
 * one such table, and keeps what is its own in the streams (struct tw_stream_user). A table belongs to one thread.
 *
 * A stream is known from its first frame on, and live while its frames are handled; TW_STREAMS_LIVE_MAX are live at once. When one more
 * comes, one makes room (stream/eviction.h). One that is live no more is forgotten, or stays known: a file is read to its end, and what
 * it says of its streams is asked then.
 */
#ifndef TW_STREAMS_H
#define TW_STREAMS_H

#include "stream/stream.h"

/* What was not taken in. What is repeated in the capture counts each time. */
struct tw_streams_stats {
	uint64_t refused_texts;   /* formats and printk_formats that could not be used, or were beyond the limits */
	uint64_t refused_names;   /* COMM and SYMBOL beyond the limits */
	uint64_t refused_streams; /* calls of tw_streams__get() beyond the limits */
	uint64_t malformed;       /* records that explain, with lengths that cannot be */
	uint64_t incomplete;      /* values in PARTs of which a piece is missing, or too large */
	struct tw_error first;    /* why the first of all refused was; "" = none was */
	struct tw_error text;     /* why the first of refused_texts was */
	size_t memory;            /* taken, of the options' memory */
};

enum {
	TW_STREAM_WANTS_FORMATS = 1,  /* SCHEMA, COMM, SYMBOL: what texts and values of events need */
	TW_STREAM_WANTS_COUNTERS = 2, /* STATS, END */
};

struct tw_streams_options {
	uint32_t known;         /* streams; 0 = TW_STREAMS_MAX */
	uint32_t of_one_source; /* live streams of one address; 0 = as many as there may be of all */
	/* A live stream that was not heard for so long, as tw_streams__hear() counts, may leave; 0 = none may for that. */
	uint64_t silence;
	size_t memory; /* bytes of what explains them; 0 = TW_STREAMS_MEMORY_MAX */
	bool keeps;    /* streams that are live no more stay known */
	enum tw_history history;
	/* Of the table and its streams; outlives them. Schema/ has formats, programs, symbols and strings on the heap. NULL = malloc() */
	const struct tw_alloc *alloc;
	unsigned int wants; /* what is taken in besides HOST and the first CLOCK: TW_STREAM_WANTS_... */
};

/* What a part of a program keeps of each stream: in user[], at the number that tw_streams__add_user() returns. */
struct tw_stream_user {
	/*
	 * A stream has just left the live ones: let go what is kept of it. NULL = that stays as long as the stream is known. Return: 0, or -errno,
	 * which ends the call that led here and is returned by it.
	 */
	int (*leaves)(void *ctx, struct tw_stream *stream);
	void *ctx;
};

struct tw_streams;

/** tw_streams__new() - @options: NULL = those of a reader of events: keeps, wants formats. Return: NULL without memory */
struct tw_streams *tw_streams__new(const struct tw_streams_options *options);

/** tw_streams__free() - users have let go theirs before; NULL is fine */
void tw_streams__free(struct tw_streams *streams);

/**
 * tw_streams__add_user() - there is one more; TW_STREAM_USERS_MAX at once
 * Return: its number. When a stream leaves, users are called in order of their numbers, which are given in order from 0.
 */
unsigned int tw_streams__add_user(struct tw_streams *streams, const struct tw_stream_user *user);

/** tw_streams__remove_user() - it has let go what it kept */
void tw_streams__remove_user(struct tw_streams *streams, unsigned int number);

/** tw_streams__find() - Return: NULL if no stream of that id is known */
struct tw_stream *tw_streams__find(struct tw_streams *streams, uint64_t id);

/** tw_streams__get() - the stream of that id, known from now on; NULL beyond the limits or without memory, which is counted */
struct tw_stream *tw_streams__get(struct tw_streams *streams, uint64_t id);

/**
 * tw_streams__live() - the same, live from now on; another may leave for it
 * @now: as in tw_streams__hear()
 * Return: 0; -ENOSPC if none makes room; -ENOMEM; what a user returned.
 */
int tw_streams__live(struct tw_streams *streams, uint64_t id, uint64_t now, struct tw_stream **ret);

/**
 * tw_streams__admit() - the same, with what it has shown before
 * @newcomer: heard now
 *
 * Return: as tw_streams__live(); -EDQUOT if only another stream of the same address might leave, and none does.
 */
int tw_streams__admit(struct tw_streams *streams, uint64_t id, const struct tw_standing *newcomer,
		      struct tw_stream **ret);

/** tw_streams__hear() - a frame of a live stream came; @now: a time, or a number of frames: what the options' silence counts */
void tw_streams__hear(struct tw_stream *stream, const struct tw_frame_info *frame, uint64_t now);

/** tw_streams__retire() - a stream is live no more. It is gone unless the table keeps it. Return: 0, or what a user returned */
int tw_streams__retire(struct tw_stream *stream);

/** tw_streams__take() - @bytes that a user keeps as long as the table is there. Return: false, nothing counted, beyond the options' memory */
bool tw_streams__take(struct tw_streams *streams, size_t bytes);

/** tw_streams__refused() - texts and names that were refused so far: whether the last update refused one */
uint64_t tw_streams__refused(const struct tw_streams *streams);

/** tw_streams__set_position() - the position in the capture of what comes next: the number of its frame. Each fact keeps that of its record */
void tw_streams__set_position(struct tw_streams *streams, uint32_t position);

/** tw_streams__first() - the first known stream; the others follow by next, in order of appearance. NULL if there is none */
struct tw_stream *tw_streams__first(const struct tw_streams *streams);

/** tw_streams__count() - known streams */
uint32_t tw_streams__count(const struct tw_streams *streams);

/** tw_streams__n_live() - how many are live; and tw_streams__at_live() the @i-th of them, in any order */
size_t tw_streams__n_live(const struct tw_streams *streams);
struct tw_stream *tw_streams__at_live(const struct tw_streams *streams, size_t i);

void tw_streams__stats(const struct tw_streams *streams, struct tw_streams_stats *ret);

#endif
