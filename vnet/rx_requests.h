/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Receiving what comes back to where a stream is sent from (transport/receiver.h): questions for its clock, few and short. Plain sockets without
 * a ring, and time stamps of the kernel's.
 */
#ifndef TW_RX_REQUESTS_H
#define TW_RX_REQUESTS_H

#include "base/error.h"
#include "transport/receiver.h"
#include "vnet/tx_udp.h"

/**
 * tw_rx_requests__on_link() - those that come to an interface, addressed to it; nothing else comes through
 * @ifname: the one that is sent on: struct tw_iface.tx_name
 *
 * Return: 0; -ENODEV if there is no such interface; -EPERM without CAP_NET_RAW; another -errno of the kernel's. @error says which.
 */
int tw_rx_requests__on_link(const char *ifname, struct tw_receiver **ret, struct tw_error *error);

/**
 * tw_rx_requests__on_udp() - whatever the host sends back to the port that the stream comes from
 * @udp: has to stay open as long; that datagrams of the stream were refused is counted there
 *
 * Return: 0; -ENOMEM; another -errno of the kernel's. @error says which.
 */
int tw_rx_requests__on_udp(struct tw_tx_udp *udp, struct tw_receiver **ret, struct tw_error *error);

#endif
