/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire record`: records events into a pcapng file or pipe. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/filter_option.h"
#include "cli/messages.h"
#include "cli/ordinary_user.h"
#include "cli/packet_options.h"
#include "cli/run_options.h"
#include "cli/session.h"
#include "cli/socket_options.h"
#include "cli/standard_files.h"
#include "cli/stop.h"
#include "cli/summary.h"
#include "pcap-tools/record/recorder.h"

struct record_run {
	struct run_config run; /* must be first: the options of the run groups store into it */
	const char *file;
	struct packet_options packets;
	struct tw_recorder *recorder;
	const struct tw_filter *filter_left; /* --filter, if the recorder must evaluate a part of it; otherwise NULL */
	struct tw_archive_stats stats;
	bool started; /* tracing has started; false: the file has no frames */
};

static int open_output(void *ctx, struct tw_producer *producer, struct tw_error *error)
{
	struct record_run *record = ctx;
	const struct tw_filter *filter = tw_producer__filter_left(producer);
	struct tw_output_owner owner;
	const struct tw_output_options output = {
		.path = record->file,
		.owner = ordinary_user__behind_sudo(&owner.uid, &owner.gid) ? &owner : NULL,
		.remember = true,
		.deadline = stop__deadline(),
	};
	struct tw_recorder_options options = {
		.archive = { .application = "tracewire record " TRACEWIRE_VERSION,
			     .from_start = true,
			     .filter = filter },
		.deadline = stop__deadline(),
	};
	int err = packet_options__open(&record->packets, &options.packets, error);

	record->filter_left = filter;
	if (!err) {
		err = tw_output__open(&output, &options.output, error);
		if (err)
			tw_packet_capture__close(options.packets);
	}
	if (!err)
		err = tw_recorder__new(&options, &record->recorder, error);
	if (!err)
		tw_producer__ignore(producer, tw_recorder__tid(record->recorder));
	return err;
}

static int open_sink(void *ctx, unsigned int thread, struct tw_sink **ret, struct tw_error *error)
{
	const struct record_run *record = ctx;

	(void)thread;
	return tw_recorder__sink(record->recorder, ret, error);
}

static void started(void *ctx)
{
	struct record_run *record = ctx;

	record->started = true;
	if (!record->run.quiet)
		say(stderr, "recording to %s; Ctrl-C ends it\n", standard_files__output(record->file));
}

static bool tick(void *ctx)
{
	struct record_run *record = ctx;

	packet_options__tell_gone(&record->packets, record->recorder);
	return false;
}

static int finish(void *ctx, struct tw_error *error)
{
	struct record_run *record = ctx;

	return tw_recorder__finish(record->recorder, &record->stats, error);
}

static void add_outcome(void *ctx, const struct tw_producer_counters *counters, struct outcome *outcome)
{
	const struct record_run *record = ctx;

	(void)counters;
	outcome__add_archive(outcome, &record->stats);
	packet_options__add_outcome(&record->stats.beside, outcome);
	outcome->file = record->file;
}

static void summarize(void *ctx, const struct tw_producer_counters *counters)
{
	const struct record_run *record = ctx;

	(void)counters;
	summary__print_troubles(&record->stats, stderr);
	filter_option__summarize(record->filter_left, &record->stats.capture_filter);
	summary__print_ledger(&record->stats.ledger, stderr);
	summary__print_file(&record->stats, stderr);
}

/* Removes the output file if tracing could not start, because the file then has no frames. Pipes and devices are not removed. */
static void remove_empty(const struct record_run *record)
{
	const bool is_name = strcmp(record->file, "-") != 0;
	struct stat st;

	if (record->recorder && !record->started && is_name && !lstat(record->file, &st) && S_ISREG(st.st_mode))
		unlink(record->file);
}

static int run(void *data, int n_args, char **args, struct tw_error *error)
{
	static const struct tw_producer_options defaults = { .later_stage = true };
	static const struct session_output output = {
		.open = open_output,
		.open_sink = open_sink,
		.started = started,
		.tick = tick,
		.finish = finish,
		.add_outcome = add_outcome,
		.summarize = summarize,
	};
	struct record_run *record = data;
	int status;

	(void)n_args;
	if (!record->file) {
		tw_error__set(error, -EINVAL, "no file is given: name one with --write, or - for standard output");
		return CLI_EXIT_USAGE;
	}
	status = session__run(&record->run, &defaults, args, &output, record, error);
	remove_empty(record);
	status = packet_options__judge(status, record->stats.beside.gone, error);
	tw_recorder__free(record->recorder);
	return status;
}

static void discard(void *data)
{
	struct record_run *record = data;

	packet_options__fini(&record->packets);
	run_config__fini(data);
}

static const struct cli_option options[] = {
	{ 'w', "write", "FILE", CLI_ARG_FILE, "Write pcapng to this file; - is standard output",
	  .offset = offsetof(struct record_run, file), .once = "record writes one file" },
	{ 0 },
};

static const struct cli_option packet_options[] = { PACKET_OPTIONS(struct record_run, packets), { 0 } };

static const struct cli_option_group packet_group = { "Packets", packet_options };
static const struct cli_option_group group = { "Output", options };
static const struct cli_option_group *const groups[] = { &run_event_group,  &run_task_group,
							 &run_socket_group, &run_source_group,
							 &run_phc_group,    &run_tracer_group,
							 &packet_group,     &group,
							 &run_status_group, NULL };

static const struct cli_example examples[] = {
	{ "Record events while a command runs", "sudo tracewire record -e sched,irq,net -w build.pcapng -- make" },
	{ "Record for ten seconds", "sudo tracewire record -e sched -w ten.pcapng -- sleep 10" },
	{ "Record one program and its children only",
	  "sudo tracewire record -F -e raw_syscalls -w calls.pcapng -- ls" },
	{ "Record the functions that vfs_read() calls, with their durations",
	  "sudo tracewire record -F -p function_graph -g vfs_read -w g.pcapng -- id" },
	{ "Record events and the packets of an interface, in time order",
	  "sudo tracewire record -e net --with-packets eth0 -w both.pcapng -- sleep 5" },
	{ "Record packets of the same five seconds with dumpcap",
	  "sudo tracewire record -e net,sched -w events.pcapng -- \\\n"
	  "      sudo dumpcap -i eth0 -a duration:5 -w packets.pcapng" },
	{ "Join these two files by time", "tracewire convert --join packets.pcapng events.pcapng both.pcapng" },
	{ "Show the recorded switches to the task `make`",
	  "tshark -r build.pcapng -Y 'trace.sched.sched_switch.next_comm == \"make\"'" },
	{ NULL, NULL },
};

const struct cli_command cli_command_record = {
	.name = "record",
	.summary = "Write trace events to a pcapng file",
	.arguments = "[-- COMMAND [ARGUMENT]...]",
	.arg_kind = CLI_ARG_COMMAND,
	.args_max = -1,
	.runs_program = true,
	.description =
		"Records the events of this kernel until Ctrl-C, or until COMMAND ends. Unless the run itself fails, "
		"the exit status is that of COMMAND. Each event becomes a packet with the time of the event, and the "
		"packets are in time order across CPUs. The summary, and the ledger in the file (see `tracewire "
		"info`), show where events were lost.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct record_run),
	.run = run,
	.discard = discard,
};
