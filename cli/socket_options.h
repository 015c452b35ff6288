/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that select socket events: common to `live`, `record`, `stream` and `sockets`. They store into a struct run_config. */
#ifndef CLI_SOCKET_OPTIONS_H
#define CLI_SOCKET_OPTIONS_H

#include "cli/options.h"

extern const struct cli_option_group run_socket_group;

#endif
