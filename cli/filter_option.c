/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter_option.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "cli/messages.h"
#include "cli/summary.h"

int filter_option__parse(void *target, const char *text, struct tw_error *error)
{
	struct tw_filter **filter = target;
	int err;

	if (*filter)
		return tw_error__set(error, -EINVAL, "--filter is given twice; join the two expressions with `and`");
	err = tw_filter__parse(text, filter, error);
	if (err)
		caret__show(text, error);
	return err;
}

void filter_option__note(const struct tw_filter *filter, const struct tw_error *note)
{
	if (!note->text[0])
		return;
	caret__show(tw_filter__text(filter), note);
	note__say("filter: %s", note->text);
}

#define AT(member) offsetof(struct tw_capture_filter_stats, member)

static const struct summary_row counters[] = {
	{ "rejected", AT(rejected), NULL, NULL },
	{ "unknown", AT(unknown), "", "of these had an unknown format: only common fields were compared" },
	{ "undecided", AT(undecided), "undecided",
	  "events counted as matching without a test, because of a limit of size, memory or work" },
	{ "given_up", AT(given_up), "given up",
	  "events: `matches` reached its limit, so the comparison counts as false" },
	{ 0 },
};

void filter_option__summarize(const struct tw_filter *filter, const struct tw_capture_filter_stats *filtered)
{
	if (!filter)
		return;
	fprintf(stderr, "rejected %" PRIu64 " events by the filter\n", filtered->rejected);
	summary__print_rows(counters, filtered, stderr);
}

void filter_option__json(const struct tw_capture_filter_stats *filtered, struct tw_json *json)
{
	tw_json__open(json, "filter", '{');
	summary__put_rows(counters, filtered, json);
	tw_json__close(json);
}

void filter_option__warn(const struct tw_undecided_predicates *undecided)
{
	for (unsigned int i = 0; i < undecided->n && i < TW_UNDECIDED_PREDICATES_MAX; i++)
		note__say("--filter has a comparison that applies to no event of the capture: %s",
			  undecided->text[i].text);
	if (undecided->n > TW_UNDECIDED_PREDICATES_MAX)
		note__say("--filter has %u more comparisons that apply to no event of the capture",
			  undecided->n - TW_UNDECIDED_PREDICATES_MAX);
}
