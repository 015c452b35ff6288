/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packet times and their error bounds, with simulated clocks: for any drift, delay and loss, the true time is within the error bound.
 */
#include "clocks/stream_clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/time.h"
#include "simulated_clocks.h"

#define MS     TW_NS_PER_MS
#define SECOND TW_NS_PER_SECOND
#define START  (1000000 * SECOND) /* true time at the start of the capture */

/* A simulated capture of one stream: exchanges, samples and packets in order of arrival. */
struct capture {
	struct world world;
	struct tw_stream_clock clock;
	uint64_t now;       /* true time */
	uint64_t ask_every; /* ns; 0 = never */
	uint64_t next_ask, next_sample;
	uint64_t span;   /* time from the first event of a packet to its last event, ns; 0 = packets have one event */
	uint64_t lag;    /* packets are written with this delay, because a merge waits */
	double restless; /* the drift changes at random, up to this value, ppm; 0 = it stays unchanged */
	uint64_t next_drift;
	/* results */
	struct tw_offset_view stated;
	unsigned int records, of_kind[TW_OFFSET_KINDS];
	int64_t last_tai;      /* step of the last TAI record, ns */
	uint64_t last_time;    /* of a packet, ns since 1970 */
	unsigned int backward; /* packets with a time before that of the previous packet */
	uint64_t worst;        /* error of a packet, ns */
	bool unsettled; /* bounds are not checked, because the capture host cannot know yet that a clock was changed */
};

static void capture__init(struct capture *c, uint64_t seed, enum tw_align align, bool wall)
{
	const struct tw_identity identity = { .clock = "mono" };

	*c = (struct capture){ .now = START, .next_ask = START, .next_sample = START, .ask_every = 100 * MS };
	c->lag = 20 * MS;
	world__init(&c->world, seed);
	c->world.since = START - 10 * SECOND;
	tw_stream_clock__init(&c->clock, align, wall);
	tw_stream_clock__host(&c->clock, &identity);
}

/* Sets the producer's wall clock to the true time plus @ahead, ns. */
static void capture__set_wall(struct capture *c, int64_t ahead)
{
	c->world.wall = (int64_t)(c->now - world__stream(&c->world, c->now)) + ahead;
}

/* @packet: the packet time of an event whose true time is @truth */
static void check_bound(struct capture *c, uint64_t truth, uint64_t packet)
{
	const uint64_t error = packet > truth ? packet - truth : truth - packet;

	c->worst = error > c->worst ? error : c->worst;
	if (!c->unsettled && error > c->stated.error_ns)
		fail_msg("at %.3f s: off by %llu ns, and not more than %llu was stated", (double)(truth - START) / 1e9,
			 (unsigned long long)error, (unsigned long long)c->stated.error_ns);
}

/* @truth: the true time at @time of the stream's clock */
static void write_packet_of(struct capture *c, uint64_t truth, uint64_t time)
{
	const uint64_t last = c->span ? world__stream(&c->world, truth + c->span) : time;
	struct tw_offset_view record;
	uint64_t packet;

	while (tw_stream_clock__record(&c->clock, time, last, &record)) {
		c->stated = record;
		c->records++;
		c->of_kind[record.kind]++;
		if (record.kind == TW_OFFSET_TAI)
			c->last_tai = record.step;
	}
	packet = tw_stream_clock__packet_time(&c->clock, time);
	c->backward += packet < c->last_time;
	c->last_time = packet;
	check_bound(c, truth, packet);
	for (uint64_t i = 1; c->span && i <= 10; i++) {
		const uint64_t later = truth + c->span * i / 10;

		check_bound(c, later, packet + world__stream(&c->world, later) - time);
	}
}

static void write_packet(struct capture *c, uint64_t truth)
{
	write_packet_of(c, truth, world__stream(&c->world, truth));
}

static void ask(struct capture *c)
{
	struct tw_time_sync_sample sample;

	if (!world__exchange(&c->world, c->now, &sample))
		return;
	assert_true(tw_stream_clock__exchange(&c->clock, &sample));
}

static void sample(struct capture *c)
{
	const struct tw_clock_view view = world__sample(&c->world, c->now);

	tw_stream_clock__sample(&c->clock, &view);
	c->next_sample += SECOND;
}

/* Advances the simulated time by @ns. Packets from before the last change of the drift are left out, because their time is not known. */
static void step(struct capture *c, uint64_t ns)
{
	c->now += ns;
	if (c->restless != 0 && c->now >= c->next_drift) {
		const double sign = world__chance(&c->world) < 0.5 ? -1 : 1;

		world__drift(&c->world, c->now, sign * c->restless * (world__chance(&c->world) < 0.7 ? 1 : 0.1));
		c->next_drift = c->now + (uint64_t)(world__chance(&c->world) * 3e9);
	}
	if (c->now >= c->next_sample)
		sample(c);
	if (c->ask_every && c->now >= c->next_ask) {
		ask(c);
		c->next_ask = c->now + c->ask_every;
	}
	if (c->now - c->lag - c->span >= c->world.since)
		write_packet(c, c->now - c->lag - c->span);
}

