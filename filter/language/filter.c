/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "filter/language/syntax.h"

int tw_filter_error(struct tw_error *err, int code, uint32_t column, const char *fmt, ...)
{
	char text[sizeof(err->text)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return tw_error__set(err, code, "column %u: %s", column, text);
}

void tw_filter__free(struct tw_filter *filter)
{
	if (!filter)
		return;
	tw_arena__free(filter->arena);
	free(filter);
}

const char *tw_filter__text(const struct tw_filter *filter)
{
	return filter->text;
}

unsigned int tw_filter__predicates(const struct tw_filter *filter)
{
	return filter->n_predicates;
}

const char *tw_filter__predicate(const struct tw_filter *filter, unsigned int i, size_t *ret_len)
{
	*ret_len = filter->predicates[i]->end - filter->predicates[i]->begin;
	return filter->text + filter->predicates[i]->begin;
}
