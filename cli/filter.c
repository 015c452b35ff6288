/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire filter`: one filter language, for every stage that events pass. */
#include "cli/command.h"

static const struct cli_command *const commands[] = {
	NULL,
};

static const struct cli_example examples[] = {
	{ NULL, NULL },
};

const struct cli_command cli_command_filter = {
	.name = "filter",
	.summary = "Compile, explain and attach filters",
	.description =
		"A filter is one expression, as Wireshark has them, for whatever stage that events pass: the kernel, the "
		"producer, XDP, tc, a capture, a report.",
	.examples = examples,
	.commands = commands,
};