static void run(struct capture *c, uint64_t ns)
{
	const uint64_t end = c->now + ns;

	while (c->now < end)
		step(c, (uint64_t)(world__chance(&c->world) * 2e6) + 1);
}

/* Everything at once: changing drift, high jitter, asymmetric paths, losses, packets that are written late. */
static void test_bound_is_a_bound(void **state)
{
	static const uint64_t ways[][3] = {
		{ 1000, 1000, 100 }, { 30000, 30000, 20000 }, { 30000, 900000, 300000 }, { 40000000, 5000000, 10000000 }
	};
	static const enum tw_align aligns[] = { TW_ALIGN_NONE, TW_ALIGN_HOST };

	(void)state;
	for (uint64_t seed = 1; seed <= 48; seed++) {
		const uint64_t *way = ways[seed % 4];
		struct capture c;

		capture__init(&c, seed, aligns[seed / 4 % 2], false);
		capture__set_wall(&c, (int64_t)(world__chance(&c.world) * 2e6) - 1000000);
		c.world.there_ns = way[0];
		c.world.back_ns = way[1];
		c.world.jitter_ns = way[2];
		c.world.loss = (double)(seed % 3) * 0.3;
		c.ask_every = (seed % 5 + 1) * 100 * MS;
		c.lag = seed % 7 * 30 * MS;
		c.restless = seed % 2 ? 499 : 0;
		world__drift(&c.world, c.now, seed % 2 ? 499 : (world__chance(&c.world) - 0.5) * 200);
		run(&c, 60 * SECOND);
		assert_in_range(c.of_kind[TW_OFFSET_START], 1, 1);
		assert_int_equal(c.clock.distance.restarts, 0);
		assert_int_equal(c.clock.distance.refused, 0);
		assert_int_equal(c.of_kind[TW_OFFSET_STEP] + c.of_kind[TW_OFFSET_SUSPEND], 0);
		assert_int_equal(c.backward, 0);
		assert_in_range(c.records, 1, 400);
	}
}

/* With a round-trip time of 60 us and jitter, packet times stay within 60 us of the true time for 20 minutes, although the clock drifts. */
static void test_host_alignment_lasts(void **state)
{
	struct tw_stream_clock_summary summary;
	struct capture c;

	(void)state;
	capture__init(&c, 7, TW_ALIGN_HOST, false);
	world__drift(&c.world, c.now, 37);
	capture__set_wall(&c, 3000000000);
	run(&c, 10 * SECOND);
	c.worst = 0;
	run(&c, 1200 * SECOND);
	tw_stream_clock__summary(&c.clock, &summary);
	assert_in_range(summary.error_ns, 1, 150000);
	assert_in_range(c.stated.error_ns, 1, 300000);
	assert_in_range(c.worst, 0, 60000);
	assert_true(tw_stream_clock__has_exchanges(&c.clock, summary.exchanges));
	assert_false(tw_stream_clock__has_exchanges(&c.clock, summary.exchanges + 1));
	assert_int_equal(summary.method, TW_OFFSET_BY_TIME_SYNC);
	assert_true(summary.drift_known);
	assert_in_range(summary.drift, 36000, 38000);
	assert_in_range(abs(summary.drift - 37000), 0, (unsigned int)summary.drift_most);
	assert_true(summary.ahead_known);
	/* 37 ppm of 1209 to 1210 s */
	assert_in_range(summary.ahead - 3000000000 - 44733000 + 5000, 0, 47000);
	assert_int_equal(c.backward, 0);
	assert_in_range(c.records, 2, 300);
}

/* Without alignment, packet times follow the stream's clock, and the error bound includes the effect of its drift. */
static void test_no_alignment_states_the_drift(void **state)
{
	struct capture c;

	(void)state;
	capture__init(&c, 3, TW_ALIGN_NONE, false);
	world__drift(&c.world, c.now, 50);
	capture__set_wall(&c, 0);
	run(&c, 600 * SECOND);
	assert_in_range(c.worst, 29000000, 31000000); /* 50 ppm of 600 s */
	assert_in_range(c.stated.error_ns, 30000000, 40000000);
	assert_int_equal(c.stated.offset, c.clock.line.offset);
	assert_in_range(c.records, 5, 40);
	assert_in_range(c.stated.drift, 49000, 51000);
	/* In the first half second, the drift is unknown. */
	capture__init(&c, 3, TW_ALIGN_NONE, false);
	world__drift(&c.world, c.now, 50);
	capture__set_wall(&c, 0);
	run(&c, SECOND / 2);
	assert_int_equal(c.stated.drift, 0);
}

