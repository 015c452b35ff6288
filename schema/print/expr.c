/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes for C's operators: the type of the result, and the value if it is constant. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/printable.h"
#include "schema/print/arith.h"
#include "schema/print/expr.h"
#include "schema/type.h"

struct type {
	uint8_t size;
	bool is_signed;
};

/* Types smaller than int are promoted to int. */
static struct type promoted(const struct tw_expr_node *node)
{
	if (node->size < 4)
		return (struct type){ 4, true };
	return (struct type){ node->size, node->is_signed };
}

/* The common type of both operands. */
static struct type common(const struct tw_expr_node *a, const struct tw_expr_node *b)
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
static bool truth_of_bytes(struct tw_expr *expr, uint32_t i)
{
	struct tw_expr_node *node = &expr->nodes[i];

	if (!tw_expr_node__is_bytes(node))
		return tw_expr__need_number(expr, i);
	*node = (struct tw_expr_node){
		.kind = TW_EXPR_NUMBER, .size = 4, .is_signed = true, .first = i, .column = node->column, .value = 1
	};
	return true;
}

static bool is_number(const struct tw_expr *expr, uint32_t i)
{
	return expr->nodes[i].kind == TW_EXPR_NUMBER;
}

static uint64_t bits_of(uint8_t size)
{
	return size && size < 8 ? UINT64_MAX >> (64 - 8u * size) : UINT64_MAX;
}

bool tw_expr__unary(struct tw_expr *expr, uint16_t punct, uint32_t column, uint32_t a, uint32_t *ret)
{
	struct tw_expr_node *node = &expr->nodes[a];
	struct type type;

	if (!(punct == TW_PUNCT('!', 0) ? truth_of_bytes(expr, a) : tw_expr__need_number(expr, a)))
		return false;
	type = punct == TW_PUNCT('!', 0) ? (struct type){ 4, true } : promoted(node);
	if (is_number(expr, a)) {
		node->size = type.size;
		node->is_signed = type.is_signed;
		node->value = tw_arith__narrow(tw_arith__unary(punct, node->value), type.size, type.is_signed);
		*ret = a;
		return true;
	}
	return tw_expr__add(expr,
			    &(struct tw_expr_node){ .kind = TW_EXPR_UNARY,
						    .size = type.size,
						    .is_signed = type.is_signed,
						    .n_args = 1,
						    .punct = punct,
						    .first = node->first,
						    .args = { a },
						    .column = column },
			    ret);
}

/* Replaces the last two nodes, both constants, by the result of the operator. */
static void fold(struct tw_expr *expr, uint16_t punct, struct type operands, struct type result, uint32_t a)
{
	struct tw_expr_node *left = &expr->nodes[a];
	const struct tw_expr_node *right = &expr->nodes[--expr->n_nodes];
	const uint64_t x = tw_arith__narrow(left->value, operands.size, operands.is_signed);
	const uint64_t y = is_shift(punct) ? tw_arith__shift_count(right->value, operands.size)
					   : tw_arith__narrow(right->value, operands.size, operands.is_signed);

	left->value =
		tw_arith__narrow(tw_arith__binary(punct, x, y, operands.is_signed), result.size, result.is_signed);
	left->size = result.size;
	left->is_signed = result.is_signed;
}

/* The node's size and is_signed are those of the result (of a comparison: int), and elem_size and elem_signed those of the operands. */
bool tw_expr__binary(struct tw_expr *expr, uint16_t punct, uint32_t column, uint32_t a, uint32_t b, uint32_t *ret)
{
	bool (*check)(struct tw_expr *, uint32_t) = is_logic(punct) ? truth_of_bytes : tw_expr__need_number;
	struct type operands, result;

	if (!check(expr, a) || !check(expr, b))
		return false;
	operands = is_shift(punct) ? promoted(&expr->nodes[a]) : common(&expr->nodes[a], &expr->nodes[b]);
	result = is_comparison(punct) || is_logic(punct) ? (struct type){ 4, true } : operands;
	if (is_number(expr, a) && is_number(expr, b) && a + 1 == b && b + 1 == expr->n_nodes) {
		fold(expr, punct, operands, result, a);
		*ret = a;
		return true;
	}
	return tw_expr__add(expr,
			    &(struct tw_expr_node){ .kind = TW_EXPR_BINARY,
						    .size = result.size,
						    .is_signed = result.is_signed,
						    .elem_size = operands.size,
						    .elem_signed = operands.is_signed,
						    .n_args = 2,
						    .punct = punct,
						    .first = expr->nodes[a].first,
						    .args = { a, b },
						    .column = column },
			    ret);
}

/* If one side of a ?: is text, `((void *)0)` on the other side means the text of a NULL pointer. */
static bool make_text(struct tw_expr *expr, uint32_t i)
{
	struct tw_expr_node *node = &expr->nodes[i];
	uint32_t at;

	if (node->is_text)
		return true;
	if (node->kind != TW_EXPR_NUMBER || node->value)
		return tw_expr__refuse(expr, node->column, "text is needed here");
	if (!tw_expr__literal(expr, "(null)", &at))
		return false;
	node->kind = TW_EXPR_TEXT;
	node->is_text = true;
	node->at = at;
	node->len = sizeof("(null)") - 1;
	return true;
}

