/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parser: comparisons are read one by one, what joins them is brought into postfix order with a stack of operators that
 * wait for their right side. So nothing recurses, however deep the parentheses are.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "filter/language/lex.h"

/* The place in the text: one token ahead. */
struct parser {
	struct tw_filter_lexer lexer;
	struct tw_filter *filter;
	struct tw_filter_token token; /* the next one */
	struct tw_error *err;
};

static uint32_t parser__column(const struct parser *p)
{
	return p->token.literal.column;
}

static int parser__next(struct parser *p)
{
	return tw_filter_lexer__next(&p->lexer, &p->token, p->err);
}

static bool parser__is_word(const struct parser *p, const char *word)
{
	return p->token.kind == TW_TOKEN_WORD && !strcmp(p->token.literal.text, word);
}

int tw_filter_error(struct tw_error *err, int code, uint32_t column, const char *fmt, ...)
{
	char text[sizeof(err->text)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return tw_error__set(err, code, "column %u: %s", column, text);
}

/* Operators that are words, where an operator stands. */
static bool find_word_operator(const struct parser *p, uint8_t *ret_op)
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
		if (parser__is_word(p, words[i].word)) {
			*ret_op = words[i].op;
			return true;
		}
	}
	return false;
}

static int take_value(struct parser *p, struct tw_literal *ret)
{
	if (p->token.kind != TW_TOKEN_WORD && p->token.kind != TW_TOKEN_STRING)
		return tw_filter_error(p->err, -EINVAL, parser__column(p), "a value is expected here%s",
				       p->token.kind == TW_TOKEN_OPEN ? ", without parentheses" : "");
	*ret = p->token.literal;
	return parser__next(p);
}

static int take_member(struct parser *p, struct tw_set_member **ret)
{
	struct tw_set_member *member = tw_arena__take(p->filter->arena, sizeof(*member));
	int error = member ? take_value(p, &member->low) : -ENOMEM;

	if (!error && p->token.kind == TW_TOKEN_RANGE) {
		member->is_range = true;
		error = parser__next(p);
		if (!error)
			error = take_value(p, &member->high);
	}
	*ret = member;
	return error;
}

/* Behind the opening brace. */
static int take_set(struct parser *p, struct tw_predicate *predicate)
{
	struct tw_set_member **end = &predicate->members;
	unsigned int n = 0;
	int error;

	if (p->token.kind != TW_TOKEN_SET)
		return tw_filter_error(p->err, -EINVAL, parser__column(p),
				       "a set in braces is expected here: {1, 2, 5..9}");
	do {
		error = parser__next(p);
		if (!error)
			error = take_member(p, end);
		if (error)
			return error;
		end = &(*end)->next;
		if (++n > TW_FILTER_PREDICATES_MAX)
			return tw_filter_error(p->err, -E2BIG, parser__column(p), "a set has %d members at most",
					       TW_FILTER_PREDICATES_MAX);
	} while (p->token.kind == TW_TOKEN_COMMA);
	if (p->token.kind != TW_TOKEN_SET_END)
		return tw_filter_error(p->err, -EINVAL, parser__column(p),
				       "a comma or a closing brace is expected here");
	predicate->op = TW_TEST_EQ;
	return parser__next(p);
}

static int take_right_side(struct parser *p, struct tw_predicate *predicate, uint8_t op)
{
	int error;

	predicate->op = op;
	predicate->op_column = parser__column(p);
	error = parser__next(p);
	if (error)
		return error;
	predicate->members = tw_arena__take(p->filter->arena, sizeof(*predicate->members));
	return predicate->members ? take_value(p, &predicate->members->low) : -ENOMEM;
}

static int take_mask(struct parser *p, struct tw_predicate *predicate)
{
	int error = parser__next(p);

	predicate->has_mask = true;
	predicate->op = TW_TEST_NE; /* without a comparison: what is left is not 0 */
	return error ? error : take_value(p, &predicate->mask);
}

/* `in` or `not in`, if that stands here. */
static int take_in(struct parser *p, struct tw_predicate *predicate, bool *ret_negated)
{
	int error;

	*ret_negated = parser__is_word(p, "not");
	predicate->op_column = parser__column(p);
	error = *ret_negated ? parser__next(p) : 0;
	if (error)
		return error;
	if (!parser__is_word(p, "in"))
		return tw_filter_error(p->err, -EINVAL, parser__column(p), "'in' is expected behind 'not'");
	error = parser__next(p);
	return error ? error : take_set(p, predicate);
}

/* What stands behind the name. */
static int take_right_of_name(struct parser *p, struct tw_predicate *predicate, bool *ret_negated)
{
	uint8_t op;
	int error;

	predicate->op = TW_TEST_EXISTS;
	predicate->op_column = parser__column(p);
	if (p->token.kind == TW_TOKEN_MASK) {
		error = take_mask(p, predicate);
		if (error)
			return error;
	}
	if (p->token.kind == TW_TOKEN_COMPARE)
		return take_right_side(p, predicate, p->token.op);
	if (find_word_operator(p, &op))
		return take_right_side(p, predicate, op);
	if (parser__is_word(p, "in") || parser__is_word(p, "not"))
		return take_in(p, predicate, ret_negated);
	return 0;
}

