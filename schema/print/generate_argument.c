/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operations for the conversions of a format string. */
#include "schema/print/generate.h"

static bool add_conversion(struct tw_generator *gen, const struct tw_conversion *conversion, uint32_t *ret)
{
	struct tw_print *print = gen->print;
	struct tw_conversion *all = tw_expr__grow(gen->expr, print->conversions, print->n_conversions,
						  &print->conversions_size, sizeof(*all), TW_GENERATE_OPS_MAX);

	if (!all)
		return false;
	print->conversions = all;
	all[print->n_conversions] = *conversion;
	*ret = print->n_conversions++;
	return true;
}

static bool converted(struct tw_generator *gen, enum tw_op_code code, const struct tw_conversion *conversion,
		      uint32_t values)
{
	struct tw_op *op;
	uint32_t i;

	if (!add_conversion(gen, conversion, &i))
		return false;
	op = tw_generate__op(gen, code);
	if (!op)
		return false;
	op->a = i;
	gen->depth -= values + conversion->star_width + conversion->star_precision;
	return true;
}

static bool is_plain(const struct tw_conversion *conversion)
{
	const struct tw_put_spec *spec = &conversion->spec;

	return !spec->flags && !spec->width && spec->precision < 0 && !conversion->star_width &&
	       !conversion->star_precision;
}

/* The commonest: a field as it is, by a conversion of its own sign that shows all of it. */
static bool field_as_it_is(struct tw_generator *gen, const struct tw_conversion *conversion, uint32_t i)
{
	const uint32_t peeled = tw_expr__peel(gen->expr, i);
	const struct tw_expr_node *node = &gen->expr->nodes[peeled];
	const char letter = conversion->spec.letter;
	const bool decimal = letter == 'd' || letter == 'i' || letter == 'u', is_signed = letter != 'u';
	const uint32_t before = gen->print->n_ops;
	struct tw_op *op;

	if (!is_plain(conversion) || (!decimal && letter != 'x') || node->kind != TW_EXPR_FIELD ||
	    tw_expr_node__is_bytes(node) || node->size > conversion->spec.size)
		return false;
	if (node->size < conversion->spec.size ? node->is_signed && (letter == 'x' || !is_signed) : false)
		return false;
	if (!tw_generate__number(gen, peeled) || gen->print->n_ops != before + 1)
		return false;
	gen->depth--;
	op = &gen->print->ops[before];
	op->code = decimal ? TW_OP_DECIMAL_OF : TW_OP_HEX_OF;
	if (node->size == conversion->spec.size)
		op->is_signed = decimal && is_signed;
	return true;
}

static bool number(struct tw_generator *gen, const struct tw_conversion *conversion, uint32_t i)
{
	const char letter = conversion->spec.letter;
	struct tw_op *op;

	if (field_as_it_is(gen, conversion, i))
		return true;
	if (!tw_generate__number(gen, i))
		return false;
	if (!is_plain(conversion) || (letter != 'd' && letter != 'i' && letter != 'u'))
		return converted(gen, TW_OP_NUMBER, conversion, 1);
	op = tw_generate__op(gen, TW_OP_DECIMAL);
	if (!op)
		return false;
	op->size = conversion->spec.size;
	op->is_signed = letter != 'u';
	gen->depth--;
	return true;
}

static bool string(struct tw_generator *gen, const struct tw_conversion *conversion, uint32_t i)
{
	/* A text that is only known by its address is put as it is, whatever its width. */
	if (is_plain(conversion) || (!conversion->star_width && !conversion->star_precision &&
				     !gen->expr->nodes[i].is_text && !tw_expr_node__is_bytes(&gen->expr->nodes[i])))
		return tw_generate__string(gen, i);
	gen->label = gen->print->n_ops + 1;
	return tw_generate__op(gen, TW_OP_MARK) && tw_generate__string(gen, i) &&
	       converted(gen, TW_OP_FIT, conversion, 0);
}

/* Whoever produces a stream looks up the names of the addresses, and may hide the pointers. */
static bool list_field(struct tw_generator *gen, struct tw_print_list *list, uint32_t i)
{
	const struct tw_expr_node *node = &gen->expr->nodes[tw_expr__peel(gen->expr, i)];
	const struct tw_field **all;

	if (node->kind == TW_EXPR_INDEX ? node->size != gen->expr->format->long_size
					: node->kind != TW_EXPR_FIELD || node->size < gen->expr->format->long_size)
		return true;
	for (uint32_t k = 0; k < list->n; k++)
		if (list->fields[k] == node->field)
			return true;
	all = tw_expr__grow(gen->expr, list->fields, list->n, &list->size, sizeof(*all), TW_FORMAT_FIELDS_MAX);
	if (!all)
		return false;
	list->fields = all;
	all[list->n++] = node->field;
	return true;
}

static bool pointer(struct tw_generator *gen, const struct tw_conversion *conversion, uint32_t i)
{
	struct tw_conversion on_bytes = *conversion;
	const struct tw_expr_node *node = &gen->expr->nodes[i];

	if (tw_pointer__is_bytes(&conversion->pointer)) {
		if (!tw_expr_node__is_bytes(node))
			return tw_expr__refuse(gen->expr, node->column, "what this points to is not in the record");
		on_bytes.field = node->field;
		if (conversion->pointer.kind == TW_POINTER_HEX && !conversion->spec.width)
			on_bytes.spec.width = 1; /* as the kernel has it for %ph alone */
		return converted(gen, TW_OP_POINTED, &on_bytes, 0);
	}
	if (!tw_generate__number(gen, i))
		return false;
	if (!list_field(gen, &gen->print->pointers, i))
		return false;
	if (tw_pointer__is_symbol(&conversion->pointer) && !list_field(gen, &gen->print->addresses, i))
		return false;
	return converted(gen, TW_OP_ADDRESS, conversion, 1);
}

bool tw_generate__argument(struct tw_generator *gen, const struct tw_conversion *conversion, const uint32_t *stars,
			   uint32_t node)
{
	const uint32_t n_stars = (uint32_t)conversion->star_width + conversion->star_precision;

	for (uint32_t i = 0; i < n_stars; i++)
		if (!tw_generate__number(gen, stars[i]))
			return false;
	if (conversion->spec.letter == 'p')
		return pointer(gen, conversion, node);
	if (conversion->spec.letter == 's')
		return string(gen, conversion, node);
	return number(gen, conversion, node);
}
