/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tshark or Wireshark reading pcapng from a pipe of ours, as an ordinary user. */
#ifndef CLI_VIEWER_H
#define CLI_VIEWER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct relay;

struct viewer {
	pid_t pid;           /* 0 = none */
	int fd;              /* where the pcapng goes; -1 = closed */
	struct relay *relay; /* what tshark prints goes through it; NULL = none */
};

/**
 * viewer__start() - run tshark, or Wireshark
 * @display_filter: NULL = everything
 *
 * Run by root it becomes the user who called sudo, or nobody. It is not in our process group: Ctrl-C is for us, and the
 * viewer ends when it has read everything.
 *
 * Return: 0; -ENOPKG if the program is not there; another -errno. @error says which.
 */
int viewer__start(bool gui, const char *display_filter, struct viewer *ret, struct tw_error *error);

/**
 * viewer__has_plugin() - whether our plugin is where Wireshark looks: in WIRESHARK_PLUGIN_DIR, or where it is installed
 *
 * A look for the file; `tracewire doctor` asks tshark itself, which takes as long as a start of it.
 */
bool viewer__has_plugin(void);

/** relay__tid() - id of the thread that passes on what tshark prints */
pid_t relay__tid(const struct relay *relay);

/** viewer__is_gone() - whether nobody reads from the pipe any more */
bool viewer__is_gone(const struct viewer *viewer);

/* How a viewer has ended. */
struct viewer_end {
	int status; /* exit status, 128 + n for a signal */
	int output; /* 0; -EPIPE if nobody reads our standard output any more; another -errno of writing there */
};

/** viewer__finish() - close the pipe and wait for the end, which tshark has to come to by stop__deadline(); all 0 if there is no viewer */
struct viewer_end viewer__finish(struct viewer *viewer);

#endif
