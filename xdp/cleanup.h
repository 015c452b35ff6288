/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removing what a state file says is attached, whoever attached it, and the process that does so when this one ends. Used inside xdp/ only.
 */
#ifndef TW_XDP_CLEANUP_H
#define TW_XDP_CLEANUP_H

#include "xdp/state.h"

/** tw_stale__detach_file() - the same for what a file says, which is locked by the caller and stays */
int tw_stale__detach_file(const struct tw_state_file *file, struct tw_error *error);

/**
 * tw_stale__remove() - that, and the file. It is locked by the caller
 * Return: 0, also if the file has gone; -errno: then the file stays.
 */
int tw_stale__remove(struct tw_state_file *file, struct tw_error *error);

/*
 * The cleanup helper: a process that waits for the end of this one, and then removes what the state file says is attached. tc has nothing
 * like a bpf_link on kernels before 6.6.
 */
struct tw_cleanup_helper {
	pid_t pid; /* 0 = there is none */
	int pipe;  /* the end that it sees closed when we end */
};

/** tw_cleanup_helper__start() - it shares the lock of the file. It forks: no other threads may be there. Return: 0 or -errno */
int tw_cleanup_helper__start(const struct tw_state_file *file, struct tw_cleanup_helper *ret, struct tw_error *error);

/** tw_cleanup_helper__end() - after the file was removed there is nothing left for it to do */
void tw_cleanup_helper__end(struct tw_cleanup_helper *helper);

#endif
