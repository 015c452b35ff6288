/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire live`: sends events to a veth pair, and shows what arrives there with tshark or Wireshark. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/filter_option.h"
#include "cli/messages.h"
#include "cli/packet_options.h"
#include "cli/receiver.h"
#include "cli/run_interface.h"
#include "cli/run_options.h"
#include "cli/session.h"
#include "cli/socket_options.h"
#include "cli/stop.h"
#include "cli/summary.h"
#include "cli/viewer.h"
#include "vnet/rx_packet.h"

#define HOLE_NS 100000000ull /* longest wait of the merge for missing frames, ns */
/*
 * Longest time that an event waits in its ring, ms. This wait is most of the delay until the event is shown. At low rates, events wait
 * less, because the reader threads then pause for only 1 ms.
 */
#define LATENCY_MS 10
/* Longest time that a packet waits for events before it: the producer says only once a second that there are none. */
#define PACKET_WAIT_NS 200000000ull

struct live {
	struct run_config run; /* must be first: the options of the run groups store into it */
	const char *display_filter;
	struct packet_options packets;
	bool gui;
	bool is_running; /* tracing has started, so the viewer has something to show; stays true after the end */
	struct run_interface veth;
	struct viewer viewer;
	struct tw_packet_capture *capture; /* between its opening and the start of the receiver, which then owns it */
	struct receiver *receiver;
	const struct tw_filter *filter_left; /* --filter, if the receiver must evaluate a part of it; otherwise NULL */
	struct receiver_stats stats;
	struct viewer_end viewer_end;
	bool closed;     /* Wireshark has ended, or standard output has no reader any more (`| head`) */
	uint64_t unseen; /* events that were not shown because the output was closed */
};

/* Excludes the viewer, and the threads and interfaces that feed it, from the trace: else, each displayed event would cause new events. */
static void ignore_ourselves(const struct live *live, struct tw_producer *producer)
{
	tw_producer__ignore(producer, live->viewer.pid);
	if (live->viewer.relay)
		tw_producer__ignore(producer, relay__tid(live->viewer.relay));
	tw_producer__ignore(producer, receiver__tid(live->receiver));
	tw_producer__ignore(producer, tw_recorder__tid(receiver__recorder(live->receiver)));
	tw_producer__ignore_device(producer, live->veth.name);
	tw_producer__ignore_device(producer, live->veth.iface.tx_name);
}

/* Return: the display filter. By default, tshark shows only events, losses and packets: metadata frames would add many lines. */
static const char *display_filter(const struct live *live)
{
	if (live->display_filter || live->gui || !viewer__has_plugin())
		return live->display_filter;
	return live->packets.interfaces.n ? "trace.event or trace.lost.where or not trace"
					  : "trace.event or trace.lost.where";
}

static int start_receiver(struct live *live, struct tw_error *error)
{
	const struct tw_rx_packet_options rx = { .ifname = live->veth.name, .ring = RECEIVER_RING };
	const struct tw_output_options output = { .fd = live->viewer.fd,
						  .name = "the viewer's pipe",
						  .deadline = stop__deadline() };
	struct receiver_options options = {
		.recorder = { .archive = { .application = "tracewire live " TRACEWIRE_VERSION,
					   .wait_ns = HOLE_NS,
					   .from_start = true,
					   .packet_wait_ns = PACKET_WAIT_NS,
					   .filter = live->filter_left },
			      .deadline = stop__deadline() },
		.is_over = viewer__is_gone,
		.ctx = &live->viewer,
	};
	int err = tw_rx_packet__open(&rx, &options.rx, error);

	if (err)
		return err;
	err = tw_output__open(&output, &options.recorder.output, error);
	if (err) {
		tw_receiver__close(options.rx);
		return err;
	}
	options.recorder.packets = live->capture;
	live->capture = NULL;
	return receiver__start(&options, &live->receiver, error);
}

static int open_output(void *ctx, struct tw_producer *producer, struct tw_error *error)
{
	struct live *live = ctx;
	int err = packet_options__open(&live->packets, &live->capture, error);

	if (!err)
		err = run_interface__create(live->run.interface, tw_producer__instance(producer),
					    tw_producer__threads(producer), &live->veth, error);

	if (!err)
		err = viewer__start(live->gui, display_filter(live), &live->viewer, error);
	live->filter_left = tw_producer__filter_left(producer);
	if (!err)
		err = start_receiver(live, error);
	if (!err)
		ignore_ourselves(live, producer);
	return err;
}

static int open_sink(void *ctx, unsigned int thread, struct tw_sink **ret, struct tw_error *error)
{
	struct live *live = ctx;

	return run_interface__sink(&live->veth, thread, live->run.frame_size, ret, error);
}

static void started(void *ctx)
{
	struct live *live = ctx;

	live->is_running = true;
	if (!viewer__has_plugin())
		fputs("the Wireshark plugin is not installed, so events are shown undecoded; "
		      "`tracewire doctor` says how to install it\n",
		      stderr);
	if (!live->run.quiet)
		say(stderr, "events are on %s (%s); Ctrl-C ends it\n", live->veth.name, live->veth.how);
}

static bool tick(void *ctx)
{
	struct live *live = ctx;

	packet_options__tell_gone(&live->packets, receiver__recorder(live->receiver));
	return false;
}

static int finish(void *ctx, struct tw_error *error)
{
	struct live *live = ctx;
	const int err = receiver__finish(live->receiver, &live->stats, error);
	const bool is_gone = viewer__is_gone(&live->viewer);

	live->receiver = NULL;
	live->viewer_end = viewer__finish(&live->viewer);
	live->closed = live->gui ? is_gone : live->viewer_end.output == -EPIPE;
	return err;
}

/*
 * Adds to the ledger, as lost, the events that the producer has sent but the ledger does not contain. If the receiving ring overflowed at
 * the end of the run, no later event number shows the loss, and the receiver knows at best the number of lost frames.
 * Return: number of added events
 */
static uint64_t settle_tail(struct tw_ledger *ledger, const struct tw_producer_counters *counters)
{
	const uint64_t *place = ledger->place;
	const uint64_t came = place[TW_PLACE_DELIVERED] + place[TW_PLACE_CAPTURE_FILTER] + place[TW_PLACE_UNWANTED] +
			      place[TW_PLACE_DISK] + place[TW_PLACE_DAMAGED],
		       known = came + place[TW_PLACE_WIRE] + place[TW_PLACE_RECEIVER];

	ledger->fact[TW_FACT_TAIL_FRAMES] = 0;
	if (counters->delivered <= known)
		return 0;
	ledger->place[TW_PLACE_RECEIVER] += counters->delivered - known;
	ledger->recorded += counters->delivered - known;
	return counters->delivered - known;
}

static void add_outcome(void *ctx, const struct tw_producer_counters *counters, struct outcome *outcome)
{
	struct live *live = ctx;
	const uint64_t tail = settle_tail(&live->stats.archive.ledger, counters);

	outcome__add_archive(outcome, &live->stats.archive);
	packet_options__add_outcome(&live->stats.archive.beside, outcome);
	/* The receiver waits for the viewer, so a full receive buffer means that the viewer is too slow. */
	outcome->place[OUTCOME_VIEWER] = outcome->place[OUTCOME_RECEIVER];
	outcome->place[OUTCOME_RECEIVER] = 0;
	if (!live->closed)
		return;
	live->unseen = tail + outcome->place[OUTCOME_DISK];
	outcome->place[OUTCOME_VIEWER] -= tail;
	outcome->place[OUTCOME_DISK] = 0;
}

/* Prints the number of events that were not shown because the output was closed. They do not count as lost. */
static void tell_unseen(const struct live *live)
{
	if (live->unseen && !live->run.quiet)
		fprintf(stderr, "%" PRIu64 " event%s not written, because the output was closed\n", live->unseen,
			live->unseen == 1 ? " was" : "s were");
}

static void summarize(void *ctx, const struct tw_producer_counters *counters)
{
	const struct live *live = ctx;
	const struct tw_archive_stats *stats = &live->stats.archive;

	(void)counters;
	summary__print_troubles(stats, stderr);
	filter_option__summarize(live->filter_left, &stats->capture_filter);
	summary__print_ledger(&stats->ledger, stderr);
	fprintf(stderr,
		"shown    %" PRIu64 " events in %" PRIu64 " packets; %" PRIu64 " frames dropped by the receiver\n",
		stats->ledger.place[TW_PLACE_DELIVERED], stats->packets, live->stats.rx.dropped);
}

/* Ends the receiver and the viewer, if they still run after a failed start, and removes the veth pair. */
static int close_output(void *ctx, struct tw_error *error)
{
	struct live *live = ctx;
	struct tw_error ignored;

	if (live->receiver)
		receiver__finish(live->receiver, &live->stats, &ignored);
	viewer__finish(&live->viewer);
	tw_packet_capture__close(live->capture);
	return run_interface__close(&live->veth, error);
}

/*
 * Whether tshark refused the display filter: tshark 4.0 then exits with 2, later versions with 4. tshark exits with the same status if its
 * input is invalid, but `live` writes valid pcapng.
 */
static bool filter_is_refused(const struct live *live)
{
	return !live->gui && live->display_filter && (live->viewer_end.status == 2 || live->viewer_end.status == 4);
}

/* Reports the failure of the viewer. Return: exit status */
static int judge_viewer(const struct live *live, struct tw_error *error)
{
	const struct viewer_end *end = &live->viewer_end;

	/* Standard output has no reader any more, as with `| head`, or the viewer ended without a failure. */
	if (end->output == -EPIPE || (!end->output && !end->status))
		return CLI_EXIT_OK;
	if (!end->output && filter_is_refused(live)) {
		tw_error__set(error, -EINVAL, "tshark refuses the display filter '%s': the message of tshark is above",
			      live->display_filter);
		return CLI_EXIT_USAGE;
	}
	if (end->output)
		tw_error__set(error, end->output, "cannot write to standard output: %s", strerror(-end->output));
	else
		tw_error__set(error, -ECHILD, "%s ended with status %d; its messages above may say why",
			      live->gui ? "wireshark" : "tshark", end->status);
	return CLI_EXIT_FAILURE;
}

/*
 * Waits until the user closes Wireshark, which continues after the run. Closes Wireshark immediately if the run did not start, if two
 * signals arrived, or if a signal other than SIGINT ended the run.
 */
static void leave_window(struct live *live)
{
	const int signal = stop__signal();
	const bool now = stop__is_urgent() || (signal && signal != SIGINT) || !live->is_running;

	if (!now && !live->run.quiet && viewer__has_window(&live->viewer))
		fputs("Wireshark stays open; close it, or press Ctrl-C, to end\n", stderr);
	if (live->gui)
		live->viewer_end.status = viewer__close_window(&live->viewer, now);
}

static int run(void *data, int n_args, char **args, struct tw_error *error)
{
	static const struct tw_producer_options defaults = { .latency_ms = LATENCY_MS, .later_stage = true };
	static const struct session_output output = {
		.open = open_output,
		.open_sink = open_sink,
		.started = started,
		.tick = tick,
		.finish = finish,
		.add_outcome = add_outcome,
		.summarize = summarize,
		.close = close_output,
	};
	struct live *live = data;
	int status;

	(void)n_args;
	status = session__run(&live->run, &defaults, args, &output, live, error);
	tell_unseen(live);
	leave_window(live);
	status = status ? status : judge_viewer(live, error);
	return packet_options__judge(status, live->stats.archive.beside.gone, error);
}

static void discard(void *data)
{
	struct live *live = data;

	packet_options__fini(&live->packets);
	run_config__fini(data);
}

static const struct cli_option packet_options[] = { PACKET_OPTIONS(struct live, packets), { 0 } };

static const struct cli_option options[] = {
	{ 'Y', "display-filter", "FILTER", CLI_ARG_TEXT, "Show only packets that match this Wireshark display filter",
	  .offset = offsetof(struct live, display_filter), .once = "join the two expressions with `and`" },
	{ 0, "gui", NULL, CLI_ARG_NONE, "Show the events in Wireshark instead of tshark",
	  .offset = offsetof(struct live, gui) },
	{ 'i', "interface", "NAME", CLI_ARG_TEXT,
	  "Name of the veth pair to make; no interface may have this name yet (default: the first unused name of tw0 to "
	  "tw99)",
	  .offset = offsetof(struct run_config, interface), .once = "a run makes one veth pair" },
	{ 0 },
};

static const struct cli_option_group packet_group = { "Packets", packet_options };
static const struct cli_option_group group = { "Output", options };
static const struct cli_option_group *const groups[] = { &run_event_group,
							 &run_task_group,
							 &run_socket_group,
							 &run_source_group,
							 &run_phc_group,
							 &run_tracer_group,
							 &packet_group,
							 &group,
							 &run_frame_group,
							 &run_status_group,
							 NULL };

static const struct cli_example examples[] = {
	{ "Watch the scheduler while a command runs", "sudo tracewire live -e sched -- sleep 1" },
	{ "Show only switches to the idle task",
	  "sudo tracewire live -e sched -Y 'trace.sched.sched_switch.next_pid == 0'" },
	{ "Show events in Wireshark", "sudo tracewire live -e sched,irq --gui" },
	{ "Show the packets of an interface beside the events",
	  "sudo tracewire live -e net --with-packets eth0 --packet-filter 'tcp port 80'" },
	{ NULL, NULL },
};

const struct cli_command cli_command_live = {
	.name = "live",
	.summary = "Show trace events live",
	.arguments = "[-- COMMAND [ARGUMENT]...]",
	.arg_kind = CLI_ARG_COMMAND,
	.args_max = -1,
	.runs_program = true,
	.description =
		"Makes a veth pair, sends the events of this kernel to it, receives them at the other end, and shows "
		"them with tshark in time order across CPUs. The run ends on Ctrl-C, when the viewer ends, or when COMMAND "
		"ends. Unless the run itself fails, the exit status is that of COMMAND. If root starts the run, the viewer "
		"runs as the user who called sudo or, without sudo, as the user nobody.\n\n"
		"With --gui, Wireshark stays open after the end of the run, until you close it or press Ctrl-C (again, if "
		"Ctrl-C ended the run). "
		"If Wireshark runs as a user without a home directory, for example nobody, it gets a temporary one, which is "
		"removed when Wireshark ends.\n\n"
		"Other programs can capture on the veth pair at the same time.",
	.details =
		"The viewer decodes the events with the Wireshark plugin of Tracewire. `make install` installs it. If only the "
		"build tree has the plugin, set the environment variable WIRESHARK_PLUGIN_DIR to the folder "
		"build/release/dissector/plugins of the build tree. Without the plugin, `live` shows undecoded events and "
		"says so; `tracewire doctor` tells whether tshark finds the plugin.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct live),
	.run = run,
	.discard = discard,
};
