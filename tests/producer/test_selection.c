/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which events are enabled, with which filter; which clocks a stream can use; the errors when the kernel or the producer refuses.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "producer/metadata_sender.h"
#include "producer/trace_clock.h"
#include "run.h"

static char *instance_file(const struct run *run, const char *file)
{
	char path[256];
	char *text = read_file(run__file(run, file, path));

	assert_non_null(text);
	return text;
}

static void expect_filter(const struct run *run, const char *event, const char *filter)
{
	char file[128];
	char *text;

	snprintf(file, sizeof(file), "events/%s/filter", event);
	text = instance_file(run, file);
	text[strcspn(text, "\n")] = '\0';
	assert_string_equal(text, filter);
	free(text);
}

/* The filter of a request applies to its events. If two requests name an event, the last filter applies. Commas, slashes, globs. */
static void test_requests(void **state)
{
	struct run run;
	char *events;

	(void)state;
	run__init(&run, "sched/sched_switch,raw_syscalls:sys_*", NULL);
	run.requests[1] = (struct tw_event_request){ "task:*,sched_switch", "common_pid > 0" };
	run.options.n_events = 2;
	run__start(&run);
	events = instance_file(&run, "set_event");
	assert_non_null(strstr(events, "sched:sched_switch\n"));
	assert_non_null(strstr(events, "raw_syscalls:sys_enter\n"));
	assert_non_null(strstr(events, "raw_syscalls:sys_exit\n"));
	assert_non_null(strstr(events, "task:task_newtask\n"));
	assert_null(strstr(events, "sched:sched_waking\n"));
	free(events);
	expect_filter(&run, "sched/sched_switch", "common_pid > 0");
	expect_filter(&run, "raw_syscalls/sys_enter", "none");
	expect_filter(&run, "task/task_rename", "common_pid > 0");
	run__stop(&run);
	receiver__assert_sound(&run.got, 0);
	run__fini(&run);
}

/* tw_producer__new() or tw_producer__start() fails with this -errno and text, and leaves nothing. */
static void expect_refused(struct run *run, int expected, const char *words)
{
	struct tw_error error = { "" };
	char instance[64] = "none", file[128], path[256];
	int err = tw_producer__new(&run->options, &run->producer, &error);

	if (!err) {
		snprintf(instance, sizeof(instance), "%s", tw_producer__instance(run->producer));
		err = tw_producer__start(run->producer, &error);
		tw_producer__free(run->producer);
	}
	assert_int_equal(err, expected);
	if (!strstr(error.text, words))
		fail_msg("\"%s\" lacks \"%s\"", error.text, words);
	snprintf(file, sizeof(file), "instances/%s/tracing_on", instance);
	assert_null(read_file(run__file(NULL, file, path)));
	receiver__read(&run->got, &run->memory);
	run__fini(run);
}

static void test_refused(void **state)
{
	struct run run;

	(void)state;
	run__init(&run, "sched:sched_swich", NULL);
	expect_refused(&run, -ENOENT, "sched:sched_switch");
	run__init(&run, "", NULL);
	expect_refused(&run, -ENOENT, "no event");
	run__init(&run, "sched:sched_switch", "prev_pid == 1 && nonsense == 3");
	expect_refused(&run, -EINVAL, "column 27 ");
	run__init(&run, "sched:sched_switch", "prev_pid == 1 && nonsense == 3");
	expect_refused(&run, -EINVAL, "Field not found");
	run__init(&run, "sched:sched_switch", "prev_pid ==");
	expect_refused(&run, -EINVAL, "prev_pid ==");
	run__init(&run, "sched", NULL);
	run.options.clock = "counter";
	expect_refused(&run, -EINVAL, "mono_raw");
	run__init(&run, "sched", NULL);
	run.options.n_events = 0;
	expect_refused(&run, -EINVAL, "-e");
}

static uint64_t read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

