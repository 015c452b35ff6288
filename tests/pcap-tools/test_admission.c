/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which unknown streams a capture host admits, and which it refuses. */
#include "pcap-tools/admission/admission.h"
#include "pcap-tools/admission/budget.h"

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

struct fixture {
	struct tw_admission *admission;
	uint64_t now, dropped;
	uint64_t n_admitted,
		last_seq; /* of frames that waited and were then admitted: their number, and the seq of the last one */
	uint64_t n_gave_way, gave_way;
	size_t len; /* length of the frames that arrive */
};

static void count_admitted(void *ctx, const struct tw_received_frame *frame, const struct tw_arrival *arrival)
{
	struct fixture *x = ctx;

	assert_non_null(frame->from);
	assert_true(arrival->now);
	x->last_seq = tw_load_be64(frame->data + offsetof(struct tw_frame_hdr, seq));
	x->n_admitted++;
}

static void count_gave_way(void *ctx, uint64_t stream_id)
{
	struct fixture *x = ctx;

	x->gave_way = stream_id;
	x->n_gave_way++;
}

static struct fixture *fixture__new(struct tw_admission_options options)
{
	struct fixture *x = calloc(1, sizeof(*x));

	assert_non_null(x);
	options.admitted = count_admitted;
	options.gave_way = count_gave_way;
	options.ctx = x;
	x->admission = tw_admission__new(&options);
	assert_non_null(x->admission);
	x->now = START;
	x->len = 96;
	tw_admission__begin(x->admission, x->now);
	return x;
}

static void fixture__free(struct fixture *x)
{
	tw_admission__free(x->admission);
	free(x);
}

static void pass(struct fixture *x, uint64_t ns)
{
	x->now += ns;
	tw_admission__begin(x->admission, x->now);
}

static struct tw_peer peer_of(uint8_t sender)
{
	return (struct tw_peer){ .len = 8,
				 .bytes = { sender },
				 .address = { .kind = TW_PEER_IPV4, .bytes = { 10, 0, 0, sender } } };
}

/* A frame with one event, whose number is @seq, arrives. Return: whether it is admitted at once */
static bool come_from(struct fixture *x, uint64_t stream, uint64_t seq, const struct tw_peer *peer)
{
	const struct tw_frame_info info = {
		.source = TW_SOURCE_FTRACE, .channel = 1, .stream_id = stream, .seq = seq, .events = 1, .length = 48
	};
	const struct tw_arrival arrival = { .now = x->now };
	static uint8_t bytes[TW_FRAME_MAX];

	tw_frame_hdr__emit(bytes, &info);
	return tw_admission__frame(x->admission,
				   &(struct tw_received_frame){ .data = bytes, .len = x->len, .from = peer }, &arrival);
}

static bool come(struct fixture *x, uint64_t stream, uint64_t seq, uint8_t sender)
{
	const struct tw_peer peer = peer_of(sender);

	return come_from(x, stream, seq, &peer);
}

static bool come_with_end(struct fixture *x, uint64_t stream, uint64_t seq, uint8_t sender)
{
	const struct tw_frame_info info = { .source = TW_SOURCE_CONTROL, .stream_id = stream, .seq = seq };
	const struct tw_arrival arrival = { .now = x->now };
	const struct tw_peer peer = peer_of(sender);
	uint8_t bytes[128 + TW_COPY_STEP];
	struct tw_frame f;
	size_t len;

	tw_frame__begin(&f, bytes, 128, &info);
	f.info.events = 1;
	tw_end__emit(&f);
	len = tw_frame__end(&f);
	return tw_admission__frame(x->admission,
				   &(struct tw_received_frame){ .data = bytes, .len = len, .from = &peer }, &arrival);
}

/*
 * Admit @n streams, whose ids begin with @first, by two frames with consecutive numbers each. All come from the address of @sender; if
 * @sender is 0, each from a different address.
 */
