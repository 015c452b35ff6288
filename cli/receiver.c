/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/receiver.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/stop.h"
#include "clocks/capture_clock.h"

#define WAIT_MS     20          /* interval of checks for the end, ms; a frame wakes the thread immediately */
#define QUEUE_BYTES (36u << 20) /* size of the slots for frames that wait for the writer; the merge may keep half */
#define SLOTS_MIN   256
#define TELL_NS     (100 * TW_NS_PER_MS) /* interval of updates of the numbers of refused frames for other threads */
/* Allowance for AF_XDP, ns: a frame's time is when its ring was read, up to one pause of 1 ms after its arrival (vnet/rx_xdp.h). */
#define SLACK_NS 2000000u
/* Longest time for reading the frames that arrived before receiver__finish() was called, ns; long, because the machine may be busy. */
#define END_NS 5000000000u

struct receiver {
	struct receiver_options options;
	struct tw_receiver *rx;
	struct tw_recorder *recorder; /* its queue holds frames while the reader of the output is busy or starting */
	struct tw_receive_queue *queue;
	struct tw_clock_poller *poller; /* NULL = no clocks are polled, and all streams are admitted */
	struct tw_admission *admission; /* NULL without a poller */
	pthread_mutex_t lock;           /* protects @reported */
	struct tw_refusals reported;
	uint64_t reported_at;
	struct tw_capture_clock clock;
	pthread_t thread;
	sem_t running;
	pid_t tid;
	atomic_bool ending;
	atomic_bool stamp_by_cards;
	uint64_t now;  /* when the current burst was taken; CLOCK_MONOTONIC, ns */
	uint64_t seen; /* when the current burst was taken; time of @clock; only with a poller */
	bool seen_end, reported_failure;
	uint64_t end;         /* frames that arrived later are not taken; CLOCK_REALTIME, ns */
	uint64_t end_at_most; /* latest end of reception; CLOCK_MONOTONIC, because CLOCK_REALTIME may jump */
	uint64_t taken;       /* number of frames taken from @rx */
	uint64_t unplaced;    /* taken frames that were not queued, because the writer has failed or is stuck */
	/* the drop counter of @rx at the last frame, and at the last frame with events */
	uint64_t dropped, dropped_events;
	uint64_t too_long;
	struct {
		const struct tw_received_batch *bundle;
		const struct tw_arrival *arrival;
		size_t len, frames;
	} kept; /* frames of the current bundle that are for the recorder, moved to the beginning of the bundle */
	_Atomic uint64_t crowded;
	int err;
};

/* Passes the transmit stamps of requests to the poller. */
static void take_stamps(struct receiver *r)
{
	struct tw_sent_stamp stamp;

	while (tw_receiver__sent(r->rx, &stamp)) {
		const uint64_t asked = tw_clock_poller__asked(r->poller, stamp.cookie);

		if (asked)
			tw_clock_poller__sent(r->poller, stamp.cookie,
					      tw_capture_clock__sent(&r->clock, r->options.cards, &stamp, asked));
	}
}

/*
 * If an out-of-band frame is a response to a request of the poller, passes its times to the recorder. Other frames are ignored: any host
 * can send them, so no clock of a card is read for them.
 */
static void take_answer(struct receiver *r, const struct tw_received_frame *frame)
{
	struct tw_card_stamps *const cards = tw_clock_poller__expects(r->poller, frame) ? r->options.cards : NULL;
	const struct tw_stamped_time arrived = tw_capture_clock__arrived(&r->clock, cards, frame);
	struct tw_time_sync_sample sample;
	uint64_t stream_id;

	take_stamps(r);
	if (!tw_clock_poller__response(r->poller, frame, arrived, &stream_id, &sample))
		return;
	tw_admission__answered(r->admission, stream_id, &frame->from->address);
	tw_clock_poller__better(r->poller, &sample);
	tw_recorder__answer(r->recorder, stream_id, &sample);
}

/*
 * Requests a stop of the run if the writer has failed. Return: true if the thread must stop receiving, because the output has no reader.
 * After other failures of the writer, frames are still passed to it, so that they are counted.
 */
