/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiles a print fmt to the operations of a program. The compiler splits the format string and parses the arguments of each conversion.
 * It converts the nodes of an expression one by one, because they are already in the order of the stack machine.
 */
#include <errno.h>
#include <stdlib.h>

#include "schema/print/parse.h"
#include "schema/print/program.h"
#include "schema/syscalls.h"
#include "wire/tracewire.h"

#define OPS_MAX   16384 /* operations of one program */
#define UNKNOWN   "?"   /* the text of a value that the format does not give */
#define STEPS_MAX (4 * TW_PARSE_DEPTH_MAX)

struct compiler {
	struct tw_parser parser;
	struct tw_expr expr;
	struct tw_print *print;
	uint32_t depth;                /* current depth of the stack */
	uint32_t label;                /* index of the last jump target: add_text() does not merge texts across it */
	const char *word_end;          /* end of the last word's conversion in the format string */
	const struct tw_field *worded; /* field of the last word */
};

static struct tw_op *add_op(struct compiler *c, enum tw_op_code code)
{
	struct tw_print *print = c->print;
	struct tw_op *ops = tw_expr__grow(&c->expr, print->ops, print->n_ops, &print->ops_size, sizeof(*ops), OPS_MAX);

	if (!ops)
		return NULL;
	print->ops = ops;
	ops[print->n_ops] = (struct tw_op){ .code = (uint8_t)code };
	return &ops[print->n_ops++];
}

/* The operation of each kind of node, and the number of values that it takes from the stack. Each operation pushes one value. */
static const struct {
	uint8_t code;
	uint8_t taken;
} operations[TW_EXPR_DUMP + 1] = {
	[TW_EXPR_NUMBER] = { TW_OP_CONST, 0 },
	[TW_EXPR_FIELD] = { TW_OP_LOAD, 0 },
	[TW_EXPR_LEN] = { TW_OP_LEN, 0 },
	[TW_EXPR_UNARY] = { TW_OP_UNARY, 1 },
	[TW_EXPR_BINARY] = { TW_OP_BINARY, 2 },
	[TW_EXPR_CAST] = { TW_OP_NARROW, 1 },
	[TW_EXPR_COND] = { TW_OP_SELECT, 3 },
	[TW_EXPR_INDEX] = { TW_OP_INDEX, 1 }, /* its array is not on the stack */
};

/* Whether a cast needs no operation, because it does not change the 64 bits on the stack. */
static bool is_idle_cast(const struct tw_expr *expr, const struct tw_expr_node *node)
{
	const struct tw_expr_node *from = &expr->nodes[node->args[0]];

	if (node->size == from->size)
		return node->size == 8 || node->is_signed == from->is_signed;
	return node->size > from->size && (node->size == 8 || !from->is_signed || node->is_signed);
}

static void fill(const struct tw_expr_node *node, struct tw_op *op)
{
	const struct tw_field *field = node->field;

	op->code = operations[node->kind].code;
	op->size = node->size;
	op->is_signed = node->is_signed;
	switch (node->kind) {
	case TW_EXPR_NUMBER:
		op->value = node->value;
		break;
	case TW_EXPR_FIELD:
		op->size = (uint8_t)field->size;
		op->is_signed = field->is_signed && field->kind != TW_FIELD_POINTER && field->kind != TW_FIELD_BOOL;
		op->is_common = field->offset < TW_RECORD_COMMON;
		op->a = field->offset;
		break;
	case TW_EXPR_LEN:
	case TW_EXPR_INDEX:
		op->field = field;
		break;
	case TW_EXPR_UNARY:
		op->a = node->punct;
		break;
	case TW_EXPR_BINARY:
		op->a = node->punct;
		op->size = node->elem_size;
		op->is_signed = node->elem_signed;
		op->b = node->size;
		op->c = node->is_signed;
	}
}

