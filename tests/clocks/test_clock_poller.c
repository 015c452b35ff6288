/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which streams get requests and when, and which responses are accepted. */
#include "clocks/clock_poller.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/time.h"
#include "wire/encode.h"

#define MS     TW_NS_PER_MS
#define SECOND TW_NS_PER_SECOND
#define START  (1000 * SECOND)

/* A frame as returned by a receiver. */
struct came {
	struct tw_peer peer;
	struct tw_received_frame frame;
	uint8_t bytes[128 + TW_COPY_STEP];
};

static struct tw_received_frame *from(struct came *came, uint8_t sender, size_t len)
{
	came->peer = (struct tw_peer){ .len = 8, .bytes = { sender } };
	came->frame = (struct tw_received_frame){ .data = came->bytes, .len = len, .from = &came->peer };
	return &came->frame;
}

static struct tw_streams *streams; /* to which the poller sends requests */

static struct tw_clock_poller *poller__new(void)
{
	streams = tw_streams__new(&(struct tw_streams_options){ .silence = 10 * SECOND });
	return tw_clock_poller__new(streams, 1);
}

static void poller__free(struct tw_clock_poller *poller)
{
	tw_clock_poller__free(poller);
	tw_streams__free(streams);
}

/* The table of streams gets a frame of the stream @id, with the strongest proof that frames alone can give. */
static void hear(uint64_t id, bool control, uint64_t now)
{
	const struct tw_standing newcomer = { .heard = now, .proof = TW_PROOF_NUMBERS };
	struct tw_stream *stream;

	if (!tw_streams__admit(streams, id, &newcomer, &stream) && control)
		stream->standing.heard = now;
}

static void see(struct tw_clock_poller *poller, uint64_t stream, uint8_t sender, uint8_t source, uint64_t now)
{
	const struct tw_frame_info info = { .source = source, .stream_id = stream, .length = 48 };
	struct came came = { 0 };

	tw_frame_hdr__emit(came.bytes, &info);
	hear(stream, source == TW_SOURCE_CONTROL, now);
	tw_clock_poller__saw(poller, from(&came, sender, 48), now);
}

/* Makes the producer's response to a request. */
static struct tw_received_frame *answer_to(const struct tw_time_sync_request *question, uint8_t sender,
					   struct came *came)
{
	struct tw_time_sync_view exchange;
	uint64_t stream;

	assert_true(tw_time_sync_frame__read(question->frame, question->len, &stream, &exchange));
	assert_int_equal(exchange.received | exchange.answered, 0);
	exchange.received = 100;
	exchange.answered = 110;
	return from(came, sender, tw_time_sync_frame__write(came->bytes, stream, &exchange));
}

static struct tw_stamped_time at(uint64_t time)
{
	return (struct tw_stamped_time){ time, TW_STAMP_SOFTWARE };
}

/* Simulates @ns of a stream that sends a frame every 100 ms, and answers requests after @trip (0 = never). Return: number of requests */
static unsigned int ask_for(struct tw_clock_poller *poller, uint64_t *now, uint64_t ns, uint64_t trip)
{
	const uint64_t end = *now + ns;
	unsigned int n = 0;

	for (; *now < end; *now += MS / 2) {
		struct tw_time_sync_sample sample;
		struct tw_time_sync_request question;
		struct came came;
		uint64_t stream;

		if (*now % (100 * MS) == 0)
			see(poller, 1, 7, TW_SOURCE_CONTROL, *now);
		while (tw_clock_poller__next(poller, *now, &question)) {
			assert_int_equal(question.to->bytes[0], 7);
			n++;
			if (trip)
				assert_true(tw_clock_poller__response(poller, answer_to(&question, 7, &came),
								      at(*now + trip), &stream, &sample));
		}
	}
	return n;
}

