/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs BPF programs of the type iter/tcp. */
#ifndef TW_SOCKET_ITERATOR_H
#define TW_SOCKET_ITERATOR_H

#include <stdbool.h>
#include <stddef.h>

/**
 * tw_socket_iterator__run() - run a program once for each TCP socket
 * The sockets are those of all network namespaces that tw_network_namespaces__each() finds.
 * @program: descriptor of a program of the type iter/tcp
 * @goes_on: called in each namespace, by another thread, with the number of namespaces so far; false leaves out the sockets of this one.
 * NULL = none is left out
 * Return: 0; -EINTR if sockets were left out; another -errno if the kernel refuses to run the program
 */
int tw_socket_iterator__run(int program, bool (*goes_on)(void *ctx, size_t visited), void *ctx);

#endif
