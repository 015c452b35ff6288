/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operations for numbers. The nodes of an expression lie in the order in which the stack machine needs them. */
#include "schema/print/generate.h"

#include "wire/tracewire.h"

struct tw_op *tw_generate__op(struct tw_generator *gen, enum tw_op_code code)
{
	struct tw_print *print = gen->print;
	struct tw_op *ops =
		tw_expr__grow(gen->expr, print->ops, print->n_ops, &print->ops_size, sizeof(*ops), TW_GENERATE_OPS_MAX);

	if (!ops)
		return NULL;
	print->ops = ops;
	ops[print->n_ops] = (struct tw_op){ .code = (uint8_t)code };
	return &ops[print->n_ops++];
}

/* How many values an operation takes from the stack; each here leaves one. */
static uint32_t taken(const struct tw_expr_node *node)
{
	switch (node->kind) {
	case TW_EXPR_UNARY:
	case TW_EXPR_CAST:
	case TW_EXPR_INDEX: /* its array is none on the stack */
		return 1;
	case TW_EXPR_BINARY:
		return 2;
	case TW_EXPR_COND:
		return 3;
	default:
		return 0;
	}
}

static void load(struct tw_op *op, const struct tw_field *field)
{
	op->size = (uint8_t)field->size;
	op->is_signed = field->is_signed && field->kind != TW_FIELD_POINTER && field->kind != TW_FIELD_BOOL;
	op->is_common = field->offset < TW_RECORD_COMMON;
	op->a = field->offset;
}

/* Only what changes the 64 bits on the stack needs to be done. */
static bool is_idle_cast(const struct tw_expr *expr, const struct tw_expr_node *node)
{
	const struct tw_expr_node *from = &expr->nodes[node->args[0]];

	if (node->size == from->size)
		return node->size == 8 || node->is_signed == from->is_signed;
	return node->size > from->size && (node->size == 8 || !from->is_signed || node->is_signed);
}

static void fill(const struct tw_expr *expr, const struct tw_expr_node *node, struct tw_op *op)
{
	op->size = node->size;
	op->is_signed = node->is_signed;
	switch (node->kind) {
	case TW_EXPR_NUMBER:
		op->code = TW_OP_CONST;
		op->value = node->value;
		break;
	case TW_EXPR_FIELD:
		op->code = TW_OP_LOAD;
		load(op, node->field);
		break;
	case TW_EXPR_LEN:
		op->code = TW_OP_LEN;
		op->field = node->field;
		break;
	case TW_EXPR_UNARY:
		op->code = TW_OP_UNARY;
		op->a = node->punct;
		break;
	case TW_EXPR_BINARY:
		op->code = TW_OP_BINARY;
		op->a = node->punct;
		op->size = node->elem_size;
		op->is_signed = node->elem_signed;
		op->b = node->size;
		op->c = node->is_signed;
		break;
	case TW_EXPR_COND:
		op->code = TW_OP_SELECT;
		break;
	case TW_EXPR_INDEX:
		op->code = TW_OP_INDEX;
		op->field = expr->nodes[node->args[0]].field;
		break;
	default: /* CAST */
		op->code = TW_OP_NARROW;
	}
}

bool tw_generate__number(struct tw_generator *gen, uint32_t root)
{
	const struct tw_expr *expr = gen->expr;

	if (!tw_expr__need_number(gen->expr, root))
		return false;
	for (uint32_t i = expr->nodes[root].first; i <= root; i++) {
		const struct tw_expr_node *node = &expr->nodes[i];
		struct tw_op *op;

		if (tw_expr_node__is_bytes(node) || (node->kind == TW_EXPR_CAST && is_idle_cast(expr, node)))
			continue;
		op = tw_generate__op(gen, TW_OP_CONST);
		if (!op)
			return false;
		fill(expr, node, op);
		gen->depth += 1 - taken(node);
		if (gen->depth >= TW_PRINT_STACK)
			return tw_expr__refuse(gen->expr, node->column, "it needs too many values at once");
	}
	return true;
}
