/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/standard_files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/messages.h"
#include "cli/queued_file.h"
#include "cli/stop.h"

/* errno of the first failed flush of standard output; stdio remembers only that a write failed, not its errno */
static int write_err;
static char output_buffer[64 << 10];        /* larger than any help text */
static struct queued_file *output, *errors; /* NULL = text is not queued, so printing may block */

/* Opens /dev/null for writing in place of standard input, but for reading in place of the other two, so that using them fails. */
int standard_files__occupy(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return -errno;
	}
	/* The buffer is large, so that usually only standard_files__flush() writes it. When stdio writes a full buffer, errno is lost. */
	if (!isatty(STDOUT_FILENO))
		setvbuf(stdout, output_buffer, _IOFBF, sizeof(output_buffer));
	return 0;
}

int standard_files__open(const char **name, struct tw_error *error)
{
	int fd;

	if (!strcmp(*name, "-")) {
		*name = "standard input";
		return STDIN_FILENO;
	}
	fd = open(*name, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? tw_error__set(error, -errno, "cannot open %s: %s", *name, strerror(errno)) : fd;
}

const char *standard_files__output(const char *name)
{
	return strcmp(name, "-") ? name : "standard output";
}

/* Text for standard error is not buffered by stdio (_IONBF), as is usual for stderr. */
int standard_files__queue(struct tw_error *error)
{
	standard_files__flush();
	output = queued_file__open(STDOUT_FILENO, _IOLBF, &stdout);
	errors = output ? queued_file__open(STDERR_FILENO, _IONBF, &stderr) : NULL;
	return errors ? 0 : tw_error__set(error, -ENOMEM, "no memory to print");
}

int standard_files__behind(void)
{
	return errors ? queued_file__fd(errors) : -1;
}

void standard_files__push(void)
{
	if (output)
		queued_file__fd(output);
	if (errors)
		queued_file__fd(errors);
}

bool standard_files__has_no_output(void)
{
	struct pollfd fd = { .fd = STDOUT_FILENO };

	return (poll(&fd, 1, 0) > 0 && fd.revents & POLLERR) || write_err || (output && queued_file__error(output));
}

void standard_files__flush(void)
{
	if (fflush(stdout) && !write_err)
		write_err = errno;
}

/* Writes the queued messages, and only then a note about dropped ones, because a full queue would drop the note. Return: exit status */
static int finish_errors(int status)
{
	int err = errors ? queued_file__finish(errors, stop__deadline()) : 0;
	const size_t dropped = errors ? queued_file__dropped(errors) : 0;

	if (dropped && err != -ETIMEDOUT) {
		note__say(
			"%zu bytes of messages were dropped, because standard error was blocked or could not be written",
			dropped);
		err = queued_file__finish(errors, stop__deadline());
	}
	return err == -ETIMEDOUT && !status ? CLI_EXIT_FAILURE : status;
}

int standard_files__finish(int status)
{
	int err;

	standard_files__flush();
	err = output ? queued_file__finish(output, stop__deadline()) : 0;
	if (err && !write_err)
		write_err = -err;
	if ((write_err || ferror(stdout) || (output && queued_file__dropped(output))) && write_err != EPIPE) {
		fprintf(stderr, "%s: cannot write to standard output: %s\n", cli_root_command.name,
			write_err == ETIMEDOUT ? "its reader accepted no more data in time"
			: write_err            ? strerror(write_err)
					       : "part of the text was lost");
		status = status ? status : CLI_EXIT_FAILURE;
	}
	return finish_errors(status);
}
