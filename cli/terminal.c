/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal__has_control(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

bool terminal__has_colour(int fd)
{
	const char *no_colour = getenv("NO_COLOR");

	return terminal__has_control(fd) && (!no_colour || !*no_colour);
}

unsigned int terminal__columns(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

unsigned int terminal__rows(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) ? 0 : size.ws_row;
}