static void fill(struct fixture *x, uint64_t first, uint64_t n, uint8_t sender)
{
	for (uint64_t i = 0; i < n; i++) {
		assert_false(come(x, first + i, 0, sender ? sender : (uint8_t)i));
		assert_true(come(x, first + i, 1, sender ? sender : (uint8_t)i));
	}
}

/* The clock poller has received a response of the stream. */
static void answered(struct fixture *x, uint64_t stream, uint8_t sender)
{
	const struct tw_peer peer = peer_of(sender);

	tw_admission__answered(x->admission, stream, &peer.address);
}

/* Answer the requests to a stream, like its producer. Return: number of requests; @ret_why: reason in the last one */
static unsigned int answer(struct fixture *x, uint64_t stream, uint8_t sender, uint16_t *ret_why)
{
	struct tw_time_sync_request question;
	unsigned int n = 0;

	while (tw_admission__next(x->admission, &question)) {
		const struct tw_peer peer = peer_of(sender);
		struct tw_time_sync_view exchange;
		uint8_t bytes[TW_TIME_SYNC_ROOM];
		struct tw_received_frame frame = { .data = bytes, .from = &peer };
		uint64_t id;

		assert_true(question.len <= x->len);
		assert_true(tw_time_sync_frame__read(question.frame, question.len, &id, &exchange));
		if (id != stream)
			continue;
		n++;
		*ret_why = tw_time_sync_frame__refused(question.frame, question.len);
		exchange.received = exchange.answered = 1;
		frame.len = tw_time_sync_frame__write(bytes, id, &exchange);
		assert_true(tw_admission__answer(x->admission, &frame));
		exchange.id++;
		frame.len = tw_time_sync_frame__write(bytes, id, &exchange);
		assert_false(tw_admission__answer(x->admission, &frame));
	}
	return n;
}

static const struct tw_refusals *refusals(const struct fixture *x)
{
	return tw_admission__refusals(x->admission);
}

/* The first frames of a stream wait until a frame with the next number arrives; then the stream is admitted. */
static void numbers_prove_a_stream(void **state)
{
	struct fixture *x = fixture__new((struct tw_admission_options){ 0 });

	(void)state;
	assert_false(come(x, 7, 5, 1));
	assert_false(come(x, 7, 9, 1));
	assert_true(come(x, 7, 10, 1));
	assert_int_equal(x->n_admitted, 2);
	assert_int_equal(x->last_seq, 9);
	assert_true(come(x, 7, 77, 1));
	tw_admission__finish(x->admission);
	assert_int_equal(refusals(x)->frames, 0);
	fixture__free(x);
}

static void what_proves_nothing_is_counted_by_address(void **state)
{
	struct fixture *x = fixture__new((struct tw_admission_options){ 0 });

	(void)state;
	for (uint64_t i = 0; i < 200; i++)
		assert_false(come(x, 1000 + i, i, (uint8_t)(1 + i % 100)));
	pass(x, 10 * SECOND);
	assert_int_equal(refusals(x)->frames, 0); /* a frame may wait for 10 s */
	pass(x, 1);
	assert_int_equal(refusals(x)->frames, 200);
	assert_int_equal(refusals(x)->events, 200);
	assert_int_equal(refusals(x)->reasons[TW_REFUSED_UNPROVEN], 200);
	assert_int_equal(refusals(x)->n, TW_REFUSALS_SOURCES);
	assert_int_equal(refusals(x)->rows[0].frames, 2);
	assert_int_equal(refusals(x)->rows[0].source.bytes[3], 1);
	assert_int_equal(refusals(x)->others.frames, 200 - 2 * TW_REFUSALS_SOURCES);
	fixture__free(x);
}

