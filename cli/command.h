/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands as data: a tree of tables, from which command lines are parsed, and help, manual pages and completion are generated. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdio.h>

#include "cli/options.h"

enum cli_exit {
	CLI_EXIT_OK = 0,
	CLI_EXIT_FAILURE = 1,
	CLI_EXIT_USAGE = 2,
	/* The command to be traced cannot be run (126) or does not exist (127), as with env(1), nohup(1) and shells. */
	CLI_EXIT_CANNOT_RUN = 126,
	CLI_EXIT_NOT_FOUND = 127,
};

/** cli_exit__of() - exit status for 0 or -errno: a usage error for a missing name (-ENOENT) or an invalid value (-EINVAL) */
int cli_exit__of(int err);

/**
 * cli_exit__of_opening() - exit status for the result of opening an output file, an interface or a host: a usage error only for -EINVAL
 *
 * A service manager does not restart a service after a usage error. If the file, interface or host does not exist, the service should be
 * restarted, because it may appear later.
 */
int cli_exit__of_opening(int err);

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
	bool runs_program;       /* the arguments are a command line, whose first word ends the options */
	bool has_program;        /* a command line may follow after "--"; run() gets both after the other arguments */
	const char *description; /* paragraphs separated by an empty line */
	const char *details;     /* further paragraphs, for the manual page only; NULL = none */
	const struct cli_example *examples;
	const struct cli_option_group *const *groups; /* NULL-terminated; NULL = none */
	const struct cli_command *const *commands;    /* subcommands, NULL-terminated, instead of run(); NULL = none */
	size_t config_size;                           /* bytes of the config: zeroed, then set by the options */

	/* NULL if there are subcommands. @args: NULL-terminated. Return: an exit status. The caller prints @error if it is filled. */
	int (*run)(void *config, int n_args, char **args, struct tw_error *error);
	/* Frees what run() and the options' apply() have allocated in @config. Called last, even if run() was not called; may be NULL. */
	void (*discard)(void *config);
};

/* The command `tracewire` itself; its subcommands are the commands below. */
extern const struct cli_command cli_root_command;

/* The commands; each has its own file or folder. */
extern const struct cli_command cli_command_capture;
extern const struct cli_command cli_command_cleanup;
extern const struct cli_command cli_command_convert;
extern const struct cli_command cli_command_diff;
extern const struct cli_command cli_command_doctor;
extern const struct cli_command cli_command_filter;
extern const struct cli_command cli_command_help;
extern const struct cli_command cli_command_hist;
extern const struct cli_command cli_command_info;
extern const struct cli_command cli_command_latency;
extern const struct cli_command cli_command_list;
extern const struct cli_command cli_command_live;
extern const struct cli_command cli_command_record;
extern const struct cli_command cli_command_report;
extern const struct cli_command cli_command_sockets;
extern const struct cli_command cli_command_stream;
extern const struct cli_command cli_command_time;
extern const struct cli_command cli_command_top;
extern const struct cli_command cli_command_vnet;

/**
 * cli_command__main() - parse a command line, run the command, print errors
 * @path: the words that name the command, for example "tracewire vnet"
 * Return: exit status.
 */
int cli_command__main(const struct cli_command *command, const char *path, int argc, char **argv);

/** cli_command__find() - find a command by its name. Return: NULL if it does not exist; @error suggests a similar name if there is one */
const struct cli_command *cli_command__find(const struct cli_command *const *commands, const char *name,
					    struct tw_error *error);

/** cli_command__help() - print the text of --help, for 80 columns; @path: as for cli_command__main() */
void cli_command__help(const struct cli_command *command, const char *path, FILE *out);

#endif
