/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parser: comparisons are read one by one, what joins them is brought into postfix order with a stack of operators that
 * wait for their right side. So nothing recurses, however deep the parentheses are.
 */
#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#include "filter/language/parser.h"

/* At each level one of each kind can wait. */
#define WAITING_MAX (3 * (TW_FILTER_DEPTH_MAX + 1))

/* An operator that waits: in order of how tight it binds. */
enum waiting { WAITING_OPEN, WAITING_OR, WAITING_AND, WAITING_NOT };

struct joints {
	struct tw_filter_parser parser;
	struct {
		enum waiting what;
		uint32_t column;
	} waiting[WAITING_MAX];
	unsigned int n_waiting;
	unsigned int depth; /* parentheses and nots that wait */
};

static int append(struct joints *j, enum tw_postfix_kind kind, unsigned int predicate)
{
	struct tw_filter *filter = j->parser.filter;

	if (filter->n_postfix == TW_POSTFIX_MAX)
		return tw_filter_error(j->parser.err, -E2BIG, tw_filter_parser__column(&j->parser),
				       "the expression has too many operators");
	filter->postfix[filter->n_postfix++] =
		(struct tw_postfix){ .kind = (uint8_t)kind, .predicate = (uint16_t)predicate };
	return 0;
}

static int wait_for(struct joints *j, enum waiting what)
{
	const bool deeper = what == WAITING_OPEN || what == WAITING_NOT;

	if (j->depth + deeper > TW_FILTER_DEPTH_MAX)
		return tw_filter_error(j->parser.err, -E2BIG, tw_filter_parser__column(&j->parser),
				       "more than %d parentheses and nots inside each other", TW_FILTER_DEPTH_MAX);
	j->depth += deeper;
	j->waiting[j->n_waiting].what = what;
	j->waiting[j->n_waiting++].column = tw_filter_parser__column(&j->parser);
	return tw_filter_parser__next(&j->parser);
}

/* What binds tighter than, or as tight as, what comes now has its right side. */
static int settle(struct joints *j, enum waiting coming)
{
	static const uint8_t kinds[] = {
		[WAITING_OR] = TW_POSTFIX_OR,
		[WAITING_AND] = TW_POSTFIX_AND,
		[WAITING_NOT] = TW_POSTFIX_NOT,
	};
	int error = 0;

	while (!error && j->n_waiting && j->waiting[j->n_waiting - 1].what >= coming &&
	       j->waiting[j->n_waiting - 1].what != WAITING_OPEN) {
		const enum waiting what = j->waiting[--j->n_waiting].what;

		j->depth -= what == WAITING_NOT;
		error = append(j, kinds[what], 0);
	}
	return error;
}

static int take_comparison(struct joints *j)
{
	bool negated;
	const int error = tw_filter_parser__comparison(&j->parser, &negated);

	if (error)
		return error;
	if (append(j, TW_POSTFIX_PREDICATE, j->parser.filter->n_predicates - 1))
		return -E2BIG;
	return negated ? append(j, TW_POSTFIX_NOT, 0) : 0;
}

/* Return: 1 while what comes next is a comparison again. */
static int take_operand(struct joints *j)
{
	if (j->parser.token.kind == TW_TOKEN_NOT || tw_filter_parser__is_word(&j->parser, "not")) {
		const int error = wait_for(j, WAITING_NOT);

		return error ? error : 1;
	}
	if (j->parser.token.kind == TW_TOKEN_OPEN) {
		const int error = wait_for(j, WAITING_OPEN);

		return error ? error : 1;
	}
	if (j->parser.token.kind != TW_TOKEN_WORD)
		return tw_filter_error(j->parser.err, -EINVAL, tw_filter_parser__column(&j->parser),
				       "a comparison is expected here, such as cpu == 1");
	return take_comparison(j);
}

