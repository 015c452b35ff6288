/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `latency --in-kernel`: BPF programs measure the pairs, and this process only waits and prints. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "cli/filter_option.h"
#include "cli/latency/latency.h"
#include "cli/messages.h"
#include "cli/service.h"
#include "cli/standard_files.h"
#include "cli/stop.h"
#include "cli/traced_command.h"
#include "producer/kernel_pairs/kernel_pairs.h"
#include "producer/missed.h"
#include "producer/tracing_dir.h"

#define PUSH_MS 100 /* interval at which queued text is written */

struct run {
	const struct latency_config *config;
	const struct latency_task *task;
	struct latency_files *files;
	struct tw_kernel_pairs *kernel;
	struct traced_command command;
	struct tw_latency_measured *measured; /* of the pairs; for the result */
	struct tw_latency_result result;
	uint64_t began, next; /* beginning and end of the interval, CLOCK_MONOTONIC, ns */
	uint64_t printed;     /* number of printed results */
};

/* Adds the ids of a list such as "12,34". */
static int add_pids(const char *list, struct tw_packets_selection *to, struct tw_error *error)
{
	char *end;

	for (const char *at = list; *at; at = *end == ',' ? end + 1 : end) {
		const unsigned long pid = strtoul(at, &end, 10);

		if (end == at || !pid || pid > UINT32_MAX || (*end && *end != ',') || *at < '0' || *at > '9')
			return tw_error__set(error, -EINVAL, "--pid '%s' is not a list of task ids, such as 4711,4712",
					     list);
		if (to->n_pids == TW_PACKETS_PIDS_MAX)
			return tw_error__set(error, -E2BIG, "at most %d tasks can be given with --pid for packets",
					     TW_PACKETS_PIDS_MAX);
		to->pids[to->n_pids++] = (uint32_t)pid;
	}
	return 0;
}

/* The packets that the options select. */
static int select_packets(const struct latency_config *config, struct tw_packets_selection *ret, struct tw_error *error)
{
	int err = 0;

	*ret = config->packets;
	for (size_t i = 0; i < config->run.tracing.pids.n && !err; i++)
		err = add_pids(config->run.tracing.pids.items[i], ret, error);
	return err;
}

static int open_pairs(struct run *run, struct tw_error *error)
{
	const struct latency_config *config = run->config;
	struct tw_kernel_pairs_options options = {
		.pairs = run->task->pairs,
		.n_pairs = run->task->n_pairs,
		.by = config->by_list,
		.n_by = config->n_by,
		.linear = config->linear,
		.memory = config->memory ? config->memory : TW_KERNEL_PAIRS_MEMORY,
		.filter = config->run.filter,
		.include_self = config->run.show_self,
	};
	int err = tw_tracing_dir__find(&options.tracing_dir, error);

	if (!err)
		err = select_packets(config, &options.packets, error);
	return err ? err : tw_kernel_pairs__new(&options, &run->kernel, error);
}

static void tell(const struct run *run)
{
	const struct tw_kernel_pairs_size size = tw_kernel_pairs__size(run->kernel);

	if (run->config->run.quiet)
		return;
	for (size_t i = 0; i < run->task->n_pairs; i++) {
		const char *note = tw_kernel_pairs__note(run->kernel, i);

		if (note && !tw_kernel_pairs__measures(run->kernel, i))
			note__say("%s; so it is left out", note);
		else if (note)
			note__say("%s; so it is measured without groups, which it has without --in-kernel", note);
	}
	if (run->config->run.filter)
		filter_option__note(run->config->run.filter, tw_kernel_pairs__filter_note(run->kernel));
	for (size_t i = 0; i < run->task->n_pairs; i++) {
		const char *hook = tw_kernel_pairs__hook(run->kernel, i);

		if (hook)
			say(stderr, "%s: measured at %s\n", run->task->pairs[i]->name, hook);
	}
	if (run->config->run.verbose)
		fprintf(stderr, "in the kernel: %zu programs of %zu instructions, %zu KiB of maps\n", size.programs,
			size.instructions, size.memory / 1024);
	fputs("measuring", stderr);
	for (size_t i = 0, n = 0; i < run->task->n_pairs; i++)
		if (tw_kernel_pairs__measures(run->kernel, i))
			say(stderr, "%s %s", n++ ? "," : "", run->task->pairs[i]->name);
	fputs(" in the kernel; Ctrl-C ends it\n", stderr);
}

/* Prints the figures since the last print. */
static int print(struct run *run, struct tw_error *error)
{
	static const struct tw_latency_slowest no_slowest;
	static const struct tw_latency_stacks no_stacks;
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC);
	const struct latency_subject subject = {
		.name = "live",
		.end = run->config->interval ? tw_time__now(CLOCK_REALTIME) : 0,
		.ns = now - run->began,
		.qdiscs = &run->task->qdiscs,
	};
	struct tw_pair_figures *figures;
	const int err = tw_kernel_pairs__take(run->kernel, &figures, error);

	if (err)
		return err;
	run->result.n_pairs = 0;
	for (size_t i = 0; i < run->task->n_pairs; i++)
		if (tw_kernel_pairs__measures(run->kernel, i))
			run->measured[run->result.n_pairs++] =
				(struct tw_latency_measured){ figures[i], &no_slowest, &no_stacks, false };
	run->result.names = tw_kernel_pairs__names(run->kernel);
	latency__print(run->config, &subject, &run->result);
	standard_files__flush();
	run->began = now;
	run->printed++;
	return 0;
}