static bool generate_number(struct compiler *c, uint32_t root)
{
	const struct tw_expr *expr = &c->expr;

	if (!tw_expr__need_number(&c->expr, root))
		return false;
	if (tw_expr__is_unknown(&c->expr, root))
		return tw_expr__refuse(&c->expr, expr->nodes[root].column,
				       "a width, a length or an index depends on a variable of the kernel");
	for (uint32_t i = expr->nodes[root].first; i <= root; i++) {
		const struct tw_expr_node *node = &expr->nodes[i];
		struct tw_op *op;

		if (tw_expr_node__is_bytes(node) || (node->kind == TW_EXPR_CAST && is_idle_cast(expr, node)))
			continue;
		op = add_op(c, TW_OP_CONST);
		if (!op)
			return false;
		fill(node, op);
		c->depth += 1u - operations[node->kind].taken;
		if (c->depth >= TW_PRINT_STACK)
			return tw_expr__refuse(&c->expr, node->column, "the expression needs too many values at once");
	}
	return true;
}

/* The work that is still to be done for nested ?: operators. */
enum step_kind { PUT, ELSE, LAND };

struct text_step {
	enum step_kind what;
	uint32_t at; /* PUT: the node to put; ELSE, LAND: the jump operation whose target becomes known */
};

struct text_steps {
	struct text_step list[STEPS_MAX];
	uint32_t n;
};

static bool add_text(struct compiler *c, const char *text, size_t len)
{
	struct tw_print *print = c->print;
	struct tw_op *last = print->n_ops ? &print->ops[print->n_ops - 1] : NULL;
	const uint32_t at = print->n_texts;

	if (!len)
		return true;
	for (size_t i = 0; i < len; i++) {
		char *texts =
			tw_expr__grow(&c->expr, print->texts, print->n_texts, &print->texts_size, 1, TW_EXPR_TEXT_MAX);

		if (!texts)
			return false;
		print->texts = texts;
		texts[print->n_texts++] = text[i];
	}
	if (last && last->code == TW_OP_TEXT && c->label != print->n_ops && last->a + last->b == at) {
		last->b += (uint32_t)len;
		return true;
	}
	last = add_op(c, TW_OP_TEXT);
	if (!last)
		return false;
	last->a = at;
	last->b = (uint32_t)len;
	return true;
}

static bool on_field(struct compiler *c, enum tw_op_code code, const struct tw_expr_node *node)
{
	struct tw_op *op = add_op(c, code);

	if (!op)
		return false;
	op->field = node->field;
	op->size = node->elem_size;
	return true;
}

static bool table(struct compiler *c, const struct tw_expr_node *node)
{
	const enum tw_op_code code = node->helper == TW_HELPER_FLAGS   ? TW_OP_FLAGS
				     : node->helper == TW_HELPER_WORDS ? TW_OP_WORD
								       : TW_OP_SYMBOLIC;
	struct tw_op *op;

	if (!generate_number(c, node->args[0]))
		return false;
	op = add_op(c, code);
	if (!op)
		return false;
	op->a = node->at;
	c->depth--;
	return true;
}

static bool hex_dump(struct compiler *c, const struct tw_expr_node *node)
{
	const struct tw_expr_node *prefix = &c->expr.nodes[node->args[2]];
	const uint32_t at = c->print->n_texts;
	struct tw_op *op;

	if (!add_text(c, &c->expr.strings[prefix->at], prefix->len + 1))
		return false;
	c->print->n_ops--; /* removes the operation of the prefix, because HEX_DUMP prints the prefix */
	op = add_op(c, TW_OP_CONST);
	if (!op)
		return false;
	op->value = (uint64_t)at << 32 | c->expr.nodes[node->args[3]].value;
	c->depth++;
	if (!on_field(c, TW_OP_HEX_DUMP, &c->expr.nodes[node->args[0]]))
		return false;
	c->depth -= 2;
	return true;
}

