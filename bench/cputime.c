/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cputime FILE COMMAND [ARG ...] -- runs a command and writes "CPU WALL" to FILE, in seconds. CPU is the user and system time of the
 * command and all children that it waited for, from the kernel's accounting; WALL is the elapsed time. Exits with the command's status, or
 * 128 + n if signal n ended the command.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(const struct timeval *tv)
{
	return (double)tv->tv_sec + (double)tv->tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct timespec start, end;
	struct rusage usage;
	int status;
	FILE *file;
	pid_t pid;

	if (argc < 3 || clock_gettime(CLOCK_MONOTONIC, &start))
		return 2;
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || clock_gettime(CLOCK_MONOTONIC, &end))
		return 1;
	file = fopen(argv[1], "w");
	if (!file)
		return 1;
	fprintf(file, "%.6f %.6f\n", seconds(&usage.ru_utime) + seconds(&usage.ru_stime),
		(double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9);
	fclose(file);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
