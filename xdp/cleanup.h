/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removing the classifier that a state file describes, and the cleanup helper, which does so when this process ends. Used inside xdp/
 * only.
 */
#ifndef TW_XDP_CLEANUP_H
#define TW_XDP_CLEANUP_H

#include "xdp/state.h"

/** tw_stale__detach_file() - detach the classifier of a file, which the caller has locked; the file stays */
int tw_stale__detach_file(const struct tw_state_file *file, struct tw_error *error);

/**
 * tw_stale__remove() - detach the classifier of a file, which the caller has locked, and remove the file
 * Return: 0, also if there is no file; on -errno the file stays.
 */
int tw_stale__remove(struct tw_state_file *file, struct tw_error *error);

/*
 * The cleanup helper: a process that waits for the end of this one, and then removes what the state file says is attached. tc has nothing
 * like a bpf_link on kernels before 6.6.
 */
struct tw_cleanup_helper {
	pid_t pid; /* 0 = there is none */
	int pipe;  /* the helper sees this end closed when the process ends */
};

/**
 * tw_cleanup_helper__start() - fork the helper, which shares the lock of the file. Call it before other threads are started. Return: 0
 * or -errno
 */
int tw_cleanup_helper__start(const struct tw_state_file *file, struct tw_cleanup_helper *ret, struct tw_error *error);

/** tw_cleanup_helper__end() - end the helper, after the file was removed */
void tw_cleanup_helper__end(struct tw_cleanup_helper *helper);

#endif
