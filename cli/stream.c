/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire stream`: events onto an interface, for whoever captures there. */
#include <errno.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/run_options.h"
#include "cli/run_wire.h"
#include "cli/session.h"
#include "vnet/listeners.h"
#include "vnet/rx_questions.h"

#define REPEAT_MS 1000 /* metadata for those who joined unseen: behind a bridge or a mirror */

struct stream {
	struct run_config run; /* first: the options' config */
	struct run_wire wire;
	bool raw_pointers;
	struct tw_listeners *listeners;
};

static int open_output(void *ctx, struct tw_producer *producer, struct tw_error *err)
{
	struct stream *stream = ctx;
	int error = run_wire__open(stream->run.interface, tw_producer__instance(producer),
				   tw_producer__threads(producer), &stream->wire, err);

	if (!error)
		error = tw_listeners__open(stream->wire.name, &stream->listeners, err);
	if (!error && stream->wire.ours && !stream->run.quiet)
		fprintf(stderr,
			"there is no interface %s: made a virtual wire of that name, which goes with this run\n",
			stream->wire.name);
	return error;
}

static int open_sink(void *ctx, unsigned int thread, struct tw_sink **ret, struct tw_error *err)
{
	struct stream *stream = ctx;

	return run_wire__sink(&stream->wire, thread, stream->run.frame_size, ret, err);
}

static int open_questions(void *ctx, struct tw_rx **ret, struct tw_error *err)
{
	struct stream *stream = ctx;

	return tw_rx_questions__on_link(stream->wire.iface.tx_name, ret, err);
}

static bool joined(void *ctx)
{
	struct stream *stream = ctx;

	return tw_listeners__joined(stream->listeners);
}

static void started(void *ctx)
{
	const struct stream *stream = ctx;

	if (!stream->run.quiet)
		fprintf(stderr, "streaming on %s (%s); Ctrl-C ends it\n", stream->wire.name, stream->wire.how);
}

static int run(void *data, int n_args, char **args, struct tw_error *err)
{
	struct tw_producer_options defaults = { .events_per_frame = 1, .repeat_ms = REPEAT_MS };
	static const struct session_output output = {
		.open = open_output,
		.open_sink = open_sink,
		.open_questions = open_questions,
		.joined = joined,
		.started = started,
	};
	struct stream *stream = data;
	struct tw_error later;
	int status;

	(void)n_args;
	if (!stream->run.interface) {
		run_config__fini(&stream->run);
		tw_error__set(err, -EINVAL, "no interface is given: name one with --interface, for example -i tw0");
		return CLI_EXIT_USAGE;
	}
	defaults.hash_pointers = !stream->raw_pointers && run_wire__leaves_host(stream->run.interface);
	status = session__run(&stream->run, &defaults, args, &output, stream, err);
	if (run_wire__close(&stream->wire, &later) && !status)
		status = tw_error__set(err, CLI_EXIT_FAILURE, "%s", later.text);
	tw_listeners__close(stream->listeners);
	run_config__fini(&stream->run);
	return status;
}

static const struct cli_option options[] = {
	{ 'i', "interface", "NAME", CLI_ARG_INTERFACE,
	  "Send on this interface. A wire made by vnet up is fed at its other end, so that captures on NAME see the events; a "
	  "name that is not there becomes a wire for this run",
	  offsetof(struct run_config, interface), NULL },
	{ 0, "raw-pointers", NULL, CLI_ARG_NONE,
	  "Send addresses as they are. Else those that leave this host are hashed with a key of the stream: equal ones stay equal, "
	  "and symbols keep their names, but nobody learns where the kernel lies in memory. On virtual wires they are as they are",
	  offsetof(struct stream, raw_pointers), NULL },
	{ 0 },
};

static const struct cli_option_group group = { "Output", options };
static const struct cli_option_group *const groups[] = { &run_source_group, &run_tracer_group, &group,
							 &run_frame_group,  &run_status_group, NULL };

static const struct cli_example examples[] = {
	{ "Stream the scheduler's events until Ctrl-C", "sudo tracewire stream -e sched -i tw0" },
	{ "Watch them, from another terminal", "tshark -i tw0 -Y 'trace.sched.sched_switch.next_comm == \"sleep\"'" },
	{ NULL, NULL },
};

const struct cli_command cli_command_stream = {
	.name = "stream",
	.summary = "Send trace events on a network interface",
	.arguments = "[-- COMMAND [ARGUMENT]...]",
	.arg_kind = CLI_ARG_COMMAND,
	.args_max = -1,
	.runs_program = true,
	.description =
		"Sends the events of this kernel as Ethernet frames, until Ctrl-C or the end of COMMAND, whose exit status is "
		"passed on. Whoever captures on the interface, from the beginning or later, gets what it takes to decode them "
		"along with them.\n\nThe default is one event a frame, so that filters and columns are right in every viewer; "
		"--events-per-frame 0 packs them for shipping.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct stream),
	.run = run,
	.discard = run_config__fini,
};
