/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whom the capture host asks and when, and which answers it takes. */
#include "pcap-tools/clocks/asker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/time.h"

#define MS     TW_NS_PER_MS
#define SECOND TW_NS_PER_SECOND
#define START  (1000 * SECOND)

/* A frame as a receiver hands it out. */
struct came {
	struct tw_rx_peer peer;
	struct tw_rx_frame frame;
	uint8_t bytes[128 + TW_COPY_STEP];
};

static struct tw_rx_frame *from(struct came *came, uint8_t sender, size_t len)
{
	came->peer = (struct tw_rx_peer){ .len = 8, .bytes = { sender } };
	came->frame = (struct tw_rx_frame){ .data = came->bytes, .len = len, .from = &came->peer };
	return &came->frame;
}

static void see(struct tw_asker *asker, uint64_t stream, uint8_t sender, uint8_t source, uint64_t now)
{
	const struct tw_frame_info info = { .source = source, .stream_id = stream, .length = 48 };
	struct came came = { 0 };

	tw_frame_hdr__emit(came.bytes, &info);
	from(&came, sender, 48);
	if (tw_asker__is_control(&came.frame))
		tw_asker__saw_control(asker, &came.frame, now);
}

/* The answer to a question as its producer gives it. */
static struct tw_rx_frame *answer_to(const struct tw_question *question, uint8_t sender, struct came *came)
{
	struct tw_exchange_view exchange;
	uint64_t stream;

	assert_true(tw_exchange_frame__read(question->frame, question->len, &stream, &exchange));
	assert_int_equal(exchange.received | exchange.answered, 0);
	exchange.received = 100;
	exchange.answered = 110;
	return from(came, sender, tw_exchange_frame__write(came->bytes, stream, &exchange));
}

/* Some seconds of a stream that is heard every 100 ms and answers each question after @trip, or never. Return: questions */
static unsigned int ask_for(struct tw_asker *asker, uint64_t *now, uint64_t ns, uint64_t trip)
{
	const uint64_t end = *now + ns;
	unsigned int n = 0;

	for (; *now < end; *now += MS / 2) {
		struct tw_exchange_sample sample;
		struct tw_question question;
		struct came came;
		uint64_t stream;

		if (*now % (100 * MS) == 0)
			see(asker, 1, 7, TW_SOURCE_CONTROL, *now);
		while (tw_asker__next(asker, *now, &question)) {
			assert_int_equal(question.to->bytes[0], 7);
			n++;
			if (trip)
				assert_true(tw_asker__answer(asker, answer_to(&question, 7, &came), *now + trip,
							     &stream, &sample));
		}
	}
	return n;
}

static void test_when(void **state)
{
	struct tw_asker *asker = tw_asker__new(1);
	struct tw_asker_stats stats;
	struct tw_question question;
	uint64_t now = START;

	(void)state;
	assert_true(tw_asker__due(asker) == UINT64_MAX);
	assert_false(tw_asker__next(asker, now, &question));
	see(asker, 1, 7, TW_SOURCE_FTRACE, now); /* rings' frames may come from other sockets */
	assert_true(tw_asker__due(asker) == UINT64_MAX);
	assert_int_equal(ask_for(asker, &now, 30 * MS, 50000), 8);
	assert_in_range(ask_for(asker, &now, 10 * SECOND, 50000), 98, 102); /* a way as good as none */
	assert_in_range(ask_for(asker, &now, 10 * SECOND, 200000), 49, 75); /* 200 ms, once 50 us are forgotten */
	assert_in_range(ask_for(asker, &now, 10 * SECOND, 200000), 44, 51);
	assert_in_range(ask_for(asker, &now, 60 * SECOND, 80 * MS), 60, 90); /* a second */
	assert_in_range(ask_for(asker, &now, 120 * SECOND, 0), 26, 30);      /* deaf now */
	assert_int_equal(ask_for(asker, &now, 50 * SECOND, 0), 5);
	assert_in_range(ask_for(asker, &now, 20 * SECOND, 80 * MS), 10, 20); /* and back */
	tw_asker__stats(asker, &stats);
	assert_int_equal(stats.strange + stats.crowded, 0);
	assert_true(stats.answered > 250 && stats.asked > stats.answered);
	tw_asker__free(asker);
}

/* Who is silent is not asked; who is over neither, though it goes on saying so. */
static void test_silence(void **state)
{
	struct tw_asker *asker = tw_asker__new(1);
	struct tw_question question;
	uint64_t now = START;

	(void)state;
	ask_for(asker, &now, SECOND, 50000);
	now += 5 * SECOND;
	assert_false(tw_asker__next(asker, now, &question));
	see(asker, 1, 7, TW_SOURCE_CONTROL, now);
	assert_true(tw_asker__due(asker) <= now);
	assert_true(tw_asker__next(asker, now, &question));
	tw_asker__over(asker, 1);
	tw_asker__over(asker, 2);
	assert_int_equal(ask_for(asker, &now, 5 * SECOND, 0), 0);
	tw_asker__free(asker);
}

