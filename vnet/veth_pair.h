/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps in which a wire's veth pair comes to be, asked of the kernel one by one. All return 0 or a negative libnl code.
 * Used inside vnet/ only.
 */
#ifndef TW_VETH_PAIR_H
#define TW_VETH_PAIR_H

#include "vnet/netlink.h"
#include "vnet/veth.h"

/**
 * tw_pair__create() - the two interfaces, down, with their owner's name on them
 * @ret_step: what was tried last, in words that "failed" can follow; set also on failure
 *
 * The kernel takes an alias only from an interface that is there. So the pair is made and named in a network namespace that
 * goes with us and is moved here then: whenever we are killed, it is gone or it is known whose it is. Moving takes
 * CAP_SYS_ADMIN; without, it is made here, and killed between two steps leaves a pair that is nobody's.
 */
int tw_pair__create(struct nl_sock *sk, const struct tw_wire_options *o, const char *tx_name, const char **ret_step);

/**
 * tw_pair__set_up() - no IPv6, the queue, up
 * @ret_step: as above
 */
int tw_pair__set_up(struct nl_sock *sk, const char *view, const char *tx, const char **ret_step);

/** tw_pair__remove() - both ends, by the name of one */
int tw_pair__remove(struct nl_sock *sk, const char *view);

#endif
