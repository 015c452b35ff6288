/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * age -- reads lines that begin with an event's time on CLOCK_MONOTONIC, as printed by tshark, and prints the age of the events when their
 * lines arrived, in us. Events from before the first line was read are left out, because tshark was still starting.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"

#define LINES_MAX 1000000

static uint64_t ages[LINES_MAX]; /* ns */
static size_t n_ages, n_early;
static uint64_t first_arrival;

/* Parse the time of a line like "4807.834930963 ...". Return: ns; 0 for any other line */
static uint64_t event_time(const char *line)
{
	unsigned long long seconds, ns;
	int end = 0;

	if (sscanf(line, " %llu.%9llu %n", &seconds, &ns, &end) != 2 || !end)
		return 0;
	return seconds * TW_NS_PER_SECOND + ns;
}

static void take_line(const char *line, uint64_t arrival)
{
	const uint64_t time = event_time(line);

	if (!time)
		return;
	if (!first_arrival)
		first_arrival = arrival;
	if (time < first_arrival)
		n_early++;
	else if (n_ages < LINES_MAX)
		ages[n_ages++] = arrival > time ? arrival - time : 0;
}

/*
 * Process all complete lines of the buffer, which arrived together. Return: number of bytes of an incomplete line, moved to the beginning
 */
static size_t take_lines(char *buf, size_t len, uint64_t arrival)
{
	char *at = buf, *end;

	while ((end = memchr(at, '\n', len - (size_t)(at - buf)))) {
		*end = '\0';
		take_line(at, arrival);
		at = end + 1;
	}
	len -= (size_t)(at - buf);
	memmove(buf, at, len);
	return len;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static unsigned long long percentile(unsigned int percent)
{
	return (unsigned long long)(ages[(n_ages - 1) * percent / 100] / 1000);
}

int main(void)
{
	static char buf[1 << 16];
	size_t len = 0;
	ssize_t n;

	while ((n = read(STDIN_FILENO, buf + len, sizeof(buf) - len)) > 0)
		len = take_lines(buf, len + (size_t)n, tw_time__now(CLOCK_MONOTONIC));
	if (!n_ages) {
		fputs("age: no line came\n", stderr);
		return 1;
	}
	qsort(ages, n_ages, sizeof(ages[0]), compare);
	printf("lines=%zu early=%zu p50=%llu p90=%llu p99=%llu max=%llu\n", n_ages, n_early, percentile(50),
	       percentile(90), percentile(99), percentile(100));
	return 0;
}
