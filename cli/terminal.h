/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Properties of a file descriptor that may be a terminal. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>

/** terminal__has_control() - whether @fd is a terminal that understands control sequences, according to $TERM */
bool terminal__has_control(int fd);

/** terminal__has_colour() - whether terminal__has_control() is true, and $NO_COLOR (no-color.org) is unset or empty */
bool terminal__has_colour(int fd);

/** terminal__columns(), terminal__rows() - width and height of the terminal; 0 = not a terminal, or unknown */
unsigned int terminal__columns(int fd);
unsigned int terminal__rows(int fd);

#endif
