/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sink on a UDP socket. Frames are built in slots and leave in batches. Slots are used from the first one again as soon as
 * all is sent, which keeps them in the cache.
 */
#include "vnet/tx_udp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "vnet/tx_udp_messages.h"
#include "vnet/tx_udp_socket.h"
#include "wire/encode.h"

#define FRAME_BEST (TX_UDP_BYTES / 8 & ~3) /* eight fill a batch; with larger ones little is gained */

struct udp_sink {
	struct tw_sink sink;
	struct tw_tx_udp *udp;
	struct tw_sink_stats stats;
	bool gso;
	bool stuck; /* the last try failed for a reason that we don't know */
	uint8_t *area;
	size_t slot_bytes;               /* frame_max when the slots were laid: full frames lie end to end */
	unsigned int head, tail;         /* slots between are committed and not yet sent */
	size_t pending;                  /* bytes that they take in a batch */
	size_t lens[TX_UDP_FRAMES];      /* 0: dropped */
	struct iovec iov[TX_UDP_FRAMES]; /* the same, or with padding */
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

/* The path takes less than it did: what was built and is longer goes no more. Return: whether it takes less */
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

/* There is one: nothing but dropped frames is no message, which does not fail. */
static void drop_first(struct udp_sink *s)
{
	unsigned int i = s->tail;

	while (!s->lens[i])
		i++;
	drop(s, i);
}

/*
 * A datagram was too long. Either the network has just told a smaller MTU; or it had, and the error is that of a datagram before; or
 * the kernel cannot do what we want, and does not say so.
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

/* Nothing that the network or the kernel says is for ever. Return: 0 = try again, -EAGAIN = later */
static int handle_failure(struct udp_sink *s, int error)
{
	if (error == EINTR)
		return 0;
	if (error == EAGAIN)
		return -EAGAIN;
	tw_tx_udp__forget_errors(s->udp);
	switch (error) {
	case ECONNREFUSED: /* of datagrams before: this one has not been tried yet */
		return 0;
	case EIO: /* the interface computes no checksums, and the kernel is older than 6.11 */
		if (!s->gso)
			return -EAGAIN;
		s->gso = false;
		return 0;
	case EMSGSIZE:
	case EINVAL: /* the same of a batch, before 6.13 */
		shorten(s);
		return 0;
	case ENETUNREACH: /* or our address has gone */
	case EDESTADDRREQ:
		return tx_udp__connect_again(s->udp);
	default:
		return -EAGAIN;
	}
}

/* While none is in use. */
static void lay_slots(struct udp_sink *s)
{
	s->slot_bytes = s->sink.frame_max;
	for (unsigned int i = 0; i < TX_UDP_FRAMES; i++)
		s->iov[i].iov_base = s->area + i * s->slot_bytes;
}

/* All up to a slot has left. */
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

static int send_all(struct udp_sink *s)
{
	int code = 0;

	while (!code && s->tail < s->head)
		code = send_messages(s);
	if (s->tail == s->head) {
		s->head = s->tail = 0;
		s->pending = 0;
		if (s->slot_bytes != s->sink.frame_max)
			lay_slots(s);
	}
	return code;
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
	if (len > sink->frame_max) /* it was begun when there was more room */
		drop(s, s->head);
	s->pending += tx_udp_messages__takes(s->lens[s->head++], sink->frame_max);
	if (s->head == TX_UDP_FRAMES || s->pending + sink->frame_max > TX_UDP_BYTES)
		send_all(s); /* what it leaves behind is for the next batch or flush */
}

static int udp_flush(struct tw_sink *sink)
{
	return send_all(of(sink));
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

int tw_tx_udp__sink(struct tw_tx_udp *udp, size_t frame_max, struct tw_sink **ret, struct tw_error *err)
{
	const size_t payload = tx_udp__payload(udp), wanted = frame_max ? frame_max : FRAME_BEST;
	struct udp_sink *s;

	if (payload < TW_SINK_FRAME_MIN)
		return tw_error__set(
			err, -EINVAL,
			"cannot send to %s: datagrams of %zu bytes, which is what the way there takes, are "
			"below the %d bytes a frame takes",
			udp->to, payload, TW_SINK_FRAME_MIN);
	s = calloc(1, sizeof(*s));
	if (!s)
		goto fail;
	s->udp = udp;
	s->gso = udp->gso;
	s->sink = (struct tw_sink){ .ops = &udp_ops,
				    .frame_max = frame_max_of(wanted, payload),
				    .overhead = tx_udp__overhead(udp),
				    .how = s->how };
	snprintf(s->how, sizeof(s->how), "UDP%s", s->gso ? " GSO" : " sendmmsg");
	s->area = malloc(TX_UDP_FRAMES * s->sink.frame_max + TW_COPY_STEP);
	if (!s->area)
		goto fail;
	lay_slots(s);
	*ret = &s->sink;
	return 0;
fail:
	free(s);
	return tw_error__set(err, -ENOMEM, "cannot send to %s: no memory", udp->to);
}