static void test_when(void **state)
{
	struct tw_clock_poller *poller = poller__new();
	struct tw_clock_poller_stats stats;
	struct tw_time_sync_request question;
	uint64_t now = START;

	(void)state;
	assert_true(tw_clock_poller__due(poller) == UINT64_MAX);
	assert_false(tw_clock_poller__next(poller, now, &question));
	see(poller, 1, 7, TW_SOURCE_FTRACE, now); /* the first frame may belong to any channel */
	assert_true(tw_clock_poller__due(poller) == now);
	assert_int_equal(ask_for(poller, &now, 30 * MS, 50000), 8);
	assert_in_range(ask_for(poller, &now, 10 * SECOND, 50000), 196, 204); /* 50 ms, the shortest pause */
	assert_in_range(ask_for(poller, &now, 10 * SECOND, 200000), 49,
			75); /* 200 ms, when the fast responses are forgotten */
	assert_in_range(ask_for(poller, &now, 10 * SECOND, 200000), 44, 51);
	assert_in_range(ask_for(poller, &now, 60 * SECOND, 80 * MS), 60, 90); /* one second */
	assert_in_range(ask_for(poller, &now, 120 * SECOND, 0), 26, 30);      /* no responses from now on */
	assert_int_equal(ask_for(poller, &now, 50 * SECOND, 0), 5);
	assert_in_range(ask_for(poller, &now, 20 * SECOND, 80 * MS), 10, 20); /* responses again */
	tw_clock_poller__stats(poller, &stats);
	assert_int_equal(stats.strange + stats.crowded, 0);
	assert_true(stats.answered > 250 && stats.asked > stats.answered);
	poller__free(poller);
}

/* A silent stream gets no requests. */
static void test_silence(void **state)
{
	struct tw_clock_poller *poller = poller__new();
	struct tw_time_sync_request question;
	uint64_t now = START;

	(void)state;
	ask_for(poller, &now, SECOND, 50000);
	now += 5 * SECOND;
	assert_false(tw_clock_poller__next(poller, now, &question));
	see(poller, 1, 7, TW_SOURCE_CONTROL, now);
	assert_true(tw_clock_poller__due(poller) <= now);
	assert_true(tw_clock_poller__next(poller, now, &question));
	poller__free(poller);
}

static void test_answers(void **state)
{
	struct tw_clock_poller *poller = poller__new();
	struct tw_time_sync_sample sample;
	struct tw_time_sync_request question, other;
	struct tw_clock_poller_stats stats;
	struct tw_received_frame *frame;
	struct came came;
	uint64_t stream = 0;

	(void)state;
	see(poller, 1, 7, TW_SOURCE_CONTROL, START);
	see(poller, 2, 8, TW_SOURCE_CONTROL, START);
	assert_true(tw_clock_poller__next(poller, START, &question));
	assert_true(tw_clock_poller__next(poller, START, &other)); /* first requests do not wait for each other */
	assert_int_equal(other.to->bytes[0], 8);
	assert_false(tw_clock_poller__next(poller, START, &other));
	assert_false(
		tw_clock_poller__response(poller, answer_to(&question, 8, &came), at(START + MS), &stream, &sample));
	frame = answer_to(&question, 7, &came);
	came.bytes[48 + 7] ^= 1; /* another id of the request */
	assert_false(tw_clock_poller__response(poller, frame, at(START + MS), &stream, &sample));
	frame = answer_to(&question, 7, &came);
	came.bytes[48 + 15] ^= 1; /* another time of the request */
	assert_false(tw_clock_poller__response(poller, frame, at(START + MS), &stream, &sample));
	frame = answer_to(&question, 7, &came);
	came.bytes[15] ^= 3; /* the other stream */
	assert_false(tw_clock_poller__response(poller, frame, at(START + MS), &stream, &sample));
	frame = answer_to(&question, 7, &came);
	assert_true(tw_clock_poller__is_response(frame));
	for (frame->len = 0; frame->len < TW_TIME_SYNC_BYTES; frame->len++)
		assert_false(tw_clock_poller__response(poller, frame, at(START + MS), &stream, &sample));
	assert_int_equal(stream, 0);
	assert_true(tw_clock_poller__response(poller, frame, at(START + MS), &stream, &sample));
	assert_int_equal(stream, 1);
	assert_int_equal(sample.asked, START);
	assert_int_equal(sample.received, 100);
	assert_int_equal(sample.answered, 110);
	assert_int_equal(sample.arrived, START + MS);
	assert_false(tw_clock_poller__response(poller, frame, at(START + MS), &stream, &sample)); /* only once */
	tw_clock_poller__stats(poller, &stats);
	assert_int_equal(stats.asked, 2);
	assert_int_equal(stats.answered, 1);
	assert_int_equal(stats.strange, 5);
	poller__free(poller);
}

