/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sending frames to a host over UDP, a frame a datagram. All sinks of a run share one socket, so that a stream comes from one
 * port and has one place to be asked at. Datagrams are never fragmented; the kernel cuts them out of batches (UDP GSO,
 * udp(7)) where it can.
 *
 * UDP does not tell what arrives. What is known not to have left counts as dropped; what got lost on the way shows at the
 * receiver by its numbers.
 */
#ifndef TW_TX_UDP_H
#define TW_TX_UDP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "transport/sink.h"
#include "vnet/udp_address.h"

struct tw_tx_udp;

/**
 * tw_tx_udp__open() - find a host and a way to it
 *
 * Return: 0; -EINVAL without a host; -EHOSTUNREACH if there is none of that name; -ENETUNREACH if no way leads there; another
 * -errno of the kernel's. @error says which.
 */
int tw_tx_udp__open(const struct tw_udp_address *to, struct tw_tx_udp **ret, struct tw_error *error);

/**
 * tw_tx_udp__sink() - a sink for one thread
 * @frame_max: largest frame wanted, bytes; 0 = what is fastest
 * @ret: its frame_max is what the path to the host allows, a multiple of 4. When the path turns out to take less later, it
 *       becomes less for the frames to come, and of those that were built what is too long counts as dropped. It stays so.
 *
 * Back-pressure shows as -EAGAIN of flush, also while there is no way to the host. No answer of the network's ends a sink: that
 * nobody listens there is counted (tw_tx_udp__refused()), and sending goes on.
 *
 * Return: 0; -EINVAL if no frame fits the path's MTU; -ENOMEM.
 */
int tw_tx_udp__sink(struct tw_tx_udp *udp, size_t frame_max, struct tw_sink **ret, struct tw_error *error);

/** tw_tx_udp__fd() - the socket, connected, to be asked at: it is readable when the host has sent something */
int tw_tx_udp__fd(const struct tw_tx_udp *udp);

/** tw_tx_udp__mtu() - of the path to the host, as far as is known, bytes */
size_t tw_tx_udp__mtu(const struct tw_tx_udp *udp);

/**
 * tw_tx_udp__forget_errors() - what the network has said of datagrams before; until then poll(2) has POLLERR for the socket
 *
 * Sinks do it whenever an error comes their way; any thread may.
 */
void tw_tx_udp__forget_errors(struct tw_tx_udp *udp);

/** tw_tx_udp__refused() - how often the host has answered that nobody listens there */
uint64_t tw_tx_udp__refused(const struct tw_tx_udp *udp);

/** tw_tx_udp__close() - after all of its sinks; NULL is fine */
void tw_tx_udp__close(struct tw_tx_udp *udp);

#endif
