/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Selects the transport for an interface, and keeps the counters of both transports. */
#include "vnet/tx.h"

#include <errno.h>
#include <netlink/addr.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/bytes.h"
#include "vnet/netlink.h"
#include "vnet/tx_link.h"
#include "wire/tracewire.h"

/* The frame size of two 4096-byte chunks: larger frames gain little and push the slots out of the cache. */
#define FRAME_BEST (2 * (size_t)4096 - TX_OVERHEAD - TW_COPY_STEP)

/*
 * The drop counter of a veth pair's sending end. All sinks of this process on this end share the struct, so that together they count each
 * drop once. The kernel reports most drops to the socket. Drops of a veth after its queue, and drops that old kernels do not report, are
 * visible only in the interface's tx_dropped. The first sink that reads tx_dropped counts such a drop as its own: it claims the drop.
 */
struct tx_device {
	struct tx_device *next;
	unsigned int users;
	char name[IFNAMSIZ];
	int ifindex;
	uint64_t before;    /* tx_dropped when the first sink was opened */
	uint64_t explained; /* drops since then that were reported to a sink, made good by sending again, or claimed */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tx_device *devices;

/* Return: the device of @link, to be released with device__release(); NULL if there is no memory */
static struct tx_device *device__take(const struct tx_link *link)
{
	struct tx_device *d;

