/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every event that the kernel recorded is delivered or reported as lost, with rings that overrun, and with rings that do not. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "run.h"

#define OVERLOADS 20

/* Checks the invariants of any run, whatever was lost. */
static void expect_balance(const struct run *run)
{
	const struct tw_producer_counters *b = &run->counters;
	const struct run_kernel *k = &run->kernel;

	assert_int_equal(run->result, 0);
	assert_true(b->balanced);
	assert_int_equal(b->recorded, b->delivered + b->lost_ring + b->shed + b->lost_tx);
	assert_int_equal(b->read, k->read);
	assert_int_equal(b->recorded, k->read + k->entries + k->overrun + k->commit_overrun + k->dropped);
	assert_int_equal(k->entries, 0);
	receiver__assert_sound(&run->got, 0);
	assert_int_equal(run->got.n_events, b->delivered);
	assert_int_equal(receiver__lost(&run->got, TW_LOST_RING), b->lost_ring);
	assert_int_equal(run->got.flagged, b->late);
	assert_int_equal(run->got.stats[TW_STAT_READ], b->read);
	assert_int_equal(run->got.stats[TW_STAT_OVERRUN], b->lost_ring);
	assert_int_equal(run->got.stats[TW_STAT_RECORDED], b->recorded);
	assert_int_equal(b->frames, run->memory.n);
	assert_true(run->got.n_watermarks > 0);
	assert_int_equal(run->got.n_ends, 1);
}

/* Rings of 64 KiB, read every 10 ms, under a load that fills them in less time. */
static void test_overload(void **state)
{
	uint64_t lost = 0, read = 0, unknown = 0;

	(void)state;
	for (int i = 0; i < OVERLOADS; i++) {
		struct run run;

		run__init(&run, "raw_syscalls:sys_enter", only_getppid());
		run.options.buffer_kib = 64;
		run.options.subbuf_kib = 4;
		run.options.threads = 1 + (unsigned int)i % 2;
		run.options.events_per_frame = i % 5 == 4;
		run__start(&run);
		run__overload(&run);
		run__stop(&run);
		expect_balance(&run);
		assert_true(run.counters.lost_ring > 0);
		lost += run.counters.lost_ring;
		read += run.counters.read;
		for (size_t k = 0; k < run.got.n_lost; k++)
			unknown += run.got.lost[k].unknown;
		run__fini(&run);
	}
	printf("%d overloads: %lu events read, %lu lost, %lu LOST records not exactly placed\n", OVERLOADS, read, lost,
	       unknown);
}

static void lossless(unsigned int threads, unsigned int interval_ms)
{
	struct run run;

	run__init(&run, "raw_syscalls", only_getppid());
	run.options.threads = threads;
	run.options.latency_ms = interval_ms;
	run.options.buffer_kib = 16384;
	run__start(&run);
	getppid_load(2000, 100000);
	run__stop(&run);
	expect_balance(&run);
	assert_int_equal(run.counters.lost_ring, 0);
	assert_int_equal(run.got.n_lost, 0);
	assert_int_equal(run.got.n_events, run.counters.read);
	assert_true(run.got.n_events >= 2 * 100000);
	run__fini(&run);
}

static void test_lossless(void **state)
{
	(void)state;
	lossless(1, 5);
	lossless(2, 0);
}

