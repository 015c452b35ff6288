/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/event_pattern.h"

#include <fnmatch.h>
#include <string.h>

static const char between[] = ", \t";

static size_t to_separator(const char *pattern, size_t len)
{
	size_t at = 0;

	while (at < len && pattern[at] != ':' && pattern[at] != '/')
		at++;
	return at;
}

bool tw_event_pattern__is_bare(const char *pattern, size_t len)
{
	return to_separator(pattern, len) == len;
}

/* Whether one side of SYSTEM:EVENT matches a name. An empty side matches any name. */
static bool side_matches(const char *pattern, size_t len, const char *word)
{
	char copy[TW_EVENT_PATTERN_MAX];

	if (!len)
		return true;
	if (len >= sizeof(copy))
		return false;
	memcpy(copy, pattern, len);
	copy[len] = '\0';
	return !fnmatch(copy, word, 0);
}

bool tw_event_pattern__matches(const char *pattern, size_t len, const char *system, const char *event)
{
	const size_t separator = to_separator(pattern, len);

	if (!len)
		return false;
	if (separator == len)
		return (len == 3 && !memcmp(pattern, "all", 3)) || side_matches(pattern, len, system) ||
		       side_matches(pattern, len, event);
	return side_matches(pattern, separator, system) &&
	       side_matches(pattern + separator + 1, len - separator - 1, event);
}

bool tw_event_patterns__match(const char *patterns, const char *system, const char *event)
{
	while (*(patterns += strspn(patterns, between))) {
		const size_t len = strcspn(patterns, between);

		if (tw_event_pattern__matches(patterns, len, system, event))
			return true;
		patterns += len;
	}
	return false;
}
