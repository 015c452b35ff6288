/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operations that put text on the line: constants, strings, helpers, and what a ?: chooses from. */
#include "schema/print/generate.h"

#define TASKS_MAX (4 * TW_PARSE_DEPTH_MAX)

/* What is still to be done of nested ?: */
enum task_kind { PUT, ELSE, LAND };

struct task {
	enum task_kind what;
	uint32_t at; /* PUT: a node; else the jump to be completed */
};

struct tasks {
	struct task list[TASKS_MAX];
	uint32_t n;
};

bool tw_generate__text(struct tw_generator *gen, const char *text, size_t len)
{
	struct tw_print *print = gen->print;
	struct tw_op *last = print->n_ops ? &print->ops[print->n_ops - 1] : NULL;
	const uint32_t at = print->n_texts;

	if (!len)
		return true;
	for (size_t i = 0; i < len; i++) {
		char *texts =
			tw_expr__grow(gen->expr, print->texts, print->n_texts, &print->texts_size, 1, TW_EXPR_TEXT_MAX);

		if (!texts)
			return false;
		print->texts = texts;
		texts[print->n_texts++] = text[i];
	}
	if (last && last->code == TW_OP_TEXT && gen->label != print->n_ops && last->a + last->b == at) {
		last->b += (uint32_t)len;
		return true;
	}
	last = tw_generate__op(gen, TW_OP_TEXT);
	if (!last)
		return false;
	last->a = at;
	last->b = (uint32_t)len;
	return true;
}

static bool on_field(struct tw_generator *gen, enum tw_op_code code, const struct tw_expr_node *node)
{
	struct tw_op *op = tw_generate__op(gen, code);

	if (!op)
		return false;
	op->field = node->field;
	op->size = node->elem_size;
	return true;
}

static bool table(struct tw_generator *gen, const struct tw_expr_node *node)
{
	const enum tw_op_code code = node->helper == TW_HELPER_FLAGS   ? TW_OP_FLAGS
				     : node->helper == TW_HELPER_WORDS ? TW_OP_WORD
								       : TW_OP_SYMBOLIC;
	struct tw_op *op;

	if (!tw_generate__number(gen, node->args[0]))
		return false;
	op = tw_generate__op(gen, code);
	if (!op)
		return false;
	op->a = node->at;
	gen->depth--;
	return true;
}

static bool hex_dump(struct tw_generator *gen, const struct tw_expr_node *node)
{
	const struct tw_expr_node *prefix = &gen->expr->nodes[node->args[2]];
	const uint32_t at = gen->print->n_texts;
	struct tw_op *op;

	if (!tw_generate__text(gen, &gen->expr->strings[prefix->at], prefix->len + 1))
		return false;
	gen->print->n_ops--; /* a text that is only named */
	op = tw_generate__op(gen, TW_OP_CONST);
	if (!op)
		return false;
	op->value = (uint64_t)at << 32 | gen->expr->nodes[node->args[3]].value;
	gen->depth++;
	if (!on_field(gen, TW_OP_HEX_DUMP, &gen->expr->nodes[node->args[0]]))
		return false;
	gen->depth -= 2;
	return true;
}

static bool dump(struct tw_generator *gen, const struct tw_expr_node *node)
{
	static const uint8_t codes[] = {
		[TW_HELPER_HEX] = TW_OP_HEX_BYTES,
		[TW_HELPER_HEX_STR] = TW_OP_HEX_STR,
		[TW_HELPER_ARRAY] = TW_OP_ARRAY,
		[TW_HELPER_DYNAMIC_ARRAY] = TW_OP_WHOLE_ARRAY,
	};

	if (node->helper == TW_HELPER_CPUMASK)
		return on_field(gen, TW_OP_CPU_LIST, node);
	if (node->helper == TW_HELPER_BITMASK)
		return on_field(gen, TW_OP_BITMASK, node);
	if (node->n_args == 2 && !tw_generate__number(gen, node->args[1]))
		return false;
	if (node->helper == TW_HELPER_HEX_DUMP) {
		gen->label = gen->print->n_ops; /* its prefix joins no other text */
		return hex_dump(gen, node);
	}
	if (!on_field(gen, codes[node->helper], &gen->expr->nodes[node->args[0]]))
		return false;
	gen->print->ops[gen->print->n_ops - 1].size = node->elem_size;
	gen->depth -= node->n_args == 2;
	return true;
}

