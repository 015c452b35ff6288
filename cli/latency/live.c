/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measures pairs in a live run: traces the events of the pairs, and passes them to the measuring thread without a file. */
#include "pcap-tools/latency/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "cli/filter_option.h"
#include "cli/latency/latency.h"
#include "cli/messages.h"
#include "cli/session.h"
#include "cli/standard_files.h"
#include "cli/summary.h"
#include "producer/schema_texts.h"
#include "producer/tracing_dir.h"

#define SPEC_MAX 160 /* bytes of SYSTEM:EVENT */

struct live {
	struct run_config run; /* of the options, with the events of the pairs */
	const struct latency_config *config;
	struct tw_latency_options options;
	struct tw_latency_live *latency;
	struct tw_event_request *requests;
	size_t n_requests;
	uint64_t next;    /* end of the interval, CLOCK_MONOTONIC, ns; 0 = no interval has begun */
	uint64_t printed; /* number of intervals */
};

static void put_spec(const struct tw_pair_event *event, char spec[SPEC_MAX])
{
	snprintf(spec, SPEC_MAX, "%s%s%s", event->system ? event->system : "", event->system ? ":" : "", event->event);
}

static int add_request(struct live *live, const char *spec, struct tw_error *error)
{
	struct tw_event_request *larger = reallocarray(live->requests, live->n_requests + 1, sizeof(*larger));

	if (!larger)
		return tw_error__set(error, -ENOMEM, "no memory for the events of the pairs");
	live->requests = larger;
	larger[live->n_requests] = (struct tw_event_request){ .spec = strdup(spec) };
	if (!larger[live->n_requests].spec)
		return tw_error__set(error, -ENOMEM, "no memory for the events of the pairs");
	live->n_requests++;
	return 0;
}

/* Requests the events of a pair that this kernel has; the others must not be needed. @found: these events */
static int select_pair(struct live *live, const struct tw_event_list *all, const struct tw_pair *pair,
		       struct tw_event_list *found, struct tw_error *error)
{
	bool is_missing[TW_PAIR_EVENTS_MAX] = { false };
	const struct tw_pair_event *missing;
	char spec[SPEC_MAX];
	int err = 0;

	for (size_t i = 0; i < pair->n_events && !err; i++) {
		put_spec(&pair->events[i], spec);
		is_missing[i] = tw_event_list__select(found, all, spec, NULL);
		if (!is_missing[i])
			err = add_request(live, spec, error);
	}
	if (err)
		return err;
	missing = tw_pair__lacks(pair, is_missing);
	if (!missing)
		return 0;
	put_spec(missing, spec);
	return tw_error__set(error, -ENOENT,
			     "this kernel has no event %s, which pair %s needs; `tracewire list` shows the events",
			     spec, pair->name);
}

/* Checks the keys, groups and conditions of the pairs against the formats of the events. */
static int check_formats(const struct live *live, const char *dir, const struct tw_event_list *events,
			 struct tw_error *error)
{
	const struct tw_schema_texts_request request = { .tracing_dir = dir,
							 .events = events,
							 .schema = tw_schema__new() };
	struct tw_schema_texts texts = { .schema_id = 0 };
	struct tw_latency *latency = NULL;
	int err = request.schema ? tw_schema_texts__load(&request, &texts, error)
				 : tw_error__set(error, -ENOMEM, "no memory for the formats of the pairs");

	if (!err)
		err = tw_latency__new(&live->options, &latency, error);
	if (!err)
		err = tw_latency__check(latency, request.schema, error);
	tw_latency__free(latency);
	tw_schema_texts__fini(&texts);
	tw_schema__free(request.schema);
	return err;
}

static int select_events(struct live *live, struct tw_error *error)
{
	struct tw_event_list all = { 0 }, found = { 0 };
	const char *dir;
	int err = tw_tracing_dir__find(&dir, error);

	if (!err)
		err = tw_event_list__read(dir, &all, error);
	for (size_t i = 0; i < live->options.n_pairs && !err; i++)
		err = select_pair(live, &all, live->options.pairs[i], &found, error);
	if (!err)
		err = check_formats(live, dir, &found, error);
	tw_event_list__fini(&found);
	tw_event_list__fini(&all);
	live->run.selection.items = live->requests;
	live->run.selection.n = live->n_requests;
	return err;
}

