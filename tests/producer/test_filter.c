/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A filter selects the same events at any stage. Several instances record one load. The reference is an instance without a filter, whose
 * events the evaluator evaluates. The kernel, the producer or both filter the events of the other instances.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/time.h"
#include "sighting.h"

#define EVENTS   "sched,irq,raw_syscalls,task,kmem:kmalloc,kmem:kmem_cache_alloc,kmem:mm_page_alloc,timer"
#define TOGETHER 8 /* filters tried under one load */
#define QUIET_MS 30

static const char load[] =
	"for i in 1 2 3 4 5 6; do ls -l /usr/bin >/dev/null; echo x | cat | wc >/dev/null; sleep 0.002; "
	"cd /nowhere 2>/dev/null; done; taskset -c 0 ls -l /usr/bin >/dev/null; (echo y; sleep 0.01) | cat >/dev/null";

enum by { KERNEL, PRODUCER, BOTH };

struct expectation {
	const char *expression;
	enum by by;        /* who evaluates the expression; KERNEL: the kernel must evaluate all of it */
	const char *given; /* an additional tracefs filter of the events; NULL = none */
	const char *both;  /* the conjunction of @expression and @given; NULL = @expression */
};

/* Excludes interrupts of a task: an interrupt during a rename may have the old name in one instance and the new name in another. */
#define TASK "not flags & hardirq and not flags & softirq and "

static const struct expectation kernel[] = {
	{ "prev_pid == 0 or sched_wakeup.pid > 100", KERNEL, NULL, NULL },
	{ "prev_pid != 0 and prev_prio <= 120 and next_pid > 100", KERNEL, NULL, NULL },
	{ "raw_syscalls.sys_enter.id in {0, 1, 3, 257..262}", KERNEL, NULL, NULL },
	{ "prev_comm == \"sh\" or next_comm ~ \"l*\"", KERNEL, NULL, NULL },
	{ "prev_comm contains \"l\" and not next_comm contains \"swapper\"", KERNEL, NULL, NULL },
	{ "softirq_raise.vec in {TIMER, RCU} or softirq_entry.vec != TIMER", KERNEL, NULL, NULL },
	{ "sched_switch.prev_state & 3 or kmalloc.gfp_flags & 0x400", KERNEL, NULL, NULL },
	{ TASK "bytes_req in {64..512} and not comm == \"ls\"", KERNEL, NULL, NULL },
	{ "cpu == 0 and not (prev_pid == 0)", KERNEL, NULL, NULL },
	{ TASK "(comm == \"ls\" or comm ~ \"[a-d]*\")", KERNEL, NULL, NULL },
	{ "event ~ \"sched_w*\" and pid > 1 or event == irq_handler_entry", KERNEL, NULL, NULL },
	{ "sys_exit.ret < 0 or sys_exit.ret >= 4096", KERNEL, NULL, NULL },
	{ "sched_process_exec.filename contains \"bin/l\" or task_rename.newcomm == \"cat\"", KERNEL, NULL, NULL },
	{ "not comm == \"<idle>\" and flags & irqs_off and event == hrtimer_start", KERNEL, NULL, NULL },
	{ "system == irq", KERNEL, NULL, NULL },
};

static const struct expectation producer[] = {
	{ "prev_comm matches \"^[sl]\"", PRODUCER, NULL, NULL },
	{ "not prev_comm matches \"^[sl]\" and event == sched_switch", PRODUCER, NULL, NULL },
	{ "time > 0.001 and (prev_comm ~ \"s*\" or bytes_alloc == 256) and not next_comm matches \"[a-z]\"", BOTH, NULL,
	  NULL },
	{ "sys_enter.args == 0 and not raw_syscalls.sys_enter.args == 1", PRODUCER, NULL, NULL },
	{ TASK "comm ~ \"l*\" and not (host matches \".\" and event == sys_exit)", BOTH, NULL, NULL },
	{ "raw_syscalls.sys_enter.id == 1 or prev_comm matches \"C\"", BOTH, NULL, NULL },
	{ "next_comm == \"ls\"", KERNEL, "common_pid != 0", "next_comm == \"ls\" and pid != 0" },
	{ "prev_comm matches \"s\"", PRODUCER, "common_pid != 0", "prev_comm matches \"s\" and pid != 0" },
};

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
}

/* Starts a run that traces only this process and its children, because the machine may cause many other events. */
static void begin(struct run *run, const struct tw_filter *filter, const char *given)
{
	static char pid[16];
	static const char *pids[] = { pid };

	snprintf(pid, sizeof(pid), "%d", getpid());
	run__init(run, EVENTS, given);
	run->options.tracing.pids = (struct tw_words){ pids, 1 };
	run->options.filter = filter;
	run->options.buffer_kib = 8192;
	run__start(run);
}

/* Each instance excludes its own readers. Here, it also excludes those of the other instances, which would otherwise wake each other. */
static void leave_out_ourselves(struct run *runs, size_t n)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		for (size_t i = 0; i < n && atoi(entry->d_name) && atoi(entry->d_name) != getpid(); i++)
			tw_producer__ignore(runs[i].producer, atoi(entry->d_name));
	closedir(dir);
}

