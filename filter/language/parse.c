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

#include "filter/language/lex.h"

#define WAITING_MAX (TW_FILTER_DEPTH_MAX * 2)

/* An operator that waits: in order of how tight it binds. */
enum waiting { WAITING_OPEN, WAITING_OR, WAITING_AND, WAITING_NOT };

struct parser {
	struct tw_filter_lexer lexer;
	struct tw_filter *filter;
	struct tw_filter_token token; /* the next one */
	struct tw_error *err;
	struct {
		enum waiting what;
		uint32_t column;
	} waiting[WAITING_MAX];
	unsigned int n_waiting;
	unsigned int depth; /* parentheses and nots that wait */
};

int tw_filter_error(struct tw_error *err, int code, uint32_t column, const char *fmt, ...)
{
	char text[sizeof(err->text)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return tw_error__set(err, code, "column %u: %s", column, text);
}

static uint32_t column(const struct parser *p)
{
	return p->token.literal.column;
}

static int next(struct parser *p)
{
	return tw_filter_lexer__next(&p->lexer, &p->token, p->err);
}

static bool is_word(const struct parser *p, const char *word)
{
	return p->token.kind == TW_TOKEN_WORD && !strcmp(p->token.literal.text, word);
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
		if (is_word(p, words[i].word)) {
			*ret_op = words[i].op;
			return true;
		}
	}
	return false;
}

static int append(struct parser *p, enum tw_postfix_kind kind, unsigned int predicate)
{
	struct tw_filter *filter = p->filter;

	if (filter->n_postfix == TW_POSTFIX_MAX)
		return tw_filter_error(p->err, -E2BIG, column(p), "the expression has too many operators");
	filter->postfix[filter->n_postfix++] =
		(struct tw_postfix){ .kind = (uint8_t)kind, .predicate = (uint16_t)predicate };
	return 0;
}

static int take_value(struct parser *p, struct tw_literal *ret)
{
	if (p->token.kind != TW_TOKEN_WORD && p->token.kind != TW_TOKEN_STRING)
		return tw_filter_error(p->err, -EINVAL, column(p), "a value is expected here");
	*ret = p->token.literal;
	return next(p);
}

