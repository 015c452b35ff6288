/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/json.h"

#include <string.h>

#include "base/json.h"
#include "base/printable.h"

#define PIECE 64 /* bytes of a text at a time */
#define WIDER 6  /* bytes that one becomes at most */

void cli_json__bytes(const char *text, size_t len, FILE *out)
{
	char buf[WIDER * PIECE];
	size_t piece;

	for (; len; text += piece, len -= piece) {
		struct tw_line line = tw_line__on(buf, sizeof(buf));

		piece = tw_printable__cut(text, len, PIECE);
		tw_json__text(&line, text, piece);
		fwrite(buf, 1, tw_line__len(&line), out);
	}
}

void cli_json__text(const char *text)
{
	putchar('"');
	cli_json__bytes(text, strlen(text), stdout);
	putchar('"');
}
