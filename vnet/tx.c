/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Choosing how to send on an interface, and the books that both transports keep. */
#include "vnet/tx.h"

#include <errno.h>
#include <netlink/addr.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/bytes.h"
#include "vnet/netlink.h"
#include "vnet/tx_link.h"
#include "wire/tracewire.h"

/* What two 4096-byte chunks hold: larger frames gain little and push the slots out of the cache. */
#define FRAME_BEST (2 * (size_t)4096 - TX_OVERHEAD - TW_COPY_STEP)

void tx_sink__init(struct tx_sink *tx, const struct tw_sink_ops *ops, const struct tx_link *link)
{
	tx->sink.ops = ops;
	tx->sink.frame_max = link->frame_max;
	tx->sink.how = tx->how;
	tx->sink.overhead = ETH_HLEN;
	tx->link = *link;
	if (link->wire)
		tx->device = tx_device__take(link->name, link->ifindex, link->dropped_before);
}

void tx_sink__fini(struct tx_sink *tx)
{
	tx_device__release(tx->device);
}

void tx_sink__told(struct tx_sink *tx, const uint8_t *slot)
{
	tx_sink__drop(tx, slot);
	tx_device__explain(tx->device);
}

void tx_sink__stats(struct tw_sink *sink, struct tw_sink_stats *ret)
{
	struct tx_sink *tx = (struct tx_sink *)sink;

	tx->claimed = tx_device__claim(tx->device, tx->claimed);
	*ret = tx->stats;
	ret->dropped += tx->claimed;
	ret->dropped_unseen += tx->claimed;
}

void tx_socket__widen(int fd, size_t slot_bytes)
{
	const int bytes = (int)(slot_bytes * TX_SLOTS * 4); /* the kernel counts its own overhead too */

	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)) < 0)
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
}

static void write_ethernet(uint8_t ret[static ETH_HLEN], const uint8_t *destination, struct nl_addr *source)
{
	static const uint8_t group[ETH_ALEN] = TW_TX_GROUP;

	memcpy(ret, destination ? destination : group, ETH_ALEN);
	memset(ret + ETH_ALEN, 0, ETH_ALEN);
	if (source && nl_addr_get_len(source) == ETH_ALEN)
		memcpy(ret + ETH_ALEN, nl_addr_get_binary_addr(source), ETH_ALEN);
	tw_store_be16(ret + ETH_HLEN - sizeof(uint16_t), TW_ETHERTYPE);
}

static int check_link(struct rtnl_link *link, const struct tw_tx_options *o, struct tw_error *err)
{
	const unsigned int mtu = rtnl_link_get_mtu(link), queues = rtnl_link_get_num_tx_queues(link);

	if (!(rtnl_link_get_flags(link) & IFF_UP))
		return tw_error__set(err, -ENETDOWN,
				     "cannot send on %s: the interface is down; bring it up with ip link set %s up",
				     o->ifname, o->ifname);
	if (mtu < TW_SINK_FRAME_MIN)
		return tw_error__set(err, -EINVAL,
				     "cannot send on %s: its MTU of %u is below the %d bytes a frame takes", o->ifname,
				     mtu, TW_SINK_FRAME_MIN);
	if (o->queue >= queues)
		return tw_error__set(err, -EINVAL, "cannot send on queue %u of %s: it has %u, numbered from 0",
				     o->queue, o->ifname, queues);
	return 0;
}

static size_t choose_frame_max(size_t wanted, unsigned int mtu)
{
	size_t max = wanted ? wanted : FRAME_BEST;

	if (max > mtu)
		max = mtu;
	if (max > TW_FRAME_MAX)
		max = TW_FRAME_MAX;
	if (max < TW_SINK_FRAME_MIN)
		max = TW_SINK_FRAME_MIN;
	return max & ~(size_t)3;
}

static void describe_link(struct rtnl_link *link, const struct tw_tx_options *o, struct tx_link *ret)
{
	memset(ret, 0, sizeof(*ret));
	snprintf(ret->name, sizeof(ret->name), "%s", rtnl_link_get_name(link));
	ret->ifindex = rtnl_link_get_ifindex(link);
	ret->queue = o->queue;
	ret->frame_max = choose_frame_max(o->frame_max, rtnl_link_get_mtu(link));
	write_ethernet(ret->ethernet, o->destination, rtnl_link_get_addr(link));
	ret->wire = tw_netlink__is_wire(link);
	ret->dropped_before = rtnl_link_get_stat(link, RTNL_LINK_TX_DROPPED);
}

static int find_link(const struct tw_tx_options *o, struct tx_link *ret, struct tw_error *err)
{
	struct rtnl_link *link;
	struct nl_sock *sk;
	int code = tw_netlink__open(&sk, err);

	if (code < 0)
		return code;
	code = tw_netlink__link(sk, o->ifname, &link);
	if (code < 0) {
		tw_error__set(err, code, "cannot send on %s: %s", o->ifname,
			      code == -ENODEV ? "there is no such interface; ip -br link lists those there are"
					      : strerror(-code));
		goto out;
	}
	code = check_link(link, o, err);
	if (code == 0)
		describe_link(link, o, ret);
	rtnl_link_put(link);
out:
	nl_socket_free(sk);
	return code;
}

int tw_tx__open(const struct tw_tx_options *opts, struct tw_sink **ret, struct tw_error *err)
{
	struct tw_error refusal;
	struct tx_link link;
	char why[160];
	int code;

	code = find_link(opts, &link, err);
	if (code < 0)
		return code;
	if (opts->transport == TW_TRANSPORT_PACKET)
		return tx_packet__open(&link, NULL, ret, err);
	code = tx_xdp__open(&link, ret, &refusal);
	if (code == 0)
		return 0;
	if (opts->transport == TW_TRANSPORT_XDP)
		return tw_error__set(err, code, "%s", refusal.text);
	snprintf(why, sizeof(why), "AF_XDP refused: %s", strerror(-code));
	return tx_packet__open(&link, why, ret, err);
}
