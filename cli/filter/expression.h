/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An expression of the command line, parsed and bound to the formats that the options select. */
#ifndef CLI_FILTER_EXPRESSION_H
#define CLI_FILTER_EXPRESSION_H

#include "cli/filter/formats.h"
#include "filter/filter.h"
#include "filter/tree.h"

struct filter_expression {
	struct cli_formats formats;
	struct tw_filter *filter;
	struct tw_bound *bound;
};

/**
 * filter_expression__load() - parse an expression, read the formats, and bind the expression to them
 * @text: NULL = not given, which is an error
 * @ret: to be freed with filter_expression__fini()
 *
 * Invalid formats are reported on standard error.
 *
 * Return: 0, or -errno with @error filled.
 */
int filter_expression__load(const char *text, const struct cli_formats_source *source, struct filter_expression *ret,
			    struct tw_error *error);

/** filter_expression__fini() - free the members of @expression, which may be all-zero */
void filter_expression__fini(struct filter_expression *expression);

/** filter_expression__exit_of() - convert 0 or -errno to an exit status; an expression that a stage cannot express is a usage error */
int filter_expression__exit_of(int err);

#endif