/* Makes the producer's response to a request, with the transmit stamp of the response to an earlier request. */
static struct tw_received_frame *stamped_answer(const struct tw_time_sync_request *question, uint32_t previous,
						uint64_t sent, struct came *came)
{
	struct tw_time_sync_view exchange;
	uint64_t stream;

	assert_true(tw_time_sync_frame__read(question->frame, question->len, &stream, &exchange));
	exchange.received = 100;
	exchange.answered = 110;
	exchange.received_by = TW_STAMP_SOFTWARE;
	exchange.answered_by = TW_STAMP_READING;
	exchange.sent_by = previous ? TW_STAMP_HARDWARE : TW_STAMP_NONE;
	exchange.previous = previous;
	exchange.sent = sent;
	return from(came, 7, tw_time_sync_frame__write(came->bytes, stream, &exchange));
}

/*
 * The latest stamp of a request is used, also if it arrives after the response. The stamp of a response makes a better sample of its
 * exchange, once.
 */
static void test_stamps(void **state)
{
	struct tw_clock_poller *poller = poller__new();
	struct tw_time_sync_request questions[3];
	struct tw_time_sync_sample sample, better;
	struct came came;
	uint64_t stream;

	(void)state;
	see(poller, 1, 7, TW_SOURCE_CONTROL, START);
	for (uint64_t i = 0; i < 3; i++) {
		const uint64_t now = START + i * 3 * MS;
		struct tw_time_sync_request *q = &questions[i];

		assert_true(tw_clock_poller__next(poller, now, q));
		assert_true(tw_clock_poller__asked(poller, q->cookie) == now && q->asked == now);
		tw_clock_poller__sent(poller, q->cookie, at(now + 20));
		tw_clock_poller__sent(poller, q->cookie, at(now + 30));
		tw_clock_poller__sent(poller, q->cookie, at(now + 10));
		tw_clock_poller__sent(poller, q->cookie + 1, at(now + 40)); /* of an unknown request */
	}
	assert_true(tw_clock_poller__expects(poller, stamped_answer(&questions[0], 0, 0, &came)));
	assert_true(tw_clock_poller__response(poller, stamped_answer(&questions[0], 0, 0, &came), at(START + MS),
					      &stream, &sample));
	assert_false(tw_clock_poller__expects(poller, &came.frame));
	assert_int_equal(sample.asked, START + 30);
	assert_memory_equal(&sample.by, "\2\2\1\2", 4);
	assert_false(sample.again);
	assert_false(tw_clock_poller__better(poller, &better));
	assert_int_equal(tw_clock_poller__asked(poller, questions[0].cookie), START);
	tw_clock_poller__sent(poller, questions[0].cookie, (struct tw_stamped_time){ START + 35, TW_STAMP_HARDWARE });
	tw_clock_poller__sent(poller, questions[0].cookie, at(START + 34));
	/* a stamp of a request that was not answered yet, and one before the response was made */
	assert_true(tw_clock_poller__response(poller, stamped_answer(&questions[1], questions[2].cookie, 115, &came),
					      at(START + 4 * MS), &stream, &sample));
	assert_false(tw_clock_poller__better(poller, &better));
	assert_true(tw_clock_poller__response(poller, stamped_answer(&questions[2], questions[0].cookie, 115, &came),
					      at(START + 7 * MS), &stream, &sample));
	assert_int_equal(sample.asked, START + 6 * MS + 30);
	assert_true(tw_clock_poller__better(poller, &better));
	assert_int_equal(better.asked, START + 35);
	assert_int_equal(tw_clock_poller__asked(poller, questions[0].cookie), 0);
	assert_int_equal(better.received, 100);
	assert_int_equal(better.answered, 115);
	assert_int_equal(better.arrived, START + MS);
	assert_memory_equal(&better.by, "\3\2\3\2", 4);
	assert_true(better.again);
	for (unsigned int i = 0; i < 3; i++) {
		const uint64_t now = START + (9 + i * 3) * MS, sent = i < 2 ? 109 : 115;
		const uint32_t of =
			i ? questions[1].cookie : questions[0].cookie; /* once; then one that is too early */

		assert_true(tw_clock_poller__next(poller, now, &questions[2]));
		assert_true(tw_clock_poller__response(poller, stamped_answer(&questions[2], of, sent, &came),
						      at(now + MS), &stream, &sample));
		assert_int_equal(tw_clock_poller__better(poller, &better), i == 2);
	}
	poller__free(poller);
}

