/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "cli/command.h"

/* What was printed and did not arrive is a failure that only shows at the end. */
static int finish_output(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	if (errno == EPIPE) /* as with `| head`: who reads has enough */
		return status;
	fprintf(stderr, "%s: cannot write to standard output: %s\n", cli_root_command.name, strerror(errno));
	return status ? status : CLI_EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	return finish_output(cli_command__main(&cli_root_command, cli_root_command.name, argc, argv));
}
