/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program in XDP: held by a bpf_link, attached permanently by libxdp, or in the NIC. Used inside xdp/ only. */
#ifndef TW_ATTACH_XDP_H
#define TW_ATTACH_XDP_H

#include "xdp/load.h"
#include "xdp/state.h"

/**
 * tw_xdp__plan() - check before the first attach. Return: 0; -EEXIST if another program occupies the hook, with its name in @error;
 * another -errno
 */
int tw_xdp__plan(const struct tw_state *state, struct tw_error *error);

/**
 * tw_xdp__hold() - attach a loaded program by a bpf_link, or replace the program of the link
 * @link: -1 the first time; owned by the caller
 * Return: 0 or -errno
 */
int tw_xdp__hold(const struct tw_state *state, int program, int *link, struct tw_error *error);

/** tw_xdp__offload() - attach in the NIC; @old: descriptor of the program to replace, -1 = none. Return: 0 or -errno */
int tw_xdp__offload(const struct tw_state *state, int program, int old, struct tw_error *error);

/**
 * tw_xdp__leave() - attach permanently by libxdp: beside other programs if its dispatcher works, otherwise alone
 * @opened: not loaded; libxdp loads it
 * @ret_id: id of the program
 * Return: 0 or -errno
 */
int tw_xdp__leave(const struct tw_state *state, struct tw_loaded *opened, uint32_t *ret_id, struct tw_error *error);

/** tw_xdp__detach() - detach a program that no link holds. Return: 0, also if there was none; -errno */
int tw_xdp__detach(const struct tw_state *state, struct tw_error *error);

/** tw_xdp__mode() - the mode that the kernel reports. Return: enum tw_mode */
uint8_t tw_xdp__mode(const struct tw_state *state);

#endif
