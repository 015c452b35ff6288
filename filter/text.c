/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/text.h"

#include <string.h>

#include "filter/glob.h"
#include "filter/pattern.h"

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
