/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Binds comparisons with numbers. Numbers may be positive or negative, and are not wrapped to the width of the field. A value may also be a
 * name from the event's print format, or the name of a bit of common_flags.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "filter/bind/bind.h"
#include "filter/describe.h"
#include "filter/language/lex.h"

#define WORD_MAX 128

static const struct tw_print_name flag_names[] = {
	{ 0x01, "irqs_off" }, { 0x02, "irqs_nosupport" },  { 0x04, "need_resched" }, { 0x08, "hardirq" },
	{ 0x10, "softirq" },  { 0x20, "preempt_resched" }, { 0x40, "nmi" },          { 0x80, "bh_off" },
};
#define N_FLAGS (sizeof(flag_names) / sizeof(flag_names[0]))

static bool find_names(const struct tw_subject *subject, struct tw_print_names *ret)
{
	if (subject->operand == TW_ON_FLAGS) {
		*ret = (struct tw_print_names){ .names = flag_names, .n = N_FLAGS, .flags = true };
		return true;
	}
	return subject->field && subject->print && tw_print__names(subject->print, subject->field, ret) &&
	       tw_print_names__can_compare(ret, subject->field);
}

static bool find_word(const struct tw_print_names *names, const char *word, uint64_t *ret)
{
	for (uint32_t i = 0; i < names->n; i++) {
		*ret = names->names[i].value;
		if (!strcmp(names->names[i].name, word))
			return true;
	}
	*ret = 0;
	return names->zero && !strcmp(names->zero, word);
}

bool tw_words__is_flag(const char *word)
{
	const struct tw_print_names names = { .names = flag_names, .n = N_FLAGS };
	uint64_t value;

	return find_word(&names, word, &value);
}

static int say_unknown(const struct tw_binding *binding, const struct tw_subject *subject,
		       const struct tw_literal *literal, const struct tw_print_names *names, const char *word)
{
	struct tw_nearest nearest;
	char hint[WORD_MAX + 32];

	tw_nearest__init(&nearest, word);
	for (uint32_t i = 0; i < names->n; i++)
		tw_nearest__offer(&nearest, names->names[i].name);
	if (names->zero)
		tw_nearest__offer(&nearest, names->zero);
	return tw_filter_error(binding->error, -EINVAL, literal->column, "'%s' has no value named '%s'%s",
			       subject->name, word, tw_filter_hint(&nearest, hint, sizeof(hint)));
}

static int say_no_number(const struct tw_binding *binding, const struct tw_subject *subject,
			 const struct tw_literal *literal)
{
	const char *text = literal->text, *hint = "";
	const struct tw_literal unquoted = { .text = text, .len = literal->len };
	const size_t digits = strspn(text, "0123456789");
	struct tw_integer integer;

	if (literal->quote && !tw_literal__integer(&unquoted, &integer))
		hint = "; omit the quotes";
	else if (digits && text[digits] == '-' && strspn(text + digits + 1, "0123456789"))
		hint = "; a range is written NAME in {1..5}";
	else if (*text == '0' && digits && !text[digits])
		hint = ": a number that begins with 0 is octal";
	return tw_filter_error(binding->error, -EINVAL, literal->column,
			       "'%s' is compared with numbers, and '%.64s' is not a number%s", subject->name, text,
			       hint);
}

/* Convert a named value to a number. Names of flags may be joined with `|`. */
static int value_of_word(const struct tw_binding *binding, const struct tw_subject *subject,
			 const struct tw_literal *literal, uint64_t *ret)
{
	struct tw_print_names names;
	const char *at = literal->text;
	uint64_t value = 0, named;

	if (strlen(at) != literal->len || !find_names(subject, &names))
		return say_no_number(binding, subject, literal);
	do {
		const size_t len = names.flags ? strcspn(at, "|") : strlen(at);
		char word[WORD_MAX];

		snprintf(word, sizeof(word), "%.*s", (int)(len < sizeof(word) ? len : sizeof(word)), at);
		if (!find_word(&names, word, &named))
			return say_unknown(binding, subject, literal, &names, word);
		value |= named;
		at += len;
	} while (*at++ == '|');
	*ret = value;
	return 0;
}

/* Position of a value relative to the numbers that the subject can have. */
enum where { BELOW, INSIDE, ABOVE };

struct placed {
	enum where where;
	uint64_t value; /* INSIDE: the value in two's complement */
};

static struct placed place(const struct tw_integer *value, unsigned int size, bool is_signed)
{
	const uint64_t top = (is_signed ? (uint64_t)INT64_MAX : UINT64_MAX) >> (64 - size * 8);
	const uint64_t bottom = is_signed ? top + 1 : 0; /* magnitude of the smallest number */

