/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the filter room. A parsed expression: comparisons, and in postfix order what joins them. */
#ifndef TW_FILTER_SYNTAX_H
#define TW_FILTER_SYNTAX_H

#include "filter/arena.h"
#include "filter/filter.h"
#include "filter/tree.h"

/* A value as it was typed. What it means only the field that it is compared with can tell. */
struct tw_literal {
	const char *text; /* without quotes, escapes replaced; with a NUL behind it */
	size_t len;
	uint32_t column;
	char quote; /* '"' or '\''; 0 = none */
};

/* A value, or a range of them in a set. */
struct tw_set_member {
	struct tw_literal low, high;
	bool is_range;
	struct tw_set_member *next;
};

struct tw_predicate {
	size_t begin, end; /* in the text, bytes */
	uint32_t column;   /* of the name, behind "trace." */
	const char *name;  /* without "trace." */
	uint32_t op_column;
	uint8_t op; /* enum tw_test_op: what a set's members are compared by is EQ */
	bool has_mask;
	struct tw_literal mask;
	struct tw_set_member *members; /* what it is compared with: one, several of a set, none for EXISTS */
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

/* not's and joints: one joint between two comparisons, a not for each level at most in front of each. */
#define TW_POSTFIX_MAX (TW_FILTER_PREDICATES_MAX * 4)

struct tw_filter {
	struct tw_arena *arena;
	const char *text;
	const struct tw_predicate *predicates[TW_FILTER_PREDICATES_MAX];
	unsigned int n_predicates;
	struct tw_postfix postfix[TW_POSTFIX_MAX];
	unsigned int n_postfix;
};

/** tw_digit_of() - the value of a digit, 16 if it is none in any base up to that */
static inline int tw_digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/** tw_filter_error() - as tw_error__set(), "column N: " before it */
__attribute__((format(printf, 4, 5))) int tw_filter_error(struct tw_error *error, int code, uint32_t column,
							  const char *fmt, ...);

#endif
