/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rule by which --max-cpu changes the number of messages that have socket events. */
#include "producer/sockets/thinning.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "producer/sockets/record.h"

#define LIMIT 1000

static void thins_at_once(void **state)
{
	struct tw_thinning_rule rule = { .base = 3 };

	(void)state;
	assert_false(tw_thinning_rule__update(&rule, LIMIT, LIMIT));
	assert_int_equal(tw_thinning_rule__sample(&rule), 3);
	assert_true(tw_thinning_rule__update(&rule, LIMIT + 1, LIMIT));
	assert_int_equal(tw_thinning_rule__sample(&rule), 6);
	assert_true(tw_thinning_rule__update(&rule, 4 * LIMIT, LIMIT));
	assert_int_equal(tw_thinning_rule__sample(&rule), 24);
	assert_true(tw_thinning_rule__update(&rule, 1000 * LIMIT, LIMIT)); /* at most three steps */
	assert_int_equal(tw_thinning_rule__sample(&rule), 192);
}

static void has_an_end(void **state)
{
	struct tw_thinning_rule low = { .base = 1 }, high = { .base = TW_SOCKTS_SAMPLE_MAX };

	(void)state;
	while (tw_thinning_rule__update(&low, 2 * LIMIT, LIMIT))
		;
	assert_true(tw_thinning_rule__is_at_end(&low));
	assert_int_equal(tw_thinning_rule__sample(&low), 1 << TW_THINNING_SHIFT_MAX);
	assert_false(tw_thinning_rule__update(&high, 2 * LIMIT, LIMIT)); /* the field has 16 bits */
	assert_int_equal(tw_thinning_rule__sample(&high), TW_SOCKTS_SAMPLE_MAX);
}

static void goes_back_slowly(void **state)
{
	struct tw_thinning_rule rule = { .base = 1, .shift = 2 };

	(void)state;
	for (int i = 0; i < 100; i++) /* doubled, the cost could be above the limit */
		assert_false(tw_thinning_rule__update(&rule, LIMIT / 2, LIMIT));
	for (int i = 1; i < TW_THINNING_LOW_INTERVALS; i++)
		assert_false(tw_thinning_rule__update(&rule, LIMIT / 8, LIMIT));
	assert_false(tw_thinning_rule__update(&rule, LIMIT / 2, LIMIT)); /* the count begins anew */
	for (int i = 1; i < TW_THINNING_LOW_INTERVALS; i++)
		assert_false(tw_thinning_rule__update(&rule, LIMIT / 8, LIMIT));
	assert_true(tw_thinning_rule__update(&rule, LIMIT / 8, LIMIT));
	assert_int_equal(tw_thinning_rule__sample(&rule), 2);
	for (int i = 0; i < 100; i++)
		tw_thinning_rule__update(&rule, 0, LIMIT);
	assert_int_equal(tw_thinning_rule__sample(&rule), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thins_at_once),
		cmocka_unit_test(has_an_end),
		cmocka_unit_test(goes_back_slowly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
