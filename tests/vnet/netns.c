/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netns.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "vnet/netlink.h"
#include "vnet/veth.h"
#include "wire/tracewire.h"

#define OPER_UP 6 /* IF_OPER_UP of linux/if.h, which cannot be included with net/if.h */

/* Missing in older headers. */
#ifndef BPF_F_XDP_HAS_FRAGS
#define BPF_F_XDP_HAS_FRAGS (1U << 5)
#endif

int netns__main_guard(void)
{
	if (unshare(CLONE_NEWNET | CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
		return 0;
	printf("skipped: cannot make a network namespace: %s; run as root\n", strerror(errno));
	return 77;
}

int netns__setup(void **state)
{
	(void)state;
	return unshare(CLONE_NEWNET);
}

/* Whether the kernel's linkwatch has noticed the carrier. Until then, sometimes for a second, the interface's qdisc drops all frames. */
static bool is_operational(struct nl_sock *sk, const char *name)
{
	struct rtnl_link *link;
	bool is;

	assert_int_equal(tw_netlink__link(sk, name, &link), 0);
	is = rtnl_link_get_operstate(link) == OPER_UP;
	rtnl_link_put(link);
	return is;
}

static void await_operational(const char *name)
{
	struct nl_sock *sk;
	bool is = false;

	assert_int_equal(tw_netlink__open(&sk, NULL), 0);
	for (int i = 0; i < NETNS_PATIENCE_MS && !(is = is_operational(sk, name)); i++)
		usleep(1000);
	nl_socket_free(sk);
	assert_true(is);
}

void netns__veth(unsigned int mtu, unsigned int queues)
{
	const struct tw_veth_options o = { .name = "tw0", .owner = "tracewire test", .mtu = mtu, .queues = queues };
	struct tw_error error = { "" };

	if (tw_veth__create(&o, &error) < 0)
		fail_msg("%s", error.text);
	await_operational("tw0");
	await_operational("tw0-tx");
}

/* Makes one of the SIOC?IF* requests. */
static void ask(unsigned long request, struct ifreq *req)
{
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_return_code(fd, errno);
	assert_return_code(ioctl(fd, request, req), errno);
	close(fd);
}

void link__set_up(const char *name, bool up)
{
	struct ifreq req = { 0 };

	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", name);
	ask(SIOCGIFFLAGS, &req);
	req.ifr_flags = (short)(up ? req.ifr_flags | IFF_UP : req.ifr_flags & ~IFF_UP);
	ask(SIOCSIFFLAGS, &req);
}

void link__set_mtu(const char *name, int mtu)
{
	struct ifreq req = { .ifr_mtu = mtu };

	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", name);
	ask(SIOCSIFMTU, &req);
}

void link__address(const char *name, void *ret)
{
	struct ifreq req = { 0 };

	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", name);
	ask(SIOCGIFHWADDR, &req);
	memcpy(ret, req.ifr_hwaddr.sa_data, ETH_ALEN);
}

void link__assert_address(const char *name, const void *address)
{
	uint8_t own[ETH_ALEN];

	link__address(name, own);
	assert_memory_equal(own, address, ETH_ALEN);
}

struct rtnl_link_stats link__counters(const char *name)
{
	struct rtnl_link_stats ret = { 0 };
	struct ifaddrs *all;
	bool found = false;

	assert_return_code(getifaddrs(&all), errno);
	for (const struct ifaddrs *a = all; a; a = a->ifa_next) {
		if (strcmp(a->ifa_name, name) != 0 || !a->ifa_addr || a->ifa_addr->sa_family != AF_PACKET)
			continue;
		memcpy(&ret, a->ifa_data, sizeof(ret));
		found = true;
	}
	freeifaddrs(all);
	assert_true(found);
	return ret;
}

bool link__exists(const char *name)
{
	return if_nametoindex(name) != 0;
}

/* Writes to a file of an interface in sysfs, which is mounted anew, because it shows the network namespace in which it was mounted. */
static void write_sysfs(const char *name, const char *file, const char *value)
{
	char path[128];
	int fd;

	assert_return_code(mount("sysfs", "/sys", "sysfs", 0, NULL), errno);
	snprintf(path, sizeof(path), "/sys/class/net/%s/%s", name, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_return_code(fd, errno);
	assert_int_equal(write(fd, value, strlen(value)), strlen(value));
	close(fd);
	assert_return_code(umount2("/sys", MNT_DETACH), errno);
}

void link__slow_down(const char *name)
{
	const struct bpf_insn pass[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_XDP_HAS_FRAGS);
	const int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "pass", "GPL", pass, 2, &opts);

	assert_return_code(fd, -fd);
	assert_int_equal(bpf_xdp_attach((int)if_nametoindex(name), fd, XDP_FLAGS_DRV_MODE, NULL), 0);
	close(fd);
	write_sysfs(name, "threaded", "1");
}

int raw__open(const char *name)
{
	const struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = name ? (int)if_nametoindex(name) : 0,
	};
	const int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, htons(ETH_P_ALL));

	assert_return_code(fd, errno);
	assert_return_code(bind(fd, (const struct sockaddr *)&address, sizeof(address)), errno);
	return fd;
}

ssize_t raw__receive(int fd, void *buf, size_t len)
{
	struct pollfd some = { .fd = fd, .events = POLLIN };

	return poll(&some, 1, NETNS_PATIENCE_MS) == 1 ? recv(fd, buf, len, 0) : -1;
}

void raw__send(int fd, uint16_t ethertype, uint8_t fill, size_t len)
{
	uint8_t frame[ETH_HLEN + 9000] = { 0x03 };
	const uint16_t type = htons(ethertype);
	struct pollfd room = { .fd = fd, .events = POLLOUT };
	ssize_t sent;

	memcpy(frame + ETH_HLEN - sizeof(type), &type, sizeof(type));
	memset(frame + ETH_HLEN, fill, len);
	while ((sent = send(fd, frame, ETH_HLEN + len, 0)) < 0 && errno == EAGAIN)
		assert_int_equal(poll(&room, 1, 10000), 1);
	assert_int_equal(sent, ETH_HLEN + len);
}

int witness__open(const char *name)
{
	const struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(TW_ETHERTYPE),
		.sll_ifindex = (int)if_nametoindex(name),
	};
	const int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	assert_return_code(fd, errno);
	assert_return_code(bind(fd, (const struct sockaddr *)&address, sizeof(address)), errno);
	return fd;
}

void witness__await(int witness, uint32_t n)
{
	uint32_t came = 0;

	for (int i = 0; i < 60000 && came < n; i++) {
		struct tpacket_stats since; /* tp_packets includes dropped packets */
		socklen_t len = sizeof(since);

		assert_return_code(getsockopt(witness, SOL_PACKET, PACKET_STATISTICS, &since, &len), errno);
		came += since.tp_packets;
		if (came < n)
			usleep(1000);
	}
	assert_int_equal(came, n);
}

double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}
