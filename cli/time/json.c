/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire time -j`. Times of day and offsets are written as strings, because readers may round large numbers. Unknown values are null. */
#include <stdio.h>

#include "base/json.h"
#include "cli/time/time.h"

/* Writes a number with three decimals. */
static void put_decimal(struct tw_json *json, const char *key, double value)
{
	char text[64];

	snprintf(text, sizeof(text), "%.3f", value);
	tw_line__str(tw_json__value(json, key), text);
}

/* Writes a time of the stream's clock as packet time. */
static void put_time(struct tw_json *json, const char *key, const struct tw_stream_time *s, uint64_t ns)
{
	uint64_t time;

	if (s->has_time && tw_stream_time__packet(s, ns, &time))
		tw_json__seconds(json, key, time);
	else
		tw_json__null(json, key);
}

static void put_points(struct tw_json *json, const struct tw_stream_time *s, const struct tw_time_series *series)
{
	tw_json__open(json, "points", '[');
	for (uint32_t i = 0; i < series->n; i++) {
		const struct tw_time_point *point = &series->points[i];

		tw_json__open(json, NULL, '{');
		put_time(json, "from", s, point->from);
		tw_json__i64_str(json, "offset_min_ns", point->offset_min);
		tw_json__i64_str(json, "offset_max_ns", point->offset_max);
		if (point->is_bounded) {
			tw_json__i64_str(json, "low_ns", point->low);
			tw_json__i64_str(json, "high_ns", point->high);
		} else {
			tw_json__null(json, "low_ns");
			tw_json__null(json, "high_ns");
		}
		tw_json__close(json);
	}
	tw_json__close(json);
}

static void put_series(struct tw_json *json, const char *name, const struct tw_stream_time *s,
		       const struct tw_time_series *series)
{
	struct tw_time_slope slope = { .error = -1 };
	const bool has_slope = tw_time_series__slope(series, &slope);

	if (!series->samples)
		return;
	tw_json__open(json, name, '{');
	tw_json__u64(json, "samples", series->samples);
	tw_json__i64_str(json, "first_ns", series->first.offset);
	tw_json__i64_str(json, "last_ns", series->last.offset);
	if (has_slope)
		put_decimal(json, "slope_ns_per_s", slope.ns_per_s);
	else
		tw_json__null(json, "slope_ns_per_s");
	if (slope.error >= 0)
		put_decimal(json, "slope_error", slope.error);
	else
		tw_json__null(json, "slope_error");
	tw_json__u64_or_null(json, "error_min_ns", series->error_min);
	tw_json__u64_or_null(json, "error_max_ns",
			     series->error_min == TW_ERROR_UNKNOWN ? TW_ERROR_UNKNOWN : series->error_max);
	tw_json__bool(json, "partly_unknown", series->has_unknown);
	put_points(json, s, series);
	tw_json__close(json);
}

static void put_stretch(struct tw_json *json, const struct tw_stream_time *s, uint32_t i)
{
	const struct tw_time_stretch *stretch = &s->stretches[i];
	const bool is_bounded = time__is_bounded(stretch);

	tw_json__open(json, NULL, '{');
	put_time(json, "from", s, stretch->from);
	put_time(json, "to", s, time__end_of(s, i));
	if (stretch->has_offset)
		tw_json__str(json, "method", time__method(stretch));
	else
		tw_json__null(json, "method");
	tw_json__u64_or_null(json, "error_min_ns", stretch->error_min);
	tw_json__u64_or_null(json, "error_max_ns", is_bounded ? stretch->error_max : TW_ERROR_UNKNOWN);
	tw_json__bool(json, "partly_unknown", stretch->has_unknown);
	tw_json__str_or_null(json, "synced_by", stretch->sync);
	tw_json__str_or_null(json, "grandmaster", stretch->grandmaster);
	tw_json__seconds_or_null(json, "since", stretch->since);
	tw_json__u64_or_null(json, "sync_error_max_ns", stretch->sync_max ? stretch->sync_max : TW_ERROR_UNKNOWN);
	tw_json__close(json);
}

static void put_changes(struct tw_json *json, const struct tw_stream_time *s)
{
	const struct tw_time_changes *changes = tw_stream_time__changes(s);

	tw_json__open(json, "changes", '[');
	for (uint32_t i = 0; i < changes->n; i++) {
		tw_json__open(json, NULL, '{');
		put_time(json, "at", s, changes->items[i].time);
		tw_json__str(json, "kind", time__change_key(changes->items[i].kind));
		tw_json__i64_str(json, "step_ns", changes->items[i].step);
		tw_json__close(json);
	}
	tw_json__close(json);
	tw_json__u64(json, "more_changes", changes->more);
}

static void put_tai(struct tw_json *json, const struct tw_stream_time *s)
{
	if (s->has_tai && s->tai_offset)
		tw_json__i64(json, "tai_offset_s", s->tai_offset);
	else
		tw_json__null(json, "tai_offset_s");
	if (s->has_tai)
		tw_json__u64(json, "leap", s->leap);
	else
		tw_json__null(json, "leap");
}

static void put_clocks(struct tw_json *json, const struct tw_stream_time *s)
{
	char name[32];

	tw_json__open(json, "clocks", '{');
	for (unsigned int i = 0; i < TW_TIME_CLOCKS; i++)
		put_series(json, time__clock_key(i), s, &s->series[i]);
	for (uint32_t i = 0; i < s->n_phcs; i++) {
		snprintf(name, sizeof(name), "ptp%u", s->phcs[i].index);
		put_series(json, name, s, &s->phcs[i].series);
	}
	tw_json__close(json);
}

static void put_stream(struct tw_json *json, const struct tw_stream_time *s)
{
	const struct tw_identity *id = &s->stream->identity;

	tw_json__open(json, NULL, '{');
	tw_json__id(json, "id", s->stream->id);
	tw_json__str_or_null(json, "host", id->host);
	tw_json__str_or_null(json, "instance", id->instance);
	tw_json__str_or_null(json, "clock", id->clock);
	tw_json__u64(json, "events", s->events);
	tw_json__u64(json, "clock_records", s->clocks);
	tw_json__u64(json, "offset_records", s->offsets);
	put_time(json, "first", s, s->first);
	put_time(json, "last", s, s->last);
	put_tai(json, s);
	tw_json__str_or_null(json, "phcs", s->phcs_text);
	if (s->has_drift) {
		tw_json__i64(json, "drift_min_ns_per_s", s->drift_min);
		tw_json__i64(json, "drift_max_ns_per_s", s->drift_max);
	} else {
		tw_json__null(json, "drift_min_ns_per_s");
		tw_json__null(json, "drift_max_ns_per_s");
	}
	put_clocks(json, s);
	tw_json__open(json, "stretches", '[');
	for (uint32_t i = 0; i < s->n_stretches; i++)
		put_stretch(json, s, i);
	tw_json__close(json);
	tw_json__u64(json, "more_stretches", s->more_stretches);
	put_changes(json, s);
	tw_json__close(json);
}

static void put_moment(struct tw_json *json, const char *key, const struct tw_order_moment *moment)
{
	tw_json__open(json, key, '{');
	tw_json__id(json, "stream", moment->stream->id);
	tw_json__str_or_null(json, "host", moment->stream->identity.host);
	tw_json__seconds(json, "time", moment->time);
	tw_json__u64(json, "error_ns", moment->error_ns);
	tw_json__u64(json, "cpu", moment->cpu);
	tw_json__u64(json, "pid", moment->pid);
	tw_json__str_or_null(json, "comm", moment->comm);
	tw_json__str(json, "event", moment->text);
	tw_json__close(json);
}

static void put_pair(struct tw_json *json, const struct tw_timing_pair *pair)
{
	const struct tw_order *order = pair->order;
	const struct tw_order_counts *n = &order->counts;

	tw_json__open(json, NULL, '{');
	tw_json__str(json, "pair", pair->pair->name);
	tw_json__str_or_null(json, "text", pair->pair->text);
	tw_json__u64(json, "certain", n->ordered);
	tw_json__u64(json, "uncertain", n->uncertain);
	tw_json__u64(json, "no_bound", n->unbounded);
	tw_json__u64(json, "contradictions", n->contradictions);
	tw_json__open(json, "left_out", '{');
	tw_json__u64(json, "across_loss", n->across_loss);
	tw_json__u64(json, "no_second", n->no_effect);
	tw_json__u64(json, "no_first", n->no_cause);
	tw_json__u64(json, "evicted", n->evicted);
	tw_json__u64(json, "unreadable", n->unreadable);
	tw_json__close(json);
	tw_json__u64(json, "unclear", pair->unclear);
	tw_json__open(json, "shown", '[');
	for (uint32_t i = 0; i < order->n_shown; i++) {
		tw_json__open(json, NULL, '{');
		tw_json__u64(json, "early_ns", order->shown[i].early_ns);
		tw_json__u64(json, "excess_ns", order->shown[i].excess_ns);
		put_moment(json, "first", &order->shown[i].cause);
		put_moment(json, "second", &order->shown[i].effect);
		tw_json__close(json);
	}
	tw_json__close(json);
	tw_json__close(json);
}

void time__print_json(const char *name, const struct tw_timing_result *result)
{
	struct tw_json json;

	tw_json__to_file(&json, stdout, true);
	tw_json__open(&json, NULL, '{');
	tw_json__str(&json, "file", name);
	tw_json__open(&json, "streams", '[');
	for (uint32_t i = 0; i < result->n_streams; i++)
		put_stream(&json, result->streams[i]);
	tw_json__close(&json);
	tw_json__bool(&json, "more_streams", result->more_streams);
	tw_json__open(&json, "order", '[');
	for (size_t i = 0; i < result->n_pairs; i++) {
		if (result->pairs[i].is_checked)
			put_pair(&json, &result->pairs[i]);
	}
	tw_json__close(&json);
	tw_json__close(&json);
}