/* In a flood each frame is a separate stream; a stream that continues among them is admitted, with all its frames. */
static void a_stream_begins_in_a_flood(void **state)
{
	struct fixture *x = fixture__new((struct tw_admission_options){ 0 });
	const uint64_t n = 1000000;

	(void)state;
	for (uint64_t i = 0; i < n; i++) {
		assert_false(come(x, i * 0x9e3779b97f4a7c15u, 0, 9));
		if (i % 500 == 0 && i >= n / 2)
			assert_int_equal(come(x, 7, i / 500, 9), i > n / 2);
		if (i % 1000 == 0)
			pass(x, 2 * MS);
	}
	assert_int_equal(x->n_admitted, 1);
	tw_admission__finish(x->admission);
	assert_int_equal(refusals(x)->frames, n);
	fixture__free(x);
}

/* All places are used by streams that never answered: a stream that answers gets one, and none of its frames is lost. */
static void an_answer_finds_a_place(void **state)
{
	struct fixture *x = fixture__new((struct tw_admission_options){ .unanswered = 1 << 20 });
	uint16_t why = 0;

	(void)state;
	fill(x, 1000, TW_STREAMS_LIVE_MAX, 0);
	assert_false(come(x, 7, 0, 250));
	assert_false(come(x, 7, 1, 250));
	assert_false(come(x, 7, 2, 250));
	assert_int_equal(x->n_gave_way, 0);
	x->n_admitted = 0;
	assert_int_equal(answer(x, 7, 250, &why), 1);
	assert_int_equal(x->n_gave_way, 1);
	assert_int_equal(x->n_admitted, 3);
	assert_int_equal(x->last_seq, 2);
	assert_true(come(x, 7, 3, 250));
	assert_false(come(x, x->gave_way, 2, 1));
	assert_int_equal(refusals(x)->gave_way, 1);
	fixture__free(x);
}

/* A response takes half a second, during which a flood of 115 MB a second arrives. The frames before the response are not lost. */
static void an_answer_may_be_late(void **state)
{
	struct fixture *x = fixture__new((struct tw_admission_options){ .unanswered = 1 << 20 });
	uint16_t why = 0;

	(void)state;
	fill(x, 1000, TW_STREAMS_LIVE_MAX, 0);
	x->n_admitted = 0;
	x->len = 1400;
	assert_false(come(x, 7, 0, 250));
	assert_false(come(x, 7, 1, 250));
	for (uint64_t i = 1; i <= 41000; i++) {
		assert_false(come(x, i * 0x9e3779b97f4a7c15u, 0, 9));
		if (i % 82 == 0)
			pass(x, 1 * MS);
	}
	assert_int_equal(answer(x, 7, 250, &why), 1);
	assert_int_equal(x->n_admitted, 2);
	fixture__free(x);
}

/* A stream that answers but finds no place gets REFUSED; silence and END make room. */
static void who_is_refused_is_reported(void **state)
{
	struct fixture *x = fixture__new((struct tw_admission_options){ .unanswered = 1 << 20 });
	uint16_t why = 0;

	(void)state;
	fill(x, 1000, TW_STREAMS_LIVE_MAX, 0);
	for (uint64_t i = 0; i < TW_STREAMS_LIVE_MAX; i++)
		answered(x, 1000 + i, (uint8_t)i);
	for (uint64_t seq = 0; seq < 200; seq++) {
		assert_false(come(x, 7, seq, 250));
		answer(x, 7, 250, &why);
		pass(x, 10 * MS);
	}
	assert_int_equal(why, TW_REFUSED_PLACES);
	assert_int_equal(x->n_gave_way, 0);
	come_with_end(x, 1076, 0, 1); /* a forged END: the stream answered from another address */
	assert_false(come(x, 7, 200, 250));
	come_with_end(x, 1076, 0, 76);
	assert_true(come(x, 1076, 2, 76)); /* this END was forged, too: the stream goes on */
	pass(x, 100 * MS);
	assert_false(come(x, 7, 201, 250));
	come_with_end(x, 1077, 0, 77);
	pass(x, 100 * MS);
	assert_true(come(x, 7, 202, 250));
	assert_int_equal(x->gave_way, 1077);
	pass(x, 11 * SECOND);
	for (uint64_t i = 0; i < TW_STREAMS_LIVE_MAX - 1; i++)
		come(x, 1000 + i, 7, (uint8_t)i);
	assert_int_equal(x->n_gave_way, 1);
	assert_false(come(x, 8, 0, 251));
	assert_true(come(x, 8, 1, 251));
	assert_int_equal(x->gave_way, 1255); /* the only stream that sent no further frames */
	fixture__free(x);
}