/*
 * After the first requests, a producer that sends stamps gets its requests in runs of four. A sample that was not used, because there was a
 * better one of an earlier exchange, is not added again.
 */
static void test_runs(void **state)
{
	struct tw_clock_poller *poller = poller__new();
	struct tw_time_sync_sample sample, better;
	uint64_t now = START, stream, pauses = 0, follows = 0;
	struct tw_time_sync_request question;
	uint32_t before = 0;
	struct came came;

	(void)state;
	for (unsigned int i = 0; i < 30; i++) {
		see(poller, 1, 7, TW_SOURCE_CONTROL, now);
		assert_true(tw_clock_poller__next(poller, now, &question));
		assert_true(tw_clock_poller__response(poller, stamped_answer(&question, before, 115, &came),
						      at(now + 20000), &stream, &sample));
		assert_int_equal(tw_clock_poller__better(poller, &better), i > 0);
		if (i)
			assert_int_equal(better.again, i == 1);
		before = question.cookie;
		pauses += i >= 8 && tw_clock_poller__due(poller) > now + 2 * MS;
		follows += i >= 8 && tw_clock_poller__due(poller) <= now + 2 * MS;
		now = tw_clock_poller__due(poller);
	}
	assert_int_equal(pauses, 5);
	assert_int_equal(follows, 17);
	poller__free(poller);
}

/* A producer of an older version answers with the short form: the sources of its times are unknown. */
static void test_short_answer(void **state)
{
	struct tw_clock_poller *poller = poller__new();
	struct tw_time_sync_request question;
	struct tw_time_sync_view exchange;
	struct tw_time_sync_sample sample;
	struct came came;
	uint64_t stream;
	size_t len;

	(void)state;
	see(poller, 1, 7, TW_SOURCE_CONTROL, START);
	assert_true(tw_clock_poller__next(poller, START, &question));
	assert_int_equal(question.len, TW_TIME_SYNC_BYTES + 8); /* with a METADATA_REQUEST */
	assert_true(tw_time_sync_frame__read(question.frame, question.len, &stream, &exchange));
	exchange.received = 100;
	exchange.answered = 110;
	exchange.is_short = true;
	len = tw_time_sync_frame__write(came.bytes, stream, &exchange);
	assert_int_equal(len, TW_TIME_SYNC_BYTES_MIN);
	assert_true(tw_clock_poller__response(poller, from(&came, 7, len), at(START + MS), &stream, &sample));
	assert_int_equal(sample.received, 100);
	assert_memory_equal(&sample.by, "\1\0\0\2", 4);
	assert_false(tw_clock_poller__better(poller, &sample));
	poller__free(poller);
}

/* The first control frame of a stream comes from another address than its first frame. It gets the next request. */
static void test_moved(void **state)
{
	struct tw_clock_poller *poller = poller__new();
	struct tw_time_sync_sample sample;
	struct tw_time_sync_request question;
	struct came came;
	uint64_t stream;

	(void)state;
	see(poller, 1, 7, TW_SOURCE_FTRACE, START);
	assert_true(tw_clock_poller__next(poller, START, &question));
	see(poller, 1, 8, TW_SOURCE_FTRACE, START + MS); /* frames of rings may come from other sockets */
	see(poller, 1, 9, TW_SOURCE_CONTROL, START + MS);
	assert_false(
		tw_clock_poller__response(poller, answer_to(&question, 7, &came), at(START + MS), &stream, &sample));
	assert_false(
		tw_clock_poller__response(poller, answer_to(&question, 9, &came), at(START + MS), &stream, &sample));
	assert_true(tw_clock_poller__next(poller, START + 10 * MS, &question));
	assert_int_equal(question.to->bytes[0], 9);
	poller__free(poller);
}

/*
 * Simulates @ns of a stream whose control frames come from the address 7 every 100 ms (if @sends), while a stranger forges one from 9 every
 * ms. The address 7 answers if @answers, and the stranger answers what it gets. Return: number of requests that the stranger got
 */
