/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "producer/tracing_dir.h"

#define FRAME_MAX 8000
#define CPUS      64

char *run__file(const struct run *run, const char *file, char buf[256])
{
	const char *dir = NULL;

	assert_int_equal(tw_tracing_dir__find(&dir, NULL), 0);
	if (run)
		snprintf(buf, 256, "%s/instances/%s/%s", dir, tw_producer__instance(run->producer), file);
	else
		snprintf(buf, 256, "%s/%s", dir, file);
	return buf;
}

int write_file(const char *path, int flags, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC | flags);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

char *read_file(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (file && getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	return text;
}

void run__init(struct run *run, const char *spec, const char *filter)
{
	*run = (struct run){ .requests = { { spec, filter } } };
	memory_sink__init(&run->memory, FRAME_MAX);
	run->options = (struct tw_producer_options){
		.events = run->requests,
		.n_events = 1,
		.show_self = true, /* so that filter files contain only what a test asks for */
		.open_sink = memory_sink__open,
		.ctx = &run->memory,
	};
}

void run__start(struct run *run)
{
	struct tw_error error = { "" };

	if (tw_producer__new(&run->options, &run->producer, &error))
		fail_msg("%s", error.text);
	if (tw_producer__start(run->producer, &error))
		fail_msg("%s", error.text);
}

void run__await_enabled(const struct run *run, const char *event)
{
	char file[128], path[256], *text = NULL;

	snprintf(file, sizeof(file), "events/%s/enable", event);
	run__file(run, file, path);
	for (int i = 0; i < 2000 && !(text && *text == '1'); i++) {
		usleep(10000);
		free(text);
		text = read_file(path);
	}
	assert_true(text && *text == '1');
	free(text);
}

static bool has_enough(struct run *run, bool (*enough)(const struct receiver *got))
{
	struct receiver got;
	bool ret;

	pthread_mutex_lock(&run->memory.lock);
	receiver__read(&got, &run->memory);
	pthread_mutex_unlock(&run->memory.lock);
	ret = enough(&got);
	receiver__fini(&got);
	return ret;
}

void run__await(struct run *run, bool (*enough)(const struct receiver *got))
{
	bool is_enough = has_enough(run, enough);

	for (int i = 0; i < 3000 && !is_enough; i++) {
		usleep(20000);
		is_enough = has_enough(run, enough);
	}
	assert_true(is_enough);
}

/* The number after a key at the beginning of a line. */
static uint64_t number_of(const char *text, const char *key)
{
	const size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, len))
			return strtoull(line + len, NULL, 10);
	}
	return 0;
}

/* Reads the kernel's counters, and adds those of all CPUs. */
static struct run_kernel kernel_counters(const struct run *run)
{
	struct run_kernel k = { 0 };
	char file[64], path[256];

	for (int cpu = 0; cpu < CPUS; cpu++) {
		char *text;

		snprintf(file, sizeof(file), "per_cpu/cpu%d/stats", cpu);
		text = read_file(run__file(run, file, path));
		k.entries += number_of(text, "entries: ");
		k.overrun += number_of(text, "overrun: ");
		k.commit_overrun += number_of(text, "commit overrun: ");
		k.dropped += number_of(text, "dropped events: ");
		k.read += number_of(text, "read events: ");
		free(text);
	}
	return k;
}

void run__stop(struct run *run)
{
	struct tw_error error = { "" };

	run->result = tw_producer__stop(run->producer, &error);
	tw_producer__counters(run->producer, &run->counters);
	if (!run->cleared)
		assert_int_equal(run->counters.unsure.rings, 0);
	assert_false(run->counters.switched_off);
	run->kernel = kernel_counters(run);
	tw_producer__free(run->producer);
	run->producer = NULL;
	receiver__read(&run->got, &run->memory);
}

void run__fini(struct run *run)
{
	receiver__fini(&run->got);
	memory_sink__fini(&run->memory);
}

struct load {
	pthread_t thread;
	int cpu;
	unsigned int ms;
	unsigned long calls;
};

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void *call_getppid(void *arg)
{
	const struct load *load = arg;
	const uint64_t until = now_ms() + load->ms;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)load->cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (unsigned long i = 0; !load->calls || i < load->calls; i++) {
		syscall(SYS_getppid);
		if (!(i % 64) && now_ms() >= until)
			break;
	}
	return NULL;
}

void getppid_load(unsigned int ms, unsigned long calls)
{
	struct load loads[CPUS];
	cpu_set_t set;
	int n = 0;

	sched_getaffinity(0, sizeof(set), &set);
	for (int cpu = 0; cpu < CPUS; cpu++) {
		if (!CPU_ISSET((size_t)cpu, &set))
			continue;
		loads[n] = (struct load){ .cpu = cpu, .ms = ms, .calls = calls };
		assert_int_equal(pthread_create(&loads[n].thread, NULL, call_getppid, &loads[n]), 0);
		n++;
	}
	while (n--)
		pthread_join(loads[n].thread, NULL);
}

void run__overload(const struct run *run)
{
	for (int i = 0; i < 100 && !kernel_counters(run).overrun; i++)
		getppid_load(40, 0);
}

void spawn_true(void)
{
	char *argv[] = { (char[]){ "true" }, NULL };
	pid_t pid;

	assert_int_equal(posix_spawn(&pid, "/bin/true", NULL, NULL, argv, NULL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

const char *only_getppid(void)
{
	static char filter[32];

	snprintf(filter, sizeof(filter), "id == %d", SYS_getppid);
	return filter;
}

int need_tracing(void)
{
	struct tw_error error;
	const char *dir;

	if (geteuid() == 0 && !tw_tracing_dir__find(&dir, &error))
		return 0;
	printf("skipped: %s\n", geteuid() ? "tracing needs root" : error.text);
	return 77;
}
