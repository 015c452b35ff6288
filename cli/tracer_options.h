/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of `live`, `record` and `stream` that choose a tracer, its functions, and of whom is recorded. */
#ifndef CLI_TRACER_OPTIONS_H
#define CLI_TRACER_OPTIONS_H

#include "cli/options.h"
#include "producer/tracer/tracer.h"

extern const struct cli_option_group run_tracer_group; /* -p, -l, -n, -g, -O, -T, -P, -M; for a struct run_config */

/** tracer_request__fini() - free the lists; their texts are borrowed from the command line */
void tracer_request__fini(struct tw_tracer_request *request);

#endif
