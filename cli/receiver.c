/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/receiver.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/stop.h"

#define WAIT_MS    20           /* between looks whether the end has come; frames wake us at once */
#define BURST      1024         /* frames taken before the viewer gets them */
#define HOLE_NS    100000000ull /* so long are lost events waited for */
#define SLOTS      2048         /* frames that wait for the viewer */
#define FRAME_MAX  9216u        /* the largest on a wire of ours */
#define RING_BYTES (32u << 20)

struct receiver {
	struct tw_rx *rx;
	struct tw_recorder *recorder; /* its queue takes what comes while the viewer is busy, or just starts */
	struct tw_sink *sink;
	const struct viewer *viewer;
	pthread_t thread;
	sem_t running;
	pid_t tid;
	atomic_bool ending;
	int error;
};

/*
 * Hand one frame to the recorder; while its queue is full, frames collect in the receiving ring. One that no producer of ours
 * sends is nothing to show. Return: 0 or -errno
 */
static int pass_on(struct receiver *r, const struct tw_rx_frame *frame)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	void *slot;

	if (frame->len > r->sink->frame_max)
		return 0;
	while (!(slot = tw_sink__reserve(r->sink))) {
		const int error = tw_sink__flush(r->sink);

		if (error && error != -EAGAIN)
			return error;
		nanosleep(&pause, NULL);
	}
	memcpy(slot, frame->data, frame->len);
	tw_sink__commit(r->sink, frame->len);
	return 0;
}

/* All frames that are there, BURST at most. Return: how many, or -errno */
static int take_burst(struct receiver *r)
{
	struct tw_rx_frame frame;
	int n = 0, more = tw_rx__next(r->rx, WAIT_MS, &frame), error;

	while (more == 1) {
		error = pass_on(r, &frame);
		if (error)
			return error;
		more = ++n < BURST ? tw_rx__next(r->rx, 0, &frame) : 0;
	}
	error = tw_sink__flush(r->sink);
	if (error && error != -EAGAIN)
		return error;
	return more < 0 ? more : n;
}

static int receive(struct receiver *r)
{
	for (;;) {
		/* Looked at first: after it nothing more is sent, and an empty burst means that all has come. */
		const bool ending = atomic_load(&r->ending);
		const int n = take_burst(r);

		if (n < 0)
			return n;
		if (ending && !n)
			return 0;
		if (viewer__is_gone(r->viewer))
			return -EPIPE;
	}
}

static void *receiver_main(void *data)
{
	struct receiver *r = data;

	pthread_setname_np(pthread_self(), "tracewire-recv");
	r->tid = gettid();
	sem_post(&r->running);
	r->error = receive(r);
	stop__request();
	return NULL;
}

static int start_thread(struct receiver *r, struct tw_error *err)
{
	const int error = pthread_create(&r->thread, NULL, receiver_main, r);

	if (error)
		return tw_error__set(err, -error, "cannot start a thread that receives: %s", strerror(error));
	while (sem_wait(&r->running))
		;
	return 0;
}

static void release(struct receiver *r)
{
	tw_sink__close(r->sink);
	tw_recorder__free(r->recorder);
	tw_rx__close(r->rx);
	sem_destroy(&r->running);
	free(r);
}

static int open_recorder(struct receiver *r, struct tw_error *err)
{
	const struct tw_recorder_options options = {
		.fd = r->viewer->fd,
		.slots = SLOTS,
		.frame_max = FRAME_MAX,
		.archive = { .name = "the viewer's pipe",
			     .application = "tracewire live " TRACEWIRE_VERSION,
			     .wait_ns = HOLE_NS,
			     .from_start = true },
	};
	const int error = tw_recorder__new(&options, &r->recorder, err);

	return error ? error : tw_recorder__sink(r->recorder, &r->sink, err);
}

int receiver__start(const char *ifname, const struct viewer *viewer, struct receiver **ret, struct tw_error *err)
{
	const struct tw_rx_options rx = { .ifname = ifname, .ring = RING_BYTES };
	struct receiver *r = calloc(1, sizeof(*r));
	int error;

	if (!r)
		return tw_error__set(err, -ENOMEM, "no memory to receive");
	sem_init(&r->running, 0, 0);
	r->viewer = viewer;
	error = tw_rx__open(&rx, &r->rx, err);
	if (!error)
		error = open_recorder(r, err);
	if (!error)
		error = start_thread(r, err);
	if (error) {
		release(r);
		return error;
	}
	*ret = r;
	return 0;
}

pid_t receiver__tid(const struct receiver *receiver)
{
	return receiver->tid;
}

pid_t receiver__writer_tid(const struct receiver *receiver)
{
	return tw_recorder__tid(receiver->recorder);
}

int receiver__finish(struct receiver *r, struct tw_archive_stats *ret, struct tw_rx_stats *ret_rx, struct tw_error *err)
{
	struct tw_error why;
	int error, received;

	atomic_store(&r->ending, true);
	pthread_join(r->thread, NULL);
	received = r->error;
	tw_sink__close(r->sink);
	r->sink = NULL;
	error = tw_recorder__finish(r->recorder, ret, &why);
	tw_rx__stats(r->rx, ret_rx);
	release(r);
	if (received == -EPIPE || error == -EPIPE)
		return 0;
	if (error)
		return tw_error__set(err, error, "%s", why.text);
	return received ? tw_error__set(err, received, "cannot receive: %s", strerror(-received)) : 0;
}
