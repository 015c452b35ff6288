/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire stream`: sends events to receivers, on an interface or over UDP. */
#include <errno.h>
#include <inttypes.h>
#include <linux/if_ether.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "cli/run_interface.h"
#include "cli/run_options.h"
#include "cli/session.h"
#include "cli/socket_options.h"
#include "producer/producer.h"
#include "transport/receiver.h"
#include "vnet/limit.h"
#include "vnet/listeners.h"
#include "vnet/rx_requests.h"
#include "vnet/tx_udp.h"

struct stream {
	struct run_config run; /* must be first: the options of the run groups store into it */
	const char *host;      /* --udp */
	uint8_t destination[ETH_ALEN];
	bool has_destination;
	uint64_t rate; /* bits per second; 0 = no limit */
	uint64_t latency_ms;
	bool raw_pointers;

	struct tw_limit *limit;

	struct run_interface veth; /* used with --interface */
	struct tw_listeners *listeners;

	struct tw_udp_address to; /* used with --udp */
	struct tw_tx_udp *udp;
	char how[64];      /* transport of the first sink */
	char listener[64]; /* text of the remedy if no program receives on the port */

	_Atomic uint64_t refusals; /* number of messages in which capture hosts refuse the stream */
	_Atomic uint16_t why;      /* reason in the last message: enum tw_refused_why */
};

/* The options of `stream` for the destination, the rate and the latency. */

#define RATE_MIN    1000u /* bits per second */
#define RATE_MAX    UINT64_C(1000000000000000)
#define LATENCY_MAX 10000 /* ms */

static bool read_ethernet(const char *text, uint8_t ret[ETH_ALEN])
{
	for (int i = 0; i < ETH_ALEN; i++) {
		const char *const begin = text;
		uint64_t byte;

		if (!tw_number__hex(&text, &byte) || text - begin > 2 || *text != (i < ETH_ALEN - 1 ? ':' : '\0'))
			return false;
		ret[i] = (uint8_t)byte;
		text++;
	}
	return true;
}

static int set_destination(void *data, const char *text, struct tw_error *error)
{
	static const uint8_t group[ETH_ALEN] = TW_TX_GROUP;
	struct stream *stream = data;

	if (!strcmp(text, "group"))
		memcpy(stream->destination, group, sizeof(group));
	else if (!read_ethernet(text, stream->destination))
		return tw_error__set(
			error, -EINVAL,
			"--destination '%s' is neither an Ethernet address, such as 52:54:00:12:34:56, nor the word 'group'",
			text);
	stream->has_destination = true;
	return 0;
}

static bool read_rate(const char *text, uint64_t *ret)
{
	static const struct {
		const char *unit;
		uint64_t factor;
	} units[] = { { "", 1 }, { "k", 1000 }, { "M", 1000000 }, { "G", 1000000000 } };
	uint64_t whole, rate;
	uint32_t fraction;

	if (!tw_number__decimal(&text, &whole, &fraction))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(text, units[i].unit) != 0)
			continue;
		if (__builtin_mul_overflow(whole, units[i].factor, &rate) || rate > RATE_MAX)
			return false;
		*ret = rate + fraction * units[i].factor / 1000000000;
		return *ret >= RATE_MIN && *ret <= RATE_MAX;
	}
	return false;
}

static int set_rate(void *target, const char *text, struct tw_error *error)
{
	if (read_rate(text, target))
		return 0;
	return tw_error__set(
		error, -EINVAL,
		"--rate '%s' is not a number of bits per second, such as 100M; k, M and G are powers of 1000, and "
		"the range is 1k to 1000000G",
		text);
}

static int set_latency(void *target, const char *text, struct tw_error *error)
{
	static const struct tw_number_rule rule = { .min = 1, .max = LATENCY_MAX };

	if (tw_number__parse(text, &rule, target, NULL))
		return tw_error__set(error, -EINVAL, "--latency '%s' is not a number from 1 to %d, in ms", text,
				     LATENCY_MAX);
	return 0;
}

static const struct cli_option options[] = {
	{ 'i', "interface", "NAME", CLI_ARG_INTERFACE,
	  "Send to this interface. If NAME is a veth pair of Tracewire, send from the end NAME-tx, so that captures "
	  "on NAME receive the events. If there is no interface NAME, make a veth pair of that name for this run",
	  .offset = offsetof(struct run_config, interface), .once = "run one stream for each interface" },
	{ 0, "destination", "MAC|group", CLI_ARG_GROUP,
	  "With --interface: send to this Ethernet address; 'group' is a multicast address, and switches forward such "
	  "frames to all ports. Required for an interface that may lead to other hosts",
	  .apply = set_destination, .once = "with 'group', one stream reaches several hosts" },
	{ 'u', "udp", "HOST[:PORT]", CLI_ARG_TEXT,
	  "Send to this host over UDP, to port 18101 by default; write an IPv6 address in brackets",
	  .offset = offsetof(struct stream, host), .once = "run one stream for each host" },
	{ 0, "raw-pointers", NULL, CLI_ARG_NONE,
	  "Send real kernel addresses. By default, each stream replaces them by other numbers, except on a veth "
	  "pair of Tracewire with both ends in this network namespace. Equal addresses become equal numbers, and symbols "
	  "keep their names, but the position of the kernel in memory stays secret",
	  .offset = offsetof(struct stream, raw_pointers) },
	{ 0, "rate", "BITS[k|M|G]", CLI_ARG_TEXT,
	  "Send at most this number of bits per second. Events that exceed this rate wait in the kernel's rings; if a "
	  "ring is full, further events are lost and counted",
	  .offset = offsetof(struct stream, rate), .apply = set_rate },
	{ 0, "latency", "MS", CLI_ARG_NUMBER,
	  "Longest time that an event waits in the kernel's ring, unless --rate or a slow output delays it (default: 20; "
	  "40 if a frame may have several events)",
	  .offset = offsetof(struct stream, latency_ms), .apply = set_latency },
	{ 0 },
};

static const struct cli_option_group group = { "Output", options };

static int open_limit(struct stream *stream, struct tw_error *error)
{
	if (!stream->rate)
		return 0;
	stream->limit = tw_limit__new(stream->rate);
	return stream->limit ? 0 : tw_error__set(error, -ENOMEM, "no memory to limit the rate");
}

/* Applies the limit of --rate to a sink. @err: the result of opening the sink */
static int limit_sink(struct stream *stream, int err, struct tw_sink **ret, struct tw_error *error)
{
	return !err && stream->limit ? tw_limit__sink(stream->limit, *ret, ret, error) : err;
}

static void tell_started(const struct stream *stream)
{
	if (stream->rate)
		fprintf(stderr, ", %g Mbit/s at most", (double)stream->rate / 1e6);
	fputs("); Ctrl-C ends it\n", stderr);
}

/* Return: the text for the reason of a refusal, with a remedy. */
static const char *reason_of(uint16_t why)
{
	static const char *const reasons[] = {
		[0] = "this version of Tracewire does not know the reason",
		[TW_REFUSED_PLACES] = "its stream table has no room for this stream: end some streams, or capture on "
				      "another port",
		[TW_REFUSED_SOURCE] =
			"it has reached its limit of streams from this address: end some streams, or raise its "
			"--streams-per-source",
		[TW_REFUSED_RATE] =
			("it receives no answers to its requests, and limits the data rate of such streams: permit "
			 "UDP in both directions, or raise its --unanswered"),
	};

	return reasons[why < sizeof(reasons) / sizeof(reasons[0]) ? why : 0];
}

/* Called in a thread of the producer if a capture host refuses the stream. Only the first message is printed: any host can send many. */
static void refused(void *ctx, uint16_t why)
{
	struct stream *stream = ctx;

	atomic_store(&stream->why, why);
	if (!atomic_fetch_add(&stream->refusals, 1) && !stream->run.quiet)
		note__say("the capture host refuses this stream: %s", reason_of(why));
}

static void add_outcome(void *ctx, const struct tw_producer_counters *counters, struct outcome *outcome)
{
	struct stream *stream = ctx;

	(void)counters;
	outcome->place[OUTCOME_NOT_ADMITTED] = atomic_load(&stream->refusals);
	outcome->remedy[OUTCOME_NOT_ADMITTED] = reason_of(atomic_load(&stream->why));
}

static void summarize(void *ctx, const struct tw_producer_counters *counters)
{
	struct stream *stream = ctx;
	const uint64_t times = atomic_load(&stream->refusals);

	(void)counters;
	if (times)
		fprintf(stderr, "refused  %" PRIu64 " times the capture host refused this stream: %s\n", times,
			reason_of(atomic_load(&stream->why)));
}

/* A stream on an interface: a veth pair, or a real NIC. */

/*
 * Requires --destination for an interface that may lead to other hosts: frames to the default group address would carry data about this
 * kernel to every host of the network.
 */
static int check_destination(const struct stream *stream, struct tw_error *error)
{
	if (stream->veth.iface.reach < TW_REACH_NETWORK || stream->has_destination)
		return 0;
	return tw_error__set(
		error, -EINVAL,
		"%s may lead to other hosts: give the Ethernet address of the capture host with --destination, or "
		"send to the whole network with --destination group",
		stream->veth.name);
}

static int interface_open(void *ctx, struct tw_producer *producer, struct tw_error *error)
{
	struct stream *stream = ctx;
	int err = open_limit(stream, error);

	if (!err)
		err = run_interface__open(stream->run.interface, tw_producer__instance(producer),
					  tw_producer__threads(producer), &stream->veth, error);
	if (!err)
		err = check_destination(stream, error);
	if (!err)
		err = tw_listeners__open(stream->veth.name, &stream->listeners, error);
	if (err)
		return err;
	if (stream->has_destination)
		stream->veth.destination = stream->destination;
	tw_producer__add_phc_of(producer, stream->veth.iface.tx_name);
	if (stream->veth.ours) {
		tw_producer__ignore_device(producer, stream->veth.name);
		tw_producer__ignore_device(producer, stream->veth.iface.tx_name);
	}
	if (stream->veth.ours && !stream->run.quiet)
		fprintf(stderr, "there is no interface %s: made a veth pair of that name for this run\n",
			stream->veth.name);
	return 0;
}

static int interface_open_sink(void *ctx, unsigned int thread, struct tw_sink **ret, struct tw_error *error)
{
	struct stream *stream = ctx;
	const int err = run_interface__sink(&stream->veth, thread, stream->run.frame_size, ret, error);

	return limit_sink(stream, err, ret, error);
}

static int interface_open_requests(void *ctx, struct tw_receiver **ret, struct tw_error *error)
{
	const struct stream *stream = ctx;

	return tw_rx_requests__on_link(stream->veth.iface.tx_name, ret, error);
}

static bool interface_joined(void *ctx)
{
	const struct stream *stream = ctx;

	return tw_listeners__joined(stream->listeners);
}

static void interface_started(void *ctx)
{
	const struct stream *stream = ctx;

	if (stream->run.quiet)
		return;
	say(stderr, "streaming on %s (%s", stream->veth.name, stream->veth.how);
	tell_started(stream);
}

static int interface_close(void *ctx, struct tw_error *error)
{
	struct stream *stream = ctx;

	tw_listeners__close(stream->listeners);
	return run_interface__close(&stream->veth, error);
}

static const struct session_output stream_on_interface = {
	.open = interface_open,
	.open_sink = interface_open_sink,
	.open_requests = interface_open_requests,
	.refused = refused,
	.joined = interface_joined,
	.started = interface_started,
	.add_outcome = add_outcome,
	.summarize = summarize,
	.close = interface_close,
};

/* A stream over UDP. */

static int udp_connect(void *ctx, struct tw_producer_options *producer, struct tw_error *error)
{
	struct stream *stream = ctx;
	int err = tw_udp_address__parse(stream->host, &stream->to, error);

	if (!err)
		err = tw_tx_udp__open(&stream->to, &stream->udp, error);
	if (!err)
		producer->own_socket = tw_tx_udp__fd(stream->udp);
	return err;
}

static int udp_open(void *ctx, struct tw_producer *producer, struct tw_error *error)
{
	struct stream *stream = ctx;
	const int err = open_limit(stream, error);
	char interface[IF_NAMESIZE];

	if (!err && tw_tx_udp__interface(stream->udp, interface))
		tw_producer__add_phc_of(producer, interface);
	return err;
}

static int udp_open_sink(void *ctx, unsigned int thread, struct tw_sink **ret, struct tw_error *error)
{
	struct stream *stream = ctx;
	const int err = tw_tx_udp__sink(stream->udp, stream->run.frame_size, ret, error);

	if (!err && !thread)
		snprintf(stream->how, sizeof(stream->how), "%s", (*ret)->how);
	return limit_sink(stream, err, ret, error);
}

static int udp_open_requests(void *ctx, struct tw_receiver **ret, struct tw_error *error)
{
	struct stream *stream = ctx;

	return tw_rx_requests__on_udp(stream->udp, ret, error);
}

static void udp_started(void *ctx)
{
	const struct stream *stream = ctx;
	const size_t mtu = tw_tx_udp__mtu(stream->udp);
	char to[TW_UDP_TEXT_MAX];

	if (stream->run.quiet)
		return;
	tw_udp_address__format(&stream->to, to);
	say(stderr, "streaming to %s (%s, path MTU ", to, stream->how);
	if (mtu)
		say(stderr, "%zu", mtu);
	else
		say(stderr, "unknown");
	tell_started(stream);
}

static void udp_add_outcome(void *ctx, const struct tw_producer_counters *counters, struct outcome *outcome)
{
	struct stream *stream = ctx;

	add_outcome(ctx, counters, outcome);
	outcome->place[OUTCOME_NO_LISTENER] = tw_tx_udp__refused(stream->udp);
	snprintf(stream->listener, sizeof(stream->listener), "start `tracewire capture -u %u` there", stream->to.port);
	outcome->remedy[OUTCOME_NO_LISTENER] = stream->listener;
}

static void udp_summarize(void *ctx, const struct tw_producer_counters *counters)
{
	const struct stream *stream = ctx;
	const uint64_t times = tw_tx_udp__refused(stream->udp);

	if (times)
		say(stderr, "refused  %" PRIu64 " times %s answered that no program receives on port %u\n", times,
		    stream->to.host, stream->to.port);
	summarize(ctx, counters);
}

static int udp_close(void *ctx, struct tw_error *error)
{
	const struct stream *stream = ctx;

	(void)error;
	tw_tx_udp__close(stream->udp);
	return 0;
}

static const struct session_output stream_over_udp = {
	.connect = udp_connect,
	.open = udp_open,
	.open_sink = udp_open_sink,
	.open_requests = udp_open_requests,
	.refused = refused,
	.started = udp_started,
	.add_outcome = udp_add_outcome,
	.summarize = udp_summarize,
	.close = udp_close,
};

/* Interval at which metadata is repeated, ms, for receivers that the sender cannot detect: on other hosts, after a bridge, with AF_XDP. */
#define REPEAT_MS 1000

static int check(const struct stream *stream, struct tw_error *error)
{
	if (!stream->run.interface && !stream->host)
		return tw_error__set(
			error, -EINVAL,
			"no destination is given: name an interface with --interface or a host with --udp, for "
			"example -i tw0 or -u 10.0.0.7");
	if (stream->run.interface && stream->host)
		return tw_error__set(error, -EINVAL,
				     "--interface and --udp exclude each other: stream sends to one of them");
	if (stream->host && stream->has_destination)
		return tw_error__set(error, -EINVAL, "--destination is for --interface; --udp names the host itself");
	return 0;
}

/* Whether events may leave this host. A container with the other end of a veth pair counts as another host. */
static bool leaves_host(const struct stream *stream)
{
	return stream->host || run_interface__reach(stream->run.interface) > TW_REACH_VETH;
}

static int run(void *data, int n_args, char **args, struct tw_error *error)
{
	struct stream *stream = data;
	struct tw_producer_options defaults = { .repeat_ms = REPEAT_MS };
	int status;

	(void)n_args;
	if (check(stream, error))
		return CLI_EXIT_USAGE;
	defaults.events_per_frame = stream->host ? 0 : 1; /* 0 = as many as fit */
	defaults.latency_ms = (unsigned int)stream->latency_ms;
	defaults.hash_pointers = !stream->raw_pointers && leaves_host(stream);
	status = session__run(&stream->run, &defaults, args, stream->host ? &stream_over_udp : &stream_on_interface,
			      stream, error);
	tw_limit__free(stream->limit);
	return status;
}

static const struct cli_option_group *const groups[] = {
	&run_event_group,  &run_task_group, &run_socket_group, &run_source_group, &run_phc_group,
	&run_tracer_group, &group,          &run_frame_group,  &run_status_group, NULL
};

static const struct cli_example examples[] = {
	{ "Stream scheduler events until Ctrl-C", "sudo tracewire stream -e sched -i tw0" },
	{ "In another terminal, show the switches to the task `sleep`",
	  "tshark -i tw0 -Y 'trace.sched.sched_switch.next_comm == \"sleep\"'" },
	{ "Send scheduler events to another host, at most 100 Mbit/s",
	  "sudo tracewire stream -e sched -u collector --rate 100M" },
	{ "On that host, write the events to a file", "tracewire capture -u 18101 -w x.pcapng" },
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
		"Sends the events of this kernel, as Ethernet frames to an interface or over UDP to a host, until "
		"Ctrl-C or until COMMAND ends. Unless the run itself fails, the exit status is that of COMMAND. The "
		"stream contains all metadata needed to decode it. The metadata are repeated, so that a capture can "
		"join later.\n\n"
		"On an interface, the default is one event per frame, so that filters and columns apply to single "
		"events in every viewer. --events-per-frame 0 packs many events into a frame; this is the default over "
		"UDP. Datagrams have at most the size that the known path MTU permits, and are never fragmented. If "
		"the MTU of the path becomes smaller, larger datagrams are dropped on the way until the network "
		"reports the smaller MTU.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct stream),
	.run = run,
	.discard = run_config__fini,
};