static bool dump(struct compiler *c, const struct tw_expr_node *node)
{
	static const uint8_t codes[] = {
		[TW_HELPER_HEX] = TW_OP_HEX_BYTES,
		[TW_HELPER_HEX_STR] = TW_OP_HEX_STR,
		[TW_HELPER_ARRAY] = TW_OP_ARRAY,
		[TW_HELPER_DYNAMIC_ARRAY] = TW_OP_WHOLE_ARRAY,
	};

	if (node->helper == TW_HELPER_CPUMASK)
		return on_field(c, TW_OP_CPU_LIST, node);
	if (node->helper == TW_HELPER_BITMASK)
		return on_field(c, TW_OP_BITMASK, node);
	if (node->n_args == 2 && !generate_number(c, node->args[1]))
		return false;
	if (node->helper == TW_HELPER_HEX_DUMP) {
		c->label = c->print->n_ops; /* so that the prefix gets its own operation, which hex_dump() removes */
		return hex_dump(c, node);
	}
	if (!on_field(c, codes[node->helper], &c->expr.nodes[node->args[0]]))
		return false;
	c->print->ops[c->print->n_ops - 1].size = node->elem_size;
	c->depth -= node->n_args == 2;
	return true;
}

/* A char * in the traced kernel's memory. The text at this address may be known (schema/strings.h). */
static bool string_at(struct compiler *c, uint32_t i)
{
	const struct tw_expr_node *node = &c->expr.nodes[tw_expr__peel(&c->expr, i)];

	if (tw_expr_node__is_bytes(node) && node->elem_size == 1)
		return on_field(c, TW_OP_STRING, node);
	if (tw_expr_node__is_bytes(node) || node->size != c->expr.format->long_size || node->kind == TW_EXPR_NUMBER)
		return tw_expr__refuse(&c->expr, node->column, "the argument of %%s is not text");
	if (!generate_number(c, i) || !add_op(c, TW_OP_STRING_AT))
		return false;
	c->depth--;
	return true;
}

static bool push_step(struct compiler *c, struct text_steps *steps, enum step_kind what, uint32_t at)
{
	if (steps->n == STEPS_MAX)
		return tw_expr__refuse(&c->expr, 1, "the ?: operators are nested too deeply");
	steps->list[steps->n].what = what;
	steps->list[steps->n++].at = at;
	return true;
}

/* Pushes these steps; the last is done first: the target of the jump, the second text, the jump over the second text, the first text. */
static bool choose(struct compiler *c, struct text_steps *steps, const struct tw_expr_node *node)
{
	const struct tw_expr_node *condition = &c->expr.nodes[node->args[0]];

	if (condition->kind == TW_EXPR_NUMBER)
		return push_step(c, steps, PUT, node->args[condition->value ? 1 : 2]);
	if (!generate_number(c, node->args[0]) || !add_op(c, TW_OP_JUMP_ZERO))
		return false;
	c->depth--;
	return push_step(c, steps, LAND, 0) && push_step(c, steps, PUT, node->args[2]) &&
	       push_step(c, steps, ELSE, c->print->n_ops - 1) && push_step(c, steps, PUT, node->args[1]);
}

static void land(struct compiler *c, uint32_t jump)
{
	c->print->ops[jump].a = c->print->n_ops;
	c->label = c->print->n_ops;
}

static bool put(struct compiler *c, struct text_steps *steps, uint32_t i)
{
	const struct tw_expr_node *node = &c->expr.nodes[i];

	switch (node->kind) {
	case TW_EXPR_TEXT:
		return add_text(c, &c->expr.strings[node->at], strlen(&c->expr.strings[node->at]));
	case TW_EXPR_STR:
		return on_field(c, TW_OP_STRING, node);
	case TW_EXPR_FIELD:
		return node->is_text ? on_field(c, TW_OP_STRING, node) : string_at(c, i);
	case TW_EXPR_TABLE:
		return table(c, node);
	case TW_EXPR_DUMP:
		return dump(c, node);
	case TW_EXPR_COND:
		return node->is_text ? choose(c, steps, node) : string_at(c, i);
	default:
		return string_at(c, i);
	}
}

static bool generate_string(struct compiler *c, uint32_t root)
{
	struct text_steps steps = { .n = 0 };

	if (!push_step(c, &steps, PUT, root))
		return false;
	while (steps.n) {
		const struct text_step step = steps.list[--steps.n];

		if (step.what == PUT) {
			if (!put(c, &steps, step.at))
				return false;
		} else if (step.what == LAND) {
			land(c, step.at);
		} else {
			if (!add_op(c, TW_OP_JUMP))
				return false;
			steps.list[steps.n - 2].at = c->print->n_ops - 1;
			land(c, step.at);
		}
	}
	return true;
}

