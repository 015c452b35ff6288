/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Uses of libnl in this room: links by name, and the kernel's errors as -errno. Used inside vnet/ only. */
#ifndef TW_NETLINK_H
#define TW_NETLINK_H

#include <netlink/netlink.h>
#include <netlink/route/link.h>
#include <stdbool.h>

#include "base/error.h"

/** tw_netlink__open() - a route netlink socket in the thread's network namespace; free with nl_socket_free() */
int tw_netlink__open(struct nl_sock **ret, struct tw_error *error);

/** tw_netlink__errno() - a libnl error code as -errno */
int tw_netlink__errno(int code);

/**
 * tw_netlink__get_link() - rtnl_link_get_kernel(), which also returns 0, and no link, if the kernel's answer was lost
 * @ret: put with rtnl_link_put()
 *
 * Return: 0, or a code of libnl.
 */
int tw_netlink__get_link(struct nl_sock *sk, const char *name, struct rtnl_link **ret);

/**
 * tw_netlink__link() - an interface as it is now
 * @ret: put with rtnl_link_put()
 *
 * Return: 0; -ENODEV if there is none of that name; another -errno.
 */
int tw_netlink__link(struct nl_sock *sk, const char *name, struct rtnl_link **ret);

/** tw_netlink__is_own_veth() - whether it is an end of a veth pair made by Tracewire */
bool tw_netlink__is_own_veth(struct rtnl_link *link);

#endif
