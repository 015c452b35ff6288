/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/text.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#define MATCH_LIMIT 100000 /* steps of one match, so that no text takes longer than that */
#define HEAP_LIMIT  1024   /* KiB */

/* One member of the pattern against one character. */
static bool fits_one(const uint8_t *pattern, size_t len, uint8_t c, size_t *ret_used)
{
	const bool inverted = len > 2 && pattern[1] == '!';
	size_t at = inverted ? 2 : 1;
	bool found = false;

	*ret_used = 1;
	if (pattern[0] == '?')
		return true;
	if (pattern[0] == '\\' && len > 1) {
		*ret_used = 2;
		return pattern[1] == c;
	}
	if (pattern[0] != '[')
		return pattern[0] == c;
	/* The first of a class may be its end; a class that never ends is a bracket. */
	do {
		uint8_t low, high;

		if (at >= len)
			return c == '[';
		low = high = pattern[at++];
		if (at + 1 < len && pattern[at] == '-' && pattern[at + 1] != ']') {
			high = pattern[at + 1];
			at += 2;
		}
		found |= low <= c && c <= high;
	} while (at >= len || pattern[at] != ']');
	*ret_used = at + 1;
	return found != inverted;
}

/* As the kernel's glob_match(): a star takes as little as it can, and only the last one is ever tried again. */
bool tw_glob__matches(const uint8_t *pattern, size_t pattern_len, const uint8_t *text, size_t len)
{
	size_t p = 0, t = 0, star = SIZE_MAX, star_text = 0, used;

	while (t < len) {
		if (p < pattern_len && pattern[p] == '*') {
			star = ++p;
			star_text = t;
		} else if (p < pattern_len && fits_one(pattern + p, pattern_len - p, text[t], &used)) {
			p += used;
			t++;
		} else if (star != SIZE_MAX) {
			p = star;
			t = ++star_text;
		} else {
			return false;
		}
	}
	while (p < pattern_len && pattern[p] == '*')
		p++;
	return p == pattern_len;
}

/* As Wireshark: bytes, not characters; upper and lower case are the same. */
void *tw_pattern__new(const struct tw_literal *literal, size_t *ret_at, char *why)
{
	pcre2_code *code;
	int error;

	code = pcre2_compile((PCRE2_SPTR)literal->text, literal->len, PCRE2_CASELESS | PCRE2_NEVER_UTF, &error, ret_at,
			     NULL);
	if (!code)
		pcre2_get_error_message(error, (PCRE2_UCHAR *)why, 256);
	return code;
}

void tw_pattern__free(void *pattern)
{
	pcre2_code_free(pattern);
}

/* Of the thread: what a match needs besides its pattern. */
static _Thread_local pcre2_match_data *match_data;
static _Thread_local pcre2_match_context *match_context;

static bool prepare_match(void)
{
	if (match_data)
		return true;
	match_context = pcre2_match_context_create(NULL);
	if (!match_context)
		return false;
	pcre2_set_match_limit(match_context, MATCH_LIMIT);
	pcre2_set_heap_limit(match_context, HEAP_LIMIT);
	match_data = pcre2_match_data_create(1, NULL);
	return match_data != NULL;
}

static bool matches(const struct tw_test *test, const uint8_t *bytes, size_t len)
{
	return prepare_match() && pcre2_match(test->pattern, bytes, len, 0, 0, match_data, match_context) >= 0;
}

static int compare(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
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
		return compare(bytes, len, test->bytes, test->len) < 0;
	case TW_TEST_LE:
		return compare(bytes, len, test->bytes, test->len) <= 0;
	case TW_TEST_GT:
		return compare(bytes, len, test->bytes, test->len) > 0;
	case TW_TEST_GE:
		return compare(bytes, len, test->bytes, test->len) >= 0;
	case TW_TEST_WITHIN:
		return compare(bytes, len, test->bytes, test->len) >= 0 &&
		       compare(bytes, len, test->high_bytes, test->high_len) <= 0;
	case TW_TEST_CONTAINS:
		return !test->len || (len && memmem(bytes, len, test->bytes, test->len));
	case TW_TEST_MATCHES:
		return matches(test, bytes, len);
	case TW_TEST_GLOB:
		return tw_glob__matches(test->bytes, test->len, bytes, len);
	default:
		return false;
	}
}
