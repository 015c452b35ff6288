/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire convert`: converts recordings of trace-cmd and packed captures to pcapng with one event a packet. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "cli/command.h"
#include "cli/messages.h"
#include "cli/outcome.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/standard_files.h"
#include "cli/summary.h"
#include "pcap-tools/convert/convert.h"
#include "pcap-tools/convert/join.h"
#include "pcap-tools/output/output.h"

struct convert {
	bool quiet, verbose;
	const char *in, *out;
	const char *join; /* capture whose packets are put beside the events; NULL = none */
	struct output_file output;
	struct progress progress;
};

/* Prints the short lines of a conversion. @outcome: filled except for the members `file` and `verbose`, which this function sets */
static void print_outcome(const struct convert *convert, struct outcome *outcome)
{
	outcome->verbose = convert->verbose;
	outcome->file = convert->out;
	outcome__print(outcome, stderr);
}

/* Prints the number of packets in the input that were not converted because they are not frames of Tracewire. */
static void tell_left_out(const struct convert *convert, uint64_t n)
{
	if (n == 1)
		say(stderr, "1 packet of %s was not converted: it is not Tracewire's\n", convert->in);
	else if (n)
		say(stderr, "%" PRIu64 " packets of %s were not converted: they are not Tracewire's\n", n, convert->in);
}

static void summarize_unpacking(const struct convert *convert, const struct tw_packed_stats *stats)
{
	const struct tw_archive_stats *archive = &stats->archive;
	struct outcome outcome = { .streams = stats->n_streams };

	outcome__add_archive(&outcome, archive);
	print_outcome(convert, &outcome);
	tell_left_out(convert, stats->others);
	if (!convert->verbose)
		return;
	summary__print_troubles(archive, stderr);
	say(stderr, "file     %" PRIu64 " events of %zu stream%s in %s, %" PRIu64 " bytes\n",
	    archive->ledger.place[TW_PLACE_DELIVERED], stats->n_streams, stats->n_streams == 1 ? "" : "s",
	    standard_files__output(convert->out), archive->bytes);
}

/* Unpacks a capture. If the capture is damaged, unpacks the part before the damage. Return: exit status */
static int unpack(struct convert *convert, struct tw_capture_file *in, struct tw_output *output, struct tw_error *error)
{
	struct tw_packed_stats stats;
	struct tw_error later;
	int err = tw_packed__convert(in, output, NULL, NULL, &stats, error);

	progress__end(&convert->progress);
	if ((!err || err == -EBADMSG) && output_file__finish(&convert->output, &later))
		err = tw_error__set(error, -EIO, "%s", later.text);
	if (!convert->quiet && (!err || err == -EBADMSG))
		summarize_unpacking(convert, &stats);
	free(stats.streams);
	return err ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

static int open_output(struct convert *convert, const struct stat *st, struct tw_output **ret, struct tw_error *error)
{
	struct tw_output_options options = { .name = standard_files__output(convert->out) };
	int err = output_file__open(&convert->output, convert->out, st, error);

	if (err)
		return err;
	options.fd = convert->output.fd;
	err = tw_output__open(&options, ret, error);
	if (err)
		output_file__close(&convert->output);
	return err;
}

/* Unpacks the packed capture in the open file @fd. Return: exit status */
static int convert__capture(struct convert *convert, int fd, const struct stat *st, struct tw_error *error)
{
	struct tw_capture_file *in;
	struct tw_output *output;
	int err = tw_capture_file__open(fd, convert->in, &in, error), status;

	if (err)
		return cli_exit__of(err);
	err = open_output(convert, st, &output, error);
	if (!err)
		progress__watch(&convert->progress, fd);
	status = err ? cli_exit__of(err) : unpack(convert, in, output, error);
	if (!err) {
		tw_output__free(output);
		output_file__close(&convert->output);
	}
	tw_capture_file__close(in);
	return status;
}

/* Reads from a recording of trace-cmd. Return: number of bytes, which is less than @len only at the end of the file; or -errno */
static int64_t read_at(void *ctx, void *to, size_t len, uint64_t offset)
{
	const int fd = *(const int *)ctx;
	size_t done = 0;

	while (done < len) {
		const ssize_t n = pread(fd, (char *)to + done, len - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : (int64_t)done;
		done += (size_t)n;
	}
	return (int64_t)done;
}

static void show_conversion(void *ctx, uint64_t done, uint64_t all)
{
	struct convert *convert = ctx;

	progress__show(&convert->progress, done, all);
}

#define AT(member) offsetof(struct tw_convert_stats, member)

static const struct summary_row counters[] = {
	{ NULL, AT(lost), "lost", "events, because rings were full during the recording" },
	{ NULL, AT(lost_unknown), "lost",
	  "times an unknown number of events, because rings were full during the recording" },
	{ NULL, AT(late), "late", "events that follow newer events" },
	{ NULL, AT(unknown), "unknown", "events without a format in the file; kept as bytes" },
	{ NULL, AT(refused_formats), "formats", "texts that are not valid formats; kept unchanged" },
	{ NULL, AT(comments_cut), "options",
	  "bytes of trace-cmd's options were omitted, because the comments of the file have a size limit" },
	{ 0 },
};

static void summarize_conversion(const struct convert *convert, const struct tw_convert_stats *stats)
{
	struct outcome outcome = {
		.events = stats->events,
		.bytes = stats->bytes,
		.place = { [OUTCOME_TRACE_DAT] = stats->lost,
			   [OUTCOME_LOSSES] = stats->lost_unknown,
			   [OUTCOME_NO_FORMAT] = stats->unknown,
			   [OUTCOME_TEXTS] = stats->refused_formats },
	};

	print_outcome(convert, &outcome);
	if (!stats->events)
		say(stderr, "%s has no events\n", convert->in);
	if (!convert->verbose)
		return;
	summary__print_rows(counters, stats, stderr);
	say(stderr, "file     %" PRIu64 " event%s of %zu buffer%s in %s, %" PRIu64 " bytes\n", stats->events,
	    stats->events == 1 ? "" : "s", stats->streams, stats->streams == 1 ? "" : "s",
	    standard_files__output(convert->out), stats->bytes);
}

/* Reports damage of the input, after everything readable was converted. Return: exit status, which is 0 if there is no damage */
static int tell_damage(const struct convert *convert, const struct tw_tracedat *dat, struct tw_error *error)
{
	const struct tw_tracedat_damage *damage = &tw_tracedat__info(dat)->damage;
	char more[64] = "";

	if (!damage->places)
		return CLI_EXIT_OK;
	if (damage->places > 1)
		snprintf(more, sizeof(more), ", and in %" PRIu64 " more place%s", damage->places - 1,
			 damage->places > 2 ? "s" : "");
	tw_error__set(error, -EBADMSG, "%.300s%s; everything readable is in %.100s", damage->first.text, more,
		      strcmp(convert->out, "-") ? convert->out : "standard output");
	return CLI_EXIT_FAILURE;
}

static int run_conversion(struct convert *convert, struct tw_tracedat *dat, struct tw_error *error)
{
	const struct tw_convert_options options = {
		.fd = convert->output.fd,
		.name = standard_files__output(convert->out),
		.progress = show_conversion,
		.ctx = convert,
	};
	const bool is_new = convert->output.unnamed || convert->output.draft[0]; /* false: a device or a pipe */
	struct tw_convert_stats stats;
	int err;

	err = tw_convert__run(dat, &options, &stats, error);
	progress__end(&convert->progress);
	if (err == -ENOSPC || err == -EDQUOT)
		tw_error__set(error, err, "no space for %s after %" PRIu64 " bytes%s; free some space", options.name,
			      stats.bytes, is_new ? ": the incomplete file was removed" : "");
	if (!err)
		err = output_file__finish(&convert->output, error);
	if (err)
		return CLI_EXIT_FAILURE;
	if (!convert->quiet)
		summarize_conversion(convert, &stats);
	return tell_damage(convert, dat, error);
}

/* Converts the recording of trace-cmd in the open file @fd. Return: exit status */
static int convert__tracedat(struct convert *convert, int fd, const struct stat *st, struct tw_error *error)
{
	const struct tw_tracedat_source source = { .read_at = read_at, .ctx = &fd, .size = (uint64_t)st->st_size };
	struct tw_tracedat *dat;
	int err = tw_tracedat__open(&source, convert->in, &dat, error), status;

	if (err)
		return cli_exit__of(err);
	err = output_file__open(&convert->output, convert->out, st, error);
	status = err ? cli_exit__of(err) : run_conversion(convert, dat, error);
	if (!err)
		output_file__close(&convert->output);
	tw_tracedat__close(dat);
	return status;
}

static int open_input(const char *path, struct stat *st, struct tw_error *error)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	int err = fd < 0 ? -errno : 0;

	if (!err && fstat(fd, st))
		err = -errno;
	if (err)
		return tw_error__set(error, err, "%s cannot be read: %s", path, strerror(-err));
	if (S_ISREG(st->st_mode))
		return fd;
	close(fd);
	return tw_error__set(
		error, -EINVAL,
		"%s is not a regular file: `tracewire convert` reads its input more than once; save the output of a "
		"pipe to a file, and convert that file",
		path);
}

/* Whether a file is a capture, from its first four bytes: pcapng, zstd, or pcap in either byte order with times in us or ns. */
static bool is_capture(int fd)
{
	static const uint32_t magics[] = { 0x0a0d0d0a, 0xa1b2c3d4, 0xd4c3b2a1, 0xa1b23c4d, 0x4d3cb2a1, 0x28b52ffd };
	uint8_t bytes[4];

	if (pread(fd, bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return false;
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		if (tw_load_be32(bytes) == magics[i])
			return true;
	}
	return false;
}

/* Prints what the joined file lacks of an input. */
static void tell_missing_blocks(const char *name, const struct tw_join_count *count)
{
	if (count->left_out)
		say(stderr, "blocks of %s that were left out, because they cannot be copied: %" PRIu64 "\n", name,
		    count->left_out);
	if (count->comments)
		say(stderr, "comments of sections of %s that were left out: %" PRIu64 "\n", name, count->comments);
}

static bool overlap(const struct tw_join_stats *stats)
{
	const struct tw_join_count *a = &stats->trace, *b = &stats->packets;

	return !a->packets || !b->packets || (a->first <= b->last && b->first <= a->last);
}

static void summarize_join(const struct convert *convert, const struct tw_join_stats *stats)
{
	const struct tw_join_count *packets = &stats->packets;

	say(stderr, "%s has %" PRIu64 " event%s of %s and %" PRIu64 " packet%s of %s\n",
	    standard_files__output(convert->out), stats->trace.events, stats->trace.events == 1 ? "" : "s", convert->in,
	    packets->packets, packets->packets == 1 ? "" : "s", convert->join);
	if (packets->frames)
		say(stderr,
		    "frames of Tracewire among these packets: %" PRIu64 "; the file may have their events twice\n",
		    packets->frames);
	if (packets->disorder)
		say(stderr, "packets of %s older than the packet before them: %" PRIu64 "\n", convert->join,
		    packets->disorder);
	if (packets->cut)
		say(stderr, "packets of %s that were cut, because they are too long: %" PRIu64 "\n", convert->join,
		    packets->cut);
	tell_missing_blocks(convert->in, &stats->trace);
	tell_missing_blocks(convert->join, packets);
	if (!overlap(stats))
		say(stderr,
		    "the times of %s and %s do not overlap: join captures of the same time, made by the clock of one machine\n",
		    convert->in, convert->join);
}

/* Refuses to write over the file of packets. */
static int check_packets(const struct convert *convert, int packets_fd, struct tw_error *error)
{
	struct stat packets, out;

	if (output_file__is_standard(convert->out) || stat(convert->out, &out) || fstat(packets_fd, &packets) ||
	    out.st_dev != packets.st_dev || out.st_ino != packets.st_ino)
		return 0;
	return tw_error__set(error, -EINVAL, "%s is the file of packets: name another output file", convert->out);
}

/* Joins the recording @in and the packets in the open file @packets_fd. Return: exit status */
static int join_with(struct convert *convert, struct tw_capture_file *in, int packets_fd, const struct stat *st,
		     struct tw_error *error)
{
	struct tw_join_options options = { .trace = in };
	struct tw_join_stats stats;
	struct tw_error later;
	int err = tw_capture_file__open(packets_fd, convert->join, &options.packets, error);

	if (err)
		return cli_exit__of(err);
	err = check_packets(convert, packets_fd, error);
	if (!err)
		err = open_output(convert, st, &options.output, error);
	if (err) {
		tw_capture_file__close(options.packets);
		return cli_exit__of(err);
	}
	err = tw_join__run(&options, &stats, error);
	if (err == -EINVAL)
		tw_error__set(error, err, "%s has no frames of Tracewire; the packets are the argument of --join",
			      convert->in);
	progress__end(&convert->progress);
	if ((!err || err == -EBADMSG) && output_file__finish(&convert->output, &later))
		err = tw_error__set(error, -EIO, "%s", later.text);
	if (!convert->quiet && (!err || err == -EBADMSG))
		summarize_join(convert, &stats);
	tw_output__free(options.output);
	output_file__close(&convert->output);
	tw_capture_file__close(options.packets);
	return !err ? CLI_EXIT_OK : err == -EINVAL ? CLI_EXIT_USAGE : CLI_EXIT_FAILURE;
}

/* Joins the recording in the open file @fd and the packets of --join. Return: exit status */
static int convert__join(struct convert *convert, int fd, const struct stat *st, struct tw_error *error)
{
	struct tw_capture_file *in;
	const int packets_fd = open(convert->join, O_RDONLY | O_CLOEXEC);
	int err = packets_fd < 0 ? -errno : 0, status;

	if (err)
		return cli_exit__of(tw_error__set(error, err, "%s cannot be read: %s", convert->join, strerror(-err)));
	err = tw_capture_file__open(fd, convert->in, &in, error);
	if (!err)
		progress__watch(&convert->progress, fd);
	status = err ? cli_exit__of(err) : join_with(convert, in, packets_fd, st, error);
	progress__end(&convert->progress);
	if (!err)
		tw_capture_file__close(in);
	close(packets_fd);
	return status;
}

static int run(void *data, int n_args, char **args, struct tw_error *error)
{
	struct convert *convert = data;
	struct stat st;
	int fd, status;

	if (n_args != 2) {
		tw_error__set(
			error, -EINVAL,
			"convert needs two files: the trace.dat or packed capture to read, and the pcapng file to write");
		return CLI_EXIT_USAGE;
	}
	convert->in = args[0];
	convert->out = args[1];
	progress__begin(&convert->progress, "converting", convert->in, convert->quiet);
	signal(SIGPIPE, SIG_IGN);
	fd = open_input(convert->in, &st, error);
	if (fd < 0)
		return cli_exit__of(fd);
	if (convert->join)
		status = convert__join(convert, fd, &st, error);
	else if (is_capture(fd))
		status = convert__capture(convert, fd, &st, error);
	else
		status = convert__tracedat(convert, fd, &st, error);
	close(fd);
	return status;
}

static const struct cli_option options[] = {
	{ 0, "join", "PACKETS", CLI_ARG_FILE,
	  "Do not convert; put the packets of this capture (pcapng or pcap) beside the events of INPUT, a recording, in "
	  "time order",
	  .offset = offsetof(struct convert, join), .once = "join two captures first, with mergecap" },
	{ 'q', "quiet", NULL, CLI_ARG_NONE, "Print no progress and no summary",
	  .offset = offsetof(struct convert, quiet) },
	{ 'v', "verbose", NULL, CLI_ARG_NONE, "Also print the detailed counters at the end",
	  .offset = offsetof(struct convert, verbose) },
	{ 0 },
};

static const struct cli_option_group group = { "Options", options };
static const struct cli_option_group *const groups[] = { &group, NULL };

static const struct cli_example examples[] = {
	{ "Print a recording of trace-cmd in the form of `trace-cmd report`",
	  "tracewire convert trace.dat trace.pcapng && tracewire report trace.pcapng" },
	{ "Look at a recording of trace-cmd with Wireshark",
	  "tracewire convert trace.dat trace.pcapng && wireshark trace.pcapng" },
	{ "Print the switches away from one task",
	  "tracewire convert -q trace.dat - | tshark -r - -Y 'trace.sched.sched_switch.prev_pid == 4711'" },
	{ "Put packets captured by dumpcap beside the events of a recording",
	  "tracewire convert --join packets.pcapng events.pcapng both.pcapng" },
	{ "Unpack a packed capture", "tracewire convert packed.pcapng events.pcapng" },
	{ "Merge recordings of a host and its guest by time",
	  "tracewire convert host.dat host.pcapng && tracewire convert guest.dat guest.pcapng && "
	  "mergecap -w both.pcapng host.pcapng guest.pcapng" },
	{ NULL, NULL },
};

const struct cli_command cli_command_convert = {
	.name = "convert",
	.summary = "Convert a trace.dat of trace-cmd, or a packed capture, to pcapng",
	.arguments = "INPUT FILE",
	.arg_kind = CLI_ARG_FILE,
	.args_max = 2,
	.description =
		"Reads a trace.dat file of trace-cmd (format version 6 or 7, compressed or not, from any machine) and "
		"writes its events as packets to FILE; - is standard output. Each event becomes a packet, and the "
		"packets are in time order across CPUs and buffers. Each buffer (trace instance) becomes an interface. "
		"The result includes formats, task names, symbols, texts of trace_printk(), options of trace-cmd, and "
		"losses.\n\n"
		"Packet times are the times that `trace-cmd report` prints. If options in the file correct the times, "
		"for example for a guest's clock or for the TSC, the corrections are applied. `trace-cmd report -i` "
		"prints the events of a host and its guests in one list. To get such a list with Tracewire, convert "
		"each file and merge the results with mergecap.\n\n"
		"FILE appears when it is complete, and replaces an older file of that name. A damaged file is "
		"converted as far as it can be read; the exit status is then 1. The exit status is 2 if INPUT is "
		"neither a capture nor a recording of trace-cmd in format version 6 or 7.\n\n"
		"INPUT can also be a capture whose frames may have several events, made by `tracewire capture "
		"--packed` or by dumpcap. The frames are unpacked: each event becomes a packet, and the packets are in "
		"time order across CPUs and machines. If INPUT is a capture by `tracewire capture`, the packet times "
		"in FILE are those that `capture` determined. If INPUT is a capture by dumpcap, the packet times in "
		"FILE are the times of the events by the clock of the machine that sent them. Packets that are not "
		"Tracewire's are not converted, and their number is printed.\n\n"
		"With --join, INPUT is a recording, and nothing is converted: FILE gets the packets of both captures in "
		"time order, with unchanged times, interfaces, statistics and comments. The times agree if both captures "
		"were made on one machine, and its clock was not set in between.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct convert),
	.run = run,
};