static bool add_conversion(struct compiler *c, const struct tw_conversion *conversion, uint32_t *ret)
{
	struct tw_print *print = c->print;
	struct tw_conversion *all = tw_expr__grow(&c->expr, print->conversions, print->n_conversions,
						  &print->conversions_size, sizeof(*all), OPS_MAX);

	if (!all)
		return false;
	print->conversions = all;
	all[print->n_conversions] = *conversion;
	*ret = print->n_conversions++;
	return true;
}

static bool converted(struct compiler *c, enum tw_op_code code, const struct tw_conversion *conversion, uint32_t values)
{
	struct tw_op *op;
	uint32_t i;

	if (!add_conversion(c, conversion, &i))
		return false;
	op = add_op(c, code);
	if (!op)
		return false;
	op->a = i;
	c->depth -= values + conversion->star_width + conversion->star_precision;
	return true;
}

static bool is_plain(const struct tw_conversion *conversion)
{
	const struct tw_put_spec *spec = &conversion->spec;

	return !spec->flags && !spec->width && spec->precision < 0 && !conversion->star_width &&
	       !conversion->star_precision;
}

/* The most frequent case: the argument is a field, and the conversion prints the loaded value as it is. */
static bool field_as_it_is(struct compiler *c, const struct tw_conversion *conversion, uint32_t i)
{
	const uint32_t peeled = tw_expr__peel(&c->expr, i);
	const struct tw_expr_node *node = &c->expr.nodes[peeled];
	const char letter = conversion->spec.letter;
	const bool decimal = letter == 'd' || letter == 'i' || letter == 'u', is_signed = letter != 'u';
	const uint32_t before = c->print->n_ops;
	struct tw_op *op;

	if (!is_plain(conversion) || (!decimal && letter != 'x') || node->kind != TW_EXPR_FIELD ||
	    tw_expr_node__is_bytes(node) || node->size > conversion->spec.size)
		return false;
	if (node->size < conversion->spec.size && node->is_signed && (letter == 'x' || !is_signed))
		return false;
	if (!generate_number(c, peeled) || c->print->n_ops != before + 1)
		return false;
	c->depth--;
	op = &c->print->ops[before];
	op->code = decimal ? TW_OP_DECIMAL_OF : TW_OP_HEX_OF;
	if (node->size == conversion->spec.size)
		op->is_signed = decimal && is_signed;
	return true;
}

/* The print fmt of a system call prints only the number of the call. This function adds the name after the number. */
static bool add_syscall_name(struct compiler *c)
{
	const struct tw_op number = c->print->ops[c->print->n_ops - 1];
	struct tw_op *op = add_op(c, TW_OP_SYSCALL_OF);

	if (!op)
		return false;
	*op = number;
	op->code = TW_OP_SYSCALL_OF;
	return true;
}

static bool convert_number(struct compiler *c, const struct tw_conversion *conversion, uint32_t i)
{
	const char letter = conversion->spec.letter;
	struct tw_op *op;

	if (field_as_it_is(c, conversion, i)) {
		const struct tw_expr_node *node = &c->expr.nodes[tw_expr__peel(&c->expr, i)];

		return !tw_syscalls__is_number(c->expr.format, node->field) || add_syscall_name(c);
	}
	if (!generate_number(c, i))
		return false;
	if (!is_plain(conversion) || (letter != 'd' && letter != 'i' && letter != 'u'))
		return converted(c, TW_OP_NUMBER, conversion, 1);
	op = add_op(c, TW_OP_DECIMAL);
	if (!op)
		return false;
	op->size = conversion->spec.size;
	op->is_signed = letter != 'u';
	c->depth--;
	return true;
}

