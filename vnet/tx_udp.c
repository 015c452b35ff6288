/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/tx_udp.h"

#include <errno.h>
#include <ifaddrs.h>
#include <linux/errqueue.h>
#include <linux/if_ether.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "vnet/socket.h"
#include "vnet/tx_udp_messages.h"
#include "wire/encode.h"

/* Size of the send buffer, bytes, including the kernel's overhead. Several batches fit, so that one is ready when the link is free. */
#define SEND_BUFFER (4 << 20)
#define ERRORS_ROOM 512 /* size of the kernel's report about one error, bytes */

/* The socket that the sinks of a run share. */
struct tw_tx_udp {
	int fd;
	int family;
	in_port_t port; /* source port of the stream, in network byte order */
	bool gso;
	_Atomic uint64_t refused;
	atomic_bool has_reader; /* a thread reads the error queue, for transmit stamps */
	char to[TW_UDP_TEXT_MAX];
	struct sockaddr_storage address;
	socklen_t address_len;
};

/*
 * Disables fragmentation and enables error reports. Without error reports, the kernel does not report datagrams that are dropped at a full
 * queue of the interface. The options of IPv4 are set for an IPv6 socket too: they apply if it sends to an IPv4 address. Return: 0 or
 * -errno
 */
static int set_options(const struct tw_tx_udp *udp)
{
	int err = tw_socket__set(udp->fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO);

	if (!err)
		err = tw_socket__set(udp->fd, IPPROTO_IP, IP_RECVERR, 1);
	if (!err && udp->family == AF_INET6)
		err = tw_socket__set(udp->fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_DO);
	if (!err && udp->family == AF_INET6)
		err = tw_socket__set(udp->fd, IPPROTO_IPV6, IPV6_RECVERR, 1);
	tw_socket__set_send_buffer(udp->fd, SEND_BUFFER);
	return err;
}

/* Whether the kernel supports GSO. The size set here does not matter, because the segment size is set again for each batch. */
static bool has_gso(int fd)
{
	return tw_socket__set(fd, IPPROTO_UDP, UDP_SEGMENT, 0) == 0;
}

/* Stores the local port. Family and port have the same offsets in IPv4 and IPv6 socket addresses. */
static void note_port(struct tw_tx_udp *udp)
{
	struct sockaddr_in6 here;
	socklen_t len = sizeof(here);

	if (getsockname(udp->fd, (struct sockaddr *)&here, &len) == 0)
		udp->port = here.sin6_port;
}

/* Connects to the first address with a route. Return: 0 or -errno */
static int connect_to(const struct addrinfo *addresses, struct tw_tx_udp *udp)
{
	int err = -ENETUNREACH;

	for (const struct addrinfo *a = addresses; a; a = a->ai_next) {
		udp->fd = socket(a->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_UDP);
		udp->family = a->ai_family;
		udp->address_len = a->ai_addrlen;
		memcpy(&udp->address, a->ai_addr, a->ai_addrlen);
		if (udp->fd >= 0 && connect(udp->fd, a->ai_addr, a->ai_addrlen) == 0) {
			note_port(udp);
			return 0;
		}
		err = -errno;
		if (udp->fd >= 0)
			close(udp->fd);
	}
	udp->fd = -1;
	return err;
}

/* Fills @error. A host name can have several addresses: the message names the address that was tried last. */
static int unreachable(const struct tw_udp_address *to, const struct tw_tx_udp *udp, int err, struct tw_error *error)
{
	const struct sockaddr *address = (const struct sockaddr *)&udp->address;
	char tried[INET6_ADDRSTRLEN + IF_NAMESIZE];

	if (err == -EINVAL && udp->family == AF_INET6)
		return tw_error__set(
			error, err,
			"cannot send to %s: add the interface that leads to this address, as in [fe80::1%%eth0]",
			to->host);
	if (getnameinfo(address, udp->address_len, tried, sizeof(tried), NULL, 0, NI_NUMERICHOST))
		return tw_error__set(error, err, "cannot send to %s: %s", to->host, strerror(-err));
	return tw_error__set(error, err, "cannot send to %s: %s; `ip route get %s` shows the route", to->host,
			     strerror(-err), tried);
}

