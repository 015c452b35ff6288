/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measures pairs in a live run: traces the events of the pairs, without a file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/nearest.h"
#include "base/time.h"
#include "cli/latency/latency.h"
#include "cli/measuring.h"
#include "producer/tracing_dir.h"

#define SPEC_MAX 160 /* bytes of SYSTEM:EVENT */

struct live {
	const struct latency_config *config;
	struct latency_files *files; /* NULL = none */
	const struct tw_qdiscs *qdiscs;
	struct tw_latency_options options;
	struct tw_latency *latency;
	struct cli_selection events;
	bool has_lines; /* a pair has lines of trace_marker */
};

static void put_spec(const struct tw_pair_event *event, char spec[SPEC_MAX])
{
	snprintf(spec, SPEC_MAX, "%s%s%s", event->system ? event->system : "", event->system ? ":" : "", event->event);
}

/* Find out whether this kernel lacks an event of a pair. */
static int lacks_event(const struct tw_event_list *all, const char *spec, bool *ret, struct tw_error *error)
{
	struct tw_event_list found = { 0 };
	const int err = tw_event_list__select(&found, all, spec, error);

	tw_event_list__fini(&found);
	*ret = err == -ENOENT;
	return *ret ? 0 : err;
}

static int add_event(struct live *live, const char *spec, struct tw_error *error)
{
	char *copy = strdup(spec);
	const int err = copy ? cli_selection__add(&live->events, copy, error)
			     : tw_error__set(error, -ENOMEM, "no memory for the events of the pairs");

	if (err)
		free(copy);
	return err;
}

static int refuse_event(const struct tw_event_list *all, const struct tw_pair_event *missing, const char *spec,
			const struct tw_pair *pair, struct tw_error *error)
{
	struct tw_nearest nearest;

	tw_nearest__init(&nearest, missing->event);
	for (size_t i = 0; i < all->n; i++)
		tw_nearest__offer(&nearest, all->names[i].name);
	if (nearest.best)
		return tw_error__set(error, -ENOENT,
				     "this kernel has no event %s, which pair %s needs; did you mean %s?", spec,
				     pair->name, nearest.best);
	return tw_error__set(error, -ENOENT,
			     "this kernel has no event %s, which pair %s needs; `tracewire list` shows the events",
			     spec, pair->name);
}

/* Selects the events of a pair that this kernel has; the others must not be needed. */
static int select_pair(struct live *live, const struct tw_event_list *all, const struct tw_pair *pair,
		       struct tw_error *error)
{
	bool is_missing[TW_PAIR_EVENTS_MAX] = { false };
	const struct tw_pair_event *missing;
	char spec[SPEC_MAX];
	int err = 0;

	for (size_t i = 0; i < pair->n_events && !err; i++) {
		if (tw_pair_event__is_line(&pair->events[i])) {
			live->has_lines = true;
			continue;
		}
		put_spec(&pair->events[i], spec);
		err = lacks_event(all, spec, &is_missing[i], error);
		if (!err && !is_missing[i])
			err = add_event(live, spec, error);
	}
	missing = err ? NULL : tw_pair__lacks(pair, is_missing);
	if (!missing)
		return err;
	put_spec(missing, spec);
	return refuse_event(all, missing, spec, pair, error);
}

static int select_events(struct live *live, struct tw_error *error)
{
	struct tw_event_list all = { 0 };
	const char *dir;
	int err = tw_tracing_dir__find(&dir, error);

	if (!err)
		err = tw_event_list__read(dir, &all, error);
	for (size_t i = 0; i < live->options.n_pairs && !err; i++)
		err = select_pair(live, &all, live->options.pairs[i], error);
	tw_event_list__fini(&all);
	return err;
}

static int check(void *ctx, const struct tw_schema *formats, struct tw_error *error)
{
	const struct live *live = ctx;
	struct tw_latency *latency;
	int err = live->options.counts_types ? 0 : tw_latency__new(&live->options, &latency, error);

	if (err || live->options.counts_types)
		return err;
	err = tw_latency__check(latency, formats, error);
	tw_latency__free(latency);
	return err;
}