/* However much a refused stream sends, it gets requests less and less often, and new streams still get requests. */
static void a_refused_stream_leaves_questions_to_others(void **state)
{
	struct fixture *x = fixture__new((struct tw_admission_options){ .unanswered = 1 << 20 });
	uint16_t why = 0;
	unsigned int asked = 0;

	(void)state;
	fill(x, 1000, TW_STREAMS_LIVE_MAX, 0);
	for (uint64_t i = 0; i < TW_STREAMS_LIVE_MAX; i++)
		answered(x, 1000 + i, (uint8_t)i);
	for (uint64_t ms = 0; ms < 8000; ms++) {
		for (uint64_t i = 0; i < 4; i++)
			come(x, 7, 4 * ms + i, 250);
		come(x, 1000 + ms % TW_STREAMS_LIVE_MAX, ms, (uint8_t)ms);
		asked += answer(x, 7, 250, &why);
		pass(x, MS);
	}
	assert_in_range(asked, 8, 16);
	come(x, 8, 0, 251);
	come(x, 8, 1, 251);
	assert_int_equal(answer(x, 8, 251, &why), 1);
	fixture__free(x);
}

static void an_address_has_its_share(void **state)
{
	struct fixture *x = fixture__new((struct tw_admission_options){ .of_one_source = 10 });

	(void)state;
	fill(x, 1000, 10, 3);
	assert_false(come(x, 7, 0, 3));
	assert_false(come(x, 7, 1, 3));
	fill(x, 2000, 10, 4);
	assert_false(come(x, 8, 0, 3));
	assert_false(come(x, 8, 1, 3));
	assert_int_equal(x->n_gave_way, 0);
	tw_admission__finish(x->admission);
	assert_int_equal(refusals(x)->reasons[TW_REFUSED_SOURCE], 2);
	fixture__free(x);
}

/* Two hosts whose streams answer use all places. A third host gets a third of the places, even while one of the others asks for more. */
static void addresses_share_the_places(void **state)
{
	struct fixture *x = fixture__new((struct tw_admission_options){ .of_one_source = 0 });
	const uint64_t third = TW_STREAMS_LIVE_MAX / 3;
	uint16_t why = 0;

	(void)state;
	fill(x, 1000, TW_STREAMS_OF_SOURCE_MAX, 1);
	fill(x, 2000, TW_STREAMS_LIVE_MAX - TW_STREAMS_OF_SOURCE_MAX, 2);
	for (uint64_t i = 0; i < TW_STREAMS_OF_SOURCE_MAX; i++)
		answered(x, 1000 + i, 1);
	for (uint64_t i = 0; i < TW_STREAMS_LIVE_MAX - TW_STREAMS_OF_SOURCE_MAX; i++)
		answered(x, 2000 + i, 2);
	for (uint64_t i = 0; i < third; i++) {
		pass(x, 20 * TW_NS_PER_MS); /* the rate of requests is limited */
		assert_false(come(x, 3000 + i, 0, 1));
		assert_false(come(x, 3000 + i, 1, 1));
		assert_int_equal(answer(x, 3000 + i, 1, &why), 1);
		assert_false(come(x, 4000 + i, 0, 3));
		assert_false(come(x, 4000 + i, 1, 3));
		assert_int_equal(answer(x, 4000 + i, 3, &why), 1);
		assert_true(come(x, 4000 + i, 2, 3));
		for (uint64_t j = 0; j < TW_STREAMS_LIVE_MAX - TW_STREAMS_OF_SOURCE_MAX; j++)
			assert_true(come(x, 2000 + j, 2 + i, 2)); /* the host with fewer streams keeps all its places */
	}
	fixture__free(x);
}

