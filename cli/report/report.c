/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire report`: prints a capture as text. */
#include "cli/report/report.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/filter_option.h"
#include "cli/messages.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/standard_files.h"
#include "cli/terminal.h"

/* Terminals with fewer columns get compact lines. In full lines, usually 65 columns precede the text of an event, many of them blank. */
#define COMPACT_BELOW 100

/* Converts 0 or -errno to an exit status: a file that is not a Tracewire capture is a usage error; a damaged one is a failure. */
static int exit_of(int err)
{
	if (err == -ENODATA || err == -EPROTONOSUPPORT)
		return CLI_EXIT_USAGE;
	return cli_exit__of(err);
}

/* Whether the lines are written to a regular file. Progress is printed only then: on a terminal, the lines themselves show the progress. */
static bool is_file(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode);
}

/* Enables colour if @out is a terminal that has it, and compact lines if the terminal is narrow. Files and pipes get neither. */
static void fit_to(struct tw_report_options *options, int out)
{
	const unsigned int columns = terminal__columns(out);

	options->colour = terminal__has_colour(out);
	options->compact = columns && columns < COMPACT_BELOW;
}

/* @file: the argument of the command; @name: the same file's name for messages */
static int report_file(const struct report_config *config, int fd, const char *file, const char *name, int out,
		       struct tw_error *error)
{
	struct tw_report_counts counts = { .n_streams = 0 };
	struct tw_report_options options = report_config__options(config, &counts);
	struct tw_report_stats stats;
	struct progress progress;
	struct tw_error later;
	int err;

	fit_to(&options, out);
	progress__begin(&progress, "reading", name, config->quiet || !is_file(out));
	progress__watch(&progress, fd);
	err = tw_report__run(fd, name, out, &options, &stats, error);
	progress__end(&progress);
	if (config->summary && (!err || err == -EBADMSG)) {
		const int failed = report__print_counts(config, &counts, out, &later);

		stats.not_written |= failed != 0;
		err = failed ? tw_error__set(error, failed, "%s", later.text) : err;
	}
	tw_report_counts__fini(&counts);
	if (err == -EPIPE) { /* the reader of the output has closed the pipe, as with `| head` */
		*error->text = '\0';
		return 0;
	}
	if (!config->quiet && stats.read.frames && !stats.not_written && err != -EINVAL)
		report__summarize(config, file, &stats);
	if (err != -EINVAL)
		filter_option__warn(&stats.undecided_predicates);
	else if (config->filter)
		caret__show(tw_filter__text(config->filter), error);
	return err;
}

/* Writes to the file that -o names. If the capture is damaged, the file gets all events before the damage. */
static int report_to(const struct report_config *config, int fd, const char *file, const char *name,
		     struct tw_error *error)
{
	struct output_file output;
	struct tw_error later;
	struct stat input;
	int err;

	if (fstat(fd, &input))
		return tw_error__set(error, -errno, "%s cannot be read: %s", name, strerror(errno));
	err = output_file__open(&output, config->output, &input, error);
	if (err)
		return err;
	err = report_file(config, fd, file, name, output.fd, error);
	if ((!err || err == -EBADMSG) && output_file__finish(&output, &later))
		err = tw_error__set(error, -EIO, "%s", later.text);
	output_file__close(&output);
	return err;
}

static int report(void *data, int n_args, char **args, struct tw_error *error)
{
	struct report_config *config = data;
	const char *name = args[0];
	int fd, err;

	if (!n_args) {
		tw_error__set(error, -EINVAL, "report needs a capture: a file, or - for standard input");
		return CLI_EXIT_USAGE;
	}
	err = report_config__finish(config, error);
	if (err)
		return cli_exit__of(err);
	fd = standard_files__open(&name, error);
	if (fd < 0)
		return cli_exit__of(fd);
	signal(SIGPIPE, SIG_IGN);
	err = config->output && strcmp(config->output, "-")
		      ? report_to(config, fd, args[0], name, error)
		      : report_file(config, fd, args[0], name, STDOUT_FILENO, error);
	if (fd > STDIN_FILENO)
		close(fd);
	return exit_of(err);
}

#define FLAG(letter, long_name, member, text)                                                                 \
	{                                                                                                     \
		letter, long_name, NULL, CLI_ARG_NONE, text, .offset = offsetof(struct report_config, member) \
	}

static const struct cli_option options[] = {
	{ 0, "event", "EVENT", CLI_ARG_EVENT,
	  "Show only these events: SYSTEM, EVENT or SYSTEM:EVENT, with wildcards; separate several by commas",
	  .offset = offsetof(struct report_config, events), .apply = report_config__add_text },
	{ 'e', "column", "NAME", CLI_ARG_EVENT,
	  "With -T fields or --csv, a column of the table, as in tshark; with text and JSON, the same as --event",
	  .offset = offsetof(struct report_config, columns_or_events), .apply = report_config__add_text },
	{ 'P', "pid", "PID", CLI_ARG_TEXT,
	  "Show only events recorded while a task with one of these pids ran; separate several by commas",
	  .apply = report_config__add_pids },
	{ 0, "comm", "NAME", CLI_ARG_TEXT,
	  "Show only events recorded while a task with one of these names ran; separate several by commas. A name may "
	  "have wildcards",
	  .offset = offsetof(struct report_config, comms), .apply = report_config__add_text },
	{ 0, "cpu", "LIST", CLI_ARG_TEXT, "Show only events of these CPUs, for example 0,2,4-7",
	  .offset = offsetof(struct report_config, cpus), .apply = report_config__add_cpus },
	{ 0, "since", "TIME", CLI_ARG_TEXT,
	  "Begin at this time since the first event of the capture (0.5, 100ms), or at a time of day",
	  .offset = offsetof(struct report_config, since), .apply = report_config__set_since },
	{ 0, "until", "TIME", CLI_ARG_TEXT, "End at this time, in the same form as for --since",
	  .offset = offsetof(struct report_config, until), .apply = report_config__set_until },
	{ 'f', "filter", "EXPR", CLI_ARG_FILTER,
	  "Show only events that match this filter, for example 'prev_pid == 0 && cpu == 1'",
	  .offset = offsetof(struct report_config, filter), .apply = filter_option__parse },
	FLAG(0, "summary", summary,
	     "Print only counts, shares and rates by event and task. Rates refer to the time from --since (or the "
	     "first event) to --until (or the last event); without both options, to the time from the first counted "
	     "event to the last"),
	FLAG('t', "full-time", full_time, "Show times in nanoseconds"),
	FLAG(0, "relative", relative, "Show times since the first event of the capture"),
	FLAG(0, "delta", delta, "Also show the time since the previous event"),
	FLAG(0, "wall", wall, "Show the local time of day"),
	FLAG('l', "latency", latency, "Also show interrupt and preemption flags"),
	FLAG('R', "fields", fields, "Show name=value instead of the event's text"),
	{ 'j', "json", NULL, CLI_ARG_NONE, "Write one JSON object per event, one a line",
	  .offset = offsetof(struct report_config, format), .apply = report_table__set_json },
	{ 'T', "format", "FORMAT", CLI_ARG_TEXT, "Format of the output: text, json, or fields (a table as in tshark)",
	  .offset = offsetof(struct report_config, format), .apply = report_table__set_format },
	{ 'E', "table-option", "NAME=VALUE", CLI_ARG_TEXT,
	  "Set a property of the table: separator=CHARACTER (/t tab, /s blank), header=y|n or quote=d|s|n",
	  .apply = report_table__set_option },
	{ 0, "csv", NULL, CLI_ARG_NONE, "Write a table with commas and a header, quoted as in RFC 4180",
	  .offset = offsetof(struct report_config, format), .apply = report_table__set_csv },
	FLAG(0, "raw", raw, "Write texts without escapes such as \\x1b"),
	{ 'o', "output", "FILE", CLI_ARG_FILE, "Write to this file; an existing file is replaced",
	  .offset = offsetof(struct report_config, output) },
	FLAG('q', "quiet", quiet, "Print no summary"),
	FLAG('v', "verbose", verbose, "Also print the ledger at the end"),
	{ 0 },
};

static const struct cli_option_group group = { "Options", options };
static const struct cli_option_group *const groups[] = { &group, NULL };

static const struct cli_example examples[] = {
	{ "Print context switches on CPU 1 and the time between them",
	  "tracewire report -e sched_switch --cpu 1 --delta x.pcapng" },
	{ "Print the tasks that ran after the idle task on CPU 1",
	  "tracewire report -f 'sched_switch.prev_pid == 0 && cpu == 1' x.pcapng" },
	{ "Write the context switches as a table",
	  "tracewire report --csv --event sched_switch -e time,cpu,prev_pid,next_pid x.pcapng" },
	{ "Count the events by name and by task in the first second", "tracewire report --summary --until 1 x.pcapng" },
	{ "Count the events of the task bash on each CPU",
	  "tracewire report -j --comm bash x.pcapng | jq .cpu | sort | uniq -c" },
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
		"Prints one line per event in the layout of `trace-cmd report`: task, CPU, time, event, text. FILE is a "
		"recording, or a pcapng or pcap capture of an interface, which `report` puts into time order. FILE may be "
		"compressed with zstd; - is standard input.\n\n"
		"If the capture is damaged, `report` prints the events before the damage, and ends with status 1. It "
		"ends with status 2 if an option names an event or a field that no format in the capture has.",
	.details =
		"Texts of the kernel may contain any bytes. Control characters, line separators, noncharacters, "
		"characters that change the direction of text, and invalid UTF-8 are shown as \\xNN, byte by byte, on "
		"a terminal and elsewhere. --raw writes them unchanged.\n\n"
		"--comm compares with the name that the task had at the time of the event.\n\n"
		"--since and --until accept two kinds of times. A number is the time since the first event of the "
		"capture, for example 2, 0.5, 2s, 100ms or 5min. --relative shows times of this kind. By default, the "
		"lines show times of the trace clock, which --since and --until do not accept. An argument of any "
		"other form is a time of day, as in journalctl, in local time: '2026-11-26 20:15:00', '2026-11-26', "
		"20:15:00.5, 20:15, now, today, yesterday, @1700000000.5. A time without a date is a time of today. Z "
		"at the end means UTC. A time of day requires CLOCK records in the capture. The rates of --summary "
		"refer to the part of the capture between --since and --until.\n\n"
		"Lines show times rounded to microseconds, or with -t in nanoseconds. -l adds the columns of latency "
		"tracers: interrupts off, need-resched, in interrupt, preemption depth.\n\n"
		"-T fields and --csv write a table, with these columns unless -e names others: time, host, cpu, pid, "
		"comm, system, event, text. Further columns of all events are time_ns (an integer), time_epoch "
		"(seconds since 1970, by the wall clock of the traced machine), packet_time (of the capture's packet, seconds since "
		"1970), instance, flags, and info (the same as text). In a file of `capture`, time_error is the largest difference "
		"of packet_time from the capture's reference, and time_earliest and time_latest are the ends of the interval that "
		"contains the time, in seconds since 1970; they are empty if no bound is known. Each field of the events can be a "
		"column: prev_pid, sched_switch.prev_pid or sched.sched_switch.prev_pid. Names as in Wireshark, which "
		"begin with `trace.`, are also accepted. A field that an event does not have is empty. --csv quotes "
		"values where needed. A table has no lines for losses: they are in the summary only. If several "
		"options name a format, the last one applies.\n\n"
		"In JSON and in tables, a field is a number without its name, and an array is a list of numbers; the fields saddr and "
		"daddr, and those of IPv6, are addresses: 10.0.0.1.\n\n"
		"In JSON, `time` is a string of seconds, and `time_ns` is the same time as an integer with all its "
		"digits. Readers that keep numbers as doubles, such as JavaScript, round integers above 2^53.\n\n"
		"The file that -o names appears when it is complete.\n\n"
		"On a terminal, names of events are bold and losses red, unless the environment variable NO_COLOR is "
		"set and not empty, or TERM is `dumb` or unset. If the terminal has fewer than 100 columns, lines omit "
		"the blanks that align them. Files and pipes always get the same bytes.\n\n"
		"In text and JSON, each loss has its own line, between the events where it happened. Events whose "
		"format is not in the capture are shown as bytes. Events whose print format cannot be compiled are "
		"shown as field=value. The summary on standard error counts both kinds of events, and the packets of "
		"other protocols, which `report` ignores. As in `tracewire info`, events that a filter on the path "
		"rejected do not count as lost. A value that depends on a variable of the kernel, such as jiffies, is "
		"not in the capture: it is shown as ?.\n\n"
		"The formats are in the capture. If an option names an event or a field that no format before the "
		"first event has, `report` first reads the whole file to find such a format. A pipe cannot be read "
		"twice, so the names are checked at the end of its data.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct report_config),
	.run = report,
	.discard = report_config__discard,
};