static unsigned int share_with_stranger(struct tw_clock_poller *poller, uint64_t *now, uint64_t ns, bool sends,
					bool answers)
{
	const uint64_t end = *now + ns;
	unsigned int strange = 0;

	for (; *now < end; *now += MS) {
		struct tw_time_sync_sample sample;
		struct tw_time_sync_request question;
		struct came came;
		uint64_t stream;

		if (sends && *now % (100 * MS) == 0)
			see(poller, 1, 7, TW_SOURCE_CONTROL, *now);
		see(poller, 1, 9, TW_SOURCE_CONTROL, *now);
		while (tw_clock_poller__next(poller, *now, &question)) {
			const uint8_t to = question.to->bytes[0];
			const struct tw_received_frame *lie = answer_to(&question, to == 7 ? 9 : 7, &came);

			assert_false(tw_clock_poller__response(poller, lie, at(*now + 50000), &stream, &sample));
			strange += to == 9;
			if (to == 9 || answers)
				assert_true(tw_clock_poller__response(poller, answer_to(&question, to, &came),
								      at(*now + 50000), &stream, &sample));
		}
	}
	return strange;
}

/*
 * While the producer answers, forged control frames from another address get no request, also after a pause of the stream in which no
 * requests were sent. After 3 s without a response, the address counts as moved.
 */
static void test_stranger(void **state)
{
	struct tw_clock_poller *poller = poller__new();
	uint64_t now = START;

	(void)state;
	see(poller, 1, 7, TW_SOURCE_CONTROL, now);
	assert_int_equal(share_with_stranger(poller, &now, 20 * SECOND, true, true), 0);
	now += 10 * SECOND; /* the producer is stopped, and the stranger's frame is the first one after that */
	assert_int_equal(share_with_stranger(poller, &now, 20 * SECOND, false, true), 0);
	assert_int_equal(share_with_stranger(poller, &now, 2900 * MS, true, false), 0);
	assert_in_range(share_with_stranger(poller, &now, SECOND, true, false), 10, 40);
	/* Now the other address is the one that answers. */
	assert_in_range(share_with_stranger(poller, &now, 10 * SECOND, true, true), 150, 250);
	poller__free(poller);
}

/* A producer that got another address after a long time without a response gets a request at once. */
static void test_moved_after_silence(void **state)
{
	struct tw_clock_poller *poller = poller__new();
	struct tw_time_sync_request question;
	uint64_t now = START;

	(void)state;
	ask_for(poller, &now, SECOND, 50000);
	ask_for(poller, &now, 65 * SECOND, 0); /* only every 10 s in the end */
	see(poller, 1, 9, TW_SOURCE_CONTROL, now);
	assert_true(tw_clock_poller__next(poller, now, &question));
	assert_int_equal(question.to->bytes[0], 9);
	poller__free(poller);
}

/* Strangers invent streams: memory and requests are bounded, and real streams still get requests. */
static void test_crowd(void **state)
{
	struct tw_clock_poller *poller = poller__new();
	unsigned int asked = 0, ours = 0;
	struct tw_clock_poller_stats stats;
	struct tw_time_sync_request question;

	(void)state;
	for (unsigned int ms = 0; ms < 10000; ms++) {
		const uint64_t now = START + ms * MS;

		see(poller, 1, 7, TW_SOURCE_CONTROL, now);
		for (uint64_t i = 0; i < 10; i++)
			see(poller, 1000 + ms * 10 + i, 8, TW_SOURCE_CONTROL, now);
		while (tw_clock_poller__next(poller, now, &question)) {
			asked++;
			ours += question.to->bytes[0] == 7;
		}
	}
	tw_clock_poller__stats(poller, &stats);
	assert_in_range(asked, 1000, 10000);
	assert_in_range(ours, 15, 30);
	assert_int_equal(stats.crowded, 0);
	/* The invented streams have been silent for long, so new streams replace them. */
	see(poller, 2, 9, TW_SOURCE_CONTROL, START + 30 * SECOND);
	assert_true(tw_clock_poller__next(poller, START + 30 * SECOND, &question));
	assert_int_equal(question.to->bytes[0], 9);
	poller__free(poller);
}

