/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks/ptp4l.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/bytes.h"

#define PATIENCE     3     /* after more than this number of rounds without an answer, ptp4l is searched for again */
#define FIRST_MS     20    /* longest wait for the first answer of ptp4l */
#define MESSAGES_MAX 64    /* answers read at a time; each port of ptp4l may send answers */
#define SCALED       65536 /* the unit of a TimeInterval is 2^-16 ns */

/* Offsets in a management message with one TLV. */
enum {
	AT_TYPE = 0, /* the upper four bits are transportSpecific */
	AT_VERSION = 1,
	AT_LENGTH = 2,
	AT_DOMAIN = 4,
	AT_SOURCE_PORT = 28,
	AT_SEQUENCE = 30,
	AT_CONTROL = 32,
	AT_INTERVAL = 33,
	AT_TARGET = 34, /* clock and port, 10 bytes; all ones = any */
	AT_ACTION = 46,
	AT_TLV = 48,
	AT_ID = 52,
	AT_DATA = 54,
};

#define TYPE_MANAGEMENT    0x0d
#define CONTROL_MANAGEMENT 4
#define ACTION_GET         0
#define ACTION_RESPONSE    2
#define TLV_MANAGEMENT     1

enum management_id {
	CURRENT_DATA_SET = 0x2001,
	PARENT_DATA_SET = 0x2002,
	TIME_PROPERTIES_DATA_SET = 0x2003,
	TIME_STATUS_NP = 0xc000,
	PORT_PROPERTIES_NP = 0xc004,
};

/* The management ids that are requested, and the minimum length of the data in each answer, bytes. */
static const struct {
	uint16_t id, least;
} messages[] = {
	{ CURRENT_DATA_SET, 18 }, { PARENT_DATA_SET, 32 },    { TIME_PROPERTIES_DATA_SET, 4 },
	{ TIME_STATUS_NP, 50 },   { PORT_PROPERTIES_NP, 13 },
};
#define MESSAGES (sizeof(messages) / sizeof(messages[0]))
#define ALL      ((1u << MESSAGES) - 1)

/*
 * Profiles: default, 802.1AS, G.8265.1, G.8275.1, G.8275.2, SMPTE ST 2059-2, C37.238. A search sends a request for each of them, so there
 * must not be many: the socket queue of ptp4l has room for only ten messages.
 */
static const struct tw_ptp_profile profiles[] = { { 0, 0 },  { 0, 1 },   { 4, 0 },  { 24, 0 },
						  { 44, 0 }, { 127, 0 }, { 254, 0 } };
#define PROFILES (sizeof(profiles) / sizeof(profiles[0]))

/*
 * The sockets of ptp4l: that of its successor of version 4.4, and that of earlier versions. The successor makes a symbolic link with the
 * earlier name, but answers from the new one. The read-only socket, ptp4lro of linuxptp 4, refuses PORT_PROPERTIES_NP.
 */
static const char *const paths[] = { "/var/run/ptp/ptp4l", "/var/run/ptp4l" };
#define PATHS (sizeof(paths) / sizeof(paths[0]))

/*
 * Connect to a socket of ptp4l. A connection remains usable after the process has given up its privileges, but cannot be made then, because
 * only root may write to the socket.
 */
static bool connect_to_ptp4l(struct tw_ptp4l *p)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	bool done = false, is_denied = false;

	for (size_t i = 0; i < PATHS && !done; i++) {
		snprintf(to.sun_path, sizeof(to.sun_path), "%s", paths[i]);
		done = !connect(p->fd, (const struct sockaddr *)&to, sizeof(to));
		is_denied |= !done && (errno == EACCES || errno == EPERM);
	}
	p->is_denied = is_denied && !done;
	return done;
}

