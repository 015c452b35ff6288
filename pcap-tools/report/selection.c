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

/* Sets @ret to the time since the first event of the capture, ns. Return: false if the clocks of the two streams cannot be compared */
static bool since_first(const struct tw_report *report, const struct tw_stream *stream, uint64_t time, int64_t *ret)
{
	return tw_stream__since(stream, time, report->origin.stream, report->origin.time, ret);
}

static bool has_bounds(const struct tw_report_options *options)
{
	return options->since.kind != TW_REPORT_UNBOUNDED || options->until.kind != TW_REPORT_UNBOUNDED;
}

/* Converts a time of @stream to the unit and the origin of @bound. Return: false if times of @stream cannot be compared with @bound */
static bool time_for(const struct tw_report *report, const struct tw_stream *stream, uint64_t time,
		     const struct tw_report_bound *bound, int64_t *ret)
{
	if (tw_identity__counts(&stream->identity))
		return false;
	if (bound->kind == TW_REPORT_BOUND_RELATIVE)
		return since_first(report, stream, time, ret);
	*ret = (int64_t)tw_stream__wall(stream, time);
	return stream->has_wall;
}

/* Whether a time is between since and until. @ret_known: false if the time cannot be compared with them */
static bool wants_time(const struct tw_report *report, const struct tw_stream *stream, uint64_t time, bool *ret_known)
{
	const struct tw_report_bound *since = &report->options->since, *until = &report->options->until;
	int64_t after = 0, before = 0;

	*ret_known = (since->kind == TW_REPORT_UNBOUNDED || time_for(report, stream, time, since, &after)) &&
		     (until->kind == TW_REPORT_UNBOUNDED || time_for(report, stream, time, until, &before));
	return *ret_known && (since->kind == TW_REPORT_UNBOUNDED || after >= (int64_t)since->ns) &&
	       (until->kind == TW_REPORT_UNBOUNDED || before <= (int64_t)until->ns);
}

/* Updates the earliest and the latest time of the capture, which the summary shows if no event is between the bounds. */
static void update_times(struct tw_report *report, const struct tw_report_event *event)
{
	struct tw_report_stats *stats = report->stats;
	uint64_t wall;
	int64_t at;

	if (since_first(report, event->stream, event->view.time, &at) && at > stats->span)
		stats->span = at;
	if (!event->stream->has_wall)
		return;
	wall = tw_stream__wall(event->stream, event->view.time);
	stats->first_wall = stats->first_wall && stats->first_wall < wall ? stats->first_wall : wall;
	stats->last_wall = wall > stats->last_wall ? wall : stats->last_wall;
}

bool tw_report_selection__wants_event(struct tw_report *report, const struct tw_report_event *event)
{
	const struct tw_report_options *options = report->options;
	bool wants, known;

	if (!report->origin.stream)
		report->origin = (struct tw_report_origin){ event->stream, event->view.time };
	if (has_bounds(options)) {
		wants = wants_time(report, event->stream, event->view.time, &known);
		report->stats->without_time += !known;
		if (known)
			update_times(report, event);
		if (!wants)
			return false;
	}
	return wants_cpu(options, event->cpu) && wants_type(options, event->known) &&
	       wants_pid(options, event->view.pid) && wants_comm(options, event);
}

bool tw_report_selection__wants_loss(const struct tw_report *report, const struct tw_report_loss *loss)
{
	bool known;

	if (!wants_cpu(report->options, loss->cpu))
		return false;
	return !has_bounds(report->options) || wants_time(report, loss->stream, loss->lost.time, &known);
}

/* Converts @bound to ns since the first event. Return: false if the time of the first event cannot be compared with @bound */
static bool since_origin(const struct tw_report *report, const struct tw_report_bound *bound, int64_t *ret)
{
	const struct tw_stream *stream = report->origin.stream;

	*ret = (int64_t)bound->ns;
	if (bound->kind == TW_REPORT_BOUND_RELATIVE)
		return true;
	if (!stream->has_wall)
		return false;
	*ret = (int64_t)(bound->ns - tw_stream__wall(stream, report->origin.time));
	return true;
}

bool tw_report_selection__range(const struct tw_report *report, uint64_t *ret_ns)
{
	const struct tw_report_options *options = report->options;
	int64_t since = 0, until = report->stats->span, at;

	if (!report->origin.stream || !has_bounds(options))
		return false;
	if (options->since.kind != TW_REPORT_UNBOUNDED) {
		if (!since_origin(report, &options->since, &at))
			return false;
		since = at > 0 ? at : 0;
	}
	if (options->until.kind != TW_REPORT_UNBOUNDED) {
		if (!since_origin(report, &options->until, &at))
			return false;
		until = at < until ? at : until;
	}
	*ret_ns = since < until ? (uint64_t)(until - since) : 0;
	return true;
}

int tw_report_selection__check(const struct tw_report *report, const char *name, struct tw_error *error)
{
	const struct tw_report_stats *stats = report->stats;

	if (!stats->without_time || stats->without_time < stats->read.events)
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
