/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The responder with real sockets on the loopback interface. The stream's clock is CLOCK_BOOTTIME, and this test reads the same clock, so
 * the true time of each step lies between two readings.
 */
#include "clocks/time_sync_responder.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/time.h"
#include "clocks/capture_clock.h"
#include "simulated_card.h"
#include "vnet/rx_requests.h"
#include "vnet/rx_udp.h"
#include "vnet/tx_udp.h"
#include "wire/time_sync.h"

#define STREAM        7
#define PATIENCE      10000 /* ms; a busy machine may be slow */
#define EXCHANGES_MAX 2000

struct ends {
	struct tw_receiver *capture;
	struct tw_tx_udp *udp;
	struct tw_sink *sink;
	struct tw_time_sync_responder *responder;
	struct tw_capture_clock clock;
	struct tw_card_stamps cards[2]; /* of the responder and of the capture host */
	struct tw_peer producer;
	uint32_t id;
};

static uint64_t stream_now(void *ctx)
{
	(void)ctx;
	return tw_time__now(CLOCK_BOOTTIME);
}

/* Whether transmit stamps of cards are requested */
static bool stamp_by_cards(void *ctx)
{
	(void)ctx;
	return atomic_load(&simulated_card);
}

/* Sends one frame of the stream, so that the capture host knows the producer's address. */
static void say_hello(struct ends *e)
{
	const struct tw_frame_info info = { .source = TW_SOURCE_CONTROL, .stream_id = STREAM };
	struct tw_received_frame got;
	struct tw_frame frame;

	tw_frame__begin(&frame, tw_sink__reserve(e->sink), 128, &info);
	tw_sink__commit(e->sink, tw_frame__end(&frame));
	assert_int_equal(tw_sink__flush(e->sink), 0);
	assert_int_equal(tw_receiver__next(e->capture, PATIENCE, &got), 1);
	e->producer = *got.from;
}

/* Opens the capture's end at a port that no other program uses. Return: the port */
static uint16_t open_capture(struct ends *e)
{
	struct tw_rx_udp_options rx = { .at = { .port = (uint16_t)(20000 + getpid() % 10000) } };
	struct tw_error error = { "" };
	int err;

	while ((err = tw_rx_udp__open(&rx, &e->capture, &error)) == -EADDRINUSE)
		rx.at.port++;
	if (err)
		fail_msg("%s", error.text);
	return rx.at.port;
}

static void open_ends(struct ends *e, const char *host)
{
	struct tw_time_sync_responder_options options = {
		.cards = &e->cards[0], .stream_id = STREAM, .now = stream_now, .stamp_by_cards = stamp_by_cards
	};
	struct tw_udp_address to = { 0 };
	struct tw_error error = { "" };

	*e = (struct ends){ .id = 100 };
	simulated_card__init(&e->cards[0]);
	simulated_card__init(&e->cards[1]);
	snprintf(to.host, sizeof(to.host), "%s", host);
	to.port = open_capture(e);
	if (tw_tx_udp__open(&to, &e->udp, &error) || tw_tx_udp__sink(e->udp, 0, &e->sink, &error) ||
	    tw_rx_requests__on_udp(e->udp, &options.rx, &error) ||
	    tw_time_sync_responder__start(&options, &e->responder, &error))
		fail_msg("%s", error.text);
	tw_capture_clock__begin(&e->clock);
	say_hello(e);
}

static void close_ends(struct ends *e)
{
	struct tw_time_sync_responder_stats stats = { 0 };

	tw_time_sync_responder__stop(e->responder, &stats);
	assert_int_equal(stats.unsent + stats.strange + stats.dropped, 0);
	assert_int_equal(stats.answered, e->id - 100);
	tw_sink__close(e->sink);
	tw_tx_udp__close(e->udp);
	tw_receiver__close(e->capture);
	tw_card_stamps__close(&e->cards[0]);
	tw_card_stamps__close(&e->cards[1]);
}

/* One exchange. The times of the capture host are converted to CLOCK_BOOTTIME. */
struct exchange {
	struct tw_time_sync_view answer;
	uint64_t before, after; /* readings before the request was sent, and after the response was received */
	struct tw_stamped_time sent, arrived; /* by the stamps of the capture host */
	size_t len;                           /* of the response */
};

static uint64_t boot(const struct ends *e, uint64_t capture_time)
{
	return capture_time - (uint64_t)e->clock.begun;
}

/* Return: the latest time by the stamps of a request */
static struct tw_stamped_time take_stamps(struct ends *e, uint32_t cookie, uint64_t since)
{
	struct tw_stamped_time ret = { 0 }, sent;
	struct tw_sent_stamp stamp;
	unsigned int n = 0;

	for (; tw_receiver__sent(e->capture, &stamp); n++) {
		assert_int_equal(stamp.cookie, cookie);
		assert_int_equal(stamp.by, n ? TW_STAMP_HARDWARE : TW_STAMP_SOFTWARE);
		sent = tw_capture_clock__sent(&e->clock, &e->cards[1], &stamp, since);
		ret = sent.time > ret.time ? sent : ret;
	}
	assert_int_equal(n, stamp_by_cards(NULL) ? 2 : 1);
	return ret;
}

