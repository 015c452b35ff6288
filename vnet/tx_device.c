/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/tx_device.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vnet/netlink.h"

struct tx_device {
	struct tx_device *next;
	unsigned int users;
	char name[IFNAMSIZ];
	int ifindex;
	uint64_t before;    /* tx_dropped when the first sink came */
	uint64_t explained; /* of what was dropped since: told, sent again, or claimed */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tx_device *devices;

static struct tx_device *find(const char *name, int ifindex)
{
	struct tx_device *d = devices;

	while (d && (d->ifindex != ifindex || strcmp(d->name, name) != 0))
		d = d->next;
	return d;
}

static struct tx_device *add(const char *name, int ifindex, uint64_t dropped)
{
	struct tx_device *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	snprintf(d->name, sizeof(d->name), "%s", name);
	d->ifindex = ifindex;
	d->before = dropped;
	d->next = devices;
	devices = d;
	return d;
}

struct tx_device *tx_device__take(const char *name, int ifindex, uint64_t dropped)
{
	struct tx_device *d;

	pthread_mutex_lock(&lock);
	d = find(name, ifindex);
	if (!d)
		d = add(name, ifindex, dropped);
	if (d)
		d->users++;
	pthread_mutex_unlock(&lock);
	return d;
}

void tx_device__explain(struct tx_device *device)
{
	if (!device)
		return;
	pthread_mutex_lock(&lock);
	device->explained++;
	pthread_mutex_unlock(&lock);
}

/* -errno, or 0 and what the kernel counts as dropped on the way out of the interface. */
static int read_dropped(const char *name, uint64_t *ret)
{
	struct rtnl_link *link;
	struct nl_sock *sk;
	int code = tw_netlink__open(&sk, NULL);

	if (code < 0)
		return code;
	code = tw_netlink__link(sk, name, &link);
	if (code == 0) {
		*ret = rtnl_link_get_stat(link, RTNL_LINK_TX_DROPPED);
		rtnl_link_put(link);
	}
	nl_socket_free(sk);
	return code;
}

uint64_t tx_device__claim(struct tx_device *device, uint64_t claimed)
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

void tx_device__release(struct tx_device *device)
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
