/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From an expression to the input of the back ends and the evaluator. */
#ifndef TESTS_FILTER_BOUND_H
#define TESTS_FILTER_BOUND_H

#include "filter/filter.h"

/**
 * bound__make() - parse and bind
 * @err: may be NULL
 *
 * Return: 0, with @ret to be freed; or the -errno of one of the two with its sentence
 */
int bound__make(const char *text, const struct tw_bind_options *options, struct tw_bound **ret, struct tw_error *err);

/** bound__make_ready() - the same, and prepare it for the evaluator */
int bound__make_ready(const char *text, const struct tw_bind_options *options, struct tw_bound **ret,
		      struct tw_error *err);

#endif
