/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sending frames to a host over UDP, one frame per datagram. All sinks of a run share one socket, so that a stream has one source port,
 * which also receives requests. Datagrams are never fragmented. If it can, the kernel makes the datagrams from a batch (UDP GSO, udp(7)).
 *
 * UDP does not report which datagrams arrive. Frames that are known not to have been sent count as dropped. The receiver finds the frames
 * that were lost on the way by the gaps in their numbers.
 */
#ifndef TW_TX_UDP_H
#define TW_TX_UDP_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "transport/sink.h"
#include "vnet/tx_stamps.h"
#include "vnet/udp_address.h"

struct tw_tx_udp;

/**
 * tw_tx_udp__open() - look up a host, and connect a socket to it
 *
 * Return: 0; -EINVAL without a host; -EHOSTUNREACH if there is no host of that name; -ENETUNREACH if there is no route; another -errno of
 * the kernel, with @error filled.
 */
int tw_tx_udp__open(const struct tw_udp_address *to, struct tw_tx_udp **ret, struct tw_error *error);

/**
 * tw_tx_udp__sink() - a sink for one thread
 * @frame_max: largest frame, bytes; 0 = the fastest size
 * @ret: its frame_max fits the path MTU and is a multiple of 4. If the path MTU becomes smaller, frame_max is reduced too, permanently.
 * Frames that are already built and are too long then count as dropped.
 *
 * flush returns -EAGAIN for back-pressure, and while there is no route to the host. No error that the network reports ends a sink. If the
 * host reports that no program receives there, the report is counted (tw_tx_udp__refused()), and sending continues.
 *
 * Return: 0; -EINVAL if no frame fits the path MTU; -ENOMEM.
 */
int tw_tx_udp__sink(struct tw_tx_udp *udp, size_t frame_max, struct tw_sink **ret, struct tw_error *error);

/** tw_tx_udp__fd() - the connected socket. It also receives requests: it is readable when the host has sent a datagram */
int tw_tx_udp__fd(const struct tw_tx_udp *udp);

/** tw_tx_udp__mtu() - the path MTU to the host, bytes; 0 = unknown, for example without a route */
size_t tw_tx_udp__mtu(const struct tw_tx_udp *udp);

/** tw_tx_udp__interface() - get the interface that has the local address of the socket. Return: false if it is not known */
bool tw_tx_udp__interface(const struct tw_tx_udp *udp, char ret[IF_NAMESIZE]);

/**
 * tw_tx_udp__forget_errors() - clear the errors that the network reported for earlier datagrams, and count refusals
 *
 * Until the errors are cleared, poll(2) returns POLLERR for the socket. Sinks call this function after each error. Any thread may call it.
 * While a thread uses tw_tx_udp__read_errors(), this function leaves the reports to it.
 */
void tw_tx_udp__forget_errors(struct tw_tx_udp *udp);

/**
 * tw_tx_udp__report_to() - let one thread read the socket's error queue with tw_tx_udp__read_errors(), because it needs transmit stamps
 * @on: false = this thread has ended
 */
void tw_tx_udp__report_to(struct tw_tx_udp *udp, bool on);

/** tw_tx_udp__report_interfaces() - let the messages of the error queue have the interface that sent a datagram, for stamps of cards */
void tw_tx_udp__report_interfaces(struct tw_tx_udp *udp);

/** tw_tx_udp__read_errors() - read the error queue: clear errors and count refusals, as tw_tx_udp__forget_errors(), and note the stamps */
void tw_tx_udp__read_errors(struct tw_tx_udp *udp, struct tx_stamps *stamps);

/** tw_tx_udp__refused() - number of times that the host reported that no program receives there */
uint64_t tw_tx_udp__refused(const struct tw_tx_udp *udp);

/** tw_tx_udp__close() - close the socket and free @udp, after all its sinks were closed; NULL is fine */
void tw_tx_udp__close(struct tw_tx_udp *udp);

#endif
