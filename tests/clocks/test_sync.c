/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of the clocks with a simulated ptp4l and card. tests/clocks/sync.sh has real time daemons, tests/vm/clocks.sh a ptp4l with a
 * card.
 */
#include "clocks/sync.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/time.h"
#include "clocks/phc.h"
#include "clocks/ptp4l.h"

static struct tw_ptp4l_status ptp4l; /* what the simulated ptp4l answers */
static bool is_denied;               /* it may not be asked */

static struct {
	bool is_gone;
	unsigned int driver; /* number of times that the driver was loaded: an old descriptor is of no use */
} card;

void __wrap_tw_ptp4l__open(struct tw_ptp4l *ptp);
bool __wrap_tw_ptp4l__look(struct tw_ptp4l *ptp, struct tw_ptp4l_status *ret);
int __wrap_tw_phc__of_interface(const char *ifname, struct tw_phc_device *ret, struct tw_error *error);
int __wrap_tw_phc__read(struct tw_phc_device *phc, clockid_t on, struct tw_phc_reading *ret);
void __wrap_tw_phc__close(struct tw_phc_device *phc);

void __wrap_tw_ptp4l__open(struct tw_ptp4l *ptp)
{
	*ptp = (struct tw_ptp4l){ .fd = -1 };
}

bool __wrap_tw_ptp4l__look(struct tw_ptp4l *ptp, struct tw_ptp4l_status *ret)
{
	ptp->is_denied = is_denied;
	if (!is_denied)
		*ret = ptp4l;
	return !is_denied;
}

int __wrap_tw_phc__of_interface(const char *ifname, struct tw_phc_device *ret, struct tw_error *error)
{
	assert_string_equal(ifname, "eth0");
	ret->fd = -1;
	if (card.is_gone)
		return tw_error__set(error, -ENODEV, "there is none");
	*ret = (struct tw_phc_device){ .fd = (int)card.driver, .index = (uint16_t)card.driver, .interface = "eth0" };
	return 0;
}

int __wrap_tw_phc__read(struct tw_phc_device *phc, clockid_t on, struct tw_phc_reading *ret)
{
	assert_int_equal(on, CLOCK_REALTIME);
	*ret = (struct tw_phc_reading){ .phc = 37 * TW_NS_PER_SECOND + 1000, .system = 0, .error_ns = 10 };
	return !card.is_gone && phc->fd == (int)card.driver ? 0 : -ENODEV;
}

void __wrap_tw_phc__close(struct tw_phc_device *phc)
{
	phc->fd = -1;
}

static const struct tw_ptp4l_status slave = { .has_master = true,
					      .offset = 100,
					      .path_delay = 50,
					      .utc_offset = 37,
					      .ptp_timescale = true,
					      .state = TW_PTP_SLAVE,
					      .time_stamps = 1,
					      .interface = "eth0" };

/* The time of a grandmaster counts as UTC only if it says so in each respect. */
static void test_utc(void **state)
{
	static const struct {
		bool traceable, timescale, valid;
		uint8_t clock_class, accuracy;
		uint32_t ns; /* 0 = not UTC */
	} cases[] = {
		{ true, true, true, 6, 0x21, 100 }, { true, true, true, 7, 0x17, 25 },
		{ true, true, true, 6, 0x20, 25 },  { true, true, true, 6, 0x2f, 1000000000 },
		{ false, true, true, 6, 0x21, 0 },  { true, false, true, 6, 0x21, 0 },
		{ true, true, false, 6, 0x21, 0 },  { true, true, true, 5, 0x21, 0 },
		{ true, true, true, 13, 0x21, 0 },  { true, true, true, 248, 0xfe, 0 },
		{ true, true, true, 6, 0xfe, 0 },   { true, true, true, 6, 0x30, 0 },
		{ true, true, true, 6, 0x16, 0 },   { true, true, true, 6, 0, 0 },
	};
	struct tw_sync_state is;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tw_sync *sync = tw_sync__new();

		assert_non_null(sync);
		ptp4l = slave;
		ptp4l.grandmaster[7] = 1;
		ptp4l.time_traceable = cases[i].traceable;
		ptp4l.ptp_timescale = cases[i].timescale;
		ptp4l.utc_offset_valid = cases[i].valid;
		ptp4l.clock_class = cases[i].clock_class;
		ptp4l.accuracy = cases[i].accuracy;
		tw_sync__look(sync, &is);
		assert_string_equal(is.root.grandmaster, "000000.0000.000001");
		assert_int_equal(is.root.is_utc, cases[i].ns > 0);
		if (cases[i].ns)
			assert_int_equal(is.root.utc_ns, cases[i].ns);
		tw_sync__free(sync);
	}
}

/*
 * A process that may not ask ptp4l does not claim that the clock is free running, and requests no stamps of cards, which would disturb a
 * ptp4l that uses them.
 */
static void test_permission(void **state)
{
	struct tw_sync *sync = tw_sync__new();
	struct tw_sync_state is;

	(void)state;
	assert_non_null(sync);
	ptp4l = slave;
	for (unsigned int i = 0; i < 10; i++) {
		is_denied = i < 9;
		tw_sync__look(sync, &is);
		assert_false(is.card_stamps);
		assert_int_equal(is.is_denied, is_denied && !is.ns);
		if (is.is_denied)
			assert_string_equal(is.how, "unknown, because only root may ask ptp4l");
		else if (is_denied) /* another program on this machine reports a bound */
			assert_null(strstr(is.how, "ptp4l"));
		else
			assert_string_equal(is.how, "ptp4l, hardware time stamps, within 1 us of its master");
	}
	tw_sync__free(sync);
}

/* The driver of the card that ptp4l uses is loaded again, and its clock has another number then. */
static void test_driver_reload(void **state)
{
	struct tw_sync *sync = tw_sync__new();
	struct tw_sync_state is;

	(void)state;
	assert_non_null(sync);
	ptp4l = slave;
	for (unsigned int i = 0; i < 3; i++) {
		tw_sync__look(sync, &is);
		assert_int_equal(is.ns, 150 + 1010);
		assert_true(is.phc.any && is.phc.is_tai);
		assert_int_equal(is.phc.index, card.driver);
		assert_int_equal(is.phc.utc_ns, 37 * TW_NS_PER_SECOND);
		card.is_gone = true;
		card.driver++;
		for (unsigned int k = 0; k < 2; k++) {
			tw_sync__look(sync, &is);
			assert_int_equal(is.ns, 0);
			assert_false(is.phc.any);
		}
		card.is_gone = false;
	}
	tw_sync__free(sync);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_driver_reload), cmocka_unit_test(test_utc),
					    cmocka_unit_test(test_permission) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
