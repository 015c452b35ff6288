/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire latency`: histograms of the times between events, live or from a capture. */
#include "cli/latency/latency.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/command.h"
#include "cli/filter_option.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/standard_files.h"

#define LINEAR_MAX   1000000000000u /* ns */
#define COUNT_MAX    1000000000
#define INTERVAL_MIN (100 * TW_NS_PER_MS) /* the interval at which a live run looks at the time */

void latency__discard(void *data)
{
	struct latency_config *config = data;

	free(config->by_names);
	run_config__fini(config);
}

static int list_pairs(struct tw_error *error)
{
	struct tw_pair_table *table;
	const int err = latency__load_pairs(&table, error);

	if (err)
		return err;
	for (size_t i = 0; i < tw_pair_table__count(table); i++) {
		const struct tw_pair *pair = tw_pair_table__at(table, i);

		say(stdout, "%-16s %s\n", pair->name, pair->text);
	}
	tw_pair_table__free(table);
	return 0;
}

struct tw_latency_options latency__options(const struct latency_config *config, const struct latency_task *task)
{
	return (struct tw_latency_options){
		.pairs = task->pairs,
		.n_pairs = task->n_pairs,
		.by = config->by_list,
		.n_by = config->n_by,
		.linear = config->linear,
		.top = config->top,
		.counts_types = config->counts_types,
		.stacks = config->stacks,
		.memory = config->memory ? config->memory : TW_LATENCY_MEMORY,
		.filter = config->run.filter,
	};
}

void latency__tell_missing(const struct tw_pair_figures *figures, const char *name)
{
	static const char *const verbs[] = { [TW_PAIR_END] = "ends",
					     [TW_PAIR_CANCEL] = "cancels",
					     [TW_PAIR_BEGIN] = "begins",
					     [TW_PAIR_VALUE] = "has values of" };

	for (size_t i = 0; i < figures->pair->n_events; i++) {
		const struct tw_pair_event *event = &figures->pair->events[i];

		if (figures->is_missing[i])
			note__say("%s has no event %s%s%s, which %s pair %s", name, event->system ? event->system : "",
				  event->system ? ":" : "", event->event, verbs[event->role], figures->pair->name);
	}
}

void latency__add_outcome(const struct tw_latency_result *result, struct outcome *outcome)
{
	outcome__add_read(outcome, &result->read, &result->filtered);
	outcome->place[OUTCOME_NO_FORMAT] = result->unknown;
}

/* Prints to standard error which events the capture lacks. @file: the argument; @name: its name in messages */
static void tell_losses(const char *file, const char *name, const struct tw_latency_result *result)
{
	struct outcome outcome = { .reads = true, .file = file };

	for (size_t i = 0; i < result->n_pairs; i++)
		latency__tell_missing(&result->pairs[i].figures, name);
	latency__add_outcome(result, &outcome);
	outcome__print(&outcome, stderr);
}

/* A capture that is read. */
struct reading {
	const struct latency_config *config;
	const char *name;
	uint64_t printed; /* number of printed intervals */
};

static void print_interval(void *ctx, const struct tw_latency_result *result, uint64_t end)
{
	struct reading *reading = ctx;
	const struct latency_subject subject = { .name = reading->name, .end = end };

	if (!reading->config->intervals || reading->printed++ < reading->config->intervals)
		latency__print(reading->config, &subject, result);
}

/* Writes the files of --stacks and --svg. Return: @err if it is not 0, otherwise the failure of writing */
static int write_files(struct latency_files *files, const struct tw_latency_result *result, int err,
		       struct tw_error *error)
{
	struct tw_error ignored;
	const int later = latency_files__write(files, result, err ? &ignored : error);

	return err ? err : later;
}

/* Reads the capture. Return: 0, or -errno; after -EBADMSG, the events before the damage were measured */
static int read_capture(const struct latency_config *config, const struct latency_task *task,
			struct latency_files *files, struct tw_error *error)
{
	struct reading reading = { .config = config, .name = task->file };
	struct tw_latency_options options = latency__options(config, task);
	struct tw_latency *latency = NULL;
	struct progress progress;
	const int fd = standard_files__open(&reading.name, error);
	int err;

	if (fd < 0)
		return fd;
	options.interval = config->interval;
	options.interval_ended = print_interval;
	options.ctx = &reading;
	err = tw_latency__new(&options, &latency, error);
	progress__begin(&progress, "reading", reading.name, config->run.quiet || !isatty(STDERR_FILENO));
	progress__watch(&progress, fd);
	if (!err)
		err = tw_latency__read(latency, fd, reading.name, error);
	progress__end(&progress);
	if (!err || err == -EBADMSG) {
		const struct tw_latency_result *result = tw_latency__result(latency);

		print_interval(&reading, result, result->interval_end);
		standard_files__flush();
		err = write_files(files, result, err, error);
		filter_option__warn(&result->undecided);
		if (!config->run.quiet)
			tell_losses(task->file, reading.name, result);
	}
	tw_latency__free(latency);
	if (fd > STDIN_FILENO)
		close(fd);
	return err;
}

static int measure(const struct latency_config *config, const struct latency_task *task, struct latency_files *files,
		   struct tw_error *error)
{
	int err;

	if (config->in_kernel)
		return latency__in_kernel(config, task, files, error);
	if (!task->file)
		return latency__live(config, task, files, error);
	err = read_capture(config, task, files, error);
	return err == -E2BIG || err == -ENODATA ? CLI_EXIT_USAGE : cli_exit__of(err);
}

int latency__measure(const struct latency_config *config, const struct latency_task *task, struct tw_error *error)
{
	struct latency_files files;
	int status = cli_exit__of_opening(latency_files__open(&files, config, task->file, error));

	if (!status)
		status = measure(config, task, &files, error);
	latency_files__close(&files);
	return status;
}

static int latency(void *data, int n_args, char **args, struct tw_error *error)
{
	struct latency_config *config = data;
	struct latency_task task = { .table = NULL };
	int err, status;

	(void)n_args;
	if (config->list)
		return cli_exit__of(list_pairs(error));
	err = latency__understand(config, args, &task, error);
	if (!err)
		err = latency__find_qdiscs(config, &task, error);
	if (err)
		status = err == -E2BIG ? CLI_EXIT_USAGE : cli_exit__of(err);
	else
		status = latency__measure(config, &task, error);
	latency__forget(&task);
	return status;
}

int latency__apply_interval(void *target, const char *value, struct tw_error *error)
{
	uint64_t *interval = target;

	if (cli_seconds__parse(value, interval))
		return tw_error__set(error, -EINVAL, "--interval '%s' is not a number of seconds, such as 1 or 0.5",
				     value);
	if (*interval < INTERVAL_MIN)
		return tw_error__set(error, -EINVAL, "--interval '%s' is less than 0.1 s", value);
	return 0;
}

int latency__apply_count(void *target, const char *value, struct tw_error *error)
{
	static const struct tw_number_rule rule = { .min = 1, .max = COUNT_MAX };

	return cli_number__parse("count", value, &rule, target, error);
}

int latency__apply_linear(void *target, const char *value, struct tw_error *error)
{
	static const struct tw_number_rule rule = { .min = 1, .max = LINEAR_MAX };

	return cli_number__parse("linear", value, &rule, target, error);
}

static int apply_memory(void *target, const char *value, struct tw_error *error)
{
	static const struct tw_number_rule rule = { .min = 1, .unit = 1 };

	return cli_number__parse("memory", value, &rule, target, error);
}

static const struct cli_option result_options[] = {
	{ 0, "svg", "FILE", CLI_ARG_FILE,
	  "At the end, write a picture of the histograms to FILE. If FILE is -, standard output gets only the picture",
	  .offset = offsetof(struct latency_config, svg) },
	{ 'i', "interval", "SECONDS", CLI_ARG_TEXT,
	  "Print the histograms of each interval of this length, at least 0.1, instead of one result at the end",
	  .offset = offsetof(struct latency_config, interval), .apply = latency__apply_interval },
	{ 'c', "count", "N", CLI_ARG_NUMBER, "End after N intervals",
	  .offset = offsetof(struct latency_config, intervals), .apply = latency__apply_count },
	{ 'j', "json", NULL, CLI_ARG_NONE, "Write one JSON object for each result",
	  .offset = offsetof(struct latency_config, as_json) },
	{ 0 },
};

const struct cli_option_group latency__result_group = { "Result", result_options };

static const struct cli_option options[] = {
	{ 0, "list", NULL, CLI_ARG_NONE, "List the pairs, and what the time of each pair means",
	  .offset = offsetof(struct latency_config, list) },
	{ 0, "from", "EVENT", CLI_ARG_EVENT, "Measure from this event, instead of a pair of the table",
	  .offset = offsetof(struct latency_config, from), .once = "a pair with several events is defined in a file" },
	{ 0, "to", "EVENT", CLI_ARG_EVENT, "Measure to this event", .offset = offsetof(struct latency_config, to),
	  .once = "a pair with several events is defined in a file" },
	{ 0, "key", "FIELD[=FIELD]", CLI_ARG_TEXT,
	  "The two events of a pair have the same value of this field, or of cpu, pid or comm. If the field has another name "
	  "in the event of --to, add = and that name. Separate several by commas",
	  .offset = offsetof(struct latency_config, key), .once = "separate several keys by commas" },
	{ 'f', "filter", "EXPR", CLI_ARG_FILTER,
	  "Ignore events that do not match this expression, for example 'common_pid == 4711'; tracewire-filter(7) describes "
	  "the language",
	  .offset = offsetof(struct run_config, filter), .apply = filter_option__parse },
	{ 0, "by", "FIELD", CLI_ARG_TEXT,
	  "Also show figures for each value of this field, or of cpu, pid or comm; separate several by commas (default: "
	  "depends on the pair)",
	  .offset = offsetof(struct latency_config, by), .once = "separate several fields by commas" },
	{ 0, "qdisc", "KIND", CLI_ARG_TEXT,
	  "With the pair qdisc: measure only packets in queueing disciplines of this kind, for example fq; refused if none is in use",
	  .offset = offsetof(struct latency_config, qdisc), .once = "a run measures one kind" },
	{ 0, "linear", "NS", CLI_ARG_NUMBER,
	  "Use buckets of this width, in ns or in the unit of values, instead of powers of two",
	  .offset = offsetof(struct latency_config, linear), .apply = latency__apply_linear },
	{ 0, "memory", "BYTES", CLI_ARG_SIZE,
	  "Largest memory for events that wait for the end of their pair, and for groups (default 256M; 32M with --in-kernel). "
	  "All pairs have equal parts of it. If a part is full, old events, or with --in-kernel new ones, are forgotten and "
	  "counted, and the times of further groups are shown together",
	  .offset = offsetof(struct latency_config, memory), .apply = apply_memory },
	{ 0, "top", "N", CLI_ARG_NUMBER, "Also show the N longest times of each pair, at most 1000, with both events",
	  .offset = offsetof(struct latency_config, top) },
	{ 0, "stacks", "FILE", CLI_ARG_FILE,
	  "At the end, write the kernel stacks at the beginnings of the pairs to FILE, each with the sum of its times in ns, as "
	  "flamegraph.pl reads them. A capture must be recorded with --stacks",
	  .offset = offsetof(struct latency_config, stacks) },
	{ 0, "in-kernel", NULL, CLI_ARG_NONE,
	  "Measure a live run with BPF programs in the kernel, so that no event leaves it; only for keys, conditions and groups "
	  "that are numbers",
	  .offset = offsetof(struct latency_config, in_kernel) },
	{ 0, "show-self", NULL, CLI_ARG_NONE,
	  "With --in-kernel: also measure the system calls of Tracewire itself. Otherwise: also measure the wake-ups and "
	  "switches of its threads in pairs with values; pairs with times always include them",
	  .offset = offsetof(struct run_config, show_self) },
	{ 0 },
};

static const struct cli_option packet_options[] = {
	{ 0, "dev", "INTERFACE", CLI_ARG_INTERFACE, "Only packets of this interface",
	  .offset = offsetof(struct latency_config, packets.dev), .once = "--by dev divides the figures" },
	{ 0, "netns", "NETNS", CLI_ARG_TEXT,
	  "Only packets of this network namespace: a name that ip-netns(8) shows, or a path such as /proc/4711/ns/net",
	  .offset = offsetof(struct latency_config, packets.netns), .once = "--by netns divides the figures" },
	{ 0, "cgroup", "PATH", CLI_ARG_TEXT,
	  "Only reads by tasks in this cgroup itself: a path below the mount point of cgroup2, such as 'system.slice/ssh.service'",
	  .offset = offsetof(struct latency_config, packets.cgroup), .once = "--by cgroup divides the figures" },
	{ 0, "nonempty-queue", NULL, CLI_ARG_NONE, "Only reads after which the socket has further packets",
	  .offset = offsetof(struct latency_config, packets.nonempty_queue) },
	{ 0, "blocked-reads", NULL, CLI_ARG_NONE,
	  "Also reads of TCP data that waited for an earlier segment; otherwise, these are only counted",
	  .offset = offsetof(struct latency_config, packets.blocked_reads) },
	{ 0 },
};

static const struct cli_option_group packet_group = { "Packets (ping, ecn, rxstack, qdisc-leaf)", packet_options };

static const struct cli_option_group group = { "Pairs", options };
static const struct cli_option_group *const groups[] = {
	&group, &packet_group, &latency__result_group, &run_task_group, &run_source_group, &run_status_group, NULL
};

static const struct cli_example examples[] = {
	{ "Show how long runnable tasks wait for a CPU, until Ctrl-C", "sudo tracewire latency runqlat" },
	{ "Show it each second, five times", "sudo tracewire latency -i 1 -c 5 runqlat" },
	{ "Show which system calls of a command take the most time", "sudo tracewire latency -F syscalls -- ls" },
	{ "Measure all system calls at little cost", "sudo tracewire latency --in-kernel syscalls" },
	{ "Do the same for a recording", "tracewire latency syscalls x.pcapng" },
	{ "Measure from one event to another with the same value of a field",
	  "sudo tracewire latency --from sys_enter --to sys_exit --key common_pid" },
	{ NULL, NULL },
};

const struct cli_command cli_command_latency = {
	.name = "latency",
	.summary = "Show histograms of the times between events",
	.arguments = "[PAIR...] [FILE] [-- COMMAND [ARGUMENT]...]",
	.arg_kind = CLI_ARG_PAIR,
	.args_max = -1,
	.has_program = true,
	.description =
		"Finds pairs of events that belong together, such as the entry and the exit of a system call, and shows how the "
		"times between them are distributed. PAIR is a pair of the table of pairs, which --list shows; --from, --to and "
		"--key define another pair. The common beginning of several names selects them all: `gso` stands for gso-queued, gso-sent "
		"and others. Without FILE, the events of this kernel are measured until Ctrl-C, or until COMMAND "
		"ends. FILE is a pcapng or pcap file with Tracewire's frames; - is standard input.\n\n"
		"A row (2, 4] of a histogram has the times above 2 and up to 4. A quantile is the upper bound of a bucket, or the "
		"maximum if that is smaller. A bucket is at most 3.2 % or one unit of the pair wide; with --linear, it has the given "
		"width. Each beginning or end that is not in the histogram is counted below it: for example, a beginning without an "
		"end. If events were lost between the two events of a pair, the time may be wrong: such pairs are counted and left "
		"out.",
	.details =
		"The files /etc/tracewire/pairs and ~/.config/tracewire/pairs define further pairs, for example:\n\n"
		"pair wait\n\n"
		"text  time that a task waits for a CPU\n\n"
		"begin sched:sched_waking pid if prio < 100\n\n"
		"end   sched:sched_switch next_pid\n\n"
		"A line `begin`, `end` or `cancel` has an event, its keys, and a condition, which tracewire-filter(7) describes. "
		"`cancel` names an event after which the end does not come, or has another meaning. `again first` or `again "
		"last` says which event counts if several begin with equal keys. `by` names the fields by which the figures "
		"are divided. `unit` is ns, us or ms. A pair replaces an earlier one of the same name.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct latency_config),
	.run = latency,
	.discard = latency__discard,
};
