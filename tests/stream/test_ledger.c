/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ledgers balance whatever happens to the events. Other tests show single cases in which a ledger could mislead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stream/ledger.h"
#include "tests/pcap-tools/frames.h"

#define HISTORIES 4000

static struct test_frame frame;

static void take_frame(struct tw_stream_counters *counters)
{
	const size_t len = test_frame__end(&frame);
	struct tw_frame_info info;
	struct tw_cursor tlvs;
	struct tw_tlv_view tlv;
	enum tw_frame_status status;

	assert_int_equal(tw_frame__parse(frame.buf, len, &info, &tlvs), TW_FRAME_OK);
	if (info.source == TW_SOURCE_CONTROL)
		tw_stream_counters__control(counters, info.seq);
	while (tw_cursor__next_tlv(&tlvs, &tlv, &status)) {
		if (tlv.type == TW_TLV_STATS)
			assert_int_equal(tw_stream_counters__stats(counters, &tlv), 0);
		else if (tlv.type == TW_TLV_LOST)
			tw_stream_counters__lost(counters, &tlv);
		else if (tlv.type == TW_TLV_END)
			counters->ended = true;
	}
}

/* A generated stream: what the capture sees of it, and what really happened to its events. */
struct world {
	struct tw_stream_counters counters;
	struct tw_ledger_sources seen;
	struct tw_ledger truth; /* the ledger of a capture that knows everything */
	uint64_t totals[TW_STREAM_COUNT];
	uint64_t control_seq;
	bool joined, tells_lost, tells_tx;
};

static unsigned int chance(unsigned int n)
{
	return (unsigned int)rand() % n;
}

static void tell_stats(struct world *w)
{
	const struct tw_stat_view stats[] = {
		{ TW_STAT_RECORDED, 0, w->totals[TW_STREAM_RECORDED] },
		{ TW_STAT_READ, 0, w->totals[TW_STREAM_READ] },
		{ TW_STAT_FILTERED, 0, w->totals[TW_STREAM_FILTERED] },
		{ TW_STAT_OVERRUN, 0, w->totals[TW_STREAM_RING] },
		{ TW_STAT_SHED, 0, w->totals[TW_STREAM_SHED] },
		{ TW_STAT_TX_DROPS, 0, w->totals[TW_STREAM_TX] },
		{ TW_STAT_TX_DROP_EVENTS, 0, w->tells_tx ? w->totals[TW_STREAM_TX] : 0 },
		{ TW_STAT_TX_DROPS_UNSEEN, 0, w->tells_tx ? 0 : w->totals[TW_STREAM_TX] },
		{ TW_STAT_UNSURE_RINGS, 0, w->totals[TW_STREAM_UNSURE_RINGS] },
	};

	test_frame__begin(&frame, TW_CHANNEL_CONTROL, w->control_seq++, 0);
	assert_true(tw_stats__emit(&frame.f, stats, sizeof(stats) / sizeof(stats[0])));
	if (w->joined)
		take_frame(&w->counters);
}

static void tell_lost(struct world *w, uint16_t where)
{
	const struct tw_lost_view lost = { .where = where, .count = 1 };

	test_frame__begin(&frame, 1, 0, 0);
	assert_true(tw_lost__emit(&frame.f, &lost));
	if (w->joined && w->tells_lost)
		take_frame(&w->counters);
}

static void happen(struct world *w, enum tw_ledger_place place)
{
	w->truth.recorded++;
	w->truth.place[w->joined ? place : TW_PLACE_BEFORE]++;
}

/* An event that gets no number: the producer's filter rejects it, or the ring is full. */
static void lose_early(struct world *w)
{
	if (chance(2)) {
		w->totals[TW_STREAM_READ]++;
		w->totals[TW_STREAM_FILTERED]++;
		happen(w, TW_PLACE_PRODUCER_FILTER);
	} else {
		w->totals[TW_STREAM_RING]++;
		tell_lost(w, TW_LOST_RING);
		happen(w, TW_PLACE_RING);
	}
}

