/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs tshark or Wireshark as an ordinary user. The viewer reads pcapng from a pipe. */
#ifndef CLI_VIEWER_H
#define CLI_VIEWER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "cli/private_home.h"

struct relay;

struct viewer {
	pid_t pid;           /* 0 = none */
	int fd;              /* write end for the pcapng; -1 = closed */
	struct relay *relay; /* thread that passes on tshark's output; NULL for Wireshark */
	struct private_home home;
};

/**
 * viewer__start() - run tshark or, with @gui, Wireshark
 * @display_filter: NULL = show everything
 *
 * If this process runs as root, the viewer runs as the user who called sudo or, without sudo, as nobody. Wireshark gets a private home if
 * that user has none (cli/private_home.h). The viewer has its own process group, so that Ctrl-C does not end it. tshark ends when it has
 * read all input.
 *
 * Return: 0; -ENOPKG if the program does not exist; another -errno. @error has the program's name.
 */
int viewer__start(bool gui, const char *display_filter, struct viewer *ret, struct tw_error *error);

/**
 * viewer__has_plugin() - whether the plugin is in the directory of Wireshark's plugins: WIRESHARK_PLUGIN_DIR, or the configured one
 *
 * Checks only whether the file exists. `tracewire doctor` runs tshark instead, which takes longer.
 */
bool viewer__has_plugin(void);

/** relay__tid() - the kernel's id of the thread that passes on tshark's output */
pid_t relay__tid(const struct relay *relay);

/** viewer__is_gone() - whether the viewer has closed its end of the pipe; @viewer is a struct viewer */
bool viewer__is_gone(const void *viewer);

/* How a viewer has ended. */
struct viewer_end {
	int status; /* exit status, or 128 + n for signal n */
	int output; /* 0; -EPIPE if standard output has no reader any more; another -errno of writing to standard output */
};

/**
 * viewer__finish() - close the pipe and wait for tshark, which is killed 1 s after stop__deadline()
 *
 * For Wireshark, only the pipe is closed, and all members of the result are 0.
 */
struct viewer_end viewer__finish(struct viewer *viewer);

/** viewer__has_window() - whether Wireshark still runs */
bool viewer__has_window(const struct viewer *viewer);

/**
 * viewer__close_window() - wait until the user closes Wireshark; after one more signal, end Wireshark; then remove its home
 * @now: do not wait, but end Wireshark immediately
 * Return: 0 if this function ended Wireshark, or if none runs; otherwise Wireshark's exit status, or 128 + n if signal n ended it.
 */
int viewer__close_window(struct viewer *viewer, bool now);

#endif