static int open_output(void *ctx, struct tw_producer *producer, struct tw_error *error)
{
	struct live *live = ctx;
	int err;

	live->options.filter = tw_producer__filter_left(producer);
	err = tw_latency_live__new(&live->options, &live->latency, error);
	if (!err)
		tw_producer__ignore(producer, tw_latency_live__tid(live->latency));
	return err;
}

static int open_sink(void *ctx, unsigned int thread, struct tw_sink **ret, struct tw_error *error)
{
	const struct live *live = ctx;

	(void)thread;
	return tw_latency_live__sink(live->latency, ret, error);
}

static void started(void *ctx)
{
	struct live *live = ctx;

	live->next = tw_time__now(CLOCK_MONOTONIC) + live->config->interval;
	if (live->run.quiet)
		return;
	fputs("measuring", stderr);
	for (size_t i = 0; i < live->options.n_pairs; i++)
		say(stderr, "%s %s", i ? "," : "", live->options.pairs[i]->name);
	fputs("; Ctrl-C ends it\n", stderr);
}

static void print(struct live *live, bool clear)
{
	const struct latency_subject subject = { .name = "live",
						 .end = live->config->interval ? tw_time__now(CLOCK_REALTIME) : 0 };

	latency__print(live->config, &subject, tw_latency_live__lock(live->latency));
	tw_latency_live__unlock(live->latency, clear);
	standard_files__flush();
	live->printed++;
}

/* Prints the result of an interval that has ended. Return: whether it was the last but one: the last is printed at the end of the run */
static bool tick(void *ctx)
{
	struct live *live = ctx;
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC);

	if (!live->config->interval || now < live->next)
		return false;
	if (live->config->intervals && live->printed + 1 >= live->config->intervals)
		return true;
	print(live, true);
	while (live->next <= now)
		live->next += live->config->interval;
	return false;
}

static int finish(void *ctx, struct tw_error *error)
{
	struct live *live = ctx;
	const struct tw_latency_result *result;
	int err = tw_latency_live__finish(live->latency, error);

	if (err)
		return err;
	print(live, false);
	result = tw_latency_live__lock(live->latency);
	for (size_t i = 0; i < result->n_pairs && !live->run.quiet; i++)
		latency__tell_missing(&result->pairs[i].figures, "this kernel");
	err = latency__write_files(live->config, result, error);
	tw_latency_live__unlock(live->latency, false);
	return err;
}

static void add_outcome(void *ctx, const struct tw_producer_counters *counters, struct outcome *outcome)
{
	struct live *live = ctx;
	const struct tw_latency_result *result = tw_latency_live__lock(live->latency);

	(void)counters;
	latency__add_outcome(result, outcome);
	tw_latency_live__unlock(live->latency, false);
}

static void summarize(void *ctx, const struct tw_producer_counters *counters)
{
	struct live *live = ctx;
	const struct tw_latency_result *result = tw_latency_live__lock(live->latency);

	(void)counters;
	filter_option__summarize(live->options.filter, &result->filtered);
	summary__print_ledger(&result->read.ledger, stderr);
	tw_latency_live__unlock(live->latency, false);
}

static int close_output(void *ctx, struct tw_error *error)
{
	struct live *live = ctx;

	(void)error;
	tw_latency_live__free(live->latency);
	return 0;
}

int latency__live(const struct latency_config *config, const struct latency_task *task, struct tw_error *error)
{
	static const struct tw_producer_options defaults = { .later_stage = true };
	static const struct session_output output = {
		.open = open_output,
		.open_sink = open_sink,
		.started = started,
		.tick = tick,
		.finish = finish,
		.add_outcome = add_outcome,
		.summarize = summarize,
		.close = close_output,
	};
	struct live live = { .run = config->run, .config = config, .options = latency__options(config, task) };
	int err, status;

	live.run.tracing.stacks = config->stacks;
	err = select_events(&live, error);
	status = err ? cli_exit__of(err) : session__run(&live.run, &defaults, task->command, &output, &live, error);
	for (size_t i = 0; i < live.n_requests; i++)
		free((char *)live.requests[i].spec);
	free(live.requests);
	return status;
}
