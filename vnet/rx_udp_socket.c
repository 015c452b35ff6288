/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/rx_udp_socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int set_option(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value)) < 0 ? -errno : 0;
}

/* The kernel doubles what is wished, for its own overhead, and tells the double. */
static size_t set_buffer(int fd, size_t wanted)
{
	const int wish = (int)wanted;
	socklen_t len = sizeof(int);
	int got = 0;

	if (set_option(fd, SOL_SOCKET, SO_RCVBUFFORCE, wish) < 0)
		set_option(fd, SOL_SOCKET, SO_RCVBUF, wish);
	getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &got, &len);
	return (size_t)got / 2;
}

static int set_options(int family, const struct tw_rx_udp_options *o, struct rx_udp_socket *s)
{
	int error = 0;

	if (family == AF_INET6) {
		error = set_option(s->fd, IPPROTO_IPV6, IPV6_V6ONLY, o->at.host[0] != '\0');
		if (!error)
			error = set_option(s->fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
	} else {
		error = set_option(s->fd, IPPROTO_IP, IP_PKTINFO, 1);
	}
	if (!error)
		error = set_option(s->fd, SOL_SOCKET, SO_RXQ_OVFL, 1);
	if (!error)
		error = set_option(s->fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);
	s->gro = set_option(s->fd, IPPROTO_UDP, UDP_GRO, 1) == 0;
	s->buffer = set_buffer(s->fd, o->buffer ? o->buffer : TW_RX_UDP_BUFFER);
	return error;
}

static int try_address(const struct addrinfo *a, const struct tw_rx_udp_options *o, struct rx_udp_socket *ret)
{
	struct rx_udp_socket s;
	int error;

	s.fd = socket(a->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_UDP);
	if (s.fd < 0)
		return -errno;
	error = set_options(a->ai_family, o, &s);
	if (!error && bind(s.fd, a->ai_addr, a->ai_addrlen) < 0)
		error = -errno;
	if (error)
		close(s.fd);
	else
		*ret = s;
	return error;
}

/* Of all addresses those of IPv6 first, which take IPv4 along. Return: 0, or the -errno of the first that was tried */
static int try_addresses(const struct addrinfo *addresses, const struct tw_rx_udp_options *o, struct rx_udp_socket *ret)
{
	static const int families[] = { AF_INET6, AF_INET };
	int first = 0, error;

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		for (const struct addrinfo *a = addresses; a; a = a->ai_next) {
			if (a->ai_family != families[i])
				continue;
			error = try_address(a, o, ret);
			if (!error)
				return 0;
			first = first ? first : error;
		}
	}
	return first ? first : -EADDRNOTAVAIL;
}

static int refused(const struct tw_rx_udp_options *o, int code, struct tw_error *err)
{
	char at[TW_UDP_TEXT_MAX];

	if (o->at.host[0])
		tw_udp_address__format(&o->at, at);
	else
		snprintf(at, sizeof(at), "UDP port %u", o->at.port);
	switch (code) {
	case -EADDRINUSE:
		return tw_error__set(err, code, "cannot receive at %s: another program does; ss -lunp tells which", at);
	case -EADDRNOTAVAIL:
		return tw_error__set(
			err, code,
			"cannot receive at %s: no interface here has that address; ip -br addr lists those there are",
			at);
	case -EACCES:
		return tw_error__set(err, code,
				     "cannot receive at %s: ports below 1024 take root or CAP_NET_BIND_SERVICE", at);
	default:
		return tw_error__set(err, code, "cannot receive at %s: %s", at, strerror(-code));
	}
}

int rx_udp_socket__open(const struct tw_rx_udp_options *opts, struct rx_udp_socket *ret, struct tw_error *err)
{
	struct addrinfo *addresses;
	int error = tw_udp_address__resolve(&opts->at, AI_PASSIVE, &addresses, err);

	if (error)
		return error;
	error = try_addresses(addresses, opts, ret);
	freeaddrinfo(addresses);
	return error ? refused(opts, error, err) : 0;
}
