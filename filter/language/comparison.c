/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One comparison: a name, perhaps a mask, an operator, a value or a set of them. */
#include <errno.h>

#include "filter/language/parser.h"

/* Operators that are words, where an operator stands. */
static bool find_word_operator(const struct tw_filter_parser *p, uint8_t *ret_op)
{
	static const struct {
		const char *word;
		uint8_t op;
	} words[] = {
		{ "eq", TW_TEST_EQ },
		{ "ne", TW_TEST_NE },
		{ "lt", TW_TEST_LT },
		{ "le", TW_TEST_LE },
		{ "gt", TW_TEST_GT },
		{ "ge", TW_TEST_GE },
		{ "contains", TW_TEST_CONTAINS },
		{ "matches", TW_TEST_MATCHES },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (tw_filter_parser__is_word(p, words[i].word)) {
			*ret_op = words[i].op;
			return true;
		}
	}
	return false;
}

static int take_value(struct tw_filter_parser *p, struct tw_literal *ret)
{
	if (p->token.kind != TW_TOKEN_WORD && p->token.kind != TW_TOKEN_STRING)
		return tw_filter_error(p->err, -EINVAL, tw_filter_parser__column(p), "a value is expected here%s",
				       p->token.kind == TW_TOKEN_OPEN ? ", without parentheses" : "");
	*ret = p->token.literal;
	return tw_filter_parser__next(p);
}

static int take_member(struct tw_filter_parser *p, struct tw_set_member **ret)
{
	struct tw_set_member *member = tw_arena__take(p->filter->arena, sizeof(*member));
	int error = member ? take_value(p, &member->low) : -ENOMEM;

	if (!error && p->token.kind == TW_TOKEN_RANGE) {
		member->is_range = true;
		error = tw_filter_parser__next(p);
		if (!error)
			error = take_value(p, &member->high);
	}
	*ret = member;
	return error;
}

/* Behind the opening brace. */
static int take_set(struct tw_filter_parser *p, struct tw_predicate *predicate)
{
	struct tw_set_member **end = &predicate->members;
	unsigned int n = 0;
	int error;

	if (p->token.kind != TW_TOKEN_SET)
		return tw_filter_error(p->err, -EINVAL, tw_filter_parser__column(p),
				       "a set in braces is expected here: {1, 2, 5..9}");
	do {
		error = tw_filter_parser__next(p);
		if (!error)
			error = take_member(p, end);
		if (error)
			return error;
		end = &(*end)->next;
		if (++n > TW_FILTER_PREDICATES_MAX)
			return tw_filter_error(p->err, -E2BIG, tw_filter_parser__column(p),
					       "a set has %d members at most", TW_FILTER_PREDICATES_MAX);
	} while (p->token.kind == TW_TOKEN_COMMA);
	if (p->token.kind != TW_TOKEN_SET_END)
		return tw_filter_error(p->err, -EINVAL, tw_filter_parser__column(p),
				       "a comma or a closing brace is expected here");
	predicate->op = TW_TEST_EQ;
	return tw_filter_parser__next(p);
}

static int take_right_side(struct tw_filter_parser *p, struct tw_predicate *predicate, uint8_t op)
{
	int error;

	predicate->op = op;
	predicate->op_column = tw_filter_parser__column(p);
	error = tw_filter_parser__next(p);
	if (error)
		return error;
	predicate->members = tw_arena__take(p->filter->arena, sizeof(*predicate->members));
	return predicate->members ? take_value(p, &predicate->members->low) : -ENOMEM;
}

static int take_mask(struct tw_filter_parser *p, struct tw_predicate *predicate)
{
	int error = tw_filter_parser__next(p);

	predicate->has_mask = true;
	predicate->op = TW_TEST_NE; /* without a comparison: what is left is not 0 */
	return error ? error : take_value(p, &predicate->mask);
}

/* `in` or `not in`, if that stands here. */
static int take_in(struct tw_filter_parser *p, struct tw_predicate *predicate, bool *ret_negated)
{
	int error;

	*ret_negated = tw_filter_parser__is_word(p, "not");
	predicate->op_column = tw_filter_parser__column(p);
	error = *ret_negated ? tw_filter_parser__next(p) : 0;
	if (error)
		return error;
	if (!tw_filter_parser__is_word(p, "in"))
		return tw_filter_error(p->err, -EINVAL, tw_filter_parser__column(p), "'in' is expected behind 'not'");
	error = tw_filter_parser__next(p);
	return error ? error : take_set(p, predicate);
}

/* What stands behind the name. */
static int take_right_of_name(struct tw_filter_parser *p, struct tw_predicate *predicate, bool *ret_negated)
{
	uint8_t op;
	int error;

	predicate->op = TW_TEST_EXISTS;
	predicate->op_column = tw_filter_parser__column(p);
	if (p->token.kind == TW_TOKEN_MASK) {
		error = take_mask(p, predicate);
		if (error)
			return error;
	}
	if (p->token.kind == TW_TOKEN_COMPARE)
		return take_right_side(p, predicate, p->token.op);
	if (find_word_operator(p, &op))
		return take_right_side(p, predicate, op);
	if (tw_filter_parser__is_word(p, "in") || tw_filter_parser__is_word(p, "not"))
		return take_in(p, predicate, ret_negated);
	return 0;
}

int tw_filter_parser__comparison(struct tw_filter_parser *p, bool *ret_negated)
{
	static const char prefix[] = "trace.";
	struct tw_filter *filter = p->filter;
	struct tw_predicate *predicate = tw_arena__take(filter->arena, sizeof(*predicate));
	const char *name = p->token.literal.text;
	const size_t skip = strncmp(name, prefix, strlen(prefix)) ? 0 : strlen(prefix);
	int error;

	*ret_negated = false;
	if (!predicate)
		return tw_filter_error(p->err, -ENOMEM, tw_filter_parser__column(p), "no memory");
	if (filter->n_predicates == TW_FILTER_PREDICATES_MAX)
		return tw_filter_error(p->err, -E2BIG, tw_filter_parser__column(p),
				       "an expression has %d comparisons at most", TW_FILTER_PREDICATES_MAX);
	predicate->begin = p->token.begin;
	predicate->column = tw_filter_parser__column(p) + (uint32_t)skip;
	predicate->name = name + skip;
	error = tw_filter_parser__next(p);
	if (!error)
		error = take_right_of_name(p, predicate, ret_negated);
	if (error)
		return error;
	predicate->end = p->token.begin;
	while (predicate->end > predicate->begin && strchr(" \t\r\n", filter->text[predicate->end - 1]))
		predicate->end--;
	filter->predicates[filter->n_predicates++] = predicate;
	return 0;
}
