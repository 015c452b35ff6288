/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/filter/explain/live.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/standard_files.h"
#include "cli/stop.h"

#define EDGE_NS \
	(50 * TW_NS_PER_MS) /* windows begin and end so far ahead: the readers know of it before such events come */
#define TICK_MS 1000

/* One of the two runs. */
struct side {
	struct tw_producer_options options;
	struct filter_hits *hits;
	struct tw_producer *producer;
};

struct run {
	struct side all, filtered;
	uint64_t from, until; /* ns, CLOCK_MONOTONIC, as the trace clock mono counts */
	bool own_seen;
};

static int open_sink(void *ctx, unsigned int thread, struct tw_sink **ret, struct tw_error *err)
{
	struct side *side = ctx;

	(void)thread;
	(void)err;
	*ret = filter_hits__sink(side->hits);
	return 0;
}

static int side__open(struct side *side, const struct filter_expression *expression,
		      const struct cli_selection *selection, bool is_filtered, struct tw_error *err)
{
	const int error = filter_hits__new(expression, !is_filtered, &side->hits, err);

	if (error)
		return error;
	side->options = (struct tw_producer_options){
		.events = selection->items,
		.n_events = selection->n,
		.clock = "mono",
		.threads = 1, /* one sink */
		.filter = is_filtered ? expression->filter : NULL,
		.later_stage = is_filtered,
		.open_sink = open_sink,
		.ctx = side,
	};
	return tw_producer__new(&side->options, &side->producer, err);
}

/* Each producer keeps its own threads out of its trace. Both have to see the same, so both leave all of them out. */
static void leave_out_threads(struct run *run)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;

	run->own_seen = !dir;
	while (dir && (entry = readdir(dir))) {
		const pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid &&
		    (tw_producer__ignore(run->all.producer, tid) || tw_producer__ignore(run->filtered.producer, tid)))
			run->own_seen = true;
	}
	if (dir)
		closedir(dir);
}

static void set_window(struct run *run)
{
	filter_hits__set_window(run->all.hits, run->from, run->until);
	filter_hits__set_window(run->filtered.hits, run->from, run->until);
}

static void tell_progress(const struct run *run, uint64_t now)
{
	const struct filter_hits_counts counts = filter_hits__counts(run->all.hits);

	if (isatty(STDERR_FILENO) && standard_files__behind() < 0)
		fprintf(stderr, "\r%4" PRIu64 " s  %" PRIu64 " events, %" PRIu64 " match; Ctrl-C ends it ",
			now > run->from ? (uint64_t)((now - run->from) / TW_NS_PER_SECOND) : 0, counts.events,
			counts.matched);
}

/* Wait for a tick, or the time. Return: whether to stop. */
static bool wait_a_while(uint64_t now, uint64_t until)
{
	struct pollfd fd = { .fd = stop__fd(), .events = POLLIN };
	const uint64_t left_ms = (until - now) / TW_NS_PER_MS + 1;

	return poll(&fd, 1, left_ms < TICK_MS ? (int)left_ms : TICK_MS) < 0 ? errno != EINTR : fd.revents != 0;
}

static bool is_broken(const struct run *run)
{
	return tw_producer__broken(run->all.producer) || tw_producer__broken(run->filtered.producer);
}

static void sleep_until(uint64_t time)
{
	const struct timespec ts = {
		.tv_sec = (time_t)(time / TW_NS_PER_SECOND),
		.tv_nsec = (long)(time % TW_NS_PER_SECOND),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

/* The window ends when it should, or a moment after somebody asks. */
static void watch(struct run *run, uint64_t seconds)
{
	uint64_t now = tw_time__now(CLOCK_MONOTONIC);

	run->from = now + EDGE_NS;
	run->until = seconds ? run->from + seconds * TW_NS_PER_SECOND : UINT64_MAX;
	set_window(run);
	while (now < run->until && !is_broken(run)) {
		standard_files__push();
		tell_progress(run, now);
		if (wait_a_while(now, run->until)) {
			run->until = tw_time__now(CLOCK_MONOTONIC) + EDGE_NS;
			set_window(run);
			sleep_until(run->until);
			break;
		}
		now = tw_time__now(CLOCK_MONOTONIC);
	}
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

static int start(struct run *run, struct tw_error *err)
{
	int error = tw_producer__start(run->all.producer, err);

	if (!error)
		error = tw_producer__start(run->filtered.producer, err);
	if (!error)
		leave_out_threads(run);
	return error;
}

static int stop(struct run *run, struct tw_error *err)
{
	const int error = tw_producer__stop(run->filtered.producer, err);
	const int other = tw_producer__stop(run->all.producer, error ? NULL : err);

	return error ? error : other;
}

static int count(struct run *run, const struct filter_expression *expression, const struct cli_selection *selection,
		 uint64_t seconds, struct tw_error *err)
{
	int error = stop__catch(err);

	if (!error)
		error = side__open(&run->filtered, expression, selection, true, err);
	if (!error)
		error = side__open(&run->all, expression, selection, false, err);
	if (!error)
		error = start(run, err);
	if (error)
		return error;
	stop__opened();
	watch(run, seconds);
	stop__ending();
	return stop(run, err);
}

int filter_live__run(const struct filter_expression *expression, const struct cli_selection *selection,
		     uint64_t seconds, struct filter_live *ret, struct tw_error *err)
{
	struct run run = { 0 };
	const int error = count(&run, expression, selection, seconds, err);
	struct filter_live live = {
		.seconds = (double)(run.until - run.from) / (double)TW_NS_PER_SECOND,
		.all = run.all.hits,
		.filtered = run.filtered.hits,
		.own_seen = run.own_seen,
	};

	if (!error) {
		tw_producer__counters(run.all.producer, &live.all_books);
		tw_producer__counters(run.filtered.producer, &live.filtered_books);
		tw_producer__filter_places(run.filtered.producer, &live.places);
	}
	tw_producer__free(run.filtered.producer);
	tw_producer__free(run.all.producer);
	if (error)
		filter_live__fini(&live);
	else
		*ret = live;
	return error;
}

void filter_live__fini(struct filter_live *live)
{
	filter_hits__free(live->all);
	filter_hits__free(live->filtered);
	*live = (struct filter_live){ 0 };
}
