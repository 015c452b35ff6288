/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Error texts. Libraries do not print and do not exit. They return -errno and fill a struct tw_error with one sentence: what was tried, on
 * which object, why it failed, and what to do. The commands in cli/ print the sentence.
 */
#ifndef TW_ERROR_H
#define TW_ERROR_H

#include <stddef.h>

struct tw_error {
	char text[512];
};

/**
 * tw_error__set() - fill an error text and return @err
 * @error: may be NULL
 * @err: negative errno, returned unchanged, for `return tw_error__set(error, -EINVAL, ...)`
 * @fmt: printf format, without a trailing newline or period
 *
 * For -EMFILE and -ENFILE, advice to raise the limit of open files is appended. The arguments of @fmt may have any bytes, because the
 * resulting text is escaped as base/printable.h describes.
 */
__attribute__((format(printf, 3, 4))) int tw_error__set(struct tw_error *error, int err, const char *fmt, ...);

#endif