static bool is_final(struct receiver *r, int err)
{
	if (!err || err == -EAGAIN || err == -EBUSY)
		return false;
	if (!r->reported_failure)
		stop__request();
	r->reported_failure = true;
	return err == -EPIPE;
}

/* If receiver__finish() was called, sets the end of reception. If senders continue, frames that arrive after this end are ignored. */
static void look_for_end(struct receiver *r)
{
	if (r->seen_end || !atomic_load(&r->ending))
		return;
	r->seen_end = true;
	r->end_at_most = tw_time__now(CLOCK_MONOTONIC) + END_NS;
	if (!r->options.others_send)
		return;
	tw_receiver__stop(r->rx);
	r->end = tw_time__now(CLOCK_REALTIME) + SLACK_NS;
}

/*
 * Waits for room in the writer's queue. Meanwhile, frames collect in @rx. The statistics of @rx are read for a side effect: @rx can count
 * the losses after its last frame only if its statistics are read while it is full.
 */
static void wait_for_room(struct receiver *r)
{
	const uint64_t begun = tw_time__now(CLOCK_MONOTONIC);
	struct tw_receiver_stats unused;

	tw_receiver__stats(r->rx, &unused);
	tw_receive_queue__wait(r->queue, WAIT_MS);
	r->end_at_most += tw_time__now(CLOCK_MONOTONIC) - begun; /* time spent waiting for the writer does not count */
}

/* Waits until a slot of the queue may be free. Return: 0 = try again; -errno = stop receiving */
static int await_slot(struct receiver *r)
{
	const int err = tw_receive_queue__flush(r->queue);

	if (is_final(r, err))
		return err;
	look_for_end(r);
	if (tw_recorder__is_stuck(r->recorder))
		return -ETIMEDOUT;
	wait_for_room(r);
	return 0;
}

static void copy(struct receiver *r, const uint8_t *frames, size_t len, size_t segment, size_t n,
		 const struct tw_arrival *arrival)
{
	while (!tw_receive_queue__copy(r->queue, frames, len, segment, arrival)) {
		if (await_slot(r)) {
			r->unplaced += n;
			return;
		}
	}
}

static void take_admitted(void *ctx, const struct tw_received_frame *frame, const struct tw_arrival *arrival)
{
	struct receiver *r = ctx;

	tw_clock_poller__saw(r->poller, frame, r->seen);
	copy(r, frame->data, frame->len, frame->len, 1, arrival);
}

/* Copies the kept frames to the recorder's queue, before a later frame or a command is queued. */
static void pass_kept(struct receiver *r)
{
	if (r->kept.frames)
		copy(r, r->kept.bundle->to, r->kept.len, r->kept.bundle->segment, r->kept.frames, r->kept.arrival);
	r->kept.len = r->kept.frames = 0;
}

static void let_go(void *ctx, uint64_t stream_id)
{
	struct receiver *r = ctx;

	pass_kept(r);
	while (!tw_receive_queue__retire(r->queue, stream_id) && !await_slot(r))
		;
}

/* Passes a frame to the poller and the admission. Return: whether the frame is for the recorder */
static bool look_at_frame(struct receiver *r, const struct tw_received_frame *frame, const struct tw_arrival *arrival)
{
	if (tw_clock_poller__is_response(frame)) {
		if (!tw_admission__answer(r->admission, frame))
			take_answer(r, frame);
		return true;
	}
	if (!tw_admission__frame(r->admission, frame, arrival))
		return false;
	tw_clock_poller__saw(r->poller, frame, r->seen);
	return true;
}

/* Removes from a bundle the frames that are not for the recorder. Return: whether any frames are left */
static bool look_at_bundle(struct receiver *r, struct tw_received_batch *bundle, const struct tw_arrival *arrival)
{
	struct tw_received_frame frame;

	r->kept.bundle = bundle;
	r->kept.arrival = arrival;
	r->kept.len = r->kept.frames = 0;
	for (size_t at = 0; tw_received_batch__frame(bundle, at, &frame); at += bundle->segment) {
		if (!look_at_frame(r, &frame, arrival))
			continue;
		if (r->kept.len != at)
			memmove(bundle->to + r->kept.len, frame.data, frame.len);
		r->kept.len += frame.len;
		r->kept.frames++;
	}
	bundle->len = r->kept.len;
	return r->kept.frames;
}

