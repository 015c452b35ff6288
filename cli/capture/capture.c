/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire capture`: writes frames of many machines to a pcapng file or pipe. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/printable.h"
#include "base/time.h"
#include "cli/capture/capture.h"
#include "cli/cleanup.h"
#include "cli/command.h"
#include "cli/filter_option.h"
#include "cli/messages.h"
#include "cli/ordinary_user.h"
#include "cli/service.h"
#include "cli/standard_files.h"
#include "cli/stop.h"
#include "vnet/rx_packet.h"
#include "vnet/rx_udp.h"
#include "vnet/rx_xdp.h"
#include "vnet/veth.h"

/* The source of frames: an interface (AF_PACKET or AF_XDP) or a UDP port. */

/*
 * Longest time that the kernel collects frames before it wakes the receiver thread, ms. A longer time delays writing to the file, but the
 * thread wakes less often. If events of this host are captured, Tracewire itself then causes fewer of these events.
 */
#define RETIRE_MS 10

/* Checks the form of --udp: a port, or an address, a colon and a port. The address is not looked up before the receiver is opened. */
static int check_udp(const char *udp, struct tw_error *error)
{
	struct tw_udp_address at;

	if (!strchr(udp, ':') && udp[strspn(udp, "0123456789")])
		return tw_error__set(
			error, -EINVAL,
			"--udp '%s' is neither a port, such as %u, nor an address with a port, such as 127.0.0.1:%u",
			udp, TW_UDP_PORT, TW_UDP_PORT);
	return tw_udp_address__parse(udp, &at, error);
}

/* Checks that the options name a source of frames. Return: 0, -EINVAL */
static int capture__check_source(const struct capture *capture, struct tw_error *error)
{
	if (!capture->interface && !capture->udp)
		return tw_error__set(
			error, -EINVAL,
			"no source is given: name an interface with --interface, for example -i tw0, or a port with "
			"--udp, for example -u %u",
			TW_UDP_PORT);
	if (capture->interface && capture->udp)
		return tw_error__set(error, -EINVAL,
				     "--interface and --udp exclude each other: a capture receives from one of them");
	if (capture->udp && capture->xdp)
		return tw_error__set(error, -EINVAL, "--xdp is for --interface: --udp receives through a UDP socket");
	return capture->udp ? check_udp(capture->udp, error) : 0;
}

/*
 * Refuses an interface that is down at the start, because this may be a mistake. If the interface goes down later, capture waits for it.
 * An interface that does not exist is not refused here: opening the receiver then fails with a better error.
 */
static int check_is_up(const struct capture *capture, struct tw_error *error)
{
	struct tw_iface iface;

	if (tw_iface__find(capture->interface, &iface, NULL) || iface.up)
		return 0;
	return tw_error__set(error, -ENETDOWN,
			     "cannot receive on %s: the interface is down; bring it up with `ip link set %s up`",
			     capture->interface, capture->interface);
}

/* Opens the source that the options select. Return: 0, or -errno with @error filled */
static int capture__open_rx(const struct capture *capture, struct tw_receiver **ret, struct tw_error *error)
{
	struct tw_rx_udp_options udp = { .buffer = RECEIVER_RING };
	const struct tw_rx_xdp_options xdp = { .ifname = capture->interface };
	const struct tw_rx_packet_options packet = {
		.ifname = capture->interface,
		.ring = RECEIVER_RING,
		.retire_ms = RETIRE_MS,
	};
	int err;

	if (capture->udp) {
		err = tw_udp_address__parse(capture->udp, &udp.at, error);
		return err ? err : tw_rx_udp__open(&udp, ret, error);
	}
	err = check_is_up(capture, error);
	if (err)
		return err;
	return capture->xdp ? tw_rx_xdp__open(&xdp, ret, error) : tw_rx_packet__open(&packet, ret, error);
}

/* The start: opens the source and the output, gives up privileges, starts the threads that receive and write. */

/* Longest time for which the merge holds events back, to wait for silent streams or for metadata. Producers repeat metadata each second. */
#define WAIT_NS (2 * TW_NS_PER_SECOND)
#define STATISTICS_NS \
	(5 * TW_NS_PER_SECOND) /* interval at which ledgers are written, so that a truncated file also has ledgers */

/* Return: the smaller of the limits of --count and --autostop events:N; 0 = no limit */
static uint64_t events_max(const struct capture *capture)
{
	const uint64_t a = capture->count, b = capture->output.stop_events;

	return !a || (b && b < a) ? b : a;
}

/* Becomes the user of --user and gives up all capabilities, because no later step needs them. With --user root, root keeps them. */
static int give_up_privileges(const struct capture *capture, struct tw_error *error)
{
	struct ordinary_user user;
	int err = ordinary_user__find(capture->user, &user, error);

	if (!err) {
		err = ordinary_user__become(&user);
		if (err)
			tw_error__set(error, err, "cannot become the user %s: %s", user.name, strerror(-err));
	}
	ordinary_user__fini(&user);
	return err ? err : ordinary_user__renounce(error);
}

static int open_output(const struct capture *capture, struct tw_output **ret, struct tw_error *error)
{
	struct tw_output_owner owner;
	struct tw_output_options options = {
		.path = capture->file,
		.owner = ordinary_user__behind_sudo(&owner.uid, &owner.gid) ? &owner : NULL,
		.remember = true,
		.deadline = stop__deadline(),
	};

	output_request__apply(&capture->output, &options);
	return tw_output__open(&options, ret, error);
}

/* Opens an output of several files. Called after the change of user, because the new user must be allowed to create each file. */
static int open_output_unprivileged(const struct capture *capture, struct tw_output **ret, struct tw_error *error)
{
	const struct passwd *user = getpwuid(geteuid());
	int err;

	stale__repair_files(capture->file, capture->quiet);
	err = open_output(capture, ret, error);
	if (err != -EACCES && err != -EPERM)
		return err;
	return tw_error__set(
		error, err,
		"creating %.300s: %s; with --ring-buffer, the user %s creates all files: give this user write "
		"permission, or choose another one with --user",
		capture->file, strerror(-err), user ? user->pw_name : "that capture becomes");
}

static struct tw_own_clock own_clock(struct capture *capture)
{
	tw_capture_clock__notice(&capture->clock);
	return (struct tw_own_clock){ .sync_ns = capture->synced.ns,
				      .root = capture->synced.root,
				      .stepped = tw_capture_clock__stepped(&capture->clock),
				      .reference = capture->reference.state };
}

/* Writes the file's comment about the clocks of this host. Says, also to the user, if ptp4l may not be asked about them. */
static void describe_clocks(struct capture *capture)
{
	const bool is_denied = capture->synced.is_denied, both = is_denied && *capture->reference_text;

	if (is_denied && !capture->quiet)
		note__say("%s", TW_SYNC_DENIED);
	snprintf(capture->comment, sizeof(capture->comment), "%s%s%s%s", capture->reference_text, both ? "; " : "",
		 is_denied ? "the source of the capture host's clock is " : "", is_denied ? capture->synced.how : "");
}

/*
 * Begins the capture clock and the reference. Called before the change of user, because only root may open PTP hardware clocks and connect
 * to ptp4l. Times are aligned to a PTP hardware clock even without --align host, and to this host's clock if the former cannot be used.
 */
static int begin_clocks(struct capture *capture, struct tw_archive_options *options, struct tw_error *error)
{
	const struct reference_option *chosen = &capture->chosen_reference;

	capture->sync = tw_sync__new();
	if (!capture->sync)
		return tw_error__set(error, -ENOMEM, "no memory to watch the clock of this host");
	tw_card_stamps__open(&capture->cards);
	tw_capture_clock__begin(&capture->clock);
	reference_option__open(chosen, capture->sync, &capture->clock, &capture->reference, &capture->synced,
			       capture->reference_text, sizeof(capture->reference_text));
	describe_clocks(capture);
	if (!capture->has_align && chosen->kind == TW_REFERENCE_PHC)
		capture->align = TW_ALIGN_HOST;
	tw_step_watch__open(&capture->step_watch);
	options->align = capture->align;
	options->clock = capture->clock;
	options->own = own_clock(capture);
	options->comment = *capture->comment ? capture->comment : NULL;
	return 0;
}

/*
 * Opens the source and the output, gives up all privileges, and begins to receive
 * @how: gets a description of the source, at most @size bytes
 * Return: 0, or -errno with @error filled and nothing open.
 */
static int capture__start(struct capture *capture, char *how, size_t size, struct tw_error *error)
{
	const bool rotates = output_request__rotates(&capture->output);
	struct receiver_options options = {
		.recorder = { .archive = { .application = "tracewire capture " TRACEWIRE_VERSION,
					   .wait_ns = WAIT_NS,
					   .network = true,
					   .packed = capture->packed,
					   .snaplen = (uint32_t)capture->snaplen,
					   .wall = capture->wall,
					   .statistics_ns = STATISTICS_NS,
					   .filter = capture->filter,
					   .events_max = events_max(capture),
					   .bytes_max = rotates ? 0 : capture->output.stop_bytes,
					   .files_max = capture->output.stop_files,
					   .explain = drop_counters__of,
					   .ctx = capture->rejected },
			      .deadline = stop__deadline() },
		.others_send = true,
		.asks = true,
		.cards = &capture->cards,
		.of_one_source = capture->of_one_source,
		.unanswered = capture->has_unanswered ? capture->unanswered : TW_ADMISSION_UNANSWERED,
	};
	int err = capture__open_rx(capture, &options.rx, error);

	if (err)
		return err;
	err = begin_clocks(capture, &options.recorder.archive, error);
	snprintf(how, size, "%s%s%s%s", capture->interface ? capture->interface : "", capture->xdp ? " (" : "",
		 capture->interface && !capture->xdp ? "" : options.rx->how, capture->xdp ? ")" : "");
	tw_printable__mend(how, size);
	if (!err && !rotates)
		err = open_output(capture, &options.recorder.output, error);
	if (!err)
		err = give_up_privileges(capture, error);
	if (!err && rotates)
		err = open_output_unprivileged(capture, &options.recorder.output, error);
	if (!err)
		return receiver__start(&options, &capture->receiver, error);
	tw_output__free(options.recorder.output);
	tw_receiver__close(options.rx);
	return err;
}

/* When the main thread must act while the other threads receive and write. */
struct clockwork {
	/*
	 * The time limit of the capture, and the times at which the next status, the next reading of drop counters and the next
	 * tell_own_clock() are due: CLOCK_MONOTONIC, ns; UINT64_MAX = never.
	 */
	uint64_t end, status, look, clock;
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t earliest(const struct clockwork *due)
{
	return least(least(due->end, due->status), least(due->look, due->clock));
}

/* Passes the state of this host's clocks and of the reference to the recorder, which derives error bounds of packet times from it. */
static void tell_own_clock(struct capture *capture)
{
	struct tw_own_clock own;

	tw_sync__look(capture->sync, &capture->synced);
	receiver__stamp_by_cards(capture->receiver, capture->synced.card_stamps);
	tw_reference__look(&capture->reference, &capture->synced, &capture->clock);
	own = own_clock(capture);
	tw_recorder__own_clock(receiver__recorder(capture->receiver), &own);
}

/* Does the periodic work that is due at @now. Return: whether the time limit is reached. */
static bool do_what_is_due(struct capture *capture, struct clockwork *due, uint64_t now)
{
	if (now >= due->look) {
		drop_counters__look(capture->rejected);
		capture__tell_first_refused(capture);
		service__alive(tw_recorder__progress(receiver__recorder(capture->receiver)));
		due->look = now + REJECTED_LOOK_MS * TW_NS_PER_MS;
	}
	if (now >= due->clock) {
		tell_own_clock(capture);
		due->clock = now + TW_NS_PER_SECOND;
	}
	if (now >= due->status) {
		capture__tell_status(capture);
		due->status += capture->status;
	}
	return now >= due->end;
}

/* Waits for a request to stop, the end of the receiver, or the time limit; does the periodic work meanwhile. */
static void capture__wait(struct capture *capture)
{
	uint64_t now = tw_time__now(CLOCK_MONOTONIC);
	struct clockwork due = {
		.end = capture->output.stop_ns ? now + capture->output.stop_ns : UINT64_MAX,
		.status = capture->status ? now + capture->status : UINT64_MAX,
		.look = now,
		.clock = now,
	};

	while (!do_what_is_due(capture, &due, now)) {
		const uint64_t wait = earliest(&due) > now ? earliest(&due) - now : 0;
		const struct timespec timeout = { .tv_sec = (time_t)(wait / TW_NS_PER_SECOND),
						  .tv_nsec = (long)(wait % TW_NS_PER_SECOND) };
		struct pollfd fds[] = {
			{ .fd = stop__fd(), .events = POLLIN },
			{ .fd = standard_files__behind(), .events = POLLOUT },
			{ .fd = tw_step_watch__fd(&capture->step_watch), .events = POLLIN },
		};

		ppoll(fds, 3, &timeout, NULL);
		if (fds[0].revents)
			return;
		now = tw_time__now(CLOCK_MONOTONIC);
		if (tw_step_watch__take(&capture->step_watch))
			due.clock = now;
	}
}

static void discard(void *data)
{
	struct capture *capture = data;

	tw_filter__free(capture->filter);
	drop_counters__free(capture->rejected);
	tw_step_watch__close(&capture->step_watch);
	tw_sync__free(capture->sync);
	tw_reference__close(&capture->reference);
	tw_card_stamps__close(&capture->cards);
	free(capture->stats.streams);
}

static int set_status(void *target, const char *text, struct tw_error *error)
{
	if (cli_seconds__parse(text, target))
		return tw_error__set(error, -EINVAL,
				     "--status '%s': give a number of seconds above 0, such as 1 or 0.5s", text);
	return 0;
}

static int set_of_one_source(void *target, const char *text, struct tw_error *error)
{
	static const struct tw_number_rule rule = { .min = 1, .max = TW_STREAMS_LIVE_MAX };

	return cli_number__parse("streams-per-source", text, &rule, target, error);
}

static int set_unanswered(void *data, const char *text, struct tw_error *error)
{
	static const struct tw_number_rule rule = { .max = TW_ADMISSION_UNANSWERED_MAX, .unit = 1 };
	struct capture *capture = data;

	capture->has_unanswered = true;
	return cli_number__parse("unanswered", text, &rule, &capture->unanswered, error);
}

static int set_reference(void *target, const char *text, struct tw_error *error)
{
	return reference_option__parse(text, target, error);
}

static int set_align(void *data, const char *text, struct tw_error *error)
{
	struct capture *capture = data;

	capture->has_align = true;
	if (!strcmp(text, "host"))
		capture->align = TW_ALIGN_HOST;
	else if (!strcmp(text, "none"))
		capture->align = TW_ALIGN_NONE;
	else
		return tw_error__set(error, -EINVAL, "--align '%s' is unknown: choose host or none", text);
	return 0;
}

static int set_json(void *target, const char *text, struct tw_error *error)
{
	(void)text, (void)error;
	*(bool *)target = true;
	note__use_json();
	return 0;
}

static int check_packed(const struct capture *capture, struct tw_error *error)
{
	if (capture->packed && capture->filter)
		return tw_error__set(
			error, -EINVAL,
			"--packed keeps frames as received, and --filter removes events from them: omit one of the "
			"two; `tracewire convert` can unpack the frames later, and `report` can filter");
	if (capture->packed && capture->snaplen)
		return tw_error__set(
			error, -EINVAL,
			"--packed keeps frames as received, and --snapshot-length truncates them: omit one of the "
			"two; `tracewire convert` can unpack the frames later, and `editcap -s` can truncate the packets");
	return 0;
}

static int check_user(const struct capture *capture, struct tw_error *error)
{
	struct ordinary_user user = { 0 };
	const int err = capture->user ? ordinary_user__find(capture->user, &user, error) : 0;

	ordinary_user__fini(&user);
	return err ? -EINVAL : 0;
}

/* Checks all options before an existing output file is truncated. */
static int check(const struct capture *capture, struct tw_error *error)
{
	int err = capture__check_source(capture, error);

	if (!err && (!capture->file || !*capture->file))
		err = tw_error__set(error, -EINVAL,
				    "no file is given: name one with --write, or - for standard output");
	if (!err)
		err = output_request__check(&capture->output, error);
	if (!err)
		err = check_packed(capture, error);
	if (!err && capture->snaplen > UINT32_MAX)
		err = tw_error__set(
			error, -EINVAL,
			"--snapshot-length %llu is more than the size of any packet: omit it to write complete packets",
			(unsigned long long)capture->snaplen);
	if (!err)
		err = check_user(capture, error);
	return err || !capture->filter ? err : tw_capture_filter__check(capture->filter, error);
}

/* If the disk was full, --ring-buffer has kept fewer files than requested. The capture then fails at its end, so that scripts notice. */
static int check_ring(const struct capture *capture, struct tw_error *error)
{
	const uint64_t removed = capture->stats.archive.removed_early;

	if (!removed)
		return 0;
	return tw_error__set(error, -ENOSPC,
			     "writing %s: no space for the number of files of --ring-buffer; %" PRIu64
			     " files were removed early: make room, or choose fewer or smaller files",
			     capture->file, removed);
}

/* Runs the capture until its end. Return: exit status */
static int capture_events(struct capture *capture, struct tw_error *error)
{
	char how[128], status[192];
	uint64_t begin;
	int err = stop__catch(error);

	if (!err)
		stale__clear(capture->quiet);
	/* Only root may read drop counters. Without them, events that classifiers dropped count in the place `wire` of the ledger. */
	if (!err && !geteuid())
		err = drop_counters__new(capture->interface, capture->user, &capture->rejected, error);
	if (!err)
		err = capture__start(capture, how, sizeof(how), error);
	stop__opened();
	if (err) {
		stop__ending(); /* after a signal, sets a deadline for the remaining output, which may block */
		return cli_exit__of_opening(err);
	}
	begin = tw_time__now(CLOCK_MONOTONIC);
	capture__tell_begin(capture, how);
	snprintf(status, sizeof(status), "capturing on %s", how);
	service__ready(status);
	capture__wait(capture);
	stop__ending();
	service__stopping();
	drop_counters__look(capture->rejected);
	err = receiver__finish(capture->receiver, &capture->stats, error);
	capture->took = tw_time__now(CLOCK_MONOTONIC) - begin;
	capture__tell_end(capture);
	filter_option__warn(&capture->stats.archive.undecided_predicates);
	return err || check_ring(capture, error) ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

static int run(void *data, int n_args, char **args, struct tw_error *error)
{
	(void)n_args, (void)args;
	return check(data, error) ? CLI_EXIT_USAGE : capture_events(data, error);
}

static const struct cli_option options[] = {
	{ 'i', "interface", "NAME", CLI_ARG_INTERFACE, "Receive on interface NAME",
	  .offset = offsetof(struct capture, interface),
	  .once = "run one capture for each interface, and merge the files with mergecap" },
	{ 'u', "udp", "[ADDRESS:]PORT", CLI_ARG_TEXT,
	  "Receive UDP datagrams to this port, on all addresses of this machine or only on ADDRESS, for example 18101 or "
	  "[::1]:18101",
	  .offset = offsetof(struct capture, udp),
	  .once = "run one capture for each port, and merge the files with mergecap" },
	{ 0, "xdp", NULL, CLI_ARG_NONE,
	  "Receive through AF_XDP: other programs then do not see Tracewire's frames on this interface, and all other "
	  "traffic passes as usual. Requires an interface without an XDP program",
	  .offset = offsetof(struct capture, xdp) },
	{ 'f', "filter", "EXPR", CLI_ARG_FILTER,
	  "Write only events that match this filter, for example 'prev_pid == 0 && cpu == 1'",
	  .offset = offsetof(struct capture, filter), .apply = filter_option__parse },
	{ 'w', "write", "FILE", CLI_ARG_FILE, "Write pcapng to this file; - is standard output",
	  .offset = offsetof(struct capture, file), .once = "capture writes one file" },
	{ 'c', "count", "N", CLI_ARG_NUMBER,
	  "Stop after writing N events; 0 means no limit (default). Packets with metadata do not count",
	  .offset = offsetof(struct capture, count) },
	{ 's', "snapshot-length", "BYTES", CLI_ARG_SIZE,
	  "Write at most BYTES of an event's packet; 0 means all (default). The event's fields begin at byte 78. "
	  "Packets with metadata are always written completely",
	  .offset = offsetof(struct capture, snaplen) },
	{ 0, "packed", NULL, CLI_ARG_NONE,
	  "Write frames as received, so that a packet has all events of its frame; needs the least CPU time. "
	  "`tracewire convert` can unpack the frames later",
	  .offset = offsetof(struct capture, packed) },
	{ 0, "align", "host|none", CLI_ARG_ALIGN,
	  "host: convert all times to the clock of --reference, by time synchronisation with the producers; none: "
	  "keep the times of each machine's clock (default, except with --reference phc:NAME)",
	  .apply = set_align },
	{ 0, "reference", "host|realtime|tai|phc:NAME", CLI_ARG_REFERENCE,
	  "The clock to which error bounds refer, and to which --align host converts. host: this host's clock, continued "
	  "without steps (default); realtime: this host's CLOCK_REALTIME, with its steps; tai: CLOCK_TAI minus its offset at "
	  "the start; phc:NAME: the PTP hardware clock of interface NAME, or /dev/ptpN if NAME is ptpN. "
	  "If the hardware clock cannot be used, the reference "
	  "is host",
	  .offset = offsetof(struct capture, chosen_reference), .apply = set_reference },
	{ 0, "wall", NULL, CLI_ARG_NONE,
	  "If a producer's wall clock is set during the capture, later packet times follow the new wall clock (default: all "
	  "packet times follow the wall clock as it was at the start)",
	  .offset = offsetof(struct capture, wall) },
	{ 0, "streams-per-source", "N", CLI_ARG_TEXT,
	  "Admit at most N streams from one address, or one IPv6 /64 network, at the same time (default 224); from "
	  "all addresses together at most 256 are admitted",
	  .offset = offsetof(struct capture, of_one_source), .apply = set_of_one_source },
	{ 0, "unanswered", "BYTES", CLI_ARG_TEXT,
	  "Accept at most BYTES a second in total from streams that do not answer time synchronisation requests; "
	  "such streams may be forged. BYTES may end with K, M or G; 0 means no limit (default 4M)",
	  .apply = set_unanswered },
	{ 0, "status", "SECONDS", CLI_ARG_TEXT,
	  "Every SECONDS, print the ledger of each stream on standard error: as text, of at most 64 streams; with "
	  "--json, of all streams. On a terminal, each status as text replaces the previous one",
	  .offset = offsetof(struct capture, status), .apply = set_status },
	{ 'j', "json", NULL, CLI_ARG_NONE,
	  "Write all messages on standard error as JSON objects, one a line; docs/options.md describes the kinds of "
	  "objects and their members",
	  .offset = offsetof(struct capture, json), .apply = set_json },
	{ 'Z', "user", "USER", CLI_ARG_USER,
	  "If started by root, become this user before the first frame is read (default: the user who called sudo; "
	  "without sudo, the user nobody). With --ring-buffer, this user creates the output files; without it, root "
	  "opens the output file before the change. With -Z root, no privileges are given up",
	  .offset = offsetof(struct capture, user) },
	{ 'q', "quiet", NULL, CLI_ARG_NONE,
	  "Print no status and no summary on standard error. With --json, omit only the object `begin`, the note "
	  "about refused frames, and the notes about removed or repaired objects of killed runs",
	  .offset = offsetof(struct capture, quiet) },
	{ 'v', "verbose", NULL, CLI_ARG_NONE,
	  "At the end, also print the ledger and the clock of each stream (at most 64), and the detailed counters; no effect "
	  "with --json",
	  .offset = offsetof(struct capture, verbose) },
	{ 0 },
};

static const struct cli_option_group group = { "Options", options };
static const struct cli_option_group *const groups[] = { &group, &output_group, NULL };

static const struct cli_example examples[] = {
	{ "Capture what several machines send with `tracewire stream -u THIS_HOST`",
	  "tracewire capture -u 18101 -w x.pcapng" },
	{ "Capture an interface for ten seconds", "sudo tracewire capture -i tw0 -a duration:10 -w x.pcapng" },
	{ "Capture the next hundred switches away from an idle task",
	  "sudo tracewire capture -i tw0 -f 'prev_pid == 0' -c 100 -w idle.pcapng" },
	{ "Print events as text while they are received",
	  "sudo tracewire capture -q -i tw0 -w - | tracewire report -" },
	{ NULL, NULL },
};

const struct cli_command cli_command_capture = {
	.name = "capture",
	.summary = "Receive streams of trace events, and write them to a pcapng file",
	.description =
		"Receives the frames of `tracewire stream` from any number of machines, until Ctrl-C or a limit of "
		"--count or --autostop. Unless --packed is given, each event becomes a packet with the time of the "
		"event, and the packets are in time order across CPUs and machines. Each stream is an interface of the "
		"file. If events are missing, a packet at their place shows their number.\n\n"
		"The ledger of a stream is a list of counters that shows where each recorded event went. --verbose and "
		"--status print it, and each file contains it (see `tracewire info`). Time synchronisation with the "
		"producers gives an error bound for packet times, which is the field trace.time_error in Wireshark.\n\n"
		"The interface must be up at the start. If it goes down later, capture waits for it. Other captures on "
		"the interface see the same frames, unless --xdp is given. Unless -Z root is given, the process that "
		"reads frames gives up all privileges before it reads the first frame.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct capture),
	.run = run,
	.discard = discard,
};
