/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "path.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netdb.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

/* Ethernet addresses of a link's ends, as seen from the sender */
#define NEAR "02:00:00:00:00:01"
#define FAR  "02:00:00:00:00:02"

static int places[PATH_PLACES];

void command__run(const char *format, ...)
{
	char command[512];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	if (system(command))
		fail_msg("%s", command);
}

static int namespace_here(void)
{
	const int fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	assert_return_code(fd, errno);
	return fd;
}

void path__go(enum path_place place)
{
	assert_return_code(setns(places[place], CLONE_NEWNET), errno);
}

static void switch_on(const char *path)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_return_code(fd, errno);
	assert_int_equal(write(fd, "1", 1), 1);
	close(fd);
}

/* Makes a veth pair: @here in the current namespace, @there in the namespace @place. */
static void make_link(const char *here, enum path_place place, const char *there, unsigned int mtu)
{
	command__run("ip link add %s address " NEAR " mtu %u type veth peer name %s address " FAR
		     " mtu %u netns /proc/%d/fd/%d",
		     here, mtu, there, mtu, (int)getpid(), places[place]);
}

static void set_up(const char *link, const char *address4, const char *address6)
{
	command__run("ip addr add %s/24 dev %s && ip addr add %s/64 dev %s nodad && ip link set %s up", address4, link,
		     address6, link, link);
}

/* Adds a permanent neighbour, because IPv6 takes a second to find a neighbour on a link that has just come up. */
static void introduce(const char *link, const char *address6, const char *ethernet)
{
	command__run("ip neigh add %s lladdr %s dev %s", address6, ethernet, link);
}

/* Sends datagrams until the receiver answers that the port is closed. */
static void wait_for_answer(const char *host)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_DGRAM };
	struct addrinfo *address;
	char byte = 0;
	int fd;

	assert_int_equal(getaddrinfo(host, "9", &hints, &address), 0);
	fd = socket(address->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_return_code(fd, errno);
	assert_return_code(connect(fd, address->ai_addr, address->ai_addrlen), errno);
	freeaddrinfo(address);
	for (int i = 0; i < 100; i++) {
		struct pollfd answer = { .fd = fd, .events = POLLIN };

		send(fd, &byte, sizeof(byte), 0);
		poll(&answer, 1, 50);
		if (recv(fd, &byte, sizeof(byte), MSG_DONTWAIT) < 0 && errno == ECONNREFUSED)
			break;
	}
	assert_int_equal(errno, ECONNREFUSED);
	close(fd);
}

void path__make(unsigned int mtu)
{
	places[PATH_SENDER] = namespace_here();
	for (int i = PATH_ROUTER; i < PATH_PLACES; i++) {
		assert_return_code(unshare(CLONE_NEWNET), errno);
		places[i] = namespace_here();
	}
	path__go(PATH_SENDER);
	make_link("s0", PATH_ROUTER, "r0", mtu);
	command__run("ip link set s0 gso_max_segs 1");
	set_up("s0", "10.1.0.1", "fd00:1::1");
	introduce("s0", "fd00:1::2", FAR);
	path__go(PATH_ROUTER);
	make_link("r1", PATH_RECEIVER, "d0", mtu);
	set_up("r0", "10.1.0.2", "fd00:1::2");
	set_up("r1", "10.2.0.1", "fd00:2::1");
	introduce("r0", "fd00:1::1", NEAR);
	introduce("r1", "fd00:2::2", FAR);
	introduce("r1", "fd00:2::3", FAR);
	switch_on("/proc/sys/net/ipv4/ip_forward");
	switch_on("/proc/sys/net/ipv6/conf/all/forwarding");
	path__go(PATH_RECEIVER);
	set_up("d0", "10.2.0.2", "fd00:2::2");
	introduce("d0", "fd00:2::1", NEAR);
	command__run("ip addr add 10.2.0.3/24 dev d0 && ip addr add fd00:2::3/64 dev d0 nodad");
	command__run("ip route add default via 10.2.0.1 && ip -6 route add default via fd00:2::1");
	path__go(PATH_SENDER);
	command__run("ip route add default via 10.1.0.2 && ip -6 route add default via fd00:1::2");
	wait_for_answer("10.2.0.2");
	wait_for_answer("fd00:2::2");
}

void path__forget(void)
{
	for (int i = 0; i < PATH_PLACES; i++)
		close(places[i]);
}

void path__shrink(unsigned int mtu)
{
	path__go(PATH_RECEIVER);
	command__run("ip link set d0 mtu %u", mtu);
	path__go(PATH_ROUTER);
	command__run("ip link set r1 mtu %u", mtu);
	path__go(PATH_SENDER);
}

/* Gets a value from /proc/net/snmp, where a line of values follows a line of names. */
static uint64_t pick(const char *names, const char *values, const char *name)
{
	char word[64];
	int here, there;

	while (sscanf(names, "%63s%n", word, &here) == 1) {
		char value[64];

		assert_int_equal(sscanf(values, "%63s%n", value, &there), 1);
		if (!strcmp(word, name))
			return strtoull(value, NULL, 10);
		names += here;
		values += there;
	}
	fail_msg("no counter %s", name);
	return 0;
}

static uint64_t snmp4(const char *group, const char *name)
{
	char names[1024], values[1024], label[16];
	FILE *file = fopen("/proc/net/snmp", "re");
	uint64_t ret = 0;

	assert_non_null(file);
	snprintf(label, sizeof(label), "%s: ", group);
	while (fgets(names, sizeof(names), file) && fgets(values, sizeof(values), file))
		if (!strncmp(names, label, strlen(label)))
			ret = pick(names, values, name);
	fclose(file);
	return ret;
}

static uint64_t snmp6(const char *name)
{
	FILE *file = fopen("/proc/net/snmp6", "re");
	char label[64];
	uint64_t value, ret = 0;

	assert_non_null(file);
	while (fscanf(file, "%63s %" SCNu64, label, &value) == 2)
		if (!strcmp(label + strlen("Ip6"), name) && !strncmp(label, "Ip6", strlen("Ip6")))
			ret = value;
	fclose(file);
	return ret;
}

uint64_t snmp(const char *group, const char *name)
{
	return strcmp(group, "Ip6") ? snmp4(group, name) : snmp6(name);
}

void assert_no_fragments(void)
{
	assert_int_equal(snmp("Ip", "FragCreates"), 0);
	assert_int_equal(snmp("Ip6", "FragCreates"), 0);
	assert_int_equal(snmp("Ip", "ReasmReqds"), 0);
	assert_int_equal(snmp("Ip6", "ReasmReqds"), 0);
}
