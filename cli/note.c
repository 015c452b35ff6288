/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/note.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/json.h"
#include "cli/say.h"

#define NOTE_MAX 8192 /* bytes, more than a path has; what is longer is cut */

static bool as_json;

void note__use_json(void)
{
	as_json = true;
}

static void put(const char *key, const char *text)
{
	if (!as_json) {
		say(stderr, "%s\n", text);
		return;
	}
	fprintf(stderr, "{\"%s\":\"", key);
	cli_json__bytes(text, strlen(text), stderr);
	fputs("\"}\n", stderr);
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

void note__error(const char *path, const struct tw_error *err)
{
	char text[NOTE_MAX];

	snprintf(text, sizeof(text), "%s: %s", path, err->text);
	put("error", text);
}
