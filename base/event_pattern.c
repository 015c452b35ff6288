/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/event_pattern.h"

#include <fnmatch.h>
#include <stdio.h>
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

/* Whether a bare pattern, or the part of a pattern before or after the separator, matches a name. An empty part matches any name. */
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

const char *tw_event_patterns__next(const char **patterns, size_t *ret_len)
{
	const char *pattern = *patterns + strspn(*patterns, between);

	*ret_len = strcspn(pattern, between);
	*patterns = pattern + *ret_len;
	return *ret_len ? pattern : NULL;
}

bool tw_event_patterns__match(const char *patterns, const char *system, const char *event)
{
	const char *pattern;
	size_t len;

	while ((pattern = tw_event_patterns__next(&patterns, &len))) {
		if (tw_event_pattern__matches(pattern, len, system, event))
			return true;
	}
	return false;
}

void tw_event_suggestion__init(struct tw_event_suggestion *suggestion, const char *pattern, size_t len)
{
	snprintf(suggestion->pattern, sizeof(suggestion->pattern), "%.*s", (int)len, pattern);
	suggestion->is_bare = tw_event_pattern__is_bare(pattern, len);
	suggestion->best[0] = '\0';
	tw_nearest__init(&suggestion->nearest, suggestion->pattern);
}

static void offer(struct tw_event_suggestion *suggestion, const char *name)
{
	const char *before = suggestion->nearest.best;

	tw_nearest__offer(&suggestion->nearest, name);
	if (suggestion->nearest.best == before)
		return;
	snprintf(suggestion->best, sizeof(suggestion->best), "%s", name);
	suggestion->nearest.best = suggestion->best;
}

void tw_event_suggestion__offer(struct tw_event_suggestion *suggestion, const char *system, const char *event)
{
	char full[2 * TW_NEAREST_WORD_MAX];

	if (suggestion->is_bare) {
		offer(suggestion, system);
		offer(suggestion, event);
	} else {
		snprintf(full, sizeof(full), "%s:%s", system, event);
		offer(suggestion, full);
	}
}
