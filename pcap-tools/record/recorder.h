/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that writes pcapng. Producer threads have a sink each; slots come from one bounded pool, so a slow disk shows as
 * back-pressure in the sinks. A full queue costs no memory and loses nothing.
 *
 * The caller ignores SIGPIPE (see pcap-tools/pcapng.h).
 */
#ifndef TW_RECORDER_H
#define TW_RECORDER_H

#include "pcap-tools/record/archive.h"
#include "wire/sink.h"

struct tw_recorder_options {
	const char *path;   /* created or cut to nothing; "-" = standard output; NULL: fd */
	int fd;             /* without a path; stays the caller's */
	uint32_t slots;     /* frames in flight; 0 = 512 */
	uint32_t frame_max; /* largest frame, bytes; 0 = 16 KiB; TW_FRAME_MAX at most */
	uint32_t flush_ms;  /* longest time in the buffer of a file; 0 = 100. Pipes get everything after each round */
	struct tw_archive_options archive; /* its name may be NULL */
};

struct tw_recorder;

/**
 * tw_recorder__new() - open the file and start the thread
 * @options: its texts are copied
 * Return: 0, -ENOMEM, or what open() or pthread_create() said.
 */
int tw_recorder__new(const struct tw_recorder_options *options, struct tw_recorder **ret, struct tw_error *err);

/**
 * tw_recorder__sink() - a sink for one producer thread
 * @ret: close it before the recorder is finished
 *
 * reserve gives NULL when the pool is used up; flush wakes the writer and returns 0 once all is queued, -EAGAIN while no
 * slot is free, and the writer's failure (tw_recorder__error() has its text) from then on.
 */
int tw_recorder__sink(struct tw_recorder *rec, struct tw_sink **ret, struct tw_error *err);

/** tw_recorder__error() - the writer's failure, 0 if none yet; any thread */
int tw_recorder__error(struct tw_recorder *rec, struct tw_error *err);

/** tw_recorder__is_full() - whether as many events were written as the archive's options allow; any thread */
bool tw_recorder__is_full(const struct tw_recorder *rec);

/**
 * tw_recorder__finish() - write everything that was committed, the statistics, and end the thread
 * @ret: the books, also after a failure; may be NULL
 * Return: 0 or the writer's failure.
 */
int tw_recorder__finish(struct tw_recorder *rec, struct tw_archive_stats *ret, struct tw_error *err);

/** tw_recorder__free() - ends the thread if need be, closes what it opened; NULL is fine */
void tw_recorder__free(struct tw_recorder *rec);

/** tw_recorder__tid() - what the writer's thread is called by the kernel: its id, to be kept out of a trace */
int tw_recorder__tid(const struct tw_recorder *rec);

#endif
