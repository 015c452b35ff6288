/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints histograms in the style of bcc, and the counters of what is not in them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "base/time.h"
#include "cli/latency/latency.h"
#include "cli/messages.h"
#include "cli/times.h"

#define BAR         40 /* characters of the longest bar */
#define GROUPS_MAX  20 /* groups that are printed as text */
#define PER_MILLE_N 4
#define KINDS_MAX   128 /* bytes of the kinds of qdiscs of an interface */

static const struct {
	const char *name;
	unsigned int per_mille;
} quantiles[PER_MILLE_N] = { { "p50", 500 }, { "p90", 900 }, { "p99", 990 }, { "p99.9", 999 } };

static struct tw_histogram_row rows[TW_HISTOGRAM_BUCKETS + 1];

static uint64_t mean_of(const struct tw_histogram *h)
{
	return h->n ? h->sum / h->n : 0;
}

static void print_bar(uint64_t n, uint64_t most)
{
	const int filled = most ? (int)((double)n / (double)most * BAR + 0.5) : 0;

	printf("|%.*s%*s|\n", filled, "****************************************", BAR - filled, "");
}

const char *latency__figure(const struct tw_pair_figures *pair, uint64_t value, char *buf, size_t size)
{
	if (tw_pair__has_times(pair->pair))
		return times__duration(value, buf, size);
	snprintf(buf, size, "%" PRIu64, value);
	return buf;
}

static const char *unit_of_rows(const struct tw_pair_figures *pair)
{
	if (pair->all.scale.linear && tw_pair__has_times(pair->pair))
		return "ns";
	return tw_pair_unit__name(pair->pair->unit);
}

static void print_rows(const struct tw_pair_figures *pair)
{
	const struct tw_histogram *h = &pair->all;
	const uint64_t unit = h->scale.linear ? 1 : h->scale.unit;
	const size_t n = tw_histogram__rows(h, rows);
	uint64_t most = 0;

	for (size_t i = 0; i < n; i++)
		most = rows[i].n > most ? rows[i].n : most;
	printf("%25s : %-10s distribution\n", unit_of_rows(pair), "count");
	for (size_t i = 0; i < n; i++) {
		const char *bracket = rows[i].above ? "(" : "[";

		if (rows[i].bound == UINT64_MAX)
			printf("%s%11" PRIu64 ", %10s] : %-10" PRIu64 " ", bracket, rows[i].above / unit, "...",
			       rows[i].n);
		else
			printf("%s%11" PRIu64 ", %10" PRIu64 "] : %-10" PRIu64 " ", bracket, rows[i].above / unit,
			       rows[i].bound / unit, rows[i].n);
		print_bar(rows[i].n, most);
	}
}

static void print_figures(const struct tw_pair_figures *pair)
{
	const struct tw_histogram *h = &pair->all;
	char text[32];

	printf("count %" PRIu64 ", min %s", h->n, latency__figure(pair, h->min, text, sizeof(text)));
	printf(", mean %s", latency__figure(pair, mean_of(h), text, sizeof(text)));
	for (size_t i = 0; i < PER_MILLE_N; i++)
		printf(", %s %s", quantiles[i].name,
		       latency__figure(pair, tw_histogram__quantile(h, quantiles[i].per_mille), text, sizeof(text)));
	printf(", max %s\n", latency__figure(pair, h->max, text, sizeof(text)));
	if (h->beyond)
		say__count(
			stdout, h->beyond,
			"{value is|values are} in the last row, which has no upper bound: a quantile in it is shown as the "
			"maximum; give a larger --linear\n");
}

/* The number of names of each group. A named value comes before the fields of the pair. */
static size_t count_names(const struct tw_pair_figures *pair)
{
	return pair->n_by + pair->is_named;
}

static const char *heading(const struct tw_pair_figures *pair, size_t i)
{
	if (!pair->is_named)
		return pair->by[i];
	return i ? pair->by[i - 1] : pair->pair->events[0].keys[0];
}

/* Whether name @i of the groups is an interface whose queueing discipline is known. */
static bool has_qdisc(const struct tw_pair_figures *pair, size_t i, const struct tw_qdiscs *qdiscs)
{
	return qdiscs && qdiscs->n && latency__has_qdiscs(pair->pair) && !strcmp(heading(pair, i), "ifindex");
}

