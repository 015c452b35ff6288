/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/standard_files.h"

int main(int argc, char **argv)
{
	const int err = standard_files__occupy();

	if (err) {
		fprintf(stderr, "%s: cannot open /dev/null in place of a closed standard descriptor: %s\n",
			cli_root_command.name, strerror(-err));
		return CLI_EXIT_FAILURE;
	}
	return standard_files__finish(cli_command__main(&cli_root_command, cli_root_command.name, argc, argv));
}
