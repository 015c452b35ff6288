/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `tracewire filter compile` makes of an expression, a function for each value of --to. */
#ifndef CLI_FILTER_TARGETS_H
#define CLI_FILTER_TARGETS_H

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

/* Return: 0; -EOPNOTSUPP, -E2BIG where it cannot be expressed; with @err filled and nothing printed. */
typedef int filter_print(const struct filter_expression *expression, const struct filter_classifier *classifier,
			 FILE *out, struct tw_error *err);

struct filter_target {
	const char *name; /* NULL ends the list */
	filter_print *print;
};

extern const struct filter_target filter_targets[];

/** filter_target__find() - @name may be NULL. Return: NULL with @err naming the nearest, or all */
const struct filter_target *filter_target__find(const char *name, struct tw_error *err);

filter_print filter_tracefs__print, filter_xdp__print, filter_tc__print, filter_u32__print;
filter_print filter_pcap__print, filter_display__print, filter_tree__print;

#endif
