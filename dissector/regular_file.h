/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small files, read whole: nothing that blocks, such as a FIFO, and nothing without an end, such as a device. */
#ifndef TW_REGULAR_FILE_H
#define TW_REGULAR_FILE_H

#include <glib.h>

/**
 * tw_regular_file__read() - read a file of at most @max bytes
 * @ret_len: without the NUL that is added
 *
 * Return: its bytes, for g_free(); NULL if it cannot be read, is no regular file or is larger.
 */
char *tw_regular_file__read(const char *path, gsize max, gsize *ret_len);

#endif
