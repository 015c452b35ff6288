/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/rx_link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/bytes.h"
#include "wire/tracewire.h"

#define FRAME_LEAST 1500 /* whatever the interface's MTU says: it need not be the sender's */

_Static_assert(sizeof(struct sockaddr_ll) <= sizeof(((struct tw_rx_peer *)0)->bytes), "a peer holds it");

/* One of the SIOC?IF* requests. Return: 0 or -errno */
static int ask(int fd, unsigned long request, const char *ifname, struct ifreq *ret)
{
	memset(ret, 0, sizeof(*ret));
	snprintf(ret->ifr_name, sizeof(ret->ifr_name), "%s", ifname);
	return ioctl(fd, request, ret) < 0 ? -errno : 0;
}

static size_t frame_max_of(int mtu)
{
	if (mtu < FRAME_LEAST)
		return FRAME_LEAST;
	return mtu < TW_FRAME_MAX ? (size_t)mtu : TW_FRAME_MAX;
}

int rx_link__find(const char *ifname, struct rx_link *ret)
{
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct rx_link link;
	struct ifreq req;
	int error;

	if (fd < 0)
		return -errno;
	link.ifindex = (int)if_nametoindex(ifname);
	error = link.ifindex ? ask(fd, SIOCGIFHWADDR, ifname, &req) : -ENODEV;
	if (error)
		goto out;
	memcpy(link.address, req.ifr_hwaddr.sa_data, ETH_ALEN);
	error = ask(fd, SIOCGIFMTU, ifname, &req);
	if (error)
		goto out;
	link.frame_max = frame_max_of(req.ifr_mtu);
	*ret = link;
out:
	close(fd);
	return error;
}

/* Only what tells senders apart: the same one may send to all and to us. */
void rx_link__peer(const struct rx_link *link, const uint8_t *ethernet, struct tw_rx_peer *ret)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(TW_ETHERTYPE),
		.sll_ifindex = link->ifindex,
		.sll_halen = ETH_ALEN,
	};

	memcpy(address.sll_addr, ethernet + ETH_ALEN, ETH_ALEN);
	*ret = (struct tw_rx_peer){ .len = sizeof(address) };
	memcpy(ret->bytes, &address, sizeof(address));
}

int rx_link__answer(const struct rx_link *link, int fd, const struct tw_rx_peer *to, const void *frame, size_t len)
{
	uint8_t ethernet[ETH_HLEN];
	struct sockaddr_ll address;
	struct iovec iov[] = {
		{ .iov_base = ethernet, .iov_len = sizeof(ethernet) },
		{ .iov_base = (void *)frame, .iov_len = len },
	};
	const struct msghdr msg = {
		.msg_name = &address,
		.msg_namelen = sizeof(address),
		.msg_iov = iov,
		.msg_iovlen = sizeof(iov) / sizeof(iov[0]),
	};

	memcpy(&address, to->bytes, sizeof(address));
	memcpy(ethernet, address.sll_addr, ETH_ALEN);
	memcpy(ethernet + ETH_ALEN, link->address, ETH_ALEN);
	tw_store_be16(ethernet + ETH_HLEN - sizeof(uint16_t), TW_ETHERTYPE);
	if (sendmsg(fd, &msg, MSG_DONTWAIT) >= 0)
		return 0;
	return errno == ENOBUFS ? -EAGAIN : -errno;
}
