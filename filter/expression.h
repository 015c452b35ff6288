/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal to filter/. Writes trees as text, for the back ends that produce text. A bound filter has a tree for each event, but a pcap
 * filter or a display filter is one expression for all events. Therefore events whose trees have equal texts form a group. u32 also uses
 * these groups.
 */
#ifndef TW_FILTER_EXPRESSION_H
#define TW_FILTER_EXPRESSION_H

#include "base/line.h"
#include "filter/capability.h"

/* The syntax of a back end. */
struct tw_expression_style {
	const char *and_text, *or_text; /* the operators, with a blank before and after them */
	const char *not_text;           /* the NOT operator, whose operand follows in parentheses */
	bool nests_ands;                /* an AND inside an OR needs parentheses */
	/* Appends a test; the caller adds the negation. Return: whether the text needs parentheses in a larger expression. */
	bool (*test)(const struct tw_format *format, const struct tw_test *test, struct tw_line *line);
};

/**
 * tw_expression__write() - append the text of a tree that is neither TRUE nor FALSE
 * @format: the event's format, passed to style->test(); NULL if the style does not need it
 * Return: whether the text needs parentheses when it is joined with an `and`.
 */
bool tw_expression__write(const struct tw_expression_style *style, const struct tw_format *format,
			  const struct tw_node *root, struct tw_line *line);

/** tw_line__insert() - insert @text at the position @at of the line; if the line has no room, only set line->cut */
void tw_line__insert(struct tw_line *line, char *at, const char *text);

/** tw_line__wrap() - insert @open before the text that begins at @begin, and append `)` to the line */
void tw_line__wrap(struct tw_line *line, char *begin, const char *open);

/* Events whose trees have the same text. */
struct tw_group {
	uint32_t at, len;           /* offset and length of the text in the pool; length 0 if the tree is TRUE */
	uint32_t n;                 /* number of events; all unknown ids together count as one event */
	bool has_unknown;           /* the group includes the ids that the schema does not have */
	bool is_joint;              /* the text needs parentheses when it is joined with an `and` */
	bool is_and;                /* the root is an AND */
	const struct tw_node *root; /* the tree of the group's first event */
};

struct tw_groups {
	const struct tw_bound *bound;
	struct tw_group *groups; /* an event whose tree is FALSE is in no group */
	uint32_t n;
	/* For each of bound->events, and in the last element for unknown ids: index of the group + 1; 0 = no group. */
	uint32_t *group_of;
	char *pool;          /* the texts of all groups */
	struct tw_line text; /* writes to pool */
	uint32_t *slots;     /* hash table by the text: index of the group + 1; 0 = free */
	uint32_t n_slots;
};

/**
 * tw_groups__make() - write the trees of all events, and make groups of events with equal texts
 * @room: limit of the size of the texts of all groups together, bytes
 * @ret: free with tw_groups__fini(), also after an error
 *
 * Return: 0; -EOPNOTSUPP as from tw_bound__check(); -E2BIG if the texts exceed @room; -ENOMEM.
 */
int tw_groups__make(const struct tw_bound *bound, const struct tw_expression_style *style, enum tw_back_end back_end,
		    size_t room, struct tw_groups *ret, struct tw_error *error);

/** tw_groups__fini() - free the memory of the groups, also after an error of tw_groups__make() */
void tw_groups__fini(struct tw_groups *groups);

/**
 * tw_groups__next_ids() - find the next range of ids of a group's events, or with @others, of the schema's other events
 * @at: position in bound->events; 0 for the first call
 * @ret_first, @ret_last: the first and the last id of the range; each id between them also belongs to such an event
 * Return: false if there is no other range.
 */
bool tw_groups__next_ids(const struct tw_groups *groups, uint32_t group, bool others, size_t *at, uint16_t *ret_first,
			 uint16_t *ret_last);

/** tw_group__knows() - Return: number of a group's events that the schema has */
static inline size_t tw_group__knows(const struct tw_group *group)
{
	return group->n - group->has_unknown;
}

#endif
