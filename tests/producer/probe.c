/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "run.h"

__attribute__((noinline)) void probe__target(long number)
{
	__asm__ volatile("" ::"r"(number) : "memory");
}

/* Gets "PATH:OFFSET" of probe__target(). Return: false if it cannot be found */
static bool place_of_target(char buf[512])
{
	char exe[256], line[512];
	const ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long from, to, offset;
	bool found = false;

	assert_true(len > 0);
	exe[len] = '\0';
	while (maps && !found && fgets(line, sizeof(line), maps)) {
		const unsigned long at = (unsigned long)(void *)probe__target;

		found = sscanf(line, "%lx-%lx %*s %lx", &from, &to, &offset) == 3 && at >= from && at < to;
		if (found)
			snprintf(buf, 512, "%s:0x%lx", exe, at - from + offset);
	}
	if (maps)
		fclose(maps);
	return found;
}

int probe__define(const char *name, const char *arguments)
{
	char path[256], place[512], text[1024];

	assert_true(place_of_target(place));
	if (*name == '-')
		snprintf(text, sizeof(text), "-:twtest%d/%s", getpid(), name + 1);
	else
		snprintf(text, sizeof(text), "p:twtest%d/%s %s %s", getpid(), name, place, arguments);
	return write_file(run__file(NULL, "uprobe_events", path), O_APPEND, text);
}
