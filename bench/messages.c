/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * messages SECONDS -- sends datagrams over the loopback interface and receives them, on each CPU as fast as possible for SECONDS. Then prints
 * their number.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BATCH 100 /* datagrams between two readings of the clock */

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void give_up(const char *what)
{
	perror(what);
	exit(1);
}

/* Return: number of datagrams that were received */
static long run(double seconds, int cpu)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const int from = socket(AF_INET, SOCK_DGRAM, 0), onto = socket(AF_INET, SOCK_DGRAM, 0);
	const double end = now() + seconds;
	socklen_t len = sizeof(at);
	char byte = 0;
	cpu_set_t cpus;
	long n = 0;

	CPU_ZERO(&cpus);
	CPU_SET((size_t)cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		give_up("messages: CPU");
	if (bind(onto, (struct sockaddr *)&at, len) || getsockname(onto, (struct sockaddr *)&at, &len) ||
	    connect(from, (struct sockaddr *)&at, len))
		give_up("messages: socket");
	while (now() < end)
		for (int i = 0; i < BATCH; i++, n++)
			if (send(from, &byte, 1, 0) < 0 || recv(onto, &byte, 1, 0) < 0)
				give_up("messages: send and receive");
	return n;
}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : 1;
	const int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	long n, all = 0;
	int results[2];

	if (pipe(results))
		give_up("messages: pipe");
	for (int cpu = 0; cpu < cpus; cpu++)
		if (!fork()) {
			n = run(seconds, cpu);
			return write(results[1], &n, sizeof(n)) != sizeof(n);
		}
	for (int cpu = 0; cpu < cpus; cpu++) {
		if (read(results[0], &n, sizeof(n)) != sizeof(n))
			give_up("messages: result");
		all += n;
	}
	while (wait(NULL) > 0)
		;
	printf("%ld\n", all);
	return 0;
}
