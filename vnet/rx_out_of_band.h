/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plain packet socket for out-of-band frames on an interface, which are few and short: the kernel adds time stamps to them, also those of
 * the network card. A receiver that takes the frames of streams otherwise, such as by AF_XDP, leaves out-of-band frames to it. Used inside
 * vnet/ only.
 */
#ifndef TW_RX_OUT_OF_BAND_H
#define TW_RX_OUT_OF_BAND_H

#include "transport/receiver.h"
#include "vnet/rx_link.h"

#define RX_OUT_OF_BAND_MAX 2048 /* bytes that are read of a frame, with its link header */

/** rx_out_of_band__open() - open the socket. Return: 0 or -errno. In either case, close @ret_fd, unless it is -1 */
int rx_out_of_band__open(int ifindex, int *ret_fd);

/**
 * rx_out_of_band__take() - receive a frame; does not wait
 * @buffer: for the frame, RX_OUT_OF_BAND_MAX bytes; @peer: for its sender. @ret borrows both, and its member dropped is 0.
 * Return: 1 with a frame; 0 if there is none; -errno.
 */
int rx_out_of_band__take(const struct rx_link *link, int fd, uint8_t *buffer, struct tw_peer *peer,
			 struct tw_received_frame *ret);

#endif
