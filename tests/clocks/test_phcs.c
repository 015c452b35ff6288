/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PTP hardware clocks that do not exist, and simulated ones that go away: each is said once, in one sentence, and in PHCS.
 * tests/vm/clocks.sh has clocks that exist.
 */
#include "clocks/phcs.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct said {
	unsigned int n;
	char last[512];
};

static void hear(void *ctx, const char *sentence)
{
	struct said *said = ctx;

	said->n++;
	snprintf(said->last, sizeof(said->last), "%s", sentence);
}

/* A simulated card. */
static struct {
	bool on;             /* the functions below simulate */
	int err;             /* of reading; -ENODEV = there is no card */
	uint16_t index;      /* of its clock */
	unsigned int driver; /* number of times that the driver was loaded: an old descriptor is of no use */
	unsigned int opened; /* number of open descriptors */
} card;

int __real_tw_phc__at(unsigned int index, struct tw_phc_device *ret, struct tw_error *error);
int __wrap_tw_phc__at(unsigned int index, struct tw_phc_device *ret, struct tw_error *error);
int __real_tw_phc__of_interface(const char *ifname, struct tw_phc_device *ret, struct tw_error *error);
int __wrap_tw_phc__of_interface(const char *ifname, struct tw_phc_device *ret, struct tw_error *error);
int __wrap_tw_phc__read(struct tw_phc_device *phc, clockid_t on, struct tw_phc_reading *ret);
void __wrap_tw_phc__close(struct tw_phc_device *phc);

int __wrap_tw_phc__at(unsigned int index, struct tw_phc_device *ret, struct tw_error *error)
{
	if (!card.on)
		return __real_tw_phc__at(index, ret, error);
	if (index != card.index || card.err == -ENODEV)
		return tw_error__set(error, -ENODEV, "there is none");
	*ret = (struct tw_phc_device){ .fd = (int)card.driver, .index = (uint16_t)index, .method = TW_PHC_BY_USER };
	snprintf(ret->interface, sizeof(ret->interface), "eth0");
	card.opened++;
	return 0;
}

int __wrap_tw_phc__of_interface(const char *ifname, struct tw_phc_device *ret, struct tw_error *error)
{
	return card.on ? __wrap_tw_phc__at(card.index, ret, error) : __real_tw_phc__of_interface(ifname, ret, error);
}

int __wrap_tw_phc__read(struct tw_phc_device *phc, clockid_t on, struct tw_phc_reading *ret)
{
	(void)on;
	*ret = (struct tw_phc_reading){ 5, 5, 1, TW_PHC_BY_USER };
	return phc->fd == (int)card.driver ? card.err : -ENODEV;
}

void __wrap_tw_phc__close(struct tw_phc_device *phc)
{
	card.opened -= phc->fd >= 0;
	phc->fd = -1;
}

