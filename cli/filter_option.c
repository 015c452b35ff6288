/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter_option.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "cli/caret.h"
#include "cli/note.h"

int filter_option__parse(struct tw_filter **filter, const char *text, struct tw_error *err)
{
	int error;

	if (*filter)
		return tw_error__set(err, -EINVAL, "--filter is given twice; join the two with `and`");
	error = tw_filter__parse(text, filter, err);
	if (error)
		caret__show(text, err);
	return error;
}

void filter_option__summarize(const struct tw_filter *filter, const struct tw_sieve_stats *sieve)
{
	if (!filter)
		return;
	fprintf(stderr, "rejected %" PRIu64 " events by the filter\n", sieve->rejected);
	if (sieve->unknown)
		fprintf(stderr,
			"         %" PRIu64 " of these without knowing their fields: no format of them had come\n",
			sieve->unknown);
	if (sieve->undecided)
		fprintf(stderr,
			"undecided %" PRIu64 " events, taken as matching: too large, or there were too many formats\n",
			sieve->undecided);
	if (sieve->given_up)
		fprintf(stderr,
			"given up %" PRIu64
			" events: `matches` took more than a million steps, and counts as nothing found\n",
			sieve->given_up);
}

void filter_option__warn(const struct tw_doubts *doubts)
{
	for (unsigned int i = 0; i < doubts->n && i < TW_DOUBTS_MAX; i++)
		note__say("--filter matches nothing here at %s", doubts->text[i].text);
	if (doubts->n > TW_DOUBTS_MAX)
		note__say("--filter matches nothing here at %u more places", doubts->n - TW_DOUBTS_MAX);
}
