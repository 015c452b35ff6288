/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets and reads options of sockets, and binds packet sockets. All functions but tw_socket__poll() return 0 or -errno. Used inside vnet/
 * only.
 */
#ifndef TW_SOCKET_H
#define TW_SOCKET_H

#include <linux/filter.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>

/** tw_socket__set() - set an option that is an int */
int tw_socket__set(int fd, int level, int name, int value);

/** tw_socket__set_filter() - attach @n instructions of classic BPF */
int tw_socket__set_filter(int fd, struct sock_filter *code, size_t n);

/** tw_socket__reject_all() - receive nothing from now on; packets that were already received stay in the buffer */
int tw_socket__reject_all(int fd);

/** tw_socket__set_send_buffer() - set the size of the send buffer; without CAP_NET_ADMIN, net.core.wmem_max limits it */
int tw_socket__set_send_buffer(int fd, size_t bytes);

/** tw_socket__drops() - the kernel's counter of dropped packets */
int tw_socket__drops(int fd, uint32_t *ret);

/**
 * tw_socket__poll() - call poll()
 * @timeout_ms: as for poll(); reduced by the time waited, if a socket is ready
 *
 * Return: the number of ready sockets; 0 after the timeout or a signal; -errno.
 */
int tw_socket__poll(struct pollfd *fds, nfds_t n, int *timeout_ms);

/** tw_socket__bind_packet() - bind a packet socket; @protocol: EtherType, 0 for a socket that only sends */
int tw_socket__bind_packet(int fd, uint16_t protocol, int ifindex);

#endif
