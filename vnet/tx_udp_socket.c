/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/tx_udp_socket.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <linux/if_ether.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SEND_BUFFER \
	(4 << 20) /* bytes, the kernel's overhead included: some batches, so that there is one when the link is free */
#define ERRORS_ROOM 512 /* bytes of what the kernel says about one error */

static void set_option(int fd, int level, int name, int value)
{
	setsockopt(fd, level, name, &value, sizeof(value));
}

/*
 * Never fragments, and errors are told: else a full queue of the interface drops in silence. An IPv6 socket that sends to an
 * IPv4 address keeps to IPv4's options.
 */
static void set_options(const struct tw_tx_udp *udp)
{
	const int bytes = SEND_BUFFER;

	set_option(udp->fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO);
	set_option(udp->fd, IPPROTO_IP, IP_RECVERR, 1);
	if (udp->family == AF_INET6) {
		set_option(udp->fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_DO);
		set_option(udp->fd, IPPROTO_IPV6, IPV6_RECVERR, 1);
	}
	if (setsockopt(udp->fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)) < 0)
		set_option(udp->fd, SOL_SOCKET, SO_SNDBUF, bytes);
}

/* Segments are told with each batch; here is only asked whether the kernel knows of them. */
static bool has_gso(int fd)
{
	const int none = 0;

	return setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &none, sizeof(none)) == 0;
}

/* Family and port have the same place in addresses of both families. */
static void note_port(struct tw_tx_udp *udp)
{
	struct sockaddr_in6 here;
	socklen_t len = sizeof(here);

	if (getsockname(udp->fd, (struct sockaddr *)&here, &len) == 0)
		udp->port = here.sin6_port;
}

/* To the first address that a way leads to. Return: 0 or -errno */
static int connect_to(const struct addrinfo *addresses, struct tw_tx_udp *udp)
{
	int error = -ENETUNREACH;

	for (const struct addrinfo *a = addresses; a; a = a->ai_next) {
		udp->fd = socket(a->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_UDP);
		udp->family = a->ai_family;
		udp->address_len = a->ai_addrlen;
		memcpy(&udp->address, a->ai_addr, a->ai_addrlen);
		if (udp->fd >= 0 && connect(udp->fd, a->ai_addr, a->ai_addrlen) == 0) {
			note_port(udp);
			return 0;
		}
		error = -errno;
		if (udp->fd >= 0)
			close(udp->fd);
	}
	udp->fd = -1;
	return error;
}

/* A name can have several addresses; told is the one that was tried last. */
static int unreachable(const struct tw_udp_address *to, const struct tw_tx_udp *udp, int code, struct tw_error *err)
{
	const struct sockaddr *address = (const struct sockaddr *)&udp->address;
	char tried[INET6_ADDRSTRLEN + IF_NAMESIZE];

	if (code == -EINVAL && udp->family == AF_INET6)
		return tw_error__set(
			err, code,
			"cannot send to %s: which interface leads there has to be said, as in [fe80::1%%eth0]",
			to->host);
	if (getnameinfo(address, udp->address_len, tried, sizeof(tried), NULL, 0, NI_NUMERICHOST))
		return tw_error__set(err, code, "cannot send to %s: %s", to->host, strerror(-code));
	return tw_error__set(err, code, "cannot send to %s: %s; ip route get %s tells what way there is", to->host,
			     strerror(-code), tried);
}

int tw_tx_udp__open(const struct tw_udp_address *to, struct tw_tx_udp **ret, struct tw_error *err)
{
	struct addrinfo *addresses;
	struct tw_tx_udp *udp;
	int error;

	if (!to->host[0])
		return tw_error__set(err, -EINVAL,
				     "no host is given to send to: it stands before the port, as in "
				     "HOST:PORT");
	error = tw_udp_address__resolve(to, 0, &addresses, err);
	if (error)
		return error;
	udp = calloc(1, sizeof(*udp));
	error = udp ? connect_to(addresses, udp)
		    : tw_error__set(err, -ENOMEM, "cannot send to %s: no memory", to->host);
	freeaddrinfo(addresses);
	if (udp && error)
		unreachable(to, udp, error, err);
	if (error) {
		free(udp);
		return error;
	}
	tw_udp_address__format(to, udp->to);
	set_options(udp);
	udp->gso = has_gso(udp->fd);
	*ret = udp;
	return 0;
}

static void bind_to_port(const struct tw_tx_udp *udp)
{
	const struct sockaddr_in6 here = { .sin6_family = (sa_family_t)udp->family, .sin6_port = udp->port };

	bind(udp->fd, (const struct sockaddr *)&here, udp->address_len);
}

int tx_udp__connect_again(struct tw_tx_udp *udp)
{
	const struct sockaddr *address = (const struct sockaddr *)&udp->address;
	const struct sockaddr nobody = { .sa_family = AF_UNSPEC };

	if (connect(udp->fd, address, udp->address_len) == 0)
		return 0;
	connect(udp->fd, &nobody, sizeof(nobody));
	bind_to_port(udp);
	return connect(udp->fd, address, udp->address_len) < 0 ? -EAGAIN : 0;
}

int tw_tx_udp__fd(const struct tw_tx_udp *udp)
{
	return udp->fd;
}

size_t tw_tx_udp__mtu(const struct tw_tx_udp *udp)
{
	const bool v4 = udp->family == AF_INET;
	socklen_t len = sizeof(int);
	int mtu;

	if (getsockopt(udp->fd, v4 ? IPPROTO_IP : IPPROTO_IPV6, v4 ? IP_MTU : IPV6_MTU, &mtu, &len) < 0 || mtu < 0)
		return 0;
	return (size_t)mtu;
}

static size_t headers(const struct tw_tx_udp *udp)
{
	return sizeof(struct udphdr) + (udp->family == AF_INET ? sizeof(struct ip) : sizeof(struct ip6_hdr));
}

size_t tx_udp__overhead(const struct tw_tx_udp *udp)
{
	return ETH_HLEN + headers(udp);
}

size_t tx_udp__payload(const struct tw_tx_udp *udp)
{
	const size_t mtu = tw_tx_udp__mtu(udp);

	return mtu > headers(udp) ? mtu - headers(udp) : 0;
}

static bool is_refusal(struct msghdr *msg)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		struct sock_extended_err error;

		if (!(c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_RECVERR) &&
		    !(c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_RECVERR))
			continue;
		memcpy(&error, CMSG_DATA(c), sizeof(error));
		return error.ee_errno == ECONNREFUSED;
	}
	return false;
}

void tw_tx_udp__forget_errors(struct tw_tx_udp *udp)
{
	char control[ERRORS_ROOM];
	struct msghdr msg = { .msg_control = control, .msg_controllen = sizeof(control) };

	while (recvmsg(udp->fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0) {
		if (is_refusal(&msg))
			udp->refused++;
		msg.msg_controllen = sizeof(control);
	}
}

uint64_t tw_tx_udp__refused(const struct tw_tx_udp *udp)
{
	return udp->refused;
}

void tw_tx_udp__close(struct tw_tx_udp *udp)
{
	if (!udp)
		return;
	close(udp->fd);
	free(udp);
}