static void run(struct ends *e, bool is_short, struct exchange *ret)
{
	const struct tw_time_sync_view request = { .id = e->id++, .asked = 5, .is_short = is_short };
	uint8_t frame[TW_TIME_SYNC_ROOM];
	struct tw_received_frame got;
	uint64_t stream, since;
	size_t len;

	len = tw_time_sync_frame__request(frame, STREAM, &request, 0);
	ret->before = tw_time__now(CLOCK_BOOTTIME);
	since = ret->before + (uint64_t)e->clock.begun;
	assert_int_equal(tw_receiver__answer(e->capture, &e->producer, frame, len, request.id), 0);
	assert_int_equal(tw_receiver__next(e->capture, PATIENCE, &got), 1);
	ret->after = tw_time__now(CLOCK_BOOTTIME);
	ret->arrived = tw_capture_clock__arrived(&e->clock, &e->cards[1], &got);
	ret->sent = take_stamps(e, request.id, since);
	ret->sent.time = boot(e, ret->sent.time);
	ret->arrived.time = boot(e, ret->arrived.time);
	assert_true(tw_time_sync_frame__read(got.data, got.len, &stream, &ret->answer));
	assert_int_equal(stream, STREAM);
	assert_int_equal(ret->answer.id, request.id);
	assert_int_equal(got.len, len);
}

/* The bounds that follow from the times contain 0, the true distance. */
static void expect_bounds(const struct exchange *x)
{
	assert_in_range(x->sent.time, x->before, x->after);
	assert_in_range(x->arrived.time, x->before, tw_time__now(CLOCK_BOOTTIME));
	assert_in_range(x->answer.received, x->sent.time, x->after);
	assert_in_range(x->answer.answered, x->answer.received, x->arrived.time);
}

/* Each response but the first has the transmit stamp of the response before. */
static void exchange_with(const char *host)
{
	unsigned int stamped = 0;
	struct exchange last, x;
	struct ends e;

	open_ends(&e, host);
	run(&e, false, &last);
	assert_int_equal(last.answer.sent_by | last.answer.previous | last.answer.sent, 0);
	for (int i = 0; i < 30 || (!stamped && i < EXCHANGES_MAX); i++, last = x) {
		run(&e, false, &x);
		expect_bounds(&x);
		assert_int_equal(x.answer.answered_by, TW_STAMP_READING);
		if (!x.answer.sent_by) /* the conversion of a stamp fails if the machine is too busy */
			continue;
		assert_int_equal(x.answer.sent_by, TW_STAMP_SOFTWARE);
		assert_int_equal(x.answer.previous, last.answer.id);
		assert_in_range(x.answer.sent, 1, last.arrived.time); /* too early if the machine is busy */
		stamped += x.answer.received_by == TW_STAMP_SOFTWARE && x.sent.by == TW_STAMP_SOFTWARE &&
			   x.arrived.by == TW_STAMP_SOFTWARE && x.answer.sent > last.answer.answered;
	}
	assert_true(stamped > 0);
	close_ends(&e);
}

static void test_exchange(void **state)
{
	(void)state;
	exchange_with("127.0.0.1");
	exchange_with("::1");
}

/* A receiver with short requests gets short responses, and does not disturb the stamps of another receiver at its address. */
static void test_short(void **state)
{
	struct exchange x;
	struct ends e;
	uint32_t id;

	(void)state;
	open_ends(&e, "127.0.0.1");
	for (int i = 0; i < 3; i++) {
		run(&e, true, &x);
		expect_bounds(&x);
		assert_true(x.answer.is_short);
	}
	run(&e, false, &x);
	id = x.answer.id;
	assert_int_equal(x.answer.sent_by, TW_STAMP_NONE);
	run(&e, true, &x);
	run(&e, false, &x);
	if (x.answer.sent_by)
		assert_int_equal(x.answer.previous, id);
	close_ends(&e);
}

/*
 * With stamps of cards on both sides, the bounds are valid, too. The times are from these stamps, except when the machine was so busy that
 * they are too old.
 */
static void exchange_by_cards(const char *host)
{
	struct exchange last = { .before = 0 }, x;
	unsigned int by_cards = 0;
	struct ends e;

	atomic_store(&simulated_card, true);
	open_ends(&e, host);
	for (int i = 0; i < EXCHANGES_MAX && by_cards < 60; i++, last = x) {
		run(&e, false, &x);
		expect_bounds(&x);
		if (i && x.answer.sent_by)
			assert_in_range(x.answer.sent, 1, last.arrived.time);
		by_cards += x.sent.by == TW_STAMP_HARDWARE && x.answer.received_by == TW_STAMP_HARDWARE &&
			    x.answer.sent_by == TW_STAMP_HARDWARE && x.arrived.by == TW_STAMP_HARDWARE;
	}
	atomic_store(&simulated_card, false);
	assert_int_equal(by_cards, 60);
	close_ends(&e);
}

static void test_cards(void **state)
{
	(void)state;
	exchange_by_cards("127.0.0.1");
	exchange_by_cards("::1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exchange),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_cards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
