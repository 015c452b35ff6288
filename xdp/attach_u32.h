/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaches u32 filters to tc, at the ingress of an interface. Used inside xdp/ only. */
#ifndef TW_ATTACH_U32_H
#define TW_ATTACH_U32_H

#include "filter/u32.h"
#include "xdp/state.h"

/**
 * tw_u32__attach() - attach filters for rules, or replace the attached ones
 * @state: planned by tw_tc__plan(); its rows are set to the numbers of the new filters
 * @rules: must have a schema
 * @any: TW_U32_ANY_EVENT, bound to the same schema
 *
 * Old and new filters exist together for a moment; a frame matches only the filters for its schema.
 *
 * Return: 0; -EOPNOTSUPP if u32, this kernel or the requested NIC cannot do it; another -errno. After an error, the new filters are
 * removed, and the old ones stay.
 */
int tw_u32__attach(struct tw_state *state, const struct tw_rules *rules, const struct tw_bound *any,
		   struct tw_error *error);

/**
 * tw_u32__detach() - remove all u32 filters of Tracewire, and the clsact qdisc if Tracewire made it and it has no other filter
 * Return: 0, also if there were no filters; -errno.
 */
int tw_u32__detach(const struct tw_state *state, struct tw_error *error);

/** tw_u32__mode() - ask the kernel how the filters are attached. Return: enum tw_mode */
uint8_t tw_u32__mode(const struct tw_state *state);

/**
 * tw_u32__count() - read the frame counter of each row
 * @rows: array of TW_ROWS_MAX; frames is TW_NOT_COUNTED if the row has no filter, or this kernel does not count; events are not set
 * Return: 0 or -errno.
 */
int tw_u32__count(const struct tw_state *state, struct tw_counter *rows, struct tw_error *error);

#endif
