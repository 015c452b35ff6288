/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A CPU that goes offline and comes back during a run, and one that comes online only after its start: nothing is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "run.h"

#define CALLS 5000

static char online_file[64]; /* the sysfs file "online" of the last CPU */
static uint16_t its_channel;

static int set_online(bool online)
{
	return write_file(online_file, 0, online ? "1" : "0");
}

/* Starts a process that brings the CPU online again when this process has ended in any way. */
static int guard(void)
{
	int fds[2];
	char byte;

	if (pipe(fds))
		return -1;
	switch (fork()) {
	case -1:
		return -1;
	case 0:
		close(fds[1]);
		setsid();
		while (read(fds[0], &byte, 1) > 0)
			;
		set_online(true);
		_exit(0);
	default:
		close(fds[0]);
		return 0;
	}
}

static int put_back(void **state)
{
	(void)state;
	return set_online(true);
}

static size_t count_on_channel(const struct receiver *got, uint16_t channel)
{
	size_t n = 0;

	for (size_t i = 0; i < got->n_events; i++)
		n += got->events[i].channel == channel;
	return n;
}

static void begin(struct run *run, unsigned int threads)
{
	run__init(run, "raw_syscalls:sys_enter", only_getppid());
	run->options.threads = threads;
	run__start(run);
}

static void expect_all(struct run *run, size_t there, size_t elsewhere)
{
	run__stop(run);
	receiver__assert_sound(&run->got, 0);
	assert_true(run->counters.balanced);
	assert_int_equal(run->counters.lost_ring, 0);
	assert_int_equal(run->kernel.entries, 0);
	assert_int_equal(run->got.n_events, run->kernel.read);
	assert_true(count_on_channel(&run->got, its_channel) >= there);
	assert_true(run->got.n_events >= there + elsewhere);
	run__fini(run);
}

static void test_off_and_on(void **state)
{
	(void)state;
	for (unsigned int threads = 1; threads <= 2; threads++) {
		struct run run;

		begin(&run, threads);
		getppid_load(3000, CALLS);
		assert_int_equal(set_online(false), 0);
		getppid_load(3000, CALLS);
		usleep(100000);
		assert_int_equal(set_online(true), 0);
		getppid_load(3000, CALLS);
		expect_all(&run, 2 * CALLS, 3 * CALLS);
	}
}

/* Events in the ring of a CPU that is offline at the end of the run are read, too. */
static void test_off_at_the_end(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 1);
	getppid_load(3000, CALLS);
	assert_int_equal(set_online(false), 0);
	expect_all(&run, CALLS, CALLS);
	assert_int_equal(set_online(true), 0);
}

static void test_on_after_the_start(void **state)
{
	struct run run;

	(void)state;
	assert_int_equal(set_online(false), 0);
	begin(&run, 1);
	getppid_load(3000, CALLS);
	assert_int_equal(set_online(true), 0);
	getppid_load(3000, CALLS);
	expect_all(&run, CALLS, 2 * CALLS);
}

/* Tries whether this machine lets a CPU go offline. Return: 0, or 77 after printing why not */
static int need_hotplug(void)
{
	const long cpu = sysconf(_SC_NPROCESSORS_CONF) - 1;
	int err;

	snprintf(online_file, sizeof(online_file), "/sys/devices/system/cpu/cpu%ld/online", cpu);
	its_channel = (uint16_t)(cpu + 1);
	if (cpu < 1) {
		puts("skipped: there is only one CPU");
		return 77;
	}
	if (guard()) {
		puts("skipped: no process to put the CPU back");
		return 77;
	}
	err = set_online(false);
	if (!err)
		err = set_online(true);
	if (err)
		printf("skipped: this machine does not let CPU %ld go offline: %s\n", cpu, strerror(-err));
	return err ? 77 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_off_and_on, put_back),
		cmocka_unit_test_teardown(test_off_at_the_end, put_back),
		cmocka_unit_test_teardown(test_on_after_the_start, put_back),
	};

	return need_tracing() || need_hotplug() ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
}
