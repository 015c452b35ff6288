/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The option parser: values, order, words after the options, and the error texts. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/options.h"

struct config {
	char order[64]; /* the calls of apply functions, in order */
	bool quiet;
	uint64_t count;
	const char *file;
};

static int apply_event(void *data, const char *value, struct tw_error *err)
{
	struct config *config = data;

	(void)err;
	strcat(strcat(config->order, "e="), value);
	return 0;
}

static int apply_filter(void *data, const char *value, struct tw_error *err)
{
	struct config *config = data;

	if (!config->order[0])
		return tw_error__set(err, -EINVAL, "nothing to filter");
	strcat(strcat(config->order, "f="), value);
	return 0;
}

static const struct cli_option options[] = {
	{ 'e', "event", "EVENT", CLI_ARG_EVENT, "", .apply = apply_event },
	{ 0, "event-filter", "FILTER", CLI_ARG_TEXT, "", .apply = apply_filter },
	{ 'q', "quiet", NULL, CLI_ARG_NONE, "", .offset = offsetof(struct config, quiet) },
	{ 'c', "count", "N", CLI_ARG_NUMBER, "", .offset = offsetof(struct config, count) },
	{ 'w', "write", "FILE", CLI_ARG_FILE, "", .offset = offsetof(struct config, file) },
	{ 0, "buffer-size", "KIB", CLI_ARG_NUMBER, "", .offset = offsetof(struct config, count) },
	{ 0, "buffer-file", "FILE", CLI_ARG_FILE, "", .offset = offsetof(struct config, file) },
	{ 'i', "interface", "NAME", CLI_ARG_INTERFACE, "", .offset = offsetof(struct config, file),
	  .once = "choose one" },
	{ 0 },
};

static const struct cli_option_group group = { "Options", options };
static const struct cli_option_group *const groups[] = { &group, NULL };

#define ARGS_MAX 16

/* A command line split at its blanks. */
struct line {
	char text[256];
	char *argv[ARGS_MAX];
	int argc;
	struct config config;
	enum cli_parsed parsed;
	int first;
	struct tw_error err;
};

static int parse(struct line *line, const char *text, bool stop_at_word)
{
	char *save;

	*line = (struct line){ .argc = 0 };
	snprintf(line->text, sizeof(line->text), "command %s", text);
	for (char *word = strtok_r(line->text, " ", &save); word; word = strtok_r(NULL, " ", &save))
		line->argv[line->argc++] = word;
	return cli_options__parse(&(struct cli_syntax){ groups, CLI_ARG_FILE, stop_at_word }, line->argc, line->argv,
				  &line->config, &line->parsed, &line->first, &line->err);
}

static void test_values(void **state)
{
	struct line line;

	(void)state;
	assert_int_equal(parse(&line, "-q -c 12 --write=x.pcapng", false), 0);
	assert_int_equal(line.parsed, CLI_PARSED_RUN);
	assert_true(line.config.quiet);
	assert_int_equal(line.config.count, 12);
	assert_string_equal(line.config.file, "x.pcapng");
	assert_int_equal(line.first, line.argc);
	assert_int_equal(parse(&line, "-c18446744073709551615", false), 0);
	assert_true(line.config.count == UINT64_MAX);
	assert_int_equal(parse(&line, "-c 1 --count 2 -w a -w b -i c", false), 0);
	assert_int_equal(line.config.count, 2);
}

static void test_order(void **state)
{
	struct line line;

	(void)state;
	assert_int_equal(parse(&line, "-e a --event-filter x --event b -ec --event-filter=y", false), 0);
	assert_string_equal(line.config.order, "e=af=xe=be=cf=y");
}

static void test_command_behind_the_options(void **state)
{
	struct line line;

	(void)state;
	assert_int_equal(parse(&line, "-q -- ls -q --help", true), 0);
	assert_string_equal(line.argv[line.first], "ls");
	assert_int_equal(line.argc - line.first, 3);
	assert_int_equal(parse(&line, "-q ls -c --help", true), 0);
	assert_string_equal(line.argv[line.first], "ls");
	assert_int_equal(parse(&line, "word -q", false), 0);
	assert_true(line.config.quiet);
	assert_string_equal(line.argv[line.first], "word");
}

static void test_help_ends_it(void **state)
{
	struct line line;

	(void)state;
	assert_int_equal(parse(&line, "-h --nonsense", false), 0);
	assert_int_equal(line.parsed, CLI_PARSED_HELP);
	assert_int_equal(parse(&line, "-q --version", false), 0);
	assert_int_equal(line.parsed, CLI_PARSED_VERSION);
	assert_int_equal(parse(&line, "-qV", false), 0);
	assert_int_equal(line.parsed, CLI_PARSED_VERSION);
}

static void test_sentences(void **state)
{
	static const struct {
		const char *line, *sentence;
	} cases[] = {
		{ "--quit", "unknown option '--quit'; did you mean --quiet?" },
		{ "--evnet=sched", "unknown option '--evnet'; did you mean --event?" },
		{ "--zzzzzzzzzzz", "unknown option '--zzzzzzzzzzz'; see --help" },
		{ "-x", "unknown option '-x'; see --help" },
		{ "-qx", "unknown option '-x'; see --help" },
		{ "-o x", "unknown option '-o'; in this command, that option is -w, --write" },
		{ "-qb 100", "unknown option '-b'; in this command, that option is --buffer-size" },
		{ "-v", "unknown option '-v'; in this command, that option is -V, --version" },
		{ "-Y x", "unknown option '-Y'; see --help" }, /* this command has no filter */
		{ "-r x", "unknown option '-r'; the file is given without an option" },
		{ "--buffer 3", "option '--buffer' is ambiguous: --buffer-size or --buffer-file?" },
		{ "-w", "option '--write' needs an argument: FILE" },
		{ "--write", "option '--write' needs an argument: FILE" },
		{ "--quiet=yes", "option '--quiet' takes no argument" },
		{ "-c many", "option '--count': 'many' is not a number: write digits only, such as 100" },
		{ "-c -1", "option '--count': '-1' is not a number: write digits only, such as 100" },
		{ "-c 1k",
		  "option '--count': '1k' is not a number because of character 2: write digits only, such as 100" },
		{ "-c 99999999999999999999",
		  "option '--count': the number 99999999999999999999 is too large; 18446744073709551615 is the largest" },
		{ "--event-filter x -e a", "nothing to filter" },
		{ "-i a --interface b", "--interface is given twice; choose one" },
		{ "-i a -i a", "--interface is given twice; choose one" },
	};
	struct line line;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(&line, cases[i].line, false), -EINVAL);
		assert_string_equal(line.err.text, cases[i].sentence);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_command_behind_the_options),
		cmocka_unit_test(test_help_ends_it),
		cmocka_unit_test(test_sentences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
