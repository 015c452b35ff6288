/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs BPF programs of the type iter/tcp. */
#ifndef TW_SOCKET_ITERATOR_H
#define TW_SOCKET_ITERATOR_H

/**
 * tw_socket_iterator__run() - run a program once for each TCP socket
 * The sockets are those of all network namespaces that tw_network_namespaces__each() finds.
 * @program: descriptor of a program of the type iter/tcp
 * Return: 0; -errno if the kernel refuses to run the program
 */
int tw_socket_iterator__run(int program);

#endif
