/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire info`: what a capture is. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/info/show.h"
#include "cli/standard_files.h"

struct info_config {
	bool json;
};

static uint64_t size_of(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : INFO_SIZE_UNKNOWN;
}

/* Return: 0, or -errno with @err; @ret_damaged is set if not all could be read */
static int show(const struct info_config *config, int fd, const char *name, bool first, bool *ret_damaged,
		struct tw_error *err)
{
	struct tw_info info;
	const int error = tw_info__read(fd, name, &info, err);

	if (error)
		return error;
	*ret_damaged |= *info.damage.text != '\0';
	if (!config->json && !first)
		puts("");
	(config->json ? info_show__json : info_show__text)(name, size_of(fd), &info);
	standard_files__flush();
	tw_info__fini(&info);
	return 0;
}

static int open_file(const char *name, struct tw_error *err)
{
	int fd;

	if (!strcmp(name, "-"))
		return STDIN_FILENO;
	fd = open(name, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? tw_error__set(err, -errno, "cannot open %s: %s", name, strerror(errno)) : fd;
}

static int info(void *data, int n_args, char **args, struct tw_error *err)
{
	bool damaged = false;
	int error = 0;

	if (!n_args) {
		tw_error__set(err, -EINVAL, "info needs a capture: files, or - for standard input");
		return CLI_EXIT_USAGE;
	}
	for (int i = 0; i < n_args && !error; i++) {
		const int fd = open_file(args[i], err);

		error = fd < 0 ? fd
			       : show(data, fd, fd == STDIN_FILENO ? "standard input" : args[i], !i, &damaged, err);
		if (fd > STDIN_FILENO)
			close(fd);
	}
	if (error)
		return cli_exit__of(error);
	return damaged ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

static const struct cli_option options[] = {
	{ 'j', "json", NULL, CLI_ARG_NONE, "One JSON object a file, on a line", offsetof(struct info_config, json),
	  NULL },
	{ 0 },
};

static const struct cli_option_group group = { "Options", options };
static const struct cli_option_group *const groups[] = { &group, NULL };

static const struct cli_example examples[] = {
	{ "What was recorded, and whether anything was lost", "tracewire info x.pcapng" },
	{ "Files whose books do not balance, or are open",
	  "tracewire info -j *.pcapng | jq -r 'select(any(.streams[]; .ledger.difference != 0 or .ledger.state != \"closed\")) | .file'" },
	{ "A capture of the wire by somebody else", "dumpcap -i tw0 -w - -q | tracewire info -" },
	{ NULL, NULL },
};

const struct cli_command cli_command_info = {
	.name = "info",
	.summary = "Tell what a capture is, and where its events went",
	.arguments = "FILE...",
	.arg_kind = CLI_ARG_FILE,
	.args_max = -1,
	.description =
		"Reads captures to their end and tells of each: format, size, packets, times; of each stream in it the host, kernel, clock and "
		"events asked for, how good its times are, and its ledger: what the kernel recorded is the sum of what is in the file and "
		"of each place where events were lost or rejected. FILE is a pcapng or pcap file with Tracewire's frames, also compressed "
		"by zstd; - is standard input.\n"
		"\n"
		"What Tracewire wrote has the ledger in it, and the events in the file are counted against that. Of a capture of the wire by other "
		"programs, and of a file whose writer was killed, the ledger is made from the numbers and counters in the file. A ledger is "
		"open if the stream's end is not in the file.\n"
		"\n"
		"The status is 1 if a file is damaged or cut: what stands before that is told.",
	.examples = examples,
	.groups = groups,
	.config_size = sizeof(struct info_config),
	.run = info,
};
