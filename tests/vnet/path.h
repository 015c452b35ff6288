/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A path of two links in three network namespaces: a sender (the namespace of the test), a router, a receiver.
 *
 *   s0 10.1.0.1 fd00:1::1 --- 10.1.0.2 fd00:1::2 r0   r1 10.2.0.1 fd00:2::1 --- 10.2.0.2, 10.2.0.3 fd00:2::2, fd00:2::3 d0
 *
 * s0 splits batches into datagrams, so that the router sees and counts each datagram. A failure ends the test case.
 */
#ifndef TW_TEST_PATH_H
#define TW_TEST_PATH_H

#include <stdint.h>

enum path_place { PATH_SENDER, PATH_ROUTER, PATH_RECEIVER, PATH_PLACES };

/** path__make() - make a path that begins in the test case's namespace; it ends with this namespace, after path__forget() */
void path__make(unsigned int mtu);
void path__forget(void);

/** path__go() - enter the namespace @place: sockets that are opened from now on are in this namespace */
void path__go(enum path_place place);

/** path__shrink() - set the second link's MTU */
void path__shrink(unsigned int mtu);

/** command__run() - run a command that must succeed */
__attribute__((format(printf, 1, 2))) void command__run(const char *format, ...);

/** snmp() - read a counter of the namespace, such as "Ip", "FragCreates" or "Ip6", "FragCreates" */
uint64_t snmp(const char *group, const char *name);

/** assert_no_fragments() - assert that no fragments were made or received in this namespace */
void assert_no_fragments(void);

#endif