int tw_tx_udp__open(const struct tw_udp_address *to, struct tw_tx_udp **ret, struct tw_error *error)
{
	struct addrinfo *addresses;
	struct tw_tx_udp *udp;
	int err;

	if (!to->host[0])
		return tw_error__set(error, -EINVAL,
				     "no host is given to send to: write it before the port, as in HOST:PORT");
	err = tw_udp_address__resolve(to, 0, &addresses, error);
	if (err)
		return err;
	udp = calloc(1, sizeof(*udp));
	err = udp ? connect_to(addresses, udp)
		  : tw_error__set(error, -ENOMEM, "cannot send to %s: no memory", to->host);
	freeaddrinfo(addresses);
	if (udp && err)
		unreachable(to, udp, err, error);
	if (err) {
		free(udp);
		return err;
	}
	tw_udp_address__format(to, udp->to);
	err = set_options(udp);
	if (err) {
		tw_tx_udp__close(udp);
		return tw_error__set(error, err, "cannot send to %s: the socket cannot be set up: %s", to->host,
				     strerror(-err));
	}
	udp->gso = has_gso(udp->fd);
	*ret = udp;
	return 0;
}

/*
 * Called after a route was lost. Chooses the local address again, because a connected socket keeps its local address even after this was
 * removed from the machine. The local port stays.
 * Return: 0, or -EAGAIN if there is still no route
 */
static int tx_udp__connect_again(struct tw_tx_udp *udp)
{
	const struct sockaddr_in6 here = { .sin6_family = (sa_family_t)udp->family, .sin6_port = udp->port };
	const struct sockaddr *address = (const struct sockaddr *)&udp->address;
	const struct sockaddr nobody = { .sa_family = AF_UNSPEC };

	if (connect(udp->fd, address, udp->address_len) == 0)
		return 0;
	connect(udp->fd, &nobody, sizeof(nobody));
	bind(udp->fd, (const struct sockaddr *)&here, udp->address_len);
	return connect(udp->fd, address, udp->address_len) < 0 ? -EAGAIN : 0;
}

int tw_tx_udp__fd(const struct tw_tx_udp *udp)
{
	return udp->fd;
}

/* Whether two socket addresses have the same IP address */
static bool is_same_ip(const struct sockaddr *a, const struct sockaddr *b)
{
	const struct sockaddr_in *a4 = (const void *)a, *b4 = (const void *)b;
	const struct sockaddr_in6 *a6 = (const void *)a, *b6 = (const void *)b;

	if (a->sa_family != b->sa_family)
		return false;
	if (a->sa_family == AF_INET)
		return a4->sin_addr.s_addr == b4->sin_addr.s_addr;
	return a->sa_family == AF_INET6 && !memcmp(&a6->sin6_addr, &b6->sin6_addr, sizeof(a6->sin6_addr));
}

