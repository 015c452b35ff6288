/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/record/mailbox.h"

#include <stdlib.h>
#include <time.h>

#include "base/time.h"

void tw_mailbox__init(struct tw_mailbox *box)
{
	pthread_condattr_t attr;

	*box = (struct tw_mailbox){ .n_answers = 0 };
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

void tw_mailbox__answer(struct tw_mailbox *box, uint64_t stream_id, const struct tw_exchange_sample *sample)
{
	pthread_mutex_lock(&box->lock);
	if (box->n_answers < TW_MAILBOX_ANSWERS)
		box->answers[box->n_answers++] = (struct tw_mailbox_answer){ stream_id, *sample };
	pthread_mutex_unlock(&box->lock);
}

void tw_mailbox__own_clock(struct tw_mailbox *box, const struct tw_own_clock *own)
{
	pthread_mutex_lock(&box->lock);
	box->own = *own;
	box->has_own = true;
	pthread_mutex_unlock(&box->lock);
}

size_t tw_mailbox__ask(struct tw_mailbox *box, unsigned int timeout_ms, struct tw_archive_report **ret)
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
	if (!box->wanted)
		box->reports = NULL;
	box->wanted = false;
	pthread_mutex_unlock(&box->lock);
	return n;
}

void tw_mailbox__read(struct tw_mailbox *box, struct tw_archive *archive)
{
	pthread_mutex_lock(&box->lock);
	for (unsigned int i = 0; i < box->n_answers; i++)
		tw_archive__answer(archive, box->answers[i].stream_id, &box->answers[i].sample);
	box->n_answers = 0;
	if (box->has_own)
		tw_archive__own_clock(archive, &box->own);
	box->has_own = false;
	if (box->wanted) {
		free(box->reports);
		box->n_reports = tw_archive__reports(archive, &box->reports);
		box->wanted = false;
		pthread_cond_signal(&box->reported);
	}
	pthread_mutex_unlock(&box->lock);
}
