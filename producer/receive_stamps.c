/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/receive_stamps.h"

#include <errno.h>
#include <linux/net_tstamp.h>
#include <sys/socket.h>
#include <unistd.h>

#define BEGIN_US 20000 /* after the socket is set up, the kernel begins to stamp packets within this time */

int tw_receive_stamps__begin(void)
{
	const int flags = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags))) {
		const int err = -errno;

		close(fd);
		return err;
	}
	usleep(BEGIN_US);
	return fd;
}
