/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Receiving what comes back to where a stream is sent from (wire/rx.h): questions for its clock, few and short. A plain socket without
 * a ring; the kernel lets nothing through but frames beside a stream that are for us. Its time stamps are the kernel's.
 */
#ifndef TW_RX_QUESTIONS_H
#define TW_RX_QUESTIONS_H

#include "base/error.h"
#include "wire/rx.h"

/**
 * tw_rx_questions__on_link() - those that come to an interface, addressed to it
 * @ifname: the one that is sent on: struct tw_iface.tx_name
 *
 * Return: 0; -ENODEV if there is no such interface; -EPERM without CAP_NET_RAW; another -errno of the kernel's. @err says which.
 */
int tw_rx_questions__on_link(const char *ifname, struct tw_rx **ret, struct tw_error *err);

#endif