static void print_qdisc(const struct tw_qdiscs *qdiscs, const char *ifindex)
{
	const struct tw_qdisc *root = latency__qdisc(qdiscs, ifindex);
	char kinds[KINDS_MAX];

	if (root)
		say(stdout, " %s: %s", root->device, tw_qdiscs__describe(qdiscs, root, kinds, sizeof(kinds)));
}

static void print_group_name(const struct tw_pair_figures *pair, const struct tw_pair_group *group,
			     const struct tw_pair_names *names, const struct tw_qdiscs *qdiscs)
{
	for (size_t i = 0; i < count_names(pair); i++) {
		const char *name = tw_pair_names__text(names, group->names[i]);

		say(stdout, "%s%s", i ? "  " : "", name);
		if (has_qdisc(pair, i, qdiscs))
			print_qdisc(qdiscs, name);
	}
	puts("");
}

/* The kernel traces all network namespaces, but the names of interfaces are known only for this one. */
static void print_headings(const struct tw_pair_figures *pair, const struct tw_qdiscs *qdiscs)
{
	for (size_t i = 0; i < count_names(pair); i++)
		say(stdout, "%s%s%s", i ? "  " : "", heading(pair, i),
		    has_qdisc(pair, i, qdiscs) ? " (in this network namespace)" : "");
	puts("");
}

static void print_group(const struct tw_pair_figures *pair, const struct tw_histogram *h)
{
	char text[32];

	printf("%10" PRIu64, h->n);
	if (pair->is_named) {
		printf(" %5.1f %%  ", 100 * (double)h->n / (double)pair->all.n);
		return;
	}
	printf(" %10s", latency__figure(pair, h->sum, text, sizeof(text)));
	printf(" %10s", latency__figure(pair, mean_of(h), text, sizeof(text)));
	printf(" %10s", latency__figure(pair, tw_histogram__quantile(h, 500), text, sizeof(text)));
	printf(" %10s", latency__figure(pair, tw_histogram__quantile(h, 990), text, sizeof(text)));
	printf(" %10s  ", latency__figure(pair, h->max, text, sizeof(text)));
}

static void print_groups(const struct tw_pair_figures *pair, const struct tw_pair_names *names,
			 const struct tw_qdiscs *qdiscs)
{
	if (!pair->n_groups)
		return;
	if (pair->is_named)
		printf("%10s %7s  ", "count", "share");
	else
		printf("\n%10s %10s %10s %10s %10s %10s  ", "count", "total", "mean", "p50", "p99", "max");
	print_headings(pair, qdiscs);
	for (size_t i = 0; i < pair->n_groups && i < GROUPS_MAX; i++) {
		print_group(pair, &pair->groups[i]->histogram);
		print_group_name(pair, pair->groups[i], names, qdiscs);
	}
	if (pair->n_groups > GROUPS_MAX)
		printf("and %zu more groups\n", pair->n_groups - GROUPS_MAX);
}

/* A counter of what is not in the histogram. */
struct counter {
	const char *key, *text; /* JSON key; text after the number */
	uint64_t n;
};

#define COUNTERS 11

static void get_counters(const struct tw_pair_figures *pair, struct counter ret[COUNTERS])
{
	const struct tw_pairing_stats *s = &pair->stats;
	const struct counter counters[COUNTERS] = {
		{ "open", "begun without an end", s->open },
		{ "again", "begun again before an end", s->again },
		{ "cancelled", "cancelled", s->cancelled },
		{ "no_begin", "ended without a beginning", s->no_begin },
		{ "across_loss", "left out, because events were lost between beginning and end", s->across_loss },
		{ "backwards", "left out, because the end has an earlier time than the beginning", s->backwards },
		{ "evicted", "forgotten, because --memory was full", s->evicted },
		{ "unreadable", "events whose key or value cannot be read", pair->unreadable },
		{ "negative", "below 0", pair->negative },
		{ "unstamped", "packets without a receive time stamp", pair->unstamped },
		{ "blocked", "reads of data that waited for an earlier segment", pair->blocked },
	};

	memcpy(ret, counters, sizeof(counters));
}

static void print_counters(const struct tw_pair_figures *pair)
{
	struct counter counters[COUNTERS];
	const char *before = "not in the histogram: ";

	get_counters(pair, counters);
	for (size_t i = 0; i < COUNTERS; i++) {
		/* If the first beginning counts, further ones are normal: for example, sched_wakeup after sched_waking. */
		if (!counters[i].n || (pair->pair->keeps_first && !strcmp(counters[i].key, "again")))
			continue;
		printf("%s%" PRIu64 " %s", before, counters[i].n, counters[i].text);
		before = "; ";
	}
	if (*before == ';')
		puts("");
	if (pair->unclear)
		printf("%" PRIu64 " events: `matches` in a condition reached its limit, which counts as no match\n",
		       pair->unclear);
}

