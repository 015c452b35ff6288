/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PTP hardware clocks that do not exist: each is said once, in one sentence, and in PHCS. tests/vm/clocks.sh has clocks that exist. */
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
	assert_string_equal(said.last, "the interface lo has no PTP hardware clock; `ethtool -T lo` shows what it has");
	tw_phcs__add(&phcs, "tw-none");
	assert_string_equal(said.last, "there is no interface 'tw-none'; `ip link` lists all");
	tw_phcs__add(&phcs, "/dev/ptp6543");
	assert_string_equal(said.last, "there is no PTP hardware clock /dev/ptp6543; `ls /dev/ptp*` lists all");
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_no_clocks),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