static void test_names(void **state)
{
	static const char *const good[] = { "eth0", "ptp0", "/dev/ptp12", "3", "all", "a-very-long-if." };
	static const char *const bad[] = { "", "/dev/", "/dev/rtc", "a/b", "sixteen-letters." };
	struct tw_error error;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(tw_phcs__check_name(good[i], &error), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(tw_phcs__check_name(bad[i], &error), -EINVAL);
}

static void test_no_clocks(void **state)
{
	struct tw_clock_view sample = { .valid = 1u << TW_CLOCK_TRACE };
	struct said said = { 0 };
	char text[TW_PHCS_TEXT];
	struct tw_phcs phcs;

	(void)state;
	tw_phcs__init(&phcs, hear, &said);
	tw_phcs__text(&phcs, text);
	assert_string_equal(text, "");
	tw_phcs__add(&phcs, "lo");
	assert_string_equal(said.last, "the interface lo has no PTP hardware clock; `ethtool -T lo` shows what it has; "
				       "the run goes on without this clock");
	tw_phcs__add(&phcs, "tw-none");
	assert_string_equal(said.last,
			    "there is no interface 'tw-none'; `ip link` lists all; the run goes on without this clock");
	tw_phcs__add(&phcs, "/dev/ptp6543");
	assert_string_equal(said.last, "there is no PTP hardware clock /dev/ptp6543; `ls /dev/ptp*` lists all; "
				       "the run goes on without this clock");
	tw_phcs__add_interface(&phcs, "lo"); /* not named by the user: nothing is said */
	tw_phcs__set_synced(&phcs, -1, 0);
	assert_int_equal(said.n, 3);
	tw_phcs__text(&phcs, text);
	assert_string_equal(text, "lo: no hardware clock, tw-none: there is none, /dev/ptp6543: there is none");
	tw_phcs__sample(&phcs, CLOCK_MONOTONIC, &sample);
	assert_int_equal(sample.n_phcs, 0);
	tw_phcs__fini(&phcs);
}

/* At most TW_PHC_MAX clocks are read. The message about further ones is printed once. */
static void test_too_many(void **state)
{
	struct said said = { 0 };
	char text[TW_PHCS_TEXT];
	struct tw_phcs phcs;

	(void)state;
	tw_phcs__init(&phcs, hear, &said);
	for (int i = 0; i < TW_PHC_MAX + 3; i++)
		tw_phcs__add(&phcs, "/dev/ptp6543");
	assert_int_equal(said.n, TW_PHC_MAX + 1);
	assert_non_null(strstr(said.last, "only 8 PTP hardware clocks are read"));
	tw_phcs__text(&phcs, text);
	assert_in_range(strlen(text), 200, TW_PHCS_TEXT - 1);
	assert_string_equal(text + strlen(text) - strlen("there is none"), "there is none"); /* only whole entries */
	tw_phcs__fini(&phcs);
}

/* Takes a sample, as a producer does once a second while ptp4l uses the clock. Return: number of readings; PHCS must be @text */
static unsigned int sample(struct tw_phcs *phcs, const char *text)
{
	struct tw_clock_view view = { .valid = 1u << TW_CLOCK_TRACE };
	char is[TW_PHCS_TEXT];

	tw_phcs__set_synced(phcs, card.err == -ENODEV ? -1 : card.index, 100);
	tw_phcs__sample(phcs, CLOCK_MONOTONIC, &view);
	tw_phcs__text(phcs, is);
	assert_string_equal(is, text);
	if (view.n_phcs) {
		assert_int_equal(view.phcs[0].index, card.index);
		assert_int_equal(view.phcs[0].sync_ns, 100);
	}
	return view.n_phcs;
}

static void unload(void)
{
	card.driver++;
	card.err = -ENODEV;
}

/* The driver of a card is loaded again: the clock that ptp4l uses is read again, also if it has another number then. */
static void test_driver_reload(void **state)
{
	struct said said = { 0 };
	struct tw_phcs phcs;

	(void)state;
	card.on = true;
	tw_phcs__init(&phcs, hear, &said);
	assert_int_equal(sample(&phcs, "0 eth0"), 1);
	unload();
	assert_int_equal(sample(&phcs, "0 eth0: gone"), 0);
	assert_int_equal(card.opened, 0);
	assert_string_equal(
		said.last,
		"the PTP hardware clock /dev/ptp0 is gone: the stream has no readings of it until it is back");
	assert_int_equal(sample(&phcs, "0 eth0: gone"), 0);
	card.err = 0;
	assert_int_equal(sample(&phcs, "0 eth0"), 1);
	unload();
	assert_int_equal(sample(&phcs, "0 eth0: gone"), 0);
	card.err = 0;
	card.index = 3;
	assert_int_equal(sample(&phcs, "3 eth0"), 1);
	assert_int_equal(card.opened, 1);
	assert_int_equal(said.n, 2);
	/* The driver is loaded again between two samples. */
	card.driver++;
	assert_int_equal(sample(&phcs, "3 eth0: gone"), 0);
	assert_int_equal(sample(&phcs, "3 eth0"), 1);
	tw_phcs__fini(&phcs);
	assert_int_equal(card.opened, 0);
	memset(&card, 0, sizeof(card));
}

/* A clock that the user named, and of which ptp4l knows nothing. */
static void test_named_clock_is_back(void **state)
{
	static const char *const names[] = { "eth0", "ptp0" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct tw_clock_view view = { .valid = 1u << TW_CLOCK_TRACE };
		struct tw_phcs phcs;

		card.on = true;
		tw_phcs__init(&phcs, NULL, NULL);
		tw_phcs__add(&phcs, names[i]);
		unload();
		tw_phcs__sample(&phcs, CLOCK_MONOTONIC, &view);
		assert_int_equal(view.n_phcs, 0);
		card.err = 0;
		tw_phcs__sample(&phcs, CLOCK_MONOTONIC, &view);
		assert_int_equal(view.n_phcs, 1);
		tw_phcs__fini(&phcs);
		memset(&card, 0, sizeof(card));
	}
}

/* Reading fails for a while, as while a driver resets its card: the sentence says why, and that it is tried again. */
static void test_failure_for_a_while(void **state)
{
	struct said said = { 0 };
	struct tw_phcs phcs;

	(void)state;
	card.on = true;
	tw_phcs__init(&phcs, hear, &said);
	card.err = -EBUSY;
	assert_int_equal(sample(&phcs, "0 eth0: not readable"), 0);
	assert_int_equal(sample(&phcs, "0 eth0: not readable"), 0);
	assert_int_equal(said.n, 1);
	assert_string_equal(
		said.last,
		"the PTP hardware clock /dev/ptp0 cannot be read: Device or resource busy; the stream has no "
		"readings of it until it can");
	assert_int_equal(card.opened, 1);
	card.err = 0;
	assert_int_equal(sample(&phcs, "0 eth0"), 1);
	tw_phcs__fini(&phcs);
	memset(&card, 0, sizeof(card));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_no_clocks),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_driver_reload),
		cmocka_unit_test(test_named_clock_is_back),
		cmocka_unit_test(test_failure_for_a_while),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
