/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reference, and the method PHC, with simulated clocks: two machines whose system clocks are left alone, and whose PTP hardware clocks
 * follow the same grandmaster, whose time is the true time.
 */
#include "clocks/reference.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/time.h"
#include "clocks/stream_clock.h"

#define MS     TW_NS_PER_MS
#define SECOND TW_NS_PER_SECOND
#define START  (1000000 * SECOND) /* true time at the start of the capture */
#define UTC    (37 * (int64_t)SECOND)
#define US     1000

/* A system clock. Its rate does a random walk, as that of a crystal whose temperature changes. */
struct crystal {
	double time; /* reading - true time at @at, ns */
	double ppb;
	uint64_t at; /* true time of the last change of the rate */
};

/* A PTP hardware clock: at most @amplitude from the grandmaster. */
struct nic {
	double amplitude, period_s, phase;
	int64_t lie; /* its real distance from the grandmaster, which ptp4l does not know, ns */
};

struct side {
	struct crystal system;
	struct nic nic;
	uint32_t sync_ns; /* that ptp4l reports; 0 = unknown */
	uint32_t read_ns; /* error of a reading of the PHC */
};

struct capture {
	uint64_t random, now;
	struct side there,
		here; /* the producer, whose trace clock is @system; the capture host, whose capture clock is @system */
	struct tw_readings readings; /* of the capture host's PHC */
	struct tw_own_clock own;
	struct tw_stream_clock clock;
	uint64_t ask_every, there_ns, back_ns;
	uint64_t next_second, next_ask, next_change;
	bool phc_is_gone; /* of the producer */
	/* results */
	struct tw_offset_view stated;
	unsigned int packets, by_method[4], of_kind[TW_OFFSET_REFERENCE + 1], backward;
	uint64_t worst, last;
	uint64_t widest; /* largest stated bound after the first 10 s, ns */
};

