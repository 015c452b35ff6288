/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison with a set is one test for each member, of which one has to be true; any other comparison is one test. */
#include <errno.h>
#include <string.h>

#include "filter/bind/bind.h"
#include "filter/compare.h"
#include "filter/describe.h"
#include "filter/language/lex.h"
#include "filter/language/literal.h"
#include "filter/pattern.h"

int tw_binding__wrong_way(const struct tw_binding *binding, const struct tw_set_member *member)
{
	return tw_filter_error(binding->err, -EINVAL, member->low.column,
			       "the range %.32s..%.32s has its ends the wrong way round", member->low.text,
			       member->high.text);
}

static int keep(const struct tw_binding *binding, const void *bytes, size_t len, const uint8_t **ret, size_t *ret_len)
{
	*ret = tw_arena__copy(binding->arena, bytes, len);
	*ret_len = len;
	return *ret ? 0 : -ENOMEM;
}

/* A text that is longer than its field is a mistake, whatever is asked of it. */
static int check_length(const struct tw_binding *binding, const struct tw_subject *subject,
			const struct tw_literal *literal, const struct tw_test *test)
{
	const struct tw_field *field = subject->field;
	const bool whole = test->op == TW_TEST_EQ || test->op == TW_TEST_NE || test->op == TW_TEST_CONTAINS;

	if (!whole || !field || field->kind == TW_FIELD_BITMASK || field->place != TW_PLACE_FIXED ||
	    literal->len <= field->size)
		return 0;
	return tw_filter_error(binding->err, -ERANGE, literal->column, "'%s' has %u bytes and cannot have this text",
			       subject->name, field->size);
}

/* Compiled once for all events; the bound filter owns it. */
static int bind_pattern(const struct tw_binding *binding, const struct tw_literal *literal, struct tw_test *test)
{
	struct tw_compiled *compiled;
	void *code;
	char why[256];
	size_t at = 0;

	for (struct tw_compiled *c = binding->bound->patterns; c; c = c->next) {
		if (c->literal == literal) {
			test->pattern = c->code;
			return 0;
		}
	}
	compiled = tw_arena__take(binding->arena, sizeof(*compiled));
	if (!compiled)
		return -ENOMEM;
	code = tw_pattern__new(literal, &at, why);
	if (!code)
		return tw_filter_error(binding->err, -EINVAL, tw_literal__column_of(literal, binding->bound->text, at),
				       "this is no regular expression: %s", why);
	*compiled = (struct tw_compiled){ .literal = literal, .code = code, .next = binding->bound->patterns };
	binding->bound->patterns = compiled;
	test->pattern = code;
	return 0;
}

/* Without quotes it was meant for a pattern. */
static int check_star(const struct tw_binding *binding, const struct tw_literal *literal, const struct tw_test *test)
{
	if (test->op == TW_TEST_GLOB || test->op == TW_TEST_MATCHES || literal->quote || !strchr(literal->text, '*'))
		return 0;
	return tw_filter_error(binding->err, -EINVAL, literal->column,
			       "'%.64s' is a pattern, which ~ compares with; in quotes * is a character like others",
			       literal->text);
}

static int check_order(const struct tw_binding *binding, const struct tw_set_member *member, const struct tw_test *test)
{
	if (!member->is_range || tw_bytes__compare(test->bytes, test->len, test->high_bytes, test->high_len) <= 0)
		return 0;
	return tw_binding__wrong_way(binding, member);
}

static int bind_text(const struct tw_binding *binding, const struct tw_subject *subject,
		     const struct tw_set_member *member, struct tw_test *test)
{
	const struct tw_predicate *predicate = binding->predicate;
	int err;

	test->op = member->is_range ? TW_TEST_WITHIN : predicate->op;
	err = check_star(binding, &member->low, test);
	if (!err)
		err = keep(binding, member->low.text, member->low.len, &test->bytes, &test->len);
	if (!err && member->is_range)
		err = keep(binding, member->high.text, member->high.len, &test->high_bytes, &test->high_len);
	if (!err)
		err = check_order(binding, member, test);
	if (!err && test->op == TW_TEST_MATCHES)
		err = bind_pattern(binding, &member->low, test);
	return err ? err : check_length(binding, subject, &member->low, test);
}

/* Return: bytes in @ret; 0 if it is none of what bytes are written as. */
static size_t read_bytes(const struct tw_subject *subject, const struct tw_literal *literal, uint8_t *ret,
			 uint8_t *ret_prefix)
{
	const struct tw_field *field = subject->field;
	const bool fixed = field->place == TW_PLACE_FIXED;

	*ret_prefix = 0;
	if (literal->quote && literal->len <= TW_LITERAL_BYTES_MAX) {
		memcpy(ret, literal->text, literal->len);
		return literal->len;
	}
	if (fixed && (field->size == 4 || field->size == 16) &&
	    tw_literal__address(literal, field->size, ret, ret_prefix))
		return field->size;
	return tw_literal__bytes(literal, ret);
}

