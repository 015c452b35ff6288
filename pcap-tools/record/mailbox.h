/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What other threads tell and ask the recorder's besides frames: seldom, and without waiting for the disk. */
#ifndef TW_MAILBOX_H
#define TW_MAILBOX_H

#include <pthread.h>
#include <stdbool.h>

#include "pcap-tools/archive/archive.h"

#define TW_MAILBOX_ANSWERS 512 /* not read yet; more are dropped, for there will be others */

struct tw_mailbox_answer {
	uint64_t stream_id;
	struct tw_exchange_sample sample;
};

struct tw_mailbox {
	pthread_mutex_t lock;
	pthread_cond_t reported;
	struct tw_mailbox_answer answers[TW_MAILBOX_ANSWERS];
	unsigned int n_answers;
	struct tw_own_clock own;
	bool has_own;
	bool wanted; /* somebody waits for reports */
	struct tw_archive_report *reports;
	size_t n_reports;
};

void tw_mailbox__init(struct tw_mailbox *box);
void tw_mailbox__fini(struct tw_mailbox *box);

/** tw_mailbox__answer() and tw_mailbox__own_clock() - for tw_archive__answer() and tw_archive__own_clock(); any thread */
void tw_mailbox__answer(struct tw_mailbox *box, uint64_t stream_id, const struct tw_exchange_sample *sample);
void tw_mailbox__own_clock(struct tw_mailbox *box, const struct tw_own_clock *own);

/**
 * tw_mailbox__ask() - reports as of now; any thread but the recorder's, one at a time
 * @ret: the caller's, to be freed with free()
 * Return: how many; 0 with NULL if the recorder's thread was busy for @timeout_ms
 */
size_t tw_mailbox__ask(struct tw_mailbox *box, unsigned int timeout_ms, struct tw_archive_report **ret);

/** tw_mailbox__read() - the recorder's thread: hand on what was told, answer what was asked */
void tw_mailbox__read(struct tw_mailbox *box, struct tw_archive *archive);

#endif
