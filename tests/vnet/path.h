/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A path of two links, in three network namespaces: a sender (the test's own), a router, a receiver.
 *
 *   s0 10.1.0.1 fd00:1::1 --- 10.1.0.2 fd00:1::2 r0   r1 10.2.0.1 fd00:2::1 --- 10.2.0.2, 10.2.0.3 fd00:2::2, fd00:2::3 d0
 *
 * What s0 sends is cut into datagrams there, so that the router sees and counts each. Failures end the test case.
 */
#ifndef TW_TEST_PATH_H
#define TW_TEST_PATH_H

#include <stdint.h>

enum path_place { PATH_SENDER, PATH_ROUTER, PATH_RECEIVER, PATH_PLACES };

/** path__make() - in the test case's namespace; ends with it and path__forget() */
void path__make(unsigned int mtu);
void path__forget(void);

/** path__go() - sockets opened from now on are in that namespace */
void path__go(enum path_place place);

/** path__shrink() - set the second link's MTU */
void path__shrink(unsigned int mtu);

/** command__run() - run a command that must succeed */
__attribute__((format(printf, 1, 2))) void command__run(const char *format, ...);

/** snmp() - a counter of the namespace: "Ip", "FragCreates"; or "Ip6", "FragCreates" */
uint64_t snmp(const char *group, const char *name);

/** assert_no_fragments() - none was made or received in this namespace */
void assert_no_fragments(void);

#endif
