/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "producer/tasks/task_scan.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/tasks/task_names.h"
#include "producer/tracing_dir.h"
#include "wire/tracewire.h"

/* /proc shows what a kworker works on behind its name ("kworker/0:1-events"), task->comm and so the trace does not. */
static void cut_workqueue(char *name)
{
	unsigned int a, b;
	int end = 0;

	if (sscanf(name, "kworker/%u:%u%n", &a, &b, &end) != 2 && sscanf(name, "kworker/u%u:%u%n", &a, &b, &end) != 2)
		return;
	name[(size_t)end + strcspn(name + end, "-+")] = '\0';
}

static bool read_comm(const char *path, char name[TW_TASK_NAME])
{
	char buf[128];
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t len = fd < 0 ? -1 : read(fd, buf, sizeof(buf) - 1);

	if (fd >= 0)
		close(fd);
	if (len <= 0)
		return false;
	buf[len - (buf[len - 1] == '\n')] = '\0';
	cut_workqueue(buf);
	snprintf(name, TW_TASK_NAME, "%.*s", TW_TASK_NAME - 1, buf);
	return true;
}

static void scan_process(struct tw_task_names *names, uint32_t tgid)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", tgid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		struct tw_producer_task task = { .origin = TW_COMM_PROC, .tgid = tgid };

		task.pid = (uint32_t)strtoul(entry->d_name, NULL, 10);
		snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", tgid, task.pid);
		if (task.pid && read_comm(path, task.name))
			tw_task_names__learn(names, &task);
	}
	if (dir)
		closedir(dir);
}

void tw_task_scan__proc(struct tw_task_names *names)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const uint32_t tgid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (tgid)
			scan_process(names, tgid);
	}
	if (dir)
		closedir(dir);
}

void tw_task_scan__saved(struct tw_task_names *names)
{
	const char *dir;
	char *text, *line, *save = NULL;

	if (tw_tracing_dir__find(&dir, NULL) || tw_tracing_file__read(dir, "saved_cmdlines", &text, NULL))
		return;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct tw_producer_task task = { .origin = TW_COMM_SAVED };
		int at = 0;

		if (sscanf(line, "%u %n", &task.pid, &at) != 1 || !at || tw_task_names__is_named(names, task.pid))
			continue;
		snprintf(task.name, sizeof(task.name), "%.*s", TW_TASK_NAME - 1, line + at);
		tw_task_names__learn(names, &task);
	}
	free(text);
}

static uint32_t read_tgid(uint32_t pid)
{
	char path[64], line[256];
	uint32_t tgid = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %u", &tgid) == 1)
			break;
	if (file)
		fclose(file);
	return tgid;
}

bool tw_task_scan__pid(struct tw_task_names *names, uint32_t pid, uint64_t before)
{
	struct tw_producer_task task = { .origin = TW_COMM_PROC, .pid = pid, .before = before };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/comm", pid); /* of any thread, though only leaders are listed */
	if (!read_comm(path, task.name))
		return false;
	task.tgid = read_tgid(pid);
	return tw_task_names__learn(names, &task);
}
