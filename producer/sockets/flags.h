/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Flags of sockets. While TCP is followed, sockets have the flag SK_BPF_CB_TX_TIMESTAMPING, with which the kernel calls programs for their
 * data. The programs of a run keep a map, the marks, of the sockets whose flag this run has set (egress.bpf.c). At the end of the run,
 * these flags are cleared. The flags of other programs stay.
 *
 * A killed run leaves the flags. They cost almost nothing then: no program is attached. The marks are pinned, so that `tracewire cleanup`
 * and the next run can clear the flags. A state file has the path of the pin; the run keeps it locked. The pin is in /sys/fs/bpf. If there
 * is no BPF filesystem, a run mounts one at /run/tracewire/bpf, and the last run unmounts it.
 *
 * If several runs follow the same socket, the first one has set the flag. When this run ends, another one takes the flag over. A run in
 * another pid namespace is not found if its pin is not visible here.
 */
#ifndef TW_FLAGS_H
#define TW_FLAGS_H

#include <stdbool.h>

#include "base/error.h"

struct tw_socket_flags;

/* How work is shown and ended that can take seconds: one run at a time sets or clears flags, and there may be many network namespaces. */
struct tw_socket_flags_wait {
	void (*say)(void *ctx,
		    const char *sentence); /* called by any thread, at most once a second; NULL = nothing is shown */
	int (*signals)(
		void *ctx); /* number of signals so far that end the run; called by any thread. NULL = there are none */
	void *ctx;
};

/**
 * tw_socket_flags__new() - pin the marks of a run, before the programs that set flags are attached
 * Other runs wait until tw_socket_flags__ready().
 * @marks: descriptor of the map
 * @wait: copied; a signal ends the wait for other runs
 * Return: 0 or -errno with @error filled
 */
int tw_socket_flags__new(int marks, const struct tw_socket_flags_wait *wait, struct tw_socket_flags **ret,
			 struct tw_error *error);

/**
 * tw_socket_flags__set() - run a program for each connection that exists already; if it sets flags, after tw_socket_flags__new()
 * @program: descriptor of a program of the type iter/tcp
 * Return: 0; -EINTR after a signal; another -errno
 */
int tw_socket_flags__set(const struct tw_socket_flags_wait *wait, int program);

/** tw_socket_flags__ready() - let other runs set or clear flags; NULL is fine */
void tw_socket_flags__ready(struct tw_socket_flags *flags);

/**
 * tw_socket_flags__free() - clear the flags and remove the pin, after the programs that set flags were detached; NULL is fine
 * If this fails, or a further signal ends it, a sentence says so, and the next cleanup does it.
 */
void tw_socket_flags__free(struct tw_socket_flags *flags);

/**
 * tw_socket_flags__cleanup() - clear the flags that killed runs left
 * @dry_run: only report them
 * @wait: a signal ends the cleanup
 * @removed: called for each of these runs. @name: names its pin
 * Return: 0 or -errno with @error filled
 */
int tw_socket_flags__cleanup(bool dry_run, const struct tw_socket_flags_wait *wait,
			     void (*removed)(void *ctx, const char *what, const char *name), void *ctx,
			     struct tw_error *error);

#endif
