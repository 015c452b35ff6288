/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/standard_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"

static int write_error; /* errno of the first flush that failed: stdio keeps only that one did, and drops the text */

/* /dev/null is opened the wrong way. */
int standard_files__occupy(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return -errno;
	}
	return 0;
}

void standard_files__flush(void)
{
	if (fflush(stdout) && !write_error)
		write_error = errno;
}

int standard_files__finish(int status)
{
	standard_files__flush();
	if (!ferror(stdout) || write_error == EPIPE)
		return status;
	fprintf(stderr, "%s: cannot write to standard output: %s\n", cli_root_command.name,
		write_error ? strerror(write_error) : "part of the text was lost");
	return status ? status : CLI_EXIT_FAILURE;
}