static void lose_at_producer(struct world *w)
{
	const bool shed = chance(2);

	const bool reported = (shed || w->tells_tx) && w->tells_lost && chance(2);

	*(reported ? &w->seen.numbers.gaps_reported : &w->seen.numbers.gaps_wire) += w->joined;
	w->totals[shed ? TW_STREAM_SHED : TW_STREAM_TX]++;
	if (shed || w->tells_tx)
		tell_lost(w, shed ? TW_LOST_SHED : TW_LOST_TX);
	happen(w, shed ? TW_PLACE_SHED : w->tells_tx ? TW_PLACE_TX : TW_PLACE_WIRE);
}

static void lose_on_the_way(struct world *w)
{
	struct tw_stream_numbers *n = &w->seen.numbers;

	switch (chance(5)) {
	case 0:
		n->filtered += w->joined;
		return happen(w, TW_PLACE_CLASSIFIER);
	case 1:
		n->gaps_wire += w->joined;
		w->seen.own.explained += w->joined;
		return happen(w, TW_PLACE_CLASSIFIER);
	case 2:
		*(chance(2) ? &n->incomplete : &n->damaged) += w->joined;
		return happen(w, TW_PLACE_DAMAGED);
	case 3:
		n->gaps_receiver += w->joined;
		return happen(w, TW_PLACE_RECEIVER);
	default:
		n->gaps_wire += w->joined;
		return happen(w, TW_PLACE_WIRE);
	}
}

static void arrive(struct world *w)
{
	struct tw_ledger_own *own = &w->seen.own;

	w->seen.numbers.events_out += w->joined;
	switch (chance(12)) {
	case 0:
		own->filtered += w->joined;
		return happen(w, TW_PLACE_CAPTURE_FILTER);
	case 1:
		own->disk += w->joined;
		return happen(w, TW_PLACE_DISK);
	case 2:
		own->elsewhere += w->joined;
		return happen(w, TW_PLACE_ELSEWHERE);
	case 3:
		own->unwanted += w->joined;
		return happen(w, TW_PLACE_UNWANTED);
	default:
		own->delivered += w->joined;
		return happen(w, TW_PLACE_DELIVERED);
	}
}

static void one_event(struct world *w)
{
	w->totals[TW_STREAM_RECORDED]++;
	if (!chance(6))
		return lose_early(w);
	w->totals[TW_STREAM_READ]++;
	w->seen.numbers.before += !w->joined;
	if (!chance(8))
		lose_at_producer(w);
	else if (!chance(6))
		lose_on_the_way(w);
	else
		arrive(w);
}

static void run(struct world *w, unsigned int events, unsigned int join, unsigned int every)
{
	w->joined = !join;
	test_frame__begin(&frame, TW_CHANNEL_CONTROL, w->control_seq++, 0);
	if (w->joined)
		take_frame(&w->counters);
	for (unsigned int i = 0; i < events; i++) {
		w->joined |= i >= join;
		if (i % every == 0)
			tell_stats(w);
		one_event(w);
	}
}

static void end(struct world *w, bool with_end)
{
	if (with_end) {
		tell_stats(w);
		test_frame__begin(&frame, TW_CHANNEL_CONTROL, w->control_seq++, 0);
		assert_true(tw_end__emit(&frame.f));
		take_frame(&w->counters);
	}
	w->seen.counters = &w->counters;
	w->seen.own.finished = true;
}

static void check_places(const struct world *w, const struct tw_ledger *l)
{
	for (int i = 0; i < TW_PLACE_COUNT; i++)
		assert_int_equal(l->place[i], w->truth.place[i]);
}