static void test_nothing_known(void **state)
{
	struct tw_stream_clock_summary summary;
	struct tw_offset_view record;
	struct capture c;

	(void)state;
	capture__init(&c, 1, TW_ALIGN_HOST, false);
	assert_false(tw_stream_clock__is_dated(&c.clock));
	assert_false(tw_stream_clock__record(&c.clock, 1, 1, &record));
	c.ask_every = 0;
	run(&c, 5 * SECOND);
	assert_false(tw_stream_clock__has_exchanges(&c.clock, 0));
	tw_stream_clock__summary(&c.clock, &summary);
	assert_int_equal(c.records, 1);
	assert_int_equal(c.stated.kind, TW_OFFSET_START);
	assert_true(c.stated.error_ns == TW_ERROR_UNKNOWN && summary.error_ns == TW_ERROR_UNKNOWN);
	assert_int_equal(summary.method, TW_OFFSET_BY_NONE);
	assert_false(summary.ahead_known || summary.drift_known);
}

/* The producer's wall clock steps by @step. The step is detected exactly. Packet times follow it only if @wall is set. */
static void check_step(int64_t step, bool wall)
{
	struct capture c;
	int64_t before;

	capture__init(&c, 11, TW_ALIGN_NONE, wall);
	capture__set_wall(&c, 0);
	run(&c, 5 * SECOND);
	before = c.clock.line.offset;
	c.world.wall += step;
	c.unsettled = true; /* not checked: with @wall, packet times follow the step, away from the true time */
	run(&c, 5 * SECOND);
	assert_int_equal(c.of_kind[TW_OFFSET_STEP], 1);
	assert_int_equal(c.of_kind[TW_OFFSET_SUSPEND], 0);
	assert_in_range(c.clock.line.offset - before - (wall ? step : 0) + 2000, 0, 4000);
	if (wall)
		assert_in_range(c.stated.error_ns, 3599000000000, 4600000000000);
	assert_int_equal(c.clock.n_of_kind[TW_OFFSET_STEP], 1);
	assert_int_equal(c.backward > 0, wall && step < 0);
}

static void test_steps(void **state)
{
	(void)state;
	check_step(3600 * (int64_t)SECOND, false);
	check_step(3600 * (int64_t)SECOND, true);
	check_step(-3600 * (int64_t)SECOND, false);
	check_step(-3600 * (int64_t)SECOND, true);
}

/* A leap second is a record of its own. Packet times do not follow it, unless @wall is set. A step of one second is no leap second. */
static void check_leap(bool is_leap, bool wall)
{
	const int64_t second = (int64_t)SECOND;
	struct capture c;
	int64_t before;

	capture__init(&c, 31, TW_ALIGN_NONE, wall);
	capture__set_wall(&c, 0);
	run(&c, 5 * SECOND);
	before = c.clock.line.offset;
	if (is_leap)
		world__leap(&c.world);
	else
		c.world.wall -= second;
	c.unsettled = true;
	run(&c, 5 * SECOND);
	assert_int_equal(c.of_kind[TW_OFFSET_LEAP], is_leap);
	assert_int_equal(c.of_kind[TW_OFFSET_STEP], !is_leap);
	assert_int_equal(c.of_kind[TW_OFFSET_TAI], 0);
	assert_in_range(c.clock.line.offset - before + (wall ? second : 0) + 2000, 0, 4000);
}

static void test_leap_seconds(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		check_leap(i & 1, i & 2);
}

/* A recording on the producer's host has records of changes only. */
static void test_changes_only(void **state)
{
	struct tw_stream_clock clock;
	struct tw_offset_view record;
	struct tw_clock_view view;
	struct world world;

	(void)state;
	world__init(&world, 43);
	tw_stream_clock__init(&clock, TW_ALIGN_NONE, false);
	assert_false(tw_stream_clock__change(&clock, 1, &record));
	for (int i = 0; i < 5; i++) {
		if (i == 3)
			world__leap(&world);
		view = world__sample(&world, START + (unsigned int)i * SECOND);
		tw_stream_clock__sample(&clock, &view);
		assert_false(tw_stream_clock__change(&clock, view.reading[TW_CLOCK_TRACE] - 1, &record));
		assert_int_equal(tw_stream_clock__change(&clock, view.reading[TW_CLOCK_TRACE], &record), i == 3);
		assert_false(tw_stream_clock__change(&clock, view.reading[TW_CLOCK_TRACE], &record));
	}
	assert_int_equal(record.kind, TW_OFFSET_LEAP);
	assert_true(record.step == -(int64_t)SECOND && record.error_ns == TW_ERROR_UNKNOWN);
}

/* The TAI offset is set, which changes neither the wall clock nor packet times. */
static void test_tai_offset(void **state)
{
	static const int64_t offsets[] = { 0, 37, 38, -5 };
	struct capture c;

	(void)state;
	capture__init(&c, 37, TW_ALIGN_HOST, false);
	capture__set_wall(&c, 0);
	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		const int64_t before = c.world.tai;

		c.world.tai = offsets[i] * (int64_t)SECOND;
		run(&c, 3 * SECOND);
		assert_int_equal(c.of_kind[TW_OFFSET_TAI], i);
		assert_true(!i || c.last_tai == c.world.tai - before);
	}
	assert_int_equal(c.of_kind[TW_OFFSET_STEP] + c.of_kind[TW_OFFSET_LEAP], 0);
	assert_int_equal(c.clock.distance.restarts, 0);
	assert_int_equal(c.backward, 0);
}