/* A stream whose numbers never continue fills its share of the backlog. For a second after that, none of its frames is kept. */
static void a_pause_after_the_share(void **state)
{
	struct fixture *x = fixture__new((struct tw_admission_options){ .of_one_source = 0 });
	uint64_t seq = 0;

	(void)state;
	for (; seq < 10 * 1024; seq += 10)
		assert_false(come(x, 7, seq, 3));
	assert_int_equal(refusals(x)->frames, 0);
	assert_false(come(x, 7, seq += 10, 3));
	assert_int_equal(refusals(x)->frames, 1);
	pass(x, 998 * MS);
	assert_false(come(x, 7, seq += 10, 3));
	assert_int_equal(refusals(x)->frames, 2);
	pass(x, 4 * MS);
	assert_false(come(x, 7, seq += 10, 3));
	assert_int_equal(refusals(x)->frames, 2);
	assert_true(come(x, 7, seq + 1, 3));
	assert_int_equal(x->n_admitted, 1);
	tw_admission__finish(x->admission);
	assert_int_equal(refusals(x)->frames, 2 + 1024);
	fixture__free(x);
}

/* The source address of frames may be forged. A stream counts for the address from which it answers. */
static void a_stream_counts_to_the_address_that_answers(void **state)
{
	struct fixture *x = fixture__new((struct tw_admission_options){ .of_one_source = 10 });

	(void)state;
	fill(x, 1000, 10, 4);
	for (uint64_t i = 0; i < 10; i++)
		answered(x, 1000 + i, 3);
	assert_false(come(x, 7, 0, 3));
	assert_false(come(x, 7, 1, 3));
	fill(x, 2000, 10, 4);
	for (uint64_t i = 0; i < 10; i++)
		answered(x, 2000 + i, 3); /* address 3 already has its share: these streams still count for address 4 */
	assert_false(come(x, 8, 0, 4));
	assert_false(come(x, 8, 1, 4));
	fixture__free(x);
}

/*
 * A stream that is not admitted yet has answered from an address that has its share. Frames of the stream with another source address,
 * which may be forged, evict no stream.
 */
static void an_answer_proves_nothing_for_other_addresses(void **state)
{
	struct fixture *x = fixture__new((struct tw_admission_options){ .of_one_source = 10 });
	uint16_t why = 0;

	(void)state;
	fill(x, 1000, 10, 253);
	for (uint64_t i = 0; i < 10; i++)
		answered(x, 1000 + i, 253);
	fill(x, 2000, TW_STREAMS_LIVE_MAX - 10, 0);
	assert_false(come(x, 7, 0, 253));
	assert_false(come(x, 7, 1, 253));
	assert_int_equal(answer(x, 7, 253, &why), 1);
	assert_false(come(x, 7, 2, 4));
	assert_int_equal(x->n_gave_way, 0);
	pass(x, 20 * MS);
	answered(x, 1000, 2); /* stream 1000 now counts for another address */
	assert_true(come(x, 7, 3, 253));
	assert_int_equal(x->n_gave_way, 1);
	fixture__free(x);
}

