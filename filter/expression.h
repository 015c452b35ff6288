/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to filter/. Trees as text, for the back ends with a text language. A bound filter has a tree for each event, but a text is
 * one expression: so events with equal texts form a group.
 */
#ifndef TW_FILTER_EXPRESSION_H
#define TW_FILTER_EXPRESSION_H

#include "base/line.h"
#include "filter/capability.h"

/* The syntax of a back end. */
struct tw_expression_style {
	const char *and_text, *or_text; /* including blanks */
	const char *not_text;           /* precedes parentheses */
	bool nests_ands;                /* `and` has the same precedence as `or` */
	/* Appends a test of an event without its negation. Return: whether it needs parentheses beside other tests. */
	bool (*test)(const struct tw_format *format, const struct tw_test *test, struct tw_line *line);
};

/**
 * tw_expression__write() - append a tree that is neither TRUE nor FALSE
 * @format: of the event; NULL if the style does not need it
 * Return: whether it needs parentheses after an `and`.
 */
bool tw_expression__write(const struct tw_expression_style *style, const struct tw_format *format,
			  const struct tw_node *root, struct tw_line *line);

/** tw_line__insert() - insert text at offset @at of the line */
void tw_line__insert(struct tw_line *line, char *at, const char *text);

/** tw_line__wrap() - put the text of the line from @begin on between @open and a closing parenthesis */
void tw_line__wrap(struct tw_line *line, char *begin, const char *open);

struct tw_group {
	uint32_t at, len;           /* its text in the pool; none if its events match with any content */
	uint32_t n;                 /* number of events; those that the schema does not have count as one */
	bool has_unknown;           /* it includes those */
	bool is_joint;              /* the text needs parentheses after an `and` */
	bool is_and;                /* and before an `or` */
	const struct tw_node *root; /* of its first event */
};

struct tw_groups {
	const struct tw_bound *bound;
	struct tw_group *groups; /* events that never match are in no group */
	uint32_t n;
	uint32_t *group_of; /* each event's group + 1, 0 = none; after the last event: the group of unknown ones */
	char *pool;
	struct tw_line text; /* texts of all groups */
	uint32_t *slots;     /* group + 1 by the hash of its text */
	uint32_t n_slots;
};

/**
 * tw_groups__make() - write the trees of all events and group equal texts
 * @room: size of all texts together, bytes
 * @ret: call tw_groups__fini() in any case
 *
 * Return: 0; -EOPNOTSUPP, -E2BIG, -ENOMEM.
 */
int tw_groups__make(const struct tw_bound *bound, const struct tw_expression_style *style, enum tw_back_end back_end,
		    size_t room, struct tw_groups *ret, struct tw_error *error);

void tw_groups__fini(struct tw_groups *groups);

/** tw_group__knows() - number of events of the schema in a group */
static inline size_t tw_group__knows(const struct tw_group *group)
{
	return group->n - group->has_unknown;
}

#endif
