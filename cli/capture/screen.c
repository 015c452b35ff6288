/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/capture/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS 100
#define ROWS    24

/* ECMA-48: CUU, and ED to the end */
#define UP    "\033[%zuA"
#define ERASE "\033[J"

bool screen__is_there(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

unsigned int screen__columns(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col ? COLUMNS : size.ws_col;
}

static unsigned int rows(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_row ? ROWS : size.ws_row;
}

/* Where the first @max lines of a text end. */
static size_t first_lines(const char *text, size_t max, size_t *ret_lines)
{
	const char *at = text;

	for (*ret_lines = 0; *ret_lines < max && *at; ++*ret_lines) {
		at = strchrnul(at, '\n');
		at += *at == '\n';
	}
	return (size_t)(at - text);
}

void screen__show(struct screen *screen, const char *text)
{
	size_t lines;
	const size_t len = first_lines(text, rows() - 1, &lines);

	screen__clear(screen);
	fwrite(text, 1, len, stderr);
	fflush(stderr);
	screen->lines = lines;
}

void screen__clear(struct screen *screen)
{
	if (screen->lines)
		fprintf(stderr, "\r" UP ERASE, screen->lines); /* in column one, whatever was typed meanwhile */
	screen->lines = 0;
}
