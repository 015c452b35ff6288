/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds out what the arguments of `latency` name: pairs, a capture, a command. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/key_option.h"
#include "cli/latency/latency.h"
#include "cli/messages.h"

#define OWN_NAME "command-line" /* the pair of --from, --to and --key */

/* Splits --by. */
static int split_by(struct latency_config *config, struct tw_error *error)
{
	char *at;

	if (!config->by)
		return 0;
	at = config->by_names = strdup(config->by);
	while (at) {
		char *comma = strchr(at, ',');

		if (config->n_by == TW_PAIR_KEYS_MAX)
			return tw_error__set(error, -EINVAL, "--by '%s' has more than %d fields", config->by,
					     TW_PAIR_KEYS_MAX);
		if (comma)
			*comma = '\0';
		config->by_list[config->n_by++] = at;
		at = comma ? comma + 1 : NULL;
	}
	return config->by_names ? 0 : tw_error__set(error, -ENOMEM, "no memory for --by");
}

/* Adds the pair of --from, --to and --key to the table. Its text is parsed as those in files are. */
static int add_own(const struct latency_config *config, struct tw_pair_table *table, struct tw_error *error)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int err;

	if (!out)
		return tw_error__set(error, -ENOMEM, "no memory for the pair of --from and --to");
	fprintf(out, "pair " OWN_NAME "\ntext from %s to %s\nbegin %s ", config->from, config->to, config->from);
	key_option__put(out, config->key ? config->key : "", false);
	fprintf(out, "\nend %s ", config->to);
	key_option__put(out, config->key ? config->key : "", true);
	err = fclose(out) ? tw_error__set(error, -ENOMEM, "no memory for the pair of --from and --to")
			  : tw_pair_table__parse(table, text, len, NULL, error);
	free(text);
	return err;
}

static bool all_of_packets(const struct latency_task *task)
{
	for (size_t i = 0; i < task->n_pairs; i++)
		if (!tw_packets__has(task->pairs[i]))
			return false;
	return true;
}

/* Return: a given option of live runs; if @in_kernel is not NULL, only one that --in-kernel does not permit. NULL = none was given */
static const char *live_option(const struct latency_config *config, const struct latency_task *in_kernel)
{
	const struct run_config *run = &config->run;
	const struct {
		const char *name;
		bool is_given, in_kernel; /* @in_kernel: permitted with --in-kernel */
	} options[] = {
		{ "follow", run->follow, false },
		{ "pid", run->tracing.pids.n, in_kernel && all_of_packets(in_kernel) },
		{ "cpus", run->tracing.cpus, false },
		{ "buffer-size", run->buffer_kib, false },
		{ "subbuf-size", run->subbuf_kib, false },
		{ "threads", run->threads, false },
		{ "clock", run->clock, true },
		{ "show-self", run->show_self, true },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].is_given && !(in_kernel && options[i].in_kernel))
			return options[i].name;
	return NULL;
}

static int check_event(const char *option, const char *event, struct tw_error *error)
{
	if (*event && !strpbrk(event, " \t\n"))
		return 0;
	return tw_error__set(error, -EINVAL, "--%s '%s' is not the name of an event, such as sched_waking", option,
			     event);
}

/* Checks the options that define a pair. */
static int check_own(const struct latency_config *config, struct tw_error *error)
{
	int err;

	if (config->key && !config->from && !config->to)
		return tw_error__set(error, -EINVAL,
				     "--key needs --from and --to: give the events that begin and end the pair");
	if (!config->from && !config->to)
		return 0;
	if (!config->to)
		return tw_error__set(error, -EINVAL, "--from needs --to: give the event that ends the pair");
	if (!config->from)
		return tw_error__set(error, -EINVAL, "--to needs --from: give the event that begins the pair");
	err = check_event("from", config->from, error);
	if (!err)
		err = check_event("to", config->to, error);
	return err || !config->key ? err : key_option__check(config->key, error);
}

int latency__check(struct latency_config *config, struct tw_error *error)
{
	const int err = check_own(config, error);

	if (err)
		return err;
	if (config->top > TW_LATENCY_TOP_MAX)
		return tw_error__set(error, -EINVAL, "--top %llu is more than %d", (unsigned long long)config->top,
				     TW_LATENCY_TOP_MAX);
	if (config->intervals && !config->interval)
		return tw_error__set(error, -EINVAL,
				     "--count is a number of intervals: give their length with --interval");
	return split_by(config, error);
}

