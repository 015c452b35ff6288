/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/record/command_queue.h"

#include <stdlib.h>
#include <time.h>

#include "base/time.h"

void tw_mailbox__init(struct tw_mailbox *box)
{
	pthread_condattr_t attr;

	*box = (struct tw_mailbox){ .n_reports = 0 };
	pthread_mutex_init(&box->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&box->reported, &attr);
	pthread_condattr_destroy(&attr);
}

void tw_mailbox__fini(struct tw_mailbox *box)
{
	pthread_cond_destroy(&box->reported);
	pthread_mutex_destroy(&box->lock);
	free(box->reports);
}

void tw_mailbox__answer(struct tw_mailbox *box, uint64_t stream_id, const struct tw_time_sync_sample *sample)
{
	const uint32_t at = atomic_load_explicit(&box->written, memory_order_relaxed);

	if (at - atomic_load_explicit(&box->read, memory_order_acquire) == TW_MAILBOX_ANSWERS)
		return;
	box->answers[at % TW_MAILBOX_ANSWERS] = (struct tw_mailbox_answer){ stream_id, *sample };
	atomic_store_explicit(&box->written, at + 1, memory_order_release);
}

void tw_mailbox__own_clock(struct tw_mailbox *box, const struct tw_own_clock *own)
{
	pthread_mutex_lock(&box->lock);
	box->own = *own;
	box->has_own = true;
	pthread_mutex_unlock(&box->lock);
}

size_t tw_mailbox__ask(struct tw_mailbox *box, unsigned int timeout_ms, struct tw_archive_report **ret,
		       struct tw_archive_stats *ret_stats)
{
	const uint64_t until = tw_time__now(CLOCK_MONOTONIC) + timeout_ms * TW_NS_PER_MS;
	const struct timespec at = { .tv_sec = (time_t)(until / TW_NS_PER_SECOND),
				     .tv_nsec = (long)(until % TW_NS_PER_SECOND) };
	size_t n;

	pthread_mutex_lock(&box->lock);
	box->wanted = true;
	while (box->wanted && !pthread_cond_timedwait(&box->reported, &box->lock, &at))
		;
	*ret = box->wanted ? NULL : box->reports;
	n = box->wanted ? 0 : box->n_reports;
	if (n)
		*ret_stats = box->stats;
	if (!box->wanted)
		box->reports = NULL;
	box->wanted = false;
	pthread_mutex_unlock(&box->lock);
	return n;
}

static void read_answers(struct tw_mailbox *box, struct tw_archive *archive)
{
	const uint32_t written = atomic_load_explicit(&box->written, memory_order_acquire);
	uint32_t at = atomic_load_explicit(&box->read, memory_order_relaxed);

	for (; at != written; at++) {
		const struct tw_mailbox_answer answer = box->answers[at % TW_MAILBOX_ANSWERS];

		atomic_store_explicit(&box->read, at + 1, memory_order_release);
		tw_archive__answer(archive, answer.stream_id, &answer.sample); /* may let out packets, and so write */
	}
}

/* Return: whether somebody waits for reports */
static bool read_told(struct tw_mailbox *box, struct tw_archive *archive)
{
	struct tw_own_clock own;
	bool has_own, wanted;

	pthread_mutex_lock(&box->lock);
	own = box->own;
	has_own = box->has_own;
	wanted = box->wanted;
	box->has_own = false;
	pthread_mutex_unlock(&box->lock);
	if (has_own)
		tw_archive__own_clock(archive, &own);
	return wanted;
}

static void put_reports(struct tw_mailbox *box, const struct tw_archive *archive)
{
	struct tw_archive_report *reports, *old;
	const size_t n = tw_archive__reports(archive, &reports);
	struct tw_archive_stats stats;

	tw_archive__stats(archive, &stats);
	pthread_mutex_lock(&box->lock);
	old = box->reports;
	box->reports = reports;
	box->n_reports = n;
	box->stats = stats;
	box->wanted = false;
	pthread_cond_signal(&box->reported);
	pthread_mutex_unlock(&box->lock);
	free(old);
}

void tw_mailbox__read(struct tw_mailbox *box, struct tw_archive *archive)
{
	read_answers(box, archive);
	if (read_told(box, archive))
		put_reports(box, archive);
}