/* A char * of the traced kernel's: its text may be known by its address. */
static bool string_at(struct tw_generator *gen, uint32_t i)
{
	const struct tw_expr_node *node = &gen->expr->nodes[tw_expr__peel(gen->expr, i)];

	if (tw_expr_node__is_bytes(node) && node->elem_size == 1)
		return on_field(gen, TW_OP_STRING, node);
	if (tw_expr_node__is_bytes(node) || node->size != gen->expr->format->long_size || node->kind == TW_EXPR_NUMBER)
		return tw_expr__refuse(gen->expr, node->column, "text is needed for %%s");
	if (!tw_generate__number(gen, i) || !tw_generate__op(gen, TW_OP_STRING_AT))
		return false;
	gen->depth--;
	return true;
}

static bool push_task(struct tw_generator *gen, struct tasks *tasks, enum task_kind what, uint32_t at)
{
	if (tasks->n == TASKS_MAX)
		return tw_expr__refuse(gen->expr, 1, "its ?: nest too deeply");
	tasks->list[tasks->n].what = what;
	tasks->list[tasks->n++].at = at;
	return true;
}

/* From top to bottom of the stack: the first text, the jump over the second, the second, where it is left. */
static bool choose(struct tw_generator *gen, struct tasks *tasks, const struct tw_expr_node *node)
{
	const struct tw_expr_node *condition = &gen->expr->nodes[node->args[0]];

	if (condition->kind == TW_EXPR_NUMBER)
		return push_task(gen, tasks, PUT, node->args[condition->value ? 1 : 2]);
	if (!tw_generate__number(gen, node->args[0]) || !tw_generate__op(gen, TW_OP_JUMP_ZERO))
		return false;
	gen->depth--;
	return push_task(gen, tasks, LAND, 0) && push_task(gen, tasks, PUT, node->args[2]) &&
	       push_task(gen, tasks, ELSE, gen->print->n_ops - 1) && push_task(gen, tasks, PUT, node->args[1]);
}

static void land(struct tw_generator *gen, uint32_t jump)
{
	gen->print->ops[jump].a = gen->print->n_ops;
	gen->label = gen->print->n_ops;
}

static bool put(struct tw_generator *gen, struct tasks *tasks, uint32_t i)
{
	const struct tw_expr_node *node = &gen->expr->nodes[i];

	switch (node->kind) {
	case TW_EXPR_TEXT:
		return tw_generate__text(gen, &gen->expr->strings[node->at], strlen(&gen->expr->strings[node->at]));
	case TW_EXPR_STR:
		return on_field(gen, TW_OP_STRING, node);
	case TW_EXPR_FIELD:
		return node->is_text ? on_field(gen, TW_OP_STRING, node) : string_at(gen, i);
	case TW_EXPR_TABLE:
		return table(gen, node);
	case TW_EXPR_DUMP:
		return dump(gen, node);
	case TW_EXPR_COND:
		if (node->is_text)
			return choose(gen, tasks, node);
		return string_at(gen, i);
	default:
		return string_at(gen, i);
	}
}

bool tw_generate__string(struct tw_generator *gen, uint32_t root)
{
	struct tasks tasks = { .n = 0 };

	if (!push_task(gen, &tasks, PUT, root))
		return false;
	while (tasks.n) {
		const struct task task = tasks.list[--tasks.n];

		if (task.what == PUT) {
			if (!put(gen, &tasks, task.at))
				return false;
		} else if (task.what == LAND) {
			land(gen, task.at);
		} else {
			if (!tw_generate__op(gen, TW_OP_JUMP))
				return false;
			tasks.list[tasks.n - 2].at = gen->print->n_ops - 1;
			land(gen, task.at);
		}
	}
	return true;
}