/* The capture receives the stream from its start to its end: the ledger counts each event at its true place. */
static void test_whole(void **state)
{
	(void)state;
	srand(1);
	for (int i = 0; i < HISTORIES; i++) {
		struct world w = { .tells_lost = chance(2), .tells_tx = chance(2) };
		struct tw_ledger l;

		run(&w, 1 + chance(300), 0, 1 + chance(50));
		end(&w, true);
		tw_ledger__make(&w.seen, &l);
		assert_int_equal(l.state, TW_LEDGER_CLOSED);
		assert_int_equal(l.recorded, w.truth.recorded);
		assert_int_equal(tw_ledger__difference(&l), 0);
		check_places(&w, &l);
		assert_int_equal(l.fact[TW_FACT_TX_FRAMES], w.tells_tx ? 0 : w.totals[TW_STREAM_TX]);
		tw_stream_counters__fini(&w.counters);
	}
}

/* The producer's interface drops metadata, and its count of dropped events includes them. The ledger still counts no event twice. */
static void test_dropped_metadata(void **state)
{
	(void)state;
	srand(4);
	for (int i = 0; i < HISTORIES; i++) {
		struct world w = { .tells_lost = chance(2), .tells_tx = true };
		struct tw_ledger l;

		run(&w, 1 + chance(300), 0, 1 + chance(50));
		w.totals[TW_STREAM_TX] += chance(100);
		end(&w, true);
		tw_ledger__make(&w.seen, &l);
		assert_int_equal(l.recorded, w.truth.recorded);
		assert_int_equal(tw_ledger__difference(&l), 0);
		assert_int_equal(l.place[TW_PLACE_DELIVERED], w.truth.place[TW_PLACE_DELIVERED]);
		tw_stream_counters__fini(&w.counters);
	}
}

/* The capture joins the stream late: the ledger balances. If LOST records report the losses, it counts them at their true places. */
static void test_late(void **state)
{
	(void)state;
	srand(2);
	for (int i = 0; i < HISTORIES; i++) {
		const unsigned int events = 100 + chance(300);
		struct world w = { .tells_lost = chance(2), .tells_tx = chance(2) };
		struct tw_ledger l;

		run(&w, events, 1 + chance(events - 1), 1 + chance(50));
		end(&w, true);
		tw_ledger__make(&w.seen, &l);
		assert_int_equal(l.state, TW_LEDGER_CLOSED);
		assert_int_equal(l.recorded, w.truth.recorded);
		assert_int_equal(tw_ledger__difference(&l), 0);
		assert_int_equal(l.place[TW_PLACE_DELIVERED], w.truth.place[TW_PLACE_DELIVERED]);
		assert_true(l.place[TW_PLACE_BEFORE] >= w.truth.place[TW_PLACE_BEFORE]);
		if (w.tells_lost) {
			assert_int_equal(l.place[TW_PLACE_RING], w.truth.place[TW_PLACE_RING]);
			assert_int_equal(l.place[TW_PLACE_SHED], w.truth.place[TW_PLACE_SHED]);
			assert_int_equal(l.place[TW_PLACE_WIRE], w.truth.place[TW_PLACE_WIRE]);
		}
		tw_stream_counters__fini(&w.counters);
	}
}

/* The capture ends before the stream: the difference is the number of events that STATS reports and that no event number shows. */
static void test_cut(void **state)
{
	(void)state;
	srand(3);
	for (int i = 0; i < HISTORIES; i++) {
		struct world w = { .tells_lost = true, .tells_tx = true };
		uint64_t behind = chance(30);
		struct tw_ledger l;

		run(&w, 1 + chance(300), chance(2) * chance(100), 1 + chance(50));
		end(&w, false);
		tw_ledger__make(&w.seen, &l);
		assert_int_equal(l.state, TW_LEDGER_OPEN);
		assert_int_equal(tw_ledger__difference(&l), 0);
		if (w.joined && w.counters.from_start) {
			assert_true(l.recorded <= w.truth.recorded);
			w.totals[TW_STREAM_RECORDED] += behind;
			w.totals[TW_STREAM_READ] += behind;
			tell_stats(&w);
			tw_ledger__make(&w.seen, &l);
			assert_int_equal(tw_ledger__difference(&l), behind);
		}
		tw_stream_counters__fini(&w.counters);
	}
}

