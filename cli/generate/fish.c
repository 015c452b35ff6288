/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completion for fish: one line for each option or command. */
#include "cli/generate/generate.h"

/* The options of fish's `complete` for an argument of each kind. For a kind without an entry here, generate__lister() is used. */
static const char *const offers[CLI_ARG_KINDS] = {
	[CLI_ARG_NONE] = "-f",
	[CLI_ARG_FILE] = "-rF",
	[CLI_ARG_EVENT] = "-x -a '(__tracewire_events)'",
	[CLI_ARG_PAIR] = "-F -a '(__tracewire_pairs)'",
	[CLI_ARG_FUNCTION] = "-x -a '(tracewire list --functions (commandline -ct)\"*\" 2>/dev/null)'",
	[CLI_ARG_COMMAND] = "-x -a '(__fish_complete_command)'",
};

static void put_offer(FILE *out, enum cli_arg_kind kind)
{
	const char *lister = generate__lister(kind);

	if (offers[kind])
		fputs(offers[kind], out);
	else if (lister)
		fprintf(out, "-x -a '(%s)'", lister);
	else
		fputs("-x", out);
}

/* Writes @text in single quotes. */
static void put_quoted(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text; text++)
		fprintf(out, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
	fputc('\'', out);
}

/* Writes the condition for the lines of @command: the words typed so far select @command, and none of its subcommands. */
static void put_condition(FILE *out, const struct cli_command *command, const char *const *path, int depth)
{
	fputs("complete -c tracewire -n '", out);
	for (int i = 1; i < depth; i++)
		fprintf(out, "%s__fish_seen_subcommand_from %s", i > 1 ? "; and " : "", path[i]);
	if (command->commands) {
		fprintf(out, "%snot __fish_seen_subcommand_from", depth > 1 ? "; and " : "");
		for (const struct cli_command *const *below = command->commands; *below; below++)
			fprintf(out, " %s", (*below)->name);
	}
	fputs("'", out);
}

static void put_group(FILE *out, const struct cli_command *command, const struct cli_option_group *group,
		      const char *const *path, int depth)
{
	for (const struct cli_option *option = group->options; option->name; option++) {
		put_condition(out, command, path, depth);
		if (option->letter)
			fprintf(out, " -s %c", option->letter);
		fprintf(out, " -l %s ", option->name);
		put_offer(out, option->kind);
		fputs(" -d ", out);
		put_quoted(out, option->help);
		fputc('\n', out);
	}
}

#define DEPTH_MAX 4

static void put_command(FILE *out, const struct cli_command *command, const char **path, int depth)
{
	path[depth++] = command->name;
	for (const struct cli_option_group *const *group = command->groups; group && *group; group++)
		put_group(out, command, *group, path, depth);
	put_group(out, command, &cli_general_options, path, depth);
	if (!command->commands && command->arguments) {
		put_condition(out, command, path, depth);
		fputc(' ', out);
		put_offer(out, command->arg_kind);
		fputc('\n', out);
	}
	for (const struct cli_command *const *below = command->commands; below && *below; below++) {
		put_condition(out, command, path, depth);
		fprintf(out, " -f -a %s -d ", (*below)->name);
		put_quoted(out, (*below)->summary);
		fputc('\n', out);
		if (depth < DEPTH_MAX)
			put_command(out, *below, path, depth);
	}
}

void generate__fish(const struct cli_command *root, FILE *out)
{
	const char *path[DEPTH_MAX];

	fputs("# SPDX-License-Identifier: GPL-2.0-or-later\n"
	      "# fish completion for tracewire; generated from its option tables\n"
	      "complete -c tracewire -f\n"
	      "\n"
	      "# For a comma-separated list that is being typed, print each event with the finished items of the list before it.\n"
	      "function __tracewire_events\n",
	      out);
	fprintf(out,
		"\tset -l before (string replace -r \"[^,]*\\$\" \"\" -- (commandline -ct))\n"
		"\tstring replace -r ^ -- \"$before\" (%s)\n"
		"end\n\n",
		generate__lister(CLI_ARG_EVENT));
	fprintf(out, "function __tracewire_pairs\n\t%s\nend\n\n", generate__lister(CLI_ARG_PAIR));
	put_command(out, root, path, 0);
}
