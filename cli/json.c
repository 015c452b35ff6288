/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/json.h"

#include <string.h>

#include "base/json.h"

#define PIECE 64 /* bytes of a text at a time */
#define WIDER 6  /* bytes that one becomes at most */

/* Up to a piece, between two characters if these are characters. */
static size_t piece_of(const char *text, size_t len)
{
	size_t piece = len < PIECE ? len : PIECE;

	for (int back = 0; back < 3 && piece < len && (text[piece] & 0xc0) == 0x80; back++)
		piece--;
	return piece;
}

void cli_json__bytes(const char *text, size_t len, FILE *out)
{
	char buf[WIDER * PIECE];
	size_t piece;

	for (; len; text += piece, len -= piece) {
		struct tw_line line = tw_line__on(buf, sizeof(buf));

		piece = piece_of(text, len);
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
