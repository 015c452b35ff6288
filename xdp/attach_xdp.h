/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program in XDP: held by a bpf_link, left there by libxdp, or in the NIC. Used inside xdp/ only. */
#ifndef TW_ATTACH_XDP_H
#define TW_ATTACH_XDP_H

#include "xdp/load.h"
#include "xdp/state.h"

/** tw_xdp__plan() - before the first: -EEXIST if there is a stranger that would have to go, and who it is. Return: 0 or -errno */
int tw_xdp__plan(const struct tw_state *state, struct tw_error *error);

/**
 * tw_xdp__hold() - attach a loaded program by a link, or put it in the place of the link's
 * @link: -1 the first time; the caller's
 * Return: 0 or -errno
 */
int tw_xdp__hold(const struct tw_state *state, int program, int *link, struct tw_error *error);

/** tw_xdp__offload() - into the NIC; @old: of the program of ours that it replaces, -1 = none. Return: 0 or -errno */
int tw_xdp__offload(const struct tw_state *state, int program, int old, struct tw_error *error);

/**
 * tw_xdp__leave() - by libxdp: beside others where its dispatcher works, else alone
 * @opened: not yet loaded; libxdp makes of it what it needs. Afterwards it is libxdp's: no tw_loaded__fini() but of what is left
 * @ret_id: of the program
 * Return: 0 or -errno
 */
int tw_xdp__leave(const struct tw_state *state, struct tw_loaded *opened, uint32_t *ret_id, struct tw_error *error);

/** tw_xdp__detach() - a program of ours that no link holds. Return: 0, also if it was gone; -errno */
int tw_xdp__detach(const struct tw_state *state, struct tw_error *error);

/** tw_xdp__mode() - as the kernel states it. Return: enum tw_mode */
uint8_t tw_xdp__mode(const struct tw_state *state);

#endif
