/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire capture`: frames that arrive on an interface, into a pcapng file or pipe. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/command.h"
#include "cli/filter_option.h"
#include "cli/receiver.h"
#include "cli/rejected.h"
#include "cli/stop.h"
#include "cli/summary.h"
#include "vnet/rx_packet.h"

#define RETIRE_MS \
	10 /* frames come in batches: a file is in no hurry, and who captures what he causes sees less of it */
#define SECONDS_MAX 1000000000.0

struct capture {
	const char *interface, *file;
	struct tw_filter *filter;
	uint64_t count;    /* events; 0 = no limit */
	uint64_t duration; /* ns; 0 = no limit */
	bool quiet;
	struct rejected *rejected;
	struct receiver *receiver;
	struct receiver_stats stats;
	uint64_t took; /* ns */
};

static void discard(void *data)
{
	struct capture *capture = data;

	tw_filter__free(capture->filter);
	rejected__free(capture->rejected);
}

static int set_filter(void *data, const char *text, struct tw_error *err)
{
	struct capture *capture = data;

	return filter_option__parse(&capture->filter, text, err);
}

/* As dumpcap has it, KIND:VALUE, of which this is the first kind. */
static int set_autostop(void *data, const char *text, struct tw_error *err)
{
	static const char duration[] = "duration:";
	struct capture *capture = data;
	const char *value = text + sizeof(duration) - 1;
	double seconds;
	char *end;

	if (strncmp(text, duration, sizeof(duration) - 1) != 0)
		return tw_error__set(err, -EINVAL, "--autostop '%s' is not known; duration:SECONDS is", text);
	seconds = strtod(value, &end);
	if (end == value || *end || !(seconds > 0 && seconds <= SECONDS_MAX))
		return tw_error__set(err, -EINVAL, "--autostop '%s': '%s' is no number of seconds", text, value);
	capture->duration = (uint64_t)(seconds * TW_NS_PER_SECOND);
	return 0;
}

/* Before the file is cut. */
static int check_filter(const struct tw_filter *filter, struct tw_error *err)
{
	struct tw_sieve *sieve = NULL;
	const int error = filter ? tw_sieve__new(filter, &sieve, err) : 0;

	tw_sieve__free(sieve);
	return error;
}

static int check(const struct capture *capture, struct tw_error *err)
{
	if (!capture->interface)
		return tw_error__set(err, -EINVAL,
				     "no interface is given: name one with --interface, for example -i tw0");
	if (!capture->file)
		return tw_error__set(err, -EINVAL, "no file is given: name one with --write, or - for standard output");
	return check_filter(capture->filter, err);
}

static uint64_t explain_gaps(void *ctx, uint64_t stream_id)
{
	const struct capture *capture = ctx;

	return rejected__of(capture->rejected, stream_id);
}

static int start(struct capture *capture, struct tw_error *err)
{
	const struct tw_rx_packet_options rx = {
		.ifname = capture->interface,
		.ring = RECEIVER_RING,
		.retire_ms = RETIRE_MS,
	};
	struct receiver_options options = {
		.recorder = { .path = capture->file,
			      .archive = { .application = "tracewire capture " TRACEWIRE_VERSION,
					   .filter = capture->filter,
					   .events_max = capture->count,
					   .explain = explain_gaps,
					   .ctx = capture } },
		.others_send = true,
	};
	const int error = tw_rx_packet__open(&rx, &options.rx, err);

	return error ? error : receiver__start(&options, &capture->receiver, err);
}

/* How long to wait before the counters are looked at again, or the time is over. Return: ns, 0 if it is. */
static uint64_t patience(const struct capture *capture, uint64_t passed)
{
	const uint64_t look = REJECTED_LOOK_MS * TW_NS_PER_MS;

	if (!capture->duration)
		return look;
	if (passed >= capture->duration)
		return 0;
	return capture->duration - passed < look ? capture->duration - passed : look;
}

/* Until somebody asks to stop, the receiver ends by itself, or the time is over. */
static void wait_for_end(const struct capture *capture)
{
	struct pollfd fd = { .fd = stop__fd(), .events = POLLIN };
	const uint64_t begin = tw_time__now(CLOCK_MONOTONIC);
	uint64_t wait;

	while ((wait = patience(capture, tw_time__now(CLOCK_MONOTONIC) - begin))) {
		const struct timespec timeout = { .tv_sec = (time_t)(wait / TW_NS_PER_SECOND),
						  .tv_nsec = (long)(wait % TW_NS_PER_SECOND) };

		if (ppoll(&fd, 1, &timeout, NULL) > 0)
			return;
		rejected__look(capture->rejected);
	}
}

static void tell_events(const struct capture *capture)
{
	const struct tw_archive_stats *stats = &capture->stats.archive;
	const uint64_t on_the_way = stats->merge.filtered + stats->explained;

	fprintf(stderr, "events   %" PRIu64 " received, in %.3f s\n",
		stats->events + stats->filtered + stats->merge.filtered, (double)capture->took / TW_NS_PER_SECOND);
	if (on_the_way)
		fprintf(stderr, "filtered %" PRIu64 " by a classifier on the way\n", on_the_way);
	filter_option__summarize(capture->filter, &stats->sieve);
}

static void tell_losses(const struct capture *capture)
{
	const struct tw_archive_stats *stats = &capture->stats.archive;

	fprintf(stderr,
		"lost     %" PRIu64 " in the ring, %" PRIu64 " by the producer, %" PRIu64 " in transmission, %" PRIu64
		" on the way\n",
		stats->lost_ring, stats->lost_shed, stats->lost_tx, stats->lost_wire);
	if (stats->lost_unknown)
		fprintf(stderr, "         and more: %" PRIu64 " losses without a count\n", stats->lost_unknown);
}

static void summarize(const struct capture *capture)
{
	const struct tw_archive_stats *stats = &capture->stats.archive;

	tell_events(capture);
	tell_losses(capture);
	fprintf(stderr, "frames   %" PRIu64 " received, %" PRIu64 " dropped for want of room here\n",
		capture->stats.rx.frames, capture->stats.rx.dropped);
	if (capture->stats.too_long)
		fprintf(stderr, "too long %" PRIu64 " frames, beyond the interface's MTU; not taken\n",
			capture->stats.too_long);
	summary__print_troubles(stats, stderr);
	fprintf(stderr, "file     %" PRIu64 " events in %" PRIu64 " packets, %" PRIu64 " bytes\n", stats->events,
		stats->packets, stats->bytes);
}

static int capture_events(struct capture *capture, struct tw_error *err)
{
	const bool standard = !strcmp(capture->file, "-");
	uint64_t begin;
	int error = stop__catch(err);

	if (!error)
		error = rejected__new(capture->interface, &capture->rejected, err);
	if (!error)
		error = start(capture, err);
	if (error)
		return error;
	begin = tw_time__now(CLOCK_MONOTONIC);
	if (!capture->quiet)
		fprintf(stderr, "capturing on %s to %s; Ctrl-C ends it\n", capture->interface,
			standard ? "standard output" : capture->file);
	wait_for_end(capture);
	rejected__look(capture->rejected);
	error = receiver__finish(capture->receiver, &capture->stats, err);
	capture->took = tw_time__now(CLOCK_MONOTONIC) - begin;
	if (!capture->quiet)
		summarize(capture);
	filter_option__warn(&capture->stats.archive.doubts);
	return error;
}

static int run(void *data, int n_args, char **args, struct tw_error *err)
{
	struct capture *capture = data;
	int error;

	(void)n_args;
	(void)args;
	error = check(capture, err);
	if (!error)
		error = capture_events(capture, err);
	discard(capture);
	return cli_exit__of(error);
}

static const struct cli_option options[] = {
	{ 'i', "interface", "NAME", CLI_ARG_INTERFACE,
	  "Receive on this interface; on a wire of ours at the end that has its name",
	  offsetof(struct capture, interface), NULL },
	{ 'f', "filter", "EXPR", CLI_ARG_TEXT,
	  "Write only events that match this filter, for example 'prev_pid == 0 && cpu == 1'", 0, set_filter },
	{ 'w', "write", "FILE", CLI_ARG_FILE, "Write pcapng to this file; - is standard output",
	  offsetof(struct capture, file), NULL },
	{ 'c', "count", "N", CLI_ARG_NUMBER, "End after so many events were written", offsetof(struct capture, count),
	  NULL },
	{ 'a', "autostop", "duration:SECONDS", CLI_ARG_TEXT, "End after that time", 0, set_autostop },
	{ 'q', "quiet", NULL, CLI_ARG_NONE, "No status lines and no summary on standard error",
	  offsetof(struct capture, quiet), NULL },
	{ 0 },
};

static const struct cli_option_group group = { "Options", options };
static const struct cli_option_group *const groups[] = { &group, NULL };

static const struct cli_example examples[] = {
	{ "Ten seconds of what is streamed on a wire", "sudo tracewire capture -i tw0 -a duration:10 -w x.pcapng" },
	{ "The next hundred switches away from an idle task",
	  "sudo tracewire capture -i tw0 -f 'prev_pid == 0' -c 100 -w idle.pcapng" },
	{ "As text, while they come", "sudo tracewire capture -q -i tw0 -w - | tracewire report -" },
	{ NULL, NULL },
};

const struct cli_command cli_command_capture = {
	.name = "capture",
	.summary = "Write trace events that arrive on an interface to a pcapng file",
	.description =
		"Receives the frames that `tracewire stream` sends, here or on another machine, until Ctrl-C. Writes what record "
		"would: every event a packet, in the order of time across CPUs, each stream an interface of the file. Other "
		"captures on the interface see the same frames.\n"
		"\n"
		"Events whose format has not come yet wait for it up to two seconds, if there is a filter. What was lost, where, and "
		"how many events the filter rejected, stands in the file's interface statistics and in the summary.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct capture),
	.run = run,
	.discard = discard,
};
