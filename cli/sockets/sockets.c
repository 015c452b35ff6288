/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire sockets`: where the data of sockets waited, as a table of flows and programs, live or from a capture. */
#include "cli/sockets/sockets.h"
#include "cli/socket_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/filter_option.h"
#include "cli/latency/latency.h"

void sockets__print(const struct sockets_config *config, const struct sockets_subject *subject,
		    const struct tw_socket_times_result *result)
{
	if (config->flow || !result)
		return;
	if (config->as_json)
		sockets_json__print(config, subject, result);
	else
		sockets_table__print(config, subject, result);
}

void sockets__add_outcome(const struct tw_socket_times_result *result, struct outcome *outcome)
{
	outcome__add_read(outcome, &result->read, &result->filtered);
	outcome->place[OUTCOME_NO_FORMAT] = result->unknown;
}

/* Return: a given option of live runs; NULL = none was given */
static const char *live_option(const struct sockets_config *config)
{
	const struct run_config *run = &config->run;
	const struct {
		const char *name;
		bool is_given;
	} options[] = {
		{ "interval", config->interval },
		{ "count", config->intervals },
		{ "wakeups", config->wakeups },
		{ "buffer-size", run->buffer_kib },
		{ "subbuf-size", run->subbuf_kib },
		{ "threads", run->threads },
		{ "clock", run->clock },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].is_given)
			return options[i].name;
	return tw_socket_selection__given(&run->sockets);
}

/* Finds the capture and the command among the arguments, and refuses what does not fit. @ret_file: NULL = a live run */
static int understand(struct sockets_config *config, char **args, const char **ret_file, char ***ret_command,
		      struct tw_error *error)
{
	struct latency_task task = { .table = NULL };
	const size_t n = latency__split(args, &task);
	const char *option = live_option(config);

	*ret_command = task.command;
	*ret_file = n ? args[0] : NULL;
	if (n > 1)
		return tw_error__set(error, -EINVAL, "unexpected argument '%s'; a command follows after --", args[1]);
	if (n && task.command[0])
		return tw_error__set(error, -EINVAL,
				     "%s is a capture, so no command is run: leave out the capture to trace %s",
				     args[0], task.command[0]);
	if (n && option)
		return tw_error__set(error, -EINVAL, "--%s is for a live run, but %s is a capture", option, args[0]);
	if (config->flow && config->as_json)
		return tw_error__set(error, -EINVAL, "--flow prints a text, not JSON: leave out --flow or --json");
	if (config->flow && !strpbrk(config->flow, ":>"))
		return tw_error__set(error, -EINVAL,
				     "--flow '%s' is neither LOCAL > REMOTE, as in the table, nor ADDRESS:PORT",
				     config->flow);
	if (config->flow && (config->sort || config->rows))
		return tw_error__set(error, -EINVAL,
				     "--flow prints all events of a flow, in their order: leave out --flow or --%s",
				     config->sort ? "sort" : "rows");
	return sockets_column__find(config->sort, &config->column, error);
}

static int run(void *data, int n_args, char **args, struct tw_error *error)
{
	struct sockets_config *config = data;
	const char *file;
	char **command;
	int err = understand(config, args, &file, &command, error);

	(void)n_args;
	if (err)
		return cli_exit__of(err);
	return file ? sockets__file(config, file, error) : sockets__live(config, command, error);
}

static const struct cli_option options[] = {
	{ 0, "sort", "COLUMN", CLI_ARG_TEXT,
	  "Show the flows and programs with the largest value first: of messages (default), bytes, limited, retransmits, resets, "
	  "drops, held, or of the 99th percentile of a stage: send, tcp, qdisc, ack, ip, l4, socket, wake, run, read, srtt, "
	  "program",
	  .offset = offsetof(struct sockets_config, sort), .once = "rows are sorted by one column" },
	{ 'n', "rows", "N", CLI_ARG_NUMBER,
	  "Show N flows and N programs (default: as many as the terminal has room for, otherwise 10; with --json, all)",
	  .offset = offsetof(struct sockets_config, rows) },
	{ 0, "flow", "FLOW", CLI_ARG_TEXT,
	  "Instead of the table, print each event of a flow: 'LOCAL > REMOTE' as in the table, or one ADDRESS:PORT",
	  .offset = offsetof(struct sockets_config, flow), .once = "a timeline is of one flow" },
	{ 'f', "filter", "EXPR", CLI_ARG_FILTER,
	  "Ignore events that do not match this expression, for example 'dport == 443'; tracewire-filter(7) describes the "
	  "language",
	  .offset = offsetof(struct run_config, filter), .apply = filter_option__parse },
	{ 0, "wakeups", NULL, CLI_ARG_NONE,
	  "Live: also trace sched_waking and sched_switch, for the stages wake and run of received data",
	  .offset = offsetof(struct sockets_config, wakeups) },
	{ 'i', "interval", "SECONDS", CLI_ARG_TEXT, "Live: time between two tables, at least 0.1 (default 1)",
	  .offset = offsetof(struct sockets_config, interval), .apply = latency__apply_interval },
	{ 'c', "count", "N", CLI_ARG_NUMBER, "Live: end after N tables",
	  .offset = offsetof(struct sockets_config, intervals), .apply = latency__apply_count },
	{ 'j', "json", NULL, CLI_ARG_NONE, "Write one JSON object for each table",
	  .offset = offsetof(struct sockets_config, as_json) },
	{ 0 },
};

static const struct cli_option_group group = { "Table", options };
static const struct cli_option_group *const groups[] = { &group, &run_socket_group, &run_source_group,
							 &run_status_group, NULL };

static const struct cli_example examples[] = {
	{ "Show each second where the data of sockets wait, until Ctrl-C", "sudo tracewire sockets" },
	{ "Show the flows whose data wait longest in queueing disciplines", "sudo tracewire sockets --sort qdisc" },
	{ "Show the sockets of all programs while a command runs",
	  "sudo tracewire sockets -i 3600 -- curl -s http://example.com" },
	{ "Show the same of a recording", "tracewire sockets x.pcapng" },
	{ "Show each step of the data of one flow",
	  "tracewire sockets --flow '10.0.0.1:51234 > 10.0.0.2:443' x.pcapng" },
	{ NULL, NULL },
};

const struct cli_command cli_command_sockets = {
	.name = "sockets",
	.summary = "Show where the data of sockets wait",
	.arguments = "[FILE] [-- COMMAND [ARGUMENT]...]",
	.arg_kind = CLI_ARG_FILE,
	.args_max = -1,
	.has_program = true,
	.description =
		"Shows for each flow and each program how many messages were sent and read, and how long they were in each stage "
		"on their way: median (p50), 99th percentile (p99) and maximum. Without FILE, the socket events of this kernel "
		"are traced, and a table is printed each second until Ctrl-C, or until COMMAND ends. FILE is a pcapng or pcap "
		"file with Tracewire's frames that was recorded with `-e sockts`; - is standard input.\n\n"
		"Stages of sent data: send (in sendmsg), tcp (in the send queue), qdisc (in the queueing discipline), ack (until "
		"the acknowledgement). Stages of received data: ip (from the device to the IP layer), l4 (to the socket), socket "
		"(to its queue), wake and run (of the task that reads), read (in the queue). srtt is the smoothed round-trip time. "
		"limited is the time in which the receive window or the send buffer limited the sender. "
		"held shows why sent data waited before they were passed to a device, and how long. program is the time between the last "
		"read of a program and its next sendmsg. "
		"A value that is not known is shown as -.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct sockets_config),
	.run = run,
	.discard = run_config__fini,
};
