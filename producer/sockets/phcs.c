/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/sockets/phcs.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clocks/phc.h"
#include "producer/network_namespaces.h"
#include "producer/sockets/record.h"

#define DEVICES_MAX 1024

/* Most machines have no PHC, and then no interface is asked for one. */
static bool has_phcs(void)
{
	DIR *entries = opendir("/sys/class/ptp");
	const struct dirent *entry;
	bool any = false;

	while (entries && !any && (entry = readdir(entries)))
		any = entry->d_name[0] != '.';
	if (entries)
		closedir(entries);
	return any;
}

/*
 * Whether the interface is hardware, whose packets are stamped by its own clock. Stacked interfaces name the clock of one below them, which
 * need not be that of all of their packets.
 */
static bool is_hardware(int fd, const char *ifname)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ifreq req = { .ifr_data = (char *)&info };

	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", ifname);
	return !ioctl(fd, SIOCETHTOOL, &req) && info.bus_info[0];
}

/* The clocks that were found. Those of more interfaces are unknown. */
struct found {
	size_t n;
	struct tw_sockts_device devices[DEVICES_MAX];
	int32_t clocks[DEVICES_MAX];
};

static void add_device(struct found *found, int fd, uint64_t netns_cookie, const struct if_nameindex *device)
{
	struct ethtool_ts_info info;

	if (tw_phc__ts_info(device->if_name, &info) || info.phc_index < 0 || !is_hardware(fd, device->if_name) ||
	    found->n == DEVICES_MAX)
		return;
	found->devices[found->n] =
		(struct tw_sockts_device){ .netns_cookie = netns_cookie, .ifindex = device->if_index };
	found->clocks[found->n++] = info.phc_index;
}

/* Adds the interfaces of this thread's network namespace. Its errors are those of a namespace that ends: its interfaces have no clocks. */
static int add_here(void *ctx)
{
	struct found *found = ctx;
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct if_nameindex *devices = if_nameindex();
	uint64_t cookie;

	if (fd >= 0 && !tw_network_namespace__cookie(&cookie))
		for (size_t i = 0; devices && devices[i].if_index; i++)
			add_device(found, fd, cookie, &devices[i]);
	if (devices)
		if_freenameindex(devices);
	if (fd >= 0)
		close(fd);
	return 0;
}

static bool has(const struct found *found, const struct tw_sockts_device *device)
{
	for (size_t i = 0; i < found->n; i++)
		if (!memcmp(&found->devices[i], device, sizeof(*device)))
			return true;
	return false;
}

static void forget_others(int map, const struct found *found)
{
	struct tw_sockts_device key, kept, *last = NULL;

	while (!bpf_map_get_next_key(map, last, &key)) {
		if (has(found, &key)) {
			kept = key;
			last = &kept;
		} else if (bpf_map_delete_elem(map, &key)) {
			return;
		}
	}
}

/* Clocks that do not change stay in the map meanwhile. */
static void find(struct tw_socket_phcs *phcs)
{
	struct found found = { 0 };

	if (has_phcs())
		tw_network_namespaces__each(add_here, &found);
	forget_others(phcs->map, &found);
	for (size_t i = 0; i < found.n; i++)
		bpf_map_update_elem(phcs->map, &found.devices[i], &found.clocks[i], BPF_ANY);
}

static int open_links(void)
{
	const struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK };
	const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);

	if (fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		return -1;
	}
	return fd;
}

int tw_socket_phcs__init(struct tw_socket_phcs *phcs)
{
	*phcs = (struct tw_socket_phcs){ .map = -1, .links = -1 };
	phcs->map = bpf_map_create(BPF_MAP_TYPE_HASH, "sockts_phcs", sizeof(struct tw_sockts_device), sizeof(int32_t),
				   DEVICES_MAX, NULL);
	if (phcs->map < 0)
		return phcs->map;
	phcs->links = open_links();
	find(phcs);
	return 0;
}

void tw_socket_phcs__fini(struct tw_socket_phcs *phcs)
{
	if (phcs->map >= 0)
		close(phcs->map);
	if (phcs->links >= 0)
		close(phcs->links);
	phcs->map = phcs->links = -1;
}

void tw_socket_phcs__update(struct tw_socket_phcs *phcs)
{
	bool changed = false;
	char message[1];

	if (phcs->links < 0)
		return;
	/* ENOBUFS: there were more messages than room */
	while (recv(phcs->links, message, sizeof(message), 0) >= 0 || errno == ENOBUFS)
		changed = true;
	if (changed)
		find(phcs);
}
