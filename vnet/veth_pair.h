/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps in which a wire's veth pair comes to be, asked of the kernel one by one. All return 0 or a negative libnl code.
 * Used inside vnet/ only.
 */
#ifndef TW_VETH_PAIR_H
#define TW_VETH_PAIR_H

#include "vnet/netlink.h"
#include "vnet/veth.h"

/** tw_pair__create() - the two interfaces, down and nobody's yet */
int tw_pair__create(struct nl_sock *sk, const struct tw_wire_options *o, const char *tx_name);

/**
 * tw_pair__set_up() - owner, no IPv6, the queue, up
 * @ret_step: what was tried last, in words that "failed" can follow; set also on failure
 */
int tw_pair__set_up(struct nl_sock *sk, const char *view, const char *tx, const char *owner, const char **ret_step);

/** tw_pair__remove() - both ends, by the name of one */
int tw_pair__remove(struct nl_sock *sk, const char *view);

#endif
