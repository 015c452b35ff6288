/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of commands. */
#include "cli/command.h"

static const struct cli_command *const commands[] = {
	&cli_command_live,    &cli_command_record,
	&cli_command_stream,  &cli_command_capture,
	&cli_command_report,  &cli_command_info,
	&cli_command_convert, &cli_command_list,
	&cli_command_filter,  &cli_command_vnet,
	&cli_command_doctor,  &cli_command_cleanup,
	&cli_command_help,    NULL,
};

static const struct cli_example examples[] = {
	{ "Watch the scheduler while a command runs", "sudo tracewire live -e sched -- sleep 1" },
	{ "Record to a file for Wireshark", "sudo tracewire record -e sched,irq,net -w trace.pcapng -- make" },
	{ "Put events on an interface that anything can capture from", "sudo tracewire stream -e sched -i tw0" },
	{ NULL, NULL },
};

const struct cli_command cli_root_command = {
	.name = "tracewire",
	.summary =
		"Kernel trace events on a network interface, for Wireshark and everything else that understands packets",
	.description =
		"Reads the Linux kernel's trace events and sends them as Ethernet frames, or writes them as pcapng. "
		"Wireshark and tshark decode them by field name, from the kernel's own descriptions, which travel along.",
	.examples = examples,
	.commands = commands,
};
