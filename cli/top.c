/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire top`: rates and times of tasks, CPUs, interrupts, system calls or events, on one screen. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/time.h"
#include "cli/command.h"
#include "cli/filter_option.h"
#include "cli/latency/latency.h"
#include "cli/messages.h"
#include "cli/terminal.h"

#define ROWS_MAX 20                                       /* rows if the height of the terminal is unknown */
#define HEAD     3                                        /* lines above the rows */
#define EVENTS   "sched,irq,timer,net,block,raw_syscalls" /* counted by default with --by event */

struct top_config {
	struct latency_config latency; /* must be first: the options store into it */
	const char *by;
	const struct kind *kind;
};

/* What can be shown: the arguments of --by. */
static const struct kind {
	const char *name;
	const char *pairs; /* text of the table; NULL = all events are counted by their type */
} kinds[] = {
	{ "task", "pair task\nbegin sched:sched_switch next_pid if next_pid != 0\nend sched:sched_switch prev_pid\n"
		  "by next_comm,next_pid\n" },
	{ "cpu", "pair cpu\nbegin sched:sched_switch cpu if next_pid != 0\nend sched:sched_switch cpu\nby cpu\n" },
	{ "irq", "pair interrupt\nbegin irq:irq_handler_entry cpu,irq\nend irq:irq_handler_exit cpu,irq\nby name,irq\n"
		 "pair softirq\nbegin irq:softirq_entry cpu,vec\nend irq:softirq_exit cpu,vec\nby vec\n" },
	{ "syscall", "pair syscall\nbegin raw_syscalls:sys_enter common_pid\nend raw_syscalls:sys_exit common_pid\n"
		     "cancel sched:sched_process_exit common_pid\nby id\n" },
	{ "event", NULL },
};

static int find_kind(const char *name, const struct kind **ret, struct tw_error *error)
{
	struct tw_nearest nearest;

	tw_nearest__init(&nearest, name);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		tw_nearest__offer(&nearest, kinds[i].name);
		if (!strcmp(kinds[i].name, name)) {
			*ret = &kinds[i];
			return 0;
		}
	}
	return tw_error__set(error, -EINVAL, "--by '%s' is none of task, cpu, irq, syscall and event%s%s%s", name,
			     nearest.best ? "; did you mean " : "", nearest.best ? nearest.best : "",
			     nearest.best ? "?" : "");
}

/* Return: the number of rows of each of @n tables that fit on the screen */
static size_t count_rows(size_t n)
{
	const unsigned int rows = terminal__rows(STDOUT_FILENO);

	return rows < n * (HEAD + 2) ? ROWS_MAX : rows / n - HEAD - 1;
}

static void print_row(const struct tw_pair_figures *pair, const struct tw_pair_group *group,
		      const struct tw_pair_names *names, double seconds)
{
	const struct tw_histogram *h = &group->histogram;
	const double ns = (double)h->sum;

	if (!pair->is_named)
		printf("%7.1f %10.3f ", ns / TW_NS_PER_SECOND / seconds * 100, ns / TW_NS_PER_MS);
	printf("%10.0f  ", (double)h->n / seconds);
	for (size_t i = 0; i < pair->n_by + pair->is_named; i++)
		say(stdout, "%s%s", i ? "  " : "", tw_pair_names__text(names, group->names[i]));
	puts("");
}

static void print_table(const struct tw_pair_figures *pair, const struct tw_pair_names *names, size_t rows,
			double seconds)
{
	if (!pair->is_named)
		printf("%7s %10s ", "time %", "time ms");
	printf("%10s  %s\n", "count/s", pair->pair->name);
	for (size_t i = 0; i < pair->n_groups && i < rows; i++)
		print_row(pair, pair->groups[i], names, seconds);
}

static void print_head(const struct tw_latency_result *result, const char *by, double seconds)
{
	const time_t now = time(NULL);
	uint64_t n = 0;
	struct tm local;
	char text[16] = "?";

	for (size_t i = 0; i < result->n_pairs; i++)
		n += result->pairs[i].figures.all.n;
	if (localtime_r(&now, &local))
		strftime(text, sizeof(text), "%H:%M:%S", &local);
	printf("%s by %s, %.1f s, total count/s %.0f\n\n", text, by, seconds, (double)n / seconds);
}

static void print(const struct latency_config *config, const struct latency_subject *subject,
		  struct tw_latency *latency)
{
	const struct top_config *top = (const struct top_config *)config;
	const double seconds = (double)subject->ns / TW_NS_PER_SECOND;
	const struct tw_latency_result *result;

	tw_latency__pass(latency); /* if it has no memory, some times are missing */
	result = tw_latency__result(latency);
	if (config->as_json) {
		latency__print(config, subject, result);
		return;
	}
	if (terminal__has_control(STDOUT_FILENO))
		fputs("\033[H\033[J", stdout); /* the cursor to the top left, and clear the screen */
	print_head(result, top->kind->name, seconds);
	for (size_t i = 0; i < result->n_pairs; i++) {
		print_table(&result->pairs[i].figures, result->names, count_rows(result->n_pairs), seconds);
		puts("");
	}
}

/* Makes the table of pairs that are measured. */
static int understand(const struct top_config *top, struct latency_task *ret, struct tw_error *error)
{
	const char *text = top->kind->pairs ? top->kind->pairs : "pair event\nvalue any cpu\n";
	int err;

	ret->table = tw_pair_table__new();
	err = ret->table ? tw_pair_table__parse(ret->table, text, strlen(text), NULL, error)
			 : tw_error__set(error, -ENOMEM, "no memory for the table");
	if (err)
		return err;
	ret->pairs = calloc(tw_pair_table__count(ret->table), sizeof(struct tw_pair *));
	if (!ret->pairs)
		return tw_error__set(error, -ENOMEM, "no memory for the table");
	for (; ret->n_pairs < tw_pair_table__count(ret->table); ret->n_pairs++)
		ret->pairs[ret->n_pairs] = tw_pair_table__at(ret->table, ret->n_pairs);
	return 0;
}

/* Checks the options, and sets defaults. */
static int prepare(struct top_config *top, struct tw_error *error)
{
	struct latency_config *config = &top->latency;
	int err = find_kind(top->by ? top->by : "task", &top->kind, error);

	if (err)
		return err;
	config->counts_types = !top->kind->pairs;
	if (config->run.selection.n && top->kind->pairs)
		return tw_error__set(error, -EINVAL,
				     "--event is for --by event: --by %s traces the events that it needs",
				     top->kind->name);
	if (config->run.show_self && top->kind->pairs)
		return tw_error__set(error, -EINVAL,
				     "--show-self is for --by event: --by %s always includes Tracewire's own threads",
				     top->kind->name);
	if (!config->run.selection.n && config->counts_types)
		err = cli_selection__add(&config->run.selection, EVENTS, error);
	if (!config->interval)
		config->interval = TW_NS_PER_SECOND;
	config->print = print;
	config->run.quiet |= terminal__has_control(STDOUT_FILENO); /* the screen shows what is measured */
	return err;
}

static int run(void *data, int n_args, char **args, struct tw_error *error)
{
	struct top_config *top = data;
	struct latency_task task = { .table = NULL };
	int err = prepare(top, error), status;

	(void)n_args;
	if (!err && latency__split(args, &task))
		err = tw_error__set(error, -EINVAL, "unexpected argument '%s'; a command follows after --", args[0]);
	if (!err)
		err = understand(top, &task, error);
	if (!err)
		err = latency__check_task(&top->latency, &task, error);
	status = err ? cli_exit__of(err) : latency__live(&top->latency, &task, NULL, error);
	latency__forget(&task);
	return status;
}

static const struct cli_option options[] = {
	{ 0, "by", "WHAT", CLI_ARG_TEXT,
	  "Show task (time on a CPU; default), cpu (time busy), irq (time in handlers of interrupts and softirqs), syscall "
	  "(time in system calls), or event (number of events)",
	  .offset = offsetof(struct top_config, by), .once = "a screen shows one of them" },
	{ 'e', "event", "EVENT", CLI_ARG_EVENT,
	  "With --by event: count these events (default: " EVENTS "). May be given many times",
	  .apply = cli_selection__add },
	{ 0, "show-self", NULL, CLI_ARG_NONE,
	  "With --by event: also count the wake-ups and switches of Tracewire's own threads",
	  .offset = offsetof(struct run_config, show_self) },
	{ 'f', "filter", "EXPR", CLI_ARG_FILTER,
	  "Ignore events that do not match this expression; tracewire-filter(7) describes the language",
	  .offset = offsetof(struct run_config, filter), .apply = filter_option__parse },
	{ 'i', "interval", "SECONDS", CLI_ARG_TEXT, "Time between two screens, at least 0.1 (default 1)",
	  .offset = offsetof(struct latency_config, interval), .apply = latency__apply_interval },
	{ 'c', "count", "N", CLI_ARG_NUMBER, "End after N screens",
	  .offset = offsetof(struct latency_config, intervals), .apply = latency__apply_count },
	{ 'j', "json", NULL, CLI_ARG_NONE, "Write one JSON object for each screen, as `latency` does",
	  .offset = offsetof(struct latency_config, as_json) },
	{ 0 },
};

static const struct cli_option_group group = { "Screen", options };
static const struct cli_option_group *const groups[] = { &group, &run_task_group, &run_source_group, &run_status_group,
							 NULL };

static const struct cli_example examples[] = {
	{ "Show which tasks run, until Ctrl-C", "sudo tracewire top" },
	{ "Show the system calls of a command that take the most time", "sudo tracewire top --by syscall -F -- make" },
	{ "Count network events, five times, ten seconds each", "sudo tracewire top --by event -e net,skb -i 10 -c 5" },
	{ NULL, NULL },
};

const struct cli_command cli_command_top = {
	.name = "top",
	.summary = "Show what takes the most time, live",
	.arguments = "[-- COMMAND [ARGUMENT]...]",
	.arg_kind = CLI_ARG_COMMAND,
	.args_max = -1,
	.has_program = true,
	.description =
		"Traces the events of this kernel, and shows each second which tasks, CPUs, interrupts or system calls took the "
		"most time, or which events are the most frequent, until Ctrl-C, or until COMMAND ends. On a terminal, each "
		"screen replaces the previous one. `time %` is the share of one CPU. If something lasts longer than an interval, "
		"each interval has its part of the time, and only the interval in which it ends counts it.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct top_config),
	.run = run,
	.discard = latency__discard,
};
