/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a network namespace for each test case, and operates on its interfaces. A failure ends the test case. */
#ifndef TW_TEST_NETNS_H
#define TW_TEST_NETNS_H

#include <linux/if_link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Longest wait for a frame: on a busy machine, sent frames wait in the backlog of a CPU. */
#define NETNS_PATIENCE_MS 30000

/** netns__main_guard() - Return: 0; if namespaces are refused, the exit code of a skipped test, after printing the reason */
int netns__main_guard(void);

/** netns__setup() - cmocka setup: a new namespace; the previous one is removed with its content */
int netns__setup(void **state);

/** netns__veth() - make a veth pair "tw0" in the namespace */
void netns__veth(unsigned int mtu, unsigned int queues);

void link__set_up(const char *name, bool up);

void link__set_mtu(const char *name, int mtu);

/** link__counters() - the kernel's current counters */
struct rtnl_link_stats link__counters(const char *name);

/** link__exists() - whether there is an interface of that name */
bool link__exists(const char *name);

/** link__address() - copy the Ethernet address of an interface, 6 bytes */
void link__address(const char *name, void *ret);

/** link__assert_address() - check that the Ethernet address of an interface is @address, 6 bytes */
void link__assert_address(const char *name, const void *address);

/** link__slow_down() - attach a native XDP program and use threaded NAPI: frames wait for a thread, so the sender can be faster */
void link__slow_down(const char *name);

/** raw__open() - open a socket that receives all frames, in both directions, on one interface, or on all (NULL) */
int raw__open(const char *name);

/** raw__send() - send a frame of @len bytes, at most 9000, after the Ethernet header; all of them are @fill */
void raw__send(int fd, uint16_t ethertype, uint8_t fill, size_t len);

/** raw__receive() - receive the next frame; wait at most half a minute. Return: its length, or -1 */
ssize_t raw__receive(int fd, void *buf, size_t len);

/**
 * witness__open() - open a socket that counts Tracewire frames on an interface
 *
 * The kernel passes a frame first to sockets for any EtherType, such as receivers, and then to this socket.
 */
int witness__open(const char *name);

/**
 * witness__await() - wait until @n more frames have arrived
 *
 * The counters of the interface may count frames earlier: on a busy machine, frames wait in the backlog of a CPU. Fails the test after
 * 60 s, and if more frames have arrived.
 */
void witness__await(int witness, uint32_t n);

/** now_ms() - the time of a clock that is never set */
double now_ms(void);

#endif
