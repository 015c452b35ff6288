/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text that stands in one place of a terminal on standard error, and is written anew there. */
#ifndef CLI_CAPTURE_SCREEN_H
#define CLI_CAPTURE_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

struct screen {
	size_t lines; /* that stand there */
};

/** screen__is_there() - standard error is a terminal whose cursor can be moved */
bool screen__is_there(void);

/** screen__columns() - how wide it is; something usual if standard error is no terminal */
unsigned int screen__columns(void);

/** screen__show() - @text, of whole lines, instead of what stands there; lines that the terminal has no room for are left out */
void screen__show(struct screen *screen, const char *text);

/** screen__clear() - take away what stands there: other lines follow */
void screen__clear(struct screen *screen);

#endif