static double chance(struct capture *c)
{
	uint64_t z = c->random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

static uint64_t system_at(const struct side *s, uint64_t t)
{
	return t + (uint64_t)(int64_t)(s->system.time + (double)(int64_t)(t - s->system.at) * s->system.ppb / 1e9);
}

static void change_rate(struct capture *c, struct side *s)
{
	s->system.time += (double)(c->now - s->system.at) * s->system.ppb / 1e9;
	s->system.at = c->now;
	s->system.ppb += (chance(c) - 0.5) * 60; /* in 100 ms */
}

/* The PHC in UTC. */
static uint64_t nic_at(const struct side *s, uint64_t t)
{
	const double angle = (double)(t % (1000 * SECOND)) / 1e9 / s->nic.period_s * 2 * M_PI + s->nic.phase;

	return t + (uint64_t)(s->nic.lie + (int64_t)(s->nic.amplitude * sin(angle)));
}

static int64_t reading_error(struct capture *c, const struct side *s)
{
	return (int64_t)((chance(c) - 0.5) * 2 * s->read_ns);
}

static void look_here(struct capture *c)
{
	struct tw_reference_state *reference = &c->own.reference;
	const struct tw_distance_mark *newest;
	const uint64_t time = system_at(&c->here, c->now);
	const int64_t distance = (int64_t)(nic_at(&c->here, c->now) - time);

	tw_readings__take(&c->readings, time, distance + reading_error(c, &c->here), c->here.read_ns);
	newest = tw_readings__newest(&c->readings);
	reference->time = newest->time;
	reference->bounds = newest->bounds;
	reference->rates = tw_readings__rates(&c->readings);
	reference->sync_ns = c->here.sync_ns;
	tw_stream_clock__own(&c->clock, &c->own);
}

static void look_there(struct capture *c)
{
	const uint64_t trace = system_at(&c->there, c->now);
	struct tw_clock_view view = {
		.valid = 1u << TW_CLOCK_TRACE | 1u << TW_CLOCK_MONO | 1u << TW_CLOCK_BOOT | 1u << TW_CLOCK_REAL,
		.error_ns = 1000,
		.reading = { trace, trace, trace, trace + 5000 * SECOND },
		.n_phcs = c->phc_is_gone ? 0 : 2,
		.phcs = {
			{ .index = 7, .error_ns = 100, .phc = 12345 + c->now, .trace = trace }, /* a card that ptp4l does not use */
			{ .index = 1, .error_ns = c->there.read_ns, .sync_ns = c->there.sync_ns },
		},
	};

	view.phcs[1].phc = nic_at(&c->there, c->now) + (uint64_t)UTC;
	view.phcs[1].trace = trace + (uint64_t)reading_error(c, &c->there);
	if (!c->there.sync_ns)
		view.phcs[0] = view.phcs[1];
	tw_stream_clock__sample(&c->clock, &view);
}

static void ask(struct capture *c)
{
	const uint64_t there = c->now + c->there_ns + (uint64_t)(chance(c) * 30000);
	const uint64_t back = there + 5000 + c->back_ns + (uint64_t)(chance(c) * 30000);
	const struct tw_time_sync_sample sample = {
		.asked = system_at(&c->here, c->now),
		.received = system_at(&c->there, there),
		.answered = system_at(&c->there, there + 5000),
		.arrived = system_at(&c->here, back),
	};

	assert_true(tw_stream_clock__exchange(&c->clock, &sample));
}

/* Checks the bound of a packet at @truth: its time may differ from the reference, the capture host's PHC, by at most the stated error. */
static void write_packet(struct capture *c, uint64_t truth)
{
	const uint64_t time = system_at(&c->there, truth), reference = nic_at(&c->here, truth);
	struct tw_offset_view record;
	uint64_t packet, error;

	while (tw_stream_clock__record(&c->clock, time, time, &record)) {
		c->stated = record;
		c->of_kind[record.kind]++;
	}
	packet = tw_stream_clock__packet_time(&c->clock, time);
	error = tw_time__apart(packet, reference);
	c->backward += packet < c->last;
	c->last = packet;
	c->worst = tw_time__later(c->worst, error);
	c->packets++;
	c->by_method[c->stated.method]++;
	if (truth > START + 10 * SECOND)
		c->widest = tw_time__later(c->widest, c->stated.error_ns);
	if (error > c->stated.error_ns)
		fail_msg("at %.3f s: off by %llu ns, and not more than %llu was stated", (double)(truth - START) / 1e9,
			 (unsigned long long)error, (unsigned long long)c->stated.error_ns);
}

static void run(struct capture *c, uint64_t ns)
{
	const uint64_t end = c->now + ns;

	while (c->now < end) {
		c->now += (uint64_t)(chance(c) * 4e6) + 1;
		if (c->now >= c->next_change) {
			change_rate(c, &c->there);
			change_rate(c, &c->here);
			c->next_change += 100 * MS;
		}
		if (c->now >= c->next_second) {
			look_here(c);
			look_there(c);
			c->next_second += SECOND;
		}
		if (c->ask_every && c->now >= c->next_ask) {
			ask(c);
			c->next_ask = c->now + c->ask_every;
		}
		write_packet(c, c->now);
	}
}

static void side__init(struct capture *c, struct side *s, uint32_t sync_ns)
{
	s->system = (struct crystal){ (chance(c) - 0.5) * 1e10, (chance(c) - 0.5) * 200000, START - SECOND };
	s->nic = (struct nic){ 0.95 * sync_ns, 5 + chance(c) * 20, chance(c) * 6, 0 };
	s->sync_ns = sync_ns;
	s->read_ns = 500;
}

static void host(struct capture *c, const char *grandmaster)
{
	struct tw_identity identity = { .clock = "mono" };

	snprintf(identity.grandmaster, sizeof(identity.grandmaster), "%s", grandmaster);
	tw_stream_clock__host(&c->clock, &identity);
}

static void capture__init(struct capture *c, uint64_t seed, enum tw_align align)
{
	*c = (struct capture){ .random = seed * 2654435761u + 1, .now = START, .there_ns = 30000, .back_ns = 90000 };
	c->readings.wander = TW_WANDER;
	c->next_second = c->next_change = c->next_ask = START;
	side__init(c, &c->there, 200);
	side__init(c, &c->here, 100);
	c->own.reference = (struct tw_reference_state){ .kind = TW_REFERENCE_PHC, .utc_ns = UTC };
	snprintf(c->own.reference.grandmaster, sizeof(c->own.reference.grandmaster), "0080c2.fffe.000001");
	tw_stream_clock__init(&c->clock, align, false);
	host(c, "0080c2.fffe.000001");
}

/* Over many seeds, with and without exchanges, the bound always holds, and it is a few us. */
static void test_phc_bound_is_a_bound(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct capture c;

		capture__init(&c, seed, TW_ALIGN_HOST);
		if (seed % 3 == 0)
			side__init(&c, &c.there, 5 * US);
		if (seed % 4 == 0)
			c.here.read_ns = 3 * US;
		c.ask_every = seed % 2 ? 100 * MS : 0;
		run(&c, 60 * SECOND);
		assert_int_equal(c.clock.phc.clocks.contradictions, 0);
		assert_int_equal(c.clock.contradicted, 0);
		assert_in_range(c.by_method[TW_OFFSET_BY_PHC], c.packets * 8 / 10, c.packets);
		assert_in_range(c.widest, 1, seed % 3 ? 20 * US : 100 * US);
		assert_in_range(c.clock.phc.index, 1, 1);
		assert_int_equal(c.backward, 0);
	}
}

