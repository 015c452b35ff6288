/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stamps of network cards, with readings of a simulated clock of a card. */
#include "clocks/card_stamps.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/time.h"

#define CARD  7    /* index of the card's interface */
#define ERROR 2000 /* bound of a reading, ns */

/* The card's clock: a line through @boot and @phc. */
static struct {
	uint64_t boot, phc;
	int64_t ppm;    /* its rate, relative to CLOCK_BOOTTIME */
	int64_t off;    /* error of a reading, ns */
	int err;        /* of the next readings */
	unsigned int n; /* number of readings */
} sim;

static uint64_t phc_at(uint64_t boot)
{
	const int64_t since = (int64_t)(boot - sim.boot);

	return sim.phc + (uint64_t)(since + since * sim.ppm / 1000000);
}

/* The time of a stamp that the card makes at @boot */
static struct tw_card_stamp stamp_at(uint64_t boot)
{
	return (struct tw_card_stamp){ phc_at(boot), CARD };
}

static int read_card(struct tw_phc_device *phc, clockid_t on, struct tw_phc_reading *ret)
{
	const uint64_t now = tw_time__now(CLOCK_BOOTTIME);

	assert_int_equal(phc->index, 3);
	assert_int_equal(on, CLOCK_BOOTTIME);
	sim.n++;
	if (sim.err)
		return sim.err;
	*ret = (struct tw_phc_reading){ .phc = phc_at(now), .system = now + (uint64_t)sim.off, .error_ns = ERROR };
	return 0;
}

static void pause_us(long us)
{
	nanosleep(&(struct timespec){ .tv_nsec = us * 1000 }, NULL);
}

static int set_up(void **state)
{
	static struct tw_card_stamps cards;

	cards = (struct tw_card_stamps){ .n_clocks = 1, .n_interfaces = 1, .read = read_card };
	cards.clocks[0].phc.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	cards.clocks[0].phc.index = 3;
	cards.clocks[0].readings.wander = TW_WANDER;
	cards.interfaces[0].index = CARD;
	memset(&sim, 0, sizeof(sim));
	sim.boot = tw_time__now(CLOCK_BOOTTIME);
	sim.phc = 5 * TW_NS_PER_SECOND;
	*state = &cards;
	return 0;
}

static int tear_down(void **state)
{
	tw_card_stamps__close(*state);
	return 0;
}

/* Makes a reading, so that later stamps are between two readings. */
static void begin(struct tw_card_stamps *cards)
{
	const struct tw_card_stamp stamp = stamp_at(tw_time__now(CLOCK_BOOTTIME));
	struct tw_stamp_bounds bounds;

	assert_false(tw_card_stamps__convert(cards, &stamp, &bounds));
	assert_int_equal(sim.n, 1);
	pause_us(100);
}

/* A stamp that is between two readings lies in the interval, whatever the error of the readings and the rate of the clock. */
static void test_bounds(void **state)
{
	static const int64_t rates[] = { 0, 40, -490, 490 };
	unsigned int converted = 0;

	for (size_t r = 0; r < sizeof(rates) / sizeof(rates[0]); r++) {
		set_up(state);
		sim.ppm = rates[r];
		begin(*state);
		for (int i = 0; i < 200; i++) {
			const uint64_t at = tw_time__now(CLOCK_BOOTTIME);
			const struct tw_card_stamp stamp = stamp_at(at);
			struct tw_stamp_bounds bounds;

			sim.off = i % 5 * ERROR / 2 - ERROR;
			pause_us(i % 50 ? 20 : 5000);
			if (!tw_card_stamps__convert(*state, &stamp, &bounds))
				continue;
			assert_in_range(at, bounds.min, bounds.max);
			if (i % 50)
				assert_true(bounds.max - bounds.min >= 2 * (ERROR + TW_CARD_STAMP_ERROR));
			converted++;
		}
		tear_down(state);
	}
	set_up(state);
	assert_true(converted > 600);
}