/* In `REC->field & mask ? __print_flags(REC->field & mask, ...) : "text"`, the text becomes the table's text for 0. */
static void note_zero(struct tw_expr *expr, uint32_t condition, uint32_t then, uint32_t otherwise)
{
	const struct tw_expr_node *text = &expr->nodes[otherwise];
	const struct tw_field *field;
	struct tw_expr_table *table;
	uint64_t mask;

	if (expr->nodes[then].kind != TW_EXPR_TABLE || text->kind != TW_EXPR_TEXT)
		return;
	table = &expr->tables[expr->nodes[then].at];
	field = tw_expr__masked_field(expr, condition, &mask);
	if (!field || field != table->field || (mask ^ table->mask) & bits_of((uint8_t)field->size))
		return;
	table->has_zero = true;
	table->zero = text->at;
}

bool tw_expr__cond(struct tw_expr *expr, uint32_t column, uint32_t a, uint32_t b, uint32_t c, uint32_t *ret)
{
	struct tw_expr_node node = { .kind = TW_EXPR_COND, .n_args = 3, .args = { a, b, c }, .column = column };
	struct type type = { 0, false };

	if (!truth_of_bytes(expr, a))
		return false;
	node.is_text = expr->nodes[b].is_text || expr->nodes[c].is_text;
	if (node.is_text) {
		if (!make_text(expr, b) || !make_text(expr, c))
			return false;
		note_zero(expr, a, b, c);
	} else {
		if (!tw_expr__need_number(expr, b) || !tw_expr__need_number(expr, c))
			return false;
		type = common(&expr->nodes[b], &expr->nodes[c]);
	}
	node.size = type.size;
	node.is_signed = type.is_signed;
	node.first = expr->nodes[a].first;
	return tw_expr__add(expr, &node, ret);
}

bool tw_expr__index(struct tw_expr *expr, uint32_t column, uint32_t a, uint32_t b, uint32_t *ret)
{
	const struct tw_expr_node *array = &expr->nodes[a];

	if (!tw_expr_node__is_bytes(array) || !array->elem_size)
		return tw_expr__refuse(expr, column, "the operand of [] or * has no elements of a known size");
	if (!tw_expr__need_number(expr, b))
		return false;
	return tw_expr__add(expr,
			    &(struct tw_expr_node){ .kind = TW_EXPR_INDEX,
						    .size = array->elem_size,
						    .is_signed = array->elem_signed,
						    .n_args = 2,
						    .first = array->first,
						    .args = { a, b },
						    .column = column,
						    .field = array->field },
			    ret);
}

bool tw_expr__cast(struct tw_expr *expr, uint32_t column, struct tw_expr_cast cast, uint32_t a, uint32_t *ret)
{
	struct tw_expr_node *node = &expr->nodes[a];

	*ret = a;
	if (tw_expr_node__is_bytes(node)) {
		if (cast.pointers == 1) { /* cast.size is the size of an element; 0 if the type is no integer */
			node->elem_size = cast.size;
			node->elem_signed = cast.is_signed;
		}
		return cast.pointers || tw_expr__need_number(expr, a);
	}
	if (node->is_text || (!cast.size && !cast.pointers))
		return true;
	if (cast.pointers)
		cast = (struct tw_expr_cast){ .size = expr->format->long_size };
	if (is_number(expr, a)) {
		node->value = tw_arith__narrow(node->value, cast.size, cast.is_signed);
		node->size = cast.size;
		node->is_signed = cast.is_signed;
		return true;
	}
	return tw_expr__add(expr,
			    &(struct tw_expr_node){ .kind = TW_EXPR_CAST,
						    .size = cast.size,
						    .is_signed = cast.is_signed,
						    .n_args = 1,
						    .first = node->first,
						    .args = { a },
						    .column = column },
			    ret);
}

void tw_expr__free(struct tw_expr *expr)
{
	free(expr->nodes);
	free(expr->entries);
	free(expr->tables);
	free(expr->strings);
}

bool tw_expr__refuse(struct tw_expr *expr, uint32_t column, const char *fmt, ...)
{
	char *text = expr->refusal.text;
	va_list ap;
	int len;

	if (text[0])
		return false;
	len = snprintf(text, sizeof(expr->refusal.text), "print fmt, column %u: ", column);
	va_start(ap, fmt);
	vsnprintf(text + len, sizeof(expr->refusal.text) - (size_t)len, fmt, ap);
	va_end(ap);
	tw_printable__mend(text, sizeof(expr->refusal.text));
	return false;
}

