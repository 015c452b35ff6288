/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes of C's operators: the type of what comes out, and the value where it is known already. */
#include "schema/print/arith.h"
#include "schema/print/tree.h"
#include "schema/type.h"

struct type {
	uint8_t size;
	bool is_signed;
};

/* What is smaller than int becomes int before anything is done with it. */
static struct type promoted(const struct tw_node *node)
{
	if (node->size < 4)
		return (struct type){ 4, true };
	return (struct type){ node->size, node->is_signed };
}

/* The type that both sides are converted to. */
static struct type common(const struct tw_node *a, const struct tw_node *b)
{
	const struct type left = promoted(a), right = promoted(b);

	if (left.size != right.size)
		return left.size > right.size ? left : right;
	return (struct type){ left.size, left.is_signed && right.is_signed };
}

static bool is_comparison(uint16_t punct)
{
	switch (punct) {
	case TW_PUNCT('<', 0):
	case TW_PUNCT('>', 0):
	case TW_PUNCT('<', '='):
	case TW_PUNCT('>', '='):
	case TW_PUNCT('=', '='):
	case TW_PUNCT('!', '='):
		return true;
	default:
		return false;
	}
}

static bool is_shift(uint16_t punct)
{
	return punct == TW_PUNCT('<', '<') || punct == TW_PUNCT('>', '>');
}

static bool is_logic(uint16_t punct)
{
	return punct == TW_PUNCT('&', '&') || punct == TW_PUNCT('|', '|');
}

/* An array or a string of the record is never NULL. */
static bool truth_of_bytes(struct tw_tree *tree, uint32_t i)
{
	struct tw_node *node = &tree->nodes[i];

	if (!tw_node__is_bytes(node))
		return tw_tree__need_number(tree, i);
	*node = (struct tw_node){
		.kind = TW_NODE_NUMBER, .size = 4, .is_signed = true, .first = i, .column = node->column, .value = 1
	};
	return true;
}

static bool is_number(const struct tw_tree *tree, uint32_t i)
{
	return tree->nodes[i].kind == TW_NODE_NUMBER;
}

bool tw_tree__unary(struct tw_tree *tree, uint16_t punct, uint32_t column, uint32_t a, uint32_t *ret)
{
	struct tw_node *node = &tree->nodes[a];
	struct type type;

	if (!(punct == TW_PUNCT('!', 0) ? truth_of_bytes(tree, a) : tw_tree__need_number(tree, a)))
		return false;
	type = punct == TW_PUNCT('!', 0) ? (struct type){ 4, true } : promoted(node);
	if (is_number(tree, a)) {
		node->size = type.size;
		node->is_signed = type.is_signed;
		node->value = tw_arith__narrow(tw_arith__unary(punct, node->value), type.size, type.is_signed);
		*ret = a;
		return true;
	}
	return tw_tree__add(tree,
			    &(struct tw_node){ .kind = TW_NODE_UNARY,
					       .size = type.size,
					       .is_signed = type.is_signed,
					       .n_args = 1,
					       .punct = punct,
					       .first = node->first,
					       .args = { a },
					       .column = column },
			    ret);
}

/* The two last nodes, both numbers, become one. */
static void fold(struct tw_tree *tree, uint16_t punct, struct type operands, struct type result, uint32_t a)
{
	struct tw_node *left = &tree->nodes[a];
	const struct tw_node *right = &tree->nodes[--tree->n_nodes];
	const uint64_t x = tw_arith__narrow(left->value, operands.size, operands.is_signed);
	const uint64_t y = is_shift(punct) ? tw_arith__shift_count(right->value, operands.size)
					   : tw_arith__narrow(right->value, operands.size, operands.is_signed);

	left->value =
		tw_arith__narrow(tw_arith__binary(punct, x, y, operands.is_signed), result.size, result.is_signed);
	left->size = result.size;
	left->is_signed = result.is_signed;
}

