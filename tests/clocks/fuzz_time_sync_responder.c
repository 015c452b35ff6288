/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libFuzzer target: datagrams to the socket from which a producer streams, processed by the responder thread and the request limiter. The
 * input is a sequence of datagrams, each after its 16-bit big-endian length. If a length exceeds the rest of the input, the length and the
 * rest are one datagram. Checks: only requests for the stream are answered, and the response repeats the id and the time of its request;
 * a response has the transmit stamp of the latest response to the same peer; metadata is sent at most as often as the limits allow. The
 * datagrams come from more peers than the responder remembers.
 */
#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "clocks/time_sync_responder.h"
#include "producer/request_limiter.h"
#include "wire/time_sync.h"

#define STREAM     0x1122334455667788ull /* the stream id of the golden frames */
#define PEERS      20
#define FRAMES_MAX 48 /* the responder handles this number of datagrams without a pause */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A receiver with the frames of the input. */
struct datagrams {
	struct tw_receiver rx;
	struct tw_cursor input;
	unsigned int n;
	const uint8_t *last; /* a copy in separate memory, so that a read beyond its end is found */
	size_t len;
	uint64_t looked_at, answered;
	struct tw_peer peer;
	uint32_t latest[PEERS]; /* id of the latest request of each peer that was answered with a stamp */
	struct tw_sent_stamp stamp;
	bool has_stamp;
	sem_t over; /* the input is used up */
};

static void check(bool holds)
{
	if (!holds)
		abort();
}

static uint64_t now(void *ctx)
{
	(void)ctx;
	return tw_time__now(CLOCK_MONOTONIC);
}

static const uint8_t *copy(const uint8_t *data, size_t len)
{
	uint8_t *ret = malloc(len ? len : 1);

	check(ret);
	memcpy(ret, data, len);
	return ret;
}

static int next(struct tw_receiver *rx, int timeout_ms, struct tw_received_frame *ret)
{
	struct datagrams *d = (struct datagrams *)rx;
	const uint8_t *p = tw_cursor__take(&d->input, 2);

	(void)timeout_ms;
	if ((!p && !d->input.left) || d->n++ == FRAMES_MAX) {
		sem_post(&d->over);
		return -ENODEV; /* which ends the thread */
	}
	d->len = p ? tw_load_be16(p) : d->input.left;
	if (d->len > d->input.left) { /* the two bytes are no length: the rest is one datagram */
		d->len = d->input.left + 2;
		d->input.at -= 2;
		d->input.left += 2;
	}
	d->looked_at++;
	free((void *)d->last);
	d->last = copy(tw_cursor__take(&d->input, d->len), d->len);
	d->peer = (struct tw_peer){ .len = 1, .bytes = { (uint8_t)(d->len % PEERS) } };
	*ret = (struct tw_received_frame){ .data = d->last,
					   .len = d->len,
					   .time = tw_time__now(CLOCK_REALTIME),
					   .time_by = TW_STAMP_SOFTWARE,
					   .from = &d->peer };
	return 1;
}

static int answer(struct tw_receiver *rx, const struct tw_peer *to, const void *frame, size_t len, uint32_t cookie)
{
	struct datagrams *d = (struct datagrams *)rx;
	struct tw_time_sync_view asked, reported;
	uint64_t stream;

	check(to && len <= d->len && tw_time_sync_frame__read(frame, len, &stream, &reported) && stream == STREAM);
	check(tw_time_sync_frame__read(d->last, d->len, &stream, &asked) && stream == STREAM);
	check(!asked.received && !asked.answered && reported.id == asked.id && reported.asked == asked.asked);
	check(reported.received && reported.received <= reported.answered);
	check(!cookie == asked.is_short && reported.is_short == asked.is_short && reported.sent <= reported.answered);
	check(!reported.sent_by || reported.previous == d->latest[to->bytes[0]]);
	if (cookie)
		d->latest[to->bytes[0]] = asked.id;
	d->stamp = (struct tw_sent_stamp){ .cookie = cookie,
					   .by = TW_STAMP_SOFTWARE,
					   .time = tw_time__now(CLOCK_REALTIME) };
	d->has_stamp = cookie;
	d->answered++;
	return 0;
}

static bool sent(struct tw_receiver *rx, struct tw_sent_stamp *ret)
{
	struct datagrams *d = (struct datagrams *)rx;
	const bool has_stamp = d->has_stamp;

	*ret = d->stamp;
	d->has_stamp = false;
	return has_stamp;
}

static int no_stats(struct tw_receiver *rx, struct tw_receiver_stats *ret)
{
	(void)rx;
	(void)ret;
	return -EOPNOTSUPP;
}

static void close_nothing(struct tw_receiver *rx)
{
	(void)rx;
}

static void wanted(void *wants, uint16_t what)
{
	check(what >= 1 && what <= TW_METADATA_REQUEST_ALL);
	tw_request_limiter__add(wants, what);
}

/* Takes the metadata that the reader thread would send again now. */
static void check_wants(struct tw_request_limiter *wants)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC);
	unsigned int n = 0;

	while (tw_request_limiter__take(wants, now))
		check(++n <= 2); /* each kind is kept once, however often it is requested */
	check(tw_request_limiter__pause(wants, now) > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct tw_receiver_ops ops = {
		.next = next, .answer = answer, .sent = sent, .stats = no_stats, .close = close_nothing
	};
	struct datagrams d = { .rx = { .ops = &ops }, .input = { .at = data, .left = size } };
	struct tw_request_limiter *wants = tw_request_limiter__new();
	const struct tw_time_sync_responder_options options = {
		.rx = &d.rx,
		.now = now,
		.stream_id = STREAM,
		.wanted = wanted,
		.ctx = wants,
	};
	struct tw_time_sync_responder *thread;
	struct tw_time_sync_responder_stats stats;

	check(wants);
	sem_init(&d.over, 0, 0);
	if (!tw_time_sync_responder__start(&options, &thread, NULL)) {
		while (sem_wait(&d.over))
			;
		tw_time_sync_responder__stop(thread, &stats);
		check(stats.answered == d.answered && !stats.unsent && stats.answered + stats.strange == d.looked_at);
	}
	check_wants(wants);
	tw_request_limiter__free(wants);
	sem_destroy(&d.over);
	free((void *)d.last);
	return 0;
}
