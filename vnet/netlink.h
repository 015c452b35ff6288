/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Helpers for libnl: look up links by name, and convert error codes to -errno. Used inside vnet/ only. */
#ifndef TW_NETLINK_H
#define TW_NETLINK_H

#include <netlink/netlink.h>
#include <netlink/route/link.h>
#include <stdbool.h>

#include "base/error.h"

/**
 * tw_netlink__open() - open a route netlink socket in the thread's network namespace; free it with nl_socket_free()
 *
 * Return: 0, or -errno with @error filled.
 */
int tw_netlink__open(struct nl_sock **ret, struct tw_error *error);

/** tw_netlink__errno() - convert a libnl error code to -errno; 0 if @code is not negative */
int tw_netlink__errno(int code);

/**
 * tw_netlink__get_link() - call rtnl_link_get_kernel(), and return an error if it returns 0 but no link
 * @ret: the caller releases it with rtnl_link_put()
 *
 * Return: 0, or a negative code of libnl; -NLE_AGAIN if there is no link, because the answer was lost.
 */
int tw_netlink__get_link(struct nl_sock *sk, const char *name, struct rtnl_link **ret);

/**
 * tw_netlink__link() - get the current state of an interface
 * @ret: the caller releases it with rtnl_link_put()
 *
 * Return: 0; -ENODEV if no interface has this name; another -errno.
 */
int tw_netlink__link(struct nl_sock *sk, const char *name, struct rtnl_link **ret);

/** tw_netlink__is_own_veth() - whether @link is an end of a veth pair made by Tracewire */
bool tw_netlink__is_own_veth(struct rtnl_link *link);

#endif