	pthread_mutex_lock(&lock);
	d = devices;
	while (d && (d->ifindex != link->ifindex || strcmp(d->name, link->name) != 0))
		d = d->next;
	if (!d) {
		d = calloc(1, sizeof(*d));
		if (!d)
			goto out;
		memcpy(d->name, link->name, sizeof(d->name));
		d->ifindex = link->ifindex;
		d->before = link->dropped_before;
		d->next = devices;
		devices = d;
	}
	d->users++;
out:
	pthread_mutex_unlock(&lock);
	return d;
}

/* Return: 0 with the interface's tx_dropped, or -errno */
static int read_dropped(const char *name, uint64_t *ret)
{
	struct rtnl_link *link;
	struct nl_sock *sk;
	int err = tw_netlink__open(&sk, NULL);

	if (err < 0)
		return err;
	err = tw_netlink__link(sk, name, &link);
	if (err == 0) {
		*ret = rtnl_link_get_stat(link, RTNL_LINK_TX_DROPPED);
		rtnl_link_put(link);
	}
	nl_socket_free(sk);
	return err;
}

/*
 * Reads tx_dropped and claims unexplained drops. @claimed: number of drops that this sink has claimed so far. Return: the new number. It is
 * smaller than @claimed if a drop was explained after it had been claimed.
 */
static uint64_t device__claim(struct tx_device *device, uint64_t claimed)
{
	uint64_t dropped = 0, others;

	if (!device || read_dropped(device->name, &dropped) < 0)
		return claimed;
	pthread_mutex_lock(&lock);
	dropped -= device->before;
	others = device->explained - claimed;
	claimed = dropped > others ? dropped - others : 0;
	device->explained = others + claimed;
	pthread_mutex_unlock(&lock);
	return claimed;
}

static void device__release(struct tx_device *device)
{
	struct tx_device **at = &devices;

	if (!device)
		return;
	pthread_mutex_lock(&lock);
	if (--device->users == 0) {
		while (*at != device)
			at = &(*at)->next;
		*at = device->next;
		free(device);
	}
	pthread_mutex_unlock(&lock);
}

int tx_sink__init(struct tx_sink *tx, const struct tw_sink_ops *ops, const struct tx_link *link)
{
	tx->sink.ops = ops;
	tx->sink.frame_max = link->frame_max;
	tx->sink.how = tx->how;
	tx->sink.overhead = ETH_HLEN;
	tx->link = *link;
	if (link->veth)
		tx->device = device__take(link);
	return link->veth && !tx->device ? -ENOMEM : 0;
}

void tx_sink__fini(struct tx_sink *tx)
{
	device__release(tx->device);
}

void tx_sink__explain(struct tx_sink *tx)
{
	if (!tx->device)
		return;
	pthread_mutex_lock(&lock);
	tx->device->explained++;
	pthread_mutex_unlock(&lock);
}

void tx_sink__stats(struct tw_sink *sink, struct tw_sink_stats *ret)
{
	struct tx_sink *tx = (struct tx_sink *)sink;

	tx->claimed = device__claim(tx->device, tx->claimed);
	*ret = tx->stats;
	ret->dropped += tx->claimed;
	ret->dropped_unseen += tx->claimed;
}

static void write_ethernet(uint8_t ret[static ETH_HLEN], const uint8_t *destination, const struct nl_addr *source)
{
	static const uint8_t group[ETH_ALEN] = TW_TX_GROUP;

	memcpy(ret, destination ? destination : group, ETH_ALEN);
	memcpy(ret + ETH_ALEN, nl_addr_get_binary_addr(source), ETH_ALEN);
	tw_store_be16(ret + ETH_HLEN - sizeof(uint16_t), TW_ETHERTYPE);
}

static int check_link(struct rtnl_link *link, const struct tw_tx_options *o, struct tw_error *error)
{
	const unsigned int mtu = rtnl_link_get_mtu(link), queues = rtnl_link_get_num_tx_queues(link);
	const struct nl_addr *address = rtnl_link_get_addr(link);

	if (!address || nl_addr_get_len(address) != ETH_ALEN)
		return tw_error__set(
			error, -EINVAL,
			"cannot send on %s: the interface has no Ethernet address; send over UDP (-u) instead",
			o->ifname);
	if (!(rtnl_link_get_flags(link) & IFF_UP))
		return tw_error__set(error, -ENETDOWN,
				     "cannot send on %s: the interface is down; bring it up with `ip link set %s up`",
				     o->ifname, o->ifname);
	if (mtu < TW_SINK_FRAME_MIN)
		return tw_error__set(error, -EINVAL,
				     "cannot send on %s: its MTU of %u is below the minimum frame size of %d bytes",
				     o->ifname, mtu, TW_SINK_FRAME_MIN);
	if (o->queue >= queues)
		return tw_error__set(error, -EINVAL,
				     "cannot send on queue %u of %s: the interface has %u queues, numbered from 0",
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
	ret->veth = tw_netlink__is_own_veth(link);
	ret->dropped_before = rtnl_link_get_stat(link, RTNL_LINK_TX_DROPPED);
}

static int find_link(const struct tw_tx_options *o, struct tx_link *ret, struct tw_error *error)
{
	struct rtnl_link *link;
	struct nl_sock *sk;
	int err = tw_netlink__open(&sk, error);

	if (err < 0)
		return err;
	err = tw_netlink__link(sk, o->ifname, &link);
	if (err < 0) {
		tw_error__set(error, err, "cannot send on %s: %s", o->ifname,
			      err == -ENODEV ? "there is no such interface; `ip -br link` lists all interfaces"
					     : strerror(-err));
		goto out;
	}
	err = check_link(link, o, error);
	if (err == 0)
		describe_link(link, o, ret);
	rtnl_link_put(link);
out:
	nl_socket_free(sk);
	return err;
}

int tw_tx__open(const struct tw_tx_options *opts, struct tw_sink **ret, struct tw_error *error)
{
	struct tw_error refusal;
	struct tx_link link;
	char why[160];
	int err;

	err = find_link(opts, &link, error);
	if (err < 0)
		return err;
	if (opts->transport == TW_TRANSPORT_PACKET)
		return tx_packet__open(&link, NULL, ret, error);
	err = tx_xdp__open(&link, ret, &refusal);
	if (err == 0)
		return 0;
	if (opts->transport == TW_TRANSPORT_XDP)
		return tw_error__set(error, err, "%s", refusal.text);
	snprintf(why, sizeof(why), "AF_XDP refused: %s", strerror(-err));
	return tx_packet__open(&link, why, ret, error);
}
