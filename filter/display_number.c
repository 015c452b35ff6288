/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wireshark 4 compares as the language does: a field that is not there makes a comparison false, == of several values is true for
 * one of them, != for all. What it does not have: the least number of a signed type, which cannot be written; bits behind a mask on a
 * signed type's sign; sets of bits on what is shown as true or false.
 */
#include "filter/display_test.h"
#include "filter/evaluate/range.h"

#define ELEMENTS_MAX 256 /* that the plugin shows of an array */

static bool is_order(const struct tw_test *test)
{
	return test->op >= TW_TEST_LT && test->op <= TW_TEST_WITHIN;
}

static bool is_array(const struct tw_test *test)
{
	return test->field && test->field->kind == TW_FIELD_ARRAY;
}

static bool is_truth(const struct tw_test *test)
{
	return test->field &&
	       (test->field->kind == TW_FIELD_BOOL || (is_array(test) && test->field->elem_kind == TW_FIELD_BOOL));
}

/* Of the numbers that Wireshark has there. */
static bool has_sign(const struct tw_test *test)
{
	if (!test->field)
		return test->operand == TW_ON_PID;
	return test->field->is_signed && test->field->elem_kind != TW_FIELD_POINTER &&
	       test->field->elem_kind != TW_FIELD_BOOL;
}

static uint64_t sign_bit(const struct tw_test *test)
{
	const unsigned int size = test->operand == TW_ON_PID ? 4 : test->field->elem_size;

	return has_sign(test) ? 1ull << (8 * size - 1) : 0;
}

const char *tw_display_number__refuses(const struct tw_test *test)
{
	const struct tw_field *field = test->field;
	const uint64_t sign = field || test->operand == TW_ON_PID ? sign_bit(test) : 0;

	if (is_array(test) &&
	    (field->place != TW_PLACE_FIXED || field->count > ELEMENTS_MAX || !strcmp(field->name, "caller")))
		return "Wireshark may see other elements of it than there are";
	if (field && field->is_signed && !has_sign(test))
		return "Wireshark has no sign there";
	if (is_truth(test) || test->op == TW_TEST_EXISTS)
		return NULL;
	if (test->has_mask && test->mask & sign && (is_order(test) || is_array(test)))
		return "display filters have no mask on the sign of a number";
	if (is_array(test) && test->op == TW_TEST_NE && sign && test->low == -sign)
		return "display filters cannot write this number";
	return NULL;
}

static void put_number(const struct tw_display_writing *w, uint64_t value)
{
	if (has_sign(w->test)) {
		tw_line__i64(w->line, (int64_t)value);
	} else if (w->test->field && w->test->field->elem_kind == TW_FIELD_POINTER) {
		tw_display__put(w, "0x");
		tw_line__hex(w->line, value);
	} else {
		tw_line__u64(w->line, value);
	}
}

static void put_comparison(const struct tw_display_writing *w, const char *op, uint64_t value)
{
	tw_display__put(w, w->name);
	tw_display__put(w, op);
	put_number(w, value);
}

/* By what passes of 0 and 1: Wireshark takes any other value for 1, and no kernel writes one. */
static bool put_truth(const struct tw_display_writing *w)
{
	const struct tw_range range = tw_range__of(w->test, 1);
	const bool no = tw_range__fits(&range, 0), yes = tw_range__fits(&range, 1);

	if (no == yes)
		return tw_display__certain(w, yes);
	tw_display__put(w, w->name);
	tw_display__put(w, w->test->op == TW_TEST_NE ? " != " : " == ");
	tw_line__char(w->line, (w->test->op == TW_TEST_NE) == yes ? '0' : '1');
	return false;
}

/* The comparison with a number that cannot be written, by its neighbour. */
static bool put_least(const struct tw_display_writing *w, uint64_t least)
{
	switch (w->test->op) {
	case TW_TEST_EQ:
	case TW_TEST_LE:
		put_comparison(w, " < ", least + 1);
		return false;
	case TW_TEST_NE:
	case TW_TEST_GT:
		put_comparison(w, " >= ", least + 1);
		return false;
	case TW_TEST_WITHIN:
		if (w->test->high == least)
			put_comparison(w, " < ", least + 1);
		else
			put_comparison(w, " <= ", w->test->high);
		return false;
	default:
		return tw_display__certain(w, w->test->op == TW_TEST_GE);
	}
}

static void put_masked(const struct tw_display_writing *w, uint64_t mask)
{
	const struct tw_test *test = w->test;

	tw_display__put(w, w->name);
	tw_display__put(w, " & ");
	put_number(w, mask);
	if (test->op == TW_TEST_NE && !(test->low & mask) && !is_array(test))
		return;
	tw_display__put(w, test->op == TW_TEST_WITHIN ? " in {" : tw_display__op(test->op));
	put_number(w, is_order(test) ? test->low : test->low & mask);
}

/* The sign is a matter of less or not less than 0. */
static bool put_masked_sign(const struct tw_display_writing *w, uint64_t sign)
{
	const struct tw_test *test = w->test;
	const bool wants = (test->low & sign) != 0, is_equal = test->op == TW_TEST_EQ;

	if (test->mask & ~sign) {
		put_masked(w, test->mask & (sign - 1));
		tw_display__put(w, is_equal ? " && " : " || ");
	}
	put_comparison(w, wants == is_equal ? " < " : " >= ", 0);
	return (test->mask & ~sign) != 0;
}

/* What is left is no larger than the mask: larger numbers need not be written. Return: 1, 0, or -1 where it depends. */
static int order_is_certain(const struct tw_test *test)
{
	switch (test->op) {
	case TW_TEST_LT:
		return test->low > test->mask ? 1 : -1;
	case TW_TEST_LE:
		return test->low >= test->mask ? 1 : -1;
	case TW_TEST_GT:
		return test->low >= test->mask ? 0 : -1;
	case TW_TEST_EQ:
	case TW_TEST_NE:
		return test->low & ~test->mask ? test->op == TW_TEST_NE : -1;
	default:
		return test->low > test->mask ? 0 : -1;
	}
}

static bool put_mask(const struct tw_display_writing *w)
{
	const struct tw_test *test = w->test;
	const uint64_t sign = test->field || test->operand == TW_ON_PID ? sign_bit(test) : 0;
	const int certain = order_is_certain(test);

	if (certain >= 0)
		return tw_display__certain(w, certain);
	if (test->mask & sign)
		return put_masked_sign(w, sign);
	put_masked(w, test->mask);
	if (test->op == TW_TEST_WITHIN) {
		tw_display__put(w, "..");
		put_number(w, test->high < test->mask ? test->high : test->mask);
		tw_display__put(w, "}");
	}
	return false;
}

static bool put_range(const struct tw_display_writing *w)
{
	tw_display__put(w, w->name);
	tw_display__put(w, " in {");
	put_number(w, w->test->low);
	tw_display__put(w, "..");
	put_number(w, w->test->high);
	tw_display__put(w, "}");
	return false;
}

bool tw_display_number__write(const struct tw_display_writing *w)
{
	const struct tw_test *test = w->test;
	const uint64_t sign = test->field || test->operand == TW_ON_PID ? sign_bit(test) : 0;

	if (is_truth(test))
		return put_truth(w);
	if (test->has_mask)
		return put_mask(w);
	if (sign && test->low == -sign)
		return put_least(w, test->low);
	if (test->op == TW_TEST_WITHIN)
		return put_range(w);
	put_comparison(w, tw_display__op(test->op), test->low);
	return false;
}
