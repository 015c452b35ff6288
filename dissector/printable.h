/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text that may be shown: names and event texts come from strangers and go to terminals and to Wireshark, which takes
 * strings for UTF-8. Lines are base/line.h's, on one byte less than there is: the NUL goes there.
 */
#ifndef TW_PRINTABLE_H
#define TW_PRINTABLE_H

#include "base/line.h"

/** tw_printable__mend() - in place: newlines and tabs become blanks, other control characters and what is no UTF-8 dots */
void tw_printable__mend(char *text, size_t len);

/** tw_printable__on() - an empty line on @buf with room for the NUL of tw_printable__end() */
static inline struct tw_line tw_printable__on(char *buf, size_t size)
{
	return tw_line__on(buf, size - 1);
}

/** tw_printable__append() - a stranger's bytes, mended */
static inline void tw_printable__append(struct tw_line *line, const void *bytes, size_t len)
{
	char *from = line->at;

	tw_line__bytes(line, bytes, len);
	tw_printable__mend(from, (size_t)(line->at - from));
}

/** tw_printable__end() - close a line made by tw_printable__on() with a NUL. Return: its text */
static inline char *tw_printable__end(struct tw_line *line)
{
	*line->at = 0;
	return line->text;
}

#endif
