/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys of u32 in tc, at the ingress of an interface. Used inside xdp/ only. */
#ifndef TW_ATTACH_U32_H
#define TW_ATTACH_U32_H

#include "filter/u32.h"
#include "xdp/state.h"

/**
 * tw_u32__attach() - attach filters for rules, or put them in the place of ours that are there
 * @rules: with a schema
 * @any: bound to it too, true of every event
 * @state: planned by tw_tc__plan(); learns which filters stand for which row
 *
 * There may be two sets for a moment; frames of one schema match one set only.
 *
 * Return: 0; -EOPNOTSUPP where u32 or this kernel cannot do it, or the NIC if it should, with nothing of it left; another -errno.
 */
int tw_u32__attach(struct tw_state *state, const struct tw_rules *rules, const struct tw_bound *any,
		   struct tw_error *error);

/** tw_u32__detach() - all of ours, and the qdisc if it is ours and empty. Return: 0, also if they were gone; -errno */
int tw_u32__detach(const struct tw_state *state, struct tw_error *error);

/** tw_u32__mode() - as the kernel states it. Return: enum tw_mode */
uint8_t tw_u32__mode(const struct tw_state *state);

/**
 * tw_u32__count() - frames of each row; TW_NOT_COUNTED where this kernel does not count them
 * @rows: TW_ROWS_MAX
 * Return: 0 or -errno
 */
int tw_u32__count(const struct tw_state *state, struct tw_counter *rows, struct tw_error *error);

#endif
