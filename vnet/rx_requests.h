/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Receiving time synchronisation requests at the sender of a stream (transport/receiver.h). The requests are few and short. Therefore plain
 * sockets without a ring receive them. The kernel adds time stamps.
 */
#ifndef TW_RX_REQUESTS_H
#define TW_RX_REQUESTS_H

#include "base/error.h"
#include "transport/receiver.h"
#include "vnet/tx_udp.h"

/**
 * tw_rx_requests__on_link() - receive out-of-band frames that are addressed to an interface, such as requests, and no other frames
 * @ifname: the sending interface: struct tw_iface.tx_name
 *
 * Return: 0; -ENODEV if there is no such interface; -EPERM without CAP_NET_RAW; another -errno of the kernel, with @error filled.
 */
int tw_rx_requests__on_link(const char *ifname, struct tw_receiver **ret, struct tw_error *error);

/**
 * tw_rx_requests__on_udp() - receive the datagrams that the stream's destination host sends to the source port of the stream
 * @udp: must stay open until the receiver is closed
 *
 * The receiver clears the errors that the network reports for the stream's datagrams, and counts refusals.
 *
 * Return: 0; -ENOMEM; another -errno of the kernel, with @error filled.
 */
int tw_rx_requests__on_udp(struct tw_tx_udp *udp, struct tw_receiver **ret, struct tw_error *error);

#endif
