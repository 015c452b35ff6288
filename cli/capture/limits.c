/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/capture/limits.h"

#include "cli/summary.h"

struct capture_limits capture_limits__make(const struct tw_archive_stats *stats)
{
	const struct tw_metadata_stats *metadata = &stats->metadata;

	return (struct capture_limits){
		.early = stats->merge.forced,
		.metadata_bytes = metadata->memory,
		.metadata_not_kept = metadata->beyond,
		.names_forgotten = metadata->forgotten,
		.metadata_in_pieces = metadata->incomplete,
	};
}

#define AT(member) offsetof(struct capture_limits, member)

static const struct summary_row rows[] = {
	{ "early", AT(early), "limit", "events were written before their turn: those that waited took all memory" },
	{ "metadata_bytes", AT(metadata_bytes), NULL, NULL },
	{ "metadata_not_kept", AT(metadata_not_kept), "limit",
	  "records of metadata were not kept, as memory is limited: files that follow lack them" },
	{ "names_forgotten", AT(names_forgotten), "limit",
	  "names of tasks were not kept, as memory is limited: files that follow may lack them" },
	{ "metadata_in_pieces", AT(metadata_in_pieces), "limit",
	  "records of metadata came in part and are not in the file" },
	{ "not_asked", AT(not_asked), "limit", "frames of streams too many to ask for their clocks" },
	{ 0 },
};

void capture_limits__print(const struct capture_limits *limits, const struct tw_ledger *ledger, FILE *out)
{
	summary__print_rows(rows, limits, out);
	if (limits->classifiers_unread && ledger->place[TW_PLACE_WIRE])
		fputs("limit    counters of classifiers were not read, which takes root: what these dropped is among wire\n",
		      out);
}

void capture_limits__json(const struct capture_limits *limits, struct tw_json *json)
{
	tw_json__open(json, "limits", '{');
	summary__put_rows(rows, limits, json);
	tw_json__bool(json, "classifiers_unread", limits->classifiers_unread);
	tw_json__close(json);
}
