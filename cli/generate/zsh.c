/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completion for zsh: one function for each command, options through _arguments. */
#include <string.h>

#include "cli/generate/generate.h"

/* The zsh function that completes an argument of each kind. For a kind without an entry here, generate__lister() is used. */
static const char *const offers[CLI_ARG_KINDS] = {
	[CLI_ARG_FILE] = "_files",
	[CLI_ARG_INTERFACE] = "_net_interfaces",
	[CLI_ARG_FUNCTION] = "_tracewire_functions",
	[CLI_ARG_COMMAND] = "_command_names -e",
};

static const char prologue[] = "#compdef tracewire\n"
			       "# SPDX-License-Identifier: GPL-2.0-or-later\n"
			       "# zsh completion for tracewire; generated from its option tables\n"
			       "\n"
			       "_tracewire_functions()\n"
			       "{\n"
			       "\tcompadd -- ${(f)\"$(tracewire list --functions \"$PREFIX*\" 2>/dev/null)\"}\n"
			       "}\n";

/*
 * Writes a function, such as "_tracewire_words_6", for each kind that has a lister but no entry in offers[]. Events are completed as
 * items of a list with commas. No blank is inserted after a word that ends in a colon.
 */
static void put_listers(FILE *out)
{
	for (unsigned int kind = 0; kind < CLI_ARG_KINDS; kind++) {
		const char *lister = generate__lister(kind);

		if (!lister || offers[kind])
			continue;
		fprintf(out, "\n_tracewire_words_%u()\n{\n\tlocal -a words\n", kind);
		if (kind == CLI_ARG_EVENT)
			fputs("\tcompset -P '*,'\n", out);
		fprintf(out,
			"\twords=(${(f)\"$(%s)\"})\n"
			"\tcompadd -- ${words:#*:}\n"
			"\tcompadd -S '' -- ${(M)words:#*:}\n",
			lister);
		fputs(kind == CLI_ARG_PAIR ? "\t_files\n}\n" : "}\n", out);
	}
}

static void put_offer(FILE *out, enum cli_arg_kind kind)
{
	if (offers[kind])
		fputs(offers[kind], out);
	else if (generate__lister(kind))
		fprintf(out, "_tracewire_words_%u", kind);
}

/* Writes @text, escaped for single quotes and for a specification of _arguments, where the text is between brackets or colons. */
static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", out);
		else if (strchr("[]:\\", *text))
			fprintf(out, "\\%c", *text);
		else
			fputc(*text, out);
	}
}

/* Writes the name of a command's function: "_tracewire_vnet_up" for "tracewire vnet up". */
static void put_function_name(FILE *out, const char *path)
{
	fputc('_', out);
	for (; *path; path++)
		fputc(*path == ' ' ? '_' : *path, out);
}

/* Writes an option as one word for _arguments. '*' before the option lets zsh offer the option again after it was given. */
static void put_spec(FILE *out, const struct cli_option *option, const char *dashes, const char *name)
{
	fprintf(out, " \\\n\t\t'%s%s%s%s[", option->once ? "" : "*", dashes, name, option->arg && dashes[1] ? "=" : "");
	put_escaped(out, option->help);
	fputc(']', out);
	if (option->arg) {
		fputc(':', out);
		put_escaped(out, option->arg);
		fputc(':', out);
		put_offer(out, option->kind);
	}
	fputc('\'', out);
}

static void put_group(FILE *out, const struct cli_option_group *group)
{
	for (const struct cli_option *option = group->options; option->name; option++) {
		if (option->letter)
			put_spec(out, option, "-", (char[]){ option->letter, '\0' });
		put_spec(out, option, "--", option->name);
	}
}

static void put_arguments(FILE *out, const struct cli_command *command)
{
	fputs("\t_arguments -s -S", out);
	if (command->commands)
		fputs(" -C", out);
	for (const struct cli_option_group *const *group = command->groups; group && *group; group++)
		put_group(out, *group);
	put_group(out, &cli_general_options);
	if (command->commands)
		fputs(" \\\n\t\t'1:command:->command' '*::argument:->argument' && return\n", out);
	else if (command->runs_program)
		fputs(" \\\n\t\t'*::command:_normal'\n", out);
	else if (command->arguments) {
		fputs(" \\\n\t\t'*:argument:", out);
		put_offer(out, command->arg_kind);
		fputs("'\n", out);
	} else
		fputc('\n', out);
}

static void put_commands(FILE *out, const struct cli_command *command, const char *path)
{
	fputs("\tcase $state in\n\tcommand)\n\t\tcommands=(", out);
	for (const struct cli_command *const *below = command->commands; *below; below++) {
		fprintf(out, "\n\t\t\t'%s:", (*below)->name);
		put_escaped(out, (*below)->summary);
		fputc('\'', out);
	}
	fputs("\n\t\t)\n\t\t_describe command commands\n\t\t;;\n\targument)\n\t\t(( $+functions[", out);
	put_function_name(out, path);
	fputs("_$words[1]] )) && ", out);
	put_function_name(out, path);
	fputs("_$words[1]\n\t\t;;\n\tesac\n", out);
}

static void put_function(FILE *out, const struct cli_command *command, const char *path)
{
	char below_path[128];

	fputc('\n', out);
	put_function_name(out, path);
	fputs("()\n{\n", out);
	if (command->commands)
		fputs("\tlocal curcontext=$curcontext state line\n\tlocal -a commands\n", out);
	put_arguments(out, command);
	if (command->commands)
		put_commands(out, command, path);
	fputs("}\n", out);
	for (const struct cli_command *const *below = command->commands; below && *below; below++) {
		snprintf(below_path, sizeof(below_path), "%s %s", path, (*below)->name);
		put_function(out, *below, below_path);
	}
}

void generate__zsh(const struct cli_command *root, FILE *out)
{
	fputs(prologue, out);
	put_listers(out);
	put_function(out, root, root->name);
	fputs("\n_tracewire \"$@\"\n", out);
}
