/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of `tracewire time`. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "cli/messages.h"
#include "cli/time/time.h"
#include "cli/times.h"
#include "clocks/distance.h"

#define TEXT_MAX (2 * TIMES_TEXT_MAX + 32)

/* Writes a range of error bounds. Return: @buf */
static const char *bounds_text(uint64_t min, uint64_t max, bool has_unknown, char *buf, size_t size)
{
	char low[TIMES_TEXT_MAX], high[TIMES_TEXT_MAX];

	times__bound(min, low, sizeof(low));
	times__bound(max, high, sizeof(high));
	if (min == TW_ERROR_UNKNOWN)
		snprintf(buf, size, "unknown");
	else
		snprintf(buf, size, "%s%s%s%s", low, strcmp(low, high) ? " to " : "", strcmp(low, high) ? high : "",
			 has_unknown ? ", partly unknown" : "");
	return buf;
}

static const char *slope_text(const struct tw_time_series *series, char *buf, size_t size)
{
	struct tw_time_slope slope;

	/* Within the error, clocks of machines do not differ more than this: such a slope says nothing. */
	if (!tw_time_series__slope(series, &slope) || slope.error > TW_DRIFT_MAX)
		snprintf(buf, size, "unknown");
	else if (slope.error < 0)
		snprintf(buf, size, "%+.1f", slope.ns_per_s);
	else
		snprintf(buf, size, "%+.1f ± %.1f", slope.ns_per_s, slope.error);
	return buf;
}

/* Prints @text, and blanks up to @width characters. Texts have characters of two bytes. */
static void put_cell(const char *text, int width)
{
	int shown = 0;

	for (const char *at = text; *at; at++)
		shown += (*at & 0xc0) != 0x80;
	printf("%s%*s", text, shown < width ? width - shown : 1, "");
}

static void print_series(const char *name, const struct tw_time_series *series)
{
	char text[TEXT_MAX];
	const uint64_t size = tw_saturate__size(series->first.offset);

	if (!series->samples)
		return;
	printf("  ");
	put_cell(name, 15);
	snprintf(text, sizeof(text), "%8" PRIu64 "  %c%" PRIu64 ".%09" PRIu64 " s", series->samples,
		 series->first.offset < 0 ? '-' : '+', (uint64_t)(size / TW_NS_PER_SECOND),
		 (uint64_t)(size % TW_NS_PER_SECOND));
	put_cell(text, 36);
	put_cell(times__signed(tw_saturate__minus(series->last.offset, series->first.offset), text, sizeof(text)), 12);
	put_cell(slope_text(series, text, sizeof(text)), 23);
	say(stdout, "%s\n", bounds_text(series->error_min, series->error_max, series->has_unknown, text, sizeof(text)));
}

/* Prints the offsets of other clocks from the stream's clock. */
static void print_offsets(const struct tw_stream_time *s)
{
	char name[32];

	if (!s->offsets && !s->clocks) {
		puts("  offset   no record relates the stream's clock to another clock");
		return;
	}
	printf("\n  %-15s%8s  %-26s%-12s%-23s%s\n", "clock", "samples", "offset at first", "change", "slope, ns/s",
	       "error bound");
	for (unsigned int i = 0; i < TW_TIME_CLOCKS; i++)
		print_series(time__clock_key(i), &s->series[i]);
	for (uint32_t i = 0; i < s->n_phcs; i++) {
		snprintf(name, sizeof(name), "ptp%u", s->phcs[i].index);
		print_series(name, &s->phcs[i].series);
	}
}

static void print_source(const struct tw_time_stretch *stretch)
{
	char text[TEXT_MAX];

	say(stdout, "%s", *stretch->sync ? stretch->sync : "unknown");
	if (*stretch->grandmaster)
		say(stdout, ", grandmaster %s", stretch->grandmaster);
	if (stretch->since)
		printf(", since %s UTC", times__utc(stretch->since, text, sizeof(text)));
	if (stretch->sync_max)
		printf(", at most %s from it", times__bound(stretch->sync_max, text, sizeof(text)));
	puts("");
}

