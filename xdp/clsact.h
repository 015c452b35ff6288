/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The qdisc at which an interface's filters hang, and what stands there. Used inside xdp/ only.
 *
 * Our filters have priorities of their own; one that somebody else has is not taken.
 */
#ifndef TW_CLSACT_H
#define TW_CLSACT_H

#include <stdbool.h>

#include "xdp/netlink.h"
#include "xdp/state.h"

#define TW_TC_PRIO 21591 /* "TW"; a place has it plus its number, u32 one more, in turns */

/**
 * tw_clsact__plan() - before the first filter is attached: what there will be to remove
 *
 * Nothing is changed yet. The state has the answer written to its file first: whoever is killed in between leaves no riddle.
 *
 * Return: 0; -EEXIST if somebody else has our priorities; another -errno.
 */
int tw_clsact__plan(struct nl_sock *sk, struct tw_state *state, struct tw_error *err);

/** tw_clsact__add() - see that there is one. Return: 0 or -errno */
int tw_clsact__add(struct nl_sock *sk, struct tw_state *state, struct tw_error *err);

/** tw_clsact__remove() - if it is ours and no filter is left there, neither of ingress nor of egress */
void tw_clsact__remove(struct nl_sock *sk, const struct tw_state *state);

/** tw_filters__each() - filters of ingress with that priority, 0 = all. Return: 0 or -errno */
int tw_filters__each(struct nl_sock *sk, int ifindex, uint32_t prio, tw_tc_seen *seen, void *ctx);

/** tw_filters__are_at() - whether anything has that priority */
bool tw_filters__are_at(struct nl_sock *sk, int ifindex, uint32_t prio);

/** tw_filters__remove() - all of that priority. Return: 0, also if there was none; -errno */
int tw_filters__remove(struct nl_sock *sk, int ifindex, uint32_t prio, uint16_t protocol, const char *kind,
		       struct tw_error *err);

/** tw_filter__kind_is() - whether a filter of a dump is of that kind */
bool tw_filter__kind_is(struct nlattr *const *attrs, const char *kind);

#endif
