/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary of `tracewire report` on standard error. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/time.h"
#include "cli/outcome.h"
#include "cli/report/report.h"
#include "cli/summary.h"

static void print_day(uint64_t ns)
{
	const time_t seconds = (time_t)(ns / TW_NS_PER_SECOND);
	char text[64];
	struct tm tm;

	if (localtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%F %T", &tm))
		fprintf(stderr, "%s.%06u", text, (unsigned int)(ns % TW_NS_PER_SECOND / 1000));
	else
		fprintf(stderr, "@%" PRIu64, (uint64_t)(ns / TW_NS_PER_SECOND));
}

/*
 * If --since or --until is given and no event was printed, prints the time from the first to the last event and, if known, their times of
 * day. If a bound is a number, also prints that numbers are times since the first event: users may have copied the number from a line of
 * the output, which shows the time of the trace clock.
 */
static void print_times(const struct report_config *config, const struct tw_report_stats *stats)
{
	const bool has_bounds = config->since.kind != TW_REPORT_UNBOUNDED || config->until.kind != TW_REPORT_UNBOUNDED;

	if (!has_bounds || stats->printed || stats->without_time == stats->read.events)
		return;
	fprintf(stderr, "time     the last event is %" PRId64 ".%09" PRId64 " s after the first",
		stats->span / (int64_t)TW_NS_PER_SECOND, stats->span % (int64_t)TW_NS_PER_SECOND);
	if (stats->first_wall) {
		fputs("; the events are from ", stderr);
		print_day(stats->first_wall);
		fputs(" to ", stderr);
		print_day(stats->last_wall);
	}
	fputc('\n', stderr);
	if (config->since.kind == TW_REPORT_BOUND_RELATIVE || config->until.kind == TW_REPORT_BOUND_RELATIVE)
		fputs("         a number in --since or --until is a time since the first event; --relative prints such "
		      "times\n",
		      stderr);
}

static void print_outcome(const struct report_config *config, const char *file, const struct tw_report_stats *stats)
{
	char filter[sizeof(stats->read.program_filter) + 64];
	struct outcome outcome = {
		.verbose = config->verbose,
		.reads = true,
		.file = file,
		.place = { [OUTCOME_NO_FORMAT] = stats->unknown,
			   [OUTCOME_FIELDS] = stats->fallbacks,
			   [OUTCOME_TEXTS] = stats->read.streams.refused_texts + stats->read.streams.refused_names,
			   [OUTCOME_CONTROL] = stats->read.streams.incomplete,
			   [OUTCOME_NO_TIME] = stats->without_time,
			   [OUTCOME_NO_WALL] = stats->without_wall,
			   [OUTCOME_CUT] = stats->read.cut,
			   [OUTCOME_TRUNCATED] = stats->read.snapped,
			   [OUTCOME_MALFORMED] = stats->read.malformed,
			   [OUTCOME_VERSION] = stats->read.versions },
	};

	outcome.place[stats->read.is_recording ? OUTCOME_BESIDE : OUTCOME_NOT_OURS] =
		stats->read.packets - stats->read.frames;
	outcome__add_ledger(&outcome, &stats->read.ledger);
	outcome__add_filter(&outcome, &stats->capture_filter);
	outcome.place[OUTCOME_RING] -= stats->read.trace_cmd; /* counted at OUTCOME_TRACE_DAT, with another remedy */
	outcome.place[OUTCOME_TRACE_DAT] = stats->read.trace_cmd;
	outcome.events = stats->printed; /* the ledger counts all events in the file */
	outcome.of = stats->read.events;
	if (*stats->read.program_filter) {
		snprintf(filter, sizeof(filter), "the capture program had the filter '%s'", stats->read.program_filter);
		outcome.remedy[OUTCOME_WIRE] = filter;
	}
	outcome__print(&outcome, stderr);
}

/*
 * Prints what the short summary lacks: the number of packets, the whole ledger, the reason why the first event with text in the form
 * field=value was shown so, and the reason why the first format text was refused.
 */
static void print_details(const struct report_config *config, const struct tw_report_stats *stats)
{
	char line[TW_LEDGER_TEXT_MAX];

	fprintf(stderr, "events   %" PRIu64 " %s of %" PRIu64 " in %" PRIu64 " packets\n", stats->printed,
		config->summary ? "counted" : "printed", stats->read.events, stats->read.packets);
	if (config->filter)
		fprintf(stderr, "rejected %" PRIu64 " events by --filter\n", stats->capture_filter.rejected);
	tw_ledger__line(&stats->read.ledger, line, sizeof(line));
	fprintf(stderr, "ledger   %s\n", line);
	if (stats->fallbacks)
		fprintf(stderr, "fields   the first event shown as field=value: %s\n", stats->fallback);
	if (stats->read.streams.refused_texts)
		fprintf(stderr, "refused  format texts; the reason for the first one: %s\n",
			stats->read.streams.text.text);
}

void report__summarize(const struct report_config *config, const char *file, const struct tw_report_stats *stats)
{
	print_outcome(config, file, stats);
	print_times(config, stats);
	if (summary__print_changes("clocks   ", stats->read.changes, stderr))
		fputc('\n', stderr);
	if (config->verbose)
		print_details(config, stats);
}
