/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options common to the commands that trace: `live`, `record`, `stream`, `latency`, `hist`, `top` and `sockets`. */
#ifndef CLI_RUN_OPTIONS_H
#define CLI_RUN_OPTIONS_H

#include <stdint.h>

#include "cli/command.h"
#include "cli/selection.h"
#include "producer/sockets/selection.h"
#include "producer/tracer/tracer.h"

/*
 * The values of these options, and of --interface of `live` and `stream`. This structure is the first member of the config of each
 * command. A value of zero means that the option was not given.
 */
struct run_config {
	struct cli_selection selection; /* must be first: its apply functions get the address of the config */
	struct tw_filter *filter;       /* --filter; NULL = none */
	struct tw_tracer_request tracing;
	struct tw_socket_selection sockets; /* the options of cli/socket_options.h */
	const char *clock;
	uint64_t buffer_kib, subbuf_kib, threads;
	bool follow, show_self, quiet, verbose;
	uint64_t frame_size;
	uint64_t events_per_frame;
	bool frames_chosen; /* --events-per-frame was given */
	const char *interface;
	struct tw_words phcs; /* --phc */
};

extern const struct cli_option_group run_event_group;  /* -e, -f, --event-filter, --show-self */
extern const struct cli_option_group run_task_group;   /* -F, -P, -M */
extern const struct cli_option_group run_source_group; /* -C, --buffer-size ... */
extern const struct cli_option_group run_phc_group;    /* --phc */
extern const struct cli_option_group run_frame_group;  /* --events-per-frame, --frame-size */
extern const struct cli_option_group run_tracer_group; /* -p, -l, -n, -g, -O, -T */
extern const struct cli_option_group run_status_group; /* -q, -v */

/** run_words__add() - the apply function of an option that may be given many times; @target: a struct tw_words. Return: 0 or -ENOMEM */
int run_words__add(void *target, const char *word, struct tw_error *error);

/** run_config__fini() - free what the options have allocated; @config points to a config that begins with a struct run_config */
void run_config__fini(void *config);

/**
 * run_config__producer() - set those producer options in @ret that @config determines; the texts in @ret are borrowed from @config
 * @ret: without --events-per-frame, its events_per_frame is unchanged; other options that were not given are set to 0, their default
 * Return: 0; -EINVAL with @error filled if no event and no tracer is selected, or --events-per-frame is too large.
 */
int run_config__producer(const struct run_config *config, struct tw_producer_options *ret, struct tw_error *error);

#endif
