/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/messages.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/printable.h"

static void say_no_memory(void)
{
	fputs("tracewire: out of memory: a line of the output is missing\n", stderr);
}

void say(FILE *out, const char *fmt, ...)
{
	const size_t fmt_len = strlen(fmt);
	const bool has_break = fmt_len && fmt[fmt_len - 1] == '\n';
	struct tw_line line;
	char *text, *room;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0) {
		say_no_memory();
		return;
	}
	room = malloc((size_t)len * TW_PRINTABLE_ESCAPED + 1);
	if (room) {
		line = tw_line__of(room, (size_t)len * TW_PRINTABLE_ESCAPED, TW_LINE_TEXT);
		tw_line__bytes(&line, text, (size_t)len - has_break);
		tw_printable__layout(&line, has_break ? "\n" : "");
		fwrite(room, 1, tw_line__len(&line), out);
	} else {
		say_no_memory();
	}
	free(room);
	free(text);
}

#define NOTE_MAX 8192 /* bytes of a note, more than the longest path; a longer note is cut */

static bool as_json;

void say__count(FILE *out, uint64_t n, const char *text)
{
	fprintf(out, "%" PRIu64 " ", n);
	while (*text) {
		const char *begin = strchrnul(text, '{'), *bar = strchrnul(begin, '|'), *end = strchrnul(bar, '}');

		fwrite(text, 1, (size_t)(begin - text), out);
		if (*end && n == 1)
			fwrite(begin + 1, 1, (size_t)(bar - begin - 1), out);
		else if (*end)
			fwrite(bar + 1, 1, (size_t)(end - bar - 1), out);
		text = *end ? end + 1 : end;
	}
}

void note__use_json(void)
{
	as_json = true;
}

static void put(const char *key, const char *text)
{
	struct tw_json json;

	if (!as_json) {
		say(stderr, "%s\n", text);
		return;
	}
	tw_json__to_file(&json, stderr, false);
	tw_json__open(&json, NULL, '{');
	tw_json__str(&json, key, text);
	tw_json__close(&json);
}

void note__say(const char *format, ...)
{
	char text[NOTE_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put("note", text);
}

void note__error(const char *path, const struct tw_error *error)
{
	char text[NOTE_MAX];

	snprintf(text, sizeof(text), "%s: %s", path, error->text);
	put("error", text);
}

#define WIDTH  76 /* largest number of columns of an expression that are shown */
#define BEFORE 50 /* largest number of shown columns before the error, if the expression is longer than WIDTH */

/* Return: the N of an @error that begins with "column N:"; 0 if @error does not begin so, or if N is larger than @len + 1 */
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