/* A reading also serves for a stamp made shortly before it, but not for one made after it. */
static void test_one_reading(void **state)
{
	const struct tw_card_stamp unknown = { 1000, CARD + 1 }, none = { 0, CARD };
	struct tw_stamp_bounds bounds;
	struct tw_card_stamp stamp;
	uint64_t at;

	assert_false(tw_card_stamps__convert(*state, &unknown, &bounds));
	assert_false(tw_card_stamps__convert(*state, &none, &bounds));
	assert_int_equal(sim.n, 0);
	begin(*state);
	at = tw_time__now(CLOCK_BOOTTIME);
	stamp = stamp_at(at);
	assert_true(tw_card_stamps__convert(*state, &stamp, &bounds));
	assert_int_equal(sim.n, 2);
	stamp = stamp_at(at - 10000);
	assert_true(tw_card_stamps__convert(*state, &stamp, &bounds));
	assert_in_range(at - 10000, bounds.min, bounds.max);
	assert_int_equal(sim.n, 2);
	stamp = stamp_at(tw_time__now(CLOCK_BOOTTIME));
	assert_true(tw_card_stamps__convert(*state, &stamp, &bounds));
	assert_int_equal(sim.n, 3);
}

/* Stamps in the future, old ones, and those of before the first reading are refused. So are all while the clock cannot be read. */
static void test_refused(void **state)
{
	struct tw_card_stamps *cards = *state;
	struct tw_stamp_bounds bounds = { 1, 2 };
	struct tw_card_stamp stamp;

	begin(cards);
	stamp = stamp_at(sim.boot);
	assert_false(tw_card_stamps__convert(cards, &stamp, &bounds));
	stamp = stamp_at(tw_time__now(CLOCK_BOOTTIME) + TW_NS_PER_MS * 500);
	assert_false(tw_card_stamps__convert(cards, &stamp, &bounds));
	cards->clocks[0].steady_since = 0;
	stamp = stamp_at(tw_time__now(CLOCK_BOOTTIME) - 2 * TW_NS_PER_SECOND);
	assert_false(tw_card_stamps__convert(cards, &stamp, &bounds));
	sim.err = -EIO;
	stamp = stamp_at(tw_time__now(CLOCK_BOOTTIME));
	assert_false(tw_card_stamps__convert(cards, &stamp, &bounds));
	sim.err = 0;
	assert_true(tw_card_stamps__convert(cards, &stamp, &bounds));
	sim.err = -ENODEV;
	stamp = stamp_at(tw_time__now(CLOCK_BOOTTIME));
	bounds = (struct tw_stamp_bounds){ 1, 2 };
	assert_false(tw_card_stamps__convert(cards, &stamp, &bounds));
	sim.err = 0;
	assert_false(tw_card_stamps__convert(cards, &stamp, &bounds)); /* the clock is gone for good */
	assert_true(bounds.min == 1 && bounds.max == 2);
}

/* If the clock is set between a stamp and the reading, the stamp is refused. Later ones are used. */
static void test_step(void **state)
{
	static const int64_t steps[] = { 50000, -50000, (int64_t)TW_NS_PER_SECOND / 2, -(int64_t)TW_NS_PER_SECOND / 2 };

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		const uint64_t before = tw_time__now(CLOCK_BOOTTIME);
		struct tw_card_stamp stamp = stamp_at(before);
		struct tw_stamp_bounds bounds;
		uint64_t at;

		if (!i)
			begin(*state);
		stamp = stamp_at(tw_time__now(CLOCK_BOOTTIME));
		assert_true(tw_card_stamps__convert(*state, &stamp, &bounds));
		stamp = stamp_at(tw_time__now(CLOCK_BOOTTIME));
		sim.phc += (uint64_t)steps[i];
		assert_false(tw_card_stamps__convert(*state, &stamp, &bounds));
		pause_us(100);
		at = tw_time__now(CLOCK_BOOTTIME);
		stamp = stamp_at(at);
		assert_true(tw_card_stamps__convert(*state, &stamp, &bounds));
		assert_in_range(at, bounds.min, bounds.max);
	}
}

