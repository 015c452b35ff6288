/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completion for bash. It does not need the package bash-completion. One function finds the command in the line, and offers words. */
#include "cli/generate/generate.h"

/* The shell command that completes an argument of each kind. If a kind has a lister (generate.h), its output is added as an argument. */
static const char *const offers[CLI_ARG_KINDS] = {
	[CLI_ARG_FILE] = "compopt -o default",
	[CLI_ARG_EVENT] = "_tracewire_offer_last",
	[CLI_ARG_PAIR] = "compopt -o default; _tracewire_offer",
	[CLI_ARG_FUNCTION] = "_tracewire_offer \"$(tracewire list --functions \"$cur*\" 2>/dev/null)\"",
	[CLI_ARG_COMMAND] = "_tracewire_offer \"$(compgen -c -- \"$cur\")\"",
};

static void put_offer(FILE *out, enum cli_arg_kind kind)
{
	const char *lister = generate__lister(kind);

	if (lister)
		fprintf(out, "%s \"$(%s)\"", offers[kind] ? offers[kind] : "_tracewire_offer", lister);
	else
		fputs(offers[kind] ? offers[kind] : ":", out);
}

static const char prologue[] =
	"# SPDX-License-Identifier: GPL-2.0-or-later\n"
	"# bash completion for tracewire; generated from its option tables\n"
	"\n"
	"# Offer the words of $1 that begin like the word being typed. If $2 is given, it is the beginning of the typed word:\n"
	"# it is not compared, and each offer begins with it. Readline splits words at colons, so the text up to the last\n"
	"# colon is removed from each offer. No blank follows a word that ends in a colon.\n"
	"_tracewire_offer()\n"
	"{\n"
	"\tlocal IFS=$'\\n'\n"
	"\tCOMPREPLY=($(compgen -P \"${2-}\" -W \"$1\" -- \"${cur#\"${2-}\"}\"))\n"
	"\t[[ ${COMPREPLY[0]-} == *: ]] && compopt -o nospace 2>/dev/null\n"
	"\tif [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then\n"
	"\t\tCOMPREPLY=(\"${COMPREPLY[@]#\"${cur%\"${cur##*:}\"}\"}\")\n"
	"\tfi\n"
	"}\n"
	"\n"
	"# Do the same for the last item of a list with commas.\n"
	"_tracewire_offer_last()\n"
	"{\n"
	"\t_tracewire_offer \"$1\" \"${cur%\"${cur##*,}\"}\"\n"
	"}\n"
	"\n"
	"# Split the line at blanks only, unlike readline: cur = the word being typed, prev = the word before it,\n"
	"# commands = the words between tracewire and cur.\n"
	"_tracewire_words()\n"
	"{\n"
	"\tlocal line=${COMP_LINE:0:COMP_POINT}\n"
	"\tlocal -a words\n"
	"\tread -ra words <<<\"$line\"\n"
	"\t[[ $line == *' ' ]] && words+=('')\n"
	"\tcur=${words[-1]}\n"
	"\tprev=${words[-2]-}\n"
	"\tcommands=(\"${words[@]:1:${#words[@]}-2}\")\n"
	"}\n"
	"\n"
	"_tracewire()\n"
	"{\n"
	"\tlocal cur prev word path=tracewire\n"
	"\tlocal -a commands\n"
	"\tCOMPREPLY=()\n"
	"\t_tracewire_words\n"
	"\tfor word in \"${commands[@]}\"; do\n"
	"\t\tcase \"$path $word\" in\n";

static void put_option_words(FILE *out, const struct cli_option_group *group)
{
	for (const struct cli_option *option = group->options; option->name; option++) {
		if (option->letter)
			fprintf(out, "-%c\\n", option->letter);
		fprintf(out, "--%s\\n", option->name);
	}
}

/* Writes a `case` branch that completes the argument of an option; nothing if the option has no argument. */
static void put_option_argument(FILE *out, const struct cli_option *option)
{
	if (!option->arg)
		return;
	fputs("\t\t\t", out);
	if (option->letter)
		fprintf(out, "-%c | ", option->letter);
	fprintf(out, "--%s) ", option->name);
	put_offer(out, option->kind);
	fputs("; return ;;\n", out);
}

static void put_options(FILE *out, const struct cli_command *command)
{
	fputs("\t\tcase $prev in\n", out);
	for (const struct cli_option_group *const *group = command->groups; group && *group; group++)
		for (const struct cli_option *option = (*group)->options; option->name; option++)
			put_option_argument(out, option);
	fputs("\t\tesac\n\t\tif [[ $cur == -* ]]; then\n\t\t\t_tracewire_offer $'", out);
	for (const struct cli_option_group *const *group = command->groups; group && *group; group++)
		put_option_words(out, *group);
	put_option_words(out, &cli_general_options);
	fputs("'\n\t\t\treturn\n\t\tfi\n", out);
}

static void put_case(FILE *out, const struct cli_command *command, const char *path)
{
	char below_path[128];

	fprintf(out, "\t'%s')\n", path);
	put_options(out, command);
	if (command->commands) {
		fputs("\t\t_tracewire_offer $'", out);
		for (const struct cli_command *const *below = command->commands; *below; below++)
			fprintf(out, "%s\\n", (*below)->name);
		fputs("'\n", out);
	} else if (command->arguments) {
		fputs("\t\t", out);
		put_offer(out, command->arg_kind);
		fputc('\n', out);
	}
	fputs("\t\t;;\n", out);
	for (const struct cli_command *const *below = command->commands; below && *below; below++) {
		snprintf(below_path, sizeof(below_path), "%s %s", path, (*below)->name);
		put_case(out, *below, below_path);
	}
}

/* Writes a `case` branch for each subcommand. The branch appends the subcommand's name to $path. */
static void put_steps(FILE *out, const struct cli_command *command, const char *path)
{
	char below_path[128];

	for (const struct cli_command *const *below = command->commands; below && *below; below++) {
		snprintf(below_path, sizeof(below_path), "%s %s", path, (*below)->name);
		fprintf(out, "\t\t'%s') path='%s' ;;\n", below_path, below_path);
		put_steps(out, *below, below_path);
	}
}

void generate__bash(const struct cli_command *root, FILE *out)
{
	fputs(prologue, out);
	put_steps(out, root, root->name);
	fputs("\t\tesac\n\tdone\n\tcase $path in\n", out);
	put_case(out, root, root->name);
	fputs("\tesac\n}\n\ncomplete -F _tracewire tracewire\n", out);
}
