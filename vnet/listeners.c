/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vnet/listeners.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "vnet/rx_link.h"

#define LOOK_NS     1000000ull
#define SOCKETS_MAX 64 /* limit of remembered sockets; beyond it, a new one may be reported late, or an old one again */

struct tw_listeners {
	int fd;
	int ifindex;
	uint64_t looked_ns;
	unsigned long inodes[SOCKETS_MAX];
	size_t n;
};

int tw_listeners__open(const char *ifname, struct tw_listeners **ret, struct tw_error *error)
{
	static const char path[] = "/proc/thread-self/net/packet";
	const int ifindex = rx_link__index(ifname);
	struct tw_listeners *l;
	int fd;

	if (ifindex == -ENODEV)
		return tw_error__set(error, ifindex, "there is no interface %s", ifname);
	if (ifindex < 0)
		return tw_error__set(error, ifindex, "cannot look up interface %s: %s", ifname, strerror(-ifindex));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return tw_error__set(error, -errno, "%s cannot be read: %s", path, strerror(errno));
	l = calloc(1, sizeof(*l));
	if (!l) {
		close(fd);
		return tw_error__set(error, -ENOMEM, "no memory to look for programs that capture on %s", ifname);
	}
	*l = (struct tw_listeners){ .fd = fd, .ifindex = ifindex };
	*ret = l;
	return 0;
}

static bool is_due(struct tw_listeners *l)
{
	const uint64_t now = tw_time__now(CLOCK_MONOTONIC);

	if (now - l->looked_ns < LOOK_NS)
		return false;
	l->looked_ns = now;
	return true;
}

static bool is_known(const struct tw_listeners *l, unsigned long inode)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->inodes[i] == inode)
			return true;
	return false;
}

bool tw_listeners__joined(struct tw_listeners *l)
{
	unsigned long inodes[SOCKETS_MAX];
	char text[16384], *line, *save = NULL;
	bool joined = false;
	size_t n = 0;
	ssize_t len;

	if (!is_due(l))
		return false;
	len = pread(l->fd, text, sizeof(text) - 1, 0);
	if (len <= 0)
		return false;
	text[len] = '\0';
	for (line = strtok_r(text, "\n", &save); line && n < SOCKETS_MAX; line = strtok_r(NULL, "\n", &save)) {
		unsigned long inode;
		int ifindex, running;

		/* sk, references, type, protocol, interface, running, memory, user, inode */
		if (sscanf(line, "%*s %*s %*s %*s %d %d %*s %*s %lu", &ifindex, &running, &inode) != 3 || !running ||
		    (ifindex && ifindex != l->ifindex))
			continue;
		joined |= !is_known(l, inode);
		inodes[n++] = inode;
	}
	memcpy(l->inodes, inodes, n * sizeof(*inodes));
	l->n = n;
	return joined;
}

void tw_listeners__close(struct tw_listeners *l)
{
	if (!l)
		return;
	close(l->fd);
	free(l);
}