static void print_stretches(const struct tw_timing_result *result, const struct tw_stream_time *s)
{
	char text[TEXT_MAX];

	printf("\n  %10s  %10s  %-10s%-26s%s\n", "from s", "to s", "method", "error bound", "clocks synchronised to");
	for (uint32_t i = 0; i < s->n_stretches; i++) {
		const struct tw_time_stretch *stretch = &s->stretches[i];

		printf("  %10.3f  %10.3f  %-10s", time__seconds(result, s, stretch->from),
		       time__seconds(result, s, time__end_of(s, i)), time__method(stretch));
		put_cell(bounds_text(stretch->error_min, stretch->error_max, stretch->has_unknown, text, sizeof(text)),
			 26);
		print_source(stretch);
	}
	if (s->more_stretches)
		printf("  further changes of the source are not shown; the last line contains their bounds\n");
}

static void print_changes(const struct tw_timing_result *result, const struct tw_stream_time *s)
{
	const struct tw_time_changes *changes = tw_stream_time__changes(s);
	char text[TEXT_MAX];

	if (!changes->n)
		return;
	printf("\n  %10s  change\n", "at s");
	for (uint32_t i = 0; i < changes->n; i++) {
		const struct tw_time_change *change = &changes->items[i];

		printf("  %10.3f  %s %s\n", time__seconds(result, s, change->time), time__change_text(change->kind),
		       times__signed(change->step, text, sizeof(text)));
	}
	if (changes->more)
		say__count(stdout, changes->more, "more {change|changes}\n");
}

static void print_tai(const struct tw_stream_time *s)
{
	static const char *const leaps[] = {
#define X(num, name, text, what) [num] = what,
		TW_LEAP_LIST(X)
#undef X
	};

	if (!s->has_tai)
		printf("  tai      the difference of TAI and UTC is unknown");
	else if (!s->tai_offset)
		printf("  tai      no program has set the difference of TAI and UTC in the kernel");
	else
		printf("  tai      TAI - UTC is %" PRId32 " s", s->tai_offset);
	if (s->has_tai && s->leap && s->leap < sizeof(leaps) / sizeof(leaps[0]))
		printf("; %s", leaps[s->leap]);
	puts("");
}

static void print_stream(const struct tw_timing_result *result, const struct tw_stream_time *s)
{
	const struct tw_identity *id = &s->stream->identity;
	char name[300];

	tw_identity__name(id, s->stream->id, name, sizeof(name));
	printf("\nstream   %s (%016" PRIx64 ")\n", name, s->stream->id);
	printf("  clock    %s; %" PRIu64 " events, %" PRIu64 " CLOCK records, %" PRIu64 " OFFSET records\n",
	       *id->clock ? id->clock : "unknown", s->events, s->clocks, s->offsets);
	print_tai(s);
	if (*s->phcs_text)
		printf("  phcs     %s\n", s->phcs_text);
	if (s->has_drift && s->drift_min == s->drift_max)
		printf("  drift    the stream's clock gains %+" PRId32 " ns/s on the capture's reference\n",
		       s->drift_min);
	else if (s->has_drift)
		printf("  drift    the stream's clock gains %+" PRId32 " to %+" PRId32
		       " ns/s on the capture's reference\n",
		       s->drift_min, s->drift_max);
	if (!s->offsets)
		puts("  bound    the file has no OFFSET record: the distance of its times from another machine's is unknown");
	print_offsets(s);
	print_stretches(result, s);
	print_changes(result, s);
}

/* The check of the order of events. */

static void print_moment(const struct tw_order_moment *moment)
{
	char name[300], time[TIMES_TEXT_MAX], bound[TIMES_TEXT_MAX];

	tw_identity__name(&moment->stream->identity, moment->stream->id, name, sizeof(name));
	say(stdout, "    %s %s ± %s [%03u] %s-%" PRIu32 " %s\n", name, times__utc(moment->time, time, sizeof(time)),
	    times__bound(moment->error_ns, bound, sizeof(bound)), moment->cpu, *moment->comm ? moment->comm : "<...>",
	    moment->pid, moment->text);
}

