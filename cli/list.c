/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire list`: lists what this kernel offers. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

#include "cli/command.h"
#include "cli/messages.h"
#include "cli/selection.h"
#include "producer/events.h"
#include "producer/instance.h"
#include "producer/tracing_dir.h"
#include "schema/format.h"

struct list_config {
	struct cli_selection selection;
	bool systems, fields, clocks, instances, tracers, functions, options;
};

static void print_fields(const struct tw_format *format)
{
	for (uint16_t i = format->n_common; i < format->n_fields; i++) {
		putchar('\t');
		say(stdout, "%-24s %s\n", format->fields[i].name, format->fields[i].type);
	}
}

/* Prints the event and, one a line, the name and type of its fields. */
static int print_event_fields(const char *dir, const struct tw_event_name *event, struct tw_error *error)
{
	char *text;
	struct tw_format *format;
	int err;

	err = tw_event_format__read(dir, event->system, event->name, &text, error);
	if (err)
		return err;
	err = tw_format__parse(text, strlen(text), event->system, &format, error);
	free(text);
	if (err)
		return err;
	say(stdout, "%s:%s\n", event->system, event->name);
	print_fields(format);
	tw_format__free(format);
	return 0;
}

static bool matches(const char *name, char *const *globs)
{
	bool found = !*globs;

	for (; *globs && !found; globs++)
		found = !fnmatch(*globs, name, 0);
	return found;
}

/*
 * Prints the words of a file, one a line, that match one of @globs, or all words if there are no globs. A word ends at one of @separators.
 * The part of a word after a blank is not printed: in available_filter_functions, this part is the name of the function's module. In
 * trace_clock, brackets are separators, because the selected clock is in brackets.
 */
static int print_words(const char *dir, const char *file, const char *separators, char *const *globs,
		       struct tw_error *error)
{
	char *text, *save;
	const int err = tw_tracing_file__read(dir, file, &text, error);

	if (err)
		return err;
	for (char *word = strtok_r(text, separators, &save); word; word = strtok_r(NULL, separators, &save)) {
		word[strcspn(word, " \t")] = '\0';
		if (matches(word, globs))
			say(stdout, "%s\n", word);
	}
	free(text);
	return 0;
}

/* Prints the trace options of a new instance; a few more options exist only for the kernel's top-level buffer. */
static int print_options(struct tw_error *error)
{
	struct tw_instance *instance;
	struct dirent **entries;
	char path[PATH_MAX];
	int n, err = tw_instance__new("-list", &instance, error);

	if (err)
		return err;
	n = scandir(tw_instance__path(instance, "options", path, sizeof(path)), &entries, NULL, alphasort);
	if (n < 0)
		err = tw_error__set(error, -errno, "cannot list %s: %s", path, strerror(errno));
	for (int i = 0; i < n; i++) {
		if (entries[i]->d_name[0] != '.')
			say(stdout, "%s\n", entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	tw_instance__free(instance);
	return err;
}

static int print_instances(struct tw_error *error)
{
	char **instances = tracefs_instances(NULL);

	if (!instances)
		return errno == ENOENT || !errno
			       ? 0
			       : tw_error__set(error, -errno, "cannot list the tracefs instances: %s", strerror(errno));
	for (char **instance = instances; *instance; instance++)
		say(stdout, "%s\n", *instance);
	tracefs_list_free(instances);
	return 0;
}

/* Prints event @i of the list: its name; with --fields also its fields; with --systems, only the name of each system, once. */
static int print_event(const struct list_config *config, const char *dir, const struct tw_event_list *events, size_t i,
		       struct tw_error *error)
{
	const struct tw_event_name *event = &events->names[i];

	if (config->fields)
		return print_event_fields(dir, event, error);
	if (!config->systems)
		say(stdout, "%s:%s\n", event->system, event->name);
	else if (!i || strcmp(event->system, event[-1].system) != 0)
		say(stdout, "%s\n", event->system);
	return 0;
}

static int list_events(const struct list_config *config, const char *dir, struct tw_error *error)
{
	struct tw_event_list all = { 0 }, selected = { 0 };
	const struct tw_event_list *events = config->selection.n ? &selected : &all;
	int err = tw_event_list__read(dir, &all, error);

	if (err)
		return err;
	err = cli_selection__resolve(&config->selection, &all, &selected, error);
	for (size_t i = 0; i < events->n && !err; i++)
		err = print_event(config, dir, events, i, error);
	tw_event_list__fini(&selected);
	tw_event_list__fini(&all);
	return err;
}

static int list(struct list_config *config, int n_args, char **args, struct tw_error *error)
{
	static char *const all[] = { NULL };
	const char *dir;
	int err = tw_tracing_dir__find(&dir, error);

	if (!err && config->functions) {
		err = print_words(dir, "available_filter_functions", "\n", args, error);
		return err != -ENOENT
			       ? err
			       : tw_error__set(error, -EOPNOTSUPP, "this kernel is built without the function tracer");
	}
	for (int i = 0; i < n_args && !err; i++)
		err = cli_selection__add(&config->selection, args[i], error);
	if (err)
		return err;
	if (config->clocks)
		return print_words(dir, "trace_clock", "[] \n", all, error);
	if (config->tracers)
		return print_words(dir, "available_tracers", "[] \n", all, error);
	if (config->options)
		return print_options(error);
	if (config->instances)
		return print_instances(error);
	return list_events(config, dir, error);
}

static int run(void *config, int n_args, char **args, struct tw_error *error)
{
	return cli_exit__of(list(config, n_args, args, error));
}

static const struct cli_option options[] = {
	{ 'e', "event", "EVENT", CLI_ARG_EVENT,
	  "List these events: a system, an event or SYSTEM:EVENT, with wildcards; separate several by commas",
	  .apply = cli_selection__add },
	{ 'v', "fields", NULL, CLI_ARG_NONE, "Also list the name and type of each field, except the common fields",
	  .offset = offsetof(struct list_config, fields) },
	{ 0, "systems", NULL, CLI_ARG_NONE, "List systems instead of events",
	  .offset = offsetof(struct list_config, systems) },
	{ 0, "clocks", NULL, CLI_ARG_NONE,
	  "List the kernel's trace clocks; the option --clock of `record` accepts those that count nanoseconds",
	  .offset = offsetof(struct list_config, clocks) },
	{ 't', "tracers", NULL, CLI_ARG_NONE, "List the tracers, for --tracer",
	  .offset = offsetof(struct list_config, tracers) },
	{ 'o', "options", NULL, CLI_ARG_NONE, "List the trace options, for --trace-option",
	  .offset = offsetof(struct list_config, options) },
	{ 0, "functions", NULL, CLI_ARG_NONE,
	  "List the functions that a tracer can record. If arguments are given, they are globs, and only functions that match "
	  "one of them are listed",
	  .offset = offsetof(struct list_config, functions) },
	{ 0, "instances", NULL, CLI_ARG_NONE, "List all tracefs instances",
	  .offset = offsetof(struct list_config, instances) },
	{ 0 },
};

static const struct cli_option_group group = { "Options", options };
static const struct cli_option_group *const groups[] = { &group, NULL };

static const struct cli_example examples[] = {
	{ "List all events about waking up", "sudo tracewire list '*wak*'" },
	{ "List the fields of a context switch", "sudo tracewire list -v sched_switch" },
	{ "List the functions that --function 'vfs_*' selects", "sudo tracewire list --functions 'vfs_*'" },
	{ "List the systems with tcp events", "sudo tracewire list --systems '*:*tcp*'" },
	{ NULL, NULL },
};

const struct cli_command cli_command_list = {
	.name = "list",
	.summary = "List the events, tracers, functions and clocks of this kernel",
	.arguments = "[EVENT]...",
	.arg_kind = CLI_ARG_EVENT,
	.args_max = -1,
	.description =
		"Prints one name a line; events are printed as SYSTEM:EVENT. Without options and arguments, all events "
		"that can be traced are listed.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct list_config),
	.run = run,
	.discard = cli_selection__fini,
};
