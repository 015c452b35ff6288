/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/udp_address.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/number.h"
#include "wire/tracewire.h"

static int parse_port(const char *text, const char *port, uint16_t *ret, struct tw_error *error)
{
	static const struct tw_number_rule rule = { .min = 1, .max = UINT16_MAX };
	uint64_t number;

	if (tw_number__parse(port, &rule, &number, NULL))
		return tw_error__set(error, -EINVAL, "'%s': '%s' is not a port; a port is a number from 1 to %d", text,
				     port, UINT16_MAX);
	*ret = (uint16_t)number;
	return 0;
}

/* Parses a host in brackets. Return: the text after the brackets, or NULL */
static const char *end_of_brackets(const char *text, const char **ret_host, size_t *ret_len)
{
	const char *end = strchr(text, ']');

	if (!end || (end[1] && end[1] != ':'))
		return NULL;
	*ret_host = text + 1;
	*ret_len = (size_t)(end - text - 1);
	return end + 1;
}

/* Return: the text after the host, "" or ":PORT"; NULL if the host is ambiguous */
static const char *end_of_host(const char *text, const char **ret_host, size_t *ret_len)
{
	const char *colon = strchr(text, ':');

	if (text[0] == '[')
		return end_of_brackets(text, ret_host, ret_len);
	if (colon && strchr(colon + 1, ':'))
		return NULL;
	*ret_host = text;
	*ret_len = colon ? (size_t)(colon - text) : strlen(text);
	return text + *ret_len;
}

int tw_udp_address__parse(const char *text, struct tw_udp_address *ret, struct tw_error *error)
{
	struct tw_udp_address address = { .port = TW_UDP_PORT };
	const char *host, *rest;
	size_t len;
	int err = 0;

	if (!text[0])
		return tw_error__set(error, -EINVAL,
				     "'': give a host, a port or both, as in 10.0.0.7, %u or 10.0.0.7:%u", TW_UDP_PORT,
				     TW_UDP_PORT);
	if (!text[strspn(text, "0123456789")]) {
		err = parse_port(text, text, &address.port, error);
	} else {
		rest = end_of_host(text, &host, &len);
		if (!rest)
			return tw_error__set(error, -EINVAL, "'%s': write an IPv6 address in brackets, as in [::1]:%d",
					     text, TW_UDP_PORT);
		if (len >= sizeof(address.host))
			return tw_error__set(error, -EINVAL, "'%.32s...': a host name cannot have %zu characters", text,
					     len);
		memcpy(address.host, host, len);
		if (*rest)
			err = parse_port(text, rest + 1, &address.port, error);
	}
	if (!err)
		*ret = address;
	return err;
}

void tw_udp_address__format(const struct tw_udp_address *address, char ret[static TW_UDP_TEXT_MAX])
{
	const bool brackets = strchr(address->host, ':');

	snprintf(ret, TW_UDP_TEXT_MAX, "%s%s%s:%u", brackets ? "[" : "", address->host, brackets ? "]" : "",
		 address->port);
}

int tw_udp_address__resolve(const struct tw_udp_address *address, int flags, struct addrinfo **ret,
			    struct tw_error *error)
{
	const struct addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_DGRAM,
		.ai_flags = flags | AI_NUMERICSERV,
	};
	char port[8];
	int err;

	snprintf(port, sizeof(port), "%u", address->port);
	err = getaddrinfo(address->host[0] ? address->host : NULL, port, &hints, ret);
	if (err == EAI_SYSTEM)
		return tw_error__set(error, -errno, "cannot look up host %s: %s", address->host, strerror(errno));
	if (err)
		return tw_error__set(
			error, -EHOSTUNREACH,
			"cannot look up host %s: %s; check the name with `getent ahosts %s`, or give an address",
			address->host, gai_strerror(err), address->host);
	return 0;
}