/* The operands' type stands in elem_size and elem_signed: a comparison's own is int. */
bool tw_tree__binary(struct tw_tree *tree, uint16_t punct, uint32_t column, uint32_t a, uint32_t b, uint32_t *ret)
{
	bool (*check)(struct tw_tree *, uint32_t) = is_logic(punct) ? truth_of_bytes : tw_tree__need_number;
	struct type operands, result;

	if (!check(tree, a) || !check(tree, b))
		return false;
	operands = is_shift(punct) ? promoted(&tree->nodes[a]) : common(&tree->nodes[a], &tree->nodes[b]);
	result = is_comparison(punct) || is_logic(punct) ? (struct type){ 4, true } : operands;
	if (is_number(tree, a) && is_number(tree, b) && a + 1 == b && b + 1 == tree->n_nodes) {
		fold(tree, punct, operands, result, a);
		*ret = a;
		return true;
	}
	return tw_tree__add(tree,
			    &(struct tw_node){ .kind = TW_NODE_BINARY,
					       .size = result.size,
					       .is_signed = result.is_signed,
					       .elem_size = operands.size,
					       .elem_signed = operands.is_signed,
					       .n_args = 2,
					       .punct = punct,
					       .first = tree->nodes[a].first,
					       .args = { a, b },
					       .column = column },
			    ret);
}

/* `((void *)0)` beside text is the text of a NULL pointer. */
static bool make_text(struct tw_tree *tree, uint32_t i)
{
	struct tw_node *node = &tree->nodes[i];
	uint32_t at;

	if (node->is_text)
		return true;
	if (node->kind != TW_NODE_NUMBER || node->value)
		return tw_tree__refuse(tree, node->column, "text is needed here");
	if (!tw_tree__literal(tree, "(null)", &at))
		return false;
	node->kind = TW_NODE_TEXT;
	node->is_text = true;
	node->at = at;
	node->len = sizeof("(null)") - 1;
	return true;
}

bool tw_tree__cond(struct tw_tree *tree, uint32_t column, uint32_t a, uint32_t b, uint32_t c, uint32_t *ret)
{
	struct tw_node node = { .kind = TW_NODE_COND, .n_args = 3, .args = { a, b, c }, .column = column };
	struct type type = { 0, false };

	if (!truth_of_bytes(tree, a))
		return false;
	node.is_text = tree->nodes[b].is_text || tree->nodes[c].is_text;
	if (node.is_text) {
		if (!make_text(tree, b) || !make_text(tree, c))
			return false;
	} else {
		if (!tw_tree__need_number(tree, b) || !tw_tree__need_number(tree, c))
			return false;
		type = common(&tree->nodes[b], &tree->nodes[c]);
	}
	node.size = type.size;
	node.is_signed = type.is_signed;
	node.first = tree->nodes[a].first;
	return tw_tree__add(tree, &node, ret);
}

bool tw_tree__index(struct tw_tree *tree, uint32_t column, uint32_t a, uint32_t b, uint32_t *ret)
{
	const struct tw_node *array = &tree->nodes[a];

	if (!tw_node__is_bytes(array) || !array->elem_size)
		return tw_tree__refuse(tree, column, "[] or * is on nothing with elements of a known size");
	if (!tw_tree__need_number(tree, b))
		return false;
	return tw_tree__add(tree,
			    &(struct tw_node){ .kind = TW_NODE_INDEX,
					       .size = array->elem_size,
					       .is_signed = array->elem_signed,
					       .n_args = 2,
					       .first = array->first,
					       .args = { a, b },
					       .column = column,
					       .field = array->field },
			    ret);
}

bool tw_tree__cast(struct tw_tree *tree, uint32_t column, struct tw_cast cast, uint32_t a, uint32_t *ret)
{
	struct tw_node *node = &tree->nodes[a];

	*ret = a;
	if (tw_node__is_bytes(node)) {
		if (cast.pointers == 1) { /* what it points to, if it is an integer */
			node->elem_size = cast.size;
			node->elem_signed = cast.is_signed;
		}
		return cast.pointers || tw_tree__need_number(tree, a);
	}
	if (node->is_text || (!cast.size && !cast.pointers))
		return true;
	if (cast.pointers)
		cast = (struct tw_cast){ .size = tree->format->long_size };
	if (is_number(tree, a)) {
		node->value = tw_arith__narrow(node->value, cast.size, cast.is_signed);
		node->size = cast.size;
		node->is_signed = cast.is_signed;
		return true;
	}
	return tw_tree__add(tree,
			    &(struct tw_node){ .kind = TW_NODE_CAST,
					       .size = cast.size,
					       .is_signed = cast.is_signed,
					       .n_args = 1,
					       .first = node->first,
					       .args = { a },
					       .column = column },
			    ret);
}
