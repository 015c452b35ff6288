/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Back end: the kernel's event filters. It writes the text for events/SYSTEM/EVENT/filter. */
#ifndef TW_FILTER_TRACEFS_H
#define TW_FILTER_TRACEFS_H

#include "base/line.h"
#include "filter/tree.h"

/*
 * The filter text uses the kernel's names, such as `CPU` for `cpu` and `COMM` for `comm`. If an event has a field with such a name (a
 * user's probe may have one), the kernel compares that field instead. The text of a __data_loc field is assumed to end with a NUL, as the
 * kernel writes it.
 */
#define TW_TRACEFS_FILTER_MAX 4000 /* bytes of one event's filter; the kernel accepts less than a page */

/**
 * tw_tracefs__emit() - append the filter of one event
 * @root: the event's tree, from @bound or from tw_node__weaken(); neither TRUE nor FALSE
 *
 * Return: 0; -EOPNOTSUPP as from tw_bound__check(); -E2BIG if the filter is longer than TW_TRACEFS_FILTER_MAX, or does not fit in @line.
 */
int tw_tracefs__emit(const struct tw_bound *bound, const struct tw_node *root, struct tw_line *line,
		     struct tw_error *error);

/* Why the kernel's filters cannot express a comparison of text correctly. The error texts are in filter/capability.c. */
enum tw_tracefs_obstacle {
	TW_TRACEFS_NO_OBSTACLE,
	TW_TRACEFS_OPEN_ESCAPE, /* the pattern ends with a backslash that escapes nothing */
	TW_TRACEFS_READS_ON,    /* the kernel may read beyond the end of a character array that has no NUL */
	TW_TRACEFS_TAKES_NUL,   /* a negated class, such as [!x], may match the NUL at the end of the text */
	TW_TRACEFS_LONG,        /* the text in quotes would be longer than the kernel accepts */
	TW_TRACEFS_NUL,         /* the value contains a NUL */
	TW_TRACEFS_QUOTES,      /* the value contains both ' and " */
};

/** tw_tracefs__obstacle() - find the obstacle to a test of text with the operator EXISTS, EQ, NE, CONTAINS or GLOB */
enum tw_tracefs_obstacle tw_tracefs__obstacle(const struct tw_test *test);

#endif
