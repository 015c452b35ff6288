/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event patterns of the command line: a system, an event of any system, SYSTEM:EVENT or SYSTEM/EVENT, each with wildcards; or `all`. */
#ifndef TW_EVENT_PATTERN_H
#define TW_EVENT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/nearest.h"

#define TW_EVENT_PATTERN_MAX 512 /* bytes of a system or event part, with NUL; a longer part matches nothing */

/** tw_event_pattern__is_bare() - whether @pattern has no ':' or '/': it then names a system or an event, or is `all` */
bool tw_event_pattern__is_bare(const char *pattern, size_t len);

/** tw_event_pattern__matches() - whether one pattern matches @event of @system; an empty side of ':' or '/' matches any name */
bool tw_event_pattern__matches(const char *pattern, size_t len, const char *system, const char *event);

/** tw_event_patterns__match() - whether any of @patterns matches; they are separated by commas, blanks or tabs */
bool tw_event_patterns__match(const char *patterns, const char *system, const char *event);

/** tw_event_patterns__next() - the next of the patterns at *@patterns, which is moved to the text after it. Return: NULL at the end */
const char *tw_event_patterns__next(const char **patterns, size_t *ret_len);

/* The search for the name most similar to a pattern that matches nothing: a system or an event for a bare word, otherwise "system:event". */
struct tw_event_suggestion {
	bool is_bare;
	struct tw_nearest nearest; /* its result is @best */
	char pattern[TW_NEAREST_WORD_MAX + 1], best[2 * TW_NEAREST_WORD_MAX];
};

/** tw_event_suggestion__init() - begin a search. @suggestion must not be moved */
void tw_event_suggestion__init(struct tw_event_suggestion *suggestion, const char *pattern, size_t len);

/** tw_event_suggestion__offer() - compare the pattern with an event */
void tw_event_suggestion__offer(struct tw_event_suggestion *suggestion, const char *system, const char *event);

#endif
