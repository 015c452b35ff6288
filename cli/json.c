/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/json.h"

#include <stdio.h>

void cli_json__text(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if ((unsigned char)*text < 0x20)
			printf("\\u%04x", (unsigned char)*text);
		else
			printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
	}
	putchar('"');
}