static bool convert_string(struct compiler *c, const struct tw_conversion *conversion, uint32_t i)
{
	/* For a text that is known only by its address, the width is ignored. */
	if (is_plain(conversion) || (!conversion->star_width && !conversion->star_precision &&
				     !c->expr.nodes[i].is_text && !tw_expr_node__is_bytes(&c->expr.nodes[i])))
		return generate_string(c, i);
	c->label = c->print->n_ops + 1;
	return add_op(c, TW_OP_MARK) && generate_string(c, i) && converted(c, TW_OP_FIT, conversion, 0);
}

/*
 * Adds the field of an expression to the list of addresses or to the list of pointers. Producers look up the symbols of the addresses, and
 * may hash the pointers.
 */
static bool list_field(struct compiler *c, struct tw_print_list *list, uint32_t i)
{
	const struct tw_expr_node *node = &c->expr.nodes[tw_expr__peel(&c->expr, i)];
	const struct tw_field **all;

	if (node->kind == TW_EXPR_INDEX ? node->size != c->expr.format->long_size
					: node->kind != TW_EXPR_FIELD || node->size < c->expr.format->long_size)
		return true;
	if (tw_print_list__has(list, node->field))
		return true;
	all = tw_expr__grow(&c->expr, list->fields, list->n, &list->size, sizeof(*all), TW_FORMAT_FIELDS_MAX);
	if (!all)
		return false;
	list->fields = all;
	all[list->n++] = node->field;
	return true;
}

static bool convert_pointer(struct compiler *c, const struct tw_conversion *conversion, uint32_t i)
{
	struct tw_conversion on_bytes = *conversion;
	const struct tw_expr_node *node = &c->expr.nodes[i];

	if (tw_pointer__is_bytes(&conversion->pointer)) {
		if (!tw_expr_node__is_bytes(node))
			return tw_expr__refuse(&c->expr, node->column,
					       "the memory to which this points is not in the record");
		on_bytes.field = node->field;
		if (conversion->pointer.kind == TW_POINTER_HEX && !conversion->spec.width)
			on_bytes.spec.width = 1; /* the kernel's default for %ph */
		return converted(c, TW_OP_POINTED, &on_bytes, 0);
	}
	if (!generate_number(c, i))
		return false;
	if (!list_field(c, &c->print->pointers, i))
		return false;
	if (tw_pointer__is_symbol(&conversion->pointer) && !list_field(c, &c->print->addresses, i))
		return false;
	return converted(c, TW_OP_ADDRESS, conversion, 1);
}

static bool known_argument(struct compiler *c, const struct tw_conversion *conversion, const uint32_t *stars,
			   uint32_t node)
{
	const uint32_t n_stars = (uint32_t)conversion->star_width + conversion->star_precision;

	for (uint32_t i = 0; i < n_stars; i++)
		if (!generate_number(c, stars[i]))
			return false;
	if (conversion->spec.letter == 'p')
		return convert_pointer(c, conversion, node);
	if (conversion->spec.letter == 's')
		return convert_string(c, conversion, node);
	return convert_number(c, conversion, node);
}

/* Generates operations for the argument of a conversion, or for one side of the argument if it is a ?:. */
static bool generate_side(struct compiler *c, const struct tw_conversion *conversion, const uint32_t *stars,
			  uint32_t node)
{
	return tw_expr__is_unknown(&c->expr, node) ? add_text(c, UNKNOWN, sizeof(UNKNOWN) - 1)
						   : known_argument(c, conversion, stars, node);
}

/*
 * The text of an argument is unknown if the argument uses an unknown value. Exception: if the argument is a ?: with a known condition, only
 * the side that is taken must be known.
 */
static bool generate_argument(struct compiler *c, const struct tw_conversion *conversion, const uint32_t *stars,
			      uint32_t root)
{
	const struct tw_expr_node node = c->expr.nodes[root];
	uint32_t to_else, to_end;

	if (node.kind != TW_EXPR_COND || !tw_expr__is_unknown(&c->expr, root) ||
	    tw_expr__is_unknown(&c->expr, node.args[0]))
		return generate_side(c, conversion, stars, root);
	if (!generate_number(c, node.args[0]) || !add_op(c, TW_OP_JUMP_ZERO))
		return false;
	c->depth--;
	to_else = c->print->n_ops - 1;
	if (!generate_side(c, conversion, stars, node.args[1]) || !add_op(c, TW_OP_JUMP))
		return false;
	to_end = c->print->n_ops - 1;
	land(c, to_else);
	if (!generate_side(c, conversion, stars, node.args[2]))
		return false;
	land(c, to_end);
	return true;
}

