/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stream on an interface: a virtual wire, or a real one. */
#include <errno.h>

#include "cli/say.h"
#include "cli/stream/stream.h"
#include "producer/producer.h"
#include "vnet/rx_requests.h"

/* A group address floods a switched network with what this kernel does: so that is only done if somebody says so. */
static int check_destination(const struct stream *stream, struct tw_error *err)
{
	if (stream->wire.iface.reach < TW_REACH_NETWORK || stream->has_destination)
		return 0;
	return tw_error__set(
		err, -EINVAL,
		"what is sent on %s leaves this host: say to whom, with --destination and the Ethernet address of a "
		"capture host, or with --destination group for all that the network reaches",
		stream->wire.name);
}

static int open_interface(struct stream *stream, const struct tw_producer *producer, struct tw_error *err)
{
	int error = run_wire__open(stream->run.interface, tw_producer__instance(producer),
				   tw_producer__threads(producer), &stream->wire, err);

	if (!error)
		error = check_destination(stream, err);
	if (!error)
		error = tw_listeners__open(stream->wire.name, &stream->listeners, err);
	if (error)
		return error;
	if (stream->has_destination)
		stream->wire.destination = stream->destination;
	if (stream->wire.ours && !stream->run.quiet)
		fprintf(stderr,
			"there is no interface %s: made a virtual wire of that name, which goes with this run\n",
			stream->wire.name);
	return 0;
}

/* A container that has the other end of a veth is somebody else, too. */
static bool leaves_host(const struct stream *stream)
{
	return run_wire__reach(stream->run.interface) > TW_REACH_WIRE;
}

static int open_sink(struct stream *stream, unsigned int thread, struct tw_sink **ret, struct tw_error *err)
{
	return run_wire__sink(&stream->wire, thread, stream->run.frame_size, ret, err);
}

static int open_questions(struct stream *stream, struct tw_receiver **ret, struct tw_error *err)
{
	return tw_rx_requests__on_link(stream->wire.iface.tx_name, ret, err);
}

static bool joined(struct stream *stream)
{
	return tw_listeners__joined(stream->listeners);
}

static void tell(const struct stream *stream, FILE *out)
{
	say(out, "on %s (%s", stream->wire.name, stream->wire.how);
}

static int close_interface(struct stream *stream, struct tw_error *err)
{
	tw_listeners__close(stream->listeners);
	return run_wire__close(&stream->wire, err);
}

const struct stream_way stream_on_interface = {
	.events_per_frame = 1,
	.leaves_host = leaves_host,
	.open = open_interface,
	.open_sink = open_sink,
	.open_questions = open_questions,
	.joined = joined,
	.tell = tell,
	.close = close_interface,
};
