/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/compare.h"

#include <string.h>

#include "filter/glob.h"
#include "filter/pattern.h"

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

int tw_bytes__compare(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
	const size_t len = a_len < b_len ? a_len : b_len;
	const int order = len ? memcmp(a, b, len) : 0;

	return order ? order : (a_len > b_len) - (a_len < b_len);
}

static bool equal_bits(const uint8_t *a, const uint8_t *b, unsigned int bits)
{
	const unsigned int whole = bits / 8, rest = bits % 8;

	if (memcmp(a, b, whole) != 0)
		return false;
	return !rest || !((a[whole] ^ b[whole]) >> (8 - rest));
}

static bool is_equal(const struct tw_test *test, const uint8_t *bytes, size_t len)
{
	if (len != test->len)
		return false;
	if (test->prefix)
		return equal_bits(bytes, test->bytes, test->prefix);
	return !len || !memcmp(bytes, test->bytes, len);
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
