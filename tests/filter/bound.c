/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/filter/bound.h"

#include "filter/evaluate.h"

int bound__make(const char *text, const struct tw_bind_options *options, struct tw_bound **ret, struct tw_error *err)
{
	struct tw_filter *filter;
	int error = tw_filter__parse(text, &filter, err);

	if (error)
		return error;
	error = tw_filter__bind(filter, options, ret, err);
	tw_filter__free(filter);
	return error;
}

int bound__make_ready(const char *text, const struct tw_bind_options *options, struct tw_bound **ret,
		      struct tw_error *err)
{
	struct tw_bound *bound;
	int error = bound__make(text, options, &bound, err);

	if (error)
		return error;
	error = tw_bound__prepare(bound, err);
	if (error)
		tw_bound__free(bound);
	else
		*ret = bound;
	return error;
}
