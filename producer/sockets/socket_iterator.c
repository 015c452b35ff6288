/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/sockets/socket_iterator.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

#include "producer/network_namespaces.h"

#define OUTPUT_MAX 4096

/* Runs the program for the sockets of this thread's network namespace. */
static int run_here(void *ctx)
{
	const int *link = ctx;
	char output[OUTPUT_MAX]; /* the program writes nothing; reading runs it */
	const int fd = bpf_iter_create(*link);
	ssize_t len;

	if (fd < 0)
		return fd;
	do {
		len = read(fd, output, sizeof(output));
	} while (len > 0 || (len < 0 && (errno == EAGAIN || errno == EINTR))); /* EAGAIN: there are more sockets */
	len = len < 0 ? -errno : 0;
	close(fd);
	return (int)len;
}

int tw_socket_iterator__run(int program)
{
	int link = bpf_link_create(program, 0, BPF_TRACE_ITER, NULL);
	int err;

	if (link < 0)
		return link;
	err = tw_network_namespaces__each(run_here, &link);
	close(link);
	return err;
}
