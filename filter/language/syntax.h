/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to filter/. A parsed expression: comparisons, and the operators between them in postfix order. */
#ifndef TW_FILTER_SYNTAX_H
#define TW_FILTER_SYNTAX_H

#include "filter/arena.h"
#include "filter/filter.h"
#include "filter/tree.h"

/* A value as typed. Its type depends on the field that it is compared with. */
struct tw_literal {
	const char *text; /* without quotes, with escapes replaced; followed by a NUL */
	size_t len;
	uint32_t column; /* column of its first character; with quotes, of the opening quote or of the r before it */
	char quote;      /* '"' or '\''; 0 = without quotes */
};

/* A value of a comparison, or a range in a set. */
struct tw_set_member {
	struct tw_literal low, high; /* low: the value, or the lower end of a range; high: the upper end of a range */
	bool is_range;
	struct tw_set_member *next;
};

struct tw_predicate {
	size_t begin, end;  /* offsets of the comparison and of the byte after it, in the expression */
	uint32_t column;    /* column of the name, after its prefix "trace." */
	const char *name;   /* without the prefix "trace." */
	uint32_t op_column; /* column of the operator */
	uint8_t op; /* enum tw_test_op; EQ for a set, NE for a mask without an operator, EXISTS for a name alone */
	bool has_mask;
	struct tw_literal mask;
	struct tw_set_member *members; /* the values: several for a set, otherwise one; NULL if there is no operator */
};

enum tw_postfix_kind {
	TW_POSTFIX_PREDICATE,
	TW_POSTFIX_NOT,
	TW_POSTFIX_AND,
	TW_POSTFIX_OR,
};

struct tw_postfix {
	uint8_t kind;       /* enum tw_postfix_kind */
	uint16_t predicate; /* PREDICATE: index of the comparison */
};

/* Limit of comparisons and operators (AND, OR, NOT) together. A longer expression is refused. */
#define TW_POSTFIX_MAX (TW_FILTER_PREDICATES_MAX * 4)

struct tw_filter {
	struct tw_arena *arena;
	const char *text;
	const struct tw_predicate *predicates[TW_FILTER_PREDICATES_MAX];
	unsigned int n_predicates;
	struct tw_postfix postfix[TW_POSTFIX_MAX];
	unsigned int n_postfix;
};

/** tw_digit_of() - Return: the value of a hexadecimal digit; 16 for another character */
static inline int tw_digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/** tw_filter_error() - call tw_error__set() with "column N: " before the sentence. Return: @err */
__attribute__((format(printf, 4, 5))) int tw_filter_error(struct tw_error *error, int err, uint32_t column,
							  const char *fmt, ...);

#endif
