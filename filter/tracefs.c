/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel's parser takes (kernel/trace/trace_events_filter.c, looked at from 6.1 to 6.18): == != < <= > >= and & on
 * integers of a record, where `a & m` asks for any bit of m; texts in quotes without escapes; && || !() and parentheses. A record
 * has all of its fixed fields, so != is the opposite of == there.
 */
#include "filter/tracefs.h"

#include <ctype.h>
#include <errno.h>

#include "base/bytes.h"
#include "filter/expression.h"
#include "filter/tracefs_text.h"

/* A number as the kernel knows it. */
struct number {
	const char *name;
	uint32_t size;
	bool is_signed;
};

static bool is_integer_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool is_name(const char *name)
{
	while (isalnum((unsigned char)*name) || *name == '_')
		name++;
	return !*name;
}

/* What the kernel takes for text: it compares that with nothing else. */
static bool is_kernel_text(const char *type)
{
	return !strcmp(type, "char *") || !strcmp(type, "const char *") || (strchr(type, '[') && strstr(type, "char"));
}

static const char *refuses_field(const struct tw_field *field)
{
	if (!is_name(field->name))
		return "its name has characters that the kernel's filters do not take";
	if (field->place != TW_PLACE_FIXED || !is_integer_size(field->size) || strstr(field->type, "_loc "))
		return "the kernel's filters compare single integers of a record";
	if (is_kernel_text(field->type))
		return "it is text to the kernel's filters, or points to it";
	return NULL;
}

static bool is_order(const struct tw_test *test)
{
	return test->op != TW_TEST_EQ && test->op != TW_TEST_NE;
}

static const char *refuses_number(const struct tw_test *test)
{
	const struct tw_field *field = test->field;

	if (test->has_mask && is_order(test))
		return "the kernel's filters know no order behind a mask";
	if (test->operand == TW_ON_CPU && test->has_mask)
		return "the kernel's filters take no mask for the CPU";
	if (test->operand != TW_ON_FIELD)
		return NULL;
	if (field->kind == TW_FIELD_ARRAY)
		return "it is an array";
	if (field->is_signed && (field->kind == TW_FIELD_POINTER || field->kind == TW_FIELD_BOOL))
		return "the kernel's filters compare it with a sign";
	return refuses_field(field);
}

/* A few bytes are an integer to the kernel: good for equality. */
static const char *refuses_bytes(const struct tw_test *test)
{
	if (is_order(test))
		return "the kernel's filters compare bytes for equality only";
	return refuses_field(test->field);
}

const char *tw_tracefs__refuses(const struct tw_test *test)
{
	if (test->operand == TW_ON_TIME)
		return "the kernel's filters do not know the time";
	if (test->operand == TW_ON_HOST)
		return "the kernel's filters do not know the host's name";
	if (tw_test__asks_for_elements(test))
		return "the kernel's filters do not ask how long an array is";
	if (test->operand == TW_ON_FIELD && test->op == TW_TEST_EXISTS)
		return NULL;
	switch (test->compared) {
	case TW_AS_NUMBER:
		return refuses_number(test);
	case TW_AS_BYTES:
		return refuses_bytes(test);
	default:
		return tw_tracefs_text__refuses(test);
	}
}

static struct number number_of(const struct tw_test *test)
{
	switch (test->operand) {
	case TW_ON_PID:
		return (struct number){ "common_pid", 4, true };
	case TW_ON_CPU:
		return (struct number){ "CPU", 4, true };
	case TW_ON_FLAGS:
		return (struct number){ "common_flags", 1, false };
	case TW_ON_PREEMPT:
		return (struct number){ "common_preempt_count", 1, false };
	default:
		return (struct number){ test->field->name, test->field->size, test->field->is_signed };
	}
}

/* The bits of a value as the kernel reads numbers for this field: with a sign where it has one. */
static void put_value(struct tw_line *line, const struct number *number, uint64_t bits)
{
	const unsigned int unused = 64 - 8 * number->size;

	if (number->is_signed)
		tw_line__i64(line, (int64_t)(bits << unused) >> unused);
	else
		tw_line__u64(line, bits << unused >> unused);
}

static void put_comparison(struct tw_line *line, const struct number *number, const char *op, uint64_t value)
{
	tw_line__str(line, number->name);
	tw_line__str(line, op);
	put_value(line, number, value);
}

