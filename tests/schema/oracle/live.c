/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load.h"
#include "oracle.h"

#define SECONDS_MAX  30 /* for recording */
#define TENTHS_MIN   3  /* tenths of a second: rare events need some time */
#define SECONDS_TEST 100
#define BUFFER_KIB   (16 * 1024) /* of each CPU */
#define LOADS        2

const char *const live__systems[] = { "sched", "irq",  "net",     "skb",   "syscalls",  "raw_syscalls",
				      "kmem",  "task", "signal",  "timer", "writeback", "workqueue",
				      "sock",  "mmap", "filemap", NULL };
/* Enabled if the kernel has them. */
static const char *const more_systems[] = {
	"block",   "ext4",       "jbd2",      "exceptions", "irq_vectors", "ipi",    "napi", "qdisc",
	"x86_fpu", "rcu",        "percpu",    "maple_tree", "power",       "cgroup", "tlb",  "compaction",
	"vmalloc", "notifier",   "msr",       "csd",        "neigh",       "fib",    "udp",  "timer_migration",
	"tcp",     "alarmtimer", "mmap_lock", "fs_dax",     "oom",         "printk", "xdp",  "iommu",
	"kvm",
};

const struct tw_format *live__format(struct tw_schema *schema, const struct tep_event *event)
{
	const struct tw_format *format = tw_schema__by_id(schema, (uint16_t)event->id);
	struct tw_error err = { "" };
	char *text;
	int size;

	if (format)
		return format;
	text = tracefs_event_file_read(NULL, event->system, event->name, "format", &size);
	if (!text || tw_schema__add(schema, event->system, text, (size_t)size, &format, &err))
		printf("%s:%s: %s\n", event->system, event->name, text ? err.text : strerror(errno));
	free(text);
	return format;
}

static unsigned long entries(struct tracefs_instance *instance)
{
	unsigned long sum = 0, n;

	for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		char file[64], *stats;

		snprintf(file, sizeof(file), "per_cpu/cpu%ld/stats", cpu);
		stats = tracefs_instance_file_read(instance, file, NULL);
		if (stats && sscanf(stats, "entries: %lu", &n) == 1)
			sum += n;
		free(stats);
	}
	return sum;
}

/* Causes records that belong to no enabled event: print, raw_data, and for a short time kernel_stack and user_stack after each event. */
static void record_ftrace(struct tracefs_instance *instance)
{
	static const char raw[] = "\x01\0\0\0raw data with a NUL \0 in it";

	tracefs_instance_file_write(instance, "trace_marker", "hello from the oracle\n");
	tracefs_instance_file_write(instance, "trace_marker", "x");
	tracefs_binary_write(instance, (void *)raw, sizeof(raw));
	tracefs_option_enable(instance, TRACEFS_OPTION_STACKTRACE);
	tracefs_option_enable(instance, TRACEFS_OPTION_USERSTACKTRACE);
	usleep(20 * 1000);
	tracefs_option_disable(instance, TRACEFS_OPTION_STACKTRACE);
	tracefs_option_disable(instance, TRACEFS_OPTION_USERSTACKTRACE);
}

static int enable(struct tracefs_instance *instance)
{
	if (tracefs_instance_set_buffer_size(instance, BUFFER_KIB, -1)) {
		printf("the instance gets no %d KiB for each CPU: %s\n", BUFFER_KIB, strerror(errno));
		return -1;
	}
	for (size_t i = 0; live__systems[i]; i++) {
		if (tracefs_event_enable(instance, live__systems[i], NULL)) {
			printf("system %s cannot be enabled: %s\n", live__systems[i], strerror(errno));
			return -1;
		}
	}
	for (size_t i = 0; i < sizeof(more_systems) / sizeof(more_systems[0]); i++)
		tracefs_event_enable(instance, more_systems[i], NULL);
	return 0;
}

int live__record(struct tracefs_instance *instance)
{
	pid_t loads[LOADS];
	unsigned int tenths = 0;

	if (enable(instance))
		return -1;
	for (size_t i = 0; i < LOADS; i++)
		loads[i] = load__start();
	while ((tenths < TENTHS_MIN || entries(instance) < LIVE_EVENTS_MIN * 11 / 10) && tenths++ < SECONDS_MAX * 10)
		usleep(100 * 1000);
	record_ftrace(instance); /* at the end, so that no later record overwrites these records */
	tracefs_trace_off(instance);
	for (size_t i = 0; i < LOADS; i++)
		load__stop(loads[i]);
	tracefs_event_disable(instance, NULL, NULL);
	return 0;
}

static volatile sig_atomic_t stopped;

static void stop(int number)
{
	stopped = number;
}

/* Waits for the test, and ends it at the time limit or after a signal. Return: its exit status */
static int supervise(pid_t pid)
{
	const struct sigaction action = { .sa_handler = stop };
	int status;

	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	alarm(SECONDS_TEST);
	while (waitpid(pid, &status, 0) < 0) {
		if (stopped) {
			printf("ended by signal %d\n", stopped);
			kill(pid, SIGKILL);
		}
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int live__run(live_test test)
{
	struct tracefs_instance *instance;
	char name[64];
	int status = 1;
	pid_t pid;

	if (geteuid() || !tracefs_tracing_dir()) {
		printf("SKIP: recording needs root and tracefs\n");
		return SKIPPED;
	}
	/* not "tracewire-...", which `tracewire cleanup` removes */
	snprintf(name, sizeof(name), "schema-oracle-%d", getpid());
	instance = tracefs_instance_create(name);
	if (!instance) {
		printf("the instance %s cannot be created: %s\n", name, strerror(errno));
		return 1;
	}
	fflush(stdout);
	pid = fork();
	if (!pid) {
		status = test(instance);
		fflush(stdout);
		_exit(status);
	}
	if (pid > 0)
		status = supervise(pid);
	for (int i = 0; tracefs_instance_destroy(instance) && i < 50; i++)
		usleep(100 * 1000); /* the instance is busy while a killed process still has one of its files open */
	if (tracefs_instance_exists(name)) {
		printf("the instance %s could not be removed\n", name);
		status = 1;
	}
	tracefs_instance_free(instance);
	return status;
}
