/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter/expression.h"

#include <errno.h>

#include "cli/command.h"
#include "cli/filter_option.h"

static int bind(struct filter_expression *expression, const struct cli_selection *selection, struct tw_error *error)
{
	const struct cli_formats *formats = &expression->formats;
	const struct tw_bind_options options = { .schema = formats->schema, .big_endian = formats->big_endian };
	struct tw_error note;

	cli_formats__tell_refused(formats);
	/* Without -e, the note would be printed too often: many keys are also the name of a field in some event of the kernel. */
	if (selection->n && tw_filter__ambiguous_key(expression->filter, formats->schema, &note))
		filter_option__note(expression->filter, &note);
	return tw_filter__bind(expression->filter, &options, &expression->bound, error);
}

int filter_expression__load(const char *text, const struct cli_formats_source *source, struct filter_expression *ret,
			    struct tw_error *error)
{
	struct filter_expression expression = { 0 };
	int err;

	if (!text)
		return tw_error__set(error, -EINVAL,
				     "no expression is given; tracewire-filter(7) describes the language");
	err = tw_filter__parse(text, &expression.filter, error);
	if (!err)
		err = cli_formats__load(source, &expression.formats, error);
	if (!err)
		err = bind(&expression, &source->selection, error);
	if (err)
		filter_expression__fini(&expression);
	else
		*ret = expression;
	return err;
}

void filter_expression__fini(struct filter_expression *expression)
{
	tw_bound__free(expression->bound);
	tw_filter__free(expression->filter);
	cli_formats__fini(&expression->formats);
	*expression = (struct filter_expression){ 0 };
}

int filter_expression__exit_of(int err)
{
	return err == -EOPNOTSUPP || err == -E2BIG || err == -ENODATA ? CLI_EXIT_USAGE : cli_exit__of(err);
}
