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
	(void)ptp;
	*ret = (struct tw_ptp4l_status){ .has_master = true,
					 .offset = 100,
					 .path_delay = 50,
					 .utc_offset = 37,
					 .ptp_timescale = true,
					 .state = TW_PTP_SLAVE,
					 .time_stamps = 1,
					 .interface = "eth0" };
	return true;
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

/* The driver of the card that ptp4l uses is loaded again, and its clock has another number then. */
static void test_driver_reload(void **state)
{
	struct tw_sync *sync = tw_sync__new();
	struct tw_sync_state is;

	(void)state;
	assert_non_null(sync);
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
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_driver_reload) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
