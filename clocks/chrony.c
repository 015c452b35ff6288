/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/chrony.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/time.h"

#define PORT        323 /* DEFAULT_CANDM_PORT */
#define VERSION     6
#define REQUEST     1
#define REPLY       2
#define TRACKING    33 /* REQ_TRACKING */
#define IS_TRACKING 5  /* RPY_TRACKING */
#define FIRST_MS    20 /* longest wait for the first answer */
#define REFUSED     10 /* looks between two requests while nothing listens */

#define UNSYNCHRONISED 3           /* leap_status */
#define LOCAL          0x7f7f0101u /* ref_id of chronyd's own clock, 127.127.1.1 */
#define FAMILY_NONE    0           /* IPADDR_UNSPEC: the source is a reference clock */

/* Offsets in a request and in an answer. */
enum {
	AT_VERSION = 0,
	AT_TYPE = 1,
	AT_COMMAND = 4,
	AT_REQUEST_SEQUENCE = 8,
	AT_REPLY = 6,
	AT_STATUS = 8,
	AT_SEQUENCE = 16,
	AT_REF_ID = 28,
	AT_FAMILY = 48,
	AT_STRATUM = 52,
	AT_LEAP = 54,
	AT_OFFSET = 68,
	AT_ROOT_DELAY = 92,
	AT_ROOT_DISPERSION = 96,
	LENGTH = 104, /* of an answer, and of a request: chronyd does not answer with more bytes than it received */
};

/* Return: the absolute value of a number of s in chrony's format: 7 bits of exponent, 25 bits of coefficient, both signed. Unit: ns */
static double ns_at(const uint8_t *data)
{
	const uint32_t bits = tw_load_be32(data);
	const int32_t coefficient = (int32_t)(bits << 7) >> 7;
	int32_t exponent = (int32_t)bits >> 25;
	double ret = coefficient < 0 ? -(double)coefficient : (double)coefficient;

	ret *= (double)TW_NS_PER_SECOND;
	for (exponent -= 25; exponent > 0; exponent--)
		ret *= 2;
	for (; exponent < 0; exponent++)
		ret /= 2;
	return ret;
}

/* Writes the name of a reference clock, which is its ref_id. A name with other characters than letters, digits and spaces is omitted. */
static void name_refclock(const uint8_t *id, char ret[5])
{
	size_t n = 0;

	while (n < 4 && isalnum(id[n]))
		n++;
	memcpy(ret, id, n);
	ret[n] = '\0';
}

bool tw_chrony__parse(const uint8_t *data, uint64_t len, uint32_t sequence, struct tw_chrony_status *ret)
{
	double error;

	if (len < LENGTH || data[AT_VERSION] != VERSION || data[AT_TYPE] != REPLY ||
	    tw_load_be16(data + AT_COMMAND) != TRACKING || tw_load_be16(data + AT_REPLY) != IS_TRACKING ||
	    tw_load_be16(data + AT_STATUS) || tw_load_be32(data + AT_SEQUENCE) != sequence)
		return false;
	error = ns_at(data + AT_OFFSET) + ns_at(data + AT_ROOT_DELAY) / 2 + ns_at(data + AT_ROOT_DISPERSION);
	*ret = (struct tw_chrony_status){
		.synchronised = tw_load_be16(data + AT_LEAP) != UNSYNCHRONISED,
		.is_local = tw_load_be32(data + AT_REF_ID) == LOCAL,
		.stratum = tw_load_be16(data + AT_STRATUM),
		.error_ns = error < 1e18 ? (uint64_t)error + 1 : UINT64_MAX,
	};
	if (tw_load_be16(data + AT_FAMILY) == FAMILY_NONE)
		name_refclock(data + AT_REF_ID, ret->refclock);
	return true;
}

static void ask(struct tw_chrony *c)
{
	uint8_t m[LENGTH] = { [AT_VERSION] = VERSION, [AT_TYPE] = REQUEST };

	if (c->refused) {
		c->refused--;
		return;
	}
	c->sequence++;
	tw_store_be16(m + AT_COMMAND, TRACKING);
	tw_store_be32(m + AT_REQUEST_SEQUENCE, c->sequence);
	if (send(c->fd, m, sizeof(m), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		c->refused = REFUSED;
}

void tw_chrony__open(struct tw_chrony *c)
{
	const struct sockaddr_in to = { .sin_family = AF_INET,
					.sin_port = htons(PORT),
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	*c = (struct tw_chrony){ .fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) };
	if (c->fd < 0)
		return;
	/* The socket accepts datagrams of this peer only. */
	if (connect(c->fd, (const struct sockaddr *)&to, sizeof(to)) < 0 ||
	    getrandom(&c->sequence, sizeof(c->sequence), 0) != sizeof(c->sequence)) {
		tw_chrony__close(c);
		return;
	}
	ask(c);
	if (!c->refused)
		poll(&(struct pollfd){ .fd = c->fd, .events = POLLIN }, 1, FIRST_MS);
}

bool tw_chrony__look(struct tw_chrony *c, struct tw_chrony_status *ret)
{
	uint8_t m[LENGTH];
	bool any = false;
	ssize_t len;

	if (c->fd < 0)
		return false;
	for (int i = 0; i < 8 && !any; i++) {
		len = recv(c->fd, m, sizeof(m), MSG_DONTWAIT);
		if (len < 0 && errno == ECONNREFUSED)
			c->refused = REFUSED;
		if (len < 0)
			break;
		any = tw_chrony__parse(m, (uint64_t)len, c->sequence, ret);
	}
	ask(c);
	return any;
}

void tw_chrony__close(struct tw_chrony *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}
