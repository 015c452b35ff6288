/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The traced command: forked early, held back until tracing runs, its exit status passed on. */
#ifndef TW_COMMAND_H
#define TW_COMMAND_H

#include <sys/types.h>

#include "base/error.h"

struct tw_command;

/**
 * tw_command__new() - fork the command's process and hold it before exec
 * @argv: NULL-terminated; argv[0] is looked up in PATH
 * @marker: path of an instance's trace_marker, to which the child writes its mark so that its global pid can be read back even
 *          inside a pid namespace; NULL = none
 *
 * Return: 0, or -errno with @error filled; -ENOENT if there is no such command, -EACCES if it is not executable: known before
 * anything is begun.
 */
int tw_command__new(char *const *argv, const char *marker, struct tw_command **ret, struct tw_error *error);

/** tw_command__pid() - as this process sees it, for kill() and waitpid() */
pid_t tw_command__pid(const struct tw_command *command);

/** tw_command__run() - let it exec. Return: 0, or -errno of exec with @error filled; -ENOENT if there is no such command */
int tw_command__run(struct tw_command *command, struct tw_error *error);

/** tw_command__fd() - a pidfd, readable when the command has ended; borrowed */
int tw_command__fd(const struct tw_command *command);

/**
 * tw_command__wait() - wait for its end
 * Return: its exit status, 128 + n if it died of signal n.
 */
int tw_command__wait(struct tw_command *command);

/** tw_command__free() - kills it if it still runs (SIGTERM, then SIGKILL) and reaps it; NULL is fine */
void tw_command__free(struct tw_command *command);

#endif