/* A stream whose machine has no PHC: exchanges, whose bound includes the distance of the capture host's clock from its PHC. */
static void test_stream_without_phc(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct capture c;

		capture__init(&c, seed, seed % 2 ? TW_ALIGN_HOST : TW_ALIGN_NONE);
		c.phc_is_gone = true;
		c.ask_every = 100 * MS;
		ask(&c);
		look_here(&c);
		if (seed % 2 ==
		    0) /* the packet times are those of the stream's clock, so the bound is as large as their distance */
			c.there.system.time = -5e12;
		run(&c, 40 * SECOND);
		assert_int_equal(c.by_method[TW_OFFSET_BY_TIME_SYNC], c.packets);
		if (seed % 2)
			assert_in_range(c.widest, 1, 1500 * US);
	}
}

/* The PHC of the producer goes away: after 4 s, exchanges are the next best source. */
static void test_phc_goes_away(void **state)
{
	struct capture c;

	(void)state;
	capture__init(&c, 3, TW_ALIGN_HOST);
	c.ask_every = 100 * MS;
	run(&c, 20 * SECOND);
	assert_int_equal(c.stated.method, TW_OFFSET_BY_PHC);
	c.phc_is_gone = true;
	run(&c, 20 * SECOND);
	assert_int_equal(c.stated.method, TW_OFFSET_BY_TIME_SYNC);
	c.phc_is_gone = false;
	run(&c, 20 * SECOND);
	assert_int_equal(c.stated.method, TW_OFFSET_BY_PHC);
}

