/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to filter/. A parsed expression: comparisons, and the operators between them in postfix order. */
#ifndef TW_FILTER_SYNTAX_H
#define TW_FILTER_SYNTAX_H

#include "filter/arena.h"
#include "filter/filter.h"
#include "filter/tree.h"

/* A value as typed. Only the field that it is compared with determines its meaning. */
struct tw_literal {
	const char *text; /* without quotes, with escapes replaced; followed by a NUL */
	size_t len;
	uint32_t column;
	char quote; /* '"' or '\''; 0 = none */
};

/* A value, or a range in a set. */
struct tw_set_member {
	struct tw_literal low, high;
	bool is_range;
	struct tw_set_member *next;
};

struct tw_predicate {
	size_t begin, end; /* in the expression, bytes */
	uint32_t column;   /* of the name, after "trace." */
	const char *name;  /* without "trace." */
	uint32_t op_column;
	uint8_t op; /* enum tw_test_op: members of a set are compared with EQ */
	bool has_mask;
	struct tw_literal mask;
	struct tw_set_member *members; /* the values: one, several for a set, none for EXISTS */
	struct tw_predicate *next;
};

enum tw_postfix_kind {
	TW_POSTFIX_PREDICATE,
	TW_POSTFIX_NOT,
	TW_POSTFIX_AND,
	TW_POSTFIX_OR,
};

struct tw_postfix {
	uint8_t kind;       /* enum tw_postfix_kind */
	uint16_t predicate; /* of PREDICATE */
};

/* nots and joints: one joint between two comparisons, at most one not for each level before each. */
#define TW_POSTFIX_MAX (TW_FILTER_PREDICATES_MAX * 4)

struct tw_filter {
	struct tw_arena *arena;
	const char *text;
	const struct tw_predicate *predicates[TW_FILTER_PREDICATES_MAX];
	unsigned int n_predicates;
	struct tw_postfix postfix[TW_POSTFIX_MAX];
	unsigned int n_postfix;
};

/** tw_digit_of() - the value of a digit; 16 if it is no digit of any base up to 16 */
static inline int tw_digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/** tw_filter_error() - as tw_error__set(), with "column N: " before the sentence */
__attribute__((format(printf, 4, 5))) int tw_filter_error(struct tw_error *error, int code, uint32_t column,
							  const char *fmt, ...);

#endif
