/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A UDP address in text form: HOST:PORT, with an IPv6 address in brackets (RFC 3986, 3.2.2). */
#ifndef TW_UDP_ADDRESS_H
#define TW_UDP_ADDRESS_H

#include <netdb.h>
#include <stdint.h>

#include "base/error.h"

#define TW_UDP_HOST_MAX 256 /* bytes, NUL included */
#define TW_UDP_TEXT_MAX (TW_UDP_HOST_MAX + 8)

struct tw_udp_address {
	char host[TW_UDP_HOST_MAX]; /* a name or an address, without brackets; "" = none */
	uint16_t port;
};

/**
 * tw_udp_address__parse() - parse HOST, HOST:PORT, :PORT or PORT
 * @ret: the default port is TW_UDP_PORT
 *
 * Return: 0, or -EINVAL with @error filled. The host is not looked up.
 */
int tw_udp_address__parse(const char *text, struct tw_udp_address *ret, struct tw_error *error);

/** tw_udp_address__format() - write the text form, HOST:PORT, to @ret */
void tw_udp_address__format(const struct tw_udp_address *address, char ret[static TW_UDP_TEXT_MAX]);

/**
 * tw_udp_address__resolve() - get the socket addresses of a host; freeaddrinfo() frees them
 * @flags: of getaddrinfo(3); AI_PASSIVE for an address to receive at
 *
 * Return: 0; -EHOSTUNREACH if there is no such host, or the name server does not answer; another -errno. @error is filled after each
 * failure.
 */
int tw_udp_address__resolve(const struct tw_udp_address *address, int flags, struct addrinfo **ret,
			    struct tw_error *error);

#endif