/* A time that the producer reads lies between two readings of the same clock by the test. So do the times of a sample. */
static void test_clocks(void **state)
{
	static const struct {
		const char *name;
		clockid_t id;
	} known[] = { { NULL, CLOCK_MONOTONIC },
		      { "mono", CLOCK_MONOTONIC },
		      { "mono_raw", CLOCK_MONOTONIC_RAW },
		      { "boot", CLOCK_BOOTTIME },
		      { "tai", CLOCK_TAI } };

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct tw_trace_clock clock;
		struct tw_clock_view sample;
		uint64_t before, now, after, real, raw;
		int64_t tai_error;

		assert_int_equal(tw_trace_clock__init(&clock, known[i].name, NULL), 0);
		raw = read_clock(CLOCK_MONOTONIC_RAW);
		before = read_clock(known[i].id);
		now = tw_trace_clock__now(&clock);
		real = read_clock(CLOCK_REALTIME);
		tw_trace_clock__sample(&clock, &sample);
		after = read_clock(known[i].id);
		assert_in_range(now, before, after);
		assert_in_range(sample.reading[TW_CLOCK_TRACE], now, after);
		assert_in_range(sample.reading[TW_CLOCK_REAL], real, read_clock(CLOCK_REALTIME));
		assert_in_range(sample.reading[TW_CLOCK_RAW], raw, read_clock(CLOCK_MONOTONIC_RAW));
		tai_error = (int64_t)(sample.reading[TW_CLOCK_TAI] - sample.reading[TW_CLOCK_REAL]) -
			    sample.tai_offset * 1000000000ll;
		assert_in_range(tai_error + sample.error_ns, 0, 2 * sample.error_ns);
		assert_in_range(sample.leap, TW_LEAP_NONE, TW_LEAP_DONE);
		assert_int_equal(sample.valid, 0x3f);
	}
}

/* The same for clocks that only the rings have: they are read through an instance without events. All other clocks are refused. */
static void test_ring_clocks(void **state)
{
	char *names, *name, *save;

	(void)state;
	names = instance_file(NULL, "trace_clock");
	for (name = strtok_r(names, " []\n", &save); name; name = strtok_r(NULL, " []\n", &save)) {
		struct tw_instance *probe;
		struct tw_trace_clock clock;
		struct tw_clock_view sample;
		struct tw_trace_mark before, after;
		uint64_t now;

		if (tw_trace_clock__init(&clock, name, NULL)) {
			assert_true(!strcmp(name, "counter") || !strcmp(name, "uptime") || !strcmp(name, "x86-tsc") ||
				    !strcmp(name, "ppc-tb"));
			continue;
		}
		if (clock.id >= 0)
			continue;
		assert_int_equal(tw_instance__new("-probe", &probe, NULL), 0);
		assert_int_equal(tw_instance__write(probe, "trace_clock", name, NULL), 0);
		assert_int_equal(tw_instance__write(probe, "tracing_on", "1", NULL), 0);
		clock.probe = probe;
		tw_trace_clock__sample(&clock, &sample);
		assert_int_equal(tw_instance__mark(probe, &before), 0);
		now = tw_trace_clock__now(&clock);
		assert_int_equal(tw_instance__mark(probe, &after), 0);
		assert_in_range(now, before.time - clock.slack, after.time + clock.slack);
		assert_int_equal(sample.valid, 0x3f);
		tw_instance__free(probe);
	}
	free(names);
}

static const struct tw_attr_view *find(const struct tw_host_attrs *host, enum tw_host_attr attr)
{
	for (size_t i = 0; i < host->n; i++)
		if (host->attrs[i].attr == attr)
			return &host->attrs[i];
	return NULL;
}

static void test_host(void **state)
{
	static char longest[400];
	const struct tw_attr_view *attr;
	struct tw_host_attrs host;
	char name[256];

	(void)state;
	memset(longest, 'e', sizeof(longest) - 1);
	tw_host_attrs__init(&host, &(struct tw_host_stream){
					   .instance = "tracewire-7",
					   .clock = "boot",
					   .events = longest,
					   .cpus = 5,
					   .pointers_hashed = true,
				   });
	assert_int_equal(gethostname(name, sizeof(name)), 0);
	attr = find(&host, TW_HOST_NAME);
	assert_non_null(attr);
	assert_int_equal(attr->len, strlen(name));
	assert_memory_equal(attr->value, name, attr->len);
	assert_int_equal(find(&host, TW_HOST_BOOT_ID)->len, 36);
	assert_memory_equal(find(&host, TW_HOST_CLOCK)->value, "boot", 4);
	assert_int_equal(find(&host, TW_HOST_EVENTS)->len, 255);
	assert_null(find(&host, TW_HOST_FILTER));
	assert_memory_equal(find(&host, TW_HOST_POINTERS)->value, "hashed", 6);
	assert_int_equal(find(&host, TW_HOST_CPUS)->len, 8);
	assert_int_equal(tw_load_be64(find(&host, TW_HOST_CPUS)->value), 5);
	assert_int_equal(tw_load_be64(find(&host, TW_HOST_LONG_SIZE)->value), sizeof(long));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests),    cmocka_unit_test(test_refused), cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_ring_clocks), cmocka_unit_test(test_host),
	};

	return need_tracing() ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
}
