/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An expression in the language of one stage: `filter compile` prints it, `filter explain` tries it. */
#ifndef CLI_FILTER_COMPILE_H
#define CLI_FILTER_COMPILE_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/filter/action.h"
#include "cli/filter/expression.h"

/* The parts of a classifier other than its expression. */
struct filter_classifier {
	struct filter_action action, otherwise; /* for matching events, and for the others */
	uint16_t udp_port;                      /* also match frames in UDP to that port; 0 = do not */
	bool offload;
	const char *interface; /* for the commands of u32 */
};

/**
 * filter_compile() - write an expression in the language of a stage
 * @to: tracefs, xdp, tc, u32, pcap, display; or tree
 * @out: NULL = only test whether it can be expressed
 *
 * Return: 0; -EINVAL for an unknown name, -EOPNOTSUPP or -E2BIG if it cannot be expressed; with @error filled and nothing written.
 */
int filter_compile(const struct filter_expression *expression, const char *to,
		   const struct filter_classifier *classifier, FILE *out, struct tw_error *error);

#endif
