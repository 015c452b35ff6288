/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parser. It appends each comparison to a list. It keeps each operator on a stack until the operator's right side is complete, and then
 * moves the operator to the list. The list is therefore in postfix order. Because of the stack, no function needs to recurse, at any depth
 * of parentheses.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "filter/language/lex.h"

int tw_filter_error(struct tw_error *error, int err, uint32_t column, const char *fmt, ...)
{
	char text[sizeof(error->text)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return tw_error__set(error, err, "column %u: %s", column, text);
}

/* Size of the stack of operators. Each level has at most three: the parenthesis or `not` that begins the level, one OR and one AND. */
#define WAITING_MAX (3 * (TW_FILTER_DEPTH_MAX + 1))

/* An operator or parenthesis on the stack. The order is from the lowest precedence to the highest. */
enum waiting_operator { WAITING_OPEN, WAITING_OR, WAITING_AND, WAITING_NOT };

struct expression_parser {
	struct tw_filter_lexer lexer;
	struct tw_filter *filter;
	struct tw_filter_token token; /* the next token, not parsed yet */
	struct tw_error *error;
	struct {
		enum waiting_operator what;
		uint32_t column;
	} waiting[WAITING_MAX];
	unsigned int n_waiting;
	unsigned int depth; /* number of parentheses and nots on the stack */
};

static uint32_t parser__column(const struct expression_parser *p)
{
	return p->token.literal.column;
}

static int parser__next(struct expression_parser *p)
{
	return tw_filter_lexer__next(&p->lexer, &p->token, p->error);
}

/* Make an error at the column of the next token. Return: -EINVAL */
static int parser__refuse(const struct expression_parser *p, const char *why)
{
	return tw_filter_error(p->error, -EINVAL, parser__column(p), "%s", why);
}

static bool parser__is_word(const struct expression_parser *p, const char *word)
{
	return p->token.kind == TW_TOKEN_WORD && !strcmp(p->token.literal.text, word);
}

/* Whether the next token, after a name, is a keyword for an operator. */
static bool find_word_operator(const struct expression_parser *p, uint8_t *ret_op)
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

static int take_value(struct expression_parser *p, struct tw_literal *ret)
{
	if (p->token.kind != TW_TOKEN_WORD && p->token.kind != TW_TOKEN_STRING)
		return tw_filter_error(p->error, -EINVAL, parser__column(p), "a value is expected here%s",
				       p->token.kind == TW_TOKEN_OPEN ? ", without parentheses" : "");
	*ret = p->token.literal;
	return parser__next(p);
}

static int take_member(struct expression_parser *p, struct tw_set_member **ret)
{
	struct tw_set_member *member = tw_arena__take(p->filter->arena, sizeof(*member));
	int err = member ? take_value(p, &member->low) : -ENOMEM;

	if (!err && p->token.kind == TW_TOKEN_RANGE) {
		member->is_range = true;
		err = parser__next(p);
		if (!err)
			err = take_value(p, &member->high);
	}
	*ret = member;
	return err;
}

/* Parse a set, from its opening to its closing brace. */
static int take_set(struct expression_parser *p, struct tw_predicate *predicate)
{
	struct tw_set_member **end = &predicate->members;
	unsigned int n = 0;
	int err;

	if (p->token.kind != TW_TOKEN_SET)
		return parser__refuse(p, "a set in braces is expected here: {1, 2, 5..9}");
	do {
		err = parser__next(p);
		if (!err)
			err = take_member(p, end);
		if (err)
			return err;
		end = &(*end)->next;
		if (++n > TW_FILTER_PREDICATES_MAX)
			return tw_filter_error(p->error, -E2BIG, parser__column(p), "a set has at most %d members",
					       TW_FILTER_PREDICATES_MAX);
	} while (p->token.kind == TW_TOKEN_COMMA);
	if (p->token.kind != TW_TOKEN_SET_END)
		return parser__refuse(p, "a comma or a closing brace is expected here");
	predicate->op = TW_TEST_EQ;
	return parser__next(p);
}

static int take_right_side(struct expression_parser *p, struct tw_predicate *predicate, uint8_t op)
{
	int err;

	predicate->op = op;
	predicate->op_column = parser__column(p);
	err = parser__next(p);
	if (err)
		return err;
	predicate->members = tw_arena__take(p->filter->arena, sizeof(*predicate->members));
	return predicate->members ? take_value(p, &predicate->members->low) : -ENOMEM;
}

static int take_mask(struct expression_parser *p, struct tw_predicate *predicate)
{
	int err = parser__next(p);

	predicate->has_mask = true;
	predicate->op = TW_TEST_NE; /* if no operator follows, `name & mask` means `name & mask != 0` */
	return err ? err : take_value(p, &predicate->mask);
}

/* Parse `in` or `not in`, and the set after it. The next token is `in` or `not`. */
static int take_in(struct expression_parser *p, struct tw_predicate *predicate, bool *ret_negated)
{
	int err;

	*ret_negated = parser__is_word(p, "not");
	predicate->op_column = parser__column(p);
	err = *ret_negated ? parser__next(p) : 0;
	if (err)
		return err;
	if (!parser__is_word(p, "in"))
		return parser__refuse(p, "'in' is expected after 'not'");
	err = parser__next(p);
	return err ? err : take_set(p, predicate);
}

/* Parse a comparison after its name: mask, operator and values, as far as they are present. */
static int take_right_of_name(struct expression_parser *p, struct tw_predicate *predicate, bool *ret_negated)
{
	uint8_t op;
	int err;

	predicate->op = TW_TEST_EXISTS;
	predicate->op_column = parser__column(p);
	if (p->token.kind == TW_TOKEN_MASK) {
		err = take_mask(p, predicate);
		if (err)
			return err;
	}
	if (p->token.kind == TW_TOKEN_COMPARE)
		return take_right_side(p, predicate, p->token.op);
	if (find_word_operator(p, &op))
		return take_right_side(p, predicate, op);
	if (parser__is_word(p, "in") || parser__is_word(p, "not"))
		return take_in(p, predicate, ret_negated);
	return 0;
}

static int append(struct expression_parser *p, enum tw_postfix_kind kind, unsigned int predicate)
{
	struct tw_filter *filter = p->filter;

	if (filter->n_postfix == TW_POSTFIX_MAX)
		return tw_filter_error(p->error, -E2BIG, parser__column(p),
				       "the expression has more than %d comparisons and operators", TW_POSTFIX_MAX);
	filter->postfix[filter->n_postfix++] =
		(struct tw_postfix){ .kind = (uint8_t)kind, .predicate = (uint16_t)predicate };
	return 0;
}

/* Parse a comparison, from its name to its values, and add it to the filter's predicates. */
static int take_comparison(struct expression_parser *p)
{
	static const char prefix[] = "trace.";
	struct tw_filter *filter = p->filter;
	struct tw_predicate *predicate = tw_arena__take(filter->arena, sizeof(*predicate));
	const char *name = p->token.literal.text;
	const size_t skip = strncmp(name, prefix, strlen(prefix)) ? 0 : strlen(prefix);
	bool negated = false; /* the operator is `not in` */
	int err;

	if (!predicate)
		return -ENOMEM;
	if (filter->n_predicates == TW_FILTER_PREDICATES_MAX)
		return tw_filter_error(p->error, -E2BIG, parser__column(p), "an expression has at most %d comparisons",
				       TW_FILTER_PREDICATES_MAX);
	predicate->begin = p->token.begin;
	predicate->column = parser__column(p) + (uint32_t)skip;
	predicate->name = name + skip;
	err = parser__next(p);
	if (!err)
		err = take_right_of_name(p, predicate, &negated);
	if (err)
		return err;
	predicate->end = p->token.begin;
	while (predicate->end > predicate->begin && strchr(" \t\r\n", filter->text[predicate->end - 1]))
		predicate->end--;
	filter->predicates[filter->n_predicates] = predicate;
	err = append(p, TW_POSTFIX_PREDICATE, filter->n_predicates++);
	return err || !negated ? err : append(p, TW_POSTFIX_NOT, 0);
}

/* Put the next token on the stack. Return: 1, because an operand must follow; a negative errno. */
static int wait_for(struct expression_parser *p, enum waiting_operator what)
{
	const bool deeper = what == WAITING_OPEN || what == WAITING_NOT;
	int err;

	if (p->depth + deeper > TW_FILTER_DEPTH_MAX)
		return tw_filter_error(p->error, -E2BIG, parser__column(p),
				       "an expression has at most %d levels of parentheses and `not`",
				       TW_FILTER_DEPTH_MAX);
	p->depth += deeper;
	p->waiting[p->n_waiting].what = what;
	p->waiting[p->n_waiting++].column = parser__column(p);
	err = parser__next(p);
	return err ? err : 1;
}

/*
 * Move those operators from the stack to the postfix list whose right side is complete when the operator @coming follows. These are the
 * operators after the last opening parenthesis, as long as their precedence is not below that of @coming.
 */
static int settle(struct expression_parser *p, enum waiting_operator coming)
{
	static const uint8_t kinds[] = {
		[WAITING_OR] = TW_POSTFIX_OR,
		[WAITING_AND] = TW_POSTFIX_AND,
		[WAITING_NOT] = TW_POSTFIX_NOT,
	};
	int err = 0;

	while (!err && p->n_waiting && p->waiting[p->n_waiting - 1].what >= coming &&
	       p->waiting[p->n_waiting - 1].what != WAITING_OPEN) {
		const enum waiting_operator what = p->waiting[--p->n_waiting].what;

		p->depth -= what == WAITING_NOT;
		err = append(p, kinds[what], 0);
	}
	return err;
}

/* Parse a comparison, `not` or an opening parenthesis. Return: 1 if another operand must follow; 0; a negative errno. */
static int take_operand(struct expression_parser *p)
{
	if (p->token.kind == TW_TOKEN_NOT || parser__is_word(p, "not"))
		return wait_for(p, WAITING_NOT);
	if (p->token.kind == TW_TOKEN_OPEN)
		return wait_for(p, WAITING_OPEN);
	if (p->token.kind != TW_TOKEN_WORD)
		return parser__refuse(p, "a comparison is expected here, such as cpu == 1");
	return take_comparison(p);
}

static int close_parenthesis(struct expression_parser *p)
{
	const int err = settle(p, WAITING_OR);

	if (err)
		return err;
	if (!p->n_waiting)
		return parser__refuse(p, "this parenthesis has no opening parenthesis");
	p->n_waiting--;
	p->depth--;
	return parser__next(p);
}

/* Make the error for a token that cannot follow a comparison. */
static int say_no_joint(const struct expression_parser *p)
{
	const char *why = "'and', 'or' or the end of the expression is expected here";

	if (p->token.kind == TW_TOKEN_MASK)
		why = "a mask is written NAME & MASK; for 'and', write '&&'";
	else if (p->token.kind == TW_TOKEN_RANGE)
		why = "a range can only be in a set: NAME in {1..5}";
	else if (p->token.kind == TW_TOKEN_OPEN)
		why = "'and' or 'or' is expected before a parenthesis; functions are not supported";
	else if (p->token.kind == TW_TOKEN_WORD &&
		 (!strcasecmp(p->token.literal.text, "and") || !strcasecmp(p->token.literal.text, "or")))
		why = "write 'and' and 'or' in lower case";
	return parser__refuse(p, why);
}

/* Parse `and`, `or` or a closing parenthesis. Return: 1 if an operand must follow; 0; a negative errno. */
static int take_joint(struct expression_parser *p)
{
	enum waiting_operator what;
	int err;

	if (p->token.kind == TW_TOKEN_CLOSE)
		return close_parenthesis(p);
	if (p->token.kind == TW_TOKEN_AND || parser__is_word(p, "and"))
		what = WAITING_AND;
	else if (p->token.kind == TW_TOKEN_OR || parser__is_word(p, "or"))
		what = WAITING_OR;
	else
		return say_no_joint(p);
	err = settle(p, what);
	return err ? err : wait_for(p, what);
}

static int parse(struct expression_parser *p)
{
	int err = parser__next(p);

	if (err)
		return err;
	if (p->token.kind == TW_TOKEN_END)
		return tw_filter_error(p->error, -EINVAL, 1, "the expression is empty");
	err = 1; /* an operand must follow */
	while (err >= 0 && (err || p->token.kind != TW_TOKEN_END))
		err = err ? take_operand(p) : take_joint(p);
	if (!err)
		err = settle(p, WAITING_OR);
	if (!err && p->n_waiting)
		return tw_filter_error(p->error, -EINVAL, p->waiting[p->n_waiting - 1].column,
				       "this parenthesis has no closing parenthesis");
	return err;
}

int tw_filter__parse(const char *text, struct tw_filter **ret, struct tw_error *error)
{
	struct tw_filter *filter;
	struct expression_parser parser = { .error = error };
	int err;

	if (strlen(text) > TW_FILTER_TEXT_MAX)
		return tw_filter_error(error, -E2BIG, TW_FILTER_TEXT_MAX + 1, "an expression has at most %d bytes",
				       TW_FILTER_TEXT_MAX);
	filter = calloc(1, sizeof(*filter));
	if (filter)
		filter->arena = tw_arena__new(TW_FILTER_MEMORY_MAX);
	if (filter && filter->arena)
		filter->text = tw_arena__copy(filter->arena, text, strlen(text));
	if (!filter || !filter->text) {
		tw_filter__free(filter);
		return tw_filter_error(error, -ENOMEM, 1, "out of memory for the expression");
	}
	parser.filter = filter;
	parser.lexer = (struct tw_filter_lexer){ .text = filter->text, .arena = filter->arena };
	err = parse(&parser);
	if (err == -ENOMEM)
		tw_filter_error(error, err, parser__column(&parser), "out of memory for the expression");
	if (err) {
		tw_filter__free(filter);
		return err;
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
