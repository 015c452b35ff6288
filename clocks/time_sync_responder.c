/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/time_sync_responder.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "clocks/card_stamps.h"
#include "clocks/stamps.h"
#include "wire/time_sync.h"

#define WAIT_MS  100 /* interval at which the thread checks whether to stop */
#define BURST    50  /* after an idle time, up to this number of frames are processed without a pause */
#define FRAME_NS (TW_NS_PER_SECOND / TW_TIME_SYNC_RESPONSES_PER_SECOND)

/* Receivers whose latest response is remembered; a further one replaces the one that was silent longest. */
#define PEERS 16

/* The latest response to a receiver. */
struct latest_response {
	struct tw_peer peer;
	uint32_t id;
	uint32_t cookie;             /* of its transmit stamp; 0 = the entry is unused */
	uint64_t since;              /* CLOCK_BOOTTIME before the response was sent */
	struct tw_stamped_time sent; /* by the stream's clock; TW_STAMP_NONE = there is no stamp yet */
};

struct tw_time_sync_responder {
	struct tw_time_sync_responder_options options;
	pthread_t thread;
	sem_t running;
	atomic_bool stop;
	struct tw_stamps stamps;
	uint32_t cookies; /* number of cookies used */
	struct latest_response latest[PEERS];
	uint64_t paid; /* time until which the processed frames use up the rate limit, CLOCK_MONOTONIC, ns */
	struct tw_time_sync_responder_stats stats;
};

/*
 * Convert a time of CLOCK_BOOTTIME to the stream's clock. The clock is read between two readings of CLOCK_BOOTTIME, so the interval from
 * the time to the reading is known with an error, and the rates of the clocks may differ during this interval. Also, the clock's reading
 * has the error @slack.
 */
static uint64_t not_too_early(const struct tw_time_sync_responder *t, uint64_t time)
{
	const uint64_t boot = tw_time__now(CLOCK_BOOTTIME), now = t->options.now(t->options.ctx);
	const uint64_t age = boot - time;

	return now - (age - age / TW_STAMPS_DRIFT) + t->options.slack;
}

static uint64_t not_too_late(const struct tw_time_sync_responder *t, uint64_t time)
{
	const uint64_t now = t->options.now(t->options.ctx), age = tw_time__now(CLOCK_BOOTTIME) - time;

	return now - (age + age / TW_STAMPS_DRIFT) - t->options.slack - 1;
}

/* Return: when a request arrived, by the stream's clock, or later. */
static struct tw_stamped_time time_of_arrival(struct tw_time_sync_responder *t, const struct tw_received_frame *frame)
{
	const struct tw_stamped_time arrived = tw_frame__arrived(&t->stamps, t->options.cards, frame);

	if (arrived.by == TW_STAMP_READING)
		return (struct tw_stamped_time){ t->options.now(t->options.ctx) + t->options.slack, TW_STAMP_READING };
	return (struct tw_stamped_time){ not_too_early(t, arrived.time), arrived.by };
}

/* Note a transmit stamp of a response. No stamp is too late, so the latest one of a response is the most precise. */
static void take_stamp(struct tw_time_sync_responder *t, const struct tw_sent_stamp *stamp, struct latest_response *r)
{
	const struct tw_stamped_time at = tw_frame__sent(&t->stamps, t->options.cards, stamp, r->since);
	uint64_t sent;

	if (at.by == TW_STAMP_READING)
		return;
	sent = not_too_late(t, at.time);
	if (!r->sent.by || sent > r->sent.time)
		r->sent = (struct tw_stamped_time){ sent, at.by };
}

static void take_stamps(struct tw_time_sync_responder *t)
{
	struct tw_sent_stamp stamp;

	while (tw_receiver__sent(t->options.rx, &stamp)) {
		struct latest_response *r = t->latest;

		while (r < t->latest + PEERS && r->cookie != stamp.cookie)
			r++;
		if (r < t->latest + PEERS)
			take_stamp(t, &stamp, r);
	}
}

/* Return: the entry of a receiver, or else the oldest entry, which then becomes unused. */
static struct latest_response *entry_of(struct tw_time_sync_responder *t, const struct tw_peer *peer)
{
	struct latest_response *oldest = t->latest;

	for (struct latest_response *r = t->latest; r < t->latest + PEERS; r++) {
		if (r->cookie && r->peer.len == peer->len && !memcmp(r->peer.bytes, peer->bytes, sizeof(peer->bytes)))
			return r;
		if (r->since < oldest->since)
			oldest = r;
	}
	*oldest = (struct latest_response){ .peer = *peer };
	return oldest;
}

/* Put the transmit stamp of the latest response to the same receiver into a response, unless the request was too short for it. */
static void add_previous(struct tw_time_sync_view *sync, const struct latest_response *latest)
{
	sync->sent_by = latest->sent.by;
	sync->previous = latest->sent.by ? latest->id : 0;
	sync->sent = latest->sent.by ? latest->sent.time : 0;
}

/* Return: the cookie of the next response; never 0. */
static uint32_t next_cookie(struct tw_time_sync_responder *t)
{
	t->cookies += t->cookies == UINT32_MAX ? 2 : 1;
	return t->cookies;
}

/* Send a response. A request from which another stamp could not be returned, because it is short, needs no stamp. */
static int respond(struct tw_time_sync_responder *t, const struct tw_received_frame *frame,
		   struct tw_time_sync_view *sync)
{
	const bool is_stamped = !sync->is_short;
	struct latest_response *latest = is_stamped ? entry_of(t, frame->from) : NULL;
	uint8_t reply[TW_TIME_SYNC_ROOM];
	size_t len;

	if (is_stamped) {
		add_previous(sync, latest);
		latest->id = sync->id;
		latest->cookie = next_cookie(t);
		latest->since = tw_time__now(CLOCK_BOOTTIME);
		latest->sent = (struct tw_stamped_time){ .by = TW_STAMP_NONE };
	}
	sync->answered = t->options.now(t->options.ctx) - t->options.slack;
	sync->answered_by = TW_STAMP_READING;
	len = tw_time_sync_frame__write(reply, t->options.stream_id, sync);
	return tw_receiver__answer(t->options.rx, frame->from, reply, len, is_stamped ? latest->cookie : 0);
}

/* Answer a frame. `received` is not before the request arrives, and `answered` is not after the response is sent. */
static void answer(struct tw_time_sync_responder *t, const struct tw_received_frame *frame)
{
	struct tw_time_sync_view sync;
	struct tw_stamped_time arrival;
	uint16_t want, refused;
	uint64_t stream;

	if (!tw_time_sync_frame__read(frame->data, frame->len, &stream, &sync) || stream != t->options.stream_id ||
	    sync.received || sync.answered || !frame->from) {
		t->stats.strange++;
		return;
	}
	arrival = time_of_arrival(t, frame);
	sync.received = arrival.time;
	sync.received_by = arrival.by;
	if (respond(t, frame, &sync))
		t->stats.unsent++;
	else
		t->stats.answered++;
	take_stamps(t);
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

static bool stamps_by_cards(const struct tw_time_sync_responder *t)
{
	return t->options.cards && t->options.cards->n_clocks && t->options.stamp_by_cards &&
	       t->options.stamp_by_cards(t->options.ctx);
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
		t->options.rx->card_stamps = stamps_by_cards(t);
		n = tw_receiver__next(t->options.rx, WAIT_MS, &frame);
		take_stamps(t);
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
		t->stamps = tw_stamps__measure(TW_STAMPS_FIRST_TRIES);
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