size_t latency__split(char **args, struct latency_task *ret)
{
	size_t n = 0;

	while (args[n] && strcmp(args[n], "--") != 0)
		n++;
	ret->command = args + n + (args[n] != NULL);
	return n;
}

size_t latency__take_file(char **args, size_t n, struct latency_task *ret)
{
	if (!n || (strcmp(args[n - 1], "-") && !strchr(args[n - 1], '/') && access(args[n - 1], F_OK)))
		return n;
	ret->file = args[n - 1];
	return n - 1;
}

/*
 * Takes the last of @n words as the capture, as latency__take_file(), unless it is the name of a pair. A word with a dot is taken even if
 * there is no such file. Return: number of words left
 */
static size_t take_file(const struct latency_config *config, struct latency_task *task, char **args, size_t n)
{
	struct tw_error ignored;

	if (!config->from && n && tw_pair_table__find(task->table, args[n - 1], &ignored))
		return n;
	if (!n || !strchr(args[n - 1], '.'))
		return latency__take_file(args, n, task);
	task->file = args[n - 1];
	return n - 1;
}

static bool has_pair(const struct latency_task *task, const struct tw_pair *pair)
{
	for (size_t i = 0; i < task->n_pairs; i++)
		if (task->pairs[i] == pair)
			return true;
	return false;
}

/* Adds the pair of a name, or the pairs, at least two, whose names begin with the name and a hyphen. */
static int find_pair(struct latency_task *task, const char *name, struct tw_error *error)
{
	struct tw_error unknown;
	const struct tw_pair *pair = tw_pair_table__find(task->table, name, &unknown);
	const size_t n = task->n_pairs, len = strlen(name);

	if (pair && has_pair(task, pair))
		return 0;
	if (pair)
		task->pairs[task->n_pairs++] = pair;
	for (size_t i = 0; !pair && i < tw_pair_table__count(task->table); i++) {
		const struct tw_pair *other = tw_pair_table__at(task->table, i);

		if (!strncmp(other->name, name, len) && other->name[len] == '-')
			task->pairs[task->n_pairs++] = other;
	}
	if (pair || task->n_pairs > n + 1)
		return 0;
	if (strpbrk(name, "./"))
		return tw_error__set(error, -ENOENT,
				     "'%s' is neither a pair nor a file; a capture is given after the pairs", name);
	/* The text ends with a question mark if it names a similar pair, otherwise with the quoted name. */
	return tw_error__set(error, -ENOENT, "%s%s", unknown.text,
			     unknown.text[strlen(unknown.text) - 1] == '?'
				     ? ""
				     : "; `tracewire latency --list` shows all pairs");
}

static int find_pairs(const struct latency_config *config, struct latency_task *task, char **args, size_t n,
		      struct tw_error *error)
{
	int err = 0;

	if (config->from && n)
		return tw_error__set(error, -EINVAL, "--from and --to replace the pair '%s': leave it out", args[0]);
	if (!config->from && !n)
		return tw_error__set(
			error, -EINVAL,
			"latency needs a pair, for example `latency runqlat`; --list shows the pairs, and --from, --to "
			"and --key define one");
	task->pairs = calloc((n + 1) * tw_pair_table__count(task->table), sizeof(struct tw_pair *));
	if (!task->pairs)
		return tw_error__set(error, -ENOMEM, "no memory for the pairs");
	if (config->from)
		return find_pair(task, OWN_NAME, error);
	for (size_t i = 0; i < n && !err; i++)
		err = find_pair(task, args[i], error);
	return err;
}

/* Refuses options that select packets, unless all pairs are about packets. */
static int check_packets(const struct latency_config *config, const struct latency_task *task, struct tw_error *error)
{
	const struct tw_packets_selection *packets = &config->packets;
	const char *option = packets->dev              ? "dev"
			     : packets->netns          ? "netns"
			     : packets->cgroup         ? "cgroup"
			     : packets->nonempty_queue ? "nonempty-queue"
			     : packets->blocked_reads  ? "blocked-reads"
						       : NULL;

	if (option && !all_of_packets(task))
		return tw_error__set(
			error, -EINVAL,
			"--%s is for the pairs ping, ecn, rxstack and qdisc-leaf: leave it out, or name only these",
			option);
	return 0;
}