/* From a name to what it is compared with; the filter gets one predicate more. @ret_negated: it was `not in` */
static int take_comparison_of(struct parser *p, bool *ret_negated)
{
	static const char prefix[] = "trace.";
	struct tw_filter *filter = p->filter;
	struct tw_predicate *predicate = tw_arena__take(filter->arena, sizeof(*predicate));
	const char *name = p->token.literal.text;
	const size_t skip = strncmp(name, prefix, strlen(prefix)) ? 0 : strlen(prefix);
	int error;

	*ret_negated = false;
	if (!predicate)
		return tw_filter_error(p->err, -ENOMEM, parser__column(p), "no memory");
	if (filter->n_predicates == TW_FILTER_PREDICATES_MAX)
		return tw_filter_error(p->err, -E2BIG, parser__column(p), "an expression has %d comparisons at most",
				       TW_FILTER_PREDICATES_MAX);
	predicate->begin = p->token.begin;
	predicate->column = parser__column(p) + (uint32_t)skip;
	predicate->name = name + skip;
	error = parser__next(p);
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

/* At each level one of each kind can wait. */
#define WAITING_MAX (3 * (TW_FILTER_DEPTH_MAX + 1))

/* An operator that waits: in order of how tight it binds. */
enum waiting { WAITING_OPEN, WAITING_OR, WAITING_AND, WAITING_NOT };

struct joints {
	struct parser parser;
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
		return tw_filter_error(j->parser.err, -E2BIG, parser__column(&j->parser),
				       "the expression has too many operators");
	filter->postfix[filter->n_postfix++] =
		(struct tw_postfix){ .kind = (uint8_t)kind, .predicate = (uint16_t)predicate };
	return 0;
}

static int wait_for(struct joints *j, enum waiting what)
{
	const bool deeper = what == WAITING_OPEN || what == WAITING_NOT;

	if (j->depth + deeper > TW_FILTER_DEPTH_MAX)
		return tw_filter_error(j->parser.err, -E2BIG, parser__column(&j->parser),
				       "more than %d parentheses and nots inside each other", TW_FILTER_DEPTH_MAX);
	j->depth += deeper;
	j->waiting[j->n_waiting].what = what;
	j->waiting[j->n_waiting++].column = parser__column(&j->parser);
	return parser__next(&j->parser);
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
	const int error = take_comparison_of(&j->parser, &negated);

	if (error)
		return error;
	if (append(j, TW_POSTFIX_PREDICATE, j->parser.filter->n_predicates - 1))
		return -E2BIG;
	return negated ? append(j, TW_POSTFIX_NOT, 0) : 0;
}

/* Return: 1 while what comes next is a comparison again. */
static int take_operand(struct joints *j)
{
	if (j->parser.token.kind == TW_TOKEN_NOT || parser__is_word(&j->parser, "not")) {
		const int error = wait_for(j, WAITING_NOT);

		return error ? error : 1;
	}
	if (j->parser.token.kind == TW_TOKEN_OPEN) {
		const int error = wait_for(j, WAITING_OPEN);

		return error ? error : 1;
	}
	if (j->parser.token.kind != TW_TOKEN_WORD)
		return tw_filter_error(j->parser.err, -EINVAL, parser__column(&j->parser),
				       "a comparison is expected here, such as cpu == 1");
	return take_comparison(j);
}

static int close_parenthesis(struct joints *j)
{
	const int error = settle(j, WAITING_OR);

	if (error)
		return error;
	if (!j->n_waiting)
		return tw_filter_error(j->parser.err, -EINVAL, parser__column(&j->parser),
				       "this parenthesis was never opened");
	j->n_waiting--;
	j->depth--;
	return parser__next(&j->parser);
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
	return tw_filter_error(j->parser.err, -EINVAL, parser__column(&j->parser), "%s", why);
}

/* Return: 1 if a comparison has to follow. */
static int take_joint(struct joints *j)
{
	enum waiting what;
	int error;

	if (j->parser.token.kind == TW_TOKEN_CLOSE)
		return close_parenthesis(j);
	if (j->parser.token.kind == TW_TOKEN_AND || parser__is_word(&j->parser, "and"))
		what = WAITING_AND;
	else if (j->parser.token.kind == TW_TOKEN_OR || parser__is_word(&j->parser, "or"))
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
	int r = parser__next(&j->parser);

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
		tw_filter_error(err, error, parser__column(&joints.parser), "no memory");
	if (error) {
		tw_filter__free(filter);
		return error;
	}
	*ret = filter;
	return 0;
}

void tw_filter__free(struct tw_filter *filter)
{
	if (!filter)
		return;
	tw_arena__free(filter->arena);
	free(filter);
}

const char *tw_filter__text(const struct tw_filter *filter)
{
	return filter->text;
}

unsigned int tw_filter__predicates(const struct tw_filter *filter)
{
	return filter->n_predicates;
}

const char *tw_filter__predicate(const struct tw_filter *filter, unsigned int i, size_t *ret_len)
{
	*ret_len = filter->predicates[i]->end - filter->predicates[i]->begin;
	return filter->text + filter->predicates[i]->begin;
}
