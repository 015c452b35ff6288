/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/expression.h"

void tw_line__insert(struct tw_line *line, char *at, const char *text)
{
	const size_t len = strlen(text);

	if (len > (size_t)(line->end - line->at)) {
		line->cut = true;
		return;
	}
	memmove(at + len, at, (size_t)(line->at - at));
	line->at += len;
	while (*text)
		*at++ = *text++;
}

/* Return: whether it stands there without parentheses that it needs beside others. */
static bool write_leaf(const struct tw_expression_style *style, const struct tw_node *node, bool alone,
		       struct tw_line *line)
{
	char *const begin = line->at;
	const bool is_joint = style->test(style->ctx, node->test, line);

	if (!node->negated && (alone || !is_joint))
		return is_joint;
	tw_line__insert(line, begin, "(");
	if (node->negated)
		tw_line__insert(line, begin, style->not );
	tw_line__char(line, ')');
	return false;
}

static bool needs_parentheses(const struct tw_expression_style *style, const struct tw_node *node,
			      const struct tw_node *root)
{
	return node != root && (node->kind == TW_NODE_OR || style->nests_ands);
}

bool tw_expression__write(const struct tw_expression_style *style, const struct tw_node *root, struct tw_line *line)
{
	struct tw_walk walk = tw_walk__on(root);
	bool is_joint = root->kind == TW_NODE_OR;
	enum tw_walk_at at;

	while ((at = tw_walk__next(&walk)) != TW_WALK_END && !line->cut) {
		if (at == TW_WALK_LEAF)
			is_joint |= write_leaf(style, walk.node, walk.node == root, line);
		else if (at == TW_WALK_BETWEEN)
			tw_line__str(line, walk.node->kind == TW_NODE_AND ? style->and : style->or);
		else if (needs_parentheses(style, walk.node, root))
			tw_line__char(line, at == TW_WALK_OPEN ? '(' : ')');
	}
	return is_joint;
}
