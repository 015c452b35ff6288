/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/evaluate/range.h"

static struct tw_range everything(void)
{
	return (struct tw_range){ .mask = UINT64_MAX, .span = UINT64_MAX };
}

static struct tw_range nothing(void)
{
	struct tw_range range = everything();

	range.is_outside = true;
	return range;
}

static bool is_less(bool is_signed, uint64_t a, uint64_t b)
{
	return is_signed ? (int64_t)a < (int64_t)b : a < b;
}

/* Ends included. */
static struct tw_range between(bool is_signed, uint64_t low, uint64_t high)
{
	struct tw_range range = everything();

	if (is_less(is_signed, high, low))
		return nothing();
	range.low = low;
	range.span = high - low;
	return range;
}

static struct tw_range compared(const struct tw_test *test, bool is_signed)
{
	const uint64_t least = is_signed ? (uint64_t)INT64_MIN : 0;
	const uint64_t most = is_signed ? (uint64_t)INT64_MAX : UINT64_MAX;
	struct tw_range range;

	switch (test->op) {
	case TW_TEST_EQ:
		return between(is_signed, test->low, test->low);
	case TW_TEST_NE:
		range = between(is_signed, test->low, test->low);
		range.is_outside = true;
		return range;
	case TW_TEST_LT:
		return test->low == least ? nothing() : between(is_signed, least, test->low - 1);
	case TW_TEST_LE:
		return between(is_signed, least, test->low);
	case TW_TEST_GT:
		return test->low == most ? nothing() : between(is_signed, test->low + 1, most);
	case TW_TEST_GE:
		return between(is_signed, test->low, most);
	case TW_TEST_WITHIN:
		return between(is_signed, test->low, test->high);
	default: /* EXISTS */
		return everything();
	}
}

struct tw_range tw_range__of(const struct tw_test *test, uint32_t size)
{
	struct tw_range range = compared(test, test->is_signed && !test->has_mask);

	if (test->has_mask)
		range.mask = test->mask & (UINT64_MAX >> (64 - 8 * size));
	return range;
}
