/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said of streams that a capture does not admit: once when it begins, and how much it was, by address. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/capture/capture.h"
#include "cli/note.h"

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

static void print_row_json(const struct tw_refusals_row *row)
{
	char source[TW_PEER_TEXT_MAX];

	tw_peer_address__format(&row->source, source);
	fprintf(stderr, "{\"source\":\"%s\",\"frames\":%" PRIu64 ",\"events\":%" PRIu64 "}", source, row->frames,
		row->events);
}

void capture__print_refused_json(const struct tw_refusals *refusals)
{
	fprintf(stderr, ",\"refused\":{\"frames\":%" PRIu64 ",\"events\":%" PRIu64 ",\"gave_way\":%" PRIu64,
		refusals->frames, refusals->events, refusals->gave_way);
	for (size_t i = 0; i < TW_REFUSED_REASONS; i++)
		fprintf(stderr, "%s\"%s\":%" PRIu64, i ? "," : ",\"reasons\":{", reason_keys[i], refusals->reasons[i]);
	fputs("},\"sources\":[", stderr);
	for (size_t i = 0; i < refusals->n; i++) {
		if (i)
			fputs(",", stderr);
		print_row_json(&refusals->rows[i]);
	}
	fprintf(stderr, "],\"others\":{\"frames\":%" PRIu64 ",\"events\":%" PRIu64 "}}", refusals->others.frames,
		refusals->others.events);
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
	if (refusals->gave_way)
		fprintf(out, "gave way %" PRIu64 " streams, to others\n", refusals->gave_way);
}