/* A process on the last CPU causes events at a low rate. */
static void trickle(void)
{
	const pid_t pid = fork();

	if (!pid) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET((size_t)sysconf(_SC_NPROCESSORS_ONLN) - 1, &set);
		sched_setaffinity(0, sizeof(set), &set);
		for (int i = 0; i < 40000; i++) {
			syscall(SYS_getppid);
			for (int k = 0; k < 1000; k++)
				__asm__ volatile("");
		}
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* A reader that must read its rings only every ten seconds sleeps in between. */
static void test_seldom(void **state)
{
	struct run run;

	(void)state;
	run__init(&run, "raw_syscalls:sys_enter", only_getppid());
	run.options.latency_ms = 10000;
	run.options.threads = 2;
	run__start(&run);
	trickle();
	run__stop(&run);
	expect_balance(&run);
	assert_true(run.got.n_events >= 40000);
	assert_in_range(run.got.n_watermarks, 1, 15); /* each round sends one */
	run__fini(&run);
}

#define RELEASES 150

/* Makes an event each time that it looks. */
static bool is_released_often(const struct receiver *got)
{
	syscall(SYS_getppid);
	return got->n_releases >= RELEASES;
}

/*
 * Only one CPU has events. The other reader still sends watermarks soon after them, and not only once a second, because a receiver holds
 * back events until all readers have sent a later watermark. RELEASES seconds are more than run__await() waits.
 */
static void test_idle_reader(void **state)
{
	cpu_set_t before, here;
	char given[64];
	struct run run;

	(void)state;
	assert_return_code(sched_getaffinity(0, sizeof(before), &before), errno);
	CPU_ZERO(&here);
	CPU_SET((size_t)sched_getcpu(), &here);
	assert_return_code(sched_setaffinity(0, sizeof(here), &here), errno);
	snprintf(given, sizeof(given), "%s && common_pid == %d", only_getppid(), getpid());
	run__init(&run, "raw_syscalls:sys_enter", given);
	run.options.threads = 2;
	run__start(&run);
	run__await(&run, is_released_often);
	run__stop(&run);
	expect_balance(&run);
	run__fini(&run);
	assert_return_code(sched_setaffinity(0, sizeof(before), &before), errno);
}

/* Makes an event each time that it looks. */
static bool has_late(const struct receiver *got)
{
	syscall(SYS_getppid);
	return got->flagged > 0;
}

/* Another process changes the clock of the instance to one that begins at 0: events are older than watermarks, and count as late. */
static void test_late(void **state)
{
	char path[256];
	struct run run;

	(void)state;
	run__init(&run, "raw_syscalls:sys_enter", only_getppid());
	run__start(&run);
	assert_int_equal(write_file(run__file(&run, "trace_clock", path), 0, "counter"), 0);
	run__await(&run, has_late);
	run.cleared = true; /* with the clock's change, the kernel cleared the rings */
	run__stop(&run);
	assert_true(run.got.flagged > 0);
	assert_int_equal(run.counters.late, run.got.flagged);
	assert_int_equal(run.got.overtaken, 0);
	run__fini(&run);
}

/* If the sink accepts nothing, the run still ends soon, and reports it. */
static void test_stuck(void **state)
{
	struct run run;

	(void)state;
	run__init(&run, "raw_syscalls:sys_enter", only_getppid());
	run__start(&run);
	run.memory.room = 3;
	getppid_load(3000, 200000);
	run__stop(&run);
	assert_int_equal(run.result, -ETIMEDOUT);
	assert_true(run.counters.shed > 0);
	assert_true(run.counters.balanced);
	assert_int_equal(run.got.n_events, run.counters.delivered);
	assert_true(run.counters.seconds < 10);
	run__fini(&run);
}

/* Return: number of records in the ring of the current CPU */
static uint64_t waiting_here(const struct run *run)
{
	char file[64], path[256], *text;
	uint64_t entries = 0;

	snprintf(file, sizeof(file), "per_cpu/cpu%d/stats", sched_getcpu());
	text = read_file(run__file(run, file, path));
	assert_non_null(text);
	assert_int_equal(sscanf(text, "entries: %" SCNu64, &entries), 1);
	free(text);
	return entries;
}

/* Waits until this CPU's ring has fewer than @n records, because a busy machine may delay the reader. Return: whether it had to wait */
static bool await_fewer(const struct run *run, uint64_t n)
{
	bool waited = false;

	for (int i = 0; i < 100000 && waiting_here(run) >= n; i++) {
		waited = true;
		usleep(100);
	}
	return waited;
}

/* Records are so large that no sub-buffer is ever full. The reader still empties the ring as fast as they are recorded. */
static void test_large_records(void **state)
{
	char path[256], said[1001];
	const int n = 20000, batch = 100, ring = 3000; /* records of 1000 bytes in 4 MiB */
	struct run run;
	int fd, waits = 0;

	(void)state;
	memset(said, 'x', sizeof(said) - 1);
	run__init(&run, "sched:sched_process_hang", NULL);
	run.options.buffer_kib = 4096;
	run.options.subbuf_kib = 4;
	run__start(&run);
	fd = open(run__file(&run, "trace_marker", path), O_WRONLY);
	assert_true(fd >= 0);
	for (int i = 0; i < n; i++) {
		assert_true(write(fd, said, sizeof(said) - 1) > 0);
		if (i % batch != batch - 1)
			continue;
		usleep(500);
		waits += await_fewer(&run, (uint64_t)ring / 2);
	}
	close(fd);
	run__stop(&run);
	expect_balance(&run);
	print_message("the ring was half full in %d of %d looks\n", waits, n / batch);
	assert_true(waits < n / batch / 10); /* a reader that waits for full sub-buffers would exceed this */
	assert_int_equal(run.counters.lost_ring, 0);
	assert_int_equal(run.got.n_events, n);
	run__fini(&run);
}

/* A load of many kinds of events and lengths, in frames with few of them. */
static void test_small_frames(void **state)
{
	struct run run;

	(void)state;
	run__init(&run, "sched,raw_syscalls,kmem", NULL);
	memory_sink__fini(&run.memory);
	memory_sink__init(&run.memory, 520);
	run__start(&run);
	assert_int_equal(system("find /usr/include -newer /bin/sh > /dev/null; true"), 0);
	run__stop(&run);
	expect_balance(&run);
	run__fini(&run);
}

/* Counters do not include newer events. If they did, a stream that was truncated after the counters would lack these events. */
static void test_counters(void **state)
{
	struct run run;

	(void)state;
	run__init(&run, "raw_syscalls:sys_enter", only_getppid());
	run.options.threads = 1;
	run__start(&run);
	getppid_load(3200, 0);
	run__stop(&run);
	expect_balance(&run);
	assert_true(run.got.n_stats >= 3);
	assert_int_equal(run.got.hasty, 0);
	run__fini(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters),     cmocka_unit_test(test_overload),
		cmocka_unit_test(test_lossless),     cmocka_unit_test(test_large_records),
		cmocka_unit_test(test_seldom),       cmocka_unit_test(test_stuck),
		cmocka_unit_test(test_idle_reader),  cmocka_unit_test(test_late),
		cmocka_unit_test(test_small_frames),
	};

	return need_tracing() ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
}
