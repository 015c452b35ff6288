/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Receiving frames from a network interface: a TPACKET_V3 ring, which sees what a capture on that interface sees
 * (before tc ingress), and sees it beside any other capture. Only frames of EtherType TW_ETHERTYPE come in; the kernel
 * filters. What the interface itself sends is not received.
 */
#ifndef TW_RX_H
#define TW_RX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define TW_RX_RING (16u << 20) /* default ring, bytes */

struct tw_rx_options {
	const char *ifname;
	size_t ring;            /* bytes, cut to whole blocks of 1 MiB, one at least; 0 = TW_RX_RING */
	unsigned int retire_ms; /* the longest that the kernel keeps a frame back to fill a block; 0 = 1 ms */
	bool control_only;      /* frames of the control channel: the kernel leaves events alone */
};

struct tw_rx_frame {
	const uint8_t *data; /* from the frame header on, link header excluded; any alignment */
	size_t len;          /* bytes captured, link padding included */
	uint64_t time;       /* when the kernel received it, ns of CLOCK_REALTIME */
};

/* Totals since the receiver was opened. */
struct tw_rx_stats {
	uint64_t frames;  /* that the kernel put into the ring */
	uint64_t dropped; /* that found the ring full */
};

struct tw_rx;

/**
 * tw_rx__open() - receive from an interface, from now on
 *
 * Return: 0; -ENODEV if there is no such interface; -EPERM without CAP_NET_RAW; -ENOMEM if the ring is too large;
 * another -errno of the kernel's. @err says which.
 */
int tw_rx__open(const struct tw_rx_options *opts, struct tw_rx **ret, struct tw_error *err);

/**
 * tw_rx__next() - the next frame
 * @timeout_ms: how long to wait for one; 0 = not at all, -1 = for ever
 * @ret: points into the ring, borrowed until the next call on @rx
 *
 * Return: 1 with a frame; 0 when the time is over or a signal came; -ENETDOWN when the interface went down (more may
 * come when it is up again); -ENODEV when it vanished.
 */
int tw_rx__next(struct tw_rx *rx, int timeout_ms, struct tw_rx_frame *ret);

/** tw_rx__stats() - totals. Return: 0 or -errno */
int tw_rx__stats(struct tw_rx *rx, struct tw_rx_stats *ret);

/** tw_rx__close() - frees the receiver; NULL is allowed */
void tw_rx__close(struct tw_rx *rx);

#endif
