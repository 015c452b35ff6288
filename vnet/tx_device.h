/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The drop counter of a wire's sending end, shared by all sinks of this process on it, so that they together tell each
 * drop once. Most drops a socket is told of; what a veth drops behind its queue, and what old kernels drop in silence,
 * only the interface's tx_dropped shows: the first sink that looks takes that upon itself. Used inside vnet/ only.
 */
#ifndef TW_TX_DEVICE_H
#define TW_TX_DEVICE_H

#include <net/if.h>
#include <stdint.h>

struct tx_device;

/**
 * tx_device__take() - the interface's books, made at the first call
 * @dropped: its tx_dropped now
 *
 * Return: to be given back with tx_device__release(), or NULL without memory.
 */
struct tx_device *tx_device__take(const char *name, int ifindex, uint64_t dropped);

/**
 * tx_device__explain() - one of tx_dropped needs no claiming: a socket was told, or the frame is sent again
 * @device: NULL is fine
 */
void tx_device__explain(struct tx_device *device);

/**
 * tx_device__claim() - ask the kernel, and take what nobody can explain
 * @claimed: what this sink has taken up to now
 *
 * Return: what it has taken in all; less than before if a drop was explained only later. NULL @device: none.
 */
uint64_t tx_device__claim(struct tx_device *device, uint64_t claimed);

/** tx_device__release() - give back; NULL is fine */
void tx_device__release(struct tx_device *device);

#endif