/* Makes a received frame with the kernel's and the card's stamp. */
static struct tw_received_frame frame_at(uint64_t realtime, uint64_t card)
{
	return (struct tw_received_frame){ .time = realtime, .time_by = TW_STAMP_SOFTWARE, .card = stamp_at(card) };
}

/* Of two stamps, the one with the earlier valid time of arrival is used, unless the card's is too far from the kernel's. */
static void test_arrived(void **state)
{
	struct tw_stamps kernel = tw_stamps__measure(TW_STAMPS_FIRST_TRIES);
	const uint64_t early = tw_time__now(CLOCK_BOOTTIME);
	struct tw_received_frame frame;
	struct tw_stamped_time at;
	uint64_t wire, real;

	begin(*state);
	wire = tw_time__now(CLOCK_BOOTTIME);
	pause_us(200);
	real = tw_time__now(CLOCK_REALTIME);
	frame = frame_at(real, wire);
	at = tw_frame__arrived(&kernel, *state, &frame);
	assert_int_equal(at.by, TW_STAMP_HARDWARE);
	assert_in_range(at.time, wire, wire + 150000);
	at = tw_frame__arrived(&kernel, NULL, &frame);
	assert_int_equal(at.by, TW_STAMP_SOFTWARE);
	assert_true(at.time >= wire + 200000);

	/* the kernel's stamp is exact, and the card's is within the error of the reading */
	pause_us(100);
	wire = tw_time__now(CLOCK_BOOTTIME);
	frame = frame_at(tw_time__now(CLOCK_REALTIME), wire + ERROR);
	pause_us(100);
	at = tw_frame__arrived(&kernel, *state, &frame);
	assert_int_equal(at.by, TW_STAMP_SOFTWARE);
	assert_true(at.time >= wire);

	/* the kernel's stamp cannot be converted */
	frame = frame_at(0, tw_time__now(CLOCK_BOOTTIME));
	pause_us(100);
	assert_int_equal(tw_frame__arrived(&kernel, *state, &frame).by, TW_STAMP_HARDWARE);
	frame.card = (struct tw_card_stamp){ 0 };
	assert_int_equal(tw_frame__arrived(&kernel, *state, &frame).by, TW_STAMP_READING);

	pause_us(TW_CARD_APART / 1000 + 1000);
	frame = frame_at(tw_time__now(CLOCK_REALTIME), early + 200000);
	((struct tw_card_stamps *)*state)->clocks[0].steady_since = early;
	assert_int_equal(tw_frame__arrived(&kernel, *state, &frame).by, TW_STAMP_SOFTWARE);
}

/* A transmit stamp of the card is not too late; one from before the frame was sent is not used. */
static void test_sent(void **state)
{
	struct tw_stamps kernel = tw_stamps__measure(TW_STAMPS_FIRST_TRIES);
	struct tw_sent_stamp stamp = { .by = TW_STAMP_HARDWARE };
	struct tw_stamped_time sent;
	uint64_t since, wire;

	begin(*state);
	since = tw_time__now(CLOCK_BOOTTIME);
	pause_us(100);
	wire = tw_time__now(CLOCK_BOOTTIME);
	stamp.card = stamp_at(wire);
	sent = tw_frame__sent(&kernel, *state, &stamp, since);
	assert_int_equal(sent.by, TW_STAMP_HARDWARE);
	assert_in_range(sent.time, wire - 100000, wire);
	assert_int_equal(tw_frame__sent(&kernel, NULL, &stamp, since).by, TW_STAMP_READING);
	sent = tw_frame__sent(&kernel, *state, &stamp, wire + TW_NS_PER_MS);
	assert_int_equal(sent.by, TW_STAMP_READING);
	assert_int_equal(sent.time, wire + TW_NS_PER_MS);
	stamp = (struct tw_sent_stamp){ .by = TW_STAMP_SOFTWARE, .time = tw_time__now(CLOCK_REALTIME) };
	assert_int_equal(tw_frame__sent(&kernel, *state, &stamp, since).by, TW_STAMP_SOFTWARE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_bounds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_one_reading, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_step, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_arrived, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_sent, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