/* Sets --in-kernel if a pair can be measured only there. */
static int choose_engine(struct latency_config *config, const struct latency_task *task, struct tw_error *error)
{
	for (size_t i = 0; i < task->n_pairs; i++) {
		if (!tw_packets__has(task->pairs[i]))
			continue;
		if (task->file)
			return tw_error__set(error, -EINVAL, "pair %s is measured only live: leave out the capture %s",
					     task->pairs[i]->name, task->file);
		config->in_kernel = true;
	}
	return check_packets(config, task, error);
}

/* Refuses what a measurement in the kernel cannot do. */
static int check_in_kernel(const struct latency_config *config, const struct latency_task *task, struct tw_error *error)
{
	const char *option = live_option(config, task);

	if (task->file)
		return tw_error__set(error, -EINVAL,
				     "%s is a capture, and --in-kernel measures a live run: leave out one", task->file);
	if (config->top || config->stacks)
		return tw_error__set(
			error, -EINVAL,
			"--%s needs the events, which do not leave the kernel with %s: leave out one of the two",
			config->top ? "top" : "stacks", all_of_packets(task) ? task->pairs[0]->name : "--in-kernel");
	if (config->run.clock && strcmp(config->run.clock, "mono") != 0)
		return tw_error__set(error, -EINVAL, "%s permits only the clock mono: leave out %s--clock %s",
				     all_of_packets(task) ? task->pairs[0]->name : "--in-kernel",
				     all_of_packets(task) ? "" : "--in-kernel, or ", config->run.clock);
	if (option)
		return tw_error__set(error, -EINVAL, "--%s is not possible with %s: leave out one of the two", option,
				     all_of_packets(task) ? task->pairs[0]->name : "--in-kernel");
	return 0;
}

/* Whether a pair needs the switches or wake-ups of all tasks: with the events of only some tasks or CPUs, its times would be wrong. */
static bool needs_all_tasks(const struct tw_pair *pair)
{
	for (size_t i = 0; i < pair->n_events; i++)
		if ((pair->events[i].role == TW_PAIR_BEGIN || pair->events[i].role == TW_PAIR_END) &&
		    !strncmp(pair->events[i].event, "sched_", strlen("sched_")))
			return true;
	return false;
}

/* Refuses to measure switches of some tasks or CPUs only. */
static int check_selection(const struct latency_config *config, const struct latency_task *task, struct tw_error *error)
{
	const struct run_config *run = &config->run;
	const char *option = run->follow ? "follow" : run->tracing.pids.n ? "pid" : run->tracing.cpus ? "cpus" : NULL;

	for (size_t i = 0; i < task->n_pairs && option; i++)
		if (needs_all_tasks(task->pairs[i]))
			return tw_error__set(
				error, -EINVAL,
				"pair %s needs the switches of all tasks on all CPUs: leave out --%s; --by "
				"pid or --by cpu divides its figures",
				task->pairs[i]->name, option);
	return 0;
}

int latency__check_task(const struct latency_config *config, const struct latency_task *task, struct tw_error *error)
{
	const char *option = live_option(config, NULL);

	if (config->in_kernel)
		return check_in_kernel(config, task, error);
	if (!task->file)
		return check_selection(config, task, error);
	if (task->command[0])
		return tw_error__set(error, -EINVAL,
				     "%s is a capture, so no command is run: leave out the capture to trace %s",
				     task->file, task->command[0]);
	if (option)
		return tw_error__set(error, -EINVAL, "--%s is for a live run, but %s is a capture", option, task->file);
	return 0;
}

int latency__understand(struct latency_config *config, char **args, struct latency_task *ret, struct tw_error *error)
{
	size_t n = latency__split(args, ret);
	int err = latency__check(config, error);

	if (!err)
		err = latency__load_pairs(&ret->table, error);
	if (!err && config->from && !config->key && !config->run.quiet)
		note__say("there is no --key: each %s is paired with the next %s of any task", config->from,
			  config->to);
	if (!err && config->from)
		err = add_own(config, ret->table, error);
	if (err)
		return err;
	n = take_file(config, ret, args, n);
	err = find_pairs(config, ret, args, n, error);
	if (!err)
		err = choose_engine(config, ret, error);
	return err ? err : latency__check_task(config, ret, error);
}

void latency__forget(struct latency_task *task)
{
	tw_qdiscs__fini(&task->qdiscs);
	free(task->pairs);
	tw_pair_table__free(task->table);
}