static struct tw_ledger make(struct world *w)
{
	struct tw_ledger l;

	w->seen.counters = &w->counters;
	tw_ledger__make(&w->seen, &l);
	tw_stream_counters__fini(&w->counters);
	return l;
}

/* Classifiers also count events of other streams. If a stream has no gaps in its numbers, classifiers dropped none of its events. */
static void test_no_gaps(void **state)
{
	struct world w = { .seen = { .numbers = { .events_out = 10 },
				     .own = { .delivered = 10, .explained = 100, .finished = true } } };
	const struct tw_ledger l = make(&w);

	(void)state;
	assert_int_equal(l.recorded, 10);
	assert_int_equal(l.place[TW_PLACE_CLASSIFIER], 0);
	assert_int_equal(tw_ledger__difference(&l), 0);
}

/* If the capture's counters do not add up to the number of emitted events, the ledger shows the difference. */
static void test_differences(void **state)
{
	struct world w = { .seen = { .numbers = { .events_out = 10 }, .own = { .delivered = 7 } } };
	struct world more = { .seen = { .numbers = { .events_out = 10 }, .own = { .delivered = 12 } } };
	struct tw_ledger l = make(&w);

	(void)state;
	assert_int_equal(l.state, TW_LEDGER_RUNNING);
	assert_int_equal(tw_ledger__difference(&l), 3);
	l = make(&more);
	assert_int_equal(tw_ledger__difference(&l), -2);
}

/* A stream without events that ended has a closed ledger. */
static void test_empty(void **state)
{
	struct world w = { .joined = true };
	struct tw_ledger l;

	(void)state;
	end(&w, true);
	l = make(&w);
	assert_int_equal(l.state, TW_LEDGER_CLOSED);
	assert_int_equal(l.recorded, 0);
}

/* A stream reports its losses only in the STATS at its end. */
static void test_shed_at_end(void **state)
{
	struct world w = { .joined = true, .tells_lost = true };
	struct tw_ledger l;

	(void)state;
	run(&w, 0, 0, 1);
	w.totals[TW_STREAM_RECORDED] = w.totals[TW_STREAM_READ] = 12;
	w.totals[TW_STREAM_SHED] = 2;
	w.seen.numbers.events_out = w.seen.own.delivered = 10;
	end(&w, true);
	l = make(&w);
	assert_int_equal(l.place[TW_PLACE_SHED], 2);
	assert_int_equal(tw_ledger__difference(&l), 0);
}

/* If the last STATS has arrived, a LOST that the network duplicated counts once. */
static void test_lost_twice(void **state)
{
	struct world w = { .joined = true, .tells_lost = true };
	struct tw_ledger l;

	(void)state;
	run(&w, 0, 0, 1);
	w.totals[TW_STREAM_RECORDED] = 11;
	w.totals[TW_STREAM_READ] = 10;
	w.totals[TW_STREAM_RING] = 1;
	w.seen.numbers.events_out = w.seen.own.delivered = 10;
	tell_lost(&w, TW_LOST_RING);
	tell_lost(&w, TW_LOST_RING);
	end(&w, true);
	l = make(&w);
	assert_int_equal(l.place[TW_PLACE_RING], 1);
	assert_int_equal(tw_ledger__difference(&l), 0);
}

static size_t put_json(const struct tw_ledger *l, char *ret, size_t size)
{
	struct tw_line line = tw_line__on(ret, size - 1);
	struct tw_json json;

	tw_json__to_line(&json, &line, false);
	tw_ledger__json(l, &json, NULL);
	*line.at = '\0';
	return tw_line__len(&line);
}

/*
 * Two rings have counters that cannot be read, so the ledger stays open, whether the capture joined late or not. END was received, so the
 * frames that are missing at the ends of streams (tail_frames) are not missing in this stream.
 */
