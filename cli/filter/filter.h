/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The subcommands of `tracewire filter`. */
#ifndef CLI_FILTER_H
#define CLI_FILTER_H

#include "cli/command.h"

extern const struct cli_command filter_command_attach;
extern const struct cli_command filter_command_compile;
extern const struct cli_command filter_command_detach;
extern const struct cli_command filter_command_explain;
extern const struct cli_command filter_command_show;

#endif
