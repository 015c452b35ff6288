/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load [SECONDS [CALLS_PER_SECOND [CPU]]] -- calls getppid() for SECONDS (default 1), at a rate of CALLS_PER_SECOND (default 0: as fast as
 * possible), on CPU if it is given. Then prints the number of calls.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BATCH 500 /* calls between two readings of the clock; calls come in bursts, as in real loads */

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : 1;
	const double rate = argc > 2 ? atof(argv[2]) : 0;
	const double start = now();
	unsigned long calls = 0;
	double elapsed;
	cpu_set_t cpus;

	if (argc > 3) {
		CPU_ZERO(&cpus);
		CPU_SET((size_t)atoi(argv[3]), &cpus);
		if (sched_setaffinity(0, sizeof(cpus), &cpus)) {
			perror("load: CPU");
			return 1;
		}
	}
	while ((elapsed = now() - start) < seconds) {
		if (rate > 0 && (double)calls > rate * elapsed)
			continue; /* spin, because sleeping would cause events */
		for (int i = 0; i < BATCH; i++)
			syscall(SYS_getppid);
		calls += BATCH;
	}
	printf("%lu\n", calls);
	return 0;
}