/* Sends the requests that are due. A request that cannot be sent is repeated later. */
static void ask(struct receiver *r)
{
	struct tw_time_sync_request question;
	struct tw_clock_poller_stats stats;

	r->rx->card_stamps = atomic_load_explicit(&r->stamp_by_cards, memory_order_relaxed);
	while (tw_clock_poller__next(r->poller, tw_capture_clock__now(&r->clock), &question))
		tw_receiver__answer(r->rx, question.to, question.frame, question.len, question.cookie);
	while (tw_admission__next(r->admission, &question))
		tw_receiver__answer(r->rx, question.to, question.frame, question.len, 0);
	take_stamps(r);
	tw_clock_poller__stats(r->poller, &stats);
	atomic_store_explicit(&r->crowded, stats.crowded, memory_order_relaxed);
}

/* Updates r->reported. This thread does not wait for the lock: if another thread holds it, this thread tries again later. */
static void tell_refusals(struct receiver *r)
{
	if (r->now - r->reported_at < TELL_NS || pthread_mutex_trylock(&r->lock))
		return;
	r->reported = *tw_admission__refusals(r->admission);
	pthread_mutex_unlock(&r->lock);
	r->reported_at = r->now;
}

/* Return: how long to wait for frames, ms: until a request is due, at most WAIT_MS; 1 if the queue holds frames that are not flushed */
static int patience(const struct receiver *r)
{
	const uint64_t due = r->poller ? tw_clock_poller__due(r->poller) : UINT64_MAX;
	uint64_t now, wait;

	if (tw_receive_queue__holds(r->queue))
		return 1;
	if (due == UINT64_MAX)
		return WAIT_MS;
	now = tw_capture_clock__now(&r->clock);
	if (due <= now)
		return 0;
	wait = (due - now) / TW_NS_PER_MS + 1; /* rounded up, so that the request is due then */
	return wait < WAIT_MS ? (int)wait : WAIT_MS;
}

/* Gets slots to receive into. Return: number of slots, or -errno */
static int make_room(struct receiver *r, struct tw_received_batch bundles[TW_RECEIVE_QUEUE_SLOTS])
{
	uint8_t *places[TW_RECEIVE_QUEUE_SLOTS];
	unsigned int n;

	while (!(n = tw_receive_queue__room(r->queue, places))) {
		const int err = await_slot(r);

		if (err)
			return err;
	}
	for (unsigned int i = 0; i < n; i++)
		bundles[i].to = places[i];
	return (int)n;
}

static bool has_events(const struct tw_received_batch *bundle)
{
	struct tw_received_frame frame;
	uint8_t source;

	for (size_t at = 0; tw_received_batch__frame(bundle, at, &frame); at += bundle->segment) {
		if (frame.len < sizeof(struct tw_frame_hdr))
			continue;
		source = frame.data[offsetof(struct tw_frame_hdr, source)];
		if (source != TW_SOURCE_CONTROL && source != TW_SOURCE_OUT_OF_BAND)
			return true;
	}
	return false;
}

/* Passes a bundle to the recorder's queue, except frames that are too long or not admitted. Return: false if it arrived after r->end */
static bool pass_on(struct receiver *r, struct tw_received_batch *bundle, unsigned int place)
{
	const struct tw_arrival arrival = { .now = r->now, .dropped = bundle->dropped };

	if (bundle->time > r->end)
		return false;
	r->taken += bundle->segment ? (bundle->len + bundle->segment - 1) / bundle->segment : 1;
	r->too_long += bundle->cut;
	if (bundle->cut)
		return true;
	/* If @rx is full, a short control frame may still fit, so the drop counter at the last frame with events is noted separately. */
	r->dropped = bundle->dropped;
	if (r->dropped != r->dropped_events && has_events(bundle))
		r->dropped_events = r->dropped;
	if (r->poller && !look_at_bundle(r, bundle, &arrival))
		return true;
	tw_receive_queue__put(r->queue, place, bundle->len, bundle->segment, &arrival);
	return true;
}

