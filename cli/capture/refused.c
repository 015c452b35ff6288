/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said of streams that a capture does not admit: once when it begins, and how much it was, by address. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/capture/capture.h"
#include "cli/messages.h"
#include "cli/summary.h"

static const char *const reason_keys[TW_REFUSED_REASONS] = { [TW_REFUSED_UNPROVEN] = "unproven",
#define X(num, name, text, what) [num] = (text),
							     TW_REFUSED_LIST(X)
#undef X
};

void capture__tell_first_refused(struct capture *capture)
{
	char source[TW_PEER_TEXT_MAX];
	struct tw_refusals refusals;

	if (capture->told_refused || capture->quiet)
		return;
	receiver__refusals(capture->receiver, &refusals);
	if (!refusals.frames)
		return;
	capture->told_refused = true;
	tw_peer_address__format(&refusals.rows[0].source, source);
	screen__clear(&capture->screen);
	note__say("frames from %s are refused: %s; the summary says how many, and from where else", source,
		  tw_refusals__why(refusals.first));
}

#define AT(member) offsetof(struct tw_refusals, member)

static const struct summary_row counters[] = {
	{ "frames", AT(frames), NULL, NULL },
	{ "events", AT(events), NULL, NULL },
	{ "gave_way", AT(gave_way), "gave way", "streams, to others" },
	{ 0 },
};

/* @key, @source: of which one is NULL */
static void put_row(const char *key, const char *source, const struct tw_refusals_row *row, struct tw_json *json)
{
	tw_json__open(json, key, '{');
	if (source)
		tw_json__str(json, "source", source);
	tw_json__u64(json, "frames", row->frames);
	tw_json__u64(json, "events", row->events);
	tw_json__close(json);
}

void capture__print_refused_json(const struct tw_refusals *refusals, struct tw_json *json)
{
	char source[TW_PEER_TEXT_MAX];

	tw_json__open(json, "refused", '{');
	summary__put_rows(counters, refusals, json);
	tw_json__open(json, "reasons", '{');
	for (size_t i = 0; i < TW_REFUSED_REASONS; i++)
		tw_json__u64(json, reason_keys[i], refusals->reasons[i]);
	tw_json__close(json);
	tw_json__open(json, "sources", '[');
	for (size_t i = 0; i < refusals->n; i++) {
		tw_peer_address__format(&refusals->rows[i].source, source);
		put_row(NULL, source, &refusals->rows[i], json);
	}
	tw_json__close(json);
	put_row("others", NULL, &refusals->others, json);
	tw_json__close(json);
}

void capture__print_refused(const struct tw_refusals *refusals, FILE *out)
{
	for (size_t i = 0; i < refusals->n; i++) {
		const struct tw_refusals_row *row = &refusals->rows[i];
		char source[TW_PEER_TEXT_MAX];

		tw_peer_address__format(&row->source, source);
		fprintf(out, "refused  %" PRIu64 " frames with %" PRIu64 " events from %s\n", row->frames, row->events,
			source);
	}
	if (refusals->others.frames)
		fprintf(out, "refused  %" PRIu64 " frames with %" PRIu64 " events from other addresses\n",
			refusals->others.frames, refusals->others.events);
	for (size_t i = 0; i < TW_REFUSED_REASONS; i++) {
		if (refusals->reasons[i])
			fprintf(out, "         %" PRIu64 " of these frames: %s\n", refusals->reasons[i],
				tw_refusals__why((uint16_t)i));
	}
	summary__print_rows(counters, refusals, out);
}
