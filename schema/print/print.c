/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "schema/print/compile.h"

/* What was made until the refusal is of no use. */
static void drop_program(struct tw_print *print)
{
	free(print->ops);
	free(print->texts);
	free(print->conversions);
	free(print->names);
	free(print->tables);
	free(print->table_fields);
	free(print->strings);
	free(print->addresses);
	*print = (struct tw_print){ .format = print->format, .why = print->why };
}

struct tw_print *tw_print__new(const struct tw_format *format)
{
	struct tw_print *print = calloc(1, sizeof(*print));
	int err;

	if (!print)
		return NULL;
	print->format = format;
	err = tw_print__compile(print);
	if (!err && tw_print__memory(print) > TW_PRINT_MEMORY_MAX) {
		err = tw_error__set(&print->why, -E2BIG, "print fmt: its program takes more than %u bytes",
				    TW_PRINT_MEMORY_MAX);
	}
	if (!err)
		return print;
	drop_program(print);
	print->refusal = print->why.text;
	if (err != -ENOMEM)
		return print;
	free(print);
	return NULL;
}

void tw_print__free(struct tw_print *print)
{
	if (!print)
		return;
	drop_program(print);
	free(print);
}

const char *tw_print__refusal(const struct tw_print *print)
{
	return print->refusal;
}

size_t tw_print__memory(const struct tw_print *print)
{
	return sizeof(*print) + print->ops_size * sizeof(*print->ops) + print->texts_size +
	       print->conversions_size * sizeof(*print->conversions) + print->n_names * sizeof(*print->names) +
	       print->n_tables * (sizeof(*print->tables) + sizeof(*print->table_fields)) + print->n_strings +
	       print->addresses_size * sizeof(*print->addresses);
}

const struct tw_field *const *tw_print__addresses(const struct tw_print *print, size_t *ret_n)
{
	*ret_n = print->n_addresses;
	return print->addresses;
}
