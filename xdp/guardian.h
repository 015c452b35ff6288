/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that does nothing but wait for the end of this one, and then takes away what the file says that it has attached: tc
 * has nothing of the kind of a bpf_link on the kernels we know. Used inside xdp/ only.
 */
#ifndef TW_GUARDIAN_H
#define TW_GUARDIAN_H

#include "xdp/state.h"

struct tw_guardian {
	pid_t pid; /* 0 = there is none */
	int pipe;  /* the end that it sees closed when we end */
};

/** tw_guardian__start() - it shares the lock of the file. It forks: no other threads may be there. Return: 0 or -errno */
int tw_guardian__start(const struct tw_state_file *file, struct tw_guardian *ret, struct tw_error *err);

/** tw_guardian__end() - after the file was removed there is nothing left for it to do */
void tw_guardian__end(struct tw_guardian *guardian);

#endif
