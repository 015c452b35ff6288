/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to the filter room. Trees as text, for the back ends that take text. A bound filter has a tree for each event, a text is
 * one expression: so events whose trees are written alike are a group.
 */
#ifndef TW_FILTER_EXPRESSION_H
#define TW_FILTER_EXPRESSION_H

#include "base/line.h"
#include "filter/capability.h"

/* How a back end writes a tree. */
struct tw_expression_style {
	const char *and_text, *or_text; /* with the blanks around them */
	const char *not_text;           /* goes before parentheses */
	bool nests_ands;                /* `and` binds no tighter than `or` */
	/* Appends a test on an event, as if it were not negated. Return: whether it needs parentheses beside others. */
	bool (*test)(const struct tw_format *format, const struct tw_test *test, struct tw_line *line);
};

/**
 * tw_expression__write() - append a tree, neither TRUE nor FALSE
 * @format: of the event; NULL where the style does not ask for it
 * Return: whether it needs parentheses behind an `and`.
 */
bool tw_expression__write(const struct tw_expression_style *style, const struct tw_format *format,
			  const struct tw_node *root, struct tw_line *line);

/** tw_line__insert() - put text between what the line has already. @at: where, in the line */
void tw_line__insert(struct tw_line *line, char *at, const char *text);

/** tw_line__wrap() - put what the line has from @begin on between @open and a closing parenthesis */
void tw_line__wrap(struct tw_line *line, char *begin, const char *open);

struct tw_group {
	uint32_t at, len;           /* its text in the pool; none if its events match whatever they hold */
	uint32_t n;                 /* events, those that the schema does not know counted as one */
	bool has_unknown;           /* those are in it */
	bool is_joint;              /* the text needs parentheses behind an `and` */
	bool is_and;                /* and in front of an `or` */
	const struct tw_node *root; /* of its first event */
};

struct tw_groups {
	const struct tw_bound *bound;
	struct tw_group *groups; /* events that never match are in none */
	uint32_t n;
	uint32_t *group_of; /* each event's group + 1, 0 = none; behind the last: that of unknown ones */
	char *pool;
	struct tw_line text; /* on the pool */
	uint32_t *slots;     /* group + 1 by the hash of its text */
	uint32_t n_slots;
};

/**
 * tw_groups__make() - write the trees of all events and put them together
 * @room: bytes that all texts together may have
 * @ret: tw_groups__fini(), whatever is returned
 *
 * Return: 0; -EOPNOTSUPP, -E2BIG, -ENOMEM.
 */
int tw_groups__make(const struct tw_bound *bound, const struct tw_expression_style *style, enum tw_back_end back_end,
		    size_t room, struct tw_groups *ret, struct tw_error *error);

void tw_groups__fini(struct tw_groups *groups);

/** tw_group__knows() - how many events of the schema are in a group */
static inline size_t tw_group__knows(const struct tw_group *group)
{
	return group->n - group->has_unknown;
}

#endif
