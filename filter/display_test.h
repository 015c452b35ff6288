/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to the filter room. One test as a display filter has it. */
#ifndef TW_DISPLAY_TEST_H
#define TW_DISPLAY_TEST_H

#include "base/line.h"
#include "filter/tree.h"
#include "schema/field_name.h"

/**
 * tw_display__test() - append a test that tw_display__refuses() does not refuse
 * @format: of the event
 * Return: whether it needs parentheses beside others.
 */
bool tw_display__test(const struct tw_format *format, const struct tw_test *test, struct tw_line *line);

#define TW_DISPLAY_FALSE "!frame" /* every packet is a frame to Wireshark */

/* What a test is written with. */
struct tw_display_writing {
	struct tw_line *line;
	const struct tw_test *test;
	char name[TW_NAME_MAX];
};

/** tw_display__op() - " == " and the like, with the blanks around it */
const char *tw_display__op(uint8_t op);

static inline void tw_display__put(const struct tw_display_writing *w, const char *text)
{
	tw_line__str(w->line, text);
}

/* These return whether what they append needs parentheses beside others. */

/** tw_display__certain() - what is true if the field is there; or what never is */
static inline bool tw_display__certain(const struct tw_display_writing *w, bool is_true)
{
	tw_display__put(w, is_true ? w->name : TW_DISPLAY_FALSE);
	return false;
}

/** tw_display_number__refuses() - see tw_refuses(), for numbers */
const char *tw_display_number__refuses(const struct tw_test *test);

/** tw_display_number__write() - a test on a number */
bool tw_display_number__write(const struct tw_display_writing *w);

#endif
