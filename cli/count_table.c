/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/count_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/time.h"

static double share_of(const struct count_table *t, uint64_t n)
{
	return t->counts->total ? (double)n / (double)t->counts->total : 0;
}

static double rate_of(const struct count_table *t, uint64_t n)
{
	return (double)n * (double)TW_NS_PER_SECOND / (double)t->duration_ns;
}

/* Return: the name of a stream; "" if it is unknown */
static const char *stream_name(const struct count_table *t, uint64_t id)
{
	for (size_t i = 0; i < t->n_streams; i++) {
		if (t->streams[i].id == id)
			return t->streams[i].name;
	}
	return "";
}

/* Width of the column with names of streams; 0 = the table does not have this column */
static int stream_width(const struct count_table *t)
{
	size_t width = sizeof("stream") - 1;

	for (size_t i = 0; i < t->n_streams; i++)
		width = strlen(t->streams[i].name) > width ? strlen(t->streams[i].name) : width;
	return t->has_pid && t->n_streams > 1 ? (int)width : 0;
}

/* @width: as from stream_width() */
static void print_row(const struct count_table *t, const struct tw_count_row *count, int width, FILE *out)
{
	fprintf(out, "%10" PRIu64 " %6.1f%% ", count->n, 100 * share_of(t, count->n));
	if (t->duration_ns)
		fprintf(out, "%10.1f  ", rate_of(t, count->n));
	else
		fprintf(out, "%10s  ", "unknown");
	if (width)
		fprintf(out, "%-*s  ", width, stream_name(t, count->stream_id));
	if (t->has_pid)
		fprintf(out, "%7" PRIu32 "  ", count->pid);
	fprintf(out, "%s\n", count->name);
}

static int sort(const struct count_table *t, struct tw_count_row **ret, size_t *ret_n, struct tw_error *error)
{
	const int err = tw_counts__sorted(t->counts, ret, ret_n);

	return err ? tw_error__set(error, err, "no memory to sort the counts by %s", t->heading) : 0;
}

int count_table__print(const struct count_table *t, FILE *out, struct tw_error *error)
{
	const int width = stream_width(t);
	struct tw_count_row *sorted;
	size_t n;
	const int err = sort(t, &sorted, &n, error);

	if (err)
		return err;
	fprintf(out, "%10s %7s %10s  ", "count", "share", "a second");
	if (width)
		fprintf(out, "%-*s  ", width, "stream");
	fprintf(out, "%s%s\n", t->has_pid ? "    pid  " : "", t->heading);
	for (size_t i = 0; i < n; i++)
		print_row(t, &sorted[i], width, out);
	if (t->counts->others)
		fprintf(out, "%10" PRIu64 " %6.1f%% events with other names, for which the table has no room\n",
			t->counts->others, 100 * share_of(t, t->counts->others));
	free(sorted);
	return 0;
}

/* Writes a fraction as a number with six decimal places. */
static void put_fraction(struct tw_json *json, const char *key, double value)
{
	char text[64];

	snprintf(text, sizeof(text), "%.6f", value);
	tw_line__str(tw_json__value(json, key), text);
}

static void put_row(const struct count_table *t, const struct tw_count_row *count, struct tw_json *json)
{
	tw_json__open(json, NULL, '{');
	tw_json__printable(json, t->heading, count->name, strlen(count->name));
	if (t->has_pid) {
		tw_json__u64(json, "pid", count->pid);
		tw_json__id(json, "stream", count->stream_id);
		tw_json__str(json, "stream_name", stream_name(t, count->stream_id));
	}
	tw_json__u64(json, "count", count->n);
	put_fraction(json, "share", share_of(t, count->n));
	if (t->duration_ns)
		put_fraction(json, "rate", rate_of(t, count->n));
	else
		tw_json__null(json, "rate");
	tw_json__close(json);
}

static void put_others(const struct count_table *t, struct tw_json *json)
{
	tw_json__open(json, NULL, '{');
	tw_json__null(json, t->heading);
	tw_json__u64(json, "count", t->counts->others);
	put_fraction(json, "share", share_of(t, t->counts->others));
	tw_json__close(json);
}

int count_table__json(const struct count_table *t, const char *key, struct tw_json *json, struct tw_error *error)
{
	struct tw_count_row *sorted;
	size_t n;
	const int err = sort(t, &sorted, &n, error);

	if (err)
		return err;
	tw_json__open(json, key, '[');
	for (size_t i = 0; i < n; i++)
		put_row(t, &sorted[i], json);
	if (t->counts->others)
		put_others(t, json);
	tw_json__close(json);
	free(sorted);
	return 0;
}
