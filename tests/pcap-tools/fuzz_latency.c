/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pairs of an untrusted capture: each beginning is counted in one place, each pair in one histogram and group, and limits hold. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pcap-tools/latency/latency.h"

/* Definitions of pairs for the events in the seeds. The memory (MEMORY) is full after few beginnings and one group. */
static const char text[] = "pair switches\n"
			   "begin sched_switch prev_pid if prev_pid != 0\n"
			   "end sched_switch next_pid\n"
			   "cancel sched_switch cpu\n"
			   "by prev_comm,cpu,comm\n"
			   "again first\n"
			   "pair prints\n"
			   "begin print cpu\n"
			   "end print cpu if buf contains \"a\"\n"
			   "by buf\n"
			   "pair priorities\n"
			   "value sched_switch prev_prio\n"
			   "by next_comm,cpu,pid\n"
			   "pair states\n"
			   "value sched_switch prev_state\n"
			   "value print buf if cpu == 0\n"
			   "by comm\n";
#define PAIRS  4
#define MEMORY (PAIRS * 20000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* The counters of beginnings balance if no interval has ended before. */
static void check_balance(const struct tw_pairing_stats *s)
{
	check(s->begun == s->paired + s->across_loss + s->backwards + s->again + s->cancelled + s->evicted + s->open);
}

static void check_pair(const struct tw_pair_figures *pair, const struct tw_pair_names *names)
{
	struct tw_histogram_row rows[66];
	uint64_t n = 0, of_groups = 0;
	const size_t n_rows = tw_histogram__rows(&pair->all, rows);

	for (size_t i = 0; i < n_rows; i++)
		n += rows[i].n;
	check(n == pair->all.n && n == pair->stats.paired);
	check(pair->n_groups <= TW_PAIR_GROUPS_MAX + 1);
	for (size_t i = 0; i < pair->n_groups; i++) {
		of_groups += pair->groups[i]->histogram.n;
		for (size_t by = 0; by < pair->n_by + pair->is_named; by++)
			check(strlen(tw_pair_names__text(names, pair->groups[i]->names[by])) < TW_PAIR_NAME_MAX);
	}
	check(of_groups == (pair->n_by || pair->is_named ? n : 0));
}

static void check_interval(void *ctx, const struct tw_latency_result *result, uint64_t end)
{
	uint64_t *paired = ctx;

	check(end);
	for (size_t i = 0; i < result->n_pairs; i++) {
		check_pair(&result->pairs[i].figures, result->names);
		*paired += result->pairs[i].figures.stats.paired;
	}
}

/* Measures the capture. Return: number of samples in the result, and in the intervals before it, which is added to @options->ctx. */
static uint64_t measure(int fd, const struct tw_latency_options *options)
{
	const struct tw_latency_result *result;
	struct tw_error error = { "" };
	struct tw_latency *latency = NULL;
	uint64_t paired = 0;
	int err;

	check(!lseek(fd, 0, SEEK_SET));
	check(!tw_latency__new(options, &latency, &error));
	err = tw_latency__read(latency, fd, "made.pcapng", &error);
	check(!err || *error.text);
	result = tw_latency__result(latency);
	for (size_t i = 0; (!err || err == -EBADMSG) && i < result->n_pairs; i++) {
		check_pair(&result->pairs[i].figures, result->names);
		if (!options->interval)
			check_balance(&result->pairs[i].figures.stats);
		paired += result->pairs[i].figures.stats.paired;
	}
	tw_latency__free(latency);
	return err ? UINT64_MAX : paired;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static struct tw_pair_table *table;
	const struct tw_pair *pairs[PAIRS];
	struct tw_latency_options options = { .pairs = pairs, .n_pairs = PAIRS, .memory = MEMORY };
	struct tw_error error = { "" };
	uint64_t in_intervals = 0, all, last;

	if (fd < 0) {
		fd = memfd_create("capture", 0);
		table = tw_pair_table__new();
		check(table && !tw_pair_table__parse(table, text, sizeof(text) - 1, "fuzz", &error));
	}
	for (size_t i = 0; i < PAIRS; i++)
		pairs[i] = tw_pair_table__at(table, i);
	check(pwrite(fd, data, size, 0) == (ssize_t)size && !ftruncate(fd, (off_t)size));
	all = measure(fd, &options);
	options.interval = 1000;
	options.interval_ended = check_interval;
	options.ctx = &in_intervals;
	options.top = 3;
	last = measure(fd, &options);
	options.interval = 0;
	options.stacks = true; /* refused if there are none */
	measure(fd, &options);
	check(all == UINT64_MAX ? last == UINT64_MAX : in_intervals + last == all);
	return 0;
}
