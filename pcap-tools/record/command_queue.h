/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What other threads send to the recorder's thread besides frames, and the reports that it sends back. No thread waits for the disk: the
 * recorder's holds the lock only to take something out or put something in. The thread that sends answers takes no lock at all.
 */
#ifndef TW_COMMAND_QUEUE_H
#define TW_COMMAND_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "pcap-tools/archive/archive.h"

#define TW_COMMAND_QUEUE_ANSWERS 512 /* not read yet; more are dropped, for there will be others */

struct tw_clock_answer {
	uint64_t stream_id;
	struct tw_time_sync_sample sample;
};

struct tw_command_queue {
	struct tw_clock_answer answers[TW_COMMAND_QUEUE_ANSWERS]; /* those of [read, written), modulo their number */
	_Atomic uint32_t written, read;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t reported;
	struct tw_own_clock own;
	bool has_own;
	bool wanted; /* somebody waits for reports */
	struct tw_archive_report *reports;
	size_t n_reports;
	struct tw_archive_stats stats; /* as of the same time */
};

void tw_command_queue__init(struct tw_command_queue *queue);
void tw_command_queue__fini(struct tw_command_queue *queue);

/** tw_command_queue__put_answer() - for tw_archive__answer(); one thread, which never waits */
void tw_command_queue__put_answer(struct tw_command_queue *queue, uint64_t stream_id,
				  const struct tw_time_sync_sample *sample);

/** tw_command_queue__put_own_clock() - for tw_archive__own_clock(); any thread */
void tw_command_queue__put_own_clock(struct tw_command_queue *queue, const struct tw_own_clock *own);

/**
 * tw_command_queue__request_reports() - reports as of now; any thread but the recorder's, one at a time
 * @ret: the caller's, to be freed with free()
 * @ret_stats: of all of them; untouched if there are none
 * Return: how many; 0 with NULL if the recorder's thread was busy for @timeout_ms
 */
size_t tw_command_queue__request_reports(struct tw_command_queue *queue, unsigned int timeout_ms,
					 struct tw_archive_report **ret, struct tw_archive_stats *ret_stats);

/** tw_command_queue__run() - the recorder's thread: carry out the commands */
void tw_command_queue__run(struct tw_command_queue *queue, struct tw_archive *archive);

#endif