static int close_parenthesis(struct joints *j)
{
	const int error = settle(j, WAITING_OR);

	if (error)
		return error;
	if (!j->n_waiting)
		return tw_filter_error(j->parser.err, -EINVAL, tw_filter_parser__column(&j->parser),
				       "this parenthesis was never opened");
	j->n_waiting--;
	j->depth--;
	return tw_filter_parser__next(&j->parser);
}

/* What stands behind a comparison and does not go on with it. */
static int say_no_joint(const struct joints *j)
{
	const char *why = "'and', 'or' or the end is expected here";

	if (j->parser.token.kind == TW_TOKEN_MASK)
		why = "'&' takes a mask, directly behind a name; '&&' is 'and'";
	else if (j->parser.token.kind == TW_TOKEN_RANGE)
		why = "a range stands in a set: in {1..5}";
	else if (j->parser.token.kind == TW_TOKEN_OPEN)
		why = "'and' or 'or' is expected before a parenthesis; there are no functions";
	else if (j->parser.token.kind == TW_TOKEN_WORD &&
		 (!strcasecmp(j->parser.token.literal.text, "and") || !strcasecmp(j->parser.token.literal.text, "or")))
		why = "'and' and 'or' are written in small letters";
	return tw_filter_error(j->parser.err, -EINVAL, tw_filter_parser__column(&j->parser), "%s", why);
}

/* Return: 1 if a comparison has to follow. */
static int take_joint(struct joints *j)
{
	enum waiting what;
	int error;

	if (j->parser.token.kind == TW_TOKEN_CLOSE)
		return close_parenthesis(j);
	if (j->parser.token.kind == TW_TOKEN_AND || tw_filter_parser__is_word(&j->parser, "and"))
		what = WAITING_AND;
	else if (j->parser.token.kind == TW_TOKEN_OR || tw_filter_parser__is_word(&j->parser, "or"))
		what = WAITING_OR;
	else
		return say_no_joint(j);
	error = settle(j, what);
	if (!error)
		error = wait_for(j, what);
	return error ? error : 1;
}

static int parse(struct joints *j)
{
	int r = tw_filter_parser__next(&j->parser);

	if (r)
		return r;
	if (j->parser.token.kind == TW_TOKEN_END)
		return tw_filter_error(j->parser.err, -EINVAL, 1, "the expression is empty");
	r = 1;
	while (r >= 0 && (r || j->parser.token.kind != TW_TOKEN_END))
		r = r ? take_operand(j) : take_joint(j);
	if (!r)
		r = settle(j, WAITING_OR);
	if (!r && j->n_waiting)
		return tw_filter_error(j->parser.err, -EINVAL, j->waiting[j->n_waiting - 1].column,
				       "this parenthesis is never closed");
	return r;
}

int tw_filter__parse(const char *text, struct tw_filter **ret, struct tw_error *err)
{
	struct tw_filter *filter;
	struct joints joints = { .parser.err = err };
	int error;

	if (strlen(text) > TW_FILTER_TEXT_MAX)
		return tw_filter_error(err, -E2BIG, TW_FILTER_TEXT_MAX + 1, "an expression has %d bytes at most",
				       TW_FILTER_TEXT_MAX);
	filter = calloc(1, sizeof(*filter));
	if (filter)
		filter->arena = tw_arena__new(TW_FILTER_MEMORY_MAX);
	if (filter && filter->arena)
		filter->text = tw_arena__copy(filter->arena, text, strlen(text));
	if (!filter || !filter->text) {
		tw_filter__free(filter);
		return tw_filter_error(err, -ENOMEM, 1, "no memory");
	}
	joints.parser.filter = filter;
	joints.parser.lexer = (struct tw_filter_lexer){ .text = filter->text, .arena = filter->arena };
	error = parse(&joints);
	if (error == -ENOMEM)
		tw_filter_error(err, error, tw_filter_parser__column(&joints.parser), "no memory");
	if (error) {
		tw_filter__free(filter);
		return error;
	}
	*ret = filter;
	return 0;
}