bool tw_tx_udp__interface(const struct tw_tx_udp *udp, char ret[IF_NAMESIZE])
{
	struct sockaddr_storage here;
	socklen_t len = sizeof(here);
	struct ifaddrs *all, *a;

	if (getsockname(udp->fd, (struct sockaddr *)&here, &len) < 0 || getifaddrs(&all) < 0)
		return false;
	for (a = all; a; a = a->ifa_next)
		if (a->ifa_addr && is_same_ip(a->ifa_addr, (struct sockaddr *)&here))
			break;
	if (a)
		snprintf(ret, IF_NAMESIZE, "%s", a->ifa_name);
	freeifaddrs(all);
	return a != NULL;
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

/* Return: the size of the largest datagram that leaves in one piece, as far as is known, bytes without headers; 0 = no route */
static size_t tx_udp__payload(const struct tw_tx_udp *udp)
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

/* @stamps: gets the transmit stamps; NULL = there are none */
static void read_errors(struct tw_tx_udp *udp, struct tx_stamps *stamps)
{
	_Alignas(struct cmsghdr) char control[ERRORS_ROOM];
	struct msghdr msg = { .msg_control = control, .msg_controllen = sizeof(control) };

	while (recvmsg(udp->fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0) {
		if (!(stamps && tx_stamps__note(stamps, &msg)) && is_refusal(&msg))
			udp->refused++;
		msg.msg_controllen = sizeof(control);
	}
}

void tw_tx_udp__report_to(struct tw_tx_udp *udp, bool on)
{
	atomic_store(&udp->has_reader, on);
}

/* Without it, stamps of cards cannot be used. */
void tw_tx_udp__report_interfaces(struct tw_tx_udp *udp)
{
	if (udp->family == AF_INET6)
		tw_socket__set(udp->fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
	else
		tw_socket__set(udp->fd, IPPROTO_IP, IP_PKTINFO, 1);
}

void tw_tx_udp__read_errors(struct tw_tx_udp *udp, struct tx_stamps *stamps)
{
	read_errors(udp, stamps);
}

void tw_tx_udp__forget_errors(struct tw_tx_udp *udp)
{
	socklen_t len = sizeof(int);
	int err;

	if (atomic_load(&udp->has_reader))
		getsockopt(udp->fd, SOL_SOCKET, SO_ERROR, &err, &len);
	else
		read_errors(udp, NULL);
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

/*
 * The sink. Frames are built in slots and sent in batches. When all frames are sent, the next frame uses the first slot again, so that the
 * slots stay in the cache.
 */
#define FRAME_BEST (TX_UDP_BYTES / 8 & ~3) /* eight of these frames fill a batch; larger frames gain little */

struct udp_sink {
	struct tw_sink sink;
	struct tw_tx_udp *udp;
	struct tw_sink_stats stats;
	bool gso;
	bool stuck; /* the last attempt failed for an unknown reason */
	uint8_t *area;
	size_t slot_bytes;               /* frame_max when the slots were placed: full frames are contiguous */
	unsigned int head, tail;         /* slots from tail to head are committed and not sent */
	size_t pending;                  /* bytes that the frames in these slots take in a batch */
	size_t lens[TX_UDP_FRAMES];      /* lengths of the frames in the slots; 0 = dropped */
	struct iovec iov[TX_UDP_FRAMES]; /* frames to send; lengths as in lens, or with padding */
	struct tx_udp_messages messages;
	char how[64];
};

static struct udp_sink *of(struct tw_sink *sink)
{
	return (struct udp_sink *)sink;
}

static void drop(struct udp_sink *s, unsigned int slot)
{
	s->lens[slot] = 0;
	tw_sink_stats__drop(&s->stats, s->area + slot * s->slot_bytes);
}

static size_t frame_max_of(size_t wanted, size_t payload)
{
	const size_t max = wanted < payload ? wanted : payload;

	return (max > TW_SINK_FRAME_MIN ? max : TW_SINK_FRAME_MIN) & ~(size_t)3;
}

/*
 * Reduces frame_max to fit the path MTU, and drops frames that were already built and are longer. Return: whether frame_max became smaller
 */
static bool shrink(struct udp_sink *s)
{
	const size_t payload = tx_udp__payload(s->udp), max = frame_max_of(s->sink.frame_max, payload);

	if (!payload || max == s->sink.frame_max)
		return false;
	s->sink.frame_max = max;
	for (unsigned int i = s->tail; i < s->head; i++)
		if (s->lens[i] > max)
			drop(s, i);
	return true;
}

/* Drops the first frame that is not dropped yet. There is such a frame, because sending failed, and dropped frames are not sent. */
static void drop_first(struct udp_sink *s)
{
	unsigned int i = s->tail;

	while (!s->lens[i])
		i++;
	drop(s, i);
}

/*
 * Handles the error that a datagram was too long. There are three possible reasons: the network has just reported a smaller MTU; the error
 * is that of an earlier datagram; or the kernel cannot use GSO here, but has not reported this.
 */
static void shorten(struct udp_sink *s)
{
	if (!shrink(s)) {
		if (!s->stuck) {
			s->stuck = true;
			return;
		}
		if (s->gso)
			s->gso = false;
		else
			drop_first(s);
	}
	s->stuck = false;
}

/* No error of the network or the kernel is treated as permanent. Return: 0 = try again now, -EAGAIN = later */
static int handle_failure(struct udp_sink *s, int err)
{
	if (err == EINTR)
		return 0;
	if (err == EAGAIN)
		return -EAGAIN;
	tw_tx_udp__forget_errors(s->udp);
	switch (err) {
	case ECONNREFUSED: /* an error of earlier datagrams: this time, nothing was sent */
		return 0;
	case EIO: /* GSO refused: the interface computes no checksums, and the kernel is older than 6.11 */
		if (!s->gso)
			return -EAGAIN;
		s->gso = false;
		return 0;
	case EMSGSIZE:
	case EINVAL: /* instead of EMSGSIZE, for a batch, in kernels before 6.13 */
		shorten(s);
		return 0;
	case ENETUNREACH: /* there is no route, or the local address was removed */
	case EDESTADDRREQ:
		return tx_udp__connect_again(s->udp);
	default:
		return -EAGAIN;
	}
}

/* Places the slots at distances of frame_max. Called while no slot is in use. */
static void place_slots(struct udp_sink *s)
{
	s->slot_bytes = s->sink.frame_max;
	for (unsigned int i = 0; i < TX_UDP_FRAMES; i++)
		s->iov[i].iov_base = s->area + i * s->slot_bytes;
}

/* Frees the slots before @end, whose frames were sent, and counts their padding. */
static void advance(struct udp_sink *s, unsigned int end)
{
	for (; s->tail < end; s->tail++)
		s->sink.padding += s->iov[s->tail].iov_len - s->lens[s->tail];
}

static int send_messages(struct udp_sink *s)
{
	struct tx_udp_messages *m = &s->messages;
	int sent = 0;

	for (unsigned int i = s->tail; i < s->head; i++)
		s->iov[i].iov_len = s->lens[i];
	tx_udp_messages__write(m, s->iov + s->tail, s->head - s->tail, s->sink.frame_max, s->gso);
	if (m->n)
		sent = sendmmsg(s->udp->fd, m->headers, m->n, MSG_DONTWAIT);
	if (sent < 0)
		return handle_failure(s, errno);
	s->stuck = false;
	advance(s, (unsigned int)sent == m->n ? s->head : s->tail + tx_udp_messages__frames(m, (unsigned int)sent));
	return 0;
}

static int udp_flush(struct tw_sink *sink)
{
	struct udp_sink *s = of(sink);
	int err = 0;

	while (!err && s->tail < s->head)
		err = send_messages(s);
	if (s->tail == s->head) {
		s->head = s->tail = 0;
		s->pending = 0;
		if (s->slot_bytes != s->sink.frame_max)
			place_slots(s);
	}
	return err;
}

static void *udp_reserve(struct tw_sink *sink)
{
	struct udp_sink *s = of(sink);

	if (s->head == TX_UDP_FRAMES) {
		s->stats.waits++;
		return NULL;
	}
	return s->area + s->head * s->slot_bytes;
}

static void udp_commit(struct tw_sink *sink, size_t len)
{
	struct udp_sink *s = of(sink);

	s->stats.frames++;
	s->stats.bytes += len;
	s->lens[s->head] = len;
	if (len > sink->frame_max) /* the frame was begun before frame_max was reduced */
		drop(s, s->head);
	s->pending += tx_udp_messages__takes(s->lens[s->head++], sink->frame_max);
	if (s->head == TX_UDP_FRAMES || s->pending + sink->frame_max > TX_UDP_BYTES)
		udp_flush(sink); /* the next batch or flush sends the rest */
}

static void udp_stats(struct tw_sink *sink, struct tw_sink_stats *ret)
{
	*ret = of(sink)->stats;
}

static void udp_give_up(struct tw_sink *sink)
{
	struct udp_sink *s = of(sink);

	for (; s->tail < s->head; s->tail++)
		if (s->lens[s->tail])
			drop(s, s->tail);
}

static void udp_close(struct tw_sink *sink)
{
	struct udp_sink *s = of(sink);

	free(s->area);
	free(s);
}

static const struct tw_sink_ops udp_ops = {
	.reserve = udp_reserve,
	.commit = udp_commit,
	.flush = udp_flush,
	.stats = udp_stats,
	.give_up = udp_give_up,
	.close = udp_close,
};

int tw_tx_udp__sink(struct tw_tx_udp *udp, size_t frame_max, struct tw_sink **ret, struct tw_error *error)
{
	const size_t payload = tx_udp__payload(udp), wanted = frame_max ? frame_max : FRAME_BEST;
	struct udp_sink *s;

	if (payload < TW_SINK_FRAME_MIN)
		return tw_error__set(
			error, -EINVAL,
			"cannot send to %s: the path MTU leaves %zu bytes for a frame, below the minimum frame size of %d bytes",
			udp->to, payload, TW_SINK_FRAME_MIN);
	s = calloc(1, sizeof(*s));
	if (!s)
		goto fail;
	s->udp = udp;
	s->gso = udp->gso;
	s->sink = (struct tw_sink){ .ops = &udp_ops,
				    .frame_max = frame_max_of(wanted, payload),
				    .overhead = ETH_HLEN + headers(udp),
				    .how = s->how };
	snprintf(s->how, sizeof(s->how), "UDP%s", s->gso ? " GSO" : " sendmmsg");
	s->area = malloc(TX_UDP_FRAMES * s->sink.frame_max + TW_COPY_STEP);
	if (!s->area)
		goto fail;
	place_slots(s);
	*ret = &s->sink;
	return 0;
fail:
	free(s);
	return tw_error__set(error, -ENOMEM, "cannot send to %s: no memory", udp->to);
}
