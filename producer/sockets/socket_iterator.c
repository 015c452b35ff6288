/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/sockets/socket_iterator.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "producer/network_namespaces.h"

#define OUTPUT_MAX 4096

/* The number of TCP sockets of this thread's network namespace, by a file of the kernel. Return: -1 if it does not have the number */
static long count_sockets(const char *path, const char *label)
{
	FILE *file = fopen(path, "re");
	char line[256];
	long n = -1;

	while (file && n < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, label, strlen(label)) && sscanf(line + strlen(label), " inuse %ld", &n) != 1)
			n = -1;
	if (file)
		fclose(file);
	return n;
}

/*
 * The kernel keeps the sockets of all namespaces in one table, and an iterator reads all of it, so a namespace takes milliseconds. Most
 * namespaces have no TCP sockets, and the kernel counts those of each.
 */
static bool has_no_sockets(void)
{
	return !count_sockets("/proc/thread-self/net/sockstat", "TCP:") &&
	       count_sockets("/proc/thread-self/net/sockstat6", "TCP6:") <= 0; /* there is no such file without IPv6 */
}

struct run {
	int link;
	bool (*goes_on)(void *ctx, size_t visited);
	void *ctx;
	size_t visited;
};

/* Runs the program for the sockets of this thread's network namespace. */
static int run_here(void *ctx)
{
	struct run *run = ctx;
	char output[OUTPUT_MAX]; /* the program writes nothing; reading runs it */
	ssize_t len;
	int fd;

	if (run->goes_on && !run->goes_on(run->ctx, run->visited++))
		return -EINTR;
	if (has_no_sockets())
		return 0;
	fd = bpf_iter_create(run->link);
	if (fd < 0)
		return fd;
	do {
		len = read(fd, output, sizeof(output));
	} while (len > 0 || (len < 0 && (errno == EAGAIN || errno == EINTR))); /* EAGAIN: there are more sockets */
	len = len < 0 ? -errno : 0;
	close(fd);
	return (int)len;
}

int tw_socket_iterator__run(int program, bool (*goes_on)(void *ctx, size_t visited), void *ctx)
{
	struct run run = { .link = bpf_link_create(program, 0, BPF_TRACE_ITER, NULL), .goes_on = goes_on, .ctx = ctx };
	int err;

	if (run.link < 0)
		return run.link;
	err = tw_network_namespaces__each(run_here, &run);
	close(run.link);
	return err;
}
