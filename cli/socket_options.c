/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/socket_options.h"

#include "cli/run_options.h"
#include "producer/sockets/record.h"

static int apply_sample(void *target, const char *value, struct tw_error *error)
{
	static const struct tw_number_rule rule = { .min = 1, .max = TW_SOCKTS_SAMPLE_MAX };

	return cli_number__parse("sample", value, &rule, target, error);
}

static const struct cli_option options[] = {
	{ 0, "sample", "N", CLI_ARG_NUMBER,
	  "Make the events of one in N messages of each socket, with all stages of this message, and none of the others "
	  "(default 1: all messages)",
	  .offset = offsetof(struct run_config, sockets.sample), .apply = apply_sample },
	{ 0 },
};

const struct cli_option_group run_socket_group = { "Socket events", options };