/* Different grandmasters are not compared. Without a grandmaster, times are aligned by the PHCs, and the error bound is unknown. */
static void test_domains(void **state)
{
	struct tw_stream_clock_summary summary;
	struct capture c;

	(void)state;
	capture__init(&c, 4, TW_ALIGN_HOST);
	host(&c, "0080c2.fffe.000002");
	c.ask_every = 100 * MS;
	run(&c, 20 * SECOND);
	assert_int_equal(c.by_method[TW_OFFSET_BY_PHC], 0);
	assert_int_equal(c.stated.method, TW_OFFSET_BY_TIME_SYNC);

	capture__init(&c, 5, TW_ALIGN_HOST);
	host(&c, "");
	run(&c, 20 * SECOND);
	tw_stream_clock__summary(&c.clock, &summary);
	assert_true(c.stated.error_ns == TW_ERROR_UNKNOWN && summary.error_ns == TW_ERROR_UNKNOWN);
	assert_int_equal(summary.method, TW_OFFSET_BY_PHC);
	assert_false(summary.ahead_known);
	c.worst = 0;
	run(&c, SECOND);
	assert_in_range(c.worst, 0, 20 * US);

	capture__init(&c, 6, TW_ALIGN_HOST);
	c.there.sync_ns = 0;
	run(&c, 5 * SECOND);
	assert_true(c.stated.error_ns == TW_ERROR_UNKNOWN);
	c.ask_every = 100 * MS; /* a source with a bound is better */
	run(&c, 5 * SECOND);
	assert_int_equal(c.stated.method, TW_OFFSET_BY_TIME_SYNC);
}

/* ptp4l reports a bound, but its PHC is 5 ms away from the grandmaster: exchanges win, and the contradiction is counted. */
static void test_phc_lies(void **state)
{
	struct capture c;

	(void)state;
	capture__init(&c, 7, TW_ALIGN_HOST);
	c.there.nic.lie = 5 * (int64_t)MS;
	c.ask_every = 100 * MS;
	ask(&c);
	run(&c, 20 * SECOND);
	assert_int_equal(c.by_method[TW_OFFSET_BY_PHC], 0);
	assert_in_range(c.clock.contradicted, 19, 21);
}

/* The reference is set: packet times follow immediately, and a record has the step. */
static void test_step_of_reference(void **state)
{
	static const int64_t steps[] = { 3600 * (int64_t)SECOND, -3600 * (int64_t)SECOND, 2 * (int64_t)MS };

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct capture c;
		int64_t before;

		capture__init(&c, 8 + i, TW_ALIGN_HOST);
		c.phc_is_gone = true;
		c.ask_every = 100 * MS;
		ask(&c);
		look_here(&c);
		run(&c, 10 * SECOND);
		before = c.clock.line.offset;
		c.here.nic.lie = steps[i];
		tw_readings__restart(&c.readings);
		c.own.reference.stepped += steps[i];
		look_here(&c);
		assert_int_equal(c.clock.line.offset - before, steps[i]);
		write_packet(&c, c.now);
		assert_int_equal(c.of_kind[TW_OFFSET_REFERENCE], 1);
		assert_int_equal(c.stated.step, steps[i]);
		run(&c, 10 * SECOND);
		assert_int_equal(c.of_kind[TW_OFFSET_REFERENCE], 1);
		assert_int_equal(c.backward, steps[i] < 0);
	}
}

/* The range of rates is learnt from four readings. A sudden change of the rate is a contradiction, after which it is learnt anew. */
static void test_readings(void **state)
{
	struct tw_readings r = { .wander = 1000 };
	struct tw_bounds at;

	(void)state;
	for (uint64_t i = 1; i <= 3; i++)
		assert_int_equal(tw_readings__take(&r, i * SECOND, (int64_t)i * 50000, 100), 0);
	assert_int_equal(tw_readings__rates(&r).high, TW_DRIFT_MAX);
	for (uint64_t i = 4; i <= 20; i++)
		assert_int_equal(tw_readings__take(&r, i * SECOND, (int64_t)i * 50000, 100), 0);
	at = tw_readings__at(&r, 21 * SECOND);
	assert_in_range(at.low, 1050000 - 2000, 1050000 - 1000);
	assert_in_range(at.high, 1050000 + 1000, 1050000 + 2000);
	at = tw_readings__at(&r, 19 * SECOND + SECOND / 2);
	assert_in_range(at.low, 975000 - 1200, 975000 - 100);
	assert_in_range(at.high, 975000 + 100, 975000 + 1200);
	/* readings that are repeated or older are ignored */
	assert_int_equal(tw_readings__take(&r, 20 * SECOND, 0, 0), 0);
	assert_int_equal(r.n, 20);
	assert_in_range(tw_readings__take(&r, 21 * SECOND, 1150000, 100), 98000, 99000);
	assert_int_equal(r.contradictions, 1);
	assert_int_equal(r.n, 1);
	assert_int_equal(tw_readings__rates(&r).low, -TW_DRIFT_MAX);
}