static void print_moment(const struct tw_latency_moment *moment, const struct tw_pair_names *names)
{
	const char *comm = moment->comm == TW_PAIR_NO_NAME ? "<...>" : tw_pair_names__text(names, moment->comm);

	say(stdout, "%" PRIu64 ".%09" PRIu64 " [%03u] %s-%u: %s\n", (uint64_t)(moment->time / TW_NS_PER_SECOND),
	    (uint64_t)(moment->time % TW_NS_PER_SECOND), moment->cpu, comm, moment->pid, moment->text);
}

static void print_slowest(const struct tw_pair_figures *pair, const struct tw_latency_slowest *slowest,
			  const struct tw_pair_names *names)
{
	char text[32];

	if (slowest->n)
		puts("\nslowest:");
	for (size_t i = 0; i < slowest->n; i++) {
		printf("%10s  ", latency__figure(pair, slowest->items[i].ns, text, sizeof(text)));
		print_moment(&slowest->items[i].begin, names);
		printf("%12s", "");
		print_moment(&slowest->items[i].end, names);
	}
}

static void print_pair(const struct tw_latency_measured *measured, const struct tw_pair_names *names,
		       const struct tw_qdiscs *qdiscs)
{
	const struct tw_pair_figures *pair = &measured->figures;

	say(stdout, "%s%s%s", pair->pair->name, *pair->pair->text ? ": " : "", pair->pair->text);
	puts("\n");
	if (!pair->all.n) {
		puts(tw_pair__has_values(pair->pair) ? "no event" : "no pair of events");
	} else if (!pair->is_named) {
		print_rows(pair);
		puts("");
		print_figures(pair);
	}
	print_counters(pair);
	print_groups(pair, names, qdiscs);
	print_slowest(pair, measured->slowest, names);
}

/* Prints the local time of day. */
static void print_end(uint64_t end)
{
	const time_t seconds = (time_t)(end / TW_NS_PER_SECOND);
	struct tm local;
	char text[16] = "?";

	if (localtime_r(&seconds, &local))
		strftime(text, sizeof(text), "%H:%M:%S", &local);
	printf("%s.%03u\n\n", text, (unsigned int)(end % TW_NS_PER_SECOND / TW_NS_PER_MS));
}

static void print_text(const struct latency_subject *subject, const struct tw_latency_result *result)
{
	if (subject->end)
		print_end(subject->end);
	for (size_t i = 0; i < result->n_pairs; i++) {
		if (i)
			puts("");
		print_pair(&result->pairs[i], result->names, subject->qdiscs);
	}
	if (subject->end)
		puts("");
}

static void put_figures(struct tw_json *json, const struct tw_pair_figures *pair, const struct tw_histogram *h)
{
	tw_json__u64(json, "count", h->n);
	if (!pair->is_named && (h->n || h->sum)) /* tw_latency__pass() adds times of pairs that have not ended */
		tw_json__u64(json, "sum", h->sum);
	if (!h->n || pair->is_named)
		return;
	tw_json__u64(json, "min", h->min);
	tw_json__u64(json, "mean", mean_of(h));
	for (size_t i = 0; i < PER_MILLE_N; i++)
		tw_json__u64(json, quantiles[i].name, tw_histogram__quantile(h, quantiles[i].per_mille));
	tw_json__u64(json, "max", h->max);
}

static void put_rows(struct tw_json *json, const struct tw_histogram *h)
{
	const size_t n = tw_histogram__rows(h, rows);

	tw_json__open(json, "rows", '[');
	for (size_t i = 0; i < n; i++) {
		tw_json__open(json, NULL, '{');
		tw_json__u64(json, "above", rows[i].above);
		tw_json__u64_or_null(json, "bound", rows[i].bound); /* the last row has no bound */
		tw_json__u64(json, "count", rows[i].n);
		tw_json__close(json);
	}
	tw_json__close(json);
}

static void put_qdisc(struct tw_json *json, const struct tw_qdiscs *qdiscs, const char *ifindex)
{
	const struct tw_qdisc *root = latency__qdisc(qdiscs, ifindex);
	char kinds[KINDS_MAX];

	if (!root)
		return;
	tw_json__str(json, "device", root->device);
	tw_json__str(json, "qdisc", tw_qdiscs__describe(qdiscs, root, kinds, sizeof(kinds)));
}