/* Waits for frames, and passes on those that arrived before r->end. Return: number of bundles passed on, or -errno */
static int take_burst(struct receiver *r)
{
	struct tw_received_batch bundles[TW_RECEIVE_QUEUE_SLOTS];
	const int room = make_room(r, bundles);
	int n = 0, more, err;

	if (room < 0)
		return room;
	more = tw_receiver__take(r->rx, patience(r), bundles, (unsigned int)room);
	r->now = tw_time__now(CLOCK_MONOTONIC);
	if (r->poller) {
		r->seen = tw_capture_clock__now(&r->clock);
		tw_admission__begin(r->admission, r->now);
	}
	for (int i = 0; i < more; i++)
		n += pass_on(r, &bundles[i], (unsigned int)i);
	err = tw_receive_queue__flush(r->queue);
	if (is_final(r, err))
		return err;
	if (r->poller) {
		ask(r);
		tell_refusals(r);
	}
	if (more == -ENETDOWN && r->options.others_send)
		return n;
	return more < 0 ? more : n;
}

static int receive(struct receiver *r)
{
	for (;;) {
		/* If @ending, all frames to be recorded arrived before this burst. If the burst is empty, all of them were taken. */
		const bool ending = (look_for_end(r), r->seen_end);
		const int n = take_burst(r);

		if (n < 0)
			return n;
		if (ending && (!n || (r->options.others_send && tw_time__now(CLOCK_MONOTONIC) > r->end_at_most)))
			return 0;
		if (tw_recorder__is_full(r->recorder))
			return 0;
		if (r->options.is_over && r->options.is_over(r->options.ctx))
			return -EPIPE;
	}
}

static void *receiver_main(void *data)
{
	struct receiver *r = data;

	pthread_setname_np(pthread_self(), "tracewire-recv");
	r->tid = gettid();
	sem_post(&r->running);
	r->err = receive(r);
	while (tw_receive_queue__flush(r->queue) == -EBUSY)
		tw_receive_queue__wait(r->queue, 1);
	stop__request();
	return NULL;
}

static int start_thread(struct receiver *r, struct tw_error *error)
{
	const int err = pthread_create(&r->thread, NULL, receiver_main, r);

	if (err)
		return tw_error__set(error, -err, "cannot start the receiver thread: %s", strerror(err));
	while (sem_wait(&r->running))
		;
	return 0;
}

static void release(struct receiver *r)
{
	tw_receive_queue__free(r->queue);
	tw_recorder__free(r->recorder);
	tw_clock_poller__free(r->poller);
	tw_admission__free(r->admission);
	tw_receiver__close(r->rx);
	pthread_mutex_destroy(&r->lock);
	sem_destroy(&r->running);
	free(r);
}

static int open_recorder(struct receiver *r, struct tw_error *error)
{
	struct tw_recorder_options options = r->options.recorder;
	const size_t most = r->rx->batch_max ? r->rx->batch_max : r->rx->frame_max, slots = QUEUE_BYTES / most;
	int err;

	options.slot_bytes = (uint32_t)most;
	options.slots = (uint32_t)(slots > SLOTS_MIN ? slots : SLOTS_MIN);
	err = tw_recorder__new(&options, &r->recorder, error);
	return err ? err : tw_recorder__receive_queue(r->recorder, &r->queue, error);
}

static int open_poller(struct receiver *r, struct tw_error *error)
{
	const struct tw_admission_options admission = {
		.of_one_source = r->options.of_one_source,
		.unanswered = r->options.unanswered,
		.admitted = take_admitted,
		.gave_way = let_go,
		.ctx = r,
	};
	uint64_t secret;

	if (getrandom(&secret, sizeof(secret), 0) != sizeof(secret))
		return tw_error__set(error, -errno, "cannot get a random number for clock requests: %s",
				     strerror(errno));
	r->clock = r->options.recorder.archive.clock;
	if (!r->clock.begun)
		tw_capture_clock__begin(&r->clock);
	r->admission = tw_admission__new(&admission);
	r->poller = r->admission ? tw_clock_poller__new(tw_admission__streams(r->admission), secret) : NULL;
	return r->poller && r->admission
		       ? 0
		       : tw_error__set(error, -ENOMEM, "no memory for the table of streams, or for clock requests");
}

