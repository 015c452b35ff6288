/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tracewire filter`: one filter language for every stage that events pass. */
#include "cli/filter/filter.h"

static const struct cli_command *const commands[] = {
	&filter_command_compile, &filter_command_explain, &filter_command_attach,
	&filter_command_show,    &filter_command_detach,  NULL,
};

static const struct cli_example examples[] = {
	{ "Translate an expression to a Wireshark display filter",
	  "tracewire filter compile --from x.pcapng --to display 'prev_pid == 0'" },
	{ NULL, NULL },
};

const struct cli_command cli_command_filter = {
	.name = "filter",
	.summary = "Compile, explain and attach filters",
	.description =
		"A filter is an expression in the style of Wireshark, for any stage that events pass: the kernel, "
		"the producer, XDP, tc, a capture, a report. tracewire-filter(7) describes the language.",
	.examples = examples,
	.commands = commands,
};