/* REALTIME and TAI of this machine. */
static void test_real_clocks(void **state)
{
	static const enum tw_reference_kind kinds[] = { TW_REFERENCE_HOST, TW_REFERENCE_REALTIME, TW_REFERENCE_TAI };
	static const char *const texts[] = { "without steps", "CLOCK_REALTIME", "CLOCK_TAI minus " };
	const struct tw_sync_state sync = { 0 };
	struct tw_capture_clock clock;

	(void)state;
	tw_capture_clock__begin(&clock);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct tw_reference r;
		struct tw_bounds at;
		char text[256];

		assert_int_equal(tw_reference__open(&r, kinds[i], NULL, &sync, &clock, NULL), 0);
		for (int k = 0; k < 100; k++)
			tw_reference__look(&r, &sync, &clock);
		at = tw_reference_state__at(&r.state, tw_capture_clock__now(&clock) + 1000 * SECOND);
		assert_true(at.low <= at.high);
		/* the capture clock has begun with REALTIME, so the distance is within the error of this beginning */
		assert_true(at.low <= (int64_t)clock.stamps.error_ns && at.high >= -(int64_t)clock.stamps.error_ns);
		assert_int_equal(r.state.stepped, 0);
		tw_reference__describe(&r, text, sizeof(text));
		assert_non_null(strstr(text, texts[i]));
		if (i) { /* the clock is set, seen from the capture clock */
			clock.begun -= 5 * (int64_t)SECOND;
			tw_reference__look(&r, &sync, &clock);
			assert_in_range(r.state.stepped, 5 * SECOND - MS, 5 * SECOND + MS);
			clock.begun += 5 * (int64_t)SECOND;
		}
		tw_reference__close(&r);
	}
}

/* A PHC of the capture host that the test simulates: its distance from CLOCK_BOOTTIME, ns; 0 = there is none. */
static int64_t simulated_phc;

int __real_tw_phc__of_interface(const char *ifname, struct tw_phc_device *ret, struct tw_error *error);
int __wrap_tw_phc__of_interface(const char *ifname, struct tw_phc_device *ret, struct tw_error *error);
int __wrap_tw_phc__read(struct tw_phc_device *phc, clockid_t on, struct tw_phc_reading *ret);

int __wrap_tw_phc__of_interface(const char *ifname, struct tw_phc_device *ret, struct tw_error *error)
{
	if (!simulated_phc)
		return __real_tw_phc__of_interface(ifname, ret, error);
	*ret = (struct tw_phc_device){ .fd = -1, .index = 3 };
	return 0;
}

int __wrap_tw_phc__read(struct tw_phc_device *phc, clockid_t on, struct tw_phc_reading *ret)
{
	const uint64_t system = tw_time__now(CLOCK_BOOTTIME);

	(void)phc;
	assert_int_equal(on, CLOCK_BOOTTIME);
	*ret = (struct tw_phc_reading){ .phc = system + (uint64_t)simulated_phc, .system = system, .error_ns = 100 };
	return 0;
}

static void check_distance(const struct tw_reference *r, int64_t ns)
{
	assert_in_range(r->state.bounds.low - ns + (int64_t)MS, 0, 2 * MS);
	assert_in_range(r->state.bounds.high - ns + (int64_t)MS, 0, 2 * MS);
}

