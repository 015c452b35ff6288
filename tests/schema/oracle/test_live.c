/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_live KNOWN: a mixed recording of this kernel in a tracefs instance of our own, every value of every field of every
 * record read by us and by libtraceevent. A parent process owns the instance and removes it however the test ends.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tracefs.h>

#include "load.h"
#include "oracle.h"

#define EVENTS_MIN   200000
#define SECONDS_MAX  30 /* for recording */
#define SECONDS_TEST 100
#define BUFFER_KIB   (16 * 1024) /* of each CPU */
#define LOADS        2

/* Must be seen in the recording. */
static const char *const systems[] = { "sched",        "irq",       "net",  "skb",    "syscalls",
				       "raw_syscalls", "kmem",      "task", "signal", "timer",
				       "writeback",    "workqueue", "sock", "mmap",   "filemap" };
/* Enabled where the kernel has them. */
static const char *const more_systems[] = {
	"block",   "ext4",     "jbd2",   "exceptions", "irq_vectors", "ipi",    "napi", "qdisc",
	"x86_fpu", "rcu",      "percpu", "maple_tree", "power",       "cgroup", "tlb",  "compaction",
	"vmalloc", "notifier", "msr",    "csd",        "neigh",       "fib",    "udp",  "timer_migration",
};

struct recording {
	struct tw_schema *schema;
	struct value_counts counts;
	unsigned long seen[65536];
	struct tep_handle *tep;
};

static const struct tw_format *format_of(struct recording *r, const struct tep_event *event)
{
	const struct tw_format *format = tw_schema__by_id(r->schema, (uint16_t)event->id);
	struct tw_error err = { "" };
	char *text;
	int size;

	if (format)
		return format;
	text = tracefs_event_file_read(NULL, event->system, event->name, "format", &size);
	if (!text || tw_schema__add(r->schema, event->system, text, (size_t)size, &format, &err))
		printf("%s:%s: %s\n", event->system, event->name, text ? err.text : strerror(errno));
	free(text);
	return format;
}

static int visit(struct tep_event *event, struct tep_record *record, int cpu, void *context)
{
	struct recording *r = context;
	const struct tw_format *format = format_of(r, event);

	(void)cpu;
	if (!format || format->id != event->id)
		return -1;
	compare_record(format, event, record, &r->counts);
	r->seen[format->id]++;
	return 0;
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

/* Records that come from no event: print, raw_data, and kernel_stack behind each event for a moment. */
static void record_ftrace(struct tracefs_instance *instance)
{
	static const char raw[] = "\x01\0\0\0raw data with a NUL \0 in it";

	tracefs_instance_file_write(instance, "trace_marker", "hello from the oracle\n");
	tracefs_instance_file_write(instance, "trace_marker", "x");
	tracefs_binary_write(instance, (void *)raw, sizeof(raw));
	if (tracefs_option_enable(instance, TRACEFS_OPTION_STACKTRACE))
		return;
	usleep(20 * 1000);
	tracefs_option_disable(instance, TRACEFS_OPTION_STACKTRACE);
}

static int enable(struct tracefs_instance *instance)
{
	if (tracefs_instance_set_buffer_size(instance, BUFFER_KIB, -1)) {
		printf("the instance gets no %d KiB for each CPU: %s\n", BUFFER_KIB, strerror(errno));
		return -1;
	}
	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++) {
		if (tracefs_event_enable(instance, systems[i], NULL)) {
			printf("system %s cannot be enabled: %s\n", systems[i], strerror(errno));
			return -1;
		}
	}
	for (size_t i = 0; i < sizeof(more_systems) / sizeof(more_systems[0]); i++)
		tracefs_event_enable(instance, more_systems[i], NULL);
	return 0;
}

static int record(struct tracefs_instance *instance)
{
	pid_t loads[LOADS];
	unsigned int tenths = 0;

	if (enable(instance))
		return -1;
	for (size_t i = 0; i < LOADS; i++)
		loads[i] = load__start();
	record_ftrace(instance);
	while (entries(instance) < EVENTS_MIN * 11 / 10 && tenths++ < SECONDS_MAX * 10)
		usleep(100 * 1000);
	tracefs_trace_off(instance);
	for (size_t i = 0; i < LOADS; i++)
		load__stop(loads[i]);
	tracefs_event_disable(instance, NULL, NULL);
	return 0;
}

static bool was_seen(const struct recording *r, const char *system, const char *event)
{
	for (size_t i = 0; i < tw_schema__count(r->schema); i++) {
		const struct tw_format *format = tw_schema__at(r->schema, i);

		if (r->seen[format->id] && !strcmp(format->system, system) && (!event || !strcmp(format->name, event)))
			return true;
	}
	return false;
}

static int check_seen(const struct recording *r)
{
	static const char *const of_ftrace[] = { "print", "raw_data", "kernel_stack" };
	int missing = 0;

	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++) {
		if (!was_seen(r, systems[i], NULL)) {
			printf("no event of system %s was recorded\n", systems[i]);
			missing++;
		}
	}
	for (size_t i = 0; i < sizeof(of_ftrace) / sizeof(of_ftrace[0]); i++) {
		if (!was_seen(r, "ftrace", of_ftrace[i])) {
			printf("no ftrace:%s was recorded\n", of_ftrace[i]);
			missing++;
		}
	}
	return missing;
}

static int test(struct tracefs_instance *instance)
{
	static struct recording r;
	int err, missing;

	r.schema = tw_schema__new();
	tep_set_loglevel(TEP_LOG_NONE);
	r.tep = tracefs_local_events(NULL);
	if (!r.schema || !r.tep || record(instance))
		return 1;
	err = tracefs_iterate_raw_events(r.tep, instance, NULL, 0, visit, &r);
	print_values(&r.counts);
	missing = check_seen(&r);
	if (err)
		printf("libtracefs ended with %d\n", err);
	if (r.counts.records < EVENTS_MIN)
		printf("that is too few to tell: %d are wanted\n", EVENTS_MIN);
	tep_free(r.tep);
	err = err || missing || differences() || r.counts.records < EVENTS_MIN || !r.counts.dynamic ||
	      !r.counts.elements;
	tw_schema__free(r.schema);
	return err;
}

static volatile sig_atomic_t stopped;

static void stop(int number)
{
	stopped = number;
}

/* Wait for the test, end it when the time is up or somebody wants us gone. Return: its exit status */
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

int main(int argc, char **argv)
{
	struct tracefs_instance *instance;
	char name[64];
	int status = 1;
	pid_t pid;

	if (argc != 2)
		return 1;
	if (geteuid() || !tracefs_tracing_dir()) {
		printf("SKIP: recording needs root and tracefs\n");
		return SKIPPED;
	}
	known__load(argv[1]);
	/* not "tracewire-...": those are removed by `tracewire cleanup` */
	snprintf(name, sizeof(name), "schema-oracle-%d", getpid());
	instance = tracefs_instance_create(name);
	if (!instance) {
		printf("the instance %s cannot be made: %s\n", name, strerror(errno));
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
		usleep(100 * 1000); /* busy as long as a file of a process just killed is open */
	if (tracefs_instance_exists(name)) {
		printf("the instance %s could not be removed\n", name);
		status = 1;
	}
	tracefs_instance_free(instance);
	return status;
}
