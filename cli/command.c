/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the command that a command line names. Contains the list of commands. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/messages.h"

#define PATH_WORDS_MAX 64

const struct cli_command *cli_command__find(const struct cli_command *const *commands, const char *name,
					    struct tw_error *error)
{
	struct tw_nearest nearest;

	tw_nearest__init(&nearest, name);
	for (; *commands; commands++) {
		tw_nearest__offer(&nearest, (*commands)->name);
		if (nearest.best && !nearest.distance)
			return *commands;
	}
	if (nearest.best)
		tw_error__set(error, 0, "unknown command '%s'; did you mean %s?", name, nearest.best);
	else
		tw_error__set(error, 0, "unknown command '%s'; see --help", name);
	return NULL;
}

int cli_exit__of(int err)
{
	if (!err)
		return CLI_EXIT_OK;
	return err == -ENOENT || err == -EINVAL ? CLI_EXIT_USAGE : CLI_EXIT_FAILURE;
}

int cli_exit__of_opening(int err)
{
	return err == -ENOENT ? CLI_EXIT_FAILURE : cli_exit__of(err);
}

static int run_below(const struct cli_command *command, const char *path, int argc, char **argv, struct tw_error *error)
{
	char below_path[PATH_WORDS_MAX];
	const struct cli_command *below;

	if (!argc) {
		cli_command__help(command, path, stderr);
		return CLI_EXIT_USAGE;
	}
	below = cli_command__find(command->commands, argv[0], error);
	if (!below)
		return CLI_EXIT_USAGE;
	snprintf(below_path, sizeof(below_path), "%s %s", path, below->name);
	return cli_command__main(below, below_path, argc, argv);
}

static int show_version(void *config, int n_args, char **args, struct tw_error *error)
{
	(void)config, (void)n_args, (void)args, (void)error;
	puts("tracewire " TRACEWIRE_VERSION);
	return CLI_EXIT_OK;
}

/* Return: the index of the first word "--", or @argc */
static int count_before_program(int argc, char **argv)
{
	int n = 0;

	while (n < argc && strcmp(argv[n], "--") != 0)
		n++;
	return n;
}

static int run_parsed(const struct cli_command *command, const char *path, void *config, int argc, char **argv,
		      struct tw_error *error)
{
	const struct cli_syntax syntax = { command->groups, command->arg_kind,
					   command->commands || command->runs_program };
	const int n_parsed = command->has_program ? count_before_program(argc, argv) : argc;
	enum cli_parsed parsed;
	int first;

	if (cli_options__parse(&syntax, n_parsed, argv, config, &parsed, &first, error))
		return CLI_EXIT_USAGE;
	if (parsed == CLI_PARSED_VERSION)
		return show_version(NULL, 0, NULL, NULL);
	if (parsed == CLI_PARSED_HELP) {
		cli_command__help(command, path, stdout);
		return CLI_EXIT_OK;
	}
	argc -= first;
	argv += first;
	if (command->commands)
		return run_below(command, path, argc, argv, error);
	if (command->args_max >= 0 && argc > command->args_max) {
		tw_error__set(error, 0, "unexpected argument '%s'; see --help", argv[command->args_max]);
		return CLI_EXIT_USAGE;
	}
	return command->run(config, argc, argv, error);
}

int cli_command__main(const struct cli_command *command, const char *path, int argc, char **argv)
{
	void *config = calloc(1, command->config_size + 1);
	struct tw_error error = { .text = "" };
	int status = CLI_EXIT_FAILURE;

	if (config)
		status = run_parsed(command, path, config, argc, argv, &error);
	else
		tw_error__set(&error, 0, "out of memory");
	if (config && command->discard)
		command->discard(config);
	free(config);
	if (error.text[0])
		note__error(path, &error);
	return status;
}

static const struct cli_command version = {
	.name = "version",
	.summary = "Show the version, as --version does",
	.run = show_version,
};

static const struct cli_command *const commands[] = {
	&cli_command_live,
	&cli_command_record,
	&cli_command_stream,
	&cli_command_capture,
	&cli_command_report,
	&cli_command_info,
	&cli_command_latency,
	&cli_command_hist,
	&cli_command_top,
	&cli_command_sockets,
	&cli_command_diff,
	&cli_command_time,
	&cli_command_convert,
	&cli_command_list,
	&cli_command_filter,
	&cli_command_vnet,
	&cli_command_doctor,
	&cli_command_cleanup,
	&cli_command_help,
	&version,
	NULL,
};

static const struct cli_example examples[] = {
	{ "Watch the scheduler while a command runs", "sudo tracewire live -e sched -- sleep 1" },
	{ "Record to a file for Wireshark", "sudo tracewire record -e sched,irq,net -w trace.pcapng -- make" },
	{ "Send events to an interface, for any capture program", "sudo tracewire stream -e sched -i tw0" },
	{ NULL, NULL },
};

const struct cli_command cli_root_command = {
	.name = "tracewire",
	.summary = "Kernel trace events on a network interface, for Wireshark and other packet tools",
	.description =
		"Reads the Linux kernel's trace events and sends them in Ethernet frames or over UDP, or writes pcapng. "
		"Wireshark and tshark decode the events with the kernel's format texts, which are part of the stream, and "
		"show and filter each field by name.",
	.examples = examples,
	.commands = commands,
};
