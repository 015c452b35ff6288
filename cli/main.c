/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/command.h"

int main(int argc, char **argv)
{
	return cli_command__main(&cli_root_command, cli_root_command.name, argc, argv);
}
