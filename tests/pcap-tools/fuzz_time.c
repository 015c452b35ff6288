/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The times of an untrusted capture: bounds stay bounds, each pair is counted in one place, texts are printable, and limits hold. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/printable.h"
#include "pcap-tools/time/timing.h"

/* Definitions of pairs for the events in the seeds. The memory (MEMORY) is full after few events. */
static const char text[] = "pair sent\nbegin event i if cpu == 0\nend event i if cpu == 1\n"
			   "pair any\nbegin event cpu,comm\nend event cpu,comm\n";
#define PAIRS  2
#define MEMORY (PAIRS * 20000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_text(const char *shown)
{
	check(tw_printable__plain(shown, strlen(shown)) == strlen(shown));
}

static void check_series(const struct tw_time_series *series)
{
	struct tw_time_slope slope;

	check(series->n <= TW_TIME_POINTS_MAX && !series->n == !series->samples);
	for (uint32_t i = 0; i < series->n; i++) {
		const struct tw_time_point *point = &series->points[i];

		check(point->offset_min <= point->offset_max);
		check(!point->is_bounded || (point->low <= point->offset_min && point->offset_max <= point->high));
		check(!i || series->points[i - 1].from < point->from);
	}
	if (tw_time_series__slope(series, &slope))
		check(slope.ns_per_s == slope.ns_per_s);
}

static void check_stream(const struct tw_stream_time *s)
{
	for (unsigned int i = 0; i < TW_TIME_CLOCKS; i++)
		check_series(&s->series[i]);
	check(s->n_phcs <= TW_PHC_MAX);
	for (uint32_t i = 0; i < s->n_phcs; i++)
		check_series(&s->phcs[i].series);
	check(s->n_stretches <= TW_TIME_STRETCHES_MAX);
	for (uint32_t i = 0; i < s->n_stretches; i++) {
		check_text(s->stretches[i].sync);
		check_text(s->stretches[i].grandmaster);
		check(s->stretches[i].error_min == TW_ERROR_UNKNOWN ||
		      s->stretches[i].error_min <= s->stretches[i].error_max);
	}
	check(s->reported.n <= TW_TIME_CHANGES_MAX && s->seen.n <= TW_TIME_CHANGES_MAX);
	check_text(s->phcs_text);
}

static void check_order(const struct tw_order *order)
{
	check(order->n_shown <= TW_ORDER_SHOWN_MAX && order->n_shown <= order->counts.contradictions);
	for (uint32_t i = 0; i < order->n_shown; i++) {
		const struct tw_order_contradiction *c = &order->shown[i];

		check(c->cause.stream != c->effect.stream);
		check(c->cause.time - c->effect.time == c->early_ns);
		check(c->early_ns > c->cause.error_ns + c->effect.error_ns);
		check(c->excess_ns == c->early_ns - c->cause.error_ns - c->effect.error_ns);
		check(!i || c->excess_ns <= c[-1].excess_ns);
		check_text(c->cause.text);
		check_text(c->effect.comm);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static struct tw_pair_table *table;
	const struct tw_pair *pairs[PAIRS];
	const struct tw_timing_options options = { .pairs = pairs, .n_pairs = PAIRS, .memory = MEMORY };
	const struct tw_timing_result *result;
	struct tw_error error = { "" };
	struct tw_timing *timing = NULL;
	int err;

	if (fd < 0) {
		fd = memfd_create("capture", 0);
		table = tw_pair_table__new();
		check(table && !tw_pair_table__parse(table, text, sizeof(text) - 1, "fuzz", &error));
	}
	for (size_t i = 0; i < PAIRS; i++)
		pairs[i] = tw_pair_table__at(table, i);
	check(pwrite(fd, data, size, 0) == (ssize_t)size && !ftruncate(fd, (off_t)size) && !lseek(fd, 0, SEEK_SET));
	check(!tw_timing__new(&options, &timing, &error));
	err = tw_timing__read(timing, fd, "made.pcapng", &error);
	check(!err || *error.text);
	result = tw_timing__result(timing);
	check(result->n_streams <= TW_TIMING_STREAMS_MAX);
	for (uint32_t i = 0; i < result->n_streams; i++)
		check_stream(result->streams[i]);
	for (size_t i = 0; (!err || err == -EBADMSG) && i < result->n_pairs; i++) {
		if (result->pairs[i].order)
			check_order(result->pairs[i].order);
	}
	tw_timing__free(timing);
	return 0;
}