static void test_answers(void **state)
{
	struct tw_asker *asker = tw_asker__new(1);
	struct tw_exchange_sample sample;
	struct tw_question question, other;
	struct tw_asker_stats stats;
	struct tw_rx_frame *frame;
	struct came came;
	uint64_t stream = 0;

	(void)state;
	see(asker, 1, 7, TW_SOURCE_CONTROL, START);
	see(asker, 2, 8, TW_SOURCE_CONTROL, START);
	assert_true(tw_asker__next(asker, START, &question));
	assert_false(tw_asker__next(asker, START, &other)); /* not two at once */
	assert_true(tw_asker__next(asker, START + MS, &other));
	assert_int_equal(other.to->bytes[0], 8);
	assert_false(tw_asker__answer(asker, answer_to(&question, 8, &came), START + MS, &stream, &sample));
	frame = answer_to(&question, 7, &came);
	came.bytes[48 + 7] ^= 1; /* the question's number */
	assert_false(tw_asker__answer(asker, frame, START + MS, &stream, &sample));
	frame = answer_to(&question, 7, &came);
	came.bytes[48 + 15] ^= 1; /* when it was asked */
	assert_false(tw_asker__answer(asker, frame, START + MS, &stream, &sample));
	frame = answer_to(&question, 7, &came);
	came.bytes[15] ^= 3; /* the other stream */
	assert_false(tw_asker__answer(asker, frame, START + MS, &stream, &sample));
	frame = answer_to(&question, 7, &came);
	assert_true(tw_asker__is_answer(frame));
	for (frame->len = 0; frame->len < TW_EXCHANGE_BYTES; frame->len++)
		assert_false(tw_asker__answer(asker, frame, START + MS, &stream, &sample));
	assert_int_equal(stream, 0);
	assert_true(tw_asker__answer(asker, frame, START + MS, &stream, &sample));
	assert_int_equal(stream, 1);
	assert_int_equal(sample.asked, START);
	assert_int_equal(sample.received, 100);
	assert_int_equal(sample.answered, 110);
	assert_int_equal(sample.arrived, START + MS);
	assert_false(tw_asker__answer(asker, frame, START + MS, &stream, &sample)); /* once */
	tw_asker__stats(asker, &stats);
	assert_int_equal(stats.asked, 2);
	assert_int_equal(stats.answered, 1);
	assert_int_equal(stats.strange, 5);
	tw_asker__free(asker);
}

/* The stream's frames come from elsewhere now: that is who is asked, and the old one's answers don't count. */
static void test_moved(void **state)
{
	struct tw_asker *asker = tw_asker__new(1);
	struct tw_exchange_sample sample;
	struct tw_question question;
	struct came came;
	uint64_t stream;

	(void)state;
	see(asker, 1, 7, TW_SOURCE_CONTROL, START);
	assert_true(tw_asker__next(asker, START, &question));
	see(asker, 1, 9, TW_SOURCE_CONTROL, START + MS);
	assert_false(tw_asker__answer(asker, answer_to(&question, 7, &came), START + MS, &stream, &sample));
	assert_false(tw_asker__answer(asker, answer_to(&question, 9, &came), START + MS, &stream, &sample));
	assert_true(tw_asker__next(asker, START + 10 * MS, &question));
	assert_int_equal(question.to->bytes[0], 9);
	tw_asker__free(asker);
}

/* Strangers invent streams: what is remembered and what is sent is bounded, and who is alive is still asked. */
static void test_crowd(void **state)
{
	struct tw_asker *asker = tw_asker__new(1);
	unsigned int asked = 0, ours = 0;
	struct tw_asker_stats stats;
	struct tw_question question;

	(void)state;
	for (unsigned int ms = 0; ms < 10000; ms++) {
		const uint64_t now = START + ms * MS;

		see(asker, 1, 7, TW_SOURCE_CONTROL, now);
		for (uint64_t i = 0; i < 10; i++)
			see(asker, 1000 + ms * 10 + i, 8, TW_SOURCE_CONTROL, now);
		while (tw_asker__next(asker, now, &question)) {
			asked++;
			ours += question.to->bytes[0] == 7;
		}
	}
	tw_asker__stats(asker, &stats);
	assert_in_range(asked, 1000, 10000);
	assert_in_range(ours, 15, 30);
	assert_int_equal(stats.crowded, 100000 - (TW_ASKER_STREAMS - 1));
	/* They have been silent for long: others get their places. */
	see(asker, 2, 9, TW_SOURCE_CONTROL, START + 30 * SECOND);
	assert_true(tw_asker__next(asker, START + 30 * SECOND, &question));
	assert_int_equal(question.to->bytes[0], 9);
	tw_asker__free(asker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_when),  cmocka_unit_test(test_silence), cmocka_unit_test(test_answers),
		cmocka_unit_test(test_moved), cmocka_unit_test(test_crowd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
