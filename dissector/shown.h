/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts as they go to Wireshark: as base/printable.h shows them, on one line. Labels, columns and values of fields are so, and
 * what is learnt from the capture.
 */
#ifndef TW_SHOWN_H
#define TW_SHOWN_H

#include "base/printable.h"
#include "dissector/compat.h"

/** tw_shown__on() - an empty line on @buf with room for the NUL of tw_shown__end(); any bytes may be appended */
static inline struct tw_line tw_shown__on(char *buf, size_t size)
{
	return tw_line__of(buf, size - 1, TW_LINE_FLAT);
}

/** tw_shown__end() - close a line made by tw_shown__on() with a NUL. Return: its text */
static inline char *tw_shown__end(struct tw_line *line)
{
	tw_printable__escape(line);
	*line->at = 0;
	return line->text;
}

/** tw_shown__dup() - a text of the capture in new memory */
char *tw_shown__dup(wmem_allocator_t *scope, const void *text, size_t len);

#endif
