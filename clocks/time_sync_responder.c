/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/time_sync_responder.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "clocks/stamps.h"
#include "wire/time_sync.h"

#define WAIT_MS  100 /* interval at which the thread checks whether to stop */
#define BURST    50  /* after an idle time, up to this number of frames are processed without a pause */
#define FRAME_NS (TW_NS_PER_SECOND / TW_TIME_SYNC_RESPONSES_PER_SECOND)

struct tw_time_sync_responder {
	struct tw_time_sync_responder_options options;
	pthread_t thread;
	sem_t running;
	atomic_bool stop;
	struct tw_stamps stamps;
	uint64_t paid; /* time until which the processed frames use up the rate limit, CLOCK_MONOTONIC, ns */
	struct tw_time_sync_responder_stats stats;
};

/* Answer a frame. The slack ensures that `received` is not before the request arrives, and `answered` is not after the response is sent. */
static void answer(struct tw_time_sync_responder *t, const struct tw_received_frame *frame)
{
	uint8_t reply[TW_TIME_SYNC_ROOM];
	struct tw_time_sync_view sync;
	uint64_t stream, age;
	uint16_t want, refused;
	size_t len;

	if (!tw_time_sync_frame__read(frame->data, frame->len, &stream, &sync) || stream != t->options.stream_id ||
	    sync.received || sync.answered || !frame->from) {
		t->stats.strange++;
		return;
	}
	age = tw_stamps__age(&t->stamps, frame->time);
	sync.answered = t->options.now(t->options.ctx);
	sync.received = sync.answered - age + t->options.slack;
	sync.answered -= t->options.slack;
	len = tw_time_sync_frame__write(reply, stream, &sync);
	if (tw_receiver__answer(t->options.rx, frame->from, reply, len))
		t->stats.unsent++;
	else
		t->stats.answered++;
	want = tw_time_sync_frame__metadata_request(frame->data, frame->len);
	if (want && t->options.wanted)
		t->options.wanted(t->options.ctx, want);
	refused = tw_time_sync_frame__refused(frame->data, frame->len);
	if (refused && t->options.refused)
		t->options.refused(t->options.ctx, refused);
}

/* Limit the rate of processed frames to one in FRAME_NS on average; up to BURST frames are processed without a pause. */
static void pay(struct tw_time_sync_responder *t)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC);
	const uint64_t allowance = BURST * FRAME_NS;

	t->paid = (t->paid > now ? t->paid : now) + FRAME_NS;
	if (t->paid > now + allowance)
		nanosleep(&(struct timespec){ .tv_nsec = (long)FRAME_NS }, NULL);
}

static void *responder_thread(void *arg)
{
	struct tw_time_sync_responder *t = arg;
	struct tw_received_frame frame;
	int n = 0;

	pthread_setname_np(pthread_self(), "tracewire-clock");
	if (t->options.begin)
		t->options.begin(t->options.ctx);
	sem_post(&t->running);
	while (!atomic_load(&t->stop) && (n >= 0 || n == -ENETDOWN)) {
		n = tw_receiver__next(t->options.rx, WAIT_MS, &frame);
		if (n > 0)
			answer(t, &frame);
		pay(t); /* also after a wake-up without a frame, for example because of an ICMP error */
	}
	return NULL;
}

int tw_time_sync_responder__start(const struct tw_time_sync_responder_options *options,
				  struct tw_time_sync_responder **ret, struct tw_error *error)
{
	struct tw_time_sync_responder *t = calloc(1, sizeof(*t));
	int err = t ? 0 : ENOMEM;

	if (t) {
		t->options = *options;
		t->stamps = tw_stamps__measure();
		sem_init(&t->running, 0, 0);
		err = pthread_create(&t->thread, NULL, responder_thread, t);
	}
	if (err) {
		if (t)
			sem_destroy(&t->running);
		free(t);
		tw_receiver__close(options->rx);
		return tw_error__set(error, -err, "the thread that answers TIME_SYNC requests cannot be started: %s",
				     strerror(err));
	}
	while (sem_wait(&t->running))
		;
	*ret = t;
	return 0;
}

void tw_time_sync_responder__ask_to_stop(struct tw_time_sync_responder *t)
{
	if (t)
		atomic_store(&t->stop, true);
}

void tw_time_sync_responder__stop(struct tw_time_sync_responder *t, struct tw_time_sync_responder_stats *ret)
{
	struct tw_receiver_stats received = { .dropped = 0 };

	if (!t)
		return;
	atomic_store(&t->stop, true);
	pthread_join(t->thread, NULL);
	tw_receiver__stats(t->options.rx, &received);
	*ret = t->stats;
	ret->dropped = received.dropped;
	tw_receiver__close(t->options.rx);
	sem_destroy(&t->running);
	free(t);
}
