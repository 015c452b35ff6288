/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/report/selection.h"

#include <errno.h>

#include "base/event_pattern.h"
#include "filter/glob.h"

/* Flags in tw_stream_event.chosen, set at the first event of a type. */
enum {
	LOOKED_AT = TW_REPORT_CHOSEN_SELECTION, /* WANTED is valid */
	WANTED = LOOKED_AT << 1,                /* a pattern of the options matches */
};

static bool wants_cpu(const struct tw_report_options *options, uint16_t cpu)
{
	return !options->cpus || (cpu < TW_REPORT_CPUS_MAX && options->cpus[cpu]);
}

static bool matches(const char *const *patterns, const struct tw_format *format)
{
	for (; *patterns; patterns++) {
		if (tw_event_patterns__match(*patterns, format->system, format->name))
			return true;
	}
	return false;
}

static bool wants_type(const struct tw_report_options *options, struct tw_stream_event *known)
{
	if (!options->events)
		return true;
	if (!known)
		return false;
	if (!(known->chosen & LOOKED_AT))
		known->chosen |= LOOKED_AT | (matches(options->events, known->format) ? WANTED : 0);
	return known->chosen & WANTED;
}

static bool wants_pid(const struct tw_report_options *options, uint32_t pid)
{
	for (size_t i = 0; i < options->n_pids; i++) {
		if (options->pids[i] == pid)
			return true;
	}
	return !options->n_pids;
}

/* Whether one of @patterns, separated by commas, matches the name. */
static bool matches_comm(const char *patterns, const char *comm, size_t len)
{
	while (*patterns) {
		const size_t pattern_len = strcspn(patterns, ",");

		if (pattern_len && tw_glob__matches((const uint8_t *)patterns, pattern_len, (const uint8_t *)comm, len))
			return true;
		patterns += pattern_len;
		patterns += *patterns == ',';
	}
	return false;
}

static bool wants_comm(const struct tw_report_options *options, const struct tw_report_event *event)
{
	const char *comm;
	size_t len;

	if (!options->comms)
		return true;
	comm = tw_report__comm(event, &len);
	for (const char *const *patterns = options->comms; *patterns; patterns++) {
		if (matches_comm(*patterns, comm, len))
			return true;
	}
	return false;
}

/* CLOCK_REALTIME of an event, ns; only if the stream has a wall clock */
static uint64_t wall_time(const struct tw_stream *stream, uint64_t time)
{
	return tw_identity__ns(&stream->identity, time) + tw_stream__wall_offset(stream);
}

/* Streams of different machines share only their wall clock. */
int64_t tw_report_selection__since_first(const struct tw_report *report, const struct tw_stream *stream, uint64_t time)
{
	const struct tw_stream *first = report->origin.stream;

	if (!first)
		return 0;
	if (stream != first && stream->has_wall && first->has_wall)
		return (int64_t)(wall_time(stream, time) - wall_time(first, report->origin.time));
	return (int64_t)(tw_identity__ns(&stream->identity, time) -
			 tw_identity__ns(&first->identity, report->origin.time));
}

static bool has_bounds(const struct tw_report_options *options)
{
	return options->since.kind != TW_REPORT_UNBOUNDED || options->until.kind != TW_REPORT_UNBOUNDED;
}

/* Whether a time of the stream can be compared with the bound. */
static bool is_comparable(const struct tw_stream *stream, const struct tw_report_bound *bound)
{
	if (bound->kind == TW_REPORT_UNBOUNDED)
		return true;
	return !tw_identity__counts(&stream->identity) && (bound->kind == TW_REPORT_BOUND_RELATIVE || stream->has_wall);
}

/* Return: below 0, 0 or above 0: the time is before, at or after the bound */
static int compare(const struct tw_report *report, const struct tw_stream *stream, uint64_t time,
		   const struct tw_report_bound *bound)
{
	const int64_t at = bound->kind == TW_REPORT_BOUND_WALL ? (int64_t)wall_time(stream, time)
							       : tw_report_selection__since_first(report, stream, time);

	return at < (int64_t)bound->ns ? -1 : at > (int64_t)bound->ns;
}

static bool wants_time(const struct tw_report *report, const struct tw_stream *stream, uint64_t time)
{
	const struct tw_report_bound *since = &report->options->since, *until = &report->options->until;

	if (since->kind != TW_REPORT_UNBOUNDED && compare(report, stream, time, since) < 0)
		return false;
	return until->kind == TW_REPORT_UNBOUNDED || compare(report, stream, time, until) <= 0;
}

static bool can_compare(const struct tw_report *report, const struct tw_stream *stream)
{
	return is_comparable(stream, &report->options->since) && is_comparable(stream, &report->options->until);
}

/* Records which times the capture has, so that a summary can tell it if no event is between the bounds. */
static void see_time(struct tw_report *report, const struct tw_report_event *event)
{
	const int64_t at = tw_report_selection__since_first(report, event->stream, event->view.time);
	struct tw_report_stats *stats = report->stats;
	uint64_t wall;

	stats->span = at > stats->span ? at : stats->span;
	if (!event->stream->has_wall)
		return;
	wall = wall_time(event->stream, event->view.time);
	stats->first_wall = stats->first_wall && stats->first_wall < wall ? stats->first_wall : wall;
	stats->last_wall = wall > stats->last_wall ? wall : stats->last_wall;
}

bool tw_report_selection__wants_event(struct tw_report *report, const struct tw_report_event *event)
{
	const struct tw_report_options *options = report->options;

	if (!report->origin.stream) {
		report->origin.stream = event->stream;
		report->origin.time = event->view.time;
	}
	if (has_bounds(options)) {
		if (!can_compare(report, event->stream)) {
			report->stats->without_time++;
			return false;
		}
		see_time(report, event);
		if (!wants_time(report, event->stream, event->view.time))
			return false;
	}
	return wants_cpu(options, event->cpu) && wants_type(options, event->known) &&
	       wants_pid(options, event->view.pid) && wants_comm(options, event);
}

bool tw_report_selection__wants_loss(const struct tw_report *report, const struct tw_report_loss *loss)
{
	if (!wants_cpu(report->options, loss->cpu))
		return false;
	return !has_bounds(report->options) ||
	       (can_compare(report, loss->stream) && wants_time(report, loss->stream, loss->lost.time));
}

int tw_report_selection__check(const struct tw_report *report, const char *name, struct tw_error *error)
{
	const struct tw_report_stats *stats = report->stats;

	if (!stats->without_time || stats->without_time < stats->events)
		return 0;
	if (tw_identity__counts(&report->origin.stream->identity))
		return tw_error__set(error, -EINVAL,
				     "%s has no times in seconds: its trace clock '%s' counts something else; print it "
				     "without --since and --until",
				     name, report->origin.stream->identity.clock);
	return tw_error__set(error, -EINVAL,
			     "%s has no time of day: give --since and --until as the time since the first event, for "
			     "example 0.5 or 100ms",
			     name);
}
