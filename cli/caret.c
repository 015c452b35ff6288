/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/caret.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WIDTH  76 /* of what is shown of a long expression */
#define BEFORE 50 /* of that in front of the column */

/* Return: counted from 1; 0 if the sentence begins with no column of the expression */
static size_t column_of(const struct tw_error *error, size_t len)
{
	static const char word[] = "column ";
	unsigned long column;
	char *end;

	if (strncmp(error->text, word, sizeof(word) - 1) != 0)
		return 0;
	column = strtoul(error->text + sizeof(word) - 1, &end, 10);
	return *end == ':' && column <= len + 1 ? column : 0;
}

static int is_plain(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			return 0;
	return 1;
}

void caret__show(const char *expression, const struct tw_error *error)
{
	const size_t len = strlen(expression), column = column_of(error, len);
	const size_t skipped = column > BEFORE + 1 && len > WIDTH ? column - 1 - BEFORE : 0;

	if (!column || !is_plain(expression) || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "  %.*s\n  %*s\n", WIDTH, expression + skipped, (int)(column - skipped), "^");
}