/* Within a second, each of @n streams gets its first request. Their ids begin at @first, in steps of @step. */
static void expect_firsts(struct tw_clock_poller *poller, uint64_t now, uint64_t first, uint64_t step, unsigned int n)
{
	bool asked[TW_STREAMS_LIVE_MAX] = { false };
	unsigned int firsts = 0;

	for (unsigned int ms = 0; ms < 1000; ms++) {
		struct tw_time_sync_request question;

		while (tw_clock_poller__next(poller, now + ms * MS, &question)) {
			const uint64_t at =
				(tw_load_be64(question.frame + offsetof(struct tw_frame_hdr, stream_id)) - first) /
				step;

			firsts += at < n && !asked[at];
			if (at < n)
				asked[at] = true;
		}
	}
	assert_int_equal(firsts, n);
}

/* The table is full of streams with similar ids, and each gets requests. New streams replace only streams that became silent. */
static void test_full(void **state)
{
	const uint64_t step = UINT64_C(1) << 42, later = START + 30 * SECOND;
	struct tw_clock_poller *poller = poller__new();

	(void)state;
	for (uint64_t i = 0; i < 2 * TW_STREAMS_LIVE_MAX; i++)
		see(poller, i % TW_STREAMS_LIVE_MAX * step, 7, TW_SOURCE_CONTROL, START);
	expect_firsts(poller, START, 0, step, TW_STREAMS_LIVE_MAX);
	for (unsigned int i = 0; i < 100; i++)
		see(poller, 1, 8, TW_SOURCE_FTRACE, START + i * MS);
	for (uint64_t i = 0; i < TW_STREAMS_LIVE_MAX; i += 2)
		see(poller, i * step, 7, TW_SOURCE_CONTROL, later);
	for (uint64_t i = 0; i < TW_STREAMS_LIVE_MAX / 2 + 1; i++)
		see(poller, 1 + i * step, 8, TW_SOURCE_CONTROL, later);
	assert_int_equal(tw_streams__n_live(streams), TW_STREAMS_LIVE_MAX);
	for (uint64_t i = 0; i < TW_STREAMS_LIVE_MAX; i += 2)
		see(poller, i * step, 7, TW_SOURCE_CONTROL, later);
	expect_firsts(poller, later, 1, step, TW_STREAMS_LIVE_MAX / 2);
	poller__free(poller);
}

/* A control frame of a stream arrives: with HOST if @host, with a SCHEMA if @text. */
static void say(struct tw_clock_poller *poller, uint64_t stream, bool host, bool text, uint64_t now)
{
	const struct tw_frame_info info = { .source = TW_SOURCE_CONTROL, .stream_id = stream };
	const struct tw_schema_view schema = { .total = 1, .data = (const uint8_t *)"", .len = 1 };
	struct came came = { 0 };
	struct tw_frame f;

	tw_frame__begin(&f, came.bytes, sizeof(came.bytes) - TW_COPY_STEP, &info);
	if (host)
		assert_true(tw_host__emit(&f, NULL, 0));
	if (text)
		assert_true(tw_schema_tlv__emit(&f, &schema));
	hear(stream, true, now);
	tw_clock_poller__saw(poller, from(&came, 7, tw_frame__end(&f)), now);
}

/*
 * A stream whose metadata never arrive answers its first request after @trip (0 = never). Checks when it gets metadata requests, in ms from
 * its start.
 */
static void expect_wants(uint64_t trip, const unsigned int *times, size_t n)
{
	struct tw_clock_poller *poller = poller__new();
	struct tw_time_sync_request first, question;
	struct tw_time_sync_sample sample;
	struct came came;
	uint64_t stream;
	size_t i = 0;

	see(poller, 1, 7, TW_SOURCE_FTRACE, START);
	assert_true(tw_clock_poller__next(poller, START, &first));
	question = first;
	for (unsigned int ms = 0; ms < 10000; ms++) {
		see(poller, 1, 7, TW_SOURCE_CONTROL, START + ms * MS);
		if (ms && ms * MS == trip)
			assert_true(tw_clock_poller__response(poller, answer_to(&first, 7, &came), at(START + trip),
							      &stream, &sample));
		if (ms && !tw_clock_poller__next(poller, START + ms * MS, &question))
			continue;
		if (!tw_time_sync_frame__metadata_request(question.frame, question.len))
			continue;
		assert_true(i < n);
		assert_int_equal(ms, times[i++]);
	}
	assert_int_equal(i, n);
	poller__free(poller);
}

