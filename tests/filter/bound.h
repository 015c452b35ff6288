/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the input of the back ends and of the evaluator from the text of an expression. */
#ifndef TESTS_FILTER_BOUND_H
#define TESTS_FILTER_BOUND_H

#include "filter/filter.h"

/**
 * bound__make() - parse and bind an expression
 * @err: may be NULL
 *
 * Return: 0, and the caller frees @ret; or the -errno of the parser or the binder, with the reason in @err
 */
int bound__make(const char *text, const struct tw_bind_options *options, struct tw_bound **ret, struct tw_error *err);

/** bound__make_ready() - as bound__make(), and prepare the result for the evaluator */
int bound__make_ready(const char *text, const struct tw_bind_options *options, struct tw_bound **ret,
		      struct tw_error *err);

#endif