/* Prints the result of an interval that has ended. Return: 0; 1 if the run ends, whose last result is printed later; -errno */
static int tick(struct run *run, struct tw_error *error)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC);
	int err;

	if (standard_files__has_no_output())
		return 1;
	if (!run->config->interval || now < run->next)
		return 0;
	if (run->config->intervals && run->printed + 1 >= run->config->intervals)
		return 1;
	err = print(run, error);
	while (run->next <= now)
		run->next += run->config->interval;
	return err;
}

/* Return: milliseconds until queued text is written, or until the end of the interval if that is earlier */
static int patience(const struct run *run)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC);
	uint64_t wait = PUSH_MS * TW_NS_PER_MS;

	if (run->config->interval)
		wait = run->next <= now ? 0 : tw_time__earlier(wait, run->next - now);
	return (int)((wait + TW_NS_PER_MS - 1) / TW_NS_PER_MS);
}

/* Waits for the end of the command or a request to stop. Return: 0 or -errno */
static int watch(struct run *run, struct tw_error *error)
{
	struct pollfd fds[] = {
		{ .fd = stop__fd(), .events = POLLIN },
		{ .fd = traced_command__fd(&run->command), .events = POLLIN },
	};
	int done = 0;

	while (!done) {
		if (poll(fds, 2, patience(run)) < 0 && errno != EINTR)
			return tw_error__set(error, -errno, "cannot wait for the end of the run: %s", strerror(errno));
		run->command.ended = fds[1].revents != 0;
		if (run->command.ended || fds[0].revents)
			return 0;
		tw_kernel_pairs__follow(run->kernel);
		done = tick(run, error);
		service__alive(tw_time__now(CLOCK_MONOTONIC));
		standard_files__push();
	}
	return done < 0 ? done : 0;
}

static void tell_losses(const struct run *run)
{
	const uint64_t missed = tw_kernel_pairs__missed(run->kernel);

	if (run->config->run.quiet)
		return;
	for (size_t i = 0; i < run->result.n_pairs; i++)
		latency__tell_missing(&run->measured[i].figures, "this kernel");
	if (missed == TW_MISSED_UNKNOWN)
		fputs("it is unknown whether the kernel skipped events while it ran a BPF program on their CPU\n",
		      stderr);
	else if (missed)
		say__count(
			stderr, missed,
			"{event was|events were} not measured, because the kernel already ran a BPF program on their CPU\n");
}

/* Loads the programs, and forks the command. Return: exit status */
static int open_run(struct run *run, struct tw_error *error)
{
	int err = stop__catch(error);

	if (!err)
		err = open_pairs(run, error);
	if (err == -EOPNOTSUPP || err == -E2BIG || err == -EINVAL)
		return CLI_EXIT_USAGE;
	if (!err && run->task->command[0]) {
		err = tw_command__new(run->task->command, NULL, &run->command.process, error);
		if (err)
			return traced_command__not_run(err);
	}
	stop__opened();
	return cli_exit__of(err);
}

/* Measures until the end of the run. Return: exit status */
static int measure(struct run *run, struct tw_error *error)
{
	int err = tw_kernel_pairs__start(run->kernel, error);

	if (err)
		return cli_exit__of(err);
	err = run->command.process ? tw_command__run(run->command.process, error) : 0;
	if (err)
		return traced_command__not_run(err);
	run->began = tw_time__now(CLOCK_MONOTONIC);
	run->next = run->began + run->config->interval;
	tell(run);
	service__ready("measuring");
	err = watch(run, error);
	service__stopping();
	traced_command__let_end(&run->command, NULL);
	stop__ending();
	tw_kernel_pairs__stop(run->kernel);
	if (!err)
		err = print(run, error);
	if (!err)
		err = latency_files__write(run->files, &run->result, error);
	if (err)
		return cli_exit__of(err);
	tell_losses(run);
	return traced_command__exit_status(&run->command);
}

int latency__in_kernel(const struct latency_config *config, const struct latency_task *task,
		       struct latency_files *files, struct tw_error *error)
{
	struct run run = { .config = config, .task = task, .files = files };
	int status;

	run.measured = calloc(task->n_pairs, sizeof(*run.measured));
	if (!run.measured)
		return cli_exit__of(tw_error__set(error, -ENOMEM, "no memory for %zu pairs", task->n_pairs));
	run.result = (struct tw_latency_result){ .pairs = run.measured, .n_pairs = task->n_pairs };
	status = open_run(&run, error);
	if (!status)
		status = measure(&run, error);
	stop__ending(); /* repeated for a run that failed to start */
	tw_command__free(run.command.process);
	tw_kernel_pairs__free(run.kernel);
	free(run.measured);
	return status;
}