static void print_contradictions(const struct tw_timing_pair *pair)
{
	const struct tw_order *order = pair->order;
	char early[TIMES_TEXT_MAX], excess[TIMES_TEXT_MAX];

	for (uint32_t i = 0; i < order->n_shown; i++) {
		const struct tw_order_contradiction *c = &order->shown[i];

		puts("");
		say(stdout,
		    "  CONTRADICTION in %s: the second event is %s before the first, which is %s more than the bounds permit\n",
		    pair->pair->name, times__duration(c->early_ns, early, sizeof(early)),
		    times__duration(c->excess_ns, excess, sizeof(excess)));
		print_moment(&c->cause);
		print_moment(&c->effect);
	}
	if (order->counts.contradictions > order->n_shown)
		printf("  %" PRIu64 " more contradictions in %s\n", order->counts.contradictions - order->n_shown,
		       pair->pair->name);
}

static void print_left_out(const struct tw_timing_pair *pair)
{
	const struct tw_order_counts *n = &pair->order->counts;
	const struct {
		uint64_t n;
		const char *text;
	} rows[] = {
		{ n->across_loss, "{pair|pairs} left out, because events were lost in between" },
		{ n->no_effect, "first {event|events} without a second in another stream" },
		{ n->no_cause, "second {event|events} without a first in another stream" },
		{ n->evicted, "{event|events} forgotten, because the memory was full" },
		{ n->unreadable, "{event|events} whose key cannot be read" },
		{ pair->unclear, "{event|events} for which `matches` reached its limit" },
	};
	bool any = false;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!rows[i].n)
			continue;
		printf("%s", any ? "; " : "           not counted: ");
		say__count(stdout, rows[i].n, rows[i].text);
		any = true;
	}
	if (any)
		puts("");
}

static void print_pair(const struct tw_timing_pair *pair)
{
	const struct tw_order_counts *n = &pair->order->counts;

	printf("  %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %14" PRIu64 "  %s%s%s\n", n->ordered, n->uncertain,
	       n->unbounded, n->contradictions, pair->pair->name, *pair->pair->text ? ": " : "", pair->pair->text);
	print_left_out(pair);
}

static void print_order(const struct tw_timing_result *result)
{
	bool any = false;

	for (size_t i = 0; i < result->n_pairs; i++) {
		if (!result->pairs[i].is_checked)
			continue;
		if (!any)
			printf("\norder of events of two streams\n  %10s %10s %10s %14s  pair\n", "certain",
			       "uncertain", "no bound", "contradictions");
		any = true;
		print_pair(&result->pairs[i]);
	}
	for (size_t i = 0; i < result->n_pairs; i++) {
		if (result->pairs[i].is_checked)
			print_contradictions(&result->pairs[i]);
	}
}

static void print_file(const char *name, const struct tw_timing_result *result)
{
	char text[TIMES_TEXT_MAX];
	double end = 0;

	for (uint32_t i = 0; i < result->n_streams; i++) {
		const struct tw_stream_time *s = result->streams[i];

		if (s->has_time)
			end = fmax(end, time__seconds(result, s, s->last));
	}
	say(stdout, "file     %s\n", name);
	printf("streams  %" PRIu32 ", %.3f s", result->n_streams, end);
	if (result->begin)
		printf(" from %s UTC", times__utc(result->begin, text, sizeof(text)));
	puts("");
	if (result->more_streams)
		printf("         further streams are not shown: the limit is %d\n", TW_TIMING_STREAMS_MAX);
}

void time__print_text(const char *name, const struct tw_timing_result *result)
{
	print_file(name, result);
	for (uint32_t i = 0; i < result->n_streams; i++)
		print_stream(result, result->streams[i]);
	print_order(result);
}
