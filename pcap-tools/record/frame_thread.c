/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/record/frame_thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pcap-tools/record/slot_queue.h"

#define SLOTS      512
#define SLOT_BYTES (16 * 1024)
#define BATCH      8
#define WAIT_MS    1000 /* longest wait for slots; without effect on the result */

struct tw_frame_thread {
	struct tw_slot_queue queue;
	tw_frame_thread_take *take;
	void *ctx;
	pthread_t thread;
	pthread_mutex_t door; /* held only to wait for @lock: so whoever waits first gets it first */
	pthread_mutex_t lock; /* held while frames are taken; protects the members up to the blank line */
	pthread_cond_t started;
	int tid; /* 0 = the thread has not started */
	int err; /* the first failure, with its text in @error */
	struct tw_error error;

	bool has_queue, has_thread;
};

static void take_slot(struct tw_frame_thread *t, const struct tw_slot *slot)
{
	if (t->err)
		return;
	t->err = t->take(t->ctx, slot->data, slot->len, &t->error);
	if (t->err)
		tw_slot_queue__fail(&t->queue, t->err);
}

static void take_slots(struct tw_frame_thread *t, struct tw_slot_list *filled)
{
	struct tw_slot_list done = { 0 };
	struct tw_slot *slot;

	while ((slot = tw_slot_list__pop(filled))) {
		take_slot(t, slot);
		tw_slot_list__push(&done, slot);
		if (done.n >= BATCH) /* producers may be waiting for slots */
			tw_slot_queue__give(&t->queue, &done);
	}
	tw_slot_queue__give(&t->queue, &done);
}

static void *run(void *arg)
{
	struct tw_frame_thread *t = arg;
	struct tw_slot_list filled = { 0 };

	pthread_mutex_lock(&t->lock);
	t->tid = gettid();
	pthread_cond_signal(&t->started);
	pthread_mutex_unlock(&t->lock);
	while (tw_slot_queue__wait(&t->queue, WAIT_MS, &filled)) {
		tw_frame_thread__lock(t);
		take_slots(t, &filled);
		tw_frame_thread__unlock(t);
	}
	return NULL;
}

/* Starts the thread with all signals blocked, because other threads handle them. */
static int start(struct tw_frame_thread *t, struct tw_error *error)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&t->thread, NULL, run, t);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return tw_error__set(error, -err, "a thread for the events cannot be started: %s", strerror(err));
	t->has_thread = true;
	pthread_setname_np(t->thread, "tracewire-read");
	pthread_mutex_lock(&t->lock);
	while (!t->tid)
		pthread_cond_wait(&t->started, &t->lock);
	pthread_mutex_unlock(&t->lock);
	return 0;
}

int tw_frame_thread__new(tw_frame_thread_take *take, void *ctx, struct tw_frame_thread **ret, struct tw_error *error)
{
	struct tw_frame_thread *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return tw_error__set(error, -ENOMEM, "no memory for a thread");
	t->take = take;
	t->ctx = ctx;
	pthread_mutex_init(&t->door, NULL);
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->started, NULL);
	err = tw_slot_queue__init(&t->queue, SLOTS, SLOT_BYTES + TW_MERGE_SLACK);
	t->has_queue = !err;
	err = err ? tw_error__set(error, err, "a queue of %d slots of %d bytes cannot be allocated: %s", SLOTS,
				  SLOT_BYTES, strerror(-err))
		  : start(t, error);
	if (err)
		tw_frame_thread__free(t);
	else
		*ret = t;
	return err;
}

int tw_frame_thread__tid(const struct tw_frame_thread *t)
{
	return t->tid;
}

int tw_frame_thread__sink(struct tw_frame_thread *t, struct tw_sink **ret, struct tw_error *error)
{
	*ret = tw_slot_sink__new(&t->queue, BATCH, SLOT_BYTES);
	return *ret ? 0 : tw_error__set(error, -ENOMEM, "no memory for a sink");
}

void tw_frame_thread__lock(struct tw_frame_thread *t)
{
	pthread_mutex_lock(&t->door);
	pthread_mutex_lock(&t->lock);
	pthread_mutex_unlock(&t->door);
}

void tw_frame_thread__unlock(struct tw_frame_thread *t)
{
	pthread_mutex_unlock(&t->lock);
}

static void stop(struct tw_frame_thread *t)
{
	if (!t->has_thread)
		return;
	tw_slot_queue__end(&t->queue);
	pthread_join(t->thread, NULL);
	t->has_thread = false;
}

int tw_frame_thread__finish(struct tw_frame_thread *t, struct tw_error *error)
{
	stop(t);
	if (t->err)
		*error = t->error;
	return t->err;
}

void tw_frame_thread__free(struct tw_frame_thread *t)
{
	if (!t)
		return;
	stop(t);
	if (t->has_queue)
		tw_slot_queue__fini(&t->queue);
	pthread_cond_destroy(&t->started);
	pthread_mutex_destroy(&t->lock);
	pthread_mutex_destroy(&t->door);
	free(t);
}
