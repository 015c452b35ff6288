/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program in tc: cls_bpf with direct action, at the ingress of an interface. Used inside xdp/ only. */
#ifndef TW_ATTACH_TC_H
#define TW_ATTACH_TC_H

#include "xdp/state.h"

/** tw_tc__plan() - before the first tw_tc__attach(), see tw_clsact__plan(); also for u32 */
int tw_tc__plan(struct tw_state *state, struct tw_error *error);

/**
 * tw_tc__attach() - attach a program, or put it in the place of ours that is there
 * Return: 0; -EOPNOTSUPP if it is not in the NIC that should be: then nothing of it is left; another -errno.
 */
int tw_tc__attach(struct tw_state *state, int program, struct tw_error *error);

/** tw_tc__detach() - our filter, and the qdisc if it is ours and empty. Return: 0, also if it was gone; -errno */
int tw_tc__detach(const struct tw_state *state, struct tw_error *error);

/** tw_tc__mode() - as the kernel states it. Return: enum tw_mode */
uint8_t tw_tc__mode(const struct tw_state *state);

#endif
