/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event patterns of the command line: a system, an event of any system, or SYSTEM:EVENT, each with wildcards; `all`. */
#ifndef TW_EVENT_PATTERN_H
#define TW_EVENT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#define TW_EVENT_PATTERN_MAX 512 /* bytes of one pattern; a longer one matches nothing */

/** tw_event_pattern__is_bare() - whether it is a single word, the name of a system or an event */
bool tw_event_pattern__is_bare(const char *pattern, size_t len);

/** tw_event_pattern__matches() - whether it matches this event; @pattern is a single one, without commas */
bool tw_event_pattern__matches(const char *pattern, size_t len, const char *system, const char *event);

/** tw_event_patterns__match() - whether one of several patterns matches; @patterns are separated by commas or spaces */
bool tw_event_patterns__match(const char *patterns, const char *system, const char *event);

#endif
