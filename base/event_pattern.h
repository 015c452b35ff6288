/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event patterns of the command line. A pattern is the name of a system, the name of an event of any system, SYSTEM:EVENT or SYSTEM/EVENT.
 * Each name may have wildcards. The pattern `all` matches all events.
 */
#ifndef TW_EVENT_PATTERN_H
#define TW_EVENT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/nearest.h"

#define TW_EVENT_PATTERN_MAX 512 /* bytes of one name in a pattern, with NUL; a longer name matches nothing */

/** tw_event_pattern__is_bare() - whether @pattern is one name or `all`: it has no ':' and no '/' */
bool tw_event_pattern__is_bare(const char *pattern, size_t len);

/** tw_event_pattern__matches() - whether one pattern matches @event of @system. An empty part of SYSTEM:EVENT matches any name */
bool tw_event_pattern__matches(const char *pattern, size_t len, const char *system, const char *event);

/** tw_event_patterns__match() - whether any of @patterns matches; the patterns are separated by commas, blanks or tabs */
bool tw_event_patterns__match(const char *patterns, const char *system, const char *event);

/** tw_event_patterns__next() - get the next of the patterns at *@patterns, and move *@patterns past it. Return: NULL at the end */
const char *tw_event_patterns__next(const char **patterns, size_t *ret_len);

/*
 * The search for the name most similar to a pattern that matches nothing. A bare pattern is compared with the names of systems and of
 * events, any other pattern with "system:event".
 */
struct tw_event_suggestion {
	bool is_bare;
	struct tw_nearest nearest; /* nearest.best is NULL or @best */
	char pattern[TW_NEAREST_WORD_MAX + 1], best[2 * TW_NEAREST_WORD_MAX];
};

/** tw_event_suggestion__init() - begin a search. @suggestion must not be moved, because it points to its own members */
void tw_event_suggestion__init(struct tw_event_suggestion *suggestion, const char *pattern, size_t len);

/** tw_event_suggestion__offer() - compare the pattern with an event */
void tw_event_suggestion__offer(struct tw_event_suggestion *suggestion, const char *system, const char *event);

#endif
