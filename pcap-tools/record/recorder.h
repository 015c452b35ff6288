/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that writes pcapng. Producer threads have a sink each, receivers a receive queue. Slots come from one bounded pool, so a slow
 * disk causes back-pressure in the sinks. A full queue uses no more memory and loses nothing.
 *
 * After a failure the thread continues and counts frames: each event is in the ledger, as one that could not be written. If the output
 * is blocked, the caller sets its deadline before it finishes the recorder; a thread whose disk does not answer even then is left
 * behind.
 *
 * The caller ignores SIGPIPE and SIGXFSZ (see pcap-tools/output/output.h).
 */
#ifndef TW_RECORDER_H
#define TW_RECORDER_H

#include "pcap-tools/archive/archive.h"
#include "pcap-tools/record/receive_queue.h"
#include "transport/sink.h"

struct tw_recorder_options {
	struct tw_output *output; /* open; passed to the recorder, also if tw_recorder__new() fails */
	uint32_t slots;           /* number of slots; 0 = 512 */
	uint32_t slot_bytes;      /* size of each: the largest frame, or all frames that arrive together; 0 = 16 KiB */
	uint32_t flush_ms; /* longest time in the buffer of a file, ms; 0 = 40. Pipes get everything after each round */
	struct tw_archive_options archive;  /* its name is the output's */
	const struct tw_deadline *deadline; /* the output's; NULL = the end waits as long as the output does */
};

struct tw_recorder;

/**
 * tw_recorder__new() - start the thread
 * @options: its texts are copied
 * Return: 0, -ENOMEM, errors of pthread_create(), or as tw_archive__new()
 */
int tw_recorder__new(const struct tw_recorder_options *options, struct tw_recorder **ret, struct tw_error *error);

/**
 * tw_recorder__sink() - a sink for one producer thread
 * @ret: close it before the recorder is finished
 *
 * reserve returns NULL when the pool is used up; flush wakes the writer and returns 0 when all is queued, -EAGAIN while no slot is free,
 * and the writer's failure (tw_recorder__error() has its text) from then on. Frames are taken and counted after a failure, too.
 */
int tw_recorder__sink(struct tw_recorder *rec, struct tw_sink **ret, struct tw_error *error);

/** tw_recorder__receive_queue() - the same for received frames; freed before the recorder is finished */
int tw_recorder__receive_queue(struct tw_recorder *rec, struct tw_receive_queue **ret, struct tw_error *error);

/**
 * tw_recorder__answer() - pass on an answer about a stream's clock; see tw_archive__answer(). Called by one thread, which does not wait
 * for the writer
 */
void tw_recorder__answer(struct tw_recorder *rec, uint64_t stream_id, const struct tw_time_sync_sample *sample);

/** tw_recorder__own_clock() - see tw_archive__own_clock(). Called by any thread */
void tw_recorder__own_clock(struct tw_recorder *rec, const struct tw_own_clock *own);

/**
 * tw_recorder__reports() - state of the streams; called by one thread at a time, before the recorder is finished
 * @ret: the caller's, to be freed with free()
 * @ret_stats: of all of them; unchanged if there are none
 * Return: number of reports; 0 with NULL if the writer was busy for @timeout_ms
 */
size_t tw_recorder__reports(struct tw_recorder *rec, unsigned int timeout_ms, struct tw_archive_report **ret,
			    struct tw_archive_stats *ret_stats);

/** tw_recorder__progress() - a number that grows while the writer works, also without frames. Called by any thread */
uint64_t tw_recorder__progress(const struct tw_recorder *rec);

/** tw_recorder__is_full() - whether the archive's limit of events is reached; called by any thread */
bool tw_recorder__is_full(const struct tw_recorder *rec);

/** tw_recorder__missing() - see tw_archive__missing(); call it before the recorder is finished */
void tw_recorder__missing(struct tw_recorder *rec, uint64_t frames);

/**
 * tw_recorder__is_stuck() - whether the deadline has passed and the thread does not return from the output, as with a disk that hangs
 */
bool tw_recorder__is_stuck(struct tw_recorder *rec);

/**
 * tw_recorder__finish() - write everything that was committed and the statistics, and end the thread
 * @ret: the counters, also after a failure; may be NULL
 *
 * A thread that is stuck is left behind, with all that it uses, until the process ends.
 *
 * Return: 0 or the writer's failure.
 */
int tw_recorder__finish(struct tw_recorder *rec, struct tw_archive_stats *ret, struct tw_error *error);

/** tw_recorder__archive() - its archive, after it has finished; borrowed until tw_recorder__free() */
const struct tw_archive *tw_recorder__archive(const struct tw_recorder *rec);

/** tw_recorder__free() - end the thread if needed and close the output; NULL is fine */
void tw_recorder__free(struct tw_recorder *rec);

/** tw_recorder__tid() - the kernel's id of the writer's thread, to exclude it from a trace */
int tw_recorder__tid(const struct tw_recorder *rec);

#endif
