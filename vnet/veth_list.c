/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looking at interfaces: the wires that are there, and what a name given by the user stands for. */
#include <errno.h>
#include <netlink/cache.h>
#include <stdio.h>
#include <string.h>

#include "vnet/netlink.h"
#include "vnet/veth.h"

static void copy_name(char ret[static IFNAMSIZ], const char *name)
{
	snprintf(ret, IFNAMSIZ, "%s", name);
}

/* The other end of a veth pair, if it is in this namespace: an ifindex of another namespace means nothing here. */
static struct rtnl_link *find_peer(struct nl_cache *cache, struct rtnl_link *link)
{
	int32_t netns;

	if (rtnl_link_get_link_netnsid(link, &netns) == 0)
		return NULL;
	return rtnl_link_get(cache, rtnl_link_get_link(link));
}

static bool is_up(struct rtnl_link *link)
{
	return rtnl_link_get_flags(link) & IFF_UP;
}

static void describe(struct rtnl_link *end, struct rtnl_link *peer, struct tw_wire *ret)
{
	const bool sends = tw_netlink__is_tx_name(rtnl_link_get_name(end));
	struct rtnl_link *view = sends ? peer : end, *tx = sends ? end : peer;

	memset(ret, 0, sizeof(*ret));
	if (view) {
		copy_name(ret->name, rtnl_link_get_name(view));
		ret->ifindex = rtnl_link_get_ifindex(view);
	}
	if (tx) {
		copy_name(ret->tx_name, rtnl_link_get_name(tx));
		ret->tx_ifindex = rtnl_link_get_ifindex(tx);
	}
	snprintf(ret->owner, sizeof(ret->owner), "%s", rtnl_link_get_ifalias(end));
	ret->mtu = rtnl_link_get_mtu(end);
	ret->queues = rtnl_link_get_num_tx_queues(end);
	ret->up = is_up(end) && (!peer || is_up(peer));
}

int tw_wire__list(void (*cb)(const struct tw_wire *wire, void *ctx), void *ctx, struct tw_error *err)
{
	struct nl_cache *cache;
	struct nl_object *object;
	struct nl_sock *sk;
	int ret = tw_netlink__open(&sk, err);

	if (ret < 0)
		return ret;
	ret = rtnl_link_alloc_cache(sk, AF_UNSPEC, &cache);
	nl_socket_free(sk);
	if (ret < 0)
		return tw_error__set(err, tw_netlink__errno(ret), "cannot list interfaces: %s", nl_geterror(ret));
	for (object = nl_cache_get_first(cache); object; object = nl_cache_get_next(object)) {
		struct rtnl_link *end = (struct rtnl_link *)object, *peer;
		struct tw_wire wire;

		if (!tw_netlink__is_wire(end))
			continue;
		peer = find_peer(cache, end);
		/* A pair once, by the end that receives. */
		if (!peer || !tw_netlink__is_tx_name(rtnl_link_get_name(end))) {
			describe(end, peer, &wire);
			cb(&wire, ctx);
		}
		rtnl_link_put(peer);
	}
	nl_cache_free(cache);
	return 0;
}

/* Where to send for an interface that the user named: our wires send on their other end. */
static void find_tx(struct nl_sock *sk, struct rtnl_link *link, struct tw_iface *ret)
{
	struct rtnl_link *tx;
	char tx_name[IFNAMSIZ];
	const char *name = rtnl_link_get_name(link);

	if (!tw_netlink__is_wire(link) || tw_netlink__is_tx_name(name) || strlen(name) > TW_WIRE_NAME_MAX)
		return;
	snprintf(tx_name, sizeof(tx_name), "%.*s%s", TW_WIRE_NAME_MAX, name, TW_WIRE_SUFFIX);
	if (tw_netlink__link(sk, tx_name, &tx) < 0)
		return;
	if (tw_netlink__is_wire(tx)) {
		ret->reach = TW_REACH_WIRE;
		copy_name(ret->tx_name, tx_name);
		ret->queues = rtnl_link_get_num_tx_queues(tx);
	}
	rtnl_link_put(tx);
}

/* Of a wire of ours is only said that it is a veth: both of its ends have to be here. */
static enum tw_reach reach_of(struct rtnl_link *link)
{
	static const char *const virtual_kinds[] = { "veth", "netkit", "dummy", "ifb" };
	const char *kind = rtnl_link_get_type(link);

	if (rtnl_link_get_flags(link) & IFF_LOOPBACK)
		return TW_REACH_HOST;
	for (size_t i = 0; kind && i < sizeof(virtual_kinds) / sizeof(virtual_kinds[0]); i++)
		if (!strcmp(kind, virtual_kinds[i]))
			return TW_REACH_HOST;
	return TW_REACH_NETWORK;
}

int tw_iface__find(const char *name, struct tw_iface *ret, struct tw_error *err)
{
	struct rtnl_link *link;
	struct nl_sock *sk;
	int code = tw_netlink__open(&sk, err);

	if (code < 0)
		return code;
	code = tw_netlink__link(sk, name, &link);
	if (code == -ENODEV)
		tw_error__set(err, code, "there is no interface %s", name);
	else if (code < 0)
		tw_error__set(err, code, "cannot look for the interface %s: %s", name, strerror(-code));
	if (code < 0)
		goto out;
	memset(ret, 0, sizeof(*ret));
	copy_name(ret->tx_name, rtnl_link_get_name(link));
	ret->ifindex = rtnl_link_get_ifindex(link);
	ret->reach = reach_of(link);
	ret->up = is_up(link);
	ret->mtu = rtnl_link_get_mtu(link);
	ret->queues = rtnl_link_get_num_tx_queues(link);
	find_tx(sk, link, ret);
	rtnl_link_put(link);
out:
	nl_socket_free(sk);
	return code;
}
