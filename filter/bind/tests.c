/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison with a set is one test for each member, of which one has to be true; any other comparison is one test. */
#include <errno.h>

#include "filter/bind/bind.h"

const char *tw_filter_op__text(uint8_t op)
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

int tw_binding__wrong_way(const struct tw_binding *binding, const struct tw_set_member *member)
{
	return tw_filter_error(binding->err, -EINVAL, member->low.column,
			       "the range %.32s..%.32s has its ends the wrong way round", member->low.text,
			       member->high.text);
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
		return tw_binding__text(binding, subject, member, test);
	return tw_binding__bytes(binding, subject, member, test);
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
	int certain, error;

	if (!test)
		return -ENOMEM;
	error = bind_member(binding, subject, member, test, &certain);
	if (error && error != -ERANGE)
		return error;
	if (certain && test->op == TW_TEST_EXISTS && is_always_there(subject))
		tests->is_true = true;
	else if (certain)
		tests->items[tests->n++] = test;
	return error;
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
	int error = check_mask(binding, subject);

	if (error)
		return error;
	*ret = (struct tw_tests){ .items = tw_arena__take(binding->arena, (n + 1) * sizeof(*ret->items)) };
	if (!ret->items)
		return -ENOMEM;
	if (!n)
		return add_test(binding, subject, NULL, ret);
	for (const struct tw_set_member *member = predicate->members; member; member = member->next) {
		error = add_test(binding, subject, member, ret);
		if (error && error != -ERANGE)
			return error;
		out_of_range |= error == -ERANGE;
	}
	return out_of_range ? -ERANGE : 0;
}