/* (it & mask) == value: no bit that has to be 0, and each that has to be 1. Return: how many comparisons that took */
static unsigned int put_equal_bits(struct tw_line *line, const struct number *number, uint64_t mask, uint64_t value)
{
	unsigned int n = 0;

	if (mask & ~value) {
		tw_line__str(line, "!(");
		put_comparison(line, number, " & ", mask & ~value);
		tw_line__char(line, ')');
		n++;
	}
	for (uint64_t left = mask & value; left; left &= left - 1, n++) {
		if (n)
			tw_line__str(line, " && ");
		put_comparison(line, number, " & ", left & -left);
	}
	return n;
}

static bool put_certain(struct tw_line *line, bool is_true)
{
	tw_line__str(line, is_true ? TW_TRACEFS_TRUE : TW_TRACEFS_FALSE);
	return false;
}

/* Return: whether it needs parentheses beside others. */
static bool put_masked(struct tw_line *line, const struct number *number, const struct tw_test *test)
{
	const uint64_t mask = number->size < 8 ? test->mask & ((1ull << 8 * number->size) - 1) : test->mask;
	char *const begin = line->at;
	unsigned int n;

	if (test->low & ~mask)
		return put_certain(line, test->op == TW_TEST_NE);
	if (!mask)
		return put_certain(line, test->op == TW_TEST_EQ);
	if (test->op == TW_TEST_NE && !test->low) {
		put_comparison(line, number, " & ", mask);
		return false;
	}
	n = put_equal_bits(line, number, mask, test->low);
	if (test->op == TW_TEST_EQ)
		return n > 1;
	tw_line__insert(line, begin, "!(");
	tw_line__char(line, ')');
	return false;
}

static bool put_within(struct tw_line *line, const struct number *number, const struct tw_test *test)
{
	put_comparison(line, number, " >= ", test->low);
	tw_line__str(line, " && ");
	put_comparison(line, number, " <= ", test->high);
	return true;
}

static bool put_number(struct tw_line *line, const struct tw_test *test)
{
	static const char *const ops[] = {
		[TW_TEST_EQ] = " == ", [TW_TEST_NE] = " != ", [TW_TEST_LT] = " < ",
		[TW_TEST_LE] = " <= ", [TW_TEST_GT] = " > ",  [TW_TEST_GE] = " >= ",
	};
	const struct number number = number_of(test);

	if (test->has_mask)
		return put_masked(line, &number, test);
	if (test->op == TW_TEST_WITHIN)
		return put_within(line, &number, test);
	put_comparison(line, &number, ops[test->op], test->low);
	return false;
}

/* Bytes as the integer that they are to the kernel. */
static bool put_bytes(struct tw_line *line, const struct tw_test *test)
{
	const struct number number = number_of(test);
	struct tw_test as_number = *test;

	if (test->len != number.size)
		return put_certain(line, test->op == TW_TEST_NE);
	as_number.low = as_number.mask = 0;
	for (uint32_t i = 0; i < number.size; i++) {
		const uint32_t bits = 8 * i, at = 8 * (test->big_endian ? number.size - 1 - i : i);
		const uint32_t wanted = !test->prefix || bits + 8 <= test->prefix ? 8
					: bits < test->prefix                     ? test->prefix - bits
										  : 0;
		const uint8_t mask = (uint8_t)(0xff00 >> wanted);

		as_number.mask |= (uint64_t)mask << at;
		as_number.low |= (uint64_t)(test->bytes[i] & mask) << at;
	}
	as_number.has_mask = test->prefix != 0;
	return put_number(line, &as_number);
}

static bool put_test(const void *ctx, const struct tw_test *test, struct tw_line *line)
{
	(void)ctx;
	if (test->op == TW_TEST_EXISTS)
		return put_certain(line, true);
	switch (test->compared) {
	case TW_AS_NUMBER:
		return put_number(line, test);
	case TW_AS_BYTES:
		return put_bytes(line, test);
	default:
		return tw_tracefs_text__write(test, line);
	}
}

int tw_tracefs__emit(const struct tw_bound *bound, const struct tw_node *root, struct tw_line *line,
		     struct tw_error *err)
{
	static const struct tw_expression_style style = { .and = " && ", .or = " || ", .not = "!", .test = put_test };
	const char *const begin = line->at;
	const int error = tw_bound__check(bound, root, tw_tracefs__refuses, "tracefs", err);

	if (error)
		return error;
	tw_expression__write(&style, root, line);
	if (line->cut || line->at - begin > TW_TRACEFS_FILTER_MAX)
		return tw_error__set(err, -E2BIG, "the kernel takes no filter of more than %d bytes for an event",
				     TW_TRACEFS_FILTER_MAX);
	return 0;
}
