/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a filter did at work, for people. */
#include <inttypes.h>
#include <string.h>

#include "cli/filter/explain/explanation.h"
#include "cli/say.h"

#define PREDICATE_MAX 44 /* bytes of a comparison in the table */

static void print_predicate(const struct filter_explanation *explanation, unsigned int i, FILE *out)
{
	const struct predicate_hits *hits = filter_hits__predicate(explanation->live->all, i);
	size_t len;
	const char *text = tw_filter__predicate(explanation->expression->filter, i, &len);

	if (len > PREDICATE_MAX)
		say(out, "%3u  %.*s...", i + 1, PREDICATE_MAX - 3, text);
	else
		say(out, "%3u  %-*.*s", i + 1, PREDICATE_MAX, (int)len, text);
	fprintf(out, "  %10" PRIu64 "  %10" PRIu64 "\n", hits->asked, hits->matched);
}

static void print_line(const char *what, uint64_t n, FILE *out)
{
	fprintf(out, "     %-*s  %10" PRIu64 "\n", PREDICATE_MAX, what, n);
}

static void print_verdict(const struct filter_live *live, uint64_t all, uint64_t filtered, FILE *out)
{
	if (all == filtered) {
		fputs("     both say the same\n", out);
		return;
	}
	fprintf(out, "     they differ by %" PRIu64 ": ", all > filtered ? all - filtered : filtered - all);
	if (live->own_seen)
		fputs("threads of this program are in the trace, and each run sees the other's\n", out);
	else
		fputs("at the edges of the window, or while a task changed its name; see --help\n", out);
}

static void print_window(const struct filter_live *live, FILE *out)
{
	const struct filter_hits_counts all = filter_hits__counts(live->all);
	const struct filter_hits_counts filtered = filter_hits__counts(live->filtered);

	fprintf(out, "\n     %-*s  %10s\n", PREDICATE_MAX, "in the same time", "events");
	print_line("without the filter: arrived", all.events, out);
	print_line("  of which match, says the evaluator", all.matched, out);
	print_line("with the filter: arrived", filtered.events, out);
	print_line("  of which match", filtered.matched, out);
	print_verdict(live, all.matched, filtered.matched, out);
}

static void print_stages(const struct filter_live *live, FILE *out)
{
	const struct tw_producer_counters *books = &live->filtered_books;

	fprintf(out, "\n     %-*s  %10s\n", PREDICATE_MAX, "with the filter, from start to stop", "events");
	print_line("recorded by the kernel, behind its filters", books->recorded, out);
	print_line("rejected by the producer", books->filtered, out);
	print_line("delivered", books->delivered, out);
	if (live->places.refused)
		fprintf(out,
			"     the kernel refuses the filters of %zu kinds of events, which the producer asks instead\n",
			live->places.refused);
}

static void print_losses(const struct filter_live *live, FILE *out)
{
	const uint64_t all = filter_hits__counts(live->all).lost;
	const uint64_t filtered = filter_hits__counts(live->filtered).lost;

	if (all || filtered)
		fprintf(out,
			"     lost %" PRIu64 " without the filter, %" PRIu64
			" with it: what they would have said is not counted\n",
			all, filtered);
}

void filter_explanation__print_live(const struct filter_explanation *explanation, FILE *out)
{
	const struct filter_live *live = explanation->live;

	fprintf(out, "\nat work, for %.3f s\n     %-*s  %10s  %10s\n", live->seconds, PREDICATE_MAX, "predicate alone",
		"asked", "matched");
	for (unsigned int i = 0; i < tw_filter__predicates(explanation->expression->filter); i++)
		print_predicate(explanation, i, out);
	print_window(live, out);
	print_stages(live, out);
	print_losses(live, out);
}
