/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire latency`: histograms of the times between events. */
#include "cli/latency/latency.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/messages.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "cli/standard_files.h"

#define OWN_NAME   "command-line" /* the pair of --from, --to and --key */
#define LINEAR_MAX 1000000000000u /* ns */

struct latency_config {
	const char *from, *to, *key;
	const char *by;
	uint64_t linear, memory;
	bool as_json, list, quiet;
	char *by_names; /* @by, with NULs in place of commas */
	const char *by_list[TW_PAIR_KEYS_MAX];
	size_t n_by;
};

static void discard(void *data)
{
	struct latency_config *config = data;

	free(config->by_names);
}

/* Splits --by. */
static int split_by(struct latency_config *config, struct tw_error *error)
{
	char *at;

	if (!config->by)
		return 0;
	at = config->by_names = strdup(config->by);
	while (at) {
		char *comma = strchr(at, ',');

		if (config->n_by == TW_PAIR_KEYS_MAX)
			return tw_error__set(error, -EINVAL, "--by '%s' has more than %d fields", config->by,
					     TW_PAIR_KEYS_MAX);
		if (comma)
			*comma = '\0';
		config->by_list[config->n_by++] = at;
		at = comma ? comma + 1 : NULL;
	}
	return config->by_names ? 0 : tw_error__set(error, -ENOMEM, "no memory for --by");
}

/* Appends a list of keys: the part of each KEY=KEY before the '=', or after it. */
static void put_keys(FILE *out, const char *list, bool of_end)
{
	while (*list) {
		const size_t len = strcspn(list, ","), first = strcspn(list, ",=");
		const char *part = of_end && first < len ? list + first + 1 : list;
		const size_t part_len = of_end && first < len ? len - first - 1 : first;

		fprintf(out, "%.*s%s", (int)part_len, part, list[len] ? "," : "");
		list += len + (list[len] != '\0');
	}
}

/* Adds the pair of --from, --to and --key to the table. Its text is parsed as those in files are. */
static int add_own(const struct latency_config *config, struct tw_pair_table *table, struct tw_error *error)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int err;

	if (!out)
		return tw_error__set(error, -ENOMEM, "no memory for the pair of --from and --to");
	fprintf(out, "pair " OWN_NAME "\ntext from %s to %s\nbegin %s ", config->from, config->to, config->from);
	put_keys(out, config->key ? config->key : "", false);
	fprintf(out, "\nend %s ", config->to);
	put_keys(out, config->key ? config->key : "", true);
	err = fclose(out) ? tw_error__set(error, -ENOMEM, "no memory for the pair of --from and --to")
			  : tw_pair_table__parse(table, text, len, "--from, --to, --key", error);
	free(text);
	return err;
}

static int check(struct latency_config *config, int n_args, struct tw_error *error)
{
	if (!config->from != !config->to)
		return tw_error__set(error, -EINVAL,
				     "--from and --to belong together: give the events that begin and end a pair");
	if (config->key && !config->from)
		return tw_error__set(error, -EINVAL, "--key is the key of the events of --from and --to");
	if (config->linear > LINEAR_MAX)
		return tw_error__set(error, -EINVAL, "--linear %llu is more than %llu ns",
				     (unsigned long long)config->linear, (unsigned long long)LINEAR_MAX);
	if (config->from && n_args != 1)
		return tw_error__set(error, -EINVAL, "with --from and --to, latency needs one capture: a file, or -");
	if (!config->from && n_args < 2)
		return tw_error__set(
			error, -EINVAL,
			"latency needs pairs and a capture, for example `runqlat x.pcapng`; --list shows the pairs");
	return split_by(config, error);
}

static int list_pairs(struct tw_error *error)
{
	struct tw_pair_table *table;
	const int err = latency__load_pairs(&table, error);

	if (err)
		return err;
	for (size_t i = 0; i < tw_pair_table__count(table); i++) {
		const struct tw_pair *pair = tw_pair_table__at(table, i);

		say(stdout, "%-16s %s\n", pair->name, pair->text);
	}
	tw_pair_table__free(table);
	return 0;
}

/* Finds the pairs that the arguments name. Return: 0; -ENOENT for an unknown pair, -ENOMEM */
static int find_pairs(const struct latency_config *config, const struct tw_pair_table *table, int n_args, char **args,
		      const struct tw_pair ***ret, size_t *ret_n, struct tw_error *error)
{
	const size_t n = config->from ? 1 : (size_t)n_args - 1;
	const struct tw_pair **pairs = calloc(n, sizeof(struct tw_pair *));

	if (!pairs)
		return tw_error__set(error, -ENOMEM, "no memory for %zu pairs", n);
	*ret = pairs;
	*ret_n = n;
	for (size_t i = 0; i < n; i++) {
		pairs[i] = tw_pair_table__find(table, config->from ? OWN_NAME : args[i], error);
		if (!pairs[i])
			return -ENOENT;
	}
	return 0;
}

/* Tells which events of the pairs the capture lacks, because the pairs may then have other ends. */
static void tell_missing(const struct tw_latency_pair *pair, const char *name)
{
	static const char *const verbs[] = {
		[TW_PAIR_END] = "ends", [TW_PAIR_CANCEL] = "cancels", [TW_PAIR_BEGIN] = "begins"
	};

	for (size_t i = 0; i < pair->pair->n_events; i++) {
		const struct tw_pair_event *event = &pair->pair->events[i];

		if (pair->is_missing[i])
			note__say("%s has no event %s%s%s, which %s pair %s", name, event->system ? event->system : "",
				  event->system ? ":" : "", event->event, verbs[event->role], pair->pair->name);
	}
}

/* Tells on standard error what the capture lacks. @file: the argument; @name: its name in messages */
static void tell_losses(const char *file, const char *name, const struct tw_latency_result *result)
{
	const struct tw_event_reader_stats *read = &result->read;
	struct outcome outcome = {
		.reads = true,
		.file = file,
		.place = { [OUTCOME_NO_FORMAT] = result->unknown,
			   [OUTCOME_CUT] = read->cut,
			   [OUTCOME_TRUNCATED] = read->snapped,
			   [OUTCOME_MALFORMED] = read->malformed,
			   [OUTCOME_VERSION] = read->versions },
	};

	for (size_t i = 0; i < result->n_pairs; i++)
		tell_missing(&result->pairs[i], name);
	outcome__add_ledger(&outcome, &read->ledger);
	outcome.events = read->events;
	outcome__print(&outcome, stderr);
}

static int measure(const struct latency_config *config, const struct tw_pair *const *pairs, size_t n, const char *file,
		   struct tw_error *error)
{
	const struct tw_latency_options options = {
		.pairs = pairs,
		.n_pairs = n,
		.by = config->by_list,
		.n_by = config->n_by,
		.linear = config->linear,
		.memory = config->memory ? config->memory : TW_LATENCY_MEMORY,
	};
	struct tw_latency_result result;
	struct progress progress;
	const char *name = file;
	const int fd = standard_files__open(&name, error);
	int err;

	if (fd < 0)
		return fd;
	progress__begin(&progress, "reading", name, config->quiet || !isatty(STDERR_FILENO));
	progress__watch(&progress, fd);
	err = tw_latency__run(fd, name, &options, &result, error);
	progress__end(&progress);
	if (!err || err == -EBADMSG) {
		if (config->as_json)
			latency__print_json(name, &result);
		else
			latency__print(&result);
		standard_files__flush();
		if (!config->quiet)
			tell_losses(file, name, &result);
	}
	tw_latency__fini(&result);
	if (fd > STDIN_FILENO)
		close(fd);
	return err;
}

static int latency(void *data, int n_args, char **args, struct tw_error *error)
{
	struct latency_config *config = data;
	struct tw_pair_table *table = NULL;
	const struct tw_pair **pairs = NULL;
	size_t n = 0;
	int err;

	if (config->list)
		return cli_exit__of(list_pairs(error));
	err = check(config, n_args, error);
	if (!err)
		err = latency__load_pairs(&table, error);
	if (!err && config->from)
		err = add_own(config, table, error);
	if (!err)
		err = find_pairs(config, table, n_args, args, &pairs, &n, error);
	if (!err)
		err = measure(config, pairs, n, args[n_args - 1], error);
	free(pairs);
	tw_pair_table__free(table);
	return err == -E2BIG || err == -ENODATA ? CLI_EXIT_USAGE : cli_exit__of(err);
}

static const struct cli_option options[] = {
	{ 0, "list", NULL, CLI_ARG_NONE, "List the pairs, and what the time of each pair means",
	  .offset = offsetof(struct latency_config, list) },
	{ 0, "from", "EVENT", CLI_ARG_EVENT, "Measure from this event, instead of a pair of the table",
	  .offset = offsetof(struct latency_config, from), .once = "a pair with several events is defined in a file" },
	{ 0, "to", "EVENT", CLI_ARG_EVENT, "Measure to this event", .offset = offsetof(struct latency_config, to),
	  .once = "a pair with several events is defined in a file" },
	{ 0, "key", "FIELD[=FIELD]", CLI_ARG_TEXT,
	  "Fields whose values are equal in the two events of a pair, or cpu, pid or comm; if the events have different "
	  "names for a field, the name in the first event, = and the name in the second; separate several by commas",
	  .offset = offsetof(struct latency_config, key), .once = "separate several keys by commas" },
	{ 0, "by", "FIELD", CLI_ARG_TEXT,
	  "Also show figures for each value of this field, or of cpu, pid or comm; separate several by commas (default: "
	  "depends on the pair)",
	  .offset = offsetof(struct latency_config, by), .once = "separate several fields by commas" },
	{ 0, "linear", "NS", CLI_ARG_NUMBER, "Use buckets of this width, in nanoseconds, instead of powers of two",
	  .offset = offsetof(struct latency_config, linear) },
	{ 0, "memory", "BYTES", CLI_ARG_SIZE,
	  "Largest memory for events that wait for the end of their pair (default 256M); if it is full, old ones are "
	  "forgotten and counted",
	  .offset = offsetof(struct latency_config, memory) },
	{ 'j', "json", NULL, CLI_ARG_NONE, "Write one JSON object",
	  .offset = offsetof(struct latency_config, as_json) },
	{ 'q', "quiet", NULL, CLI_ARG_NONE, "Print no progress, and no losses of the capture, on standard error",
	  .offset = offsetof(struct latency_config, quiet) },
	{ 0 },
};

static const struct cli_option_group group = { "Options", options };
static const struct cli_option_group *const groups[] = { &group, NULL };

static const struct cli_example examples[] = {
	{ "Show how long runnable tasks waited for a CPU", "tracewire latency runqlat x.pcapng" },
	{ "Show which system calls took the most time", "tracewire latency syscalls x.pcapng" },
	{ "Measure from one event to another with the same value of a field",
	  "tracewire latency --from sys_enter --to sys_exit --key common_pid x.pcapng" },
	{ NULL, NULL },
};

const struct cli_command cli_command_latency = {
	.name = "latency",
	.summary = "Show histograms of the times between events",
	.arguments = "[PAIR...] FILE",
	.arg_kind = CLI_ARG_FILE,
	.args_max = -1,
	.description =
		"Finds pairs of events that belong together in a capture, such as the entry and the exit of a system call, "
		"and shows how the times between them are distributed. PAIR is a pair of the table of pairs, which --list "
		"shows; --from, --to and --key define another pair. FILE is a pcapng or pcap file with Tracewire's frames; - "
		"is standard input.\n\n"
		"A row (2, 4] of a histogram has the times above 2 and up to 4. A quantile is the upper bound of a bucket, which is at "
		"most 3.2 % wide, or one unit of the pair. A "
		"beginning without an end, an end without a beginning, and each other beginning or end that is not in the "
		"histogram is counted below it. If events were lost between the two events of a pair, the time may be wrong: such pairs "
		"are counted and left out.",
	.details =
		"The files /etc/tracewire/pairs and ~/.config/tracewire/pairs define further pairs, for example:\n\n"
		"pair wait\n\n"
		"text  time that a task waits for a CPU\n\n"
		"begin sched:sched_waking pid if prio < 100\n\n"
		"end   sched:sched_switch next_pid\n\n"
		"A line `begin`, `end` or `cancel` has an event, its keys, and a condition, which tracewire-filter(7) describes. "
		"`cancel` names an event after which the end does not come, or has another meaning. `again first` or `again "
		"last` says which event counts if several begin with equal keys. `by` names the fields by which the figures "
		"are divided. `unit` is ns, us or ms. A pair replaces an earlier one of the same name.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct latency_config),
	.run = latency,
	.discard = discard,
};
