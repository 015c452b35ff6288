/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times of --since and --until: accepted forms and their values, refused forms. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "cli/time_option.h"

#define S      1000000000ull
#define NOW    (1782036900 * S + 5) /* 2026-06-21 10:15:00 UTC */
#define TODAY  1782000000           /* 2026-06-21 00:00:00 UTC */
#define SUMMER "CET-1CEST,M3.5.0,M10.5.0/3"

static void expect(const char *text, int kind, uint64_t ns)
{
	struct tw_report_bound bound = { 0 };
	struct tw_error error = { .text = "" };

	if (time_option__parse("since", text, NOW, &bound, &error))
		fail_msg("'%s' is refused: %s", text, error.text);
	if ((int)bound.kind != kind || bound.ns != ns)
		fail_msg("'%s' is %d, %llu, not %llu", text, (int)bound.kind, (unsigned long long)bound.ns,
			 (unsigned long long)ns);
}

static void use_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

static void test_numbers_are_relative(void **state)
{
	(void)state;
	expect("0", TW_REPORT_BOUND_RELATIVE, 0);
	expect("2", TW_REPORT_BOUND_RELATIVE, 2 * S);
	expect("+2s", TW_REPORT_BOUND_RELATIVE, 2 * S);
	expect("0.5", TW_REPORT_BOUND_RELATIVE, S / 2);
	expect("100ms", TW_REPORT_BOUND_RELATIVE, S / 10);
	expect("1.5us", TW_REPORT_BOUND_RELATIVE, 1500);
	expect("7ns", TW_REPORT_BOUND_RELATIVE, 7);
	expect("2min", TW_REPORT_BOUND_RELATIVE, 120 * S);
	expect("1.5m", TW_REPORT_BOUND_RELATIVE, 90 * S);
	expect("0.999999999h", TW_REPORT_BOUND_RELATIVE, 3600 * S - 3600);
	expect("2400000h", TW_REPORT_BOUND_RELATIVE, 8640000000 * S);
}

static void test_times_of_day(void **state)
{
	const uint64_t today = TODAY * S;

	(void)state;
	use_zone("UTC");
	expect("today", TW_REPORT_BOUND_WALL, today);
	expect("yesterday", TW_REPORT_BOUND_WALL, today - 86400 * S);
	expect("tomorrow", TW_REPORT_BOUND_WALL, today + 86400 * S);
	expect("now", TW_REPORT_BOUND_WALL, NOW);
	expect("20:15", TW_REPORT_BOUND_WALL, today + 72900 * S);
	expect("20:15:01.25", TW_REPORT_BOUND_WALL, today + 72901 * S + S / 4);
	expect("2026-06-20", TW_REPORT_BOUND_WALL, today - 86400 * S);
	expect("2026-06-21 00:00:01", TW_REPORT_BOUND_WALL, today + S);
	expect("2026-06-21T00:00:00.000000001Z", TW_REPORT_BOUND_WALL, today + 1);
	expect("2024-02-29 00:00", TW_REPORT_BOUND_WALL, 1709164800 * S);
	expect("@1700000000.5", TW_REPORT_BOUND_WALL, 1700000000 * S + S / 2);
}

static void test_zones(void **state)
{
	(void)state;
	use_zone(SUMMER);
	expect("2026-06-21", TW_REPORT_BOUND_WALL, (TODAY - 7200) * S);
	expect("2026-06-21 UTC", TW_REPORT_BOUND_WALL, TODAY * S);
	expect("2026-01-01 01:00", TW_REPORT_BOUND_WALL, 1767225600 * S);
	expect("2026-06-21 02:00 UTC", TW_REPORT_BOUND_WALL, (TODAY + 7200) * S);
	expect("today", TW_REPORT_BOUND_WALL, (TODAY - 7200) * S);
	use_zone("XXX-14"); /* in this zone, it is already the next day */
	expect("15:30Z", TW_REPORT_BOUND_WALL, (TODAY + 55800) * S);
	expect("15:30", TW_REPORT_BOUND_WALL, (TODAY + 86400 + 55800 - 50400) * S);
	use_zone(SUMMER);
	/* summer time began on the day before, which had 23 hours */
	expect("2026-03-30", TW_REPORT_BOUND_WALL, 1774821600 * S);
	use_zone("UTC");
}

static void test_others_are_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"x",
		"-1s",
		"--",
		"1x",
		"1 s",
		"5e3",
		"20:1",
		"20:15:",
		"24:00",
		"20:60",
		"20:15:60",
		"2026-02-29",
		"2026-13-01",
		"2026-1",
		"2026-06-21x",
		"2026-06-21 ",
		"2026-06-21 20",
		"@",
		"@x",
		"@1 ",
		"@-1",
		"1969-12-31",
		"99999999999999999999",
		"9000000000",
		"20:15 PM",
		"2026-06-21TZ",
		"18446744073709551615ns",
		"todayx",
		"20:15:1",
	};
	struct tw_report_bound bound;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct tw_error error = { .text = "" };

		if (time_option__parse("until", texts[i], NOW, &bound, &error) != -EINVAL)
			fail_msg("'%s' is accepted", texts[i]);
		assert_non_null(strstr(error.text, "--until '"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_are_relative),
		cmocka_unit_test(test_times_of_day),
		cmocka_unit_test(test_zones),
		cmocka_unit_test(test_others_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
