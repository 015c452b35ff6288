/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary of `tracewire report` on standard error. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include "base/time.h"
#include "cli/filter_option.h"
#include "cli/outcome.h"
#include "cli/report/report.h"
#include "cli/summary.h"

#define AT(member) offsetof(struct tw_report_stats, member)

static const struct summary_row event_counters[] = {
	{ NULL, AT(missing), "missing",
	  "by their numbers: filtered or lost between producer and capture, or by the capture program" },
	{ NULL, AT(filtered), "filtered", "by a classifier between producer and capture" },
	{ NULL, AT(without_time), "time",
	  "events without a time of day, which --since and --until leave out: the capture has no CLOCK of them" },
	{ NULL, AT(unknown), "unknown", "events whose format is not in the capture, shown as bytes" },
	{ NULL, AT(without_wall), "time",
	  "events without a time of day, shown with that of the trace clock: the capture has no CLOCK of them" },
	{ 0 },
};

static const struct summary_row frame_counters[] = {
	{ NULL, AT(streams.refused_names), "refused",
	  "names of tasks and symbols, beyond the limits of a capture or of memory" },
	{ NULL, AT(streams.incomplete), "damaged", "metadata records in PARTs, of which one is missing" },
	{ NULL, AT(snapped), "snapped", "truncated frames: complete records are shown" },
	{ NULL, AT(malformed), "damaged", "frames, read up to the damage" },
	{ NULL, AT(versions), "version", "frames of an unknown version of the wire format" },
	{ 0 },
};

static void print_lost(const struct tw_report_stats *stats)
{
	fprintf(stderr, "lost     %" PRIu64, stats->lost);
	if (stats->lost_unknown)
		fprintf(stderr, " and more: %" PRIu64 " losses without a count", stats->lost_unknown);
	fputc('\n', stderr);
}

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

/* If no event was printed because of --since or --until, says which times the capture has. */
static void print_times(const struct report_config *config, const struct tw_report_stats *stats)
{
	const bool has_bounds = config->since.kind != TW_REPORT_UNBOUNDED || config->until.kind != TW_REPORT_UNBOUNDED;

	if (!has_bounds || stats->printed || stats->without_time == stats->events)
		return;
	fprintf(stderr, "time     the last event is %" PRId64 ".%09" PRId64 " s after the first",
		stats->span / (int64_t)TW_NS_PER_SECOND, stats->span % (int64_t)TW_NS_PER_SECOND);
	if (stats->first_wall) {
		fputs("; they are from ", stderr);
		print_day(stats->first_wall);
		fputs(" to ", stderr);
		print_day(stats->last_wall);
	}
	fputc('\n', stderr);
}

static void print_outcome(const struct report_config *config, const char *file, const struct tw_report_stats *stats)
{
	const struct outcome outcome = {
		.events = stats->printed,
		.of = stats->events,
		.verbose = config->verbose,
		.reads = true,
		.file = file,
		.place = { [OUTCOME_REPORTED] = stats->lost,
			   [OUTCOME_LOSSES] = stats->lost_unknown,
			   [OUTCOME_WIRE] = stats->missing,
			   [OUTCOME_BY_CLASSIFIER] = stats->filtered,
			   [OUTCOME_UNFILTERED] = stats->capture_filter.unknown,
			   [OUTCOME_UNDECIDED] = stats->capture_filter.undecided,
			   [OUTCOME_GIVEN_UP] = stats->capture_filter.given_up,
			   [OUTCOME_NO_FORMAT] = stats->unknown,
			   [OUTCOME_FIELDS] = stats->fallbacks,
			   [OUTCOME_TEXTS] = stats->streams.refused_texts + stats->streams.refused_names,
			   [OUTCOME_CONTROL] = stats->streams.incomplete,
			   [OUTCOME_NO_TIME] = stats->without_time,
			   [OUTCOME_NO_WALL] = stats->without_wall,
			   [OUTCOME_TRUNCATED] = stats->snapped,
			   [OUTCOME_MALFORMED] = stats->malformed,
			   [OUTCOME_VERSION] = stats->versions },
	};

	outcome__print(&outcome, stderr);
}

/* The number of events, and a line for each kind of loss or damage that occurred. */
static void print_counters(const struct report_config *config, const struct tw_report_stats *stats)
{
	fprintf(stderr, "events   %" PRIu64 " %s of %" PRIu64 " in %" PRIu64 " packets\n", stats->printed,
		config->summary ? "counted" : "printed", stats->events, stats->packets);
	filter_option__summarize(config->filter, &stats->capture_filter);
	if (stats->lost || stats->lost_unknown)
		print_lost(stats);
	summary__print_rows(event_counters, stats, stderr);
	if (stats->fallbacks)
		fprintf(stderr, "fallback %" PRIu64 " events as field=value; the first was %s\n", stats->fallbacks,
			stats->fallback);
	if (stats->streams.refused_texts)
		fprintf(stderr, "refused  %" PRIu64 " formats; the first because: %s\n", stats->streams.refused_texts,
			stats->streams.text.text);
	summary__print_rows(frame_counters, stats, stderr);
	if (stats->frames < stats->packets)
		fprintf(stderr, "others   %" PRIu64 " packets that are not Tracewire's\n",
			stats->packets - stats->frames);
}

void report__summarize(const struct report_config *config, const char *file, const struct tw_report_stats *stats)
{
	print_outcome(config, file, stats);
	print_times(config, stats);
	if (config->verbose)
		print_counters(config, stats);
}
