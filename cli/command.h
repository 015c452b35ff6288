/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands as data: a tree of tables that main() walks, and that help, manual pages and completion are made from. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdio.h>

#include "cli/options.h"

enum cli_exit {
	CLI_EXIT_OK = 0,
	CLI_EXIT_FAILURE = 1,
	CLI_EXIT_USAGE = 2,
	/* of the command to be traced, as in env(1), sudo(8) and shells */
	CLI_EXIT_CANNOT_RUN = 126,
	CLI_EXIT_NOT_FOUND = 127,
};

/**
 * cli_exit__of() - the exit status for the result of a function
 *
 * A name that does not exist (-ENOENT) or an invalid value (-EINVAL) is a usage error; everything else is a failure.
 */
int cli_exit__of(int error);

/**
 * cli_exit__of_opening() - the same for what a run opens: output files, interfaces, hosts
 *
 * A directory, an interface or a host that does not exist may appear later, and a service must try again, which it does not after a
 * usage error. Only what can never work is a usage error.
 */
int cli_exit__of_opening(int error);

struct cli_example {
	const char *what; /* NULL ends a list */
	const char *command;
};

struct cli_command {
	const char *name;
	const char *summary;   /* one line, no period */
	const char *arguments; /* as in a synopsis: "[NAME]"; NULL = none */
	enum cli_arg_kind arg_kind;
	int args_max;            /* -1 = any number */
	bool runs_program;       /* the arguments are a command line: the options end at its first word */
	const char *description; /* paragraphs separated by an empty line */
	const struct cli_example *examples;
	const struct cli_option_group *const *groups; /* NULL-terminated; NULL = none */
	const struct cli_command *const *commands;    /* NULL-terminated: subcommands; the command has no run then */
	size_t config_size;                           /* bytes; passed to run, zeroed, with the options applied */

	/*
	 * Return: an exit status. @error is printed as one sentence; @args is NULL-terminated. run must free what the apply functions
	 * left in the config; discard does so if run is not reached.
	 */
	int (*run)(void *config, int n_args, char **args, struct tw_error *error);
	void (*discard)(void *config);
};

/* The program itself; its subcommands are those of the command line. */
extern const struct cli_command cli_root_command;

/* The commands; each has a file of its own. */
extern const struct cli_command cli_command_capture;
extern const struct cli_command cli_command_cleanup;
extern const struct cli_command cli_command_convert;
extern const struct cli_command cli_command_doctor;
extern const struct cli_command cli_command_filter;
extern const struct cli_command cli_command_help;
extern const struct cli_command cli_command_info;
extern const struct cli_command cli_command_list;
extern const struct cli_command cli_command_live;
extern const struct cli_command cli_command_record;
extern const struct cli_command cli_command_report;
extern const struct cli_command cli_command_stream;
extern const struct cli_command cli_command_vnet;

/**
 * cli_command__main() - parse a command line, run the command and print what went wrong
 * @path: the words so far, "tracewire vnet"
 * Return: exit status
 */
int cli_command__main(const struct cli_command *command, const char *path, int argc, char **argv);

/** cli_command__find() - the command of that name in a NULL-terminated list, or NULL with @error naming the most similar one */
const struct cli_command *cli_command__find(const struct cli_command *const *commands, const char *name,
					    struct tw_error *error);

/** cli_command__help() - print --help, for 80 columns */
void cli_command__help(const struct cli_command *command, const char *path, FILE *out);

#endif
