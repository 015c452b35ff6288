/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire convert`: recordings of other kinds into pcapng with an event a packet. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/time.h"
#include "cli/command.h"
#include "cli/convert/convert.h"
#include "cli/say.h"

#define PROGRESS_AFTER_NS    TW_NS_PER_SECOND
#define PROGRESS_TERMINAL_NS (TW_NS_PER_SECOND / 5)
#define PROGRESS_LINES_NS    (5 * TW_NS_PER_SECOND)

void convert__show_progress(struct convert *convert, uint64_t done, uint64_t all)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC);
	const unsigned int percent = all ? (unsigned int)((double)done / (double)all * 100) : 100;

	if (convert->quiet || now < convert->next_progress)
		return;
	convert->next_progress = now + (convert->terminal ? PROGRESS_TERMINAL_NS : PROGRESS_LINES_NS);
	convert->in_line = convert->terminal;
	if (convert->terminal)
		fputc('\r', stderr);
	say(stderr, "converting %s: %u %%%s", convert->in, percent < 100 ? percent : 100,
	    convert->terminal ? "" : "\n");
	fflush(stderr);
}

void convert__end_progress(struct convert *convert)
{
	if (convert->in_line)
		fputc('\n', stderr);
	convert->in_line = false;
}

const char *convert__out(const struct convert *convert)
{
	return strcmp(convert->out, "-") ? convert->out : "standard output";
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
		"%s is no regular file: convert has to look into it first, so save what comes from a pipe and "
		"convert that",
		path);
}

/* By its first bytes: pcapng, pcap of either byte order and unit, zstd. */
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

static int run(void *data, int n_args, char **args, struct tw_error *err)
{
	struct convert *convert = data;
	struct stat st;
	int fd, status;

	if (n_args != 2) {
		tw_error__set(
			err, -EINVAL,
			"convert needs two files: the trace.dat or packed capture to read, and the pcapng to write");
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
	status = is_capture(fd) ? convert__capture(convert, fd, &st, err) : convert__tracedat(convert, fd, &st, err);
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
	{ "Unpack an archive", "tracewire convert packed.pcapng events.pcapng" },
	{ "Put a host's recording and its guest's on one time line",
	  "tracewire convert host.dat host.pcapng && tracewire convert guest.dat guest.pcapng && "
	  "mergecap -w both.pcapng host.pcapng guest.pcapng" },
	{ NULL, NULL },
};

const struct cli_command cli_command_convert = {
	.name = "convert",
	.summary = "Turn a trace.dat of trace-cmd, or a packed capture, into pcapng",
	.arguments = "INPUT FILE",
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
		"it can be read; the exit status is 1 then. It is 2 for a file that is not from trace-cmd or of another version.\n\n"
		"Or reads a capture whose frames hold many events, of `tracewire capture --packed` or of dumpcap, and unpacks it: every "
		"event is a packet, in one order across CPUs and machines; times are those that capture told.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct convert),
	.run = run,
};
