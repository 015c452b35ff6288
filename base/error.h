/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Error texts. A library never prints and never exits: it returns -errno and fills a tw_error that says what was tried,
 * on what, why it failed and what to do; the command line prints it as one sentence.
 */
#ifndef TW_ERROR_H
#define TW_ERROR_H

#include <stddef.h>

struct tw_error {
	char text[512];
};

/**
 * tw_error__set() - fill an error text and hand the code through
 * @error: may be NULL
 * @err: negative errno, returned as it is, so that `return tw_error__set(error, -EINVAL, ...)` reads as one thing
 * @fmt: printf format; no trailing newline or period
 *
 * Of -EMFILE and -ENFILE the text says besides how the limit is raised.
 * What the text quotes may hold any bytes: it is made printable by the rule of base/printable.h.
 */
__attribute__((format(printf, 3, 4))) int tw_error__set(struct tw_error *error, int err, const char *fmt, ...);

#endif