static void test_unsure_rings(void **state)
{
	(void)state;
	for (unsigned int join = 0; join < 20; join += 10) {
		struct world w = { .tells_lost = true, .seen.own.tail_frames = 3 };
		char text[TW_LEDGER_TEXT_MAX];
		struct tw_ledger l, again;

		run(&w, 100, join, 10);
		w.totals[TW_STREAM_UNSURE_RINGS] = 2;
		end(&w, true);
		l = make(&w);
		assert_int_equal(l.state, TW_LEDGER_OPEN);
		assert_int_equal(l.fact[TW_FACT_UNSURE_RINGS], 2);
		assert_int_equal(l.fact[TW_FACT_TAIL_FRAMES], 0);
		assert_int_equal(l.recorded, w.truth.recorded);
		assert_false(tw_ledger__is_known(&l));
		assert_true(tw_ledger__parse(text, tw_ledger__comment(&l, text, sizeof(text)), &again));
		assert_false(tw_ledger__is_known(&again));
		put_json(&l, text, sizeof(text));
		assert_non_null(strstr(text, "\"difference\": null"));
		tw_ledger__line(&l, text, sizeof(text));
		assert_non_null(strstr(text, "the kernel's counters of 2 rings cannot be read, or do not match"));
	}
}

static void test_hostile_numbers(void **state)
{
	struct world w = { .joined = true, .tells_tx = true };
	struct tw_ledger l;

	(void)state;
	for (int i = 0; i < TW_STREAM_COUNT; i++)
		w.totals[i] = UINT64_MAX;
	memset(&w.seen.numbers, 0xff, sizeof(w.seen.numbers));
	end(&w, true);
	l = make(&w);
	assert_int_equal(l.recorded, UINT64_MAX);
	tw_ledger__add(&l, &l);
	assert_int_equal(l.recorded, UINT64_MAX);
	assert_int_equal(tw_ledger__difference(&l), 0);
}

static void fill(struct tw_ledger *l, uint64_t largest)
{
	l->state = (enum tw_ledger_state)chance(3);
	l->recorded = largest - chance(10);
	for (int i = 0; i < TW_PLACE_COUNT; i++)
		l->place[i] = chance(2) ? largest - chance(100) : 0;
	for (int i = 0; i < TW_FACT_COUNT; i++)
		l->fact[i] = chance(2) ? largest - chance(100) : 0;
}

/* Compares members, because the padding is not initialised. */
static void assert_same(const struct tw_ledger *l, const struct tw_ledger *other)
{
	assert_int_equal(l->state, other->state);
	assert_int_equal(l->recorded, other->recorded);
	assert_memory_equal(l->place, other->place, sizeof(l->place));
	assert_memory_equal(l->fact, other->fact, sizeof(l->fact));
}

static void test_comment(void **state)
{
	struct tw_ledger l, back;
	char text[TW_LEDGER_TEXT_MAX], json[TW_LEDGER_TEXT_MAX], line[TW_LEDGER_TEXT_MAX];

	(void)state;
	srand(4);
	for (int i = 0; i < HISTORIES; i++) {
		fill(&l, i % 2 ? UINT64_MAX : 100);
		const size_t len = tw_ledger__comment(&l, text, sizeof(text));

		assert_int_equal(len, strlen(text));
		assert_true(len < sizeof(text) - 1);
		assert_true(put_json(&l, json, sizeof(json)) < sizeof(json) - 1);
		assert_true(tw_ledger__line(&l, line, sizeof(line)) < sizeof(line) - 1);
		assert_true(tw_ledger__parse(text, len, &back));
		assert_same(&l, &back);
	}
	assert_int_equal(tw_ledger__comment(&l, text, 10), 9);
	assert_string_equal(text, "ledger ve");
}

