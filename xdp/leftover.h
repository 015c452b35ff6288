/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Taking away what a file says is attached, whoever attached it. Used inside xdp/ only. */
#ifndef TW_LEFTOVER_H
#define TW_LEFTOVER_H

#include "xdp/state.h"

/**
 * tw_leftover__detach() - what is in the kernel; what is no longer there is no error
 * Return: 0 or -errno
 */
int tw_leftover__detach(const struct tw_state *state, struct tw_error *err);

/** tw_leftover__detach_file() - the same for what a file says, which is locked by the caller and stays */
int tw_leftover__detach_file(const struct tw_state_file *file, struct tw_error *err);

/**
 * tw_leftover__remove() - that, and the file. It is locked by the caller
 * Return: 0, also if the file has gone; -errno: then the file stays.
 */
int tw_leftover__remove(struct tw_state_file *file, struct tw_error *err);

#endif
