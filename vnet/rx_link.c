/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/rx_link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/bytes.h"
#include "vnet/socket.h"
#include "wire/tracewire.h"

#define FRAME_MIN 1500 /* lower limit of frame_max, because the sender's MTU may be larger than this interface's */

/* On an interface, tw_peer.bytes contains a sockaddr_ll and then the VLAN tag, if the frame had one. */
_Static_assert(sizeof(struct sockaddr_ll) + RX_LINK_TAG <= sizeof(((struct tw_peer *)0)->bytes), "a peer holds it");

/*
 * Makes one of the SIOCGIF* requests, or SIOCETHTOOL. A name that is too long is refused, not cut, because the cut name may be the name of
 * another interface.
 * Return: 0 or -errno
 */
static int ask(unsigned long request, const char *ifname, struct ifreq *req)
{
	int fd, err;

	if (strlen(ifname) >= IFNAMSIZ)
		return -ENODEV;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	snprintf(req->ifr_name, sizeof(req->ifr_name), "%s", ifname);
	err = ioctl(fd, request, req) < 0 ? -errno : 0;
	close(fd);
	return err;
}

int rx_link__index(const char *ifname)
{
	struct ifreq req = { 0 };
	const int err = ask(SIOCGIFINDEX, ifname, &req);

	return err ? err : req.ifr_ifindex;
}

static size_t frame_max_of(int mtu)
{
	if (mtu < FRAME_MIN)
		return FRAME_MIN;
	return mtu < TW_FRAME_MAX ? (size_t)mtu : TW_FRAME_MAX;
}

int rx_link__find(const char *ifname, struct rx_link *ret)
{
	struct rx_link link = { .ifindex = rx_link__index(ifname) };
	struct ifreq req = { 0 };
	int err = link.ifindex < 0 ? link.ifindex : ask(SIOCGIFHWADDR, ifname, &req);

	if (err)
		return err;
	memcpy(link.address, req.ifr_hwaddr.sa_data, ETH_ALEN);
	err = ask(SIOCGIFMTU, ifname, &req);
	if (err)
		return err;
	link.frame_max = frame_max_of(req.ifr_mtu);
	*ret = link;
	return 0;
}

unsigned int rx_link__queues(const char *ifname)
{
	struct ethtool_channels channels = { .cmd = ETHTOOL_GCHANNELS };
	struct ifreq req = { .ifr_data = (void *)&channels };
	const int err = ask(SIOCETHTOOL, ifname, &req);
	const unsigned int n = err ? 0 : channels.rx_count + channels.combined_count;

	return n ? n : 1;
}

bool rx_link__is_stamped(const char *ifname)
{
	struct ethtool_ts_info info = { .cmd = ETHTOOL_GET_TS_INFO };
	struct ifreq req = { .ifr_data = (void *)&info };

	return !ask(SIOCETHTOOL, ifname, &req) && info.so_timestamping & SOF_TIMESTAMPING_RX_HARDWARE;
}

/*
 * After the interface went down, checks whether it still exists, because the packet socket is not notified if an interface that is down is
 * removed.
 */
static bool is_gone(struct rx_link *link)
{
	struct ifreq req = { 0 };
	char name[IFNAMSIZ];

	if (!link->down || link->gone)
		return link->gone;
	if (!if_indextoname((unsigned int)link->ifindex, name))
		link->gone = errno == ENXIO;
	else if (!ask(SIOCGIFFLAGS, name, &req))
		link->down = !(req.ifr_flags & IFF_UP);
	return link->gone;
}

int rx_link__failed(struct rx_link *link, int err)
{
	if (err != ENETDOWN)
		return -err;
	link->down = true;
	return is_gone(link) ? -ENODEV : -ENETDOWN;
}

static int socket_error(struct rx_link *link, int fd)
{
	socklen_t len = sizeof(int);
	int err = 0;

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) < 0)
		return -errno;
	return rx_link__failed(link, err);
}

