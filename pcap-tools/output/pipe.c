/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap-tools/output/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define LATE_NS (100 * TW_NS_PER_MS) /* longest wait for room after the deadline; a working reader has read by then */

int tw_pipe__open_again(int fd, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, flags | O_CLOEXEC);
}

/*
 * The file is opened again, because the caller's open file description may be shared with other processes, which O_NONBLOCK would affect.
 *
 * A file that the caller has open for reading only is not opened again: writes must fail, as writes to the caller's descriptor do.
 *
 * Opening can fail because the pipe belongs to another user or has no reader. Then tw_pipe__try() writes only after poll() has reported
 * room, and at most PIPE_BUF bytes. Such a write does not block, unless another process fills the pipe between poll() and the write.
 */
struct tw_pipe tw_pipe__open(int fd)
{
	const int flags = fcntl(fd, F_GETFL);
	struct tw_pipe live = { .fd = fd, .out = -1, .nonblocking = flags >= 0 && flags & O_NONBLOCK };
	struct stat st;

	if (fstat(fd, &st))
		return live;
	live.is_socket = S_ISSOCK(st.st_mode);
	live.nonblocking |= live.is_socket || S_ISREG(st.st_mode);
	if (live.nonblocking || flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return live;
	live.out = tw_pipe__open_again(fd, O_WRONLY | O_NONBLOCK | O_NOCTTY);
	live.nonblocking = live.out >= 0;
	return live;
}

void tw_pipe__close(struct tw_pipe *live)
{
	if (live->out >= 0)
		close(live->out);
	live->out = -1;
}

/* Return: 0, -ETIMEDOUT, errors of poll() */
static int wait_for_room(int fd, const struct tw_deadline *deadline)
{
	struct pollfd room = { .fd = fd, .events = POLLOUT };
	int n;

	while ((n = poll(&room, 1, deadline ? TW_DEADLINE_SLICE_MS : -1)) <= 0) {
		if (n < 0 && errno != EINTR)
			return -errno;
		if (tw_deadline__overdue(deadline) > LATE_NS)
			return -ETIMEDOUT;
	}
	return 0;
}

static bool has_room(int fd)
{
	struct pollfd room = { .fd = fd, .events = POLLOUT };

	return poll(&room, 1, 0) > 0;
}

static ssize_t write_now(const struct tw_pipe *live, int fd, const void *bytes, size_t len)
{
	if (live->is_socket)
		return send(fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (!live->nonblocking && !has_room(fd)) {
		errno = EAGAIN;
		return -1;
	}
	return write(fd, bytes, live->nonblocking || len < PIPE_BUF ? len : PIPE_BUF);
}

int tw_pipe__fd(const struct tw_pipe *live)
{
	return live->out >= 0 ? live->out : live->fd;
}

ssize_t tw_pipe__try(const struct tw_pipe *live, const void *bytes, size_t len)
{
	ssize_t n;

	do
		n = write_now(live, tw_pipe__fd(live), bytes, len);
	while (n < 0 && errno == EINTR);
	if (n)
		return n > 0 ? n : -errno;
	return -EIO;
}

ssize_t tw_pipe__write(const struct tw_pipe *live, const struct tw_deadline *deadline, const void *bytes, size_t len)
{
	int err = 0;

	while (!err) {
		const ssize_t n = tw_pipe__try(live, bytes, len);

		if (n != -EAGAIN)
			return n;
		err = wait_for_room(tw_pipe__fd(live), deadline);
	}
	return err;
}