void *tw_expr__grow(struct tw_expr *expr, void *array, uint32_t n, uint32_t *size, size_t element, uint32_t max)
{
	uint32_t larger = *size ? 2 * *size : 16;

	if (n < *size)
		return array;
	if (n >= max) {
		tw_expr__refuse(expr, 1, "the print fmt is too large to be compiled (more than %u parts of one kind)",
				max);
		return NULL;
	}
	if (larger > max)
		larger = max;
	array = realloc(array, larger * element);
	if (array)
		*size = larger;
	else
		expr->no_memory = true;
	return array;
}

bool tw_expr__add(struct tw_expr *expr, const struct tw_expr_node *node, uint32_t *ret)
{
	struct tw_expr_node *nodes =
		tw_expr__grow(expr, expr->nodes, expr->n_nodes, &expr->nodes_size, sizeof(*nodes), TW_EXPR_NODES_MAX);

	if (!nodes)
		return false;
	expr->nodes = nodes;
	nodes[expr->n_nodes] = *node;
	if (!node->n_args)
		nodes[expr->n_nodes].first = expr->n_nodes;
	*ret = expr->n_nodes++;
	return true;
}

static bool add_char(struct tw_expr *expr, char c)
{
	char *strings = tw_expr__grow(expr, expr->strings, expr->n_strings, &expr->strings_size, 1, TW_EXPR_TEXT_MAX);

	if (!strings)
		return false;
	expr->strings = strings;
	strings[expr->n_strings++] = c;
	return true;
}

bool tw_expr__string(struct tw_expr *expr, const struct tw_lex_token *token, bool join, uint32_t *ret_at)
{
	struct tw_text inside = { token->text.at + 1, token->text.len - 2 };
	char c;

	if (join)
		expr->n_strings--; /* the joined text replaces the last string's NUL */
	else
		*ret_at = expr->n_strings;
	while (tw_lexer__unescape(&inside, &c))
		if (!add_char(expr, c))
			return false;
	return add_char(expr, '\0');
}

bool tw_expr__literal(struct tw_expr *expr, const char *text, uint32_t *ret_at)
{
	*ret_at = expr->n_strings;
	for (; *text; text++)
		if (!add_char(expr, *text))
			return false;
	return add_char(expr, '\0');
}

uint32_t tw_expr__peel(const struct tw_expr *expr, uint32_t i)
{
	while (expr->nodes[i].kind == TW_EXPR_CAST && expr->nodes[i].size >= expr->nodes[expr->nodes[i].args[0]].size)
		i = expr->nodes[i].args[0];
	return i;
}

/* @ret_mask: the constant operand of a `&`, in the type of the operation. Return: false if neither operand is constant */
static bool constant_mask(const struct tw_expr *expr, const struct tw_expr_node *node, uint64_t *ret_mask,
			  uint32_t *ret_other)
{
	const uint32_t constant = is_number(expr, node->args[0]) ? 0 : 1;

	*ret_mask = tw_arith__narrow(expr->nodes[node->args[constant]].value, node->elem_size, node->elem_signed);
	*ret_other = node->args[!constant];
	return is_number(expr, node->args[constant]);
}

const struct tw_field *tw_expr__masked_field(const struct tw_expr *expr, uint32_t i, uint64_t *ret_mask)
{
	const struct tw_expr_node *node = &expr->nodes[i = tw_expr__peel(expr, i)];
	uint64_t mask;

	*ret_mask = UINT64_MAX;
	while (node->kind == TW_EXPR_BINARY || node->kind == TW_EXPR_CAST) {
		if (node->kind == TW_EXPR_CAST) { /* to a narrower type; tw_expr__peel() skips other casts */
			if (node->is_signed)
				return NULL;
			mask = bits_of(node->size);
			i = node->args[0];
		} else if (node->punct != TW_PUNCT('&', 0) || !constant_mask(expr, node, &mask, &i)) {
			return NULL;
		}
		*ret_mask &= mask;
		node = &expr->nodes[i = tw_expr__peel(expr, i)];
	}
	return node->kind == TW_EXPR_FIELD ? node->field : NULL;
}

bool tw_expr__is_unknown(const struct tw_expr *expr, uint32_t root)
{
	for (uint32_t i = expr->nodes[root].first; i <= root; i++)
		if (expr->nodes[i].kind == TW_EXPR_UNKNOWN)
			return true;
	return false;
}

bool tw_expr_node__is_bytes(const struct tw_expr_node *node)
{
	if (node->kind == TW_EXPR_FIELD)
		return node->is_address || node->field->kind >= TW_FIELD_STRING;
	return node->kind == TW_EXPR_ARRAY || node->kind == TW_EXPR_STR;
}

bool tw_expr__need_number(struct tw_expr *expr, uint32_t i)
{
	const struct tw_expr_node *node = &expr->nodes[i];

	if (node->is_text)
		return tw_expr__refuse(expr, node->column, "a number is needed here, not text");
	if (tw_expr_node__is_bytes(node))
		return tw_expr__refuse(expr, node->column, "a number is needed here, not the bytes of a field");
	return true;
}