int rx_link__wait(struct rx_link *link, struct pollfd *fds, nfds_t n, int *timeout_ms)
{
	int ready, err;

	if (is_gone(link))
		return -ENODEV;
	ready = tw_socket__poll(fds, n, timeout_ms);
	if (ready <= 0)
		return ready;
	if (fds[0].revents & POLLERR)
		tx_stamps__read(&link->stamps);
	err = fds[0].revents & POLLERR ? socket_error(link, fds[0].fd) : 0;
	return err ? err : 1;
}

const uint8_t *rx_link__tag(uint32_t status, uint16_t tpid, uint16_t tci, uint8_t tag[RX_LINK_TAG])
{
	if (!(status & TP_STATUS_VLAN_VALID))
		return NULL;
	tw_store_be16(tag, status & TP_STATUS_VLAN_TPID_VALID ? tpid : ETH_P_8021Q);
	tw_store_be16(tag + sizeof(uint16_t), tci);
	return tag;
}

/* Sets only fields that identify the sender, not the destination, because the same sender may send to a group and to this host. */
void rx_link__peer(const struct rx_link *link, const uint8_t *ethernet, const uint8_t *tag, struct tw_peer *ret)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(TW_ETHERTYPE),
		.sll_ifindex = link->ifindex,
		.sll_halen = ETH_ALEN,
	};

	memcpy(address.sll_addr, ethernet + ETH_ALEN, ETH_ALEN);
	*ret = (struct tw_peer){ .len = sizeof(address) };
	memcpy(ret->bytes, &address, sizeof(address));
	ret->address.kind = TW_PEER_ETHERNET;
	memcpy(ret->address.bytes, address.sll_addr, ETH_ALEN);
	if (!tag)
		return;
	memcpy(ret->bytes + ret->len, tag, RX_LINK_TAG);
	ret->len += RX_LINK_TAG;
}

/* Makes the header of an answer to a peer. Return: length of the header */
static size_t make_header(const struct rx_link *link, const struct tw_peer *to, const struct sockaddr_ll *address,
			  uint8_t *header)
{
	const size_t tag = to->len - sizeof(*address);

	memcpy(header, address->sll_addr, ETH_ALEN);
	memcpy(header + ETH_ALEN, link->address, ETH_ALEN);
	memcpy(header + 2 * ETH_ALEN, to->bytes + sizeof(*address), tag);
	tw_store_be16(header + 2 * ETH_ALEN + tag, TW_ETHERTYPE);
	return ETH_HLEN + tag;
}

int rx_link__answer(struct rx_link *link, int fd, const struct tw_peer *to, const void *frame, size_t len,
		    uint32_t cookie)
{
	_Alignas(struct cmsghdr) uint8_t control[TX_STAMPS_REQUEST];
	uint8_t header[ETH_HLEN + RX_LINK_TAG];
	struct sockaddr_ll address;
	struct iovec iov[] = {
		{ .iov_base = header },
		{ .iov_base = (void *)frame, .iov_len = len },
	};
	struct msghdr msg = {
		.msg_name = &address,
		.msg_namelen = sizeof(address),
		.msg_iov = iov,
		.msg_iovlen = sizeof(iov) / sizeof(iov[0]),
		.msg_control = control,
	};
	int err;

	memcpy(&address, to->bytes, sizeof(address));
	iov[0].iov_len = make_header(link, to, &address, header);
	if (cookie)
		tx_stamps__request(&link->stamps, &msg);
	err = sendmsg(fd, &msg, MSG_DONTWAIT) < 0 ? -errno : 0;
	if (cookie)
		tx_stamps__requested(&link->stamps, cookie, err);
	if (!err)
		return 0;
	return err == -ENOBUFS ? -EAGAIN : rx_link__failed(link, -err);
}

bool rx_link__sent(struct rx_link *link, struct tw_sent_stamp *ret)
{
	if (!link->stamps.on)
		return false;
	tx_stamps__read(&link->stamps);
	return tx_stamps__take(&link->stamps, ret);
}
