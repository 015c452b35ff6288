/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire capture`: frames of many machines, into a pcapng file or pipe. */
#include "cli/capture/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/cleanup.h"
#include "cli/command.h"
#include "cli/filter_option.h"
#include "cli/messages.h"
#include "cli/ordinary_user.h"
#include "cli/service.h"
#include "cli/stop.h"

static void discard(void *data)
{
	struct capture *capture = data;

	tw_filter__free(capture->filter);
	rejected__free(capture->rejected);
	tw_sync__free(capture->sync);
	free(capture->stats.streams);
}

static int set_filter(void *data, const char *text, struct tw_error *err)
{
	struct capture *capture = data;

	return filter_option__parse(&capture->filter, text, err);
}

static int set_status(void *data, const char *text, struct tw_error *err)
{
	struct capture *capture = data;

	if (cli_seconds__parse(text, &capture->status))
		return tw_error__set(err, -EINVAL, "--status '%s' is no number of seconds, such as 1 or 0.5s", text);
	return 0;
}

static int set_of_one_source(void *data, const char *text, struct tw_error *err)
{
	static const struct tw_number_rule rule = { .min = 1, .max = TW_ADMISSION_STREAMS };
	struct capture *capture = data;

	return cli_number__parse("streams-per-source", text, &rule, &capture->of_one_source, err);
}

static int set_unanswered(void *data, const char *text, struct tw_error *err)
{
	static const struct tw_number_rule rule = { .max = TW_ADMISSION_UNANSWERED_MOST, .unit = 1 };
	struct capture *capture = data;

	capture->has_unanswered = true;
	return cli_number__parse("unanswered", text, &rule, &capture->unanswered, err);
}

static int set_align(void *data, const char *text, struct tw_error *err)
{
	struct capture *capture = data;

	if (!strcmp(text, "host"))
		capture->align = TW_ALIGN_HOST;
	else if (!strcmp(text, "none"))
		capture->align = TW_ALIGN_NONE;
	else
		return tw_error__set(err, -EINVAL, "--align '%s' is not known; host and none are", text);
	return 0;
}

static int set_json(void *data, const char *text, struct tw_error *err)
{
	struct capture *capture = data;

	(void)text, (void)err;
	capture->json = true;
	note__use_json();
	return 0;
}

static int check_filter(const struct tw_filter *filter, struct tw_error *err)
{
	return filter ? tw_capture_filter__check(filter, err) : 0;
}

static int check_packed(const struct capture *capture, struct tw_error *err)
{
	if (capture->packed && capture->filter)
		return tw_error__set(
			err, -EINVAL,
			"--packed keeps frames as they came, and --filter takes events out of them: leave one of "
			"them away; `tracewire convert` unpacks, `report` filters");
	if (capture->packed && capture->snaplen)
		return tw_error__set(
			err, -EINVAL,
			"--packed keeps frames as they came, and --snapshot-length cuts events off them: leave one of "
			"them away; `tracewire convert` unpacks, `editcap -s` cuts");
	return 0;
}

static int check_user(const struct capture *capture, struct tw_error *err)
{
	struct ordinary_user user = { 0 };
	const int error = capture->user ? ordinary_user__find(capture->user, &user, err) : 0;

	ordinary_user__fini(&user);
	return error ? -EINVAL : 0;
}

/* All of it before the file is cut. */
static int check(const struct capture *capture, struct tw_error *err)
{
	int error = capture__check_source(capture, err);

	if (error)
		return error;
	if (!capture->file || !*capture->file)
		return tw_error__set(err, -EINVAL, "no file is given: name one with --write, or - for standard output");
	error = output_request__check(&capture->output, err);
	if (error)
		return error;
	error = check_packed(capture, err);
	if (error)
		return error;
	if (capture->snaplen > UINT32_MAX)
		return tw_error__set(
			err, -EINVAL,
			"--snapshot-length %llu is more than any packet has: leave it out to have all of them",
			(unsigned long long)capture->snaplen);
	error = check_user(capture, err);
	return error ? error : check_filter(capture->filter, err);
}

static void tell_ready(const char *how)
{
	char status[192];

	snprintf(status, sizeof(status), "capturing on %s", how);
	service__ready(status);
}

/* A ring goes on where the disk is full, but it does not hold what was asked for: scripts shall notice. */
static int check_ring(const struct capture *capture, struct tw_error *err)
{
	const uint64_t removed = capture->stats.archive.removed_early;

	if (!removed)
		return 0;
	return tw_error__set(err, -ENOSPC,
			     "writing %s: no space for as many files as --ring-buffer asks for; %" PRIu64
			     " were removed before their time, so make room, or ask for fewer or smaller ones",
			     capture->file, removed);
}

static void finish(struct capture *capture, uint64_t begin)
{
	capture->took = tw_time__now(CLOCK_MONOTONIC) - begin;
	capture__tell_end(capture);
	filter_option__warn(&capture->stats.archive.undecided_predicates);
}

/* Return: exit status */
static int capture_events(struct capture *capture, struct tw_error *err)
{
	char how[128];
	uint64_t begin;
	int error = stop__catch(err);

	if (!error)
		leftovers__clear(capture->quiet);
	if (!error && !geteuid()) /* nobody else may read those counters: what they are about is lost on the way then */
		error = rejected__new(capture->interface, capture->user, &capture->rejected, err);
	if (!error)
		error = capture__start(capture, how, sizeof(how), err);
	stop__opened();
	if (error) {
		stop__ending(); /* what was printed may find no reader */
		return cli_exit__of_opening(error);
	}
	begin = tw_time__now(CLOCK_MONOTONIC);
	capture__tell_begin(capture, how);
	tell_ready(how);
	capture__wait(capture);
	stop__ending();
	service__stopping();
	rejected__look(capture->rejected);
	error = receiver__finish(capture->receiver, &capture->stats, err);
	finish(capture, begin);
	return error || check_ring(capture, err) ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

static int run(void *data, int n_args, char **args, struct tw_error *err)
{
	struct capture *capture = data;
	int status;

	(void)n_args;
	(void)args;
	status = check(capture, err) ? CLI_EXIT_USAGE : capture_events(capture, err);
	discard(capture);
	return status;
}

static const struct cli_option options[] = {
	{ 'i', "interface", "NAME", CLI_ARG_INTERFACE,
	  "Receive on this interface; on a wire of ours at the end that has its name",
	  offsetof(struct capture, interface), NULL },
	{ 'u', "udp", "[ADDRESS:]PORT", CLI_ARG_TEXT,
	  "Receive UDP at this port, of all addresses of this machine or of one; 0.0.0.0:18101, [::1]:18101",
	  offsetof(struct capture, udp), NULL },
	{ 0, "xdp", NULL, CLI_ARG_NONE,
	  "Receive through AF_XDP: nobody else on this interface sees the frames then, all other traffic passes; takes an interface "
	  "without an XDP program",
	  offsetof(struct capture, xdp), NULL },
	{ 'f', "filter", "EXPR", CLI_ARG_TEXT,
	  "Write only events that match this filter, for example 'prev_pid == 0 && cpu == 1'", 0, set_filter },
	{ 'w', "write", "FILE", CLI_ARG_FILE, "Write pcapng to this file; - is standard output",
	  offsetof(struct capture, file), NULL },
	{ 'c', "count", "N", CLI_ARG_NUMBER,
	  "End after so many events were written; 0 = without end (default). Metadata in the file do not count",
	  offsetof(struct capture, count), NULL },
	{ 's', "snapshot-length", "BYTES", CLI_ARG_SIZE,
	  "Write no more than so many bytes of an event's packet; 0 = all (default). Its fields begin behind the first 78; "
	  "metadata are never cut",
	  offsetof(struct capture, snaplen), NULL },
	{ 0, "packed", NULL, CLI_ARG_NONE,
	  "Keep frames as they come, many events in one, which costs least; `tracewire convert` unpacks them later",
	  offsetof(struct capture, packed), NULL },
	{ 0, "align", "host|none", CLI_ARG_TEXT,
	  "Put all streams on this host's clock, as exchanges with their producers tell it; or leave each on its own machine's (default)",
	  0, set_align },
	{ 0, "wall", NULL, CLI_ARG_NONE,
	  "Let packet times follow when a producer's wall clock is set; else they keep to what it was at the beginning",
	  offsetof(struct capture, wall), NULL },
	{ 0, "streams-per-source", "N", CLI_ARG_TEXT,
	  "Take at most N streams from one address at once (default 224); all addresses together have 256", 0,
	  set_of_one_source },
	{ 0, "unanswered", "BYTES", CLI_ARG_TEXT,
	  "Take at most BYTES a second from all streams together that answer no question about their clock, as forged ones do not; K, M and G can follow; 0 = no limit (default 4M)",
	  0, set_unanswered },
	{ 0, "status", "SECONDS", CLI_ARG_TEXT,
	  "Say every so often, on standard error, what became of the events: on a terminal in one place, else a line a stream",
	  0, set_status },
	{ 'j', "json", NULL, CLI_ARG_NONE,
	  "Standard error is JSON, an object a line: begin, status, end, note and error; docs/options.md has their members",
	  0, set_json },
	{ 'Z', "user", "USER", CLI_ARG_TEXT,
	  "Become this user once the interface and the file are open (default: who called sudo, else nobody); root keeps all "
	  "privileges",
	  offsetof(struct capture, user), NULL },
	{ 'q', "quiet", NULL, CLI_ARG_NONE,
	  "No status and no summary on standard error, but those that --json asks for", offsetof(struct capture, quiet),
	  NULL },
	{ 0 },
};

static const struct cli_option_group group = { "Options", options };
static const struct cli_option_group *const groups[] = { &group, &output_group, NULL };

static const struct cli_example examples[] = {
	{ "What several machines send by `tracewire stream -u THIS`", "tracewire capture -u 18101 -w x.pcapng" },
	{ "Ten seconds of what is streamed on a wire", "sudo tracewire capture -i tw0 -a duration:10 -w x.pcapng" },
	{ "The next hundred switches away from an idle task",
	  "sudo tracewire capture -i tw0 -f 'prev_pid == 0' -c 100 -w idle.pcapng" },
	{ "As text, while they come", "sudo tracewire capture -q -i tw0 -w - | tracewire report -" },
	{ NULL, NULL },
};

const struct cli_command cli_command_capture = {
	.name = "capture",
	.summary = "Write trace events that other machines stream to a pcapng file",
	.description =
		"Receives what `tracewire stream` sends, from any number of machines, until Ctrl-C. Every event is a packet at its own "
		"time, in one order across CPUs and machines; each stream is an interface of the file. Where events are missing, the list "
		"says so and how many.\n"
		"\n"
		"What became of every event the kernels recorded is the ledger: in the summary, in --status, in each file (see `tracewire "
		"info`). How far packet times may be from this host's clock is asked of the producers, and is trace.time_error in "
		"Wireshark.\n"
		"\n"
		"An interface has to be up at the beginning; one that goes down later is waited for. Other captures on it see the same "
		"frames. Once the interface and the file are open, capture has no privileges.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct capture),
	.run = run,
	.discard = discard,
};
