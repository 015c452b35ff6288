/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Out-of-band frames (TW_SOURCE_OUT_OF_BAND) on an interface, few and short, through a plain packet socket: an AF_XDP receiver leaves
 * them to the kernel, whose time stamps are what they are good for. Used inside vnet/ only.
 */
#ifndef TW_RX_ASIDE_H
#define TW_RX_ASIDE_H

#include <stddef.h>
#include <stdint.h>

#include "vnet/rx_link.h"

#define RX_ASIDE_ROOM 2048 /* what is behind that in a longer one nobody looks at, bytes */

/** rx_aside__open() - a socket for them, and for answers. Return: a descriptor or -errno */
int rx_aside__open(const struct rx_link *link);

/**
 * rx_aside__receive() - the next one, if there is one
 * @room: RX_ASIDE_ROOM bytes, which @ret->data points into
 * @peer: what @ret->from points to
 *
 * Return: 1 with all of @ret but dropped; 0 if there is none; what rx_link__failed() says.
 */
int rx_aside__receive(int fd, struct rx_link *link, uint8_t *room, struct tw_peer *peer, struct tw_received_frame *ret);

#endif