/* With the trace clock tai, a changed TAI offset sets the stream's clock. Exchanges before the change are not used any more. */
static void check_tai_as_trace_clock(int64_t step)
{
	const struct tw_identity identity = { .clock = "tai" };
	struct capture c;

	capture__init(&c, 41, TW_ALIGN_HOST, false);
	tw_stream_clock__host(&c.clock, &identity);
	capture__set_wall(&c, 0);
	run(&c, 5 * SECOND);
	c.next_sample = c.now;
	c.world.ahead += step;
	c.world.tai += step;
	c.unsettled = true;
	run(&c, SECOND / 2);
	c.unsettled = false;
	run(&c, 5 * SECOND);
	assert_true(c.last_tai == step);
	assert_int_equal(c.of_kind[TW_OFFSET_TAI], 1);
	assert_int_equal(c.of_kind[TW_OFFSET_STEP] + c.of_kind[TW_OFFSET_LEAP], 0);
	assert_int_equal(c.clock.distance.restarts, 0); /* no exchange had to contradict the old ones */
}

static void test_tai_as_trace_clock(void **state)
{
	(void)state;
	check_tai_as_trace_clock(37 * (int64_t)SECOND);
	check_tai_as_trace_clock(-1 * (int64_t)SECOND);
}

static void suspend(struct capture *c, uint64_t ns)
{
	world__sleep(&c->world, c->now, ns);
	c->now += ns;
	c->next_ask = c->next_sample = c->now;
	c->unsettled = true;
	run(c, SECOND / 10);
	c->unsettled = false;
}

/* The stream's clock stands still during a suspend. Afterwards, packet times lag by its duration, or follow with TW_ALIGN_HOST. */
static void test_suspend(void **state)
{
	struct capture c;

	(void)state;
	for (int align = TW_ALIGN_NONE; align <= TW_ALIGN_HOST; align++) {
		capture__init(&c, 5, (enum tw_align)align, false);
		capture__set_wall(&c, 0);
		run(&c, 5 * SECOND);
		suspend(&c, 70 * SECOND);
		c.worst = 0;
		run(&c, 20 * SECOND);
		assert_int_equal(c.of_kind[TW_OFFSET_SUSPEND], 1);
		assert_int_equal(c.of_kind[TW_OFFSET_STEP], 0);
		assert_int_equal(c.backward, 0);
		if (align == TW_ALIGN_HOST)
			assert_in_range(c.worst, 0, 100000);
		else
			assert_in_range(c.worst, 70 * SECOND - MS, 70 * SECOND + MS);
		assert_in_range(c.clock.n_of_kind[TW_OFFSET_SUSPEND], 1, 1);
	}
}

/*
 * Each suspend is noticed that the errors of the samples do not explain. The stream's clock is then compared without allowance for drift;
 * and always, if it has the rate of BOOTTIME.
 */