	if (value->negative && value->magnitude > bottom)
		return (struct placed){ .where = BELOW };
	if (!value->negative && value->magnitude > top)
		return (struct placed){ .where = ABOVE };
	return (struct placed){ .where = INSIDE, .value = value->negative ? -value->magnitude : value->magnitude };
}

static int out_of_range(const struct tw_binding *binding, const struct tw_subject *subject,
			const struct tw_literal *literal)
{
	return tw_filter_error(binding->error, -ERANGE, literal->column,
			       "%s'%s' is a number of %u bits %s sign and cannot be %.64s",
			       binding->predicate->has_mask ? "under a mask " : "", subject->name, subject->size * 8u,
			       subject->is_signed ? "with" : "without", literal->text);
}

/* Convert the value of a name to an integer in the range of the field. A print format gives the value as bits, also for a signed field. */
static struct tw_integer integer_of_word(uint64_t value, const struct tw_subject *subject)
{
	const uint64_t extended = tw_number__extend(value, subject->size, subject->is_signed);
	const bool negative = subject->is_signed && (int64_t)extended < 0;

	return (struct tw_integer){ .magnitude = negative ? -extended : extended, .negative = negative };
}

static int read_integer(const struct tw_binding *binding, const struct tw_subject *subject,
			const struct tw_literal *literal, struct tw_integer *ret)
{
	uint64_t word;
	int err;

	switch (tw_literal__integer(literal, ret)) {
	case TW_LITERAL_OK:
		return 0;
	case TW_LITERAL_LARGE:
		return out_of_range(binding, subject, literal);
	default:
		err = value_of_word(binding, subject, literal, &word);
		if (!err)
			*ret = integer_of_word(word, subject);
		return err;
	}
}

/* Read a number, and place it relative to the subject's range. Return: 0; -ERANGE if it is outside the range, with @ret filled; -EINVAL */
static int read_placed(const struct tw_binding *binding, const struct tw_subject *subject,
		       const struct tw_literal *literal, struct placed *ret)
{
	struct tw_integer value = { 0 };
	const int err = read_integer(binding, subject, literal, &value);

	if (err == -ERANGE)
		*ret = (struct placed){ .where = literal->text[0] == '-' ? BELOW : ABOVE };
	if (err)
		return err;
	*ret = place(&value, subject->size, subject->is_signed);
	return ret->where == INSIDE ? 0 : out_of_range(binding, subject, literal);
}

static int read_mask(const struct tw_binding *binding, const struct tw_subject *subject, struct tw_test *test)
{
	struct placed mask = { 0 };
	const int err = read_placed(binding, subject, &binding->predicate->mask, &mask);

	test->has_mask = true;
	test->mask = mask.value;
	return err == -ERANGE ? -EINVAL : err;
}

static bool is_address(const struct tw_subject *subject, const struct tw_literal *literal, uint8_t bytes[4],
		       uint8_t *ret_prefix)
{
	return subject->field && subject->size == 4 && strstr(subject->field->type, "__be32") &&
	       tw_literal__address(literal, 4, bytes, ret_prefix);
}

/* Bind a comparison of a __be32 field with an IPv4 address. For the filter, the field is a number whose bytes are in network order. */
static int bind_address(const struct tw_binding *binding, const struct tw_subject *subject,
			const struct tw_set_member *member, struct tw_test *test)
{
	const bool can = (test->op == TW_TEST_EQ || test->op == TW_TEST_NE) && !member->is_range && !test->has_mask;
	uint8_t bytes[4], mask[4], prefix;

	is_address(subject, &member->low, bytes, &prefix);
	if (!can)
		return tw_filter_error(
			binding->error, -EINVAL, member->low.column,
			"'%s' is in network byte order: compare it with addresses and networks only by ==, !=, or `in` without ranges",
			subject->name);
	tw_store_be32(mask, prefix ? UINT32_MAX << (32 - prefix) : UINT32_MAX);
	test->is_signed = false;
	test->mask = tw_load32(mask, subject->big_endian);
	test->low = tw_load32(bytes, subject->big_endian) & test->mask;
	test->has_mask = prefix != 0;
	if (!prefix)
		test->mask = 0;
	return 0;
}

/* Bind a comparison with a value outside the subject's range. It is true for all numbers (becomes EXISTS) or for none. Return: -ERANGE */
static int fold(enum where where, struct tw_test *test, int *ret_certain)
{
	const bool below = where == BELOW;
	const bool is_true = test->op == TW_TEST_NE || (below ? test->op == TW_TEST_GT || test->op == TW_TEST_GE
							      : test->op == TW_TEST_LT || test->op == TW_TEST_LE);

	if (is_true) {
		test->op = TW_TEST_EXISTS;
		test->has_mask = false;
		test->mask = 0;
	}
	*ret_certain = is_true ? -1 : 0;
	return -ERANGE;
}

