/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiles an expression to the language of one stage. `filter compile` prints the result. `filter explain` only tests whether the stage
 * can express the expression.
 */
#ifndef CLI_FILTER_COMPILE_H
#define CLI_FILTER_COMPILE_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/filter/action.h"
#include "cli/filter/expression.h"

/* The parts of a classifier other than its expression. */
struct filter_classifier {
	struct filter_action action, otherwise; /* action for events that match, and for other events */
	uint16_t udp_port;                      /* also filter frames in UDP datagrams to this port; 0 = none */
	bool offload;
	const char *interface; /* name of the interface in tc commands, for u32 */
};

/**
 * filter_compile() - write an expression in the language of a stage
 * @to: tracefs, xdp, tc, u32, pcap, display; or tree, which lists the tests of each event
 * @out: NULL = write nothing, only test whether the stage can express the expression
 *
 * Return: 0; or -errno with @error filled and nothing written: -EINVAL for an unknown @to, or if a tracefs filter would have unprintable
 * bytes; -EOPNOTSUPP or -E2BIG if the stage cannot express the expression.
 */
int filter_compile(const struct filter_expression *expression, const char *to,
		   const struct filter_classifier *classifier, FILE *out, struct tw_error *error);

#endif
