/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `tracewire filter explain` has found out, and how it is told. */
#ifndef CLI_FILTER_EXPLANATION_H
#define CLI_FILTER_EXPLANATION_H

#include <stdio.h>

#include "cli/filter/explain/ability.h"
#include "cli/filter/explain/live.h"
#include "cli/filter/explain/route.h"

struct filter_explanation {
	const struct filter_expression *expression;
	const struct cli_formats_source *source;
	const struct filter_pipeline *pipeline;
	filter_abilities *abilities;
	struct filter_routes routes;
	const struct filter_live *live; /* NULL = it was not put to work */
};

/** filter_explanation__print() - as text for people */
void filter_explanation__print(const struct filter_explanation *explanation, FILE *out);

/** filter_explanation__print_live() - the part about the filter at work */
void filter_explanation__print_live(const struct filter_explanation *explanation, FILE *out);

/** filter_explanation__print_json() - as one JSON object */
void filter_explanation__print_json(const struct filter_explanation *explanation, FILE *out);

#endif