/* ptp4l begins after the capture, and reports another distance of its PHC from UTC than the assumed one, then a leap second. */
static void test_late_ptp4l(void **state)
{
	const int64_t second = (int64_t)SECOND;
	struct tw_sync_state sync = { 0 };
	struct tw_capture_clock clock;
	struct tw_reference r;
	char text[256];

	(void)state;
	tw_capture_clock__begin(&clock);
	/* The PHC is TAI, but the capture host's clock is 5 s fast. */
	simulated_phc = clock.begun + UTC - 5 * second;
	assert_int_equal(tw_reference__open(&r, TW_REFERENCE_PHC, "eth0", &sync, &clock, NULL), 0);
	assert_int_equal(r.state.utc_ns, UTC - 5 * second);
	check_distance(&r, 0);
	sync.phc = (struct tw_sync_phc){ .any = true, .index = 4, .ns = 100, .is_tai = true, .utc_ns = UTC };
	tw_reference__look(&r, &sync, &clock); /* of another card */
	sync.phc.index = 3;
	sync.phc.is_tai = false;
	tw_reference__look(&r, &sync, &clock);
	assert_int_equal(r.state.stepped, 0);
	assert_int_equal(r.state.sync_ns, 100);
	sync.phc.is_tai = true;
	tw_reference__look(&r, &sync, &clock);
	assert_int_equal(r.state.utc_ns, UTC);
	assert_int_equal(r.state.stepped, -5 * second);
	check_distance(&r, -5 * second);
	tw_reference__describe(&r, text, sizeof(text));
	assert_non_null(strstr(text, "minus 37 s (as ptp4l reports)"));
	sync.phc.utc_ns += second;
	tw_reference__look(&r, &sync, &clock);
	assert_int_equal(r.state.utc_ns, UTC);
	/* The PHC is set at the same time as ptp4l begins: one step with the sum of both. */
	tw_reference__close(&r);
	assert_int_equal(tw_reference__open(&r, TW_REFERENCE_PHC, "eth0", &(struct tw_sync_state){ 0 }, &clock, NULL),
			 0);
	simulated_phc += 100 * second;
	tw_reference__look(&r, &sync, &clock);
	assert_in_range(r.state.stepped - 94 * second + (int64_t)MS, 0, 2 * MS);
	check_distance(&r, 94 * second);
	tw_reference__close(&r);
	simulated_phc = 0;
}

/* A PHC that cannot be used: one sentence, and the reference is HOST. */
static void test_no_phc(void **state)
{
	static const struct {
		const char *phc, *why;
		int err;
	} cases[] = {
		{ "eth999", "there is no interface 'eth999'; `ip link` lists all", -ENODEV },
		{ "lo", "the interface lo has no PTP hardware clock; `ethtool -T lo` shows what it has", -EOPNOTSUPP },
		{ "ptp6543", "there is no PTP hardware clock /dev/ptp6543; `ls /dev/ptp*` lists all", -ENODEV },
		{ "/dev/ptp6543", "there is no PTP hardware clock /dev/ptp6543; `ls /dev/ptp*` lists all", -ENODEV },
	};
	const struct tw_sync_state sync = { 0 };
	struct tw_capture_clock clock;

	(void)state;
	tw_capture_clock__begin(&clock);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tw_error error;
		struct tw_reference r;

		assert_int_equal(tw_reference__open(&r, TW_REFERENCE_PHC, cases[i].phc, &sync, &clock, &error),
				 cases[i].err);
		assert_string_equal(error.text, cases[i].why);
		assert_int_equal(r.state.kind, TW_REFERENCE_HOST);
		tw_reference__look(&r, &sync, &clock);
		assert_int_equal(tw_reference_state__at(&r.state, START).high, 0);
		tw_reference__close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_phc_bound_is_a_bound),
		cmocka_unit_test(test_stream_without_phc),
		cmocka_unit_test(test_phc_goes_away),
		cmocka_unit_test(test_domains),
		cmocka_unit_test(test_phc_lies),
		cmocka_unit_test(test_step_of_reference),
		cmocka_unit_test(test_readings),
		cmocka_unit_test(test_real_clocks),
		cmocka_unit_test(test_late_ptp4l),
		cmocka_unit_test(test_no_phc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
