/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire time`: shows what the times of a capture rest on, and checks the order of events of different streams. */
#include "cli/time/time.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/command.h"
#include "cli/key_option.h"
#include "cli/messages.h"
#include "cli/outcome.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/standard_files.h"
#include "cli/summary.h"

#define OWN_NAME "--before:--after" /* the pair of these options, also in messages */

struct time_config {
	const char *before, *after, *key, *svg;
	bool as_json, quiet;
};

double time__seconds(const struct tw_timing_result *result, const struct tw_stream_time *s, uint64_t ns)
{
	uint64_t time;

	if (!tw_stream_time__packet(s, ns, &time))
		return (double)(int64_t)(ns - s->first) / (double)TW_NS_PER_SECOND;
	return (double)(int64_t)(time - result->begin) / (double)TW_NS_PER_SECOND;
}

uint64_t time__end_of(const struct tw_stream_time *s, uint32_t stretch)
{
	return stretch + 1 < s->n_stretches ? s->stretches[stretch + 1].from : s->last;
}

bool time__is_bounded(const struct tw_time_stretch *stretch)
{
	return stretch->error_min != TW_ERROR_UNKNOWN;
}

const char *time__method(const struct tw_time_stretch *stretch)
{
	return stretch->has_offset ? summary__offset_method(stretch->method) : "unknown";
}

const char *time__change_key(uint16_t kind)
{
	static const char *const names[] = {
#define X(num, name, text, what) [num] = text,
		TW_OFFSET_KIND_LIST(X)
#undef X
	};

	return kind < sizeof(names) / sizeof(names[0]) && names[kind] ? names[kind] : "unknown";
}

const char *time__change_text(uint16_t kind)
{
	switch (kind) {
	case TW_OFFSET_STEP:
		return "the wall clock was set by";
	case TW_OFFSET_SUSPEND:
		return "the machine was suspended for";
	case TW_OFFSET_LEAP:
		return "a leap second changed the wall clock by";
	case TW_OFFSET_TAI:
		return "the difference of TAI and UTC was changed by";
	default:
		return "an unknown change of";
	}
}

const char *time__clock_key(enum tw_time_clock clock)
{
	static const char *const keys[] = {
#define X(name, key, text) [TW_TIME_##name] = key,
		TW_TIME_CLOCK_LIST(X)
#undef X
	};

	return keys[clock];
}

/* Return: the " if" between the name of an event and its condition; NULL = there is no condition */
static const char *find_condition(const char *event)
{
	static const char alone[] = " if";
	const size_t len = strlen(event);
	const char *found = strstr(event, " if ");

	if (!found && len >= sizeof(alone) - 1 && !strcmp(event + len - (sizeof(alone) - 1), alone))
		found = event + len - (sizeof(alone) - 1);
	return found;
}

/* Checks an argument of --before or --after. */
static int check_event(const char *option, const char *event, struct tw_error *error)
{
	const char *condition = find_condition(event);
	const size_t len = condition ? (size_t)(condition - event) : strlen(event);
	struct tw_filter *filter = NULL;
	struct tw_error why;
	int err;

	if (!len || strcspn(event, " \t\r\n") < len)
		return tw_error__set(error, -EINVAL, "--%s '%.*s' is not the name of an event, such as sched_waking",
				     option, (int)len, event);
	if (!condition)
		return 0;
	condition += strlen(" if");
	condition += strspn(condition, " ");
	if (!*condition)
		return tw_error__set(
			error, -EINVAL,
			"the condition of --%s is empty: give an expression after ' if ', or leave out ' if'", option);
	err = tw_filter__parse(condition, &filter, &why);
	tw_filter__free(filter);
	if (!err || err == -ENOMEM)
		return err ? tw_error__set(error, err, "no memory for the condition of --%s", option) : 0;
	return tw_error__set(error, -EINVAL, "the condition of --%s: %s", option, why.text);
}

/* Writes one event of a pair: its name, its keys, and the condition that may follow the name after " if ". */
static void put_event(FILE *out, const char *role, const char *event, const char *keys, bool is_after)
{
	const char *condition = find_condition(event);

	fprintf(out, "%s %.*s ", role, (int)(condition ? (size_t)(condition - event) : strlen(event)), event);
	key_option__put(out, keys, is_after);
	fprintf(out, "%s\n", condition ? condition : "");
}

static int check_own(const struct time_config *config, struct tw_error *error)
{
	const char *const values[] = { config->before, config->after, config->key };
	int err;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (!values[i])
			return tw_error__set(
				error, -EINVAL,
				"--before, --after and --key belong together: give the event that comes first, the "
				"event that follows, and a field that is equal in both");
		if (strpbrk(values[i], "\r\n"))
			return tw_error__set(error, -EINVAL, "a value of --before, --after or --key has several lines");
	}
	err = check_event("before", config->before, error);
	if (!err)
		err = check_event("after", config->after, error);
	return err ? err : key_option__check(config->key, error);
}

/* Makes the pair of --before, --after and --key. */
static int add_own(const struct time_config *config, struct tw_pair_table *table, struct tw_error *error)
{
	char *text = NULL;
	size_t len;
	FILE *out;
	int err = check_own(config, error);

	if (err)
		return err;
	out = open_memstream(&text, &len);
	if (!out)
		return tw_error__set(error, -ENOMEM, "no memory for the pair of --before and --after");
	fprintf(out, "pair " OWN_NAME "\ntext %s before %s\n", config->before, config->after);
	put_event(out, "begin", config->before, config->key, false);
	put_event(out, "end", config->after, config->key, true);
	err = fclose(out) ? tw_error__set(error, -ENOMEM, "no memory for the pair of --before and --after")
			  : tw_pair_table__parse(table, text, len, NULL, error);
	free(text);
	return err;
}

static void tell_outcome(const char *file, const struct tw_timing_result *result)
{
	const struct tw_event_reader_stats *read = &result->read;
	struct outcome outcome = { .reads = true, .file = file };

	outcome__add_ledger(&outcome, &read->ledger);
	outcome.events = read->events;
	outcome.place[OUTCOME_TEXTS] = read->streams.refused_texts + read->streams.refused_names;
	outcome.place[OUTCOME_CUT] = read->cut;
	outcome.place[OUTCOME_TRUNCATED] = read->snapped;
	outcome.place[OUTCOME_MALFORMED] = read->malformed;
	outcome.place[OUTCOME_VERSION] = read->versions;
	if (*read->streams.first.text)
		outcome.remedy[OUTCOME_TEXTS] = read->streams.first.text;
	outcome__print(&outcome, stderr);
}

static void draw(FILE *out, const void *result)
{
	time__draw(out, result);
}

/* Reads the capture and shows the result. @ret_contradicts: set to true if events contradict the error bounds */
static int show(const struct time_config *config, const struct tw_timing_options *options, const char *file,
		struct output_file *picture, bool *ret_contradicts, struct tw_error *error)
{
	const struct tw_timing_result *result;
	struct tw_timing *timing = NULL;
	struct progress progress;
	const char *name = file;
	const int fd = standard_files__open(&name, error);
	struct tw_error ignored;
	int err;

	if (fd < 0)
		return fd;
	err = tw_timing__new(options, &timing, error);
	progress__begin(&progress, "reading", name, config->quiet || !isatty(STDERR_FILENO));
	progress__watch(&progress, fd);
	if (!err)
		err = tw_timing__read(timing, fd, name, error);
	progress__end(&progress);
	if (!err || err == -EBADMSG) {
		int later = 0;

		result = tw_timing__result(timing);
		if (!output_file__is_standard(config->svg))
			(config->as_json ? time__print_json : time__print_text)(name, result);
		standard_files__flush();
		if (config->svg)
			later = output_file__print(picture, config->svg, draw, result, err ? &ignored : error);
		if (!config->quiet)
			tell_outcome(file, result);
		for (size_t i = 0; i < result->n_pairs; i++)
			*ret_contradicts |= result->pairs[i].order && result->pairs[i].order->counts.contradictions;
		err = err ? err : later;
	}
	tw_timing__free(timing);
	if (fd > STDIN_FILENO)
		close(fd);
	return err;
}

/* Opens the picture before anything is read. */
static int open_picture(const struct time_config *config, const char *file, struct output_file *ret,
			struct tw_error *error)
{
	const struct stat *input = NULL;
	struct stat st;

	*ret = (struct output_file){ 0 };
	if (!config->svg)
		return 0;
	if (!stat(file, &st))
		input = &st;
	else if (errno != ENOENT)
		return tw_error__set(error, -errno, "cannot look at %s: %s", file, strerror(errno));
	return output_file__open(ret, config->svg, input, error);
}

static int check_pairs(const struct time_config *config, struct tw_pair_table *table, const char *file,
		       struct tw_error *error)
{
	const struct tw_pair *pairs[TW_PAIRS_MAX];
	struct tw_timing_options options = { .pairs = pairs, .needs_pairs = config->before };
	struct output_file picture;
	bool contradicts = false;
	int err = open_picture(config, file, &picture, error);

	if (err) {
		output_file__close(&picture);
		return cli_exit__of_opening(err);
	}
	for (; options.n_pairs < tw_pair_table__count(table); options.n_pairs++)
		pairs[options.n_pairs] = tw_pair_table__at(table, options.n_pairs);
	err = show(config, &options, file, &picture, &contradicts, error);
	output_file__close(&picture);
	if (err)
		return err == -E2BIG || err == -ENODATA ? CLI_EXIT_USAGE : cli_exit__of(err);
	return contradicts ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

static int run(void *data, int n_args, char **args, struct tw_error *error)
{
	const struct time_config *config = data;
	struct tw_pair_table *table;
	int err, status;

	if (n_args != 1) {
		tw_error__set(error, -EINVAL, "time needs one capture: a file, or - for standard input");
		return CLI_EXIT_USAGE;
	}
	table = tw_pair_table__new();
	if (!table)
		err = tw_error__set(error, -ENOMEM, "no memory for the table of pairs");
	else if (config->before || config->after || config->key)
		err = add_own(config, table, error);
	else
		err = tw_pair_table__ship_ordered(table, error);
	status = err ? cli_exit__of(err) : check_pairs(config, table, args[0], error);
	tw_pair_table__free(table);
	return status;
}

static const struct cli_option options[] = {
	{ 0, "before", "EVENT", CLI_ARG_EVENT,
	  "Check that this event of one stream precedes the event of --after in another stream, instead of the built-in pairs. "
	  "' if EXPRESSION' may follow the name; tracewire-filter(7) describes expressions",
	  .offset = offsetof(struct time_config, before), .once = "a run checks one pair" },
	{ 0, "after", "EVENT", CLI_ARG_EVENT, "The event that follows the event of --before, as for --before",
	  .offset = offsetof(struct time_config, after), .once = "a run checks one pair" },
	{ 0, "key", "FIELD[=FIELD]", CLI_ARG_TEXT,
	  "The two events of a pair have the same value of this field, which is a number, a text or an IP address. If the field "
	  "has another name in the event of --after, add = and that name. Separate several by commas",
	  .offset = offsetof(struct time_config, key), .once = "separate several keys by commas" },
	{ 0, "svg", "FILE", CLI_ARG_FILE,
	  "Also write a picture to FILE: the offset of each stream with its error bounds. If FILE is -, standard output gets "
	  "only the picture",
	  .offset = offsetof(struct time_config, svg) },
	{ 'j', "json", NULL, CLI_ARG_NONE, "Write one JSON object", .offset = offsetof(struct time_config, as_json) },
	{ 'q', "quiet", NULL, CLI_ARG_NONE, "Print no progress and no counts of events; errors are printed",
	  .offset = offsetof(struct time_config, quiet) },
	{ 0 },
};

static const struct cli_option_group group = { "Options", options };
static const struct cli_option_group *const groups[] = { &group, NULL };

static const struct cli_example examples[] = {
	{ "Show what the times of a capture rest on", "tracewire time x.pcapng" },
	{ "Draw the offsets and their error bounds", "tracewire time --svg x.svg x.pcapng" },
	{ "Check that each request was sent before it was handled, by its number",
	  "tracewire time --before app:send --after app:handle --key request x.pcapng" },
	{ "List the error bound of each event", "tracewire report --csv -e packet_time,time_error,event x.pcapng" },
	{ NULL, NULL },
};

const struct cli_command cli_command_time = {
	.name = "time",
	.summary = "Show what the times of a capture rest on",
	.arguments = "FILE",
	.arg_kind = CLI_ARG_FILE,
	.args_max = 1,
	.description =
		"For each stream of a capture, prints the offset of other clocks from the stream's clock, its slope and its error "
		"bound; the source that the times rest on, for each stretch of time; and steps of the wall clock, suspends, leap "
		"seconds and changes of the difference of TAI and UTC. What the capture does not say is unknown. FILE is a pcapng "
		"or pcap file with Tracewire's frames; - is standard input.\n\n"
		"If the capture has several streams, the order of their events is checked. The built-in pairs are states of TCP "
		"connections between two traced machines, from the event sock:inet_sock_set_state; --before, --after and --key "
		"name another pair. A pair is certain if the first event is earlier by more than the sum of both error bounds, "
		"uncertain if the times differ by at most this sum, and a contradiction if the second event is earlier by more "
		"than this sum.\n\n"
		"The exit status is 1 if there is a contradiction, or if the file is damaged.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct time_config),
	.run = run,
};
