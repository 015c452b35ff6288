/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/bpf_links.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "producer/bpf_kernel.h"

#define NF_INET_PRE_ROUTING 0
#define NF_FIRST            (-401) /* priority: before the defragmentation for connection tracking */
#define NF_LINKS_MAX        64     /* number of programs that can be attached at the same time */
#define AWAIT_US            20000

static int keep(struct tw_bpf_links *links, int fd)
{
	if (fd < 0)
		return fd;
	if (links->n == TW_BPF_LINKS_MAX) {
		close(fd);
		return -ENOSPC;
	}
	links->fds[links->n++] = fd;
	return 0;
}

int tw_bpf_links__trace(struct tw_bpf_links *links, int program)
{
	return keep(links, bpf_raw_tracepoint_open(NULL, program));
}

int tw_bpf_links__cgroup(struct tw_bpf_links *links, int program, int cgroup, enum bpf_attach_type type)
{
	return keep(links, bpf_link_create(program, cgroup, type, NULL));
}

/* libbpf has no function for this before version 1.3. */
static int link_netfilter_at(int program, uint32_t family, int32_t priority)
{
	const struct {
		uint32_t program, target, type, flags;
		uint32_t family, hook;
		int32_t priority;
		uint32_t netfilter_flags;
	} named = { .program = (uint32_t)program,
		    .type = TW_BPF_ATTACH_NETFILTER,
		    .family = family,
		    .hook = NF_INET_PRE_ROUTING,
		    .priority = priority };
	uint8_t attr[128] = { 0 };
	int fd;

	memcpy(attr, &named, sizeof(named));
	fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, attr, sizeof(attr));
	return fd < 0 ? -errno : fd;
}

/* The kernel permits one BPF program at each priority. */
static int link_netfilter(int program, uint32_t family)
{
	int fd = -EBUSY;

	for (int32_t i = 0; i < NF_LINKS_MAX && fd == -EBUSY; i++)
		fd = link_netfilter_at(program, family, NF_FIRST - i);
	return fd;
}

int tw_bpf_links__netfilter(struct tw_bpf_links *links, int program)
{
	const int err = keep(links, link_netfilter(program, AF_INET));

	return err ? err : keep(links, link_netfilter(program, AF_INET6));
}

void tw_bpf_links__close(struct tw_bpf_links *links)
{
	while (links->n)
		close(links->fds[--links->n]);
}

/*
 * Programs run without preemption, or within an RCU read-side section, and membarrier(2) waits for an RCU grace period. It fails if the
 * kernel runs with nohz_full; a short time is then almost always enough.
 */
void tw_bpf_programs__await(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		usleep(AWAIT_US);
}