/* Runs the load while all runs trace, then stops the runs. */
static void load_all(struct run *runs, size_t n, struct stretch *ret)
{
	leave_out_ourselves(runs, n);
	pause_ms(2 * QUIET_MS);
	ret->from = tw_time__now(CLOCK_MONOTONIC);
	pause_ms(QUIET_MS);
	assert_int_equal(system(load), 0);
	pause_ms(QUIET_MS);
	ret->to = tw_time__now(CLOCK_MONOTONIC);
	ret->slack = QUIET_MS * TW_NS_PER_MS / 2;
	pause_ms(QUIET_MS);
	for (size_t i = 0; i < n; i++)
		run__stop(&runs[i]);
}

static void expect_sound(const struct run *run, const char *expression)
{
	const struct tw_producer_counters *b = &run->counters;

	if (b->lost_ring || b->shed || b->lost_tx)
		fail_msg("%s: events were lost; the load is too much for this machine", expression);
	assert_true(b->balanced);
	assert_int_equal(b->recorded, b->delivered + b->filtered);
	assert_int_equal(b->read, run->got.n_events + b->filtered);
	assert_int_equal(run->got.stats[TW_STAT_FILTERED], b->filtered);
	assert_int_equal(run->got.stats[TW_STAT_READ], b->read);
	assert_int_equal(b->unnamed, receiver__unnamed(&run->got));
	receiver__assert_sound(&run->got, 0);
}

static void expect_place(const struct expectation *want, const struct run *run, const struct tw_filter_places *places)
{
	const bool by_kernel = places->kernel || places->off, by_producer = places->producer;

	if (want->by == KERNEL ? by_producer || run->counters.filtered : !by_producer || !run->counters.filtered)
		fail_msg("%s: %zu kinds in the kernel, %zu in the producer, which rejected %zu events",
			 want->expression, places->kernel, places->producer, (size_t)run->counters.filtered);
	if (want->by == BOTH)
		assert_true(places->kernel > 0);
	assert_true(by_kernel);
	assert_int_equal(places->refused, 0);
	assert_int_equal(places->later, 0);
}

static void expect_same(const struct expectation *want, const struct run *run, const struct run *reference,
			const struct stretch *stretch)
{
	const char *text = want->both ? want->both : want->expression;
	struct sightings mine, others;
	struct tw_filter *filter;
	size_t matching, all, missing;

	assert_int_equal(tw_filter__parse(text, &filter, NULL), 0);
	sightings__of(run, reference, NULL, &mine);
	sightings__of(reference, run, filter, &others);
	matching = sightings__within(&others, stretch);
	missing = sightings__missing(&others, &mine, stretch, "evaluator") +
		  sightings__missing(&mine, &others, stretch, "filtered");
	sightings__fini(&others);
	sightings__of(reference, run, NULL, &others);
	all = sightings__within(&others, stretch);
	sightings__fini(&others);
	sightings__fini(&mine);
	tw_filter__free(filter);
	print_message("%s: %zu of %zu events\n", text, matching, all);
	if (missing || !matching || matching == all)
		fail_msg("%s: %zu of %zu events match, %zu differ", text, matching, all, missing);
}

static void compare(const struct expectation *wants, size_t n)
{
	struct tw_filter *filters[TOGETHER];
	struct tw_filter_places places[TOGETHER];
	struct run runs[TOGETHER + 1];
	struct tw_error error = { "" };
	struct stretch stretch;

	begin(&runs[n], NULL, NULL);
	for (size_t i = 0; i < n; i++) {
		if (tw_filter__parse(wants[i].expression, &filters[i], &error))
			fail_msg("%s: %s", wants[i].expression, error.text);
		begin(&runs[i], filters[i], wants[i].given);
		tw_producer__filter_places(runs[i].producer, &places[i]);
	}
	load_all(runs, n + 1, &stretch);
	expect_sound(&runs[n], "without a filter");
	for (size_t i = 0; i < n; i++) {
		expect_sound(&runs[i], wants[i].expression);
		expect_place(&wants[i], &runs[i], &places[i]);
		expect_same(&wants[i], &runs[i], &runs[n], &stretch);
	}
	for (size_t i = 0; i <= n; i++)
		run__fini(&runs[i]);
	for (size_t i = 0; i < n; i++)
		tw_filter__free(filters[i]);
}

static void compare_all(const struct expectation *wants, size_t n)
{
	for (size_t i = 0; i < n; i += TOGETHER)
		compare(wants + i, n - i < TOGETHER ? n - i : TOGETHER);
}

static void test_kernel(void **state)
{
	(void)state;
	compare_all(kernel, sizeof(kernel) / sizeof(kernel[0]));
}

static void test_producer(void **state)
{
	(void)state;
	compare_all(producer, sizeof(producer) / sizeof(producer[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_producer),
	};

	return need_tracing() ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
}
