/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the filter room. Trees as text, for the stages that take text. */
#ifndef TW_FILTER_EXPRESSION_H
#define TW_FILTER_EXPRESSION_H

#include "base/line.h"
#include "filter/tree.h"

/* How a stage writes a tree. */
struct tw_expression_style {
	const char *and, * or ; /* with the blanks around them */
	const char * not ;      /* goes before parentheses */
	bool nests_ands;        /* `and` binds no tighter than `or` */
	/* Appends a test, as if it were not negated. Return: whether it needs parentheses beside others. */
	bool (*test)(const void *ctx, const struct tw_test *test, struct tw_line *line);
	const void *ctx;
};

/** tw_expression__write() - append a tree, neither TRUE nor FALSE. Return: whether it needs parentheses behind an `and` */
bool tw_expression__write(const struct tw_expression_style *style, const struct tw_node *root, struct tw_line *line);

/** tw_line__insert() - put text between what the line has already. @at: where, in the line */
void tw_line__insert(struct tw_line *line, char *at, const char *text);

#endif
