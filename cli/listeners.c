/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/listeners.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int listeners__open(int ifindex, struct listeners *ret, struct tw_error *err)
{
	const int fd = open("/proc/net/packet", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return tw_error__set(err, -errno, "cannot look who listens: /proc/net/packet: %s", strerror(errno));
	*ret = (struct listeners){ .fd = fd, .ifindex = ifindex };
	listeners__joined(ret);
	return 0;
}

static bool was_there(const struct listeners *listeners, unsigned long inode)
{
	for (size_t i = 0; i < listeners->n; i++)
		if (listeners->inodes[i] == inode)
			return true;
	return false;
}

/* The socket of a line: bound to the interface or to all. "sk RefCnt Type Proto Iface R Rmem User Inode" */
static bool parse_line(const char *line, int ifindex, unsigned long *ret_inode)
{
	int bound_to;

	return sscanf(line, "%*s %*d %*d %*x %d %*d %*u %*u %lu", &bound_to, ret_inode) == 2 &&
	       (bound_to == ifindex || bound_to == 0);
}

bool listeners__joined(struct listeners *listeners)
{
	char text[8192], *save;
	struct listeners now = *listeners;
	const ssize_t len = pread(listeners->fd, text, sizeof(text) - 1, 0);
	unsigned long inode;
	bool joined = false;

	if (len <= 0)
		return false;
	text[len] = '\0';
	now.n = 0;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (now.n == LISTENERS_MAX || !parse_line(line, listeners->ifindex, &inode))
			continue;
		joined |= !was_there(listeners, inode);
		now.inodes[now.n++] = inode;
	}
	*listeners = now;
	return joined;
}

void listeners__close(struct listeners *listeners)
{
	if (listeners->fd >= 0)
		close(listeners->fd);
	listeners->fd = -1;
}
