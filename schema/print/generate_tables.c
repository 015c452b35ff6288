/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of words, and which fields they are of. */
#include <stdlib.h>

#include "schema/print/fast.h"
#include "schema/print/generate.h"

static void take_table(struct tw_print *print, const struct tw_expr_table *from, uint32_t i)
{
	struct tw_print_names *table = &print->tables[i];

	table->names = &print->names[from->first];
	table->n = from->n;
	table->flags = from->is_flags;
	if (from->is_flags)
		memcpy(table->delimiter, &print->strings[from->delimiter], from->delimiter_len);
	print->table_fields[i] = from->field;
}

bool tw_generate__tables(struct tw_generator *gen)
{
	static const char block[TW_FAST_BLOCK];
	struct tw_expr *expr = gen->expr;
	struct tw_print *print = gen->print;

	gen->label = print->n_ops;
	if (print->n_texts && !tw_generate__text(gen, block, sizeof(block))) /* tw_fast__text() reads that far */
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

bool tw_print__names(const struct tw_print *print, const struct tw_field *field, struct tw_print_names *ret)
{
	for (uint32_t i = 0; i < print->n_tables; i++) {
		if (print->table_fields[i] != field || !print->tables[i].n)
			continue;
		*ret = print->tables[i];
		return true;
	}
	return false;
}
