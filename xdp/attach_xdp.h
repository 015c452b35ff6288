/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaches a program to XDP: with a bpf_link, permanently with libxdp, or in the NIC. Used inside xdp/ only. */
#ifndef TW_ATTACH_XDP_H
#define TW_ATTACH_XDP_H

#include "xdp/load.h"
#include "xdp/state.h"

/**
 * tw_xdp__plan() - check, before a program is attached, that no other program occupies the hook
 * Return: 0; -EEXIST if a program occupies it, with its name in @error; another -errno.
 */
int tw_xdp__plan(const struct tw_state *state, struct tw_error *error);

/**
 * tw_xdp__hold() - attach a loaded program with a new bpf_link, or replace the program of an existing link
 * @link: descriptor of the link, owned by the caller; -1 = make a new link
 * Return: 0 or -errno.
 */
int tw_xdp__hold(const struct tw_state *state, int program, int *link, struct tw_error *error);

/** tw_xdp__offload() - attach a loaded program in the NIC. @old: descriptor of the program to replace, or -1. Return: 0 or -errno */
int tw_xdp__offload(const struct tw_state *state, int program, int old, struct tw_error *error);

/**
 * tw_xdp__leave() - attach a program permanently with libxdp: together with other programs if its dispatcher works, otherwise alone
 * @opened: from tw_loaded__open(), not loaded; libxdp loads it
 * @ret_id: the kernel's id of the program
 * Return: 0 or -errno.
 */
int tw_xdp__leave(const struct tw_state *state, struct tw_loaded *opened, uint32_t *ret_id, struct tw_error *error);

/** tw_xdp__detach() - detach a program that was attached without a bpf_link. Return: 0, also if it is not attached; -errno */
int tw_xdp__detach(const struct tw_state *state, struct tw_error *error);

/** tw_xdp__mode() - ask the kernel how the program is attached. Return: enum tw_mode */
uint8_t tw_xdp__mode(const struct tw_state *state);

#endif