static int take_member(struct parser *p, struct tw_set_member **ret)
{
	struct tw_set_member *member = tw_arena__take(p->filter->arena, sizeof(*member));
	int error = member ? take_value(p, &member->low) : -ENOMEM;

	if (!error && p->token.kind == TW_TOKEN_RANGE) {
		member->is_range = true;
		error = next(p);
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
		return tw_filter_error(p->err, -EINVAL, column(p), "a set in braces is expected here: {1, 2, 5..9}");
	do {
		error = next(p);
		if (!error)
			error = take_member(p, end);
		if (error)
			return error;
		end = &(*end)->next;
		if (++n > TW_FILTER_PREDICATES_MAX)
			return tw_filter_error(p->err, -E2BIG, column(p), "a set has %d members at most",
					       TW_FILTER_PREDICATES_MAX);
	} while (p->token.kind == TW_TOKEN_COMMA);
	if (p->token.kind != TW_TOKEN_SET_END)
		return tw_filter_error(p->err, -EINVAL, column(p), "a comma or a closing brace is expected here");
	predicate->op = TW_TEST_EQ;
	return next(p);
}

static int take_right_side(struct parser *p, struct tw_predicate *predicate, uint8_t op)
{
	int error;

	predicate->op = op;
	predicate->op_column = column(p);
	error = next(p);
	if (error)
		return error;
	predicate->members = tw_arena__take(p->filter->arena, sizeof(*predicate->members));
	return predicate->members ? take_value(p, &predicate->members->low) : -ENOMEM;
}

static int take_mask(struct parser *p, struct tw_predicate *predicate)
{
	int error = next(p);

	predicate->has_mask = true;
	predicate->op = TW_TEST_NE; /* without a comparison: what is left is not 0 */
	return error ? error : take_value(p, &predicate->mask);
}

/* `in` or `not in`, if that stands here. */
static int take_in(struct parser *p, struct tw_predicate *predicate, bool *ret_negated)
{
	int error;

	*ret_negated = is_word(p, "not");
	predicate->op_column = column(p);
	error = *ret_negated ? next(p) : 0;
	if (error)
		return error;
	if (!is_word(p, "in"))
		return tw_filter_error(p->err, -EINVAL, column(p), "'in' is expected behind 'not'");
	error = next(p);
	return error ? error : take_set(p, predicate);
}

/* What stands behind the name. */
static int take_comparison(struct parser *p, struct tw_predicate *predicate, bool *ret_negated)
{
	uint8_t op;
	int error;

	predicate->op = TW_TEST_EXISTS;
	predicate->op_column = column(p);
	if (p->token.kind == TW_TOKEN_MASK) {
		error = take_mask(p, predicate);
		if (error)
			return error;
	}
	if (p->token.kind == TW_TOKEN_COMPARE)
		return take_right_side(p, predicate, p->token.op);
	if (find_word_operator(p, &op))
		return take_right_side(p, predicate, op);
	if (is_word(p, "in") || is_word(p, "not"))
		return take_in(p, predicate, ret_negated);
	return 0;
}

static int take_predicate(struct parser *p)
{
	static const char prefix[] = "trace.";
	struct tw_filter *filter = p->filter;
	struct tw_predicate *predicate = tw_arena__take(filter->arena, sizeof(*predicate));
	const char *name = p->token.literal.text;
	bool negated = false;
	int error;

	if (!predicate)
		return tw_filter_error(p->err, -ENOMEM, column(p), "no memory");
	if (filter->n_predicates == TW_FILTER_PREDICATES_MAX)
		return tw_filter_error(p->err, -E2BIG, column(p), "an expression has %d comparisons at most",
				       TW_FILTER_PREDICATES_MAX);
	predicate->begin = p->token.begin;
	predicate->column = column(p);
	predicate->name = strncmp(name, prefix, strlen(prefix)) ? name : name + strlen(prefix);
	error = next(p);
	if (!error)
		error = take_comparison(p, predicate, &negated);
	if (error)
		return error;
	predicate->end = p->token.begin;
	while (predicate->end > predicate->begin && strchr(" \t\r\n", filter->text[predicate->end - 1]))
		predicate->end--;
	filter->predicates[filter->n_predicates] = predicate;
	error = append(p, TW_POSTFIX_PREDICATE, filter->n_predicates++);
	return error || !negated ? error : append(p, TW_POSTFIX_NOT, 0);
}

static int wait_for(struct parser *p, enum waiting what)
{
	const bool deeper = what == WAITING_OPEN || what == WAITING_NOT;

	if (p->depth + deeper > TW_FILTER_DEPTH_MAX || p->n_waiting == WAITING_MAX)
		return tw_filter_error(p->err, -E2BIG, column(p), "more than %d parentheses and nots inside each other",
				       TW_FILTER_DEPTH_MAX);
	p->depth += deeper;
	p->waiting[p->n_waiting].what = what;
	p->waiting[p->n_waiting++].column = column(p);
	return next(p);
}

/* What binds tighter than, or as tight as, what comes now has its right side. */
static int settle(struct parser *p, enum waiting coming)
{
	static const uint8_t kinds[] = {
		[WAITING_OR] = TW_POSTFIX_OR,
		[WAITING_AND] = TW_POSTFIX_AND,
		[WAITING_NOT] = TW_POSTFIX_NOT,
	};
	int error = 0;

	while (!error && p->n_waiting && p->waiting[p->n_waiting - 1].what >= coming &&
	       p->waiting[p->n_waiting - 1].what != WAITING_OPEN) {
		const enum waiting what = p->waiting[--p->n_waiting].what;

		p->depth -= what == WAITING_NOT;
		error = append(p, kinds[what], 0);
	}
	return error;
}

/* Return: 1 while what comes next is a comparison again. */
static int take_operand(struct parser *p)
{
	if (p->token.kind == TW_TOKEN_NOT || is_word(p, "not")) {
		const int error = wait_for(p, WAITING_NOT);

		return error ? error : 1;
	}
	if (p->token.kind == TW_TOKEN_OPEN) {
		const int error = wait_for(p, WAITING_OPEN);

		return error ? error : 1;
	}
	if (p->token.kind != TW_TOKEN_WORD)
		return tw_filter_error(p->err, -EINVAL, column(p), "a comparison is expected here, such as cpu == 1");
	return take_predicate(p);
}

static int close_parenthesis(struct parser *p)
{
	const int error = settle(p, WAITING_OR);

	if (error)
		return error;
	if (!p->n_waiting)
		return tw_filter_error(p->err, -EINVAL, column(p), "this parenthesis was never opened");
	p->n_waiting--;
	p->depth--;
	return next(p);
}

/* Return: 1 if a comparison has to follow. */
static int take_joint(struct parser *p)
{
	enum waiting what;
	int error;

	if (p->token.kind == TW_TOKEN_CLOSE)
		return close_parenthesis(p);
	if (p->token.kind == TW_TOKEN_AND || is_word(p, "and"))
		what = WAITING_AND;
	else if (p->token.kind == TW_TOKEN_OR || is_word(p, "or"))
		what = WAITING_OR;
	else
		return tw_filter_error(p->err, -EINVAL, column(p), "'and', 'or' or the end is expected here");
	error = settle(p, what);
	if (!error)
		error = wait_for(p, what);
	return error ? error : 1;
}

static int parse(struct parser *p)
{
	int r = next(p);

	if (r)
		return r;
	if (p->token.kind == TW_TOKEN_END)
		return tw_filter_error(p->err, -EINVAL, 1, "the expression is empty");
	r = 1;
	while (r >= 0 && (r || p->token.kind != TW_TOKEN_END))
		r = r ? take_operand(p) : take_joint(p);
	if (!r)
		r = settle(p, WAITING_OR);
	if (!r && p->n_waiting)
		return tw_filter_error(p->err, -EINVAL, p->waiting[p->n_waiting - 1].column,
				       "this parenthesis is never closed");
	return r;
}

int tw_filter__parse(const char *text, struct tw_filter **ret, struct tw_error *err)
{
	struct tw_filter *filter;
	struct parser p = { .err = err };
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
	p.filter = filter;
	p.lexer = (struct tw_filter_lexer){ .text = filter->text, .arena = filter->arena };
	error = parse(&p);
	if (error == -ENOMEM)
		tw_filter_error(err, error, column(&p), "no memory");
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
