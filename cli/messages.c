/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/say.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"

void say(FILE *out, const char *fmt, ...)
{
	struct tw_line line;
	char *text, *room;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		return;
	room = malloc((size_t)len * TW_PRINTABLE_ESCAPED + 1);
	if (room) {
		line = tw_line__of(room, (size_t)len * TW_PRINTABLE_ESCAPED, TW_LINE_TEXT);
		tw_line__bytes(&line, text, (size_t)len);
		tw_printable__end(&line);
		fwrite(room, 1, tw_line__len(&line), out);
	}
	free(room);
	free(text);
}