static int begin(void *ctx, const struct tw_filter *filter, struct tw_error *error)
{
	struct live *live = ctx;
	int err;

	live->options.filter = filter;
	err = tw_latency__new(&live->options, &live->latency, error);
	return err ? err : tw_latency__begin(live->latency, error);
}

static int take_frame(void *ctx, const void *data, size_t len, struct tw_error *error)
{
	const struct live *live = ctx;

	return tw_latency__frame(live->latency, data, len, error);
}

static int end(void *ctx, struct tw_error *error)
{
	const struct live *live = ctx;

	return tw_latency__end(live->latency, error);
}

static void print(void *ctx, uint64_t ns, bool clear)
{
	const struct live *live = ctx;
	const struct latency_subject subject = {
		.name = "live",
		.end = live->config->interval ? tw_time__now(CLOCK_REALTIME) : 0,
		.ns = ns,
		.qdiscs = live->qdiscs,
	};

	if (live->config->print)
		live->config->print(live->config, &subject, live->latency);
	else
		latency__print(live->config, &subject, tw_latency__result(live->latency));
	if (clear)
		tw_latency__clear(live->latency);
}

static int conclude(void *ctx, struct tw_error *error)
{
	const struct live *live = ctx;
	const struct tw_latency_result *result = tw_latency__result(live->latency);

	for (size_t i = 0; i < result->n_pairs && !live->config->run.quiet; i++)
		latency__tell_missing(&result->pairs[i].figures, "this kernel");
	return live->files ? latency_files__write(live->files, result, error) : 0;
}

static void add_outcome(void *ctx, struct outcome *outcome)
{
	const struct live *live = ctx;

	latency__add_outcome(tw_latency__result(live->latency), outcome);
}

static const struct tw_capture_filter_stats *filtered(void *ctx)
{
	const struct live *live = ctx;

	return &tw_latency__result(live->latency)->filtered;
}

/* The names of the pairs: "runqlat, offcpu". */
static void name_pairs(const struct latency_task *task, char *ret, size_t size)
{
	size_t len = 0;

	*ret = '\0';
	for (size_t i = 0; i < task->n_pairs && len < size; i++)
		len += (size_t)snprintf(ret + len, size - len, "%s%s", i ? ", " : "", task->pairs[i]->name);
}

static bool has_times(const struct latency_task *task)
{
	for (size_t i = 0; i < task->n_pairs; i++)
		if (!tw_pair__has_values(task->pairs[i]))
			return true;
	return false;
}

int latency__live(const struct latency_config *config, const struct latency_task *task, struct latency_files *files,
		  struct tw_error *error)
{
	static const struct measuring_ops ops = {
		.check = check,
		.begin = begin,
		.frame = take_frame,
		.end = end,
		.print = print,
		.conclude = conclude,
		.add_outcome = add_outcome,
		.filtered = filtered,
	};
	struct live live = {
		.config = config, .files = files, .qdiscs = &task->qdiscs, .options = latency__options(config, task)
	};
	char names[512];
	struct measuring measuring = {
		.run = config->run,
		.what = names,
		.interval = config->interval,
		.intervals = config->intervals,
		.ops = &ops,
		.ctx = &live,
	};
	int err = config->counts_types ? 0 : select_events(&live, error), status;

	name_pairs(task, names, sizeof(names));
	if (!config->counts_types)
		measuring.run.selection = live.events;
	measuring.run.tracing.stacks = config->stacks;
	measuring.run.tracing.lines = live.has_lines;
	/* Without show_self, the kernel leaves out switches between the run's own tasks and the idle task: times would be wrong. */
	measuring.run.show_self |= has_times(task);
	status = err ? cli_exit__of(err) : measuring__run(&measuring, task->command, error);
	tw_latency__free(live.latency);
	for (size_t i = 0; i < live.events.n; i++)
		free((char *)live.events.items[i].spec);
	cli_selection__fini(&live.events);
	return status;
}
