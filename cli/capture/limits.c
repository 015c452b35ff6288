/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/capture/limits.h"

#include <inttypes.h>

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

/* @what: what is counted, and what follows from it */
static void print_count(uint64_t n, const char *what, FILE *out)
{
	if (n)
		fprintf(out, "limit    %" PRIu64 " %s\n", n, what);
}

void capture_limits__print(const struct capture_limits *limits, const struct tw_ledger *ledger, FILE *out)
{
	print_count(limits->early, "events were written before their turn: those that waited took all memory", out);
	print_count(limits->metadata_not_kept,
		    "records of metadata were not kept, as memory is limited: files that follow lack them", out);
	print_count(limits->names_forgotten,
		    "names of tasks were not kept, as memory is limited: files that follow may lack them", out);
	print_count(limits->metadata_in_pieces, "records of metadata came in part and are not in the file", out);
	print_count(limits->not_asked, "frames of streams too many to ask for their clocks", out);
	if (limits->classifiers_unread && ledger->place[TW_PLACE_WIRE])
		fputs("limit    counters of classifiers were not read, which takes root: what these dropped is among wire\n",
		      out);
}

void capture_limits__json(const struct capture_limits *limits, FILE *out)
{
	fprintf(out,
		",\"limits\":{\"early\":%" PRIu64 ",\"metadata_bytes\":%" PRIu64 ",\"metadata_not_kept\":%" PRIu64
		",\"names_forgotten\":%" PRIu64 ",\"metadata_in_pieces\":%" PRIu64 ",\"not_asked\":%" PRIu64
		",\"classifiers_unread\":%s}",
		limits->early, limits->metadata_bytes, limits->metadata_not_kept, limits->names_forgotten,
		limits->metadata_in_pieces, limits->not_asked, limits->classifiers_unread ? "true" : "false");
}