static int bind_value(const struct tw_binding *binding, const struct tw_subject *subject,
		      const struct tw_literal *literal, struct tw_test *test, int *ret_certain)
{
	struct placed value;
	const int err = read_placed(binding, subject, literal, &value);

	if (err == -ERANGE)
		return fold(value.where, test, ret_certain);
	test->low = value.value;
	return err;
}

/* Return: the smallest number, or the largest one (@top), that the subject can have. */
static uint64_t end_of_range(const struct tw_subject *subject, bool top)
{
	const unsigned int unused = 64 - subject->size * 8u;

	if (!subject->is_signed)
		return top ? UINT64_MAX >> unused : 0;
	return top ? (uint64_t)(INT64_MAX >> unused) : (uint64_t)(INT64_MIN >> unused);
}

static int bind_range(const struct tw_binding *binding, const struct tw_subject *subject,
		      const struct tw_set_member *member, struct tw_test *test, int *ret_certain)
{
	struct placed low, high;
	int err = read_placed(binding, subject, &member->low, &low), high_error;

	if (err && err != -ERANGE)
		return err;
	high_error = read_placed(binding, subject, &member->high, &high);
	if (high_error && high_error != -ERANGE)
		return high_error;
	err = err ? err : high_error;
	test->op = TW_TEST_WITHIN;
	test->low = low.where == INSIDE ? low.value : end_of_range(subject, false);
	test->high = high.where == INSIDE ? high.value : end_of_range(subject, true);
	if (low.where == ABOVE || high.where == BELOW)
		*ret_certain = 0;
	else if (subject->is_signed ? (int64_t)test->low > (int64_t)test->high : test->low > test->high)
		return tw_binding__wrong_way(binding, member);
	return err;
}

int tw_binding__number(const struct tw_binding *binding, const struct tw_subject *given,
		       const struct tw_set_member *member, struct tw_test *test, int *ret_certain)
{
	const struct tw_predicate *predicate = binding->predicate;
	const uint8_t op = predicate->op;
	struct tw_subject subject = *given;
	uint8_t bytes[4], prefix;

	*ret_certain = -1;
	if (op == TW_TEST_CONTAINS || op == TW_TEST_MATCHES || op == TW_TEST_GLOB)
		return tw_filter_error(binding->error, -EINVAL, predicate->op_column,
				       "'%s' is a number; '%s' is for text", subject.name, tw_test_op__text(op));
	subject.is_signed = given->is_signed && !predicate->has_mask; /* a masked value is a set of bits */
	test->op = op;
	test->is_signed = subject.is_signed;
	if (predicate->has_mask) {
		const int err = read_mask(binding, &subject, test);

		/* `array & mask` is true if at least one element has a bit of the mask. NE would require that all elements have one. */
		if (!err && !member && subject.field && subject.field->kind == TW_FIELD_ARRAY)
			test->op = TW_TEST_GT;
		if (err || !member)
			return err;
	}
	if (is_address(&subject, &member->low, bytes, &prefix))
		return bind_address(binding, &subject, member, test);
	if (member->is_range)
		return bind_range(binding, &subject, member, test, ret_certain);
	return bind_value(binding, &subject, &member->low, test, ret_certain);
}

static int read_seconds(const struct tw_binding *binding, const struct tw_literal *literal, uint64_t *ret)
{
	if (tw_literal__seconds(literal, ret) == TW_LITERAL_OK)
		return 0;
	return tw_filter_error(binding->error, -EINVAL, literal->column,
			       "'time' is in seconds, with at most nine decimals: 12.5, not '%.64s'", literal->text);
}

int tw_binding__time(const struct tw_binding *binding, const struct tw_set_member *member, struct tw_test *test)
{
	const struct tw_predicate *predicate = binding->predicate;
	int err;

	test->op = member->is_range ? TW_TEST_WITHIN : predicate->op;
	if (test->op == TW_TEST_CONTAINS || test->op == TW_TEST_MATCHES || test->op == TW_TEST_GLOB)
		return tw_filter_error(binding->error, -EINVAL, predicate->op_column,
				       "this operator does not apply to 'time': use ==, !=, <, <=, >, >= or in");
	err = read_seconds(binding, &member->low, &test->low);
	if (err || !member->is_range)
		return err;
	err = read_seconds(binding, &member->high, &test->high);
	if (!err && test->low > test->high)
		return tw_binding__wrong_way(binding, member);
	return err;
}
