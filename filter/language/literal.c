/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/language/literal.h"

#include <arpa/inet.h>
#include <string.h>

#define NS_PER_SECOND 1000000000ull

/* All of @text are digits of that base. */
static enum tw_literal_status take_digits(const char *text, unsigned int base, uint64_t *ret)
{
	uint64_t value = 0;

	if (!*text)
		return TW_LITERAL_OTHER;
	for (const char *c = text; *c; c++) {
		if ((unsigned int)tw_digit_of(*c) >= base)
			return TW_LITERAL_OTHER;
	}
	for (; *text; text++) {
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)tw_digit_of(*text), &value))
			return TW_LITERAL_LARGE;
	}
	*ret = value;
	return TW_LITERAL_OK;
}

static enum tw_literal_status take_magnitude(const char *text, uint64_t *ret)
{
	if (text[0] == '0' && (text[1] | 0x20) == 'x')
		return take_digits(text + 2, 16, ret);
	if (text[0] == '0' && (text[1] | 0x20) == 'b')
		return take_digits(text + 2, 2, ret);
	if (text[0] == '0' && (text[1] | 0x20) == 'o')
		return take_digits(text + 2, 8, ret);
	if (text[0] == '0' && text[1])
		return take_digits(text + 1, 8, ret);
	return take_digits(text, 10, ret);
}

enum tw_literal_status tw_literal__integer(const struct tw_literal *literal, struct tw_integer *ret)
{
	const char *text = literal->text;
	const bool negative = text[0] == '-';
	enum tw_literal_status status;
	uint64_t magnitude;

	if (literal->quote) {
		if (literal->quote != '\'' || literal->len != 1)
			return TW_LITERAL_OTHER;
		*ret = (struct tw_integer){ .magnitude = (uint8_t)text[0] };
		return TW_LITERAL_OK;
	}
	if (!strcmp(text, "true") || !strcmp(text, "false")) {
		*ret = (struct tw_integer){ .magnitude = text[0] == 't' };
		return TW_LITERAL_OK;
	}
	status = take_magnitude(text + (negative || text[0] == '+'), &magnitude);
	if (status)
		return status;
	if (negative && magnitude > (uint64_t)INT64_MAX + 1)
		return TW_LITERAL_LARGE;
	*ret = (struct tw_integer){ .magnitude = magnitude, .negative = negative && magnitude };
	return TW_LITERAL_OK;
}

enum tw_literal_status tw_literal__seconds(const struct tw_literal *literal, uint64_t *ret)
{
	const char *point = strchr(literal->text, '.');
	char whole[24];
	uint64_t seconds, ns = 0;
	enum tw_literal_status status;
	const size_t len = point ? (size_t)(point - literal->text) : literal->len;

	if (literal->quote || len >= sizeof(whole))
		return literal->quote ? TW_LITERAL_OTHER : TW_LITERAL_LARGE;
	memcpy(whole, literal->text, len);
	whole[len] = '\0';
	status = take_digits(whole, 10, &seconds);
	if (status)
		return status;
	if (point) {
		const size_t decimals = strlen(point + 1);

		if (decimals > 9)
			return TW_LITERAL_LARGE;
		status = take_digits(point + 1, 10, &ns);
		if (status)
			return status;
		for (size_t i = decimals; i < 9; i++)
			ns *= 10;
	}
	if (__builtin_mul_overflow(seconds, NS_PER_SECOND, &seconds) || __builtin_add_overflow(seconds, ns, ret))
		return TW_LITERAL_LARGE;
	return TW_LITERAL_OK;
}

size_t tw_literal__bytes(const struct tw_literal *literal, uint8_t *ret)
{
	const char *text = literal->text;
	const char separator = literal->len > 2 ? text[2] : ':';
	size_t n = 0;

	if (literal->quote || (separator != ':' && separator != '-' && separator != '.'))
		return 0;
	while (n < TW_LITERAL_BYTES_MAX) {
		const int high = tw_digit_of(text[0]), low = high < 16 ? tw_digit_of(text[1]) : 16;

		if (high >= 16 || low >= 16)
			return 0;
		ret[n++] = (uint8_t)(high << 4 | low);
		if (!text[2])
			return n;
		if (text[2] != separator)
			return 0;
		text += 3;
	}
	return 0;
}

bool tw_literal__address(const struct tw_literal *literal, size_t size, uint8_t *ret, uint8_t *ret_prefix)
{
	char address[INET6_ADDRSTRLEN];
	const char *slash = strchr(literal->text, '/');
	const size_t len = slash ? (size_t)(slash - literal->text) : literal->len;
	uint64_t prefix = 0;

	if (len >= sizeof(address) || strlen(literal->text) != literal->len)
		return false;
	memcpy(address, literal->text, len);
	address[len] = '\0';
	if (inet_pton(size == 4 ? AF_INET : AF_INET6, address, ret) != 1)
		return false;
	if (slash && (take_digits(slash + 1, 10, &prefix) || !prefix || prefix > size * 8))
		return false;
	*ret_prefix = prefix == size * 8 ? 0 : (uint8_t)prefix;
	return true;
}
