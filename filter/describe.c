/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/describe.h"

#include "filter/bind/name.h"

const char *tw_test_op__text(uint8_t op)
{
	static const char *const texts[] = {
		[TW_TEST_EXISTS] = "",
		[TW_TEST_EQ] = "==",
		[TW_TEST_NE] = "!=",
		[TW_TEST_LT] = "<",
		[TW_TEST_LE] = "<=",
		[TW_TEST_GT] = ">",
		[TW_TEST_GE] = ">=",
		[TW_TEST_WITHIN] = "in",
		[TW_TEST_CONTAINS] = "contains",
		[TW_TEST_MATCHES] = "matches",
		[TW_TEST_GLOB] = "~",
	};

	return texts[op];
}

void tw_line__quoted(struct tw_line *line, const void *text, size_t len, bool ascii)
{
	const uint8_t *at = text;

	tw_line__char(line, '"');
	for (size_t i = 0; i < len; i++) {
		if (at[i] < ' ' || at[i] == 0x7f || (ascii && at[i] > 0x7f)) {
			tw_line__str(line, "\\x");
			tw_line__hex_byte(line, at[i]);
			continue;
		}
		if (at[i] == '"' || at[i] == '\\')
			tw_line__char(line, '\\');
		tw_line__char(line, (char)at[i]);
	}
	tw_line__char(line, '"');
}

void tw_line__hex_bytes(struct tw_line *line, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (i)
			tw_line__char(line, ':');
		tw_line__hex_byte(line, bytes[i]);
	}
}

/* Whether bytes are written as an IP address: the field is an IP address, or only the field's leading bits are compared (10.0.0.0/8). */
static bool is_address(const struct tw_test *test, size_t len)
{
	const enum tw_address address = tw_field__address(test->field);

	return test->prefix || (address == TW_ADDRESS_IPV4 && len == 4) || (address == TW_ADDRESS_IPV6 && len == 16);
}

static void put_number(const struct tw_test *test, uint64_t number, struct tw_line *line)
{
	if (test->operand == TW_ON_TIME) {
		tw_line__seconds(line, number);
	} else if (test->is_signed) {
		tw_line__i64(line, (int64_t)number);
	} else if (test->has_mask || (test->field && test->field->kind == TW_FIELD_POINTER)) {
		tw_line__str(line, "0x");
		tw_line__hex(line, number);
	} else {
		tw_line__u64(line, number);
	}
}

static void put_value(const struct tw_test *test, bool high, struct tw_line *line)
{
	const uint8_t *bytes = high ? test->high_bytes : test->bytes;
	const size_t len = high ? test->high_len : test->len;

	if (test->compared == TW_AS_NUMBER)
		put_number(test, high ? test->high : test->low, line);
	else if (test->compared == TW_AS_TEXT)
		tw_line__quoted(line, bytes, len, true);
	else if (test->op != TW_TEST_CONTAINS && is_address(test, len))
		tw_address__put(line, bytes, len);
	else
		tw_line__hex_bytes(line, bytes, len);
	if (test->prefix) {
		tw_line__char(line, '/');
		tw_line__u64(line, test->prefix);
	}
}

void tw_test__describe(const struct tw_test *test, struct tw_line *line)
{
	tw_line__str(line, test->field && tw_filter_name__is_key(test->field->name) ? "any." : "");
	tw_line__str(line, test->field ? test->field->name : tw_operand__info(test->operand)->name);
	if (test->has_mask) {
		tw_line__str(line, " & 0x");
		tw_line__hex(line, test->mask);
		if (test->op == TW_TEST_NE && !test->low)
			return;
	}
	if (test->op == TW_TEST_EXISTS)
		return;
	tw_line__char(line, ' ');
	tw_line__str(line, tw_test_op__text(test->op));
	tw_line__str(line, test->op == TW_TEST_WITHIN ? " {" : " ");
	put_value(test, false, line);
	if (test->op != TW_TEST_WITHIN)
		return;
	tw_line__str(line, "..");
	put_value(test, true, line);
	tw_line__char(line, '}');
}
