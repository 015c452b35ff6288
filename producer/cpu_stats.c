/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/cpu_stats.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *key;
	size_t offset;
} lines[] = {
	{ "entries: ", offsetof(struct tw_cpu_stats, entries) },
	{ "overrun: ", offsetof(struct tw_cpu_stats, overrun) },
	{ "commit overrun: ", offsetof(struct tw_cpu_stats, commit_overrun) },
	{ "dropped events: ", offsetof(struct tw_cpu_stats, dropped) },
	{ "read events: ", offsetof(struct tw_cpu_stats, read) },
};

int tw_cpu_stats__parse(int fd, struct tw_cpu_stats *ret)
{
	char text[1024];
	char *line, *save = NULL;
	const ssize_t len = pread(fd, text, sizeof(text) - 1, 0);

	if (len < 0)
		return -errno;
	text[len] = '\0';
	*ret = (struct tw_cpu_stats){ 0 };
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
			const size_t key = strlen(lines[i].key);

			if (!strncmp(line, lines[i].key, key))
				*(uint64_t *)(void *)((char *)ret + lines[i].offset) = strtoull(line + key, NULL, 10);
		}
	}
	return 0;
}

int tw_cpu_stats__read(const struct tw_instance *instance, unsigned int cpu, struct tw_cpu_stats *ret)
{
	char file[64];
	int fd, rc;

	snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpu);
	fd = tw_instance__open(instance, file, O_RDONLY);
	if (fd < 0)
		return fd;
	rc = tw_cpu_stats__parse(fd, ret);
	close(fd);
	return rc;
}
