/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/options.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "base/nearest.h"
#include "base/time.h"

#define SECONDS_MAX 1000000000u
#define LONG_BASE   256 /* value of getopt_long for the first long option, larger than any letter */

enum { GENERAL_HELP, GENERAL_VERSION };

static const struct cli_option general[] = {
	[GENERAL_HELP] = { 'h', "help", NULL, CLI_ARG_NONE, "Show this help and exit", .offset = 0 },
	[GENERAL_VERSION] = { 'V', "version", NULL, CLI_ARG_NONE, "Show the version and exit", .offset = 0 },
	{ 0 },
};

const struct cli_option_group cli_general_options = { "General options", general };

/* All options of one command, in the form that getopt_long() needs. */
struct option_set {
	const struct cli_option *rows[CLI_OPTIONS_MAX];
	struct option longs[CLI_OPTIONS_MAX + 1];
	char letters[3 + 2 * CLI_OPTIONS_MAX];
	enum cli_arg_kind arg_kind;
	bool given[CLI_OPTIONS_MAX]; /* for each row: the option was on the command line */
	int n;
};

static void option_set__add(struct option_set *set, const struct cli_option *row)
{
	const int at = set->n++;
	char *end = set->letters + strlen(set->letters);

	assert(at < CLI_OPTIONS_MAX);
	set->rows[at] = row;
	set->longs[at] = (struct option){ row->name, row->arg ? required_argument : no_argument, NULL, LONG_BASE + at };
	if (!row->letter)
		return;
	*end++ = row->letter;
	if (row->arg)
		*end = ':';
}

static void option_set__add_group(struct option_set *set, const struct cli_option_group *group)
{
	for (const struct cli_option *row = group->options; row->name; row++)
		option_set__add(set, row);
}

static void option_set__init(struct option_set *set, const struct cli_syntax *syntax)
{
	*set = (struct option_set){ .arg_kind = syntax->arg_kind };
	/* '+': stop at the first word; ':': distinguish a missing argument from an unknown option */
	strcpy(set->letters, syntax->stop_at_word ? "+:" : ":");
	for (const struct cli_option_group *const *group = syntax->groups; group && *group; group++)
		option_set__add_group(set, *group);
	option_set__add_group(set, &cli_general_options);
}

/* Return: the index of the option for a result of getopt_long or for optopt; -1 if there is none. */
static int option_set__index(const struct option_set *set, int code)
{
	if (code >= LONG_BASE)
		return code - LONG_BASE;
	for (int i = 0; i < set->n; i++)
		if (code && set->rows[i]->letter == code)
			return i;
	return -1;
}

/* Option letters of trace-cmd, tcpdump, tshark and dumpcap, each with the name of the Tracewire option that does the same. */
static const struct {
	char letter;
	const char *name;
} foreign_letters[] = {
	{ 'b', "buffer-size" }, { 'B', "buffer-size" }, { 'C', "ring-buffer" }, { 'F', "filter" },
	{ 'G', "ring-buffer" }, { 'N', "udp" },         { 'o', "write" },       { 'v', "version" },
	{ 'w', "output" },      { 'W', "ring-buffer" }, { 'Y', "filter" },
};

static const struct cli_option *option_set__named(const struct option_set *set, const char *name)
{
	for (int i = 0; i < set->n; i++)
		if (!strcmp(set->rows[i]->name, name))
			return set->rows[i];
	return NULL;
}

/* Return: the option of this command that does the same as @letter in a tool of foreign_letters[]; NULL = none */
static const struct cli_option *same_elsewhere(const struct option_set *set, int letter)
{
	for (size_t i = 0; i < sizeof(foreign_letters) / sizeof(foreign_letters[0]); i++)
		if (foreign_letters[i].letter == letter)
			return option_set__named(set, foreign_letters[i].name);
	return NULL;
}

static int unknown_letter(const struct option_set *set, int letter, struct tw_error *error)
{
	const struct cli_option *same = same_elsewhere(set, letter);

	if (same && same->letter)
		return tw_error__set(error, -EINVAL, "unknown option '-%c'; in this command, that option is -%c, --%s",
				     letter, same->letter, same->name);
	if (same)
		return tw_error__set(error, -EINVAL, "unknown option '-%c'; in this command, that option is --%s",
				     letter, same->name);
	if (set->arg_kind == CLI_ARG_FILE && (letter == 'r' || letter == 'i'))
		return tw_error__set(error, -EINVAL, "unknown option '-%c'; the file is given without an option",
				     letter);
	return tw_error__set(error, -EINVAL, "unknown option '-%c'; see --help", letter);
}

/* Return: -EINVAL if several long options begin with @word, otherwise 0. If exactly one does, getopt_long() has already accepted @word. */
static int ambiguous_name(const struct option_set *set, const char *word, size_t len, struct tw_error *error)
{
	const char *first = NULL;

	for (int i = 0; i < set->n; i++) {
		if (strncmp(set->rows[i]->name, word, len))
			continue;
		if (first)
			return tw_error__set(error, -EINVAL, "option '--%.*s' is ambiguous: --%s or --%s?", (int)len,
					     word, first, set->rows[i]->name);
		first = set->rows[i]->name;
	}
	return 0;
}

