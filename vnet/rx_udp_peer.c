/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/rx_udp_peer.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/uio.h>

_Static_assert(sizeof(struct rx_udp_peer) <= sizeof(((struct tw_peer *)0)->bytes), "a peer holds it");

void rx_udp_peer__init(struct rx_udp_peer *peer, const struct msghdr *msg)
{
	memset(peer, 0, sizeof(*peer));
	memcpy(&peer->from, msg->msg_name, msg->msg_namelen);
}

void rx_udp_peer__learn(struct rx_udp_peer *peer, const struct cmsghdr *c)
{
	struct in6_pktinfo info6;
	struct in_pktinfo info;

	if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
		memcpy(&info, CMSG_DATA(c), sizeof(info));
		peer->to.v4 = info.ipi_spec_dst;
	} else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
		memcpy(&info6, CMSG_DATA(c), sizeof(info6));
		peer->to.v6 = info6.ipi6_addr;
	}
}

/* A socket for both has IPv4 addresses as those of IPv6. */
static void set_source(const struct rx_udp_peer *peer, struct tw_peer_address *ret)
{
	const struct in6_addr *v6 = &peer->from.v6.sin6_addr;

	ret->kind = TW_PEER_IPV4;
	if (peer->from.any.sa_family == AF_INET) {
		memcpy(ret->bytes, &peer->from.v4.sin_addr, sizeof(peer->from.v4.sin_addr));
	} else if (IN6_IS_ADDR_V4MAPPED(v6)) {
		memcpy(ret->bytes, &v6->s6_addr[12], sizeof(struct in_addr));
	} else {
		ret->kind = TW_PEER_IPV6;
		memcpy(ret->bytes, v6, sizeof(*v6));
	}
}

void rx_udp_peer__emit(const struct rx_udp_peer *peer, struct tw_peer *ret)
{
	*ret = (struct tw_peer){ .len = sizeof(*peer) };
	memcpy(ret->bytes, peer, sizeof(*peer));
	set_source(peer, &ret->address);
}

/* From the address that was sent to. Return: 0 or -errno */
static int send_to(int fd, struct rx_udp_peer *peer, const void *frame, size_t len)
{
	const bool v4 = peer->from.any.sa_family == AF_INET;
	const struct in_pktinfo info = { .ipi_spec_dst = peer->to.v4 };
	const struct in6_pktinfo info6 = { .ipi6_addr = peer->to.v6 };
	const size_t info_len = v4 ? sizeof(info) : sizeof(info6);
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(struct in6_pktinfo))];
	} control = { .bytes = { 0 } };
	struct iovec iov = { .iov_base = (void *)frame, .iov_len = len };
	const struct msghdr msg = {
		.msg_name = &peer->from,
		.msg_namelen = v4 ? sizeof(peer->from.v4) : sizeof(peer->from.v6),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_SPACE(info_len),
	};

	control.header.cmsg_level = v4 ? IPPROTO_IP : IPPROTO_IPV6;
	control.header.cmsg_type = v4 ? IP_PKTINFO : IPV6_PKTINFO;
	control.header.cmsg_len = CMSG_LEN(info_len);
	memcpy(CMSG_DATA(&control.header), v4 ? (const void *)&info : (const void *)&info6, info_len);
	return sendmsg(fd, &msg, MSG_DONTWAIT) < 0 ? -errno : 0;
}

int rx_udp_peer__answer(int fd, const struct tw_peer *to, const void *frame, size_t len)
{
	struct rx_udp_peer peer;
	int error;

	memcpy(&peer, to->bytes, sizeof(peer));
	error = send_to(fd, &peer, frame, len);
	if (error == -EINVAL || error == -EADDRNOTAVAIL) { /* it was sent to a group, which nothing comes from */
		memset(&peer.to, 0, sizeof(peer.to));
		error = send_to(fd, &peer, frame, len);
	}
	return error == -ENOBUFS ? -EAGAIN : error;
}