static bool send_question(struct tw_ptp4l *p, uint16_t id)
{
	uint8_t m[AT_DATA] = { 0 };

	m[AT_TYPE] = (uint8_t)(p->profile.transport << 4 | TYPE_MANAGEMENT);
	m[AT_VERSION] = 2;
	tw_store_be16(m + AT_LENGTH, AT_DATA);
	m[AT_DOMAIN] = p->profile.domain;
	tw_store_be16(m + AT_SOURCE_PORT, p->id);
	tw_store_be16(m + AT_SEQUENCE, p->sequence);
	m[AT_CONTROL] = CONTROL_MANAGEMENT;
	m[AT_INTERVAL] = 0x7f;
	memset(m + AT_TARGET, 0xff, 10);
	m[AT_ACTION] = ACTION_GET;
	tw_store_be16(m + AT_TLV, TLV_MANAGEMENT);
	tw_store_be16(m + AT_TLV + 2, AT_DATA - AT_ID);
	tw_store_be16(m + AT_ID, id);
	if (send(p->fd, m, sizeof(m), MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof(m))
		return true;
	if (errno != EAGAIN)
		p->connected = false; /* ptp4l has ended */
	return false;
}

/* Send a request for each profile; later requests use the profile of the first answer. Return: whether a request could be sent. */
static bool search(struct tw_ptp4l *p)
{
	bool any = false;

	for (size_t i = 0; i < PROFILES; i++) {
		p->profile = profiles[i];
		any |= send_question(p, messages[0].id);
	}
	return any;
}

/* Begin a round: send all requests, or search for ptp4l. Return: whether a request could be sent. */
static bool ask(struct tw_ptp4l *p)
{
	bool any = false;

	if (++p->asked > PATIENCE)
		p->found = false;
	p->sequence++;
	p->have = 0;
	p->next = (struct tw_ptp4l_status){ 0 };
	if (!p->connected)
		p->connected = connect_to_ptp4l(p);
	if (!p->connected)
		return false;
	if (!p->found)
		return search(p);
	for (size_t i = 0; i < MESSAGES; i++)
		any |= send_question(p, messages[i].id);
	return any;
}

/* Store the data of a port. The data of a port that follows a master are not replaced by those of another port. */
static void take_port(struct tw_ptp4l_status *s, const uint8_t *data, size_t len)
{
	const size_t name = data[12] < len - 13 ? data[12] : len - 13;

	if (s->state == TW_PTP_SLAVE || s->state == TW_PTP_UNCALIBRATED)
		return;
	s->state = data[10];
	s->time_stamps = data[11];
	snprintf(s->interface, sizeof(s->interface), "%.*s", (int)name, (const char *)data + 13);
}

static void take_data(struct tw_ptp4l_status *s, uint16_t id, const uint8_t *data, size_t len)
{
	switch (id) {
	case CURRENT_DATA_SET:
		s->offset = (int64_t)tw_load_be64(data + 2) / SCALED;
		s->path_delay = (int64_t)tw_load_be64(data + 10) / SCALED;
		break;
	case PARENT_DATA_SET:
		s->clock_class = data[19];
		s->accuracy = data[20];
		break;
	case TIME_PROPERTIES_DATA_SET:
		s->utc_offset = (int16_t)tw_load_be16(data);
		s->utc_offset_valid = data[2] & 0x04;
		s->ptp_timescale = data[2] & 0x08;
		s->time_traceable = data[2] & 0x10;
		break;
	case TIME_STATUS_NP:
		s->has_master = tw_load_be32(data + 38) != 0;
		memcpy(s->grandmaster, data + 42, sizeof(s->grandmaster));
		break;
	case PORT_PROPERTIES_NP:
		take_port(s, data, len);
		break;
	}
}

static void take(struct tw_ptp4l *p, const uint8_t *m, size_t len)
{
	size_t value;

	if (len < AT_DATA || (m[AT_TYPE] & 0x0f) != TYPE_MANAGEMENT || m[AT_ACTION] != ACTION_RESPONSE ||
	    tw_load_be16(m + AT_SEQUENCE) != p->sequence || tw_load_be16(m + AT_TLV) != TLV_MANAGEMENT)
		return;
	if (!p->found)
		p->profile = (struct tw_ptp_profile){ m[AT_DOMAIN], m[AT_TYPE] >> 4 };
	p->found = true;
	value = tw_load_be16(m + AT_TLV + 2);
	if (value < AT_DATA - AT_ID || value > len - AT_ID)
		return;
	value -= AT_DATA - AT_ID;
	for (size_t i = 0; i < MESSAGES; i++) {
		if (messages[i].id != tw_load_be16(m + AT_ID) || value < messages[i].least)
			continue;
		take_data(&p->next, messages[i].id, m + AT_DATA, value);
		p->have |= 1u << i;
	}
}

/* Whether a message is from a socket with the name of ptp4l's. Any process can send messages to @fd. */
static bool has_name(const struct sockaddr_un *from, socklen_t len)
{
	const size_t size =
		len > offsetof(struct sockaddr_un, sun_path) ? len - offsetof(struct sockaddr_un, sun_path) : 0;
	bool any = false;

	for (size_t i = 0; i < PATHS && size; i++)
		any |= !strncmp(from->sun_path, paths[i], size) ||
		       !strncmp(from->sun_path, paths[i] + strlen("/var"), size);
	return any;
}

/*
 * Whether the kernel says that root sent a message. The name alone proves nothing: in a user and a mount namespace of its own, any process
 * can create a socket with this name. Root of such a namespace is another user here.
 */
static bool is_of_root(struct msghdr *msg)
{
	struct ucred who;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_CREDENTIALS ||
		    c->cmsg_len < CMSG_LEN(sizeof(who)))
			continue;
		memcpy(&who, CMSG_DATA(c), sizeof(who));
		return who.uid == 0;
	}
	return false;
}

