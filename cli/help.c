/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the text of --help for each command. The command `help` prints the same texts. */
#include <string.h>

#include "cli/command.h"

#define WIDTH      80
#define OPTION_COL 30 /* column at which the help of an option begins */

/*
 * Prints @text in lines of at most WIDTH columns, indented to column @indent. @column: column of the cursor at the call. Newlines in @text
 * are kept.
 */
static void print_wrapped(FILE *out, const char *text, int indent, int column)
{
	while (*text) {
		const int len = (int)strcspn(text, " \n");

		if (column > indent && column + 1 + len > WIDTH) {
			fprintf(out, "\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			fputc(' ', out);
			column++;
		}
		fwrite(text, 1, (size_t)len, out);
		column += len;
		text += len;
		if (*text == '\n') {
			fprintf(out, "\n%*s", text[1] && text[1] != '\n' ? indent : 0, "");
			column = indent;
		}
		text += *text != '\0';
	}
	fputc('\n', out);
}

static void print_option(FILE *out, const struct cli_option *option)
{
	char letter[] = "-x, ", head[OPTION_COL * 2];
	int len;

	letter[1] = option->letter;
	len = snprintf(head, sizeof(head), "  %s--%s%s%s", option->letter ? letter : "    ", option->name,
		       option->arg ? " " : "", option->arg ? option->arg : "");
	fprintf(out, "%-*s", OPTION_COL - 1, head);
	if (len >= OPTION_COL - 1)
		fprintf(out, "\n%*s", OPTION_COL - 1, "");
	fputc(' ', out);
	print_wrapped(out, option->help, OPTION_COL, OPTION_COL);
}

static void print_group(FILE *out, const struct cli_option_group *group)
{
	fprintf(out, "\n%s:\n", group->title);
	for (const struct cli_option *option = group->options; option->name; option++)
		print_option(out, option);
}

static void print_usage(FILE *out, const struct cli_command *command, const char *path)
{
	fprintf(out, "Usage: %s", path);
	if (command->commands)
		fputs(" COMMAND", out);
	else if (command->groups)
		fputs(" [OPTION]...", out);
	fprintf(out, "%s%s\n\n", command->arguments ? " " : "", command->arguments ? command->arguments : "");
}

/* Prints the name of the manual page, which has more details: "tracewire-report" for "tracewire report". */
static void print_page(FILE *out, const char *path)
{
	fputs("\nDetails: man ", out);
	for (; *path; path++)
		fputc(*path == ' ' ? '-' : *path, out);
	fputc('\n', out);
}

void cli_command__help(const struct cli_command *command, const char *path, FILE *out)
{
	print_usage(out, command, path);
	print_wrapped(out, command->summary, 0, 0);
	if (command->description) {
		fputc('\n', out);
		print_wrapped(out, command->description, 0, 0);
	}
	if (command->details)
		print_page(out, path);
	if (command->commands)
		fputs("\nCommands:\n", out);
	for (const struct cli_command *const *below = command->commands; below && *below; below++)
		fprintf(out, "  %-10s %s\n", (*below)->name, (*below)->summary);
	for (const struct cli_option_group *const *group = command->groups; group && *group; group++)
		print_group(out, *group);
	print_group(out, &cli_general_options);
	if (command->examples)
		fputs("\nExamples:\n", out);
	for (const struct cli_example *example = command->examples; example && example->what; example++)
		fprintf(out, "  %s:\n    %s\n", example->what, example->command);
}

static int help(void *config, int n_args, char **args, struct tw_error *error)
{
	const struct cli_command *command = &cli_root_command;
	char path[128];

	(void)config;
	snprintf(path, sizeof(path), "%s", command->name);
	for (int i = 0; i < n_args; i++) {
		const size_t len = strlen(path);

		if (!command->commands) {
			tw_error__set(error, 0, "'%s' has no subcommands", path);
			return CLI_EXIT_USAGE;
		}
		command = cli_command__find(command->commands, args[i], error);
		if (!command)
			return CLI_EXIT_USAGE;
		snprintf(path + len, sizeof(path) - len, " %s", command->name);
	}
	cli_command__help(command, path, stdout);
	return CLI_EXIT_OK;
}

const struct cli_command cli_command_help = {
	.name = "help",
	.summary = "Show the help of a command",
	.arguments = "[COMMAND]...",
	.arg_kind = CLI_ARG_COMMAND,
	.args_max = -1,
	.run = help,
};
