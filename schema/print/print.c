/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "schema/print/program.h"

#include <stdlib.h>

struct tw_print *tw_print__new(const struct tw_format *format)
{
	struct tw_print *print = calloc(1, sizeof(*print));

	if (!print)
		return NULL;
	print->format = format;
	print->refusal = "print formats are not compiled yet";
	return print;
}

void tw_print__free(struct tw_print *print)
{
	free(print);
}

const char *tw_print__refusal(const struct tw_print *print)
{
	return print->refusal;
}

size_t tw_print__memory(const struct tw_print *print)
{
	return sizeof(*print);
}

void tw_print__run(const struct tw_print *print, const struct tw_record *record, const struct tw_print_host *host,
		   struct tw_line *line)
{
	(void)host;
	tw_print__fields(print->format, record, line);
}

bool tw_print__names(const struct tw_print *print, const struct tw_field *field, struct tw_print_names *ret)
{
	(void)print;
	(void)field;
	(void)ret;
	return false;
}

const struct tw_field *const *tw_print__addresses(const struct tw_print *print, size_t *ret_n)
{
	(void)print;
	*ret_n = 0;
	return NULL;
}