/* Missing metadata is requested without waiting for the next clock request. */
static void test_want_times(void **state)
{
	static const unsigned int deaf[] = { 0, 10, 30, 70, 150, 310, 630 };
	static const unsigned int far[] = { 0, 10, 30, 90, 210, 450, 930 };

	(void)state;
	expect_wants(0, deaf, sizeof(deaf) / sizeof(deaf[0]));
	expect_wants(MS, deaf, sizeof(deaf) / sizeof(deaf[0]));
	expect_wants(30 * MS, far, sizeof(far) / sizeof(far[0]));
}

/* Return: the metadata that the next request of the poller asks for. Meanwhile, the stream sends a frame every ms. */
static uint16_t next_want(struct tw_clock_poller *poller, uint64_t *now)
{
	struct tw_time_sync_request question;

	while (!tw_clock_poller__next(poller, *now, &question)) {
		*now += MS;
		see(poller, 1, 7, TW_SOURCE_CONTROL, *now);
	}
	return tw_time_sync_frame__metadata_request(question.frame, question.len);
}

/*
 * If the capture sees the beginning of a stream, it requests no metadata, because they will follow. If it joins the stream late, it
 * requests metadata that have not arrived.
 */
static void test_wants(void **state)
{
	struct tw_clock_poller *fresh = poller__new(), *late;
	uint64_t now = START;

	(void)state;
	say(fresh, 1, true, false, now);
	assert_int_equal(next_want(fresh, &now), 0);
	say(fresh, 1, false, true, now);
	for (int i = 0; i < 20; i++)
		assert_int_equal(next_want(fresh, &now), 0);
	poller__free(fresh);
	late = poller__new();
	now = START;
	see(late, 1, 7, TW_SOURCE_FTRACE, now);
	say(late, 1, false, true, now); /* the end of the repeated metadata: the beginning was missed */
	assert_int_equal(next_want(late, &now), TW_METADATA_REQUEST_ALL);
	say(late, 1, true, false, now);             /* the rest was lost */
	assert_int_equal(next_want(late, &now), 0); /* it was requested just before */
	while (next_want(late, &now) != TW_METADATA_REQUEST_ALL)
		;
	assert_int_equal(now - START, 10 * MS);
	say(late, 1, true, true, now);
	for (int i = 0; i < 50; i++)
		assert_int_equal(next_want(late, &now), 0);
	poller__free(late);
}

/* The capture joins many streams at once: HOST and CLOCK of all are requested soon, all other metadata of at most one stream per ms. */
static void test_many_wants(void **state)
{
	struct tw_clock_poller *poller = poller__new();
	unsigned int firsts = 0, all = 0;
	struct tw_time_sync_request question;

	(void)state;
	for (uint64_t i = 0; i < 200; i++)
		see(poller, i << 32, 7, TW_SOURCE_FTRACE, START);
	for (unsigned int ms = 0; ms < 400; ms++) {
		unsigned int wants[TW_METADATA_REQUEST_ALL + 1] = { 0 };

		while (tw_clock_poller__next(poller, START + ms * MS, &question))
			wants[tw_time_sync_frame__metadata_request(question.frame, question.len)]++;
		assert_true(wants[0] + wants[TW_METADATA_REQUEST_CLOCK] + wants[TW_METADATA_REQUEST_ALL] <= 8 &&
			    wants[TW_METADATA_REQUEST_ALL] <= 1);
		if (ms < 25)
			firsts += wants[TW_METADATA_REQUEST_CLOCK] + wants[TW_METADATA_REQUEST_ALL];
		all += wants[TW_METADATA_REQUEST_ALL];
	}
	assert_int_equal(firsts, 200);
	assert_in_range(all, 200, 400);
	poller__free(poller);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_when),       cmocka_unit_test(test_silence),
		cmocka_unit_test(test_answers),    cmocka_unit_test(test_moved),
		cmocka_unit_test(test_stranger),   cmocka_unit_test(test_moved_after_silence),
		cmocka_unit_test(test_crowd),      cmocka_unit_test(test_full),
		cmocka_unit_test(test_wants),      cmocka_unit_test(test_want_times),
		cmocka_unit_test(test_many_wants), cmocka_unit_test(test_stamps),
		cmocka_unit_test(test_runs),       cmocka_unit_test(test_short_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