/* Return: the field whose value alone determines the text of an expression; NULL if there is none */
static const struct tw_field *only_field(const struct tw_expr *expr, uint32_t root)
{
	const struct tw_field *only = NULL;

	for (uint32_t i = expr->nodes[root].first; expr->nodes[root].is_text && i <= root; i++) {
		const struct tw_expr_node *node = &expr->nodes[i];

		if (node->kind == TW_EXPR_UNKNOWN || (node->field && node->kind != TW_EXPR_FIELD))
			return NULL;
		if (node->kind != TW_EXPR_FIELD)
			continue;
		if (tw_expr_node__is_bytes(node) || (only && only != node->field))
			return NULL;
		only = node->field;
	}
	return only;
}

static void swap_programs(struct tw_print *print)
{
	struct tw_op *const ops = print->ops;
	const uint32_t n = print->n_ops, size = print->ops_size;

	print->ops = print->word_ops;
	print->n_ops = print->n_word_ops;
	print->ops_size = print->word_ops_size;
	print->word_ops = ops;
	print->n_word_ops = n;
	print->word_ops_size = size;
}

/*
 * If the text of a %s depends on one field only, compiles this text once more, without width, as a program of its own. The word of a field
 * consists of the first such text and of such texts whose conversions directly follow it. Later texts have another meaning, such as the
 * second text of `gfp_flags=%s accounted=%s`.
 */
static bool generate_word(struct compiler *c, uint32_t root, const char *begin, const char *end)
{
	struct tw_print *print = c->print;
	const struct tw_field *field = only_field(&c->expr, root);
	const uint32_t label = c->label;
	struct tw_print_word *words;
	bool ok;

	if (!field || (tw_print__has_word(print, field) && (c->worded != field || c->word_end != begin)))
		return true;
	words = tw_expr__grow(&c->expr, print->words, print->n_words, &print->words_size, sizeof(*words), OPS_MAX);
	if (!words)
		return false;
	print->words = words;
	words[print->n_words++] = (struct tw_print_word){ .field = field, .at = print->n_word_ops };
	c->worded = field;
	c->word_end = end;
	swap_programs(print);
	ok = generate_string(c, root) && add_op(c, TW_OP_END);
	swap_programs(print);
	c->label = label;
	return ok;
}

static void take_table(struct tw_print *print, const struct tw_expr_table *from, uint32_t i)
{
	struct tw_print_names *table = &print->tables[i];

	table->names = &print->names[from->first];
	table->n = from->n;
	table->flags = from->is_flags;
	if (from->is_flags)
		memcpy(table->delimiter, &print->strings[from->delimiter], from->delimiter_len);
	table->mask = from->mask;
	table->zero = from->has_zero ? &print->strings[from->zero] : NULL;
	print->table_fields[i] = from->field;
}

static bool take_tables(struct compiler *c)
{
	static const char block[TW_PRINT_TEXT_SPARE];
	struct tw_expr *expr = &c->expr;
	struct tw_print *print = c->print;

	c->label = print->n_ops;
	if (print->n_texts && !add_text(c, block, sizeof(block))) /* bytes that may be read after the last text */
		return false;
	if (!expr->n_tables)
		return true;
	print->tables = calloc(expr->n_tables, sizeof(*print->tables));
	print->table_fields = calloc(expr->n_tables, sizeof(const struct tw_field *));
	print->names = calloc(expr->n_entries + 1, sizeof(*print->names));
	if (!print->tables || !print->table_fields || !print->names) {
		expr->no_memory = true;
		return false;
	}
	print->strings = expr->strings;
	expr->strings = NULL;
	print->n_strings = expr->n_strings;
	print->n_names = expr->n_entries;
	print->n_tables = expr->n_tables;
	for (uint32_t i = 0; i < expr->n_entries; i++)
		print->names[i] = (struct tw_print_name){ .value = expr->entries[i].value,
							  .name = &print->strings[expr->entries[i].text] };
	for (uint32_t i = 0; i < expr->n_tables; i++)
		take_table(print, &expr->tables[i], i);
	return true;
}

