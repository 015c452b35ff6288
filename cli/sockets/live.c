/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of sockets of a live run, which is printed at each interval. */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/measuring.h"
#include "cli/messages.h"
#include "cli/sockets/sockets.h"
#include "cli/terminal.h"

struct live {
	const struct sockets_config *config;
	struct tw_socket_times_options options;
	struct tw_socket_times *times;
	struct sockets_timeline timeline;
};

static int begin(void *ctx, const struct tw_filter *filter, struct tw_error *error)
{
	struct live *live = ctx;
	int err;

	live->options.filter = filter;
	err = tw_socket_times__new(&live->options, &live->times, error);
	return err ? err : tw_socket_times__begin(live->times, error);
}

static int take_frame(void *ctx, const void *data, size_t len, struct tw_error *error)
{
	const struct live *live = ctx;

	return tw_socket_times__frame(live->times, data, len, error);
}

static int end(void *ctx, struct tw_error *error)
{
	const struct live *live = ctx;

	return tw_socket_times__end(live->times, error);
}

static void print(void *ctx, uint64_t ns, bool clear)
{
	const struct live *live = ctx;
	const struct sockets_subject subject = {
		.name = "live",
		.end = tw_time__now(CLOCK_REALTIME),
		.ns = ns,
	};

	sockets__print(live->config, &subject, tw_socket_times__result(live->times));
	if (clear)
		tw_socket_times__clear(live->times);
}

static void add_outcome(void *ctx, struct outcome *outcome)
{
	const struct live *live = ctx;
	const struct tw_socket_times_result *result = tw_socket_times__result(live->times);

	if (result)
		sockets__add_outcome(result, outcome);
}

static const struct tw_capture_filter_stats *filtered(void *ctx)
{
	static const struct tw_capture_filter_stats none;
	const struct live *live = ctx;
	const struct tw_socket_times_result *result = tw_socket_times__result(live->times);

	return result ? &result->filtered : &none;
}

static int select_events(const struct sockets_config *config, struct cli_selection *ret, struct tw_error *error)
{
	static const char *const specs[] = { "sockts", "sched:sched_waking", "sched:sched_switch" };
	const size_t n = config->wakeups ? sizeof(specs) / sizeof(specs[0]) : 1;
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = cli_selection__add(ret, specs[i], error);
	return err;
}

int sockets__live(const struct sockets_config *config, char **command, struct tw_error *error)
{
	static const struct measuring_ops ops = {
		.begin = begin,
		.frame = take_frame,
		.end = end,
		.print = print,
		.add_outcome = add_outcome,
		.filtered = filtered,
	};
	struct live live = { .config = config, .timeline = { .flow = config->flow } };
	struct measuring measuring = {
		.run = config->run,
		.what = "sockets",
		.interval = config->interval ? config->interval : TW_NS_PER_SECOND,
		.intervals = config->intervals,
		.ops = &ops,
		.ctx = &live,
	};
	int err = select_events(config, &measuring.run.selection, error), status;

	if (config->flow) {
		live.options.step = sockets_timeline__step;
		live.options.ctx = &live.timeline;
	}
	measuring.run.quiet |= !config->flow && terminal__has_control(STDOUT_FILENO); /* the screen shows it */
	status = err ? cli_exit__of(err) : measuring__run(&measuring, command, error);
	tw_socket_times__free(live.times);
	cli_selection__fini(&measuring.run.selection);
	return status;
}
