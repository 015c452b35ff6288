/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/compare.h"

#include <string.h>

#include "filter/glob.h"
#include "filter/pattern.h"

bool tw_test__ends(const struct tw_test *test, bool is_signed, uint64_t least, uint64_t most, uint64_t *ret_low,
		   uint64_t *ret_high)
{
	*ret_low = least;
	*ret_high = most;
	switch (test->op) {
	case TW_TEST_LT:
		*ret_high = test->low - 1;
		return test->low != least;
	case TW_TEST_LE:
		*ret_high = test->low;
		return true;
	case TW_TEST_GT:
		*ret_low = test->low + 1;
		return test->low != most;
	case TW_TEST_GE:
		*ret_low = test->low;
		return true;
	case TW_TEST_EXISTS:
		return true;
	case TW_TEST_WITHIN:
		*ret_low = test->low;
		*ret_high = test->high;
		return is_signed ? (int64_t)test->low <= (int64_t)test->high : test->low <= test->high;
	default: /* EQ, NE */
		*ret_low = *ret_high = test->low;
		return true;
	}
}

struct tw_range tw_range__of(const struct tw_test *test, uint32_t size)
{
	const bool is_signed = test->is_signed && !test->has_mask;
	struct tw_range range = { .mask = UINT64_MAX, .is_outside = test->op == TW_TEST_NE };
	uint64_t high;

	if (!tw_test__ends(test, is_signed, is_signed ? (uint64_t)INT64_MIN : 0,
			   is_signed ? (uint64_t)INT64_MAX : UINT64_MAX, &range.low, &high)) {
		range.low = 0;
		high = UINT64_MAX;
		range.is_outside = true; /* never true: no number is outside of this range */
	}
	range.span = high - range.low;
	if (test->has_mask)
		range.mask = test->mask & tw_number__mask(size);
	return range;
}

size_t tw_test__prefix(const struct tw_test *test, bool *ret_whole)
{
	struct tw_glob_shape glob;

	*ret_whole = test->op != TW_TEST_GLOB;
	if (*ret_whole)
		return test->len;
	glob = tw_glob_shape__of(test->bytes, test->len);
	*ret_whole = !glob.leading && !glob.trailing;
	return glob.body_len;
}

int tw_bytes__compare(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
	const size_t len = a_len < b_len ? a_len : b_len;
	const int order = len ? memcmp(a, b, len) : 0;

	return order ? order : (a_len > b_len) - (a_len < b_len);
}

static bool is_equal(const struct tw_test *test, const uint8_t *bytes, size_t len)
{
	if (len != test->len)
		return false;
	if (!test->prefix)
		return !len || !memcmp(bytes, test->bytes, len);
	for (size_t i = 0; i < len; i++)
		if ((bytes[i] ^ test->bytes[i]) & tw_prefix__mask(test->prefix, i))
			return false;
	return true;
}

bool tw_test__bytes(const struct tw_test *test, const uint8_t *bytes, size_t len)
{
	switch (test->op) {
	case TW_TEST_EXISTS:
		return true;
	case TW_TEST_EQ:
		return is_equal(test, bytes, len);
	case TW_TEST_NE:
		return !is_equal(test, bytes, len);
	case TW_TEST_LT:
		return tw_bytes__compare(bytes, len, test->bytes, test->len) < 0;
	case TW_TEST_LE:
		return tw_bytes__compare(bytes, len, test->bytes, test->len) <= 0;
	case TW_TEST_GT:
		return tw_bytes__compare(bytes, len, test->bytes, test->len) > 0;
	case TW_TEST_GE:
		return tw_bytes__compare(bytes, len, test->bytes, test->len) >= 0;
	case TW_TEST_WITHIN:
		return tw_bytes__compare(bytes, len, test->bytes, test->len) >= 0 &&
		       tw_bytes__compare(bytes, len, test->high_bytes, test->high_len) <= 0;
	case TW_TEST_CONTAINS:
		return !test->len || (len && memmem(bytes, len, test->bytes, test->len));
	case TW_TEST_MATCHES:
		return tw_pattern__finds(test->pattern, bytes, len);
	case TW_TEST_GLOB:
		return tw_glob__matches(test->bytes, test->len, bytes, len);
	default:
		return false;
	}
}
