/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Receive time stamps: the kernel stamps received packets only while a socket requests it. */
#ifndef TW_RECEIVE_STAMPS_H
#define TW_RECEIVE_STAMPS_H

/**
 * tw_receive_stamps__begin() - make the kernel stamp all received packets, in all network namespaces, until a socket is closed
 * Waits 20 ms, until the kernel does so.
 * Return: descriptor of the socket, to be closed by the caller; -errno
 */
int tw_receive_stamps__begin(void);

#endif
