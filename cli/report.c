/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire report`: prints a capture as text. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/filter_option.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "cli/standard_files.h"
#include "cli/summary.h"
#include "pcap-tools/report/report.h"

struct report_config {
	const char **events; /* patterns, NULL-terminated */
	size_t n_events;
	uint8_t *cpus;
	struct tw_filter *filter;
	bool relative, wall, delta, full_time, latency, fields, json, raw, quiet, verbose;
};

static void discard(void *data)
{
	struct report_config *config = data;

	free(config->events);
	free(config->cpus);
	tw_filter__free(config->filter);
}

static int add_event(void *data, const char *pattern, struct tw_error *error)
{
	struct report_config *config = data;
	const char **events = reallocarray(config->events, config->n_events + 2, sizeof(*events));

	if (!events)
		return tw_error__set(error, -ENOMEM, "no memory for event '%s'", pattern);
	events[config->n_events++] = pattern;
	events[config->n_events] = NULL;
	config->events = events;
	return 0;
}

/* Adds one CPU or a range of CPUs to @cpus. Return: the text after it; NULL if @text begins with neither. */
static const char *add_cpu_range(uint8_t *cpus, const char *text)
{
	uint64_t first, last;

	if (!tw_number__digits(&text, &first))
		return NULL;
	last = first;
	if (*text == '-') {
		text++;
		if (!tw_number__digits(&text, &last))
			return NULL;
	}
	if (last >= TW_REPORT_CPUS_MAX || first > last)
		return NULL;
	memset(cpus + first, 1, last - first + 1);
	return text;
}

static int add_cpus(void *target, const char *list, struct tw_error *error)
{
	uint8_t **cpus = target;
	const char *at = list;

	if (!*cpus)
		*cpus = calloc(TW_REPORT_CPUS_MAX, 1);
	if (!*cpus)
		return tw_error__set(error, -ENOMEM, "no memory for --cpu");
	while ((at = add_cpu_range(*cpus, at)) && *at == ',')
		at++;
	if (at && !*at)
		return 0;
	return tw_error__set(error, -EINVAL,
			     "--cpu '%s' is not a list of CPUs: numbers below %u and ranges, for example 0,2,4-7", list,
			     TW_REPORT_CPUS_MAX);
}

static int check(const struct report_config *config, struct tw_error *error)
{
	const char *layout = config->latency ? "--latency" : "--delta";

	if (config->relative && config->wall)
		return tw_error__set(error, -EINVAL, "--relative and --wall exclude each other");
	if (config->json && (config->latency || config->delta))
		return tw_error__set(error, -EINVAL, "--json and %s exclude each other: %s changes lines of text",
				     layout, layout);
	if (config->json && config->raw)
		return tw_error__set(error, -EINVAL, "--json and --raw exclude each other: JSON is always UTF-8");
	return 0;
}

#define AT(member) offsetof(struct tw_report_stats, member)

static const struct summary_row event_counters[] = {
	{ NULL, AT(missing), "missing",
	  "by their numbers: filtered or lost between producer and capture, or by the capture program" },
	{ NULL, AT(filtered), "filtered", "by a classifier between producer and capture" },
	{ NULL, AT(unknown), "unknown", "events whose format is not in the capture, shown as bytes" },
	{ NULL, AT(without_wall), "time",
	  "events without a time of day, shown with that of the trace clock: the capture has no CLOCK of them" },
	{ 0 },
};

static const struct summary_row frame_counters[] = {
	{ NULL, AT(streams.refused_names), "refused",
	  "names of tasks and symbols, beyond the limits of a capture or of memory" },
	{ NULL, AT(streams.incomplete), "damaged", "metadata records in PARTs, of which one is missing" },
	{ NULL, AT(snapped), "snapped", "truncated frames: complete records are shown" },
	{ NULL, AT(malformed), "damaged", "frames, read up to the damage" },
	{ NULL, AT(versions), "version", "frames of an unknown version of the wire format" },
	{ 0 },
};

static void print_lost(const struct tw_report_stats *stats)
{
	fprintf(stderr, "lost     %" PRIu64, stats->lost);
	if (stats->lost_unknown)
		fprintf(stderr, " and more: %" PRIu64 " losses without a count", stats->lost_unknown);
	fputc('\n', stderr);
}

static void print_outcome(const struct report_config *config, const char *file, const struct tw_report_stats *stats)
{
	const struct outcome outcome = {
		.events = stats->printed,
		.of = stats->events,
		.verbose = config->verbose,
		.reads = true,
		.file = file,
		.place = { [OUTCOME_REPORTED] = stats->lost,
			   [OUTCOME_LOSSES] = stats->lost_unknown,
			   [OUTCOME_WIRE] = stats->missing,
			   [OUTCOME_BY_CLASSIFIER] = stats->filtered,
			   [OUTCOME_UNFILTERED] = stats->capture_filter.unknown,
			   [OUTCOME_UNDECIDED] = stats->capture_filter.undecided,
			   [OUTCOME_GIVEN_UP] = stats->capture_filter.given_up,
			   [OUTCOME_NO_FORMAT] = stats->unknown,
			   [OUTCOME_FIELDS] = stats->fallbacks,
			   [OUTCOME_TEXTS] = stats->streams.refused_texts + stats->streams.refused_names,
			   [OUTCOME_CONTROL] = stats->streams.incomplete,
			   [OUTCOME_NO_WALL] = stats->without_wall,
			   [OUTCOME_TRUNCATED] = stats->snapped,
			   [OUTCOME_MALFORMED] = stats->malformed,
			   [OUTCOME_VERSION] = stats->versions },
	};

	outcome__print(&outcome, stderr);
}

/* Prints the number of events, and a line for each kind of loss or damage that occurred. */
static void summarize(const struct report_config *config, const struct tw_report_stats *stats)
{
	fprintf(stderr, "events   %" PRIu64 " printed of %" PRIu64 " in %" PRIu64 " packets\n", stats->printed,
		stats->events, stats->packets);
	filter_option__summarize(config->filter, &stats->capture_filter);
	if (stats->lost || stats->lost_unknown)
		print_lost(stats);
	summary__print_rows(event_counters, stats, stderr);
	if (stats->fallbacks)
		fprintf(stderr, "fallback %" PRIu64 " events as field=value; the first was %s\n", stats->fallbacks,
			stats->fallback);
	if (stats->streams.refused_texts)
		fprintf(stderr, "refused  %" PRIu64 " formats; the first because: %s\n", stats->streams.refused_texts,
			stats->streams.text.text);
	summary__print_rows(frame_counters, stats, stderr);
	if (stats->frames < stats->packets)
		fprintf(stderr, "others   %" PRIu64 " packets that are not Tracewire's\n",
			stats->packets - stats->frames);
}

/* Converts 0 or -errno to an exit status: a file that is not a Tracewire capture is a usage error; a damaged one is a failure. */
static int exit_of(int err)
{
	if (err == -ENODATA || err == -EPROTONOSUPPORT)
		return CLI_EXIT_USAGE;
	return cli_exit__of(err);
}

/* Whether the lines go to a regular file. Only then progress is printed, because a pipe or a terminal shows the lines. */
static bool writes_file(void)
{
	struct stat st;

	return !fstat(STDOUT_FILENO, &st) && S_ISREG(st.st_mode);
}

/* @file: the argument; @name: the name for messages */
static int report_file(const struct report_config *config, int fd, const char *file, const char *name,
		       struct tw_error *error)
{
	const struct tw_report_options options = {
		.events = config->events,
		.cpus = config->cpus,
		.filter = config->filter,
		.time = config->relative ? TW_REPORT_RELATIVE
			: config->wall   ? TW_REPORT_WALL
					 : TW_REPORT_CLOCK,
		.delta = config->delta,
		.full_time = config->full_time,
		.latency = config->latency,
		.fields = config->fields,
		.json = config->json,
		.raw = config->raw,
	};
	struct tw_report_stats stats;
	struct progress progress;
	int err;

	signal(SIGPIPE, SIG_IGN);
	progress__begin(&progress, "reading", name, config->quiet || !writes_file());
	progress__watch(&progress, fd);
	err = tw_report__run(fd, name, STDOUT_FILENO, &options, &stats, error);
	progress__end(&progress);
	if (err == -EPIPE) { /* the reader has gone, as with `| head` */
		*error->text = '\0';
		return CLI_EXIT_OK;
	}
	if (!config->quiet && stats.frames && !stats.not_written) {
		print_outcome(config, file, &stats);
		if (config->verbose)
			summarize(config, &stats);
	}
	filter_option__warn(&stats.undecided_predicates);
	return exit_of(err);
}

static int report(void *data, int n_args, char **args, struct tw_error *error)
{
	const struct report_config *config = data;
	const char *name = args[0];
	int fd, status;

	if (!n_args) {
		tw_error__set(error, -EINVAL, "report needs a capture: a file, or - for standard input");
		return CLI_EXIT_USAGE;
	}
	if (check(config, error))
		return CLI_EXIT_USAGE;
	fd = standard_files__open(&name, error);
	if (fd < 0)
		return cli_exit__of(fd);
	status = report_file(config, fd, args[0], name, error);
	if (fd > STDIN_FILENO)
		close(fd);
	return status;
}

#define FLAG(letter, long_name, member, text)                                                             \
	{                                                                                                 \
		letter, long_name, NULL, CLI_ARG_NONE, text, offsetof(struct report_config, member), NULL \
	}

static const struct cli_option options[] = {
	{ 'e', "event", "EVENT", CLI_ARG_EVENT,
	  "Show only these events: a system, an event or SYSTEM:EVENT, with wildcards; separate several by commas",
	  .apply = add_event },
	{ 0, "cpu", "LIST", CLI_ARG_TEXT, "Show only these CPUs, for example 0,2,4-7",
	  .offset = offsetof(struct report_config, cpus), .apply = add_cpus },
	{ 'f', "filter", "EXPR", CLI_ARG_FILTER,
	  "Show only events that match this filter, for example 'prev_pid == 0 && cpu == 1'",
	  .offset = offsetof(struct report_config, filter), .apply = filter_option__parse },
	FLAG('t', "full-time", full_time, "Show times in nanoseconds, not rounded to microseconds"),
	FLAG(0, "relative", relative, "Show times relative to the first event shown"),
	FLAG(0, "delta", delta, "Also show the time since the previous line"),
	FLAG(0, "wall", wall, "Show the local time of day instead of the trace clock"),
	FLAG('l', "latency", latency,
	     "Also show the columns of latency tracers: interrupts off, need-resched, in interrupt, preemption depth"),
	FLAG('R', "fields", fields, "Show fields as name=value instead of the event's text"),
	FLAG('j', "json", json, "Write one JSON object per event, one a line"),
	FLAG(0, "raw", raw, "Write texts unchanged: do not show control characters and invalid UTF-8 as \\xNN"),
	FLAG('q', "quiet", quiet, "No summary"),
	FLAG('v', "verbose", verbose, "Also print the detailed counters at the end"),
	{ 0 },
};

static const struct cli_option_group group = { "Options", options };
static const struct cli_option_group *const groups[] = { &group, NULL };

static const struct cli_example examples[] = {
	{ "Print all events of a recording", "tracewire report x.pcapng" },
	{ "Print context switches on CPU 1 and the time between them",
	  "tracewire report -e sched_switch --cpu 1 --delta x.pcapng" },
	{ "Print the tasks that ran after the idle task on CPU 1",
	  "tracewire report -f 'sched_switch.prev_pid == 0 && cpu == 1' x.pcapng" },
	{ "Count the events by name", "tracewire report -j x.pcapng | jq -r .event | sort | uniq -c" },
	{ "Print events while they are recorded",
	  "sudo tracewire record -q -e sched -w - -- sleep 1 | tracewire report -" },
	{ NULL, NULL },
};

const struct cli_command cli_command_report = {
	.name = "report",
	.summary = "Print a capture as text",
	.arguments = "FILE",
	.arg_kind = CLI_ARG_FILE,
	.args_max = 1,
	.description =
		"Prints one line per event in the layout of trace-cmd report: task, CPU, time, event, and the text "
		"made by the kernel's print format. FILE is a pcapng or pcap file with Tracewire's frames: written "
		"by record or convert, or a capture of an interface, which report puts into time order. It may be "
		"compressed with zstd; - is standard input.\n\n"
		"Texts of the kernel may contain any bytes. Control characters, characters that change the direction "
		"of text, and invalid UTF-8 are shown as \\xNN, byte by byte, on a terminal and elsewhere. --raw "
		"writes them unchanged.\n\n"
		"A line shows each loss, between the events where it happened. Events whose format is not in the "
		"capture are shown as bytes, events whose print format cannot be compiled as field=value. The "
		"summary on standard error counts both. A value that depends on a variable of the kernel, such as "
		"jiffies, is not in the capture: it is shown as ?.\n\n"
		"The exit status is 1 if the capture is damaged; report prints the events before the damage.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct report_config),
	.run = report,
	.discard = discard,
};
