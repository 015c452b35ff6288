/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of the kernel's top-level buffer. */
#ifndef TW_TOP_FILE_H
#define TW_TOP_FILE_H

#include <stdbool.h>

/** tw_top_file__open() - Return: fd, or -1 with errno set */
int tw_top_file__open(const char *file, int flags);

/** tw_top_file__put() - write a text; what one kernel refuses another has not got: there is nothing to put back then */
void tw_top_file__put(const char *file, const char *text);

/** tw_top_file__cut() - empty a list */
void tw_top_file__cut(const char *file);

/** tw_top_file__is_empty() - whether the text of a list is nothing but what the kernel says about an empty one */
bool tw_top_file__is_empty(const char *text);

/** tw_top_file__read() - the whole text; free(); NULL if there is none */
char *tw_top_file__read(const char *file);

#endif