static bool next_argument(struct compiler *c, uint32_t *ret)
{
	if (!tw_parser__at(&c->parser, TW_PUNCT(',', 0)))
		return tw_expr__refuse(&c->expr, c->parser.token.column, "an argument is missing for a conversion");
	tw_parser__advance(&c->parser);
	return tw_parser__expression(&c->parser, ret);
}

/* Compiles one conversion and its arguments. The nodes of earlier conversions are not needed any more. */
static bool convert(struct compiler *c, struct tw_text *text)
{
	const char *const begin = text->at;
	struct tw_conversion conversion;
	uint32_t stars[2] = { 0 }, n = 0, node;

	if (!tw_conversion__parse(text, c->expr.format->long_size, &conversion))
		return tw_expr__refuse(&c->expr, 1, "the conversion \"%.*s\" is unknown",
				       text->len < 16 ? (int)text->len : 16, text->at);
	c->expr.n_nodes = 0;
	if (conversion.star_width && !next_argument(c, &stars[n++]))
		return false;
	if (conversion.star_precision && !next_argument(c, &stars[n++]))
		return false;
	return next_argument(c, &node) && generate_argument(c, &conversion, stars, node) &&
	       (conversion.spec.letter != 's' || generate_word(c, node, begin, text->at));
}

/* Return: length of the text up to a conversion or a tab. */
static size_t constant_length(struct tw_text text)
{
	size_t len = 0;

	while (len < text.len && text.at[len] != '%' && text.at[len] != '\t')
		len++;
	return len;
}

static bool read_pieces(struct compiler *c, struct tw_text text)
{
	while (text.len) {
		size_t len = constant_length(text);

		if (len == 0 && *text.at == '\t') {
			if (!add_op(c, TW_OP_TAB))
				return false;
			tw_text__cut(&text, 1);
			continue;
		}
		if (len == 0 && text.len > 1 && text.at[1] == '%') {
			tw_text__cut(&text, 1);
			len = 1;
		} else if (len == 0) {
			if (!convert(c, &text))
				return false;
			continue;
		}
		if (!add_text(c, text.at, len))
			return false;
		tw_text__cut(&text, len);
	}
	return true;
}

static bool compile(struct compiler *c)
{
	uint32_t at, len;
	struct tw_text text;
	char *copy;
	bool ok;

	tw_parser__advance(&c->parser);
	if (c->parser.token.kind != TW_LEX_STRING)
		return tw_expr__refuse(&c->expr, c->parser.token.column,
				       "the print fmt does not begin with a format string");
	if (!tw_parser__string(&c->parser, &at))
		return false;
	len = c->expr.n_strings - at - 1;
	copy = malloc(len + 1); /* the strings may move while arguments are parsed */
	if (!copy) {
		c->expr.no_memory = true;
		return false;
	}
	memcpy(copy, c->expr.strings + at, len);
	text = (struct tw_text){ copy, len };
	ok = read_pieces(c, text) && add_op(c, TW_OP_END) && take_tables(c);
	free(copy);
	return ok;
}

int tw_print__compile(struct tw_print *print)
{
	const char *text = print->format->print_fmt;
	struct compiler *c = calloc(1, sizeof(*c));
	int err = 0;

	if (!c)
		return -ENOMEM;
	c->expr.format = print->format;
	c->parser.expr = &c->expr;
	c->parser.lexer = (struct tw_lexer){ .left = { text, strlen(text) }, .begin = text };
	c->print = print;
	if (!compile(c))
		err = c->expr.refusal.text[0] ? -EINVAL : -ENOMEM;
	print->why = c->expr.refusal;
	tw_expr__free(&c->expr);
	free(c);
	return err;
}
