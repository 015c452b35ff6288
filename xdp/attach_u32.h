/* SPDX-License-Identifier: GPL-2.0-or-later */
/* u32 filters in tc, at the ingress of an interface. Used inside xdp/ only. */
#ifndef TW_ATTACH_U32_H
#define TW_ATTACH_U32_H

#include "filter/u32.h"
#include "xdp/state.h"

/**
 * tw_u32__attach() - attach filters for rules, or replace the attached ones
 * @rules: with a schema
 * @any: an expression bound to the same schema that is true for each event
 * @state: planned by tw_tc__plan(); receives the filters of each row
 *
 * Both sets exist for a moment; frames of one schema match one set only.
 *
 * Return: 0; -EOPNOTSUPP if u32, this kernel or the requested NIC does not support it, and all filters were removed; another -errno.
 */
int tw_u32__attach(struct tw_state *state, const struct tw_rules *rules, const struct tw_bound *any,
		   struct tw_error *error);

/**
 * tw_u32__detach() - remove all filters, and the qdisc if Tracewire made it and it is empty. Return: 0, also if there were none; -errno
 */
int tw_u32__detach(const struct tw_state *state, struct tw_error *error);

/** tw_u32__mode() - the mode that the kernel reports. Return: enum tw_mode */
uint8_t tw_u32__mode(const struct tw_state *state);

/**
 * tw_u32__count() - read the frames of each row; TW_NOT_COUNTED if this kernel does not count them
 * @rows: TW_ROWS_MAX
 * Return: 0 or -errno
 */
int tw_u32__count(const struct tw_state *state, struct tw_counter *rows, struct tw_error *error);

#endif
