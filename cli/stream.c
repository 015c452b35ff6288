/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire stream`: events to whoever captures, on an interface or over UDP. */
#include "cli/stream/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/messages.h"
#include "cli/session.h"
#include "cli/stream/options.h"

#define REPEAT_MS 1000 /* metadata for those who joined unseen: on another host, behind a bridge or a mirror */

static int check(const struct stream *stream, struct tw_error *err)
{
	if (!stream->run.interface && !stream->host)
		return tw_error__set(
			err, -EINVAL,
			"nowhere to send is given: name an interface with --interface or a host with --udp, "
			"for example -i tw0 or -u 10.0.0.7");
	if (stream->run.interface && stream->host)
		return tw_error__set(err, -EINVAL, "--interface and --udp are two ways to send: give one of them");
	if (stream->host && stream->has_destination)
		return tw_error__set(err, -EINVAL, "--destination goes with --interface; --udp names a host itself");
	return 0;
}

static int open_output(void *ctx, struct tw_producer *producer, struct tw_error *err)
{
	struct stream *stream = ctx;

	if (stream->rate) {
		stream->limit = tw_limit__new(stream->rate);
		if (!stream->limit)
			return tw_error__set(err, -ENOMEM, "no memory to limit the rate");
	}
	return stream->way->open(stream, producer, err);
}

static int open_sink(void *ctx, unsigned int thread, struct tw_sink **ret, struct tw_error *err)
{
	struct stream *stream = ctx;
	const int error = stream->way->open_sink(stream, thread, ret, err);

	return !error && stream->limit ? tw_limit__sink(stream->limit, *ret, ret, err) : error;
}

static int open_questions(void *ctx, struct tw_receiver **ret, struct tw_error *err)
{
	struct stream *stream = ctx;

	return stream->way->open_questions(stream, ret, err);
}

static bool joined(void *ctx)
{
	struct stream *stream = ctx;

	return stream->way->joined(stream);
}

static void started(void *ctx)
{
	const struct stream *stream = ctx;

	if (stream->run.quiet)
		return;
	fputs("streaming ", stderr);
	stream->way->tell(stream, stderr);
	if (stream->rate)
		fprintf(stderr, ", %g Mbit/s at most", (double)stream->rate / 1e6);
	fputs("); Ctrl-C ends it\n", stderr);
}

/* What a capture host would have to change. */
static const char *reason_of(uint16_t why)
{
	static const char *const reasons[] = {
		[0] = "it does not say why in words that are known here",
		[TW_REFUSED_PLACES] = "it has no place for one more stream: end some, or capture at another port",
		[TW_REFUSED_SOURCE] = "it has as many streams of this address as it takes: end some, or raise its "
				      "--streams-per-source",
		[TW_REFUSED_RATE] =
			"it gets no answer to its questions and takes little from such streams: let UDP through in "
			"both directions, or raise its --unanswered",
	};

	return reasons[why < sizeof(reasons) / sizeof(reasons[0]) ? why : 0];
}

/* In a thread of the producer's. Anybody could have said so: it is only told, and once. */
static void refused(void *ctx, uint16_t why)
{
	struct stream *stream = ctx;

	atomic_store(&stream->why, why);
	if (!atomic_fetch_add(&stream->refusals, 1) && !stream->run.quiet)
		note__say("the capture host does not take this stream now: %s", reason_of(why));
}

static void tell_refusals(struct stream *stream)
{
	const uint64_t times = atomic_load(&stream->refusals);

	if (times)
		fprintf(stderr,
			"refused  %" PRIu64 " times the capture host has said that it does not take this stream: %s\n",
			times, reason_of(atomic_load(&stream->why)));
}

static void summarize(void *ctx, const struct tw_producer_counters *books)
{
	struct stream *stream = ctx;

	(void)books;
	if (stream->way->summarize)
		stream->way->summarize(stream, stderr);
	tell_refusals(stream);
}

static int close_output(void *ctx, struct tw_error *err)
{
	struct stream *stream = ctx;

	return stream->way->close(stream, err);
}

/* Return: exit status */
static int run_session(struct stream *stream, char **command, struct tw_error *err)
{
	const struct stream_way *way = stream->way;
	const struct tw_producer_options defaults = {
		.events_per_frame = way->events_per_frame,
		.repeat_ms = REPEAT_MS,
		.latency_ms = (unsigned int)stream->latency_ms,
		.hash_pointers = !stream->raw_pointers && way->leaves_host(stream),
	};
	const struct session_output output = {
		.open = open_output,
		.open_sink = open_sink,
		.open_questions = open_questions,
		.refused = refused,
		.joined = way->joined ? joined : NULL,
		.started = started,
		.summarize = summarize,
		.close = close_output,
	};

	return session__run(&stream->run, &defaults, command, &output, stream, err);
}

static int run(void *data, int n_args, char **args, struct tw_error *err)
{
	struct stream *stream = data;
	int status = check(stream, err) ? CLI_EXIT_USAGE : CLI_EXIT_OK;

	(void)n_args;
	if (!status) {
		stream->way = stream->host ? &stream_over_udp : &stream_on_interface;
		status = run_session(stream, args, err);
	}
	tw_limit__free(stream->limit);
	run_config__fini(&stream->run);
	return status;
}

static const struct cli_option_group *const groups[] = { &run_source_group, &run_tracer_group, &stream_output_group,
							 &run_frame_group,  &run_status_group, NULL };

static const struct cli_example examples[] = {
	{ "Stream the scheduler's events until Ctrl-C", "sudo tracewire stream -e sched -i tw0" },
	{ "Watch them, from another terminal", "tshark -i tw0 -Y 'trace.sched.sched_switch.next_comm == \"sleep\"'" },
	{ "Ship them to another host, with 100 Mbit/s at most",
	  "sudo tracewire stream -e sched -u collector --rate 100M" },
	{ "And write them there", "tracewire capture -u 18101 -w x.pcapng" },
	{ NULL, NULL },
};

const struct cli_command cli_command_stream = {
	.name = "stream",
	.summary = "Send trace events on a network interface or to a host",
	.arguments = "[-- COMMAND [ARGUMENT]...]",
	.arg_kind = CLI_ARG_COMMAND,
	.args_max = -1,
	.runs_program = true,
	.description =
		"Sends the events of this kernel, until Ctrl-C or the end of COMMAND, whose exit status is passed on: as Ethernet "
		"frames on an interface, or over UDP to a host. Whoever captures there, from the beginning or later, gets what it "
		"takes to decode them along with them.\n\nOn an interface the default is one event a frame, so that filters and "
		"columns are right in every viewer; --events-per-frame 0 packs them for shipping, which is the default over UDP. "
		"Datagrams are as large as the way to the host takes, and are never cut into fragments.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct stream),
	.run = run,
	.discard = run_config__fini,
};
