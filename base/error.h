/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Error texts. Libraries never print or exit: they return -errno and fill a tw_error with one sentence: what was tried, on which object,
 * why it failed, and what to do. The command line prints the sentence.
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
 * For -EMFILE and -ENFILE, advice to raise the limit is appended. Names quoted in the text may have any bytes: base/printable.h
 * escapes them.
 */
__attribute__((format(printf, 3, 4))) int tw_error__set(struct tw_error *error, int err, const char *fmt, ...);

#endif