int receiver__start(const struct receiver_options *options, struct receiver **ret, struct tw_error *error)
{
	struct receiver *r = calloc(1, sizeof(*r));
	int err;

	if (!r) {
		tw_output__free(options->recorder.output);
		tw_packet_capture__close(options->recorder.packets);
		tw_receiver__close(options->rx);
		return tw_error__set(error, -ENOMEM, "no memory to receive");
	}
	sem_init(&r->running, 0, 0);
	pthread_mutex_init(&r->lock, NULL);
	r->options = *options;
	r->rx = options->rx;
	r->end = UINT64_MAX;
	err = open_recorder(r, error);
	if (!err && options->asks)
		err = open_poller(r, error);
	if (!err)
		err = start_thread(r, error);
	if (err) {
		release(r);
		return err;
	}
	*ret = r;
	return 0;
}

struct tw_recorder *receiver__recorder(struct receiver *receiver)
{
	return receiver->recorder;
}

void receiver__stamp_by_cards(struct receiver *r, bool on)
{
	atomic_store_explicit(&r->stamp_by_cards, on && r->options.cards && r->options.cards->n_clocks,
			      memory_order_relaxed);
}

uint64_t receiver__crowded(const struct receiver *receiver)
{
	return atomic_load_explicit(&receiver->crowded, memory_order_relaxed);
}

void receiver__refusals(struct receiver *receiver, struct tw_refusals *ret)
{
	pthread_mutex_lock(&receiver->lock);
	*ret = receiver->reported;
	pthread_mutex_unlock(&receiver->lock);
}

pid_t receiver__tid(const struct receiver *receiver)
{
	return receiver->tid;
}

/*
 * Reports to the recorder how many frames were lost after the last recorded one: dropped by @rx or, if the writer is stuck, not queued or
 * not taken from @rx.
 * Return: 0, or -errno if the number of dropped frames cannot be read
 */
static int count_missing(struct receiver *r, struct tw_receiver_stats *ret)
{
	const int err = tw_receiver__stats(r->rx, ret);
	uint64_t missing;

	if (err || tw_recorder__is_full(r->recorder))
		return err;
	missing = ret->dropped_last + (r->dropped - r->dropped_events);
	if (r->err == -ETIMEDOUT)
		missing += r->unplaced + (ret->frames > r->taken ? ret->frames - r->taken : 0);
	tw_recorder__missing(r->recorder, missing);
	return 0;
}

int receiver__finish(struct receiver *r, struct receiver_stats *ret, struct tw_error *error)
{
	struct tw_error why;
	int err, received, counted, reported;

	atomic_store(&r->ending, true);
	pthread_join(r->thread, NULL);
	received = r->err;
	counted = count_missing(r, &ret->rx);
	tw_receive_queue__free(r->queue);
	r->queue = NULL;
	err = tw_recorder__finish(r->recorder, &ret->archive, &why);
	reported = tw_archive__reports(tw_recorder__archive(r->recorder), &ret->streams, &ret->n_streams);
	ret->too_long = r->too_long;
	if (r->poller) {
		tw_clock_poller__stats(r->poller, &ret->asked);
		tw_admission__finish(r->admission);
		ret->refusals = *tw_admission__refusals(r->admission);
	}
	release(r);
	if (received == -EPIPE || err == -EPIPE)
		return 0;
	if (err)
		return tw_error__set(error, err, "%s", why.text);
	if (received)
		return tw_error__set(error, received, "cannot receive: %s", strerror(-received));
	if (counted)
		return tw_error__set(error, counted, "the number of frames that the kernel dropped is unknown: %s",
				     strerror(-counted));
	return reported ? tw_error__set(error, reported, "no memory for the ledgers of the streams") : 0;
}