/* All addresses of an IPv6 network (/64) may belong to one host, so they share one limit. */
static void an_ipv6_network_has_the_share_of_an_address(void **state)
{
	struct fixture *x = fixture__new((struct tw_admission_options){ .of_one_source = 10 });

	(void)state;
	for (uint8_t i = 0; i < 20; i++) {
		const struct tw_peer peer = {
			.len = 28,
			.bytes = { i },
			.address = { .kind = TW_PEER_IPV6, .bytes = { 0xfd, [7] = i / 15, [8] = i, [15] = i } },
		};

		come_from(x, 1000 + i, 0, &peer);
		assert_int_equal(come_from(x, 1000 + i, 1, &peer), i < 10 || i >= 15);
	}
	assert_int_equal(x->n_gave_way, 0);
	tw_admission__finish(x->admission);
	assert_int_equal(refusals(x)->reasons[TW_REFUSED_SOURCE], 5);
	fixture__free(x);
}

/* The bytes of streams that never answer are limited; the bytes of a stream that answers are not. */
static void who_does_not_answer_has_a_budget(void **state)
{
	struct fixture *x = fixture__new((struct tw_admission_options){ .unanswered = 1 << 20 });
	uint64_t taken = 0;

	(void)state;
	x->len = 1 << 15;
	for (uint64_t stream = 1; stream <= 3; stream++) {
		for (uint64_t seq = 0; seq < 1000; seq++) {
			taken += come(x, stream, seq, 1);
			pass(x, MS / 10);
		}
	}
	assert_in_range(taken, 200, (TW_ADMISSION_BURST_TIMES + 1) * 32);
	tw_admission__finish(x->admission);
	assert_true(refusals(x)->reasons[TW_REFUSED_RATE] > 2000);
	pass(x, 20 * SECOND);
	assert_false(come(x, 9, 0, 1));
	assert_true(come(x, 9, 1, 1));
	answered(x, 9, 1);
	for (uint64_t seq = 2; seq < 2000; seq++)
		assert_true(come(x, 9, seq, 1));
	fixture__free(x);
}

/* However often the budget is refilled, the rate is the same. */
static void time_between_two_looks_is_kept(void **state)
{
	struct tw_budget budget = tw_budget__full(1, 256);

	(void)state;
	tw_budget__refill(&budget, START);
	assert_true(tw_budget__spend(&budget, 256));
	for (uint64_t ms = 0; ms <= 19000; ms += 1900)
		tw_budget__refill(&budget, START + ms * MS);
	assert_int_equal(budget.left, 19);
	tw_budget__refill(&budget, START + 10000 * SECOND);
	assert_int_equal(budget.left, 256);
}

static void what_cannot_be_read_is_for_others(void **state)
{
	struct fixture *x = fixture__new((struct tw_admission_options){ 0 });
	uint8_t bytes[64] = { 0 };
	const struct tw_peer peer = peer_of(1);
	const struct tw_arrival arrival = { .now = START };

	(void)state;
	for (size_t len = 0; len <= sizeof(bytes); len++)
		assert_true(tw_admission__frame(x->admission,
						&(struct tw_received_frame){ .data = bytes, .len = len, .from = &peer },
						&arrival));
	fixture__free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_prove_a_stream),
		cmocka_unit_test(what_proves_nothing_is_counted_by_address),
		cmocka_unit_test(a_stream_begins_in_a_flood),
		cmocka_unit_test(an_answer_finds_a_place),
		cmocka_unit_test(an_answer_may_be_late),
		cmocka_unit_test(who_is_refused_is_reported),
		cmocka_unit_test(a_refused_stream_leaves_questions_to_others),
		cmocka_unit_test(an_address_has_its_share),
		cmocka_unit_test(a_pause_after_the_share),
		cmocka_unit_test(addresses_share_the_places),
		cmocka_unit_test(a_stream_counts_to_the_address_that_answers),
		cmocka_unit_test(an_answer_proves_nothing_for_other_addresses),
		cmocka_unit_test(an_ipv6_network_has_the_share_of_an_address),
		cmocka_unit_test(who_does_not_answer_has_a_budget),
		cmocka_unit_test(time_between_two_looks_is_kept),
		cmocka_unit_test(what_cannot_be_read_is_for_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
