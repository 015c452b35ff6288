/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Back end: the kernel's own event filters, what is written to events/SYSTEM/EVENT/filter. */
#ifndef TW_FILTER_TRACEFS_H
#define TW_FILTER_TRACEFS_H

#include "base/line.h"
#include "filter/tree.h"

/*
 * What is written is of the kernel's own names: an event with a field called `CPU` or `COMM`, which no kernel has but a probe may, hides
 * what the language means by `cpu` and `comm`. A text behind a location is taken to end with a NUL, as the kernel writes them.
 */
#define TW_TRACEFS_FILTER_MAX 4000 /* bytes of one event's filter: the kernel takes a page */

/**
 * tw_tracefs__emit() - append the filter of one event
 * @root: as of the bound filter or of tw_node__weaken(); neither TRUE nor FALSE
 *
 * Return: 0; -EOPNOTSUPP as tw_bpf__generate(); -E2BIG if it is longer than the kernel takes.
 */
int tw_tracefs__emit(const struct tw_bound *bound, const struct tw_node *root, struct tw_line *line,
		     struct tw_error *error);

/* Why the kernel would not take a text as it is meant (filter/capability.c says it in words). */
enum tw_tracefs_obstacle {
	TW_TRACEFS_NO_OBSTACLE,
	TW_TRACEFS_OPEN_ESCAPE, /* a backslash that nothing follows */
	TW_TRACEFS_READS_ON,    /* behind an array of characters without a NUL */
	TW_TRACEFS_TAKES_NUL,   /* a class of characters that are not to be there does */
	TW_TRACEFS_LONG,
	TW_TRACEFS_NUL,
	TW_TRACEFS_QUOTES, /* both kinds */
};

/** tw_tracefs__obstacle() - of a test that compares text by equality, `contains` or `~` */
enum tw_tracefs_obstacle tw_tracefs__obstacle(const struct tw_test *test);

#endif
