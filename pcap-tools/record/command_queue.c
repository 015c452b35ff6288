/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/record/command_queue.h"

#include <stdlib.h>
#include <time.h>

#include "base/time.h"

void tw_command_queue__init(struct tw_command_queue *queue)
{
	*queue = (struct tw_command_queue){ .n_reports = 0 };
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->reported, NULL);
}

void tw_command_queue__fini(struct tw_command_queue *queue)
{
	pthread_cond_destroy(&queue->reported);
	pthread_mutex_destroy(&queue->lock);
	free(queue->reports);
}

void tw_command_queue__put_answer(struct tw_command_queue *queue, uint64_t stream_id,
				  const struct tw_time_sync_sample *sample)
{
	const uint32_t at = atomic_load_explicit(&queue->written, memory_order_relaxed);

	if (at - atomic_load_explicit(&queue->read, memory_order_acquire) == TW_COMMAND_QUEUE_ANSWERS)
		return;
	queue->answers[at % TW_COMMAND_QUEUE_ANSWERS] = (struct tw_clock_answer){ stream_id, *sample };
	atomic_store_explicit(&queue->written, at + 1, memory_order_release);
}

void tw_command_queue__put_own_clock(struct tw_command_queue *queue, const struct tw_own_clock *own)
{
	pthread_mutex_lock(&queue->lock);
	queue->own = *own;
	queue->has_own = true;
	pthread_mutex_unlock(&queue->lock);
}

size_t tw_command_queue__request_reports(struct tw_command_queue *queue, unsigned int timeout_ms,
					 struct tw_archive_report **ret, struct tw_archive_stats *ret_stats)
{
	const struct timespec until = tw_time__timespec(tw_time__now(CLOCK_MONOTONIC) + timeout_ms * TW_NS_PER_MS);
	size_t n;

	pthread_mutex_lock(&queue->lock);
	queue->wanted = true;
	while (queue->wanted && !pthread_cond_clockwait(&queue->reported, &queue->lock, CLOCK_MONOTONIC, &until))
		;
	n = queue->wanted ? 0 : queue->n_reports;
	*ret = NULL;
	if (!queue->wanted) {
		*ret = queue->reports;
		queue->reports = NULL;
	}
	if (n)
		*ret_stats = queue->stats;
	queue->wanted = false;
	pthread_mutex_unlock(&queue->lock);
	return n;
}

static void run_answers(struct tw_command_queue *queue, struct tw_archive *archive)
{
	const uint32_t written = atomic_load_explicit(&queue->written, memory_order_acquire);
	uint32_t at = atomic_load_explicit(&queue->read, memory_order_relaxed);

	for (; at != written; at++) {
		const struct tw_clock_answer answer = queue->answers[at % TW_COMMAND_QUEUE_ANSWERS];

		atomic_store_explicit(&queue->read, at + 1, memory_order_release);
		tw_archive__answer(archive, answer.stream_id, &answer.sample); /* may let out packets, and so write */
	}
}

static void put_reports(struct tw_command_queue *queue, const struct tw_archive *archive)
{
	struct tw_archive_report *reports, *old;
	const size_t n = tw_archive__reports(archive, &reports);
	struct tw_archive_stats stats;

	tw_archive__stats(archive, &stats);
	pthread_mutex_lock(&queue->lock);
	old = queue->reports;
	queue->reports = reports;
	queue->n_reports = n;
	queue->stats = stats;
	queue->wanted = false;
	pthread_cond_signal(&queue->reported);
	pthread_mutex_unlock(&queue->lock);
	free(old);
}

void tw_command_queue__run(struct tw_command_queue *queue, struct tw_archive *archive)
{
	struct tw_own_clock own;
	bool has_own, wanted;

	run_answers(queue, archive);
	pthread_mutex_lock(&queue->lock);
	own = queue->own;
	has_own = queue->has_own;
	wanted = queue->wanted;
	queue->has_own = false;
	pthread_mutex_unlock(&queue->lock);
	if (has_own)
		tw_archive__own_clock(archive, &own);
	if (wanted)
		put_reports(queue, archive);
}