static void test_suspend_threshold(void **state)
{
	static const struct {
		enum tw_clock trace;
		uint64_t suspend, step, drift; /* ns */
		bool suspended, jumped;
	} cases[] = {
		{ TW_CLOCK_MONO, 2000, 0, 0, false, false }, /* within the errors */
		{ TW_CLOCK_MONO, 2001, 0, 0, true, true },       { TW_CLOCK_MONO, 1500 * MS, 0, 0, true, true },
		{ TW_CLOCK_BOOT, 1500 * MS, 0, 0, true, false }, { TW_CLOCK_RAW, 100000, 0, 0, true, true },
		{ TW_CLOCK_RAW, 0, 0, 100000, false, false },    { TW_CLOCK_RAW, 0, 0, 600000, false, true },
		{ TW_CLOCK_MONO, 0, 100000, 0, false, false },   { TW_CLOCK_TAI, 0, 100000, 0, false, true },
		{ TW_CLOCK_TAI, 1500 * MS, 0, 0, true, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tw_clock_view sample = { .valid = 0x3f,
						.error_ns = 1000,
						.reading = { 10, 11, 12, 13, 14, 15 } };
		struct tw_wall_clock wall = { 0 };
		struct tw_wall_change change;

		sample.reading[TW_CLOCK_TRACE] = sample.reading[cases[i].trace];
		assert_true(tw_wall_clock__take(&wall, &sample, &change));
		sample.reading[TW_CLOCK_MONO] += SECOND;
		sample.reading[TW_CLOCK_RAW] += SECOND + cases[i].drift;
		sample.reading[TW_CLOCK_BOOT] += SECOND + cases[i].suspend;
		sample.reading[TW_CLOCK_REAL] += SECOND + cases[i].suspend + cases[i].step;
		sample.reading[TW_CLOCK_TAI] += SECOND + cases[i].suspend + cases[i].step;
		sample.reading[TW_CLOCK_TRACE] = sample.reading[cases[i].trace];
		assert_true(tw_wall_clock__take(&wall, &sample, &change));
		assert_int_equal(change.suspend, cases[i].suspended ? cases[i].suspend : 0);
		assert_int_equal(change.jumped, cases[i].jumped);
	}
}

/* A difference within the error of two samples is no step. Each larger difference is a step. */
static void test_step_threshold(void **state)
{
	const struct tw_clock_view first = { .valid = 0x0f, .error_ns = 1000, .reading = { 10, 10, 10, 10 } };
	struct tw_clock_view second = first;
	struct tw_wall_clock wall = { 0 };
	struct tw_wall_change change;

	(void)state;
	assert_true(tw_wall_clock__take(&wall, &first, &change));
	for (int i = 0; i < 4; i++)
		second.reading[i] += SECOND;
	second.reading[TW_CLOCK_REAL] += 2000;
	assert_true(tw_wall_clock__take(&wall, &second, &change));
	assert_int_equal(change.step, 0);
	assert_false(tw_wall_clock__take(&wall, &second, &change)); /* the same sample again */
	wall.last = first;
	second.reading[TW_CLOCK_REAL]++;
	assert_true(tw_wall_clock__take(&wall, &second, &change));
	assert_int_equal(change.step, 2001);
	assert_false(change.suspend || change.jumped);
	/* Only the stream's clock is available for comparison, and it may drift by 500 us per second. */
	wall.last = first;
	wall.last.valid = second.valid = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_REAL;
	second.reading[TW_CLOCK_REAL] = first.reading[TW_CLOCK_REAL] + SECOND - 502000;
	assert_true(tw_wall_clock__take(&wall, &second, &change));
	assert_int_equal(change.step, 0);
	wall.last = first;
	wall.last.valid = second.valid;
	second.reading[TW_CLOCK_REAL]--;
	assert_true(tw_wall_clock__take(&wall, &second, &change));
	assert_int_equal(change.step, -502001);
}

/* A wall clock that was set by a second and by more than the error is no leap second. A TAI offset is a whole number of seconds. */
static void test_leap_threshold(void **state)
{
	const struct tw_clock_view first = { .valid = 0x1f,
					     .error_ns = 1000,
					     .reading = { 9 * SECOND, 9 * SECOND, 9 * SECOND, 9 * SECOND,
							  40 * SECOND } };
	static const struct {
		int64_t real, tai; /* how far the clocks were set */
		struct tw_wall_change change;
	} cases[] = {
		{ -1000000000, 0, { .leap = -1000000000 } },
		{ 1000000000, 0, { .leap = 1000000000 } },
		{ -1000000000 - 1999, 999, { .leap = -1000000000 } },
		{ -1000000000 - 2001, 999, { .step = -1000002001, .tai = 1000000000 } },
		{ -1000000000, -1000000000, { .step = -1000000000 } },
		{ -2000000000, 0, { .step = -2000000000, .tai = 2000000000 } },
		{ 500, 37000000900, { .tai = 37000000000 } },
		{ 999, -1000000999, { .tai = -1000000000 } },
		{ 0, -1000, { 0 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tw_wall_clock wall = { 0 };
		struct tw_clock_view second = first;
		struct tw_wall_change change;

		for (int j = 0; j < 5; j++)
			second.reading[j] += SECOND;
		second.reading[TW_CLOCK_REAL] += (uint64_t)cases[i].real;
		second.reading[TW_CLOCK_TAI] += (uint64_t)cases[i].tai;
		assert_true(tw_wall_clock__take(&wall, &first, &change));
		assert_true(tw_wall_clock__take(&wall, &second, &change));
		assert_true(change.leap == cases[i].change.leap && change.tai == cases[i].change.tai);
		assert_true(change.step == cases[i].change.step && !change.suspend && !change.jumped);
	}
}

/* The first response arrives long after the first packet. Packet times go backward only if the correction exceeds a second. */
static void check_late_answer(int64_t ahead, bool jumps)
{
	struct capture c;

	capture__init(&c, 13, TW_ALIGN_HOST, false);
	capture__set_wall(&c, ahead);
	c.ask_every = 0;
	run(&c, 3 * SECOND);
	c.ask_every = 100 * MS;
	run(&c, 2 * SECOND);
	assert_int_equal(c.backward, jumps);
	run(&c, 20 * SECOND);
	assert_int_equal(c.backward, jumps);
	c.worst = 0;
	run(&c, SECOND);
	assert_in_range(c.worst, 0, 60000);
}

static void test_late_answer(void **state)
{
	(void)state;
	check_late_answer(-4 * (int64_t)SECOND, false); /* forward */
	check_late_answer(20000, false);
	check_late_answer(900 * (int64_t)MS, false); /* backward: packet times advance more slowly */
	check_late_answer(1100 * (int64_t)MS, true);
}

/* A packet has the events of some time. They have the same distance from packet time, and the same bound. */
static void test_packets_with_several_events(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct capture c;

		capture__init(&c, seed, seed % 2 ? TW_ALIGN_HOST : TW_ALIGN_NONE, false);
		world__drift(&c.world, c.now, seed % 3 ? 450 : -450);
		capture__set_wall(&c, (int64_t)(seed % 5) * 1000000);
		c.span = seed % 4 * 100 * MS + 5 * MS;
		c.ask_every = 250 * MS;
		run(&c, 20 * SECOND);
		assert_in_range(c.records, 1, 120);
	}
}

/* The bound of a late packet is that of the last record, although the error was larger at the time of the packet. */
static void test_late_packets(void **state)
{
	struct capture c;
	unsigned int records;

	(void)state;
	capture__init(&c, 21, TW_ALIGN_NONE, false);
	world__drift(&c.world, c.now, -200);
	capture__set_wall(&c, 2 * MS);
	run(&c, 10 * SECOND); /* the error of packet times has become about 0 */
	records = c.records;
	for (uint64_t before = 6 * SECOND; before > SECOND; before -= 10 * MS)
		write_packet(&c, c.now - before);
	assert_in_range(c.records - records, 1, 3);
	records = c.records;
	for (int i = 0; i < 100; i++) { /* late packets between others: the larger bound remains */
		write_packet(&c, c.now);
		write_packet(&c, c.now - 5 * SECOND);
	}
	assert_in_range(c.records - records, 0, 2);
	run(&c, 10 * SECOND);
	assert_in_range(c.stated.error_ns, 1, 3 * MS);
}

/* A packet from before a suspend, which is written after it: packet times are those of the clock after the suspend, so no bound is known. */
static void test_late_packets_of_a_suspend(void **state)
{
	(void)state;
	for (int align = TW_ALIGN_NONE; align <= TW_ALIGN_HOST; align++) {
		struct capture c;
		uint64_t truth, time;

		capture__init(&c, 5, (enum tw_align)align, false);
		capture__set_wall(&c, 0);
		run(&c, 5 * SECOND);
		truth = c.now - 15 * MS;
		time = world__stream(&c.world, truth);
		suspend(&c, 70 * SECOND);
		run(&c, SECOND);
		write_packet_of(&c, truth, time);
		assert_true(c.stated.error_ns == TW_ERROR_UNKNOWN);
		run(&c, SECOND);
		assert_false(c.stated.error_ns == TW_ERROR_UNKNOWN);
	}
}

/* The stream's clock is set, and no CLOCK reports it: old and new exchanges contradict each other, and the old ones are discarded. */
static void test_contradiction(void **state)
{
	struct capture c;

	(void)state;
	capture__init(&c, 17, TW_ALIGN_HOST, false);
	capture__set_wall(&c, 0);
	run(&c, 3 * SECOND);
	c.next_sample = UINT64_MAX;
	c.world.stream += 5 * MS;
	c.unsettled = true;
	run(&c, SECOND / 5);
	c.unsettled = false;
	assert_int_equal(c.clock.distance.restarts, 1);
	run(&c, 10 * SECOND);
	assert_int_equal(c.clock.distance.restarts, 1);
	assert_int_equal(c.backward, 0);
}

static const struct tw_time_root ntp = { .is_utc = true };

/* The producer's clock has this source from now on. */
static void follow(struct capture *c, const struct tw_time_root *root)
{
	struct tw_identity identity = { .clock = "mono", .has_sync_utc = root->is_utc, .sync_utc = root->utc_ns };

	snprintf(identity.grandmaster, sizeof(identity.grandmaster), "%s", root->grandmaster);
	tw_stream_clock__host(&c->clock, &identity);
}

/* The producer reports an error bound of 500 ns. */
static void report(struct capture *c)
{
	struct tw_clock_view view = world__sample(&c->world, c->now);

	view.sync_ns = 500;
	tw_stream_clock__sample(&c->clock, &view);
}

/* Both hosts report the error bounds of their clocks. */
static void test_sync(void **state)
{
	struct tw_stream_clock_summary summary;
	struct capture c;

	(void)state;
	capture__init(&c, 19, TW_ALIGN_NONE, false);
	capture__set_wall(&c, 400);
	follow(&c, &ntp);
	tw_stream_clock__own(&c.clock, &(struct tw_own_clock){ .sync_ns = 300, .root = ntp });
	for (int i = 0; i < 10; i++) {
		report(&c);
		ask(&c);
		c.next_sample = c.now + 2 * SECOND;
		run(&c, SECOND);
	}
	tw_stream_clock__summary(&c.clock, &summary);
	assert_int_equal(summary.method, TW_OFFSET_BY_SYNC);
	assert_in_range(summary.error_ns, 400, 4000);
	/* The producer reports no error bound any more. */
	c.next_sample = c.now;
	run(&c, SECOND);
	tw_stream_clock__summary(&c.clock, &summary);
	assert_int_equal(summary.method, TW_OFFSET_BY_TIME_SYNC);
	assert_int_equal(c.stated.method, TW_OFFSET_BY_TIME_SYNC);
}

/* Two grandmasters; the accuracies of the second pair refer to UTC. */
static const struct tw_time_root lone = { .grandmaster = "0080c2.fffe.000001" },
				 other = { .grandmaster = "0080c2.fffe.000002" },
				 gps = { .grandmaster = "0080c2.fffe.000001", .is_utc = true, .utc_ns = 100 },
				 other_gps = { .grandmaster = "0080c2.fffe.000002", .is_utc = true, .utc_ns = 2500 },
				 unknown = { 0 };

/* Reported bounds are added only if both refer to the same time. The true distance is 0 in each case, and there are no exchanges. */
static void test_roots(void **state)
{
	static const struct {
		const struct tw_time_root *here, *there;
		int64_t apart; /* expected addition to the reported bounds, ns; -1 = they are not added */
	} cases[] = {
		{ &lone, &lone, 0 },        { &lone, &other, -1 },   { &lone, &ntp, -1 },    { &ntp, &lone, -1 },
		{ &ntp, &ntp, 0 },          { &ntp, &gps, 100 },     { &gps, &ntp, 100 },    { &gps, &gps, 0 },
		{ &gps, &other_gps, 2600 }, { &gps, &other, -1 },    { &ntp, &unknown, -1 }, { &unknown, &unknown, -1 },
		{ &unknown, &ntp, -1 },     { &lone, &unknown, -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const bool same = cases[i].apart >= 0;
		struct tw_stream_clock_summary summary;
		struct capture c;

		capture__init(&c, 31, TW_ALIGN_NONE, false);
		capture__set_wall(&c, 0);
		follow(&c, cases[i].there);
		tw_stream_clock__own(&c.clock, &(struct tw_own_clock){ .sync_ns = 300, .root = *cases[i].here });
		report(&c);
		write_packet(&c, c.now);
		tw_stream_clock__summary(&c.clock, &summary);
		assert_int_equal(summary.method, same ? TW_OFFSET_BY_SYNC : TW_OFFSET_BY_NONE);
		assert_int_equal(summary.error_ns == TW_ERROR_UNKNOWN, !same);
		if (same)
			assert_int_equal(c.clock.kept.bounds.high - c.clock.kept.bounds.low,
					 2 * (500 + 300 + (int64_t)c.clock.samples.last.error_ns + cases[i].apart));
	}
}

/*
 * A host gets another source. What it reported before does not count towards the new source, and what it reports later does not count
 * towards the old one.
 */
static void test_other_root(void **state)
{
	const struct tw_own_clock own = { .sync_ns = 300, .root = lone };
	const struct tw_own_clock own_other = { .sync_ns = 300, .root = other };
	struct tw_stream_clock_summary summary;
	struct capture c;

	(void)state;
	capture__init(&c, 37, TW_ALIGN_NONE, false);
	capture__set_wall(&c, 0);
	follow(&c, &lone);
	tw_stream_clock__own(&c.clock, &own);
	report(&c);
	write_packet(&c, c.now);
	tw_stream_clock__summary(&c.clock, &summary);
	assert_int_equal(summary.method, TW_OFFSET_BY_SYNC);
	follow(&c, &other);
	tw_stream_clock__summary(&c.clock, &summary);
	assert_int_equal(summary.method, TW_OFFSET_BY_NONE);
	c.now += SECOND;
	report(&c); /* while the hosts have different sources */
	write_packet(&c, c.now);
	tw_stream_clock__own(&c.clock, &own_other);
	tw_stream_clock__summary(&c.clock, &summary);
	assert_int_equal(summary.method, TW_OFFSET_BY_NONE);
	c.now += SECOND;
	report(&c);
	write_packet(&c, c.now);
	tw_stream_clock__summary(&c.clock, &summary);
	assert_int_equal(summary.method, TW_OFFSET_BY_SYNC);
}

/* A reported bound that exchanges refute is ignored. */
static void test_sync_refuted(void **state)
{
	struct tw_stream_clock_summary summary;
	struct tw_clock_view view;
	struct capture c;

	(void)state;
	capture__init(&c, 23, TW_ALIGN_NONE, false);
	capture__set_wall(&c, 3 * MS);
	follow(&c, &ntp);
	tw_stream_clock__own(&c.clock, &(struct tw_own_clock){ .sync_ns = 100, .root = ntp });
	view = world__sample(&c.world, c.now);
	view.sync_ns = 100;
	tw_stream_clock__sample(&c.clock, &view);
	ask(&c);
	write_packet(&c, c.now);
	tw_stream_clock__summary(&c.clock, &summary);
	assert_int_equal(summary.method, TW_OFFSET_BY_TIME_SYNC);
	assert_in_range(c.stated.error_ns, 3 * MS, 4 * MS);
}

/* The capture host's wall clock is set; if @both, the producer is on this host. The reported distance refers to the new time. */
static void check_own_step(int64_t step, bool both)
{
	const int64_t truth = both ? 0 : -step;
	struct tw_stream_clock_summary summary;
	struct capture c;

	capture__init(&c, 29, TW_ALIGN_NONE, false);
	capture__set_wall(&c, 0);
	run(&c, 5 * SECOND);
	c.world.wall += both ? step : 0;
	tw_stream_clock__own(&c.clock, &(struct tw_own_clock){ .stepped = step });
	run(&c, 5 * SECOND);
	tw_stream_clock__summary(&c.clock, &summary);
	assert_true(summary.ahead_known);
	assert_in_range(summary.ahead_most, 1, MS);
	assert_in_range(summary.ahead - truth + (int64_t)summary.ahead_most, 0, 2 * summary.ahead_most);
}

static void test_own_steps(void **state)
{
	(void)state;
	check_own_step(24 * (int64_t)SECOND, true);
	check_own_step(24 * (int64_t)SECOND, false);
	check_own_step(-2307076790 * (int64_t)SECOND, true);
	check_own_step(-2307076790 * (int64_t)SECOND, false);
}

/* A clock that counts ticks. */
static void test_ticks(void **state)
{
	const struct tw_identity identity = { .clock = "x86-tsc", .scale.mult = 1u << 9, .scale.shift = 10 };
	const struct tw_clock_view sample = { .valid = 0x09, .reading = { 2000, 0, 0, 5000 } };
	struct tw_stream_clock clock;
	struct tw_offset_view record;

	(void)state;
	tw_stream_clock__init(&clock, TW_ALIGN_NONE, false);
	tw_stream_clock__host(&clock, &identity);
	tw_stream_clock__sample(&clock, &sample);
	assert_true(tw_stream_clock__record(&clock, 2200, 2200, &record));
	assert_int_equal(record.time, 2200);
	assert_int_equal(record.offset, 4000);
	assert_int_equal(tw_stream_clock__packet_time(&clock, 2200), 5100);
	assert_false(tw_stream_clock__record(&clock, 2200, 2200, &record));
}

/* Extreme numbers in random order, so that the sanitizers find overflows. */
static void test_hostile_numbers(void **state)
{
	static const uint64_t ends[] = { 0, 1, 12345, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX };
	struct tw_stream_clock_summary summary;
	struct tw_stream_clock clock;
	struct tw_offset_view record;
	struct world world;

	(void)state;
	world__init(&world, 1);
	for (int run = 0; run < 2000; run++) {
		const struct tw_identity identity = { .scale.mult = run % 3 ? 0 : UINT64_MAX, .scale.shift = 63 };

		tw_stream_clock__init(&clock, (enum tw_align)(run & 1), run & 2);
		tw_stream_clock__host(&clock, &identity);
		tw_stream_clock__own(&clock, &(struct tw_own_clock){ .sync_ns = UINT32_MAX, .stepped = INT64_MIN });
		for (int i = 0; i < 20; i++) {
			uint64_t any[6];

			for (int k = 0; k < 6; k++)
				any[k] = ends[(size_t)(world__chance(&world) * 6)];
			tw_stream_clock__exchange(&clock, &(struct tw_time_sync_sample){ .asked = any[0],
											 .received = any[1],
											 .answered = any[2],
											 .arrived = any[3] });
			tw_stream_clock__sample(&clock, &(struct tw_clock_view){
								.valid = (uint32_t)any[4] | 9,
								.error_ns = (uint32_t)any[5],
								.sync_ns = 1,
								.reading = { any[0], any[1], any[2], any[3] } });
			for (int n = 0; tw_stream_clock__record(&clock, any[5], any[5], &record); n++)
				assert_in_range(n, 0, TW_STREAM_CLOCK_CHANGES + 2);
			tw_stream_clock__packet_time(&clock, any[4]);
			tw_stream_clock__summary(&clock, &summary);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bound_is_a_bound),
		cmocka_unit_test(test_host_alignment_lasts),
		cmocka_unit_test(test_no_alignment_states_the_drift),
		cmocka_unit_test(test_nothing_known),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_leap_seconds),
		cmocka_unit_test(test_changes_only),
		cmocka_unit_test(test_tai_offset),
		cmocka_unit_test(test_tai_as_trace_clock),
		cmocka_unit_test(test_suspend),
		cmocka_unit_test(test_suspend_threshold),
		cmocka_unit_test(test_step_threshold),
		cmocka_unit_test(test_leap_threshold),
		cmocka_unit_test(test_late_answer),
		cmocka_unit_test(test_packets_with_several_events),
		cmocka_unit_test(test_late_packets),
		cmocka_unit_test(test_late_packets_of_a_suspend),
		cmocka_unit_test(test_contradiction),
		cmocka_unit_test(test_sync),
		cmocka_unit_test(test_roots),
		cmocka_unit_test(test_other_root),
		cmocka_unit_test(test_sync_refuted),
		cmocka_unit_test(test_own_steps),
		cmocka_unit_test(test_ticks),
		cmocka_unit_test(test_hostile_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