/* Whether @name is a name that other tools, or their users, give to the time limit of a run. */
static bool is_time_limit(const char *name)
{
	static const char *const names[] = { "duration", "seconds", "time", "timeout" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* Return: how the command of @set limits its time; NULL if it cannot */
static const char *time_limit(const struct option_set *set)
{
	if (option_set__named(set, "autostop"))
		return "in this command, that option is -a, --autostop duration:SECONDS";
	return set->arg_kind == CLI_ARG_COMMAND ? "to trace for SECONDS, write -- sleep SECONDS after the options"
						: NULL;
}

static int unknown_name(const struct option_set *set, const char *word, struct tw_error *error)
{
	const size_t len = strcspn(word, "=");
	char name[TW_NEAREST_WORD_MAX];
	struct tw_nearest nearest;
	const int err = len ? ambiguous_name(set, word, len, error) : 0;

	if (err)
		return err;
	if (len >= sizeof(name))
		return tw_error__set(error, -EINVAL, "unknown option '--%.40s...'; see --help", word);
	memcpy(name, word, len);
	name[len] = '\0';
	if (is_time_limit(name) && time_limit(set))
		return tw_error__set(error, -EINVAL, "unknown option '--%s'; %s", name, time_limit(set));
	tw_nearest__init(&nearest, name);
	for (int i = 0; i < set->n; i++)
		tw_nearest__offer(&nearest, set->rows[i]->name);
	if (nearest.best)
		return tw_error__set(error, -EINVAL, "unknown option '--%s'; did you mean --%s?", name, nearest.best);
	return tw_error__set(error, -EINVAL, "unknown option '--%s'; see --help", name);
}

/* Sets the error for an option that getopt_long refused. @code: '?' or ':'; @word: the word with the option. Return: -EINVAL */
static int refuse(const struct option_set *set, int code, const char *word, struct tw_error *error)
{
	const int at = option_set__index(set, optopt);
	const struct cli_option *row = at < 0 ? NULL : set->rows[at];

	if (row && code == ':')
		return tw_error__set(error, -EINVAL, "option '--%s' needs an argument: %s", row->name, row->arg);
	if (row)
		return tw_error__set(error, -EINVAL, "option '--%s' takes no argument", row->name);
	if (optopt)
		return unknown_letter(set, optopt, error);
	return unknown_name(set, word + 2, error);
}

int cli_number__parse(const char *option, const char *text, const struct tw_number_rule *rule, uint64_t *ret,
		      struct tw_error *error)
{
	struct tw_error why;

	if (tw_number__parse(text, rule, ret, &why))
		return tw_error__set(error, -EINVAL, "option '--%s': %s", option, why.text);
	return 0;
}

int cli_seconds__parse(const char *text, uint64_t *ret)
{
	const char *end = text;
	uint64_t seconds;
	uint32_t fraction;

	if (!tw_number__decimal(&end, &seconds, &fraction) || (strcmp(end, "s") && *end) || !(seconds || fraction) ||
	    seconds >= SECONDS_MAX)
		return -EINVAL;
	*ret = seconds * TW_NS_PER_SECOND + fraction;
	return 0;
}

/* Refuses a second value of an option with @once: otherwise, the first value would be lost without the user's knowledge. */
static int check_once(struct option_set *set, int at, struct tw_error *error)
{
	const struct cli_option *row = set->rows[at];
	const bool again = set->given[at];

	set->given[at] = true;
	if (!again || !row->once)
		return 0;
	return tw_error__set(error, -EINVAL, "--%s is given twice; %s", row->name, row->once);
}

static int option__apply(const struct cli_option *row, const char *value, void *config, struct tw_error *error)
{
	static const struct tw_number_rule size = { .unit = 1 };
	void *target = (char *)config + row->offset;

	if (row->apply)
		return row->apply(target, value, error);
	switch (row->kind) {
	case CLI_ARG_NONE:
		*(bool *)target = true;
		return 0;
	case CLI_ARG_SIZE:
		return cli_number__parse(row->name, value, &size, target, error);
	case CLI_ARG_NUMBER:
		return cli_number__parse(row->name, value, NULL, target, error);
	default:
		*(const char **)target = value;
		return 0;
	}
}

int cli_options__parse(const struct cli_syntax *syntax, int argc, char **argv, void *config, enum cli_parsed *ret,
		       int *ret_first, struct tw_error *error)
{
	struct option_set set;
	int code, err;

	option_set__init(&set, syntax);
	opterr = 0;
	optind = 0; /* restarts getopt_long */
	while ((code = getopt_long(argc, argv, set.letters, set.longs, NULL)) != -1) {
		const struct cli_option *row;
		int at;

		if (code == '?' || code == ':')
			return refuse(&set, code, argv[optind - 1], error);
		at = option_set__index(&set, code);
		row = set.rows[at];
		if (row == &general[GENERAL_HELP] || row == &general[GENERAL_VERSION]) {
			*ret = row == &general[GENERAL_HELP] ? CLI_PARSED_HELP : CLI_PARSED_VERSION;
			return 0;
		}
		err = check_once(&set, at, error);
		if (!err)
			err = option__apply(row, optarg, config, error);
		if (err)
			return err;
	}
	*ret = CLI_PARSED_RUN;
	*ret_first = optind;
	return 0;
}
