/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire hist`: histograms of fields. A field is measured like a pair of `latency` whose events have values. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/filter_option.h"
#include "cli/latency/latency.h"

/* Writes the pair of one argument, EVENT.FIELD. */
static int put_pair(FILE *out, const char *word, struct tw_error *error)
{
	const char *dot = strrchr(word, '.');

	if (!dot || dot == word || !dot[1] || strpbrk(word, "*?, \t\n"))
		return tw_error__set(error, -EINVAL,
				     "'%s' is neither EVENT.FIELD, such as net_dev_queue.len, nor a file", word);
	fprintf(out, "pair %s\nvalue %.*s %s\n", word, (int)(dot - word), word, dot + 1);
	return 0;
}

/* Makes the table of pairs of the arguments. */
static int make_table(char **words, size_t n, struct tw_pair_table *table, struct tw_error *error)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int err = 0;

	if (!out)
		return tw_error__set(error, -ENOMEM, "no memory for the fields");
	for (size_t i = 0; i < n && !err; i++)
		err = put_pair(out, words[i], error);
	if (fclose(out) && !err)
		err = tw_error__set(error, -ENOMEM, "no memory for the fields");
	if (!err)
		err = tw_pair_table__parse(table, text, len, NULL, error);
	free(text);
	return err;
}

static int understand(struct latency_config *config, char **args, struct latency_task *ret, struct tw_error *error)
{
	size_t n = latency__split(args, ret);
	int err = latency__check(config, error);

	n = latency__take_file(args, n, ret);
	if (!err && !n)
		err = tw_error__set(error, -EINVAL,
				    "hist needs a field: give EVENT.FIELD, for example net_dev_queue.len");
	if (err)
		return err;
	ret->table = tw_pair_table__new();
	ret->pairs = calloc(n, sizeof(struct tw_pair *));
	if (!ret->table || !ret->pairs)
		return tw_error__set(error, -ENOMEM, "no memory for %zu fields", n);
	err = make_table(args, n, ret->table, error);
	for (; !err && ret->n_pairs < n; ret->n_pairs++)
		ret->pairs[ret->n_pairs] = tw_pair_table__at(ret->table, ret->n_pairs);
	return err ? err : latency__check_task(config, ret, error);
}

static int hist(void *data, int n_args, char **args, struct tw_error *error)
{
	struct latency_config *config = data;
	struct latency_task task = { .table = NULL };
	const int err = understand(config, args, &task, error);
	const int status = err ? cli_exit__of(err) : latency__measure(config, &task, error);

	(void)n_args;
	latency__forget(&task);
	return status;
}

static const struct cli_option options[] = {
	{ 'f', "filter", "EXPR", CLI_ARG_FILTER,
	  "Ignore events that do not match this expression, for example 'len > 1500'; tracewire-filter(7) describes the "
	  "language",
	  .offset = offsetof(struct run_config, filter), .apply = filter_option__parse },
	{ 0, "by", "FIELD", CLI_ARG_TEXT,
	  "Also show figures for each value of this field, or of cpu, pid or comm; separate several by commas",
	  .offset = offsetof(struct latency_config, by), .once = "separate several fields by commas" },
	{ 0, "linear", "STEP", CLI_ARG_NUMBER, "Use buckets of this width instead of powers of two",
	  .offset = offsetof(struct latency_config, linear), .apply = latency__apply_linear },
	{ 0, "show-self", NULL, CLI_ARG_NONE, "Also count the wake-ups and switches of Tracewire's own threads",
	  .offset = offsetof(struct run_config, show_self) },
	{ 0 },
};

static const struct cli_option_group group = { "Fields", options };
static const struct cli_option_group *const groups[] = {
	&group, &latency__result_group, &run_task_group, &run_source_group, &run_status_group, NULL
};

static const struct cli_example examples[] = {
	{ "Show the lengths of sent packets, for each device", "sudo tracewire hist net_dev_queue.len --by name" },
	{ "Show in which states tasks leave the CPU, each second", "sudo tracewire hist -i 1 sched_switch.prev_state" },
	{ "Show the results of a system call in a recording",
	  "tracewire hist raw_syscalls:sys_exit.ret -f 'id == read' x.pcapng" },
	{ NULL, NULL },
};

const struct cli_command cli_command_hist = {
	.name = "hist",
	.summary = "Show histograms of the fields of events",
	.arguments = "EVENT.FIELD... [FILE] [-- COMMAND [ARG]...]",
	.arg_kind = CLI_ARG_EVENT,
	.args_max = -1,
	.has_program = true,
	.description =
		"Shows how the values of a field are distributed: sizes, counts, states. EVENT may be SYSTEM:EVENT. Numbers are "
		"shown as a histogram. For texts, addresses, and numbers that the event's text shows as names, such as states, "
		"the number of each value is shown. Without FILE, the events of this kernel are measured until Ctrl-C, or "
		"until COMMAND ends. FILE is a pcapng or pcap file with Tracewire's frames; - is standard input.\n\n"
		"A row (2, 4] of a histogram has the values above 2 and up to 4. Values below 0 are counted below it.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct latency_config),
	.run = hist,
	.discard = latency__discard,
};