static void receive(struct tw_ptp4l *p)
{
	uint8_t m[512];

	for (int i = 0; i < MESSAGES_MAX; i++) {
		union {
			struct cmsghdr align;
			uint8_t bytes[CMSG_SPACE(sizeof(struct ucred))];
		} control;
		struct sockaddr_un from;
		struct iovec data = { m, sizeof(m) };
		struct msghdr msg = { .msg_name = &from,
				      .msg_namelen = sizeof(from),
				      .msg_iov = &data,
				      .msg_iovlen = 1,
				      .msg_control = &control,
				      .msg_controllen = sizeof(control) };
		/* Descriptors that a message has are closed by the kernel, because there is no room for them. */
		const ssize_t len = recvmsg(p->fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

		if (len < 0)
			return;
		if (has_name(&from, msg.msg_namelen) && is_of_root(&msg))
			take(p, m, (size_t)len);
	}
}

static void ask_anew(struct tw_ptp4l *p)
{
	if (p->have)
		p->asked = 0;
	ask(p);
}

void tw_ptp4l__open(struct tw_ptp4l *p)
{
	const struct sockaddr_un any = { .sun_family = AF_UNIX };
	const int on = 1;

	*p = (struct tw_ptp4l){ .fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0),
				.id = (uint16_t)getpid() };
	if (p->fd < 0)
		return;
	/* The kernel assigns an abstract name (unix(7)), so there is no file to remove. */
	if (setsockopt(p->fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0 ||
	    bind(p->fd, (const struct sockaddr *)&any, offsetof(struct sockaddr_un, sun_path)) < 0) {
		tw_ptp4l__close(p);
		return;
	}
	if (ask(p) && poll(&(struct pollfd){ .fd = p->fd, .events = POLLIN }, 1, FIRST_MS) > 0) {
		receive(p);
		ask_anew(p);
	}
}

bool tw_ptp4l__look(struct tw_ptp4l *p, struct tw_ptp4l_status *ret)
{
	bool all;

	if (p->fd < 0)
		return false;
	receive(p);
	all = p->have == ALL;
	if (all)
		*ret = p->next;
	ask_anew(p);
	return all;
}

bool tw_ptp4l__utc(const struct tw_ptp4l_status *s, uint32_t *ret_ns)
{
	/* Accuracies from 0x20 on; better ones count as 0x20, whose bound is 25 ns. */
	static const uint32_t ns[] = { 25,     100,     250,     1000,     2500,     10000,     25000,     100000,
				       250000, 1000000, 2500000, 10000000, 25000000, 100000000, 250000000, 1000000000 };
	const unsigned int best = 0x17, first = 0x20;
	const unsigned int i = s->accuracy > first ? s->accuracy - first : 0;

	if (!s->time_traceable || !s->ptp_timescale || !s->utc_offset_valid || s->clock_class < 6 ||
	    s->clock_class > 7 || s->accuracy < best || i >= sizeof(ns) / sizeof(ns[0]))
		return false;
	*ret_ns = ns[i];
	return true;
}

void tw_ptp4l__close(struct tw_ptp4l *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}
