/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory of an expression tree, its strings, and what is refused in it. */
#include "schema/print/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/printable.h"

void tw_tree__free(struct tw_tree *tree)
{
	free(tree->nodes);
	free(tree->entries);
	free(tree->tables);
	free(tree->strings);
}

bool tw_tree__refuse(struct tw_tree *tree, uint32_t column, const char *fmt, ...)
{
	char *text = tree->refusal.text;
	va_list ap;
	int len;

	if (text[0])
		return false;
	len = snprintf(text, sizeof(tree->refusal.text), "print fmt, column %u: ", column);
	va_start(ap, fmt);
	vsnprintf(text + len, sizeof(tree->refusal.text) - (size_t)len, fmt, ap);
	va_end(ap);
	tw_printable__mend(text, sizeof(tree->refusal.text));
	return false;
}

void *tw_tree__grow(struct tw_tree *tree, void *array, uint32_t n, uint32_t *size, size_t element, uint32_t max)
{
	uint32_t larger = *size ? 2 * *size : 16;

	if (n < *size)
		return array;
	if (n >= max) {
		tw_tree__refuse(tree, 1, "it is too large to be compiled (more than %u parts of one kind)", max);
		return NULL;
	}
	if (larger > max)
		larger = max;
	array = realloc(array, larger * element);
	if (array)
		*size = larger;
	else
		tree->no_memory = true;
	return array;
}

bool tw_tree__add(struct tw_tree *tree, const struct tw_node *node, uint32_t *ret)
{
	struct tw_node *nodes =
		tw_tree__grow(tree, tree->nodes, tree->n_nodes, &tree->nodes_size, sizeof(*nodes), TW_TREE_NODES_MAX);

	if (!nodes)
		return false;
	tree->nodes = nodes;
	nodes[tree->n_nodes] = *node;
	if (!node->n_args)
		nodes[tree->n_nodes].first = tree->n_nodes;
	*ret = tree->n_nodes++;
	return true;
}

static bool add_char(struct tw_tree *tree, char c)
{
	char *strings = tw_tree__grow(tree, tree->strings, tree->n_strings, &tree->strings_size, 1, TW_TREE_TEXT_MAX);

	if (!strings)
		return false;
	tree->strings = strings;
	strings[tree->n_strings++] = c;
	return true;
}

bool tw_tree__string(struct tw_tree *tree, const struct tw_token *token, bool join, uint32_t *ret_at)
{
	struct tw_text inside = { token->text.at + 1, token->text.len - 2 };
	char c;

	if (join)
		tree->n_strings--; /* the NUL */
	else
		*ret_at = tree->n_strings;
	while (tw_lexer__unescape(&inside, &c))
		if (!add_char(tree, c))
			return false;
	return add_char(tree, '\0');
}

bool tw_tree__literal(struct tw_tree *tree, const char *text, uint32_t *ret_at)
{
	*ret_at = tree->n_strings;
	for (; *text; text++)
		if (!add_char(tree, *text))
			return false;
	return add_char(tree, '\0');
}

uint32_t tw_tree__peel(const struct tw_tree *tree, uint32_t i)
{
	while (tree->nodes[i].kind == TW_NODE_CAST && tree->nodes[i].size >= tree->nodes[tree->nodes[i].args[0]].size)
		i = tree->nodes[i].args[0];
	return i;
}

bool tw_node__is_bytes(const struct tw_node *node)
{
	if (node->kind == TW_NODE_FIELD)
		return node->is_address || node->field->kind >= TW_FIELD_STRING;
	return node->kind == TW_NODE_ARRAY || node->kind == TW_NODE_STR;
}

bool tw_tree__need_number(struct tw_tree *tree, uint32_t i)
{
	const struct tw_node *node = &tree->nodes[i];

	if (node->is_text)
		return tw_tree__refuse(tree, node->column, "a number is needed here, not text");
	if (tw_node__is_bytes(node))
		return tw_tree__refuse(tree, node->column, "an address in the traced kernel's ring is not known");
	return true;
}
