/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An expression in the words of one stage: what `filter compile` prints, and what `filter explain` tries. */
#ifndef CLI_FILTER_COMPILE_H
#define CLI_FILTER_COMPILE_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/filter/action.h"
#include "cli/filter/expression.h"

/* What a classifier is besides its expression. */
struct filter_classifier {
	struct filter_action action, otherwise; /* for events that match, and for the others */
	uint16_t udp_port;                      /* frames in UDP to that port too; 0 = not looked for */
	bool offload;
	const char *interface; /* for u32's commands */
};

/**
 * filter_compile() - write an expression as a stage has it
 * @to: tracefs, xdp, tc, u32, pcap, display; or tree
 * @out: NULL = only find out whether it can be expressed
 *
 * Return: 0; -EINVAL for a name that is none, -EOPNOTSUPP or -E2BIG where it cannot be expressed; with @error filled and nothing
 * written.
 */
int filter_compile(const struct filter_expression *expression, const char *to,
		   const struct filter_classifier *classifier, FILE *out, struct tw_error *error);

#endif
