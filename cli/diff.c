/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire diff`: compares two captures: the rates of their events, and the times of their pairs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash_table.h"
#include "base/json.h"
#include "base/time.h"
#include "cli/command.h"
#include "cli/latency/latency.h"
#include "cli/messages.h"
#include "cli/standard_files.h"

/*
 * A difference is shown if chance would cause it less than once in 1000 comparisons of independent events. Rates must differ by
 * RATE_DEVIATIONS standard deviations. For times, the statistic of Kolmogorov and Smirnov must exceed KS_LIMIT.
 */
#define RATE_DEVIATIONS 3.3
#define KS_LIMIT        1.95

struct diff_config {
	bool as_json, all;
};

/* One of the two captures. */
struct side {
	const char *file;
	int fd;                                               /* at least 0 if it is open */
	struct tw_latency *counts, *times;                    /* measurements of its events by type, and of its pairs */
	const struct tw_latency_result *of_counts, *of_times; /* their results */
	double seconds;
	bool is_damaged;
};

/* "SYSTEM:EVENT". The bytes after the NUL are zero, because the struct is the key of a hash table. */
struct type {
	char name[TW_PAIR_NAME_MAX];
};

/* Number of events of a type in each capture. */
struct type_counts {
	uint64_t n[2];
};

struct diff {
	const struct diff_config *config;
	struct tw_latency_options options[2]; /* for the counts and for the times; borrowed by the measurements */
	const struct tw_pair *type;
	struct tw_pair_table *table; /* the pseudo pair @type, in which events are counted by their type */
	struct tw_hash_table types;  /* of both captures: struct type -> struct type_counts */
	struct latency_task task;    /* the pairs that both captures have */
	struct side sides[2];
};

/* The comparison of an event type, or of a pair. */
struct change {
	const char *name;
	uint64_t n[2];
	double rate[2];             /* of an event type: events per second */
	enum tw_selected traced[2]; /* whether the run selected the event type */
	uint64_t time[2][2];        /* of a pair: p50 and p99 */
	bool is_large;              /* chance alone would hardly cause the difference of the numbers */
	bool is_certain;            /* @is_large, and both runs selected the event type */
};

static int open_side(struct side *side, struct tw_error *error)
{
	side->fd = standard_files__open(&side->file, error);
	if (side->fd < 0)
		return side->fd;
	if (lseek(side->fd, 0, SEEK_SET) < 0)
		return tw_error__set(error, -EINVAL, "%s cannot be read twice: write it to a file first", side->file);
	return 0;
}

/* Reads the capture from its beginning. Damage is reported once. */
static int read_side(const struct tw_latency_options *options, struct side *side, struct tw_latency **ret,
		     struct tw_error *error)
{
	int err = lseek(side->fd, 0, SEEK_SET) < 0
			  ? tw_error__set(error, -errno, "cannot read %s: %s", side->file, strerror(errno))
			  : tw_latency__new(options, ret, error);

	if (!err)
		err = tw_latency__read(*ret, side->fd, side->file, error);
	if (err != -EBADMSG)
		return err;
	if (!side->is_damaged)
		note__say("%s; the events before the damage are compared", error->text);
	side->is_damaged = true;
	*error = (struct tw_error){ "" };
	return 0;
}

static const struct tw_pair_figures *figures_of(const struct side *side, size_t i)
{
	return &side->of_times->pairs[i].figures;
}

/* Adds the numbers of a capture to the table of types. */
static int add_types(struct diff *diff, size_t side, struct tw_error *error)
{
	const struct tw_latency_result *result = diff->sides[side].of_counts;
	const struct tw_pair_figures *figures = &result->pairs[0].figures;

	for (size_t i = 0; i < figures->n_groups; i++) {
		const char *name = tw_pair_names__text(result->names, figures->groups[i]->names[0]);
		struct type type = { "" };
		void *counts;

		memcpy(type.name, name, strnlen(name, sizeof(type.name) - 1));
		if (tw_hash_table__put(&diff->types, &type, &counts) < 0)
			return tw_error__set(error, -ENOMEM, "no memory for the events");
		((struct type_counts *)counts)->n[side] += figures->groups[i]->histogram.n;
	}
	return 0;
}

static int count_types(struct diff *diff, struct tw_error *error)
{
	static const char text[] = "pair types\nvalue any cpu\n";
	int err;

	diff->table = tw_pair_table__new();
	err = diff->table ? tw_pair_table__parse(diff->table, text, sizeof(text) - 1, NULL, error)
			  : tw_error__set(error, -ENOMEM, "no memory for the events");
	if (err)
		return err;
	diff->type = tw_pair_table__at(diff->table, 0);
	diff->options[0] = (struct tw_latency_options){
		.pairs = &diff->type, .n_pairs = 1, .memory = TW_LATENCY_MEMORY, .counts_types = true
	};
	for (size_t i = 0; i < 2; i++) {
		struct side *side = &diff->sides[i];

		err = read_side(&diff->options[0], side, &side->counts, error);
		if (err)
			return err;
		side->of_counts = tw_latency__result(side->counts);
		side->seconds = (double)(side->of_counts->last - side->of_counts->first) / TW_NS_PER_SECOND;
		err = add_types(diff, i, error);
		if (err)
			return err;
	}
	return 0;
}

/* Whether both captures have an event of a pair: SYSTEM:EVENT, or EVENT of any system. */
static bool have_event(const struct diff *diff, const struct tw_pair_event *event)
{
	uint64_t n[2] = { 0 };

	for (uint32_t i = 0; i < diff->types.n; i++) {
		const struct type *type = tw_hash_table__key(&diff->types, i);
		const struct type_counts *counts = tw_hash_table__value(&diff->types, i);
		const char *colon = strchr(type->name, ':');
		const size_t len = colon ? (size_t)(colon - type->name) : 0;

		if (!colon || strcmp(colon + 1, event->event) != 0)
			continue;
		if (event->system && (strncmp(type->name, event->system, len) != 0 || event->system[len]))
			continue;
		n[0] += counts->n[0];
		n[1] += counts->n[1];
	}
	return n[0] && n[1];
}

/* Whether both captures have the events that a pair needs. */
static bool can_measure(const struct diff *diff, const struct tw_pair *pair)
{
	bool is_missing[TW_PAIR_EVENTS_MAX];

	for (size_t i = 0; i < pair->n_events; i++)
		is_missing[i] = !have_event(diff, &pair->events[i]);
	return !tw_pair__lacks(pair, is_missing);
}

static int measure_pairs(struct diff *diff, struct tw_error *error)
{
	struct latency_task *task = &diff->task;
	struct tw_latency_options *options = &diff->options[1];
	int err = latency__load_pairs(&task->table, error);

	if (err)
		return err;
	task->pairs = calloc(tw_pair_table__count(task->table), sizeof(struct tw_pair *));
	if (!task->pairs)
		return tw_error__set(error, -ENOMEM, "no memory for the pairs");
	for (size_t i = 0; i < tw_pair_table__count(task->table); i++) {
		const struct tw_pair *pair = tw_pair_table__at(task->table, i);

		if (can_measure(diff, pair))
			task->pairs[task->n_pairs++] = pair;
	}
	*options = (struct tw_latency_options){ .pairs = task->pairs,
						.n_pairs = task->n_pairs,
						.memory = TW_LATENCY_MEMORY,
						.skips_invalid = true,
						.no_groups = true };
	for (size_t i = 0; i < 2 && task->n_pairs && !err; i++) {
		err = read_side(options, &diff->sides[i], &diff->sides[i].times, error);
		if (!err)
			diff->sides[i].of_times = tw_latency__result(diff->sides[i].times);
	}
	return err;
}

/* Whether the run of a capture selected the events of a type. @n: number of these events in the capture */
static enum tw_selected find_traced(const struct side *side, const char *name, uint64_t n)
{
	const char *colon = strchr(name, ':');
	char system[TW_PAIR_NAME_MAX];

	if (n)
		return TW_SELECTED_YES;
	if (!colon)
		return TW_SELECTED_UNKNOWN;
	snprintf(system, sizeof(system), "%.*s", (int)(colon - name), name);
	return tw_latency__selects(side->counts, system, colon + 1);
}

/* Compares the rate of the events of type number @type. */
static struct change compare_rates(const struct diff *diff, uint32_t type)
{
	const struct type_counts *counts = tw_hash_table__value(&diff->types, type);
	struct change change = { .name = ((const struct type *)tw_hash_table__key(&diff->types, type))->name };
	double variance = 0, difference;

	for (size_t i = 0; i < 2; i++) {
		const double seconds = diff->sides[i].seconds > 0 ? diff->sides[i].seconds : 1;

		change.n[i] = counts->n[i];
		change.traced[i] = find_traced(&diff->sides[i], change.name, change.n[i]);
		change.rate[i] = (double)change.n[i] / seconds;
		variance += (double)(change.n[i] ? change.n[i] : 1) / (seconds * seconds);
	}
	difference = change.rate[1] - change.rate[0];
	change.is_large = difference * difference > RATE_DEVIATIONS * RATE_DEVIATIONS * variance;
	change.is_certain =
		change.is_large && change.traced[0] == TW_SELECTED_YES && change.traced[1] == TW_SELECTED_YES;
	return change;
}

/* Compares the times of pair @i. */
static struct change compare_times(const struct diff *diff, size_t i)
{
	struct change change = { .name = diff->task.pairs[i]->name };
	const struct tw_histogram *h[2];
	double n[2], distance;

	for (size_t side = 0; side < 2; side++) {
		h[side] = &figures_of(&diff->sides[side], i)->all;
		change.n[side] = h[side]->n;
		n[side] = (double)h[side]->n;
		change.time[side][0] = tw_histogram__quantile(h[side], 500);
		change.time[side][1] = tw_histogram__quantile(h[side], 990);
	}
	distance = tw_histogram__distance(h[0], h[1]);
	change.is_large = n[0] * n[1] > 0 && distance * distance * n[0] * n[1] > KS_LIMIT * KS_LIMIT * (n[0] + n[1]);
	change.is_certain = change.is_large;
	return change;
}

/* Whether a capture has an event of a pair whose fields do not fit the pair. */
static bool is_invalid(const struct diff *diff, size_t i)
{
	return diff->sides[0].of_times->pairs[i].is_invalid || diff->sides[1].of_times->pairs[i].is_invalid;
}

static void tell_invalid(const struct diff *diff)
{
	for (size_t i = 0; i < diff->task.n_pairs; i++)
		if (is_invalid(diff, i))
			note__say("pair %s is left out: a key or condition of it does not fit an event of the captures",
				  diff->task.pairs[i]->name);
}

/* Writes a change in percent: "+12 %", "new", "gone". */
static const char *percent(double before, double after, char *buf, size_t size)
{
	if (before > 0 && after > 0)
		snprintf(buf, size, "%+.0f %%", (after / before - 1) * 100);
	else
		snprintf(buf, size, "%s", before > 0 ? "gone" : after > 0 ? "new" : "-");
	return buf;
}

static void print_rate(const struct change *change)
{
	bool is_known = true;
	char text[32];

	for (size_t i = 0; i < 2; i++) {
		is_known &= change->traced[i] == TW_SELECTED_YES;
		if (change->traced[i] == TW_SELECTED_YES)
			printf("%12.1f ", change->rate[i]);
		else
			printf("%12s ", change->traced[i] == TW_SELECTED_NO ? "not traced" : "unknown");
	}
	printf("%10s  ", is_known ? percent(change->rate[0], change->rate[1], text, sizeof(text)) : "-");
	say(stdout, "%s\n", change->name);
}

static void print_times(const struct change *change, const struct tw_pair_figures *pair)
{
	char text[32];

	printf("%10" PRIu64 " %10" PRIu64, change->n[0], change->n[1]);
	for (size_t q = 0; q < 2; q++) {
		for (size_t side = 0; side < 2; side++)
			printf(" %9s", latency__figure(pair, change->time[side][q], text, sizeof(text)));
		printf(" %8s", percent((double)change->time[0][q], (double)change->time[1][q], text, sizeof(text)));
	}
	say(stdout, "  %s\n", change->name);
}

/* @text: as for say__count() */
static void print_unshown(size_t n, const char *text)
{
	if (!n)
		return;
	fputs("and ", stdout);
	say__count(stdout, n, text);
	puts(" without a difference that is more than chance");
}

/* Passes the comparison of each event type of either capture to @take. */
static void each_rate(const struct diff *diff, void (*take)(void *ctx, const struct change *change), void *ctx)
{
	for (uint32_t i = 0; i < diff->types.n; i++) {
		const struct change change = compare_rates(diff, i);

		take(ctx, &change);
	}
}

struct printing {
	const struct diff *diff;
	size_t unshown;
	struct tw_json *json;
};

static void take_rate(void *ctx, const struct change *change)
{
	struct printing *printing = ctx;

	if (change->is_large || printing->diff->config->all)
		print_rate(change);
	else
		printing->unshown++;
}

static void print(const struct diff *diff)
{
	struct printing printing = { .diff = diff };
	size_t unshown = 0;

	for (size_t i = 0; i < 2; i++)
		say(stdout, "%s %s: %.3f s\n", i ? "B" : "A", diff->sides[i].file, diff->sides[i].seconds);
	printf("\n%12s %12s %10s  %s\n", "A events/s", "B events/s", "change", "event");
	each_rate(diff, take_rate, &printing);
	print_unshown(printing.unshown, "{event type|event types}");
	printf("\n%10s %10s %9s %9s %8s %9s %9s %8s  %s\n", "A count", "B count", "A p50", "B p50", "change", "A p99",
	       "B p99", "change", "pair");
	for (size_t i = 0; i < diff->task.n_pairs; i++) {
		const struct change change = compare_times(diff, i);

		if (is_invalid(diff, i))
			continue;
		if (change.is_large || diff->config->all)
			print_times(&change, figures_of(&diff->sides[0], i));
		else
			unshown++;
	}
	print_unshown(unshown, "{pair|pairs}");
}

static void put_change(struct tw_json *json, const struct change *change, bool is_rate)
{
	static const char *const sides[] = { "a", "b" };

	tw_json__open(json, NULL, '{');
	tw_json__str(json, is_rate ? "event" : "pair", change->name);
	tw_json__bool(json, "certain", change->is_certain);
	for (size_t i = 0; i < 2; i++) {
		tw_json__open(json, sides[i], '{');
		tw_json__u64(json, "count", change->n[i]);
		if (is_rate && change->traced[i] == TW_SELECTED_UNKNOWN) {
			tw_json__null(json, "traced");
		} else if (is_rate) {
			tw_json__bool(json, "traced", change->traced[i] == TW_SELECTED_YES);
		} else {
			tw_json__u64(json, "p50", change->time[i][0]);
			tw_json__u64(json, "p99", change->time[i][1]);
		}
		tw_json__close(json);
	}
	tw_json__close(json);
}

static void put_rate(void *ctx, const struct change *change)
{
	struct printing *printing = ctx;

	put_change(printing->json, change, true);
}

static void print_json(const struct diff *diff)
{
	struct tw_json json;
	struct printing printing = { .diff = diff, .json = &json };

	tw_json__to_file(&json, stdout, true);
	tw_json__open(&json, NULL, '{');
	tw_json__open(&json, "captures", '[');
	for (size_t i = 0; i < 2; i++) {
		tw_json__open(&json, NULL, '{');
		tw_json__str(&json, "file", diff->sides[i].file);
		tw_json__u64(&json, "duration_ns", (uint64_t)(diff->sides[i].seconds * TW_NS_PER_SECOND));
		tw_json__close(&json);
	}
	tw_json__close(&json);
	tw_json__open(&json, "events", '[');
	each_rate(diff, put_rate, &printing);
	tw_json__close(&json);
	tw_json__open(&json, "pairs", '[');
	for (size_t i = 0; i < diff->task.n_pairs; i++) {
		const struct change change = compare_times(diff, i);

		if (!is_invalid(diff, i))
			put_change(&json, &change, false);
	}
	tw_json__close(&json);
	tw_json__close(&json);
}

static int run(void *data, int n_args, char **args, struct tw_error *error)
{
	struct diff diff = {
		.config = data,
		.types = { .key_size = sizeof(struct type), .value_size = sizeof(struct type_counts) },
		.sides = { { .fd = -1 }, { .fd = -1 } },
	};
	int err;

	if (n_args != 2) {
		tw_error__set(error, -EINVAL, "diff needs two captures, for example `diff before.pcapng after.pcapng`");
		return CLI_EXIT_USAGE;
	}
	diff.sides[0].file = args[0];
	diff.sides[1].file = args[1];
	err = open_side(&diff.sides[0], error);
	if (!err)
		err = open_side(&diff.sides[1], error);
	if (!err)
		err = count_types(&diff, error);
	if (!err)
		err = measure_pairs(&diff, error);
	if (!err)
		tell_invalid(&diff);
	if (!err && diff.config->as_json)
		print_json(&diff);
	else if (!err)
		print(&diff);
	for (size_t i = 0; i < 2; i++) {
		tw_latency__free(diff.sides[i].counts);
		tw_latency__free(diff.sides[i].times);
		if (diff.sides[i].fd > STDIN_FILENO)
			close(diff.sides[i].fd);
	}
	latency__forget(&diff.task);
	tw_hash_table__fini(&diff.types);
	tw_pair_table__free(diff.table);
	if (!err && (diff.sides[0].is_damaged || diff.sides[1].is_damaged))
		return CLI_EXIT_FAILURE;
	return err == -ENODATA ? CLI_EXIT_USAGE : cli_exit__of(err);
}

static const struct cli_option options[] = {
	{ 'a', "all", NULL, CLI_ARG_NONE, "Also show what did not change, or may have changed by chance",
	  .offset = offsetof(struct diff_config, all) },
	{ 'j', "json", NULL, CLI_ARG_NONE, "Write one JSON object with all comparisons; times are in ns",
	  .offset = offsetof(struct diff_config, as_json) },
	{ 0 },
};

static const struct cli_option_group group = { "Options", options };
static const struct cli_option_group *const groups[] = { &group, NULL };

static const struct cli_example examples[] = {
	{ "Show what a change of the configuration has changed", "tracewire diff before.pcapng after.pcapng" },
	{ NULL, NULL },
};

const struct cli_command cli_command_diff = {
	.name = "diff",
	.summary = "Show what changed between two captures",
	.arguments = "A B",
	.arg_kind = CLI_ARG_FILE,
	.args_max = 2,
	.description =
		"Compares two captures: how often each event occurs, and the times of all pairs of `latency` whose events both "
		"captures have. A difference is shown only if chance would cause it less than once in 1000 comparisons. This assumes "
		"that events are independent: those that come in bursts differ more often. If one capture has no event of a type, "
		"`not traced` says that its run did not select the type, and `unknown` that its selection is unknown. Both files are "
		"read twice.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct diff_config),
	.run = run,
};
