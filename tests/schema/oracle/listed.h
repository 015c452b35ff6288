/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of differences that are known, one a program: lines of a name, such as SYSTEM:EVENT, a tab, and why. Names are shell
 * patterns. # begins a comment.
 */
#ifndef LISTED_H
#define LISTED_H

#include <stdbool.h>

/** listed__load() - read the list; ends the program if the file cannot be used */
void listed__load(const char *path);

/** listed__has() - whether a name is on it, which is given as to printf() */
__attribute__((format(printf, 1, 2))) bool listed__has(const char *fmt, ...);

/** listed__unused() - how many lines were for nobody */
unsigned int listed__unused(void);

#endif
