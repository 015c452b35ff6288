/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/command.h"

#include <errno.h>
#include <stdlib.h>

#include "base/nearest.h"
#include "cli/messages.h"

#define PATH_WORDS_MAX 64

const struct cli_command *cli_command__find(const struct cli_command *const *commands, const char *name,
					    struct tw_error *err)
{
	struct tw_nearest nearest;

	tw_nearest__init(&nearest, name);
	for (; *commands; commands++) {
		tw_nearest__offer(&nearest, (*commands)->name);
		if (nearest.best && !nearest.distance)
			return *commands;
	}
	if (nearest.best)
		tw_error__set(err, 0, "unknown command '%s'; did you mean %s?", name, nearest.best);
	else
		tw_error__set(err, 0, "unknown command '%s'; see --help", name);
	return NULL;
}

int cli_exit__of(int error)
{
	if (!error)
		return CLI_EXIT_OK;
	return error == -ENOENT || error == -EINVAL ? CLI_EXIT_USAGE : CLI_EXIT_FAILURE;
}

int cli_exit__of_opening(int error)
{
	if (!error)
		return CLI_EXIT_OK;
	return error == -EINVAL ? CLI_EXIT_USAGE : CLI_EXIT_FAILURE;
}

static int complain(const char *path, const struct tw_error *err, int status)
{
	note__error(path, err);
	return status;
}

static int run_below(const struct cli_command *command, const char *path, int argc, char **argv)
{
	char below_path[PATH_WORDS_MAX];
	const struct cli_command *below;
	struct tw_error err;

	if (!argc) {
		cli_command__help(command, path, stderr);
		return CLI_EXIT_USAGE;
	}
	below = cli_command__find(command->commands, argv[0], &err);
	if (!below)
		return complain(path, &err, CLI_EXIT_USAGE);
	snprintf(below_path, sizeof(below_path), "%s %s", path, below->name);
	return cli_command__main(below, below_path, argc, argv);
}

static void discard(const struct cli_command *command, void *config)
{
	if (command->discard)
		command->discard(config);
}

static int run_leaf(const struct cli_command *command, const char *path, void *config, int argc, char **argv)
{
	struct tw_error err = { .text = "" };
	int status;

	if (command->args_max >= 0 && argc > command->args_max) {
		discard(command, config);
		tw_error__set(&err, 0, "unexpected argument '%s'; see --help", argv[command->args_max]);
		return complain(path, &err, CLI_EXIT_USAGE);
	}
	status = command->run(config, argc, argv, &err);
	return err.text[0] ? complain(path, &err, status) : status;
}

static int run_parsed(const struct cli_command *command, const char *path, void *config, int argc, char **argv)
{
	enum cli_parsed parsed;
	struct tw_error err;
	int first;

	if (cli_options__parse(command->groups, command->commands || command->runs_program, argc, argv, config, &parsed,
			       &first, &err)) {
		discard(command, config);
		return complain(path, &err, CLI_EXIT_USAGE);
	}
	if (parsed != CLI_PARSED_RUN) {
		discard(command, config);
		if (parsed == CLI_PARSED_HELP)
			cli_command__help(command, path, stdout);
		else
			puts("tracewire " TRACEWIRE_VERSION);
		return CLI_EXIT_OK;
	}
	if (command->commands)
		return run_below(command, path, argc - first, argv + first);
	return run_leaf(command, path, config, argc - first, argv + first);
}

int cli_command__main(const struct cli_command *command, const char *path, int argc, char **argv)
{
	void *config = calloc(1, command->config_size + 1);
	struct tw_error err;
	int status;

	if (!config) {
		tw_error__set(&err, 0, "out of memory");
		return complain(path, &err, CLI_EXIT_FAILURE);
	}
	status = run_parsed(command, path, config, argc, argv);
	free(config);
	return status;
}