static void test_parse(void **state)
{
	static const char *const refused[] = {
		"",
		"ledger",
		"ledger version=2 recorded=1",
		"ledger recorded=1 version=1",
		"ledgers version=1",
		"ledger version=1 recorded=",
		"ledger version=1 recorded=-1",
		"ledger version=1 wire=18446744073709551616",
		"ledger version=1 wire=1x",
		"ledger version=1 state=shut",
		"events: 5 recorded by the kernel",
	};
	static const char good[] =
		"  ledger  version=1 later=x state=closed =5 nonsense wire=3 recorded=18446744073709551615 ";
	struct tw_ledger l = { .recorded = 5 };

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		assert_false(tw_ledger__parse(refused[i], strlen(refused[i]), &l));
		assert_int_equal(l.recorded, 5);
	}
	assert_true(tw_ledger__parse(good, strlen(good), &l));
	assert_int_equal(l.recorded, UINT64_MAX);
	assert_int_equal(l.place[TW_PLACE_WIRE], 3);
	assert_int_equal(l.place[TW_PLACE_DELIVERED], 0);
	assert_int_equal(l.state, TW_LEDGER_CLOSED);
}

/* A sum that exceeds 64 bits stops at the largest number. */
static void test_too_large(void **state)
{
	const struct tw_ledger ledgers[2] = {
		{ .recorded = UINT64_MAX / 2 + 1, .place = { [TW_PLACE_DELIVERED] = UINT64_MAX / 2 + 1 } },
		{ .recorded = UINT64_MAX / 2 + 2, .place = { [TW_PLACE_DELIVERED] = UINT64_MAX / 2 + 2 } },
	};
	struct tw_ledger sum = ledgers[0];

	(void)state;
	tw_ledger__add(&sum, &ledgers[1]);
	assert_false(tw_ledger__is_too_large(&ledgers[0]));
	assert_true(tw_ledger__is_too_large(&sum));
}

static void test_texts(void **state)
{
	const struct tw_ledger l = { .state = TW_LEDGER_CLOSED,
				     .recorded = 12,
				     .place = { [TW_PLACE_DELIVERED] = 9, [TW_PLACE_WIRE] = 1 },
				     .fact = { [TW_FACT_LATE] = 4 } };
	char text[TW_LEDGER_TEXT_MAX];

	(void)state;
	tw_ledger__comment(&l, text, sizeof(text));
	assert_string_equal(text, "ledger version=1 state=closed recorded=12 delivered=9 wire=1 difference=2 late=4");
	tw_ledger__line(&l, text, sizeof(text));
	assert_string_equal(text, "12 recorded: 9 delivered, 1 wire, 2 unexplained; closed");
	put_json(&l, text, sizeof(text));
	assert_non_null(strstr(text, "\"wire\": 1, \"receiver\": 0"));
	assert_non_null(strstr(text, "\"difference\": 2"));
}

/* docs/ledger.md has a row for each item of the lists in stream/ledger.h. */
static void test_page(void **state)
{
	static const char *const rows[] = {
#define X(key, name, kind, heading, what) "\n| " #key " | " heading " | " what " |\n",
		TW_LEDGER_PLACES(X)
#undef X
#define X(key, name, what) "\n| " #key " | " what " |\n",
			TW_LEDGER_FACTS(X)
#undef X
	};
	static char page[16384];
	FILE *file = fopen(TEST_DATA "/../../docs/ledger.md", "r");

	(void)state;
	assert_non_null(file);
	assert_in_range(fread(page, 1, sizeof(page) - 1, file), 1, sizeof(page) - 2);
	fclose(file);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!strstr(page, rows[i]))
			fail_msg("docs/ledger.md has no%s", rows[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_dropped_metadata),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_no_gaps),
		cmocka_unit_test(test_differences),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_shed_at_end),
		cmocka_unit_test(test_lost_twice),
		cmocka_unit_test(test_unsure_rings),
		cmocka_unit_test(test_hostile_numbers),
		cmocka_unit_test(test_comment),
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
