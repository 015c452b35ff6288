/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/latency/live.h"

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

struct tw_latency_live {
	struct tw_slot_queue queue;
	pthread_t thread;
	pthread_mutex_t lock; /* protects the members up to the blank line */
	pthread_cond_t started;
	struct tw_latency *latency;
	int tid; /* 0 = the thread has not started */
	int err; /* the first failure, with its text in @error */
	struct tw_error error;

	bool has_queue, has_thread;
};

static void fail(struct tw_latency_live *live, int err)
{
	if (!err || live->err)
		return;
	live->err = err;
	tw_slot_queue__fail(&live->queue, err);
}

/* Measures the frames of some slots, and returns the slots. */
static void measure(struct tw_latency_live *live, struct tw_slot_list *filled)
{
	struct tw_slot_list done = { 0 };
	struct tw_slot *slot;

	while ((slot = tw_slot_list__pop(filled))) {
		if (!live->err)
			fail(live, tw_latency__frame(live->latency, slot->data, slot->len, &live->error));
		tw_slot_list__push(&done, slot);
		if (done.n >= BATCH) /* producers may be waiting for slots */
			tw_slot_queue__give(&live->queue, &done);
	}
	tw_slot_queue__give(&live->queue, &done);
}

static void *run(void *arg)
{
	struct tw_latency_live *live = arg;
	struct tw_slot_list filled = { 0 };

	pthread_mutex_lock(&live->lock);
	live->tid = gettid();
	pthread_cond_signal(&live->started);
	pthread_mutex_unlock(&live->lock);
	while (tw_slot_queue__wait(&live->queue, WAIT_MS, &filled)) {
		pthread_mutex_lock(&live->lock);
		measure(live, &filled);
		pthread_mutex_unlock(&live->lock);
	}
	return NULL;
}

/* Starts the thread with all signals blocked, because other threads handle them. */
static int start(struct tw_latency_live *live, struct tw_error *error)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&live->thread, NULL, run, live);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return tw_error__set(error, -err, "a thread for the pairs cannot be started: %s", strerror(err));
	live->has_thread = true;
	pthread_setname_np(live->thread, "tracewire-pairs");
	pthread_mutex_lock(&live->lock);
	while (!live->tid)
		pthread_cond_wait(&live->started, &live->lock);
	pthread_mutex_unlock(&live->lock);
	return 0;
}

static int prepare(struct tw_latency_live *live, const struct tw_latency_options *options, struct tw_error *error)
{
	int err = tw_latency__new(options, &live->latency, error);

	if (!err)
		err = tw_latency__begin(live->latency, error);
	if (err)
		return err;
	err = tw_slot_queue__init(&live->queue, SLOTS, SLOT_BYTES + TW_MERGE_SLACK);
	if (err)
		return tw_error__set(error, err, "a queue of %d slots of %d bytes cannot be allocated: %s", SLOTS,
				     SLOT_BYTES, strerror(-err));
	live->has_queue = true;
	return start(live, error);
}

int tw_latency_live__new(const struct tw_latency_options *options, struct tw_latency_live **ret, struct tw_error *error)
{
	struct tw_latency_live *live = calloc(1, sizeof(*live));
	int err;

	if (!live)
		return tw_error__set(error, -ENOMEM, "no memory for %zu pairs", options->n_pairs);
	pthread_mutex_init(&live->lock, NULL);
	pthread_cond_init(&live->started, NULL);
	err = prepare(live, options, error);
	if (err)
		tw_latency_live__free(live);
	else
		*ret = live;
	return err;
}

int tw_latency_live__tid(const struct tw_latency_live *live)
{
	return live->tid;
}

int tw_latency_live__sink(struct tw_latency_live *live, struct tw_sink **ret, struct tw_error *error)
{
	*ret = tw_slot_sink__new(&live->queue, BATCH, SLOT_BYTES);
	return *ret ? 0 : tw_error__set(error, -ENOMEM, "no memory for a sink");
}

const struct tw_latency_result *tw_latency_live__lock(struct tw_latency_live *live)
{
	pthread_mutex_lock(&live->lock);
	return tw_latency__result(live->latency);
}

void tw_latency_live__unlock(struct tw_latency_live *live, bool clear)
{
	if (clear)
		tw_latency__clear(live->latency);
	pthread_mutex_unlock(&live->lock);
}

static void stop(struct tw_latency_live *live)
{
	if (!live->has_thread)
		return;
	tw_slot_queue__end(&live->queue);
	pthread_join(live->thread, NULL);
	live->has_thread = false;
}

int tw_latency_live__finish(struct tw_latency_live *live, struct tw_error *error)
{
	stop(live);
	if (!live->err)
		return tw_latency__end(live->latency, error);
	*error = live->error;
	return live->err;
}

void tw_latency_live__free(struct tw_latency_live *live)
{
	if (!live)
		return;
	stop(live);
	tw_latency__free(live->latency);
	if (live->has_queue)
		tw_slot_queue__fini(&live->queue);
	pthread_cond_destroy(&live->started);
	pthread_mutex_destroy(&live->lock);
	free(live);
}