static int bind_side(const struct tw_binding *binding, const struct tw_subject *subject,
		     const struct tw_literal *literal, struct tw_test *test, const uint8_t **ret, size_t *ret_len)
{
	const struct tw_field *field = subject->field;
	uint8_t bytes[TW_LITERAL_BYTES_MAX], prefix;
	const size_t len = read_bytes(subject, literal, bytes, &prefix);

	if (!len)
		return tw_filter_error(binding->err, -EINVAL, literal->column,
				       "'%s' is bytes, written aa:bb:cc%s; '%.64s' is not", subject->name,
				       field->size == 4    ? " or as an IPv4 address"
				       : field->size == 16 ? " or as an IPv6 address"
							   : "",
				       literal->text);
	if (prefix && test->op != TW_TEST_EQ && test->op != TW_TEST_NE)
		return tw_filter_error(binding->err, -EINVAL, literal->column,
				       "a network is only == or != to an address");
	test->prefix = prefix;
	if (field->place == TW_PLACE_FIXED && (test->op == TW_TEST_EQ || test->op == TW_TEST_NE) && len != field->size)
		return tw_filter_error(binding->err, -EINVAL, literal->column, "'%s' has %u bytes, not %zu%s",
				       subject->name, field->size, len,
				       literal->quote ? "; addresses stand without quotes" : "");
	return keep(binding, bytes, len, ret, ret_len);
}

static int bind_bytes(const struct tw_binding *binding, const struct tw_subject *subject,
		      const struct tw_set_member *member, struct tw_test *test)
{
	const struct tw_predicate *predicate = binding->predicate;
	int err;

	test->op = member->is_range ? TW_TEST_WITHIN : predicate->op;
	if (test->op == TW_TEST_MATCHES || test->op == TW_TEST_GLOB)
		return tw_filter_error(binding->err, -EINVAL, predicate->op_column, "'%s' is bytes; '%s' is for text",
				       subject->name, tw_test_op__text(test->op));
	err = bind_side(binding, subject, &member->low, test, &test->bytes, &test->len);
	if (!err && member->is_range)
		err = bind_side(binding, subject, &member->high, test, &test->high_bytes, &test->high_len);
	return err ? err : check_order(binding, member, test);
}

static struct tw_test *new_test(const struct tw_binding *binding, const struct tw_subject *subject)
{
	struct tw_test *test = tw_arena__take(binding->arena, sizeof(*test));

	if (!test)
		return NULL;
	test->operand = subject->operand;
	test->compared = subject->compared;
	test->op = TW_TEST_EXISTS;
	test->big_endian = subject->big_endian;
	test->is_signed = subject->is_signed;
	test->predicate = binding->index;
	test->field = subject->field;
	return test;
}

static int bind_member(const struct tw_binding *binding, const struct tw_subject *subject,
		       const struct tw_set_member *member, struct tw_test *test, int *ret_certain)
{
	*ret_certain = -1;
	if (!member && !binding->predicate->has_mask)
		return 0;
	if (subject->operand == TW_ON_TIME)
		return tw_binding__time(binding, member, test);
	if (subject->compared == TW_AS_NUMBER)
		return tw_binding__number(binding, subject, member, test, ret_certain);
	if (subject->compared == TW_AS_TEXT)
		return bind_text(binding, subject, member, test);
	return bind_bytes(binding, subject, member, test);
}

static bool is_always_there(const struct tw_subject *subject)
{
	return subject->operand != TW_ON_FIELD && subject->operand != TW_ON_COMM && subject->operand != TW_ON_HOST;
}

/* Keeps the test that was made of a member (NULL: the name stands alone, or with a mask) unless it is certain. */
static int add_test(const struct tw_binding *binding, const struct tw_subject *subject,
		    const struct tw_set_member *member, struct tw_tests *tests)
{
	struct tw_test *test = new_test(binding, subject);
	int certain, err;

	if (!test)
		return -ENOMEM;
	err = bind_member(binding, subject, member, test, &certain);
	if (err && err != -ERANGE)
		return err;
	if (certain && test->op == TW_TEST_EXISTS && is_always_there(subject))
		tests->is_true = true;
	else if (certain)
		tests->items[tests->n++] = test;
	return err;
}

static int check_mask(const struct tw_binding *binding, const struct tw_subject *subject)
{
	const struct tw_predicate *predicate = binding->predicate;

	if (!predicate->has_mask || (subject->compared == TW_AS_NUMBER && subject->operand != TW_ON_TIME))
		return 0;
	return tw_filter_error(binding->err, -EINVAL, predicate->mask.column, "'%s' is no number: & is for numbers",
			       subject->name);
}

static unsigned int count_members(const struct tw_predicate *predicate)
{
	unsigned int n = 0;

	for (const struct tw_set_member *member = predicate->members; member; member = member->next)
		n++;
	return n;
}

int tw_binding__tests(const struct tw_binding *binding, const struct tw_subject *subject, struct tw_tests *ret)
{
	const struct tw_predicate *predicate = binding->predicate;
	const unsigned int n = count_members(predicate);
	bool out_of_range = false;
	int err = check_mask(binding, subject);

	if (err)
		return err;
	*ret = (struct tw_tests){ .items = tw_arena__take(binding->arena, (n + 1) * sizeof(*ret->items)) };
	if (!ret->items)
		return -ENOMEM;
	if (!n)
		return add_test(binding, subject, NULL, ret);
	for (const struct tw_set_member *member = predicate->members; member; member = member->next) {
		err = add_test(binding, subject, member, ret);
		if (err && err != -ERANGE)
			return err;
		out_of_range |= err == -ERANGE;
	}
	return out_of_range ? -ERANGE : 0;
}
