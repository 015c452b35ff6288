/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A network namespace for each test case, and what the tests do to the interfaces in it. Failures end the test case. */
#ifndef TW_TEST_NETNS_H
#define TW_TEST_NETNS_H

#include <linux/if_link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What was sent waits in the backlog of a CPU as long as a busy machine takes to hand it on. */
#define NETNS_PATIENCE_MS 30000

/** netns__main_guard() - 0, or the exit code of a skipped test, its reason printed, where namespaces are refused */
int netns__main_guard(void);

/** netns__setup() - cmocka setup: a fresh namespace; the one before goes with all that is in it */
int netns__setup(void **state);

/** netns__wire() - a wire "tw0" in it */
void netns__wire(unsigned int mtu, unsigned int queues);

void link__set_up(const char *name, bool up);

void link__set_mtu(const char *name, int mtu);

/** link__counters() - as the kernel has them now */
struct rtnl_link_stats link__counters(const char *name);

/** link__exists() - there is an interface of that name */
bool link__exists(const char *name);

/** link__assert_address() - its Ethernet address is @address, 6 bytes */
void link__assert_address(const char *name, const void *address);

/** link__slow_down() - a native XDP program and threaded NAPI: frames wait for a thread, so the sender can outrun it */
void link__slow_down(const char *name);

/** raw__open() - a socket that sees all frames, both ways, on one interface or (NULL) on all there will be */
int raw__open(const char *name);

/** raw__send() - a frame of @len bytes behind the Ethernet header, 9000 at most, all of them @fill */
void raw__send(int fd, uint16_t ethertype, uint8_t fill, size_t len);

/** raw__receive() - the next frame, half a minute at most. Return: its length, or -1 */
ssize_t raw__receive(int fd, void *buf, size_t len);

/**
 * witness__open() - a socket that counts our frames on an interface
 *
 * The kernel hands a frame to it after it has done so to all sockets that are open for any EtherType, as receivers are.
 */
int witness__open(const char *name);

/**
 * witness__await() - until @n more frames have come than were awaited before
 *
 * The counters of the interface may count them earlier: on a busy machine they wait in the backlog of a CPU. Fails the test
 * after 60 s, and if more have come.
 */
void witness__await(int witness, uint32_t n);

/** now_ms() - of a clock that nobody sets */
double now_ms(void);

#endif