static void put_group(struct tw_json *json, const struct tw_pair_figures *pair, const struct tw_pair_group *group,
		      const struct tw_pair_names *names, const struct tw_qdiscs *qdiscs)
{
	tw_json__open(json, NULL, '{');
	tw_json__open(json, "by", '{');
	for (size_t i = 0; i < count_names(pair); i++)
		tw_json__str(json, heading(pair, i), tw_pair_names__text(names, group->names[i]));
	tw_json__close(json);
	for (size_t i = 0; i < count_names(pair); i++)
		if (has_qdisc(pair, i, qdiscs))
			put_qdisc(json, qdiscs, tw_pair_names__text(names, group->names[i]));
	put_figures(json, pair, &group->histogram);
	if (!pair->is_named)
		put_rows(json, &group->histogram);
	tw_json__close(json);
}

static void put_moment(struct tw_json *json, const char *key, const struct tw_latency_moment *moment,
		       const struct tw_pair_names *names)
{
	tw_json__open(json, key, '{');
	tw_json__u64(json, "time_ns", moment->time);
	tw_json__u64(json, "cpu", moment->cpu);
	tw_json__u64(json, "pid", moment->pid);
	if (moment->comm == TW_PAIR_NO_NAME)
		tw_json__null(json, "comm");
	else
		tw_json__str(json, "comm", tw_pair_names__text(names, moment->comm));
	tw_json__str(json, "event", moment->text);
	tw_json__close(json);
}

static void put_slowest(struct tw_json *json, const struct tw_latency_slowest *slowest,
			const struct tw_pair_names *names)
{
	tw_json__open(json, "slowest", '[');
	for (size_t i = 0; i < slowest->n; i++) {
		tw_json__open(json, NULL, '{');
		tw_json__u64(json, "ns", slowest->items[i].ns);
		put_moment(json, "begin", &slowest->items[i].begin, names);
		put_moment(json, "end", &slowest->items[i].end, names);
		tw_json__close(json);
	}
	tw_json__close(json);
}

static void put_pair(struct tw_json *json, const struct tw_latency_measured *measured,
		     const struct tw_pair_names *names, const struct tw_qdiscs *qdiscs)
{
	const struct tw_pair_figures *pair = &measured->figures;
	struct counter counters[COUNTERS];

	get_counters(pair, counters);
	tw_json__open(json, NULL, '{');
	tw_json__str(json, "pair", pair->pair->name);
	tw_json__str(json, "text", pair->pair->text);
	tw_json__str(json, "unit", tw_pair__has_times(pair->pair) ? "ns" : tw_pair_unit__name(pair->pair->unit));
	put_figures(json, pair, &pair->all);
	tw_json__u64(json, "begun", pair->stats.begun);
	tw_json__open(json, "left_out", '{');
	for (size_t i = 0; i < COUNTERS; i++)
		tw_json__u64(json, counters[i].key, counters[i].n);
	tw_json__close(json);
	tw_json__u64(json, "unclear", pair->unclear);
	if (!pair->is_named)
		put_rows(json, &pair->all);
	tw_json__open(json, "groups", '[');
	for (size_t i = 0; i < pair->n_groups; i++)
		put_group(json, pair, pair->groups[i], names, qdiscs);
	tw_json__close(json);
	if (measured->slowest->max)
		put_slowest(json, measured->slowest, names);
	tw_json__close(json);
}

static void print_json(const struct latency_subject *subject, const struct tw_latency_result *result)
{
	struct tw_json json;

	tw_json__to_file(&json, stdout, !subject->end);
	tw_json__open(&json, NULL, '{');
	tw_json__str(&json, "file", subject->name);
	if (subject->end)
		tw_json__u64(&json, "end_ns", subject->end);
	if (subject->ns)
		tw_json__u64(&json, "interval_ns", subject->ns);
	tw_json__open(&json, "pairs", '[');
	for (size_t i = 0; i < result->n_pairs; i++)
		put_pair(&json, &result->pairs[i], result->names, subject->qdiscs);
	tw_json__close(&json);
	tw_json__close(&json);
}

void latency__print(const struct latency_config *config, const struct latency_subject *subject,
		    const struct tw_latency_result *result)
{
	if (output_file__is_standard(config->svg) || output_file__is_standard(config->stacks))
		return;
	if (config->as_json)
		print_json(subject, result);
	else
		print_text(subject, result);
}
