/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of the traced command, for runs of the producer and for measurements in the kernel. */
#ifndef CLI_TRACED_COMMAND_H
#define CLI_TRACED_COMMAND_H

#include <stdbool.h>

#include "producer/command.h"

struct tw_producer;

struct traced_command {
	struct tw_command *process; /* NULL = no command is traced */
	bool ended;                 /* the command has ended */
};

/** traced_command__not_run() - exit status for a command that cannot be run. @err: of tw_command__new() or tw_command__run() */
int traced_command__not_run(int err);

/** traced_command__fd() - a descriptor to poll for POLLIN, readable when the command has ended; -1 without a command */
int traced_command__fd(const struct traced_command *traced);

/**
 * traced_command__let_end() - after a signal, wait for the end of the command; without a signal or a command, do nothing
 *
 * The command decides how it reacts to the signal, and tracing continues until it ends. Ctrl-C in a terminal reaches the command directly;
 * a signal that another process sent to Tracewire is forwarded to the command. The wait also ends after a second signal, or if @producer,
 * which may be NULL, fails.
 */
void traced_command__let_end(struct traced_command *traced, const struct tw_producer *producer);

/** traced_command__exit_status() - exit status of a run that had no failure of its own */
int traced_command__exit_status(const struct traced_command *traced);

#endif
