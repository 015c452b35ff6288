/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tshark or Wireshark as an ordinary user, reading pcapng from a pipe. */
#ifndef CLI_VIEWER_H
#define CLI_VIEWER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct relay;

struct viewer {
	pid_t pid;           /* 0 = none */
	int fd;              /* write end for the pcapng; -1 = closed */
	struct relay *relay; /* passes on tshark's output; NULL = none */
};

/**
 * viewer__start() - run tshark, or Wireshark
 * @display_filter: NULL = everything
 *
 * If run by root it becomes the user who called sudo, or nobody. It has its own process group: Ctrl-C is for this process, and the
 * viewer ends when it has read everything.
 *
 * Return: 0; -ENOPKG if the program does not exist; another -errno. @error has the program's name.
 */
int viewer__start(bool gui, const char *display_filter, struct viewer *ret, struct tw_error *error);

/**
 * viewer__has_plugin() - whether the plugin is where Wireshark looks: in WIRESHARK_PLUGIN_DIR, or where it is installed
 *
 * Checks only the file; `tracewire doctor` asks tshark itself, which takes as long as starting it.
 */
bool viewer__has_plugin(void);

/** relay__tid() - id of the thread that passes on tshark's output */
pid_t relay__tid(const struct relay *relay);

/** viewer__is_gone() - whether the pipe has no reader any more */
bool viewer__is_gone(const struct viewer *viewer);

/* How a viewer has ended. */
struct viewer_end {
	int status; /* exit status, or 128 + n for signal n */
	int output; /* 0; -EPIPE if standard output has no reader any more; another -errno of writing there */
};

/** viewer__finish() - close the pipe and wait for the end, for tshark until stop__deadline(); all 0 if there is no viewer */
struct viewer_end viewer__finish(struct viewer *viewer);

#endif
