/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire convert`: a trace.dat file of trace-cmd into pcapng. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "cli/command.h"
#include "cli/output_file.h"
#include "pcap-tools/convert/convert.h"

#define PROGRESS_AFTER_NS    TW_NS_PER_SECOND
#define PROGRESS_TERMINAL_NS (TW_NS_PER_SECOND / 5)
#define PROGRESS_LINES_NS    (5 * TW_NS_PER_SECOND)

struct convert {
	bool quiet; /* the option's */
	const char *in, *out;
	struct output_file output;
	uint64_t next_progress;
	bool terminal, in_line; /* a line of progress is not ended yet */
};

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

static void show_progress(void *ctx, uint64_t done, uint64_t all)
{
	struct convert *convert = ctx;
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC);
	const unsigned int percent = all ? (unsigned int)((double)done / (double)all * 100) : 100;

	if (convert->quiet || now < convert->next_progress)
		return;
	convert->next_progress = now + (convert->terminal ? PROGRESS_TERMINAL_NS : PROGRESS_LINES_NS);
	convert->in_line = convert->terminal;
	fprintf(stderr, "%sconverting %s: %u %%%s", convert->terminal ? "\r" : "", convert->in,
		percent < 100 ? percent : 100, convert->terminal ? "" : "\n");
	fflush(stderr);
}

static void end_progress(struct convert *convert)
{
	if (convert->in_line)
		fputc('\n', stderr);
	convert->in_line = false;
}

static int open_input(const char *path, struct stat *st, struct tw_error *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	int code = fd < 0 ? -errno : 0;

	if (!code && fstat(fd, st))
		code = -errno;
	if (code)
		return tw_error__set(err, code, "%s cannot be read: %s", path, strerror(-code));
	if (S_ISREG(st->st_mode))
		return fd;
	close(fd);
	return tw_error__set(
		err, -EINVAL,
		"%s is no regular file: a trace.dat is read here and there, so save what comes from a pipe "
		"and convert that",
		path);
}

static void plural(const char *what, uint64_t n)
{
	fprintf(stderr, "%" PRIu64 " %s%s", n, what, n == 1 ? "" : "s");
}

static void print_line(const char *key, uint64_t n, const char *what)
{
	if (n)
		fprintf(stderr, "%-8s %" PRIu64 " %s\n", key, n, what);
}

static void summarize(const struct convert *convert, const struct tw_convert_stats *stats)
{
	print_line("lost", stats->lost, "events, in the rings while they were recorded");
	print_line("lost", stats->lost_unknown,
		   "times events of unknown number, in the rings while they were recorded");
	print_line("late", stats->late, "events older than one before them");
	print_line("unknown", stats->unknown, "events without a format in the file; they are kept as bytes");
	print_line("formats", stats->refused_formats,
		   "texts that cannot be read as formats; they are kept as they are");
	print_line("options", stats->comments_cut, "bytes that had no room in the comments of the file");
	fprintf(stderr, "%-8s ", "file");
	plural("event", stats->events);
	fprintf(stderr, " of ");
	plural("buffer", stats->streams);
	fprintf(stderr, " in %s, %" PRIu64 " bytes\n", strcmp(convert->out, "-") ? convert->out : "standard output",
		stats->bytes);
	if (!stats->events)
		fprintf(stderr, "%s has no events\n", convert->in);
}

/* The input was damaged: told last, and as the exit status, behind all that was delivered. */
static int tell_damage(const struct convert *convert, const struct tw_tracedat *dat, struct tw_error *err)
{
	const struct tw_tracedat_damage *damage = tw_tracedat__damage(dat);
	char more[64] = "";

	if (!damage->places)
		return CLI_EXIT_OK;
	if (damage->places > 1)
		snprintf(more, sizeof(more), ", and in %" PRIu64 " place%s more", damage->places - 1,
			 damage->places > 2 ? "s" : "");
	tw_error__set(err, -EBADMSG, "%.300s%s; all else is in %.100s", damage->first.text, more,
		      strcmp(convert->out, "-") ? convert->out : "what was written");
	return CLI_EXIT_FAILURE;
}

static int run_conversion(struct convert *convert, struct tw_tracedat *dat, struct tw_error *err)
{
	const struct tw_convert_options options = {
		.fd = convert->output.fd,
		.name = strcmp(convert->out, "-") ? convert->out : "standard output",
		.progress = show_progress,
		.ctx = convert,
	};
	struct tw_convert_stats stats;
	int code;

	code = tw_convert__run(dat, &options, &stats, err);
	end_progress(convert);
	if (code == -ENOSPC || code == -EDQUOT)
		tw_error__set(err, code, "no room for %s after %" PRIu64 " bytes: nothing was left there", options.name,
			      stats.bytes);
	if (!code)
		code = output_file__finish(&convert->output, err);
	if (code)
		return CLI_EXIT_FAILURE;
	if (!convert->quiet)
		summarize(convert, &stats);
	return tell_damage(convert, dat, err);
}

static int convert_file(struct convert *convert, int fd, const struct stat *st, struct tw_error *err)
{
	const struct tw_tracedat_source source = { .read_at = read_at, .ctx = &fd, .size = (uint64_t)st->st_size };
	struct tw_tracedat *dat;
	int code = tw_tracedat__open(&source, convert->in, &dat, err), status;

	if (code)
		return cli_exit__of(code);
	code = output_file__open(&convert->output, convert->out, st, err);
	status = code ? cli_exit__of(code) : run_conversion(convert, dat, err);
	if (!code)
		output_file__close(&convert->output);
	tw_tracedat__close(dat);
	return status;
}

static int run(void *data, int n_args, char **args, struct tw_error *err)
{
	struct convert *convert = data;
	struct stat st;
	int fd, status;

	if (n_args != 2) {
		tw_error__set(err, -EINVAL, "convert needs two files: the trace.dat to read and the pcapng to write");
		return CLI_EXIT_USAGE;
	}
	convert->in = args[0];
	convert->out = args[1];
	convert->next_progress = tw_time__now(CLOCK_MONOTONIC) + PROGRESS_AFTER_NS;
	convert->terminal = isatty(STDERR_FILENO);
	signal(SIGPIPE, SIG_IGN);
	fd = open_input(convert->in, &st, err);
	if (fd < 0)
		return cli_exit__of(fd);
	status = convert_file(convert, fd, &st, err);
	close(fd);
	return status;
}

static const struct cli_option options[] = {
	{ 'q', "quiet", NULL, CLI_ARG_NONE, "No progress, no summary", offsetof(struct convert, quiet), NULL },
	{ 0 },
};

static const struct cli_option_group group = { "Status", options };
static const struct cli_option_group *const groups[] = { &group, NULL };

static const struct cli_example examples[] = {
	{ "Print it as trace-cmd report does",
	  "tracewire convert trace.dat trace.pcapng && tracewire report trace.pcapng" },
	{ "Look at a recording of trace-cmd with Wireshark",
	  "tracewire convert trace.dat trace.pcapng && wireshark trace.pcapng" },
	{ "Print what one task did",
	  "tracewire convert -q trace.dat - | tshark -r - -Y 'trace.sched.sched_switch.prev_pid == 4711'" },
	{ "Put a host's recording and its guest's on one time line",
	  "tracewire convert host.dat host.pcapng && tracewire convert guest.dat guest.pcapng && "
	  "mergecap -w both.pcapng host.pcapng guest.pcapng" },
	{ NULL, NULL },
};

const struct cli_command cli_command_convert = {
	.name = "convert",
	.summary = "Turn a trace.dat file of trace-cmd into pcapng",
	.arguments = "TRACE.DAT FILE",
	.arg_kind = CLI_ARG_FILE,
	.args_max = 2,
	.description =
		"Reads a recording of trace-cmd, version 6 or 7, compressed or not, of any machine, and writes its events as "
		"packets to FILE; - is standard output. Every event is a packet, in the order of time across CPUs and buffers. "
		"Each buffer (trace instance) becomes an interface. Formats, names of tasks, symbols, the texts of trace_printk() "
		"and the options of trace-cmd go along; so does what was lost.\n\n"
		"Times are those that trace-cmd report prints: with the file's options for another clock, a guest's clock, and "
		"the TSC applied. trace-cmd report -i has host and guests in one listing: here each file is converted by "
		"itself, and mergecap puts the results on one time line.\n\n"
		"FILE appears when it is complete, and replaces one of that name. A file that is damaged is converted as far as "
		"it can be read; the exit status is 1 then. It is 2 for a file that is not from trace-cmd or of another version.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct convert),
	.run = run,
};
