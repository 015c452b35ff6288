/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removes the classifier that a state file describes, and runs the cleanup helper, which removes the classifier when the process that
 * attached it ends. Used inside xdp/ only.
 */
#ifndef TW_XDP_CLEANUP_H
#define TW_XDP_CLEANUP_H

#include "xdp/state.h"

/** tw_stale__detach() - detach the classifier with this state, unless a bpf_link holds it. Return: 0 or -errno */
int tw_stale__detach(const struct tw_state *state, struct tw_error *error);

/**
 * tw_stale__detach_file() - detach the classifier that @file describes, and keep the file
 * The caller must have locked the file. Return: 0, also if the file has no content; -errno.
 */
int tw_stale__detach_file(const struct tw_state_file *file, struct tw_error *error);

/**
 * tw_stale__remove() - detach the classifier that @file describes, and remove the file. The caller must have locked the file
 * Return: 0, also if the file was removed before; -errno, and the file stays.
 */
int tw_stale__remove(struct tw_state_file *file, struct tw_error *error);

/*
 * The cleanup helper: a child process that waits until its parent ends. Then it removes the classifier and the state file that describes
 * it. The helper is needed for filters of tc and programs in a NIC, because these are not attached with a bpf_link.
 */
struct tw_cleanup_helper {
	pid_t pid; /* 0 = no helper is running */
	int socket; /* connected to the helper; the kernel closes it when this process ends, so that the helper reads EOF */
};

/**
 * tw_cleanup_helper__start() - fork the helper, which shares the lock of @file; called before other threads are started
 * The function waits until the helper is ready.
 * Return: 0 or -errno.
 */
int tw_cleanup_helper__start(const struct tw_state_file *file, struct tw_cleanup_helper *ret, struct tw_error *error);

/**
 * tw_cleanup_helper__end() - end the helper if it runs; called after the attempt to remove the state file
 * @removed: the file was removed; otherwise, the helper tries it once more
 */
void tw_cleanup_helper__end(struct tw_cleanup_helper *helper, bool removed);

#endif
