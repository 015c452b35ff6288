/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The traced command: its process is forked early and waits before exec until tracing runs. */
#ifndef TW_COMMAND_H
#define TW_COMMAND_H

#include <sys/types.h>

#include "base/error.h"

struct tw_command;

/**
 * tw_command__new() - fork the command's process, which waits before exec
 * @argv: NULL-terminated; argv[0] is looked up in PATH
 * @marker: path of an instance's trace_marker, to which the child writes a mark, so that the kernel records the child's pid in the initial
 * pid namespace. NULL = no mark
 * Return: 0, or -errno with @error filled; -ENOENT if there is no such command, -EACCES if the command is not executable. These two errors
 * are found before the fork.
 */
int tw_command__new(char *const *argv, const char *marker, struct tw_command **ret, struct tw_error *error);

/** tw_command__pid() - the command's pid, in the pid namespace of this process, for kill() and waitpid() */
pid_t tw_command__pid(const struct tw_command *command);

/**
 * tw_command__run() - let the child call exec
 * Return: 0, or -errno with @error filled: -EIO if the child ended before exec; otherwise the error of exec, or of a pipe between this
 * process and the child.
 */
int tw_command__run(struct tw_command *command, struct tw_error *error);

/** tw_command__fd() - a pidfd, readable when the command has ended; borrowed */
int tw_command__fd(const struct tw_command *command);

/** tw_command__wait() - wait until the command ends. Return: its exit status, or 128 + n if signal n killed it */
int tw_command__wait(struct tw_command *command);

/** tw_command__free() - kill the command if it still runs (SIGTERM, after 2 s SIGKILL) and reap it; NULL is fine */
void tw_command__free(struct tw_command *command);

#endif
