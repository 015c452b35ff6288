/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/printk_formats.h"

#include <stdlib.h>
#include <string.h>

#include "producer/tracing_dir.h"
#include "wire/schema_text.h"

/* System calls have pointers to text too, but of the user's memory, and print them as numbers. */
bool tw_printk_formats__are_named_by(const struct tw_format *format)
{
	if (!strstr(format->print_fmt, "%s"))
		return false;
	for (size_t i = format->n_common; i < format->n_fields; i++)
		if (format->fields[i].kind == TW_FIELD_POINTER && strstr(format->fields[i].type, "char"))
			return true;
	return false;
}

static void cut(char *text)
{
	char *end;

	if (strlen(text) <= TW_SCHEMA_TEXT_MAX)
		return;
	text[TW_SCHEMA_TEXT_MAX] = 0;
	end = strrchr(text, '\n');
	*(end ? end + 1 : text) = 0;
}

char *tw_printk_formats__read(const char *tracing_dir, const struct tw_hashed_pointers *pointers)
{
	char *text, *hidden;

	if (tw_tracing_file__read(tracing_dir, "printk_formats", &text, NULL))
		return NULL;
	if (pointers) {
		hidden = tw_hashed_pointers__hide_strings(pointers, text);
		free(text);
		text = hidden;
	}
	if (text)
		cut(text);
	if (text && *text)
		return text;
	free(text);
	return NULL;
}
