/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs BPF programs of the type iter/tcp. */
#ifndef TW_SOCKET_ITERATOR_H
#define TW_SOCKET_ITERATOR_H

/**
 * tw_socket_iterator__run() - run a program once for each TCP socket
 * The sockets are those of this thread's network namespace, and of each namespace that a process is in or that ip-netns(8) has named.
 * A namespace that only an open file keeps is not found. Namespaces that this process may not enter are left out.
 * @program: descriptor of a program of the type iter/tcp
 * Return: 0; -errno if the kernel refuses to run the program
 */
int tw_socket_iterator__run(int program);

#endif
