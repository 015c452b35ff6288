/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stream has the name that the task of each event had at the time of the event, or the event is counted as unnamed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "run.h"

#define FORKS 300

/* Many tasks live for only a millisecond. */
static void fork_storm(unsigned int threads)
{
	struct run run;

	run__init(&run, "sched,raw_syscalls", NULL);
	run.options.threads = threads;
	run__start(&run);
	for (int i = 0; i < FORKS; i++)
		spawn_true();
	run__stop(&run);
	receiver__assert_sound(&run.got, 0);
	assert_true(run.counters.balanced);
	assert_int_equal(run.counters.bookkeeping_lost, 0);
	assert_true(run.counters.bookkeeping_read >= 3 * FORKS);
	assert_int_equal(receiver__unnamed(&run.got), run.counters.unnamed);
	assert_int_equal(run.counters.unnamed, 0);
	run__fini(&run);
}

static void test_fork_storm(void **state)
{
	(void)state;
	fork_storm(1);
	fork_storm(2);
}

/* Starts a task that has three names in its life. It causes an event with each name: getppid, getppid, and the exit of /bin/true. */
static pid_t live_under_three_names(void)
{
	const pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_NAME, "first name");
		syscall(SYS_getppid);
		prctl(PR_SET_NAME, "second name");
		syscall(SYS_getppid);
		execl("/bin/true", "something else", NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

/* Return: number of older events of the task. Arrival order does not tell, because the task may have changed its CPU. */
static size_t rank_of(const struct receiver *got, const struct got_event *ev)
{
	size_t n = 0;

	for (size_t i = 0; i < got->n_events; i++)
		n += got->events[i].pid == ev->pid && got->events[i].time < ev->time;
	return n;
}

static void test_as_it_was_then(void **state)
{
	static const char *const names[] = { "first name", "second name", "true" };
	size_t seen = 0;
	char filter[64];
	struct run run;
	pid_t pid;

	(void)state;
	snprintf(filter, sizeof(filter), "id == %d || id == %d", SYS_getppid, SYS_exit_group);
	run__init(&run, "raw_syscalls:sys_enter", filter);
	run__start(&run);
	pid = live_under_three_names();
	run__stop(&run);
	for (size_t i = 0; i < run.got.n_events; i++) {
		const struct got_event *ev = &run.got.events[i];
		const struct got_name *name;

		if (ev->pid != (uint32_t)pid)
			continue;
		assert_true(++seen <= 3);
		name = receiver__name_of(&run.got, ev->pid, ev->time);
		assert_non_null(name);
		assert_string_equal(name->name, names[rank_of(&run.got, ev)]);
		assert_int_equal(name->tgid, pid);
	}
	assert_int_equal(seen, 3);
	run__fini(&run);
}

static void *call_as_thread(void *arg)
{
	prctl(PR_SET_NAME, "a thread");
	*(pid_t *)arg = gettid();
	syscall(SYS_getppid);
	return NULL;
}

/* Threads have the tgid of their process: a thread that existed before the run, and one that was created during it. */
static void test_thread(void **state)
{
	const struct got_name *name;
	pthread_t thread;
	size_t seen = 0;
	struct run run;
	pid_t tid = 0;

	(void)state;
	run__init(&run, "raw_syscalls:sys_enter", only_getppid());
	run__start(&run);
	assert_int_equal(pthread_create(&thread, NULL, call_as_thread, &tid), 0);
	pthread_join(thread, NULL);
	syscall(SYS_getppid);
	run__stop(&run);
	for (size_t i = 0; i < run.got.n_events; i++) {
		const struct got_event *ev = &run.got.events[i];

		if (ev->pid != (uint32_t)tid && ev->pid != (uint32_t)getpid())
			continue;
		name = receiver__name_of(&run.got, ev->pid, ev->time);
		assert_non_null(name);
		assert_int_equal(name->tgid, getpid());
		assert_string_equal(name->name, ev->pid == (uint32_t)tid ? "a thread" : "test_names");
		seen++;
	}
	assert_int_equal(seen, 2);
	run__fini(&run);
}

/* If the counters of the rings cannot be read, the number of lost names is unknown, not 0. */
static void test_unreadable_counters(void **state)
{
	struct rlimit limit, none;
	struct run run;

	(void)state;
	run__init(&run, "sched", NULL);
	run__start(&run);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){ .rlim_cur = 0, .rlim_max = limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	tw_producer__counters(run.producer, &run.counters);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_true(run.counters.bookkeeping_unsure > 0);
	run__stop(&run);
	assert_int_equal(run.counters.bookkeeping_unsure, 0);
	run__fini(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fork_storm),
		cmocka_unit_test(test_as_it_was_then),
		cmocka_unit_test(test_thread),
		cmocka_unit_test(test_unreadable_counters),
	};

	return need_tracing() ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
}
