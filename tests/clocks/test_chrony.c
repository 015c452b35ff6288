/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers of chronyd, as chrony 4.3 encodes them, and malformed ones. tests/clocks/sync.sh has answers of a running chronyd. */
#include "clocks/chrony.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"

#define LENGTH   104
#define SEQUENCE 0x12345678

/* Return: a number in chrony's format: @coefficient * 2^(@exponent - 25) */
static uint32_t number(int32_t exponent, int32_t coefficient)
{
	return (uint32_t)exponent << 25 | ((uint32_t)coefficient & 0x1ffffff);
}

/* An answer: offset -2^-10 s, root delay 2^-9 s, root dispersion 3 * 2^-11 s. The bound is 3.41796875 ms. */
static void answer(uint8_t m[LENGTH])
{
	memset(m, 0, LENGTH);
	m[0] = 6;
	m[1] = 2;
	tw_store_be16(m + 4, 33);
	tw_store_be16(m + 6, 5);
	tw_store_be32(m + 16, SEQUENCE);
	tw_store_be32(m + 28, 0xc0000202);
	tw_store_be16(m + 48, 1);
	tw_store_be16(m + 52, 3);
	tw_store_be32(m + 68, number(-8, -(1 << 23)));
	tw_store_be32(m + 92, number(-7, 1 << 23));
	tw_store_be32(m + 96, number(-7, 3 << 21));
}

static void test_bound(void **state)
{
	struct tw_chrony_status status;
	uint8_t m[LENGTH];

	(void)state;
	answer(m);
	assert_true(tw_chrony__parse(m, LENGTH, SEQUENCE, &status));
	assert_true(status.synchronised);
	assert_false(status.is_local);
	assert_int_equal(status.stratum, 3);
	assert_string_equal(status.refclock, "");
	assert_in_range(status.error_ns, 3417968, 3417971);
}

static void test_states(void **state)
{
	struct tw_chrony_status status;
	uint8_t m[LENGTH];

	(void)state;
	answer(m);
	tw_store_be16(m + 54, 3);
	assert_true(tw_chrony__parse(m, LENGTH, SEQUENCE, &status));
	assert_false(status.synchronised);
	answer(m);
	tw_store_be32(m + 28, 0x7f7f0101);
	assert_true(tw_chrony__parse(m, LENGTH, SEQUENCE, &status));
	assert_true(status.is_local);
	/* a reference clock: its name has no address */
	answer(m);
	tw_store_be16(m + 48, 0);
	memcpy(m + 28, "PPS\0", 4);
	assert_true(tw_chrony__parse(m, LENGTH, SEQUENCE, &status));
	assert_string_equal(status.refclock, "PPS");
	memcpy(m + 28, "\033[1m", 4);
	assert_true(tw_chrony__parse(m, LENGTH, SEQUENCE, &status));
	assert_string_equal(status.refclock, "");
}

/* Extreme numbers: the bound is unknown rather than small. */
static void test_extremes(void **state)
{
	static const size_t at[] = { 68, 92, 96 };
	struct tw_chrony_status status;
	uint8_t m[LENGTH];

	(void)state;
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		answer(m);
		tw_store_be32(m + at[i], number(63, -(1 << 24)));
		assert_true(tw_chrony__parse(m, LENGTH, SEQUENCE, &status));
		assert_true(status.error_ns == UINT64_MAX);
		tw_store_be32(m + at[i], number(-64, 1));
		assert_true(tw_chrony__parse(m, LENGTH, SEQUENCE, &status));
		assert_in_range(status.error_ns, 1, 3417971);
	}
}

/* Answers to other requests, of other versions, errors, and truncated answers */
static void test_refused(void **state)
{
	static const struct {
		size_t at;
		uint8_t byte;
	} changes[] = { { 0, 5 }, { 1, 1 }, { 5, 34 }, { 7, 4 }, { 9, 1 }, { 19, 0 } };
	struct tw_chrony_status status = { .stratum = 77 };
	uint8_t m[LENGTH];

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		answer(m);
		m[changes[i].at] = changes[i].byte;
		assert_false(tw_chrony__parse(m, LENGTH, SEQUENCE, &status));
	}
	answer(m);
	for (size_t len = 0; len < LENGTH; len++)
		assert_false(tw_chrony__parse(m, len, SEQUENCE, &status));
	assert_int_equal(status.stratum, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
