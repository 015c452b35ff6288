/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/json.h"

#include <string.h>

void cli_json__bytes(const char *text, size_t len, FILE *out)
{
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)text[i] < 0x20)
			fprintf(out, "\\u%04x", (unsigned char)text[i]);
		else
			fprintf(out, text[i] == '"' || text[i] == '\\' ? "\\%c" : "%c", text[i]);
	}
}

void cli_json__text(const char *text)
{
	putchar('"');
	cli_json__bytes(text, strlen(text), stdout);
	putchar('"');
}
