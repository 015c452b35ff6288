/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options as data. One table is used for parsing, --help, the manual pages and the shells' completion. Options are applied in the order
 * of the command line, so an option can refer to earlier ones.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/number.h"

#define CLI_OPTIONS_MAX 64 /* largest number of options of one command */

/* Kind of an option's or a command's argument: how it is stored, and how shells complete it. */
enum cli_arg_kind {
	CLI_ARG_NONE,   /* bool, set to true */
	CLI_ARG_NUMBER, /* uint64_t */
	CLI_ARG_SIZE,   /* uint64_t, bytes: a number, optionally followed by K, M or G */
	CLI_ARG_TEXT,   /* const char *, like all kinds below; borrowed from the command line */
	CLI_ARG_FILE,
	CLI_ARG_INTERFACE,
	CLI_ARG_EVENT,
	CLI_ARG_PAIR, /* or a capture, whose pairs are measured */
	CLI_ARG_CLOCK,
	CLI_ARG_TRACER,
	CLI_ARG_FUNCTION,
	CLI_ARG_TRACE_OPTION,
	CLI_ARG_FILTER,
	CLI_ARG_ACTION,
	CLI_ARG_HOOK,
	CLI_ARG_BACK_END,
	CLI_ARG_PIPELINE,
	CLI_ARG_ALIGN,
	CLI_ARG_REFERENCE,
	CLI_ARG_GROUP,
	CLI_ARG_NEXT_FILE,
	CLI_ARG_AUTOSTOP,
	CLI_ARG_USER,
	CLI_ARG_COMMAND,
	CLI_ARG_KINDS,
};

struct cli_option {
	char letter;      /* 0 = only a long name */
	const char *name; /* NULL ends a table */
	const char *arg;  /* name of the argument in help; NULL for CLI_ARG_NONE */
	enum cli_arg_kind kind;
	const char *help; /* without a period at its end */
	size_t offset;    /* offset of the value in the command's config */
	/* Called instead of storing the value; @target is at @offset. NULL = store it. Return: 0, or -errno with @error filled. */
	int (*apply)(void *target, const char *value, struct tw_error *error);
	/* If not NULL, the option may be given only once, and this text says what to do instead. NULL = it may be repeated. */
	const char *once;
};

/* Options with a common title in help. Commands can share a group if their configs begin with the same structure. */
struct cli_option_group {
	const char *title;
	const struct cli_option *options;
};

enum cli_parsed {
	CLI_PARSED_RUN,
	CLI_PARSED_HELP,
	CLI_PARSED_VERSION,
};

/* --help and --version, which every command has in addition to its own groups. */
extern const struct cli_option_group cli_general_options;

/* The options and words that a command accepts. Words are the arguments that are neither options nor values of options. */
struct cli_syntax {
	const struct cli_option_group *const *groups; /* NULL-terminated; NULL = none */
	enum cli_arg_kind arg_kind;                   /* kind of the words */
	bool stop_at_word; /* the first word ends the options, as `--` does; false: options may follow words */
};

/**
 * cli_options__parse() - apply the options of a command line
 * @argv: argv[0] is ignored; words are moved after the options, unless stop_at_word is set
 * @config: the command's config, into which the options are stored
 * @ret: CLI_PARSED_HELP and CLI_PARSED_VERSION end the parsing immediately
 * @ret_first: set with CLI_PARSED_RUN: index in @argv of the first word
 *
 * Return: 0; -EINVAL, with @error saying which option is wrong, why, and perhaps which one was meant; or the result of an apply function.
 */
int cli_options__parse(const struct cli_syntax *syntax, int argc, char **argv, void *config, enum cli_parsed *ret,
		       int *ret_first, struct tw_error *error);

/** cli_number__parse() - tw_number__parse() for the value of --@option; @error names the option. Return: 0 or -EINVAL */
int cli_number__parse(const char *option, const char *text, const struct tw_number_rule *rule, uint64_t *ret,
		      struct tw_error *error);

/** cli_seconds__parse() - parse a decimal number of seconds, such as 1.5 or 1.5s, above 0 and below 1e9. @ret: ns. Return: 0, -EINVAL */
int cli_seconds__parse(const char *text, uint64_t *ret);

#endif
