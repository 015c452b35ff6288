/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/measuring.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/filter_option.h"
#include "cli/messages.h"
#include "cli/session.h"
#include "cli/standard_files.h"
#include "cli/summary.h"
#include "pcap-tools/record/frame_thread.h"
#include "producer/schema_texts.h"
#include "producer/tracing_dir.h"

/*
 * Results are shown seconds apart, so events may wait longer in their rings than for a viewer. On an idle machine, each round of the readers
 * causes the next scheduler and timer events: few rounds keep the run from measuring itself.
 */
#define LATENCY_MS 200

struct live {
	const struct measuring *measuring;
	const struct tw_filter *filter; /* the part of --filter that the measurement must evaluate; NULL = none */
	struct tw_frame_thread *thread;
	uint64_t began, next; /* beginning and end of the interval, CLOCK_MONOTONIC, ns */
	uint64_t printed;     /* number of results */
};

/* Reads the formats of the events. @ret: to be freed */
static int read_formats(const struct measuring *m, struct tw_schema **ret, struct tw_error *error)
{
	struct tw_event_list all = { 0 }, events = { 0 };
	struct tw_schema_texts_request request = { .events = &events, .schema = tw_schema__new() };
	struct tw_schema_texts texts = { .schema_id = 0 };
	int err = request.schema ? tw_tracing_dir__find(&request.tracing_dir, error)
				 : tw_error__set(error, -ENOMEM, "no memory for the formats of the events");

	if (!err)
		err = tw_event_list__read(request.tracing_dir, &all, error);
	if (!err)
		err = cli_selection__resolve(&m->run.selection, &all, &events, error);
	if (!err)
		err = tw_schema_texts__load(&request, &texts, error);
	if (!err)
		tw_schema_texts__set_host(request.schema); /* for the names of system calls */
	tw_schema_texts__fini(&texts);
	tw_event_list__fini(&events);
	tw_event_list__fini(&all);
	*ret = request.schema;
	return err;
}

/* Checks, before anything is traced, whether the events can be measured. */
static int check(const struct measuring *m, struct tw_error *error)
{
	struct tw_schema *formats = NULL;
	int err = read_formats(m, &formats, error);

	if (!err && m->ops->check)
		err = m->ops->check(m->ctx, formats, error);
	tw_schema__free(formats);
	return err;
}

static int open_output(void *ctx, struct tw_producer *producer, struct tw_error *error)
{
	struct live *live = ctx;
	const struct measuring *m = live->measuring;
	int err;

	live->filter = tw_producer__filter_left(producer);
	err = m->ops->begin(m->ctx, live->filter, error);
	if (!err)
		err = tw_frame_thread__new(m->ops->frame, m->ctx, &live->thread, error);
	if (!err)
		tw_producer__ignore(producer, tw_frame_thread__tid(live->thread));
	return err;
}

static int open_sink(void *ctx, unsigned int thread, struct tw_sink **ret, struct tw_error *error)
{
	const struct live *live = ctx;

	(void)thread;
	return tw_frame_thread__sink(live->thread, ret, error);
}

static void started(void *ctx)
{
	struct live *live = ctx;

	live->began = tw_time__now(CLOCK_MONOTONIC);
	live->next = live->began + live->measuring->interval;
	if (!live->measuring->run.quiet)
		say(stderr, "measuring %s; Ctrl-C ends it\n", live->measuring->what);
}

static void print(struct live *live, bool clear)
{
	const struct measuring *m = live->measuring;
	uint64_t now;

	tw_frame_thread__lock(live->thread);
	now = tw_time__now(CLOCK_MONOTONIC);
	m->ops->print(m->ctx, now - live->began, clear);
	tw_frame_thread__unlock(live->thread);
	live->began = now;
	standard_files__flush();
	live->printed++;
}

/* Prints the result of an interval that has ended. Return: whether the run ends; the last result is printed at the end of the run */
static bool tick(void *ctx)
{
	struct live *live = ctx;
	const struct measuring *m = live->measuring;
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC);

	if (standard_files__has_no_output())
		return true;
	if (!m->interval || now < live->next)
		return false;
	if (m->intervals && live->printed + 1 >= m->intervals)
		return true;
	print(live, true);
	while (live->next <= now)
		live->next += m->interval;
	return false;
}

static int finish(void *ctx, struct tw_error *error)
{
	struct live *live = ctx;
	const struct measuring *m = live->measuring;
	struct tw_error ignored;
	int err = tw_frame_thread__finish(live->thread, error);

	if (err) /* the accounting is completed nevertheless */
		m->ops->end(m->ctx, &ignored);
	else
		err = m->ops->end(m->ctx, error);
	if (err)
		return err;
	print(live, false);
	return m->ops->conclude ? m->ops->conclude(m->ctx, error) : 0;
}

static void add_outcome(void *ctx, const struct tw_producer_counters *counters, struct outcome *outcome)
{
	const struct live *live = ctx;

	(void)counters;
	live->measuring->ops->add_outcome(live->measuring->ctx, outcome);
}

static void summarize(void *ctx, const struct tw_producer_counters *counters)
{
	const struct live *live = ctx;
	struct outcome outcome = { .events = 0 };

	(void)counters;
	filter_option__summarize(live->filter, live->measuring->ops->filtered(live->measuring->ctx));
	live->measuring->ops->add_outcome(live->measuring->ctx, &outcome);
	summary__print_ledger(&outcome.ledger, stderr);
}

static int close_output(void *ctx, struct tw_error *error)
{
	struct live *live = ctx;

	(void)error;
	tw_frame_thread__free(live->thread);
	return 0;
}

int measuring__run(const struct measuring *measuring, char **command, struct tw_error *error)
{
	static const struct tw_producer_options defaults = { .latency_ms = LATENCY_MS, .later_stage = true };
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
	struct live live = { .measuring = measuring };
	const int err = check(measuring, error);

	return err ? cli_exit__of(err) : session__run(&measuring->run, &defaults, command, &output, &live, error);
}
