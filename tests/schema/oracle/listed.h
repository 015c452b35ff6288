/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of known differences of a test program. Each line has a name, such as SYSTEM:EVENT, a tab, and the reason. Names are shell
 * patterns. # begins a comment.
 */
#ifndef LISTED_H
#define LISTED_H

#include <stdbool.h>

/** listed__load() - read the list; ends the program if the file cannot be used */
void listed__load(const char *path);

/** listed__has() - whether the list has a name, which is formatted like printf() */
__attribute__((format(printf, 1, 2))) bool listed__has(const char *fmt, ...);

/** listed__unused() - number of lines whose name was never found by listed__has() */
unsigned int listed__unused(void);

#endif
