/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run ends, and its counters balance, even if tracing cannot be switched off and the rings fill as fast as they are read.
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/time.h"
#include "run.h"

#define CPUS_MAX  64
#define PATIENCE  60    /* seconds; a run with this fault would never end, because the writers never end */
#define MOMENT_US 10000 /* time between two checks */
#define SLOW_NS   (5 * TW_NS_PER_MS)

struct writers {
	pid_t pids[CPUS_MAX];
	int n;
};

static void call_getppid(void)
{
	syscall(SYS_getppid);
}

static void rename_itself(void)
{
	static unsigned int times;
	char name[16];

	snprintf(name, sizeof(name), "renamed%u", times++ % 100);
	prctl(PR_SET_NAME, name);
}

static void __attribute__((noreturn)) write_for_ever(size_t cpu, void (*write_one)(void))
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		write_one();
}

/* Starts a process on each CPU that calls @write_one again and again. */
static void start_writers(struct writers *writers, void (*write_one)(void))
{
	cpu_set_t set;

	writers->n = 0;
	sched_getaffinity(0, sizeof(set), &set);
	for (size_t cpu = 0; cpu < CPUS_MAX; cpu++) {
		if (!CPU_ISSET(cpu, &set))
			continue;
		writers->pids[writers->n] = fork();
		if (!writers->pids[writers->n])
			write_for_ever(cpu, write_one);
		assert_true(writers->pids[writers->n++] > 0);
	}
}

/* Kills the writers, and checks that they wrote until now. */
static void stop_writers(const struct writers *writers)
{
	for (int i = 0; i < writers->n; i++) {
		int status;

		assert_int_equal(kill(writers->pids[i], SIGKILL), 0);
		assert_int_equal(waitpid(writers->pids[i], &status, 0), writers->pids[i]);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	}
}

/* From now on, writes to the file @file of @dir fail, and do not reach the kernel. */
static void refuse_writes(const char *dir, const char *file, char path[256])
{
	snprintf(path, 256, "%.200s/%s", dir, file);
	assert_int_equal(mount("/dev/full", path, NULL, MS_BIND, NULL), 0);
}

static void await_events(const struct run *run)
{
	struct tw_producer_counters counters = { 0 };

	for (int i = 0; i < 1000 && counters.read < 1000; i++) {
		usleep(MOMENT_US);
		tw_producer__counters(run->producer, &counters);
	}
	assert_true(counters.read >= 1000);
}

static void expect_balance(const struct run *run)
{
	const struct tw_producer_counters *b = &run->counters;

	assert_true(b->balanced);
	assert_int_equal(b->unsure.rings, 0);
	assert_int_equal(b->recorded, b->delivered + b->lost_ring + b->shed + b->lost_tx);
	receiver__assert_sound(&run->got, 0);
	assert_int_equal(run->got.n_events, b->delivered);
	assert_int_equal(receiver__lost(&run->got, TW_LOST_RING), b->lost_ring);
	assert_int_equal(run->got.stats[TW_STAT_RECORDED], b->recorded);
	assert_int_equal(run->got.n_ends, 1);
}

/* Tracing cannot be switched off. Events in the rings are sent, and later ones count as lost in the ring. @frame_ns: time per frame */
static void not_switched_off(uint64_t frame_ns)
{
	char dir[256], path[256];
	struct writers writers;
	struct tw_error error = { "" };
	struct run run;

	run__init(&run, "raw_syscalls:sys_enter", only_getppid());
	run.options.buffer_kib = 256;
	run.memory.frame_ns = frame_ns;
	run__start(&run);
	refuse_writes(run__file(&run, ".", dir), "tracing_on", path);
	start_writers(&writers, call_getppid);
	await_events(&run);
	run.result = tw_producer__stop(run.producer, &error);
	stop_writers(&writers);
	assert_int_equal(run.result, -ENOSPC);
	assert_non_null(strstr(error.text, "tracing cannot be switched off"));
	tw_producer__counters(run.producer, &run.counters);
	assert_int_equal(umount(path), 0);
	tw_producer__free(run.producer);
	receiver__read(&run.got, &run.memory);
	expect_balance(&run);
	print_message("%lu events recorded, %lu lost in the ring\n", run.counters.recorded, run.counters.lost_ring);
	run__fini(&run);
}

static void test_not_switched_off(void **state)
{
	(void)state;
	not_switched_off(0);
}

/* Rings that are read in step, because frames have to wait. */
static void test_slow_and_not_switched_off(void **state)
{
	(void)state;
	not_switched_off(SLOW_NS);
}

/* Events about the names of tasks are recorded without end. Other events are sent meanwhile, and the run ends. */
static void test_names_without_end(void **state)
{
	char dir[256], tasks[300], path[256];
	struct writers writers;
	struct run run;

	(void)state;
	run__init(&run, "raw_syscalls:sys_enter", only_getppid());
	run__start(&run);
	run__file(&run, "", dir);
	dir[strlen(dir) - 1] = '\0'; /* the slash */
	snprintf(tasks, sizeof(tasks), "%s-tasks", dir);
	refuse_writes(tasks, "tracing_on", path);
	start_writers(&writers, rename_itself);
	getppid_load(1000, 1000);
	await_events(&run);
	run.result = tw_producer__stop(run.producer, NULL);
	stop_writers(&writers);
	tw_producer__counters(run.producer, &run.counters);
	assert_int_equal(umount(path), 0);
	tw_producer__free(run.producer);
	assert_int_equal(run.result, 0);
	receiver__read(&run.got, &run.memory);
	expect_balance(&run);
	run__fini(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not_switched_off),
		cmocka_unit_test(test_slow_and_not_switched_off),
		cmocka_unit_test(test_names_without_end),
	};

	if (need_tracing())
		return 77;
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
		printf("skipped: no mount namespace can be made\n");
		return 77;
	}
	alarm(PATIENCE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
