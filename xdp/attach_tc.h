/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaches a program to tc: cls_bpf with direct action, at the ingress of an interface. Used inside xdp/ only. */
#ifndef TW_ATTACH_TC_H
#define TW_ATTACH_TC_H

#include "xdp/state.h"

/** tw_tc__plan() - call tw_clsact__plan(). Needed once before the first tw_tc__attach() or tw_u32__attach() */
int tw_tc__plan(struct tw_state *state, struct tw_error *error);

/**
 * tw_tc__attach() - attach a program, or replace the attached one
 * Return: 0; -EOPNOTSUPP if the program should run in the NIC but does not; the filter is then removed; another -errno.
 */
int tw_tc__attach(struct tw_state *state, int program, struct tw_error *error);

/**
 * tw_tc__detach() - remove the filter, and the clsact qdisc if Tracewire made it and it has no other filter
 * Return: 0, also if there was no filter; -errno.
 */
int tw_tc__detach(const struct tw_state *state, struct tw_error *error);

/** tw_tc__mode() - ask the kernel how the program is attached. Return: enum tw_mode */
uint8_t tw_tc__mode(const struct tw_state *state);

#endif
