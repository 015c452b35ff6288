/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of `stream` that say where events go, and how fast; its config is a struct stream. */
#ifndef CLI_STREAM_OPTIONS_H
#define CLI_STREAM_OPTIONS_H

#include "cli/options.h"

extern const struct cli_option_group stream_output_group; /* -i, --destination, -u, --raw-pointers, --rate, --latency */

#endif
