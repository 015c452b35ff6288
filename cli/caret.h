/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in an expression a mistake is. */
#ifndef CLI_CARET_H
#define CLI_CARET_H

#include "base/error.h"

/**
 * caret__show() - on a terminal: the expression, and below it a caret at the column that @error begins with
 *
 * Nothing if it begins with none, or if something else than letters and the like would shift the caret.
 */
void caret__show(const char *expression, const struct tw_error *error);

#endif
