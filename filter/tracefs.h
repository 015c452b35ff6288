/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Back end: the kernel's event filters, the text for events/SYSTEM/EVENT/filter. */
#ifndef TW_FILTER_TRACEFS_H
#define TW_FILTER_TRACEFS_H

#include "base/line.h"
#include "filter/tree.h"

/*
 * The text uses the kernel's names. An event with a field called `CPU` or `COMM`, which no kernel has but a probe may, hides `cpu` and
 * `comm` of this language. A text of a __data_loc is assumed to end with a NUL, as the kernel writes it.
 */
#define TW_TRACEFS_FILTER_MAX 4000 /* bytes of one event's filter: the kernel accepts a page */

/**
 * tw_tracefs__emit() - append the filter of one event
 * @root: of the bound filter or from tw_node__weaken(); neither TRUE nor FALSE
 *
 * Return: 0; -EOPNOTSUPP as tw_bpf__generate(); -E2BIG if it is longer than the kernel accepts.
 */
int tw_tracefs__emit(const struct tw_bound *bound, const struct tw_node *root, struct tw_line *line,
		     struct tw_error *error);

/* Why the kernel's filters cannot express a text comparison correctly (filter/capability.c has the sentences). */
enum tw_tracefs_obstacle {
	TW_TRACEFS_NO_OBSTACLE,
	TW_TRACEFS_OPEN_ESCAPE, /* a trailing backslash */
	TW_TRACEFS_READS_ON,    /* it would read after an array of characters without a NUL */
	TW_TRACEFS_TAKES_NUL,   /* a negated class of characters would */
	TW_TRACEFS_LONG,
	TW_TRACEFS_NUL,
	TW_TRACEFS_QUOTES, /* both kinds */
};

/** tw_tracefs__obstacle() - for a test that compares text with equality, `contains` or `~` */
enum tw_tracefs_obstacle tw_tracefs__obstacle(const struct tw_test *test);

#endif
