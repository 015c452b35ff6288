/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Generates manual pages with the `man` macros; see groff_man(7). */
#include <ctype.h>
#include <string.h>

#include "cli/generate/generate.h"

/* Writes @text with the special characters of troff escaped; an empty line in @text begins a paragraph. */
static void put_text(FILE *out, const char *text)
{
	bool line_begins = true;

	for (; *text; text++) {
		if (text[0] == '\n' && text[1] == '\n') {
			fputs("\n.PP", out);
			continue;
		}
		if (line_begins && (*text == '.' || *text == '\''))
			fputs("\\&", out);
		if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '-')
			fputs("\\-", out);
		else if (*text == '\'')
			fputs("\\(aq", out);
		else if (*text == '`')
			fputs("\\(ga", out);
		else
			fputc(*text, out);
		line_begins = *text == '\n';
	}
	fputc('\n', out);
}

/* Writes a name: that of an option or of a command's page ("tracewire-vnet" for "tracewire vnet"). */
static void put_name(FILE *out, const char *name)
{
	for (; *name; name++)
		fputs(*name == ' ' || *name == '-' ? "\\-" : (char[]){ *name, '\0' }, out);
}

static void put_header(FILE *out, const struct cli_command *command, const char *path)
{
	fputs(".\\\" SPDX-License-Identifier: GPL-2.0-or-later\n.TH ", out);
	for (const char *c = path; *c; c++)
		fputc(*c == ' ' ? '-' : toupper((unsigned char)*c), out);
	fputs(" 1 \"\" \"tracewire " TRACEWIRE_VERSION "\" \"Tracewire\"\n.SH NAME\n", out);
	put_name(out, path);
	fputs(" \\- ", out);
	put_text(out, command->summary);
}

/* Writes the synopsis. Words in capitals are placeholders. */
static void put_synopsis(FILE *out, const struct cli_command *command, const char *path)
{
	fprintf(out, ".B %s\n", path);
	if (command->commands)
		fputs(".I COMMAND\n", out);
	else
		fputs(".RI [ OPTION ]...\n", out);
	if (command->arguments)
		put_text(out, command->arguments);
}

static void put_option(FILE *out, const struct cli_option *option)
{
	fputs(".TP\n", out);
	if (option->letter)
		fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
	fputs("\\fB\\-\\-", out);
	put_name(out, option->name);
	fputs("\\fR", out);
	if (option->arg)
		fprintf(out, " \\fI%s\\fR", option->arg);
	fputc('\n', out);
	put_text(out, option->help);
}

static void put_group(FILE *out, const struct cli_option_group *group)
{
	fputs(".SS ", out);
	put_text(out, group->title);
	for (const struct cli_option *option = group->options; option->name; option++)
		put_option(out, option);
}

/* Writes the paragraphs that --help does not show. */
static void put_details(FILE *out, const struct cli_command *command)
{
	if (!command->details)
		return;
	fputs(".PP\n", out);
	put_text(out, command->details);
}

/* Writes a subcommand with its options, in the page of its command. */
static void put_below(FILE *out, const struct cli_command *command, const char *path)
{
	char below[128];

	snprintf(below, sizeof(below), "%s %s", path, command->name);
	fprintf(out, ".SS %s\n", command->name);
	put_synopsis(out, command, below);
	fputs(".PP\n", out);
	put_text(out, command->summary);
	if (command->description) {
		fputs(".PP\n", out);
		put_text(out, command->description);
	}
	put_details(out, command);
	for (const struct cli_option_group *const *group = command->groups; group && *group; group++)
		for (const struct cli_option *option = (*group)->options; option->name; option++)
			put_option(out, option);
}

/* Writes the list of subcommands. Those of `tracewire` itself have pages of their own; others are described completely. */
static void put_commands(FILE *out, const struct cli_command *command, const char *path)
{
	fputs(".SH COMMANDS\n", out);
	for (const struct cli_command *const *below = command->commands; *below; below++) {
		if (command != &cli_root_command) {
			put_below(out, *below, path);
			continue;
		}
		fprintf(out, ".TP\n.BR %s\\-%s (1)\n", path, (*below)->name);
		put_text(out, (*below)->summary);
	}
}

static void put_examples(FILE *out, const struct cli_example *example)
{
	fputs(".SH EXAMPLES\n", out);
	for (; example->what; example++) {
		fputs(".PP\n", out);
		put_text(out, example->what);
		fputs(".PP\n.RS 4\n.EX\n", out);
		put_text(out, example->command);
		fputs(".EE\n.RE\n", out);
	}
}

static void put_exit_status(FILE *out, const struct cli_command *command)
{
	fputs(".SH EXIT STATUS\n.TP\n0\nSuccess.\n", out);
	fputs(".TP\n1\nFailure; an error message on standard error says what failed and, if known, why and what to do.\n",
	      out);
	fputs(".TP\n2\nUsage error, for example a misspelt option or an unknown event.\n", out);
	if (command->runs_program || command->has_program)
		fputs(".TP\n126, 127\nThe command to trace cannot be run, or does not exist.\n"
		      ".PP\nIf a command was run and tracing did not fail, the exit status is that of the command, "
		      "or 128 + n if signal n ended it.\n",
		      out);
}

/* Whether a command or one of its subcommands takes an expression. */
static bool takes_filter(const struct cli_command *command)
{
	for (const struct cli_option_group *const *group = command->groups; group && *group; group++)
		for (const struct cli_option *option = (*group)->options; option->name; option++)
			if (option->kind == CLI_ARG_FILTER)
				return true;
	for (const struct cli_command *const *below = command->commands; below && *below; below++)
		if (takes_filter(*below))
			return true;
	return command->arg_kind == CLI_ARG_FILTER;
}

void generate__man_page(const struct cli_command *command, const char *path, FILE *out)
{
	put_header(out, command, path);
	fputs(".SH SYNOPSIS\n", out);
	put_synopsis(out, command, path);
	fputs(".SH DESCRIPTION\n", out);
	put_text(out, command->description ? command->description : command->summary);
	put_details(out, command);
	if (command->commands)
		put_commands(out, command, path);
	fputs(".SH OPTIONS\n", out);
	for (const struct cli_option_group *const *group = command->groups; group && *group; group++)
		put_group(out, *group);
	put_group(out, &cli_general_options);
	if (command->examples)
		put_examples(out, command->examples);
	put_exit_status(out, command);
	fputs(".SH SEE ALSO\n", out);
	if (command != &cli_root_command)
		fputs(".BR tracewire (1),\n", out);
	if (takes_filter(command))
		fputs(".BR tracewire\\-filter (7),\n", out);
	fputs(".BR wireshark (1),\n.BR tshark (1),\n.BR trace\\-cmd (1)\n", out);
}
