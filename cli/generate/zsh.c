/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completion for zsh: one function for each command, options through _arguments. */
#include <string.h>

#include "cli/generate/generate.h"

static const char *const offers[] = {
	[CLI_ARG_NONE] = "",
	[CLI_ARG_NUMBER] = "",
	[CLI_ARG_SIZE] = "",
	[CLI_ARG_TEXT] = "",
	[CLI_ARG_FILE] = "_files",
	[CLI_ARG_INTERFACE] = "_net_interfaces",
	[CLI_ARG_EVENT] = "_tracewire_events",
	[CLI_ARG_CLOCK] = "_tracewire_clocks",
	[CLI_ARG_TRACER] = "_tracewire_tracers",
	[CLI_ARG_FUNCTION] = "_tracewire_functions",
	[CLI_ARG_TRACE_OPTION] = "_tracewire_options",
	[CLI_ARG_COMMAND] = "_command_names -e",
};

static const char prologue[] =
	"#compdef tracewire\n"
	"# SPDX-License-Identifier: GPL-2.0-or-later\n"
	"# zsh completion for tracewire; generated from its option tables\n"
	"\n"
	"_tracewire_events()\n"
	"{\n"
	"\tlocal -a events\n"
	"\tevents=(${(f)\"$(tracewire list --systems 2>/dev/null; tracewire list 2>/dev/null)\"})\n"
	"\t_multi_parts : events\n"
	"}\n"
	"\n"
	"_tracewire_clocks()\n"
	"{\n"
	"\tlocal -a clocks\n"
	"\tclocks=(${(f)\"$(tracewire list --clocks 2>/dev/null)\"})\n"
	"\tcompadd -a clocks\n"
	"}\n"
	"\n"
	"_tracewire_tracers()\n"
	"{\n"
	"\tcompadd -- ${(f)\"$(tracewire list --tracers 2>/dev/null)\"}\n"
	"}\n"
	"\n"
	"_tracewire_functions()\n"
	"{\n"
	"\tcompadd -- ${(f)\"$(tracewire list --functions \"$PREFIX*\" 2>/dev/null)\"}\n"
	"}\n"
	"\n"
	"_tracewire_options()\n"
	"{\n"
	"\tcompadd -- ${(f)\"$(tracewire list --options 2>/dev/null)\"}\n"
	"}\n";

/* Inside single quotes and the brackets or colons of _arguments. */
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

/* The function of a command: "tracewire vnet up" -> "_tracewire_vnet_up". */
static void put_function_name(FILE *out, const char *path)
{
	fputc('_', out);
	for (; *path; path++)
		fputc(*path == ' ' ? '_' : *path, out);
}

/* One word for _arguments. Options may be repeated, because a filter applies to the events before it. */
static void put_spec(FILE *out, const struct cli_option *option, const char *dashes, const char *name)
{
	fprintf(out, " \\\n\t\t'*%s%s%s[", dashes, name, option->arg && dashes[1] ? "=" : "");
	put_escaped(out, option->help);
	fputc(']', out);
	if (option->arg) {
		fputc(':', out);
		put_escaped(out, option->arg);
		fprintf(out, ":%s", offers[option->kind]);
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
	else if (command->arguments)
		fprintf(out, " \\\n\t\t'*:argument:%s'\n", offers[command->arg_kind]);
	else
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
	put_function(out, root, root->name);
	fputs("\n_tracewire \"$@\"\n", out);
}
