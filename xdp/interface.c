/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xdp/interface.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* if_nametoindex() does not say why it could not ask. Return: index or -errno */
static int ask(const char *name)
{
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = { 0 };
	int error;

	if (fd < 0)
		return -errno;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	error = ioctl(fd, SIOCGIFINDEX, &request) ? -errno : 0;
	close(fd);
	return error ? error : request.ifr_ifindex;
}

int tw_interface__index(const char *name, struct tw_error *err)
{
	const int index = strlen(name) < IFNAMSIZ ? ask(name) : -ENODEV;

	if (index == -ENODEV)
		return tw_error__set(err, index, "there is no interface %s", name);
	if (index < 0)
		return tw_error__set(err, index, "cannot ask for interface %s: %s", name, strerror(-index));
	return index;
}
