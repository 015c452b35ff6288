/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <linux/sock_diag.h>
#include <sys/socket.h>

#include "base/time.h"

int tw_socket__set(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value)) < 0 ? -errno : 0;
}

int tw_socket__set_filter(int fd, struct sock_filter *code, size_t n)
{
	const struct sock_fprog program = { .len = (unsigned short)n, .filter = code };

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0 ? -errno : 0;
}

int tw_socket__reject_all(int fd)
{
	struct sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);

	return tw_socket__set_filter(fd, &nothing, 1);
}

int tw_socket__set_send_buffer(int fd, size_t bytes)
{
	const int err = tw_socket__set(fd, SOL_SOCKET, SO_SNDBUFFORCE, (int)bytes);

	return err ? tw_socket__set(fd, SOL_SOCKET, SO_SNDBUF, (int)bytes) : 0;
}

int tw_socket__drops(int fd, uint32_t *ret)
{
	uint32_t info[SK_MEMINFO_VARS] = { 0 };
	socklen_t len = sizeof(info);

	if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &len) < 0)
		return -errno;
	*ret = info[SK_MEMINFO_DROPS];
	return 0;
}

int tw_socket__poll(struct pollfd *fds, nfds_t n, int *timeout_ms)
{
	const uint64_t begin = tw_time__now(CLOCK_MONOTONIC);
	const int ready = poll(fds, n, *timeout_ms);

	if (ready < 0)
		return errno == EINTR ? 0 : -errno;
	if (ready > 0 && *timeout_ms > 0) {
		const uint64_t took = (tw_time__now(CLOCK_MONOTONIC) - begin) / TW_NS_PER_MS;

		*timeout_ms = took < (uint64_t)*timeout_ms ? *timeout_ms - (int)took : 0;
	}
	return ready;
}

int tw_socket__bind_packet(int fd, uint16_t protocol, int ifindex)
{
	const struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(protocol),
		.sll_ifindex = ifindex,
	};

	return bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : 0;
}
