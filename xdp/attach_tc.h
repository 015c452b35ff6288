/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program in tc: cls_bpf with direct action, at the ingress of an interface. Used inside xdp/ only. */
#ifndef TW_ATTACH_TC_H
#define TW_ATTACH_TC_H

#include "xdp/state.h"

/** tw_tc__plan() - before the first tw_tc__attach(), see tw_clsact__plan(); also for u32 */
int tw_tc__plan(struct tw_state *state, struct tw_error *error);

/**
 * tw_tc__attach() - attach a program, or replace the attached one
 * Return: 0; -EOPNOTSUPP if it was to run in the NIC and does not, and was removed; another -errno.
 */
int tw_tc__attach(struct tw_state *state, int program, struct tw_error *error);

/**
 * tw_tc__detach() - remove the filter, and the qdisc if Tracewire made it and it is empty. Return: 0, also if there was none; -errno
 */
int tw_tc__detach(const struct tw_state *state, struct tw_error *error);

/** tw_tc__mode() - the mode that the kernel reports. Return: enum tw_mode */
uint8_t tw_tc__mode(const struct tw_state *state);

#endif
