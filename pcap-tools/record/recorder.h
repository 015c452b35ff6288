/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recorder has a thread, the writer, which writes pcapng. Each producer thread passes frames through its own sink, each receiver through
 * its own receive queue. Waiting frames are stored in slots of one bounded pool, so a slow disk causes back-pressure in the sinks. If the
 * pool is used up, no memory is allocated and no frame is lost here.
 *
 * After a failure the writer continues and counts frames: the ledger has their events at the place `disk`. If the output may be
 * blocked, the caller sets the deadline of the output before it finishes the recorder. If a call of the output does not return even after
 * the deadline, the writer is abandoned until the process ends.
 *
 * The caller ignores SIGPIPE and SIGXFSZ (see pcap-tools/output/output.h).
 */
#ifndef TW_RECORDER_H
#define TW_RECORDER_H

#include "pcap-tools/archive/archive.h"
#include "pcap-tools/record/slot_queue.h"
#include "transport/sink.h"

struct tw_recorder_options {
	struct tw_output *output; /* an open output; the recorder frees it, also if tw_recorder__new() fails */
	uint32_t slots;           /* number of slots; 0 = 512 */
	uint32_t slot_bytes; /* size of a slot: the largest frame, or all frames that arrive together; 0 = 16 KiB */
	struct tw_archive_options archive;
	/* Packets to be written beside the events; the recorder closes it, also if tw_recorder__new() fails. NULL = none */
	struct tw_packet_capture *packets;
	const struct tw_deadline *deadline; /* of the output; NULL = tw_recorder__finish() waits without limit */
};

struct tw_recorder;

/**
 * tw_recorder__new() - make a recorder, and start the writer
 * @options: its texts are copied; output, deadline and archive.filter are not
 * Return: 0, -ENOMEM, errors of pthread_create(), or as tw_archive__new()
 */
int tw_recorder__new(const struct tw_recorder_options *options, struct tw_recorder **ret, struct tw_error *error);

/**
 * tw_recorder__sink() - make a sink for one producer thread
 * @ret: the sink; the caller closes it before the recorder is finished
 * Return: 0 or -ENOMEM
 *
 * The sink's reserve() returns NULL if the pool is used up. Its flush() queues all frames and wakes the writer. flush() returns 0, or
 * -EAGAIN if no slot is free. After the writer has failed, flush() returns the writer's failure, and tw_recorder__finish() returns it with
 * its text. Frames are accepted and counted after a failure, too.
 */
int tw_recorder__sink(struct tw_recorder *rec, struct tw_sink **ret, struct tw_error *error);

/** tw_recorder__receive_queue() - make a receive queue; the caller frees it before the recorder is finished. Return: 0, -ENOMEM */
int tw_recorder__receive_queue(struct tw_recorder *rec, struct tw_receive_queue **ret, struct tw_error *error);

/**
 * tw_recorder__answer() - let the writer pass a clock sample of a stream to tw_archive__answer(), or drop it if too many samples wait.
 * Called by one thread, which does not wait for the writer
 */
void tw_recorder__answer(struct tw_recorder *rec, uint64_t stream_id, const struct tw_time_sync_sample *sample);

/** tw_recorder__own_clock() - see tw_archive__own_clock(). Called by any thread */
void tw_recorder__own_clock(struct tw_recorder *rec, const struct tw_own_clock *own);

/**
 * tw_recorder__reports() - get the state of all streams; called by one thread at a time, before the recorder is finished
 * @ret: the reports, to be freed with free()
 * @ret_stats: totals of all streams; unchanged if 0 is returned
 * Return: number of reports; 0 with NULL if there is no stream, no memory, or the writer was busy for @timeout_ms
 */
size_t tw_recorder__reports(struct tw_recorder *rec, unsigned int timeout_ms, struct tw_archive_report **ret,
			    struct tw_archive_stats *ret_stats);

/** tw_recorder__progress() - a number that grows while the writer works, even if no frames arrive. Called by any thread */
uint64_t tw_recorder__progress(const struct tw_recorder *rec);

/** tw_recorder__is_full() - whether the archive has reached its limit of events, bytes or files; called by any thread */
bool tw_recorder__is_full(const struct tw_recorder *rec);

/**
 * tw_recorder__gone() - why packets of interface @i of the capture are not captured any more; at most about a second after it
 * Return: a text that is borrowed until tw_recorder__free(); NULL = they are captured. Called by any thread
 */
const char *tw_recorder__gone(struct tw_recorder *rec, size_t i);

/** tw_recorder__missing() - add to the number of frames for tw_archive__missing(); call it before the recorder is finished */
void tw_recorder__missing(struct tw_recorder *rec, uint64_t frames);

/** tw_recorder__is_stuck() - whether the deadline has passed and a call of the output does not return, because a disk hangs */
bool tw_recorder__is_stuck(struct tw_recorder *rec);

/**
 * tw_recorder__finish() - write all committed frames and the statistics, and end the writer
 * @ret: the counters, also after a failure; may be NULL
 *
 * If the writer is stuck, it is abandoned: the recorder's memory is not freed until the process ends.
 *
 * Return: 0 or the writer's failure.
 */
int tw_recorder__finish(struct tw_recorder *rec, struct tw_archive_stats *ret, struct tw_error *error);

/** tw_recorder__archive() - the archive, to be read after tw_recorder__finish(); borrowed until tw_recorder__free() */
const struct tw_archive *tw_recorder__archive(const struct tw_recorder *rec);

/** tw_recorder__free() - end the writer if needed and close the output; NULL is fine */
void tw_recorder__free(struct tw_recorder *rec);

/** tw_recorder__tid() - the kernel's id of the writer's thread, to exclude it from a trace */
int tw_recorder__tid(const struct tw_recorder *rec);

#endif
