/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a filter is divided between the kernel and the producer: filter files, disabled events, refusals, events that are added later. All
 * events are counted.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "probe.h"
#include "run.h"

#define RENEWED_MS 20000 /* the producer checks for new events once a second, on a busy machine later */

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
}

/* Sets up a run, but does not start it. */
static void set_up(struct run *run, const char *spec, const char *given, const char *expression)
{
	struct tw_filter *filter;
	struct tw_error error = { "" };

	run__init(run, spec, given);
	if (tw_filter__parse(expression, &filter, &error))
		fail_msg("%s: %s", expression, error.text);
	run->options.filter = filter;
}

static void end(struct run *run)
{
	tw_filter__free((struct tw_filter *)(uintptr_t)run->options.filter);
	run__fini(run);
}

/* Checks the content of a file of the instance, without its newline. */
static void expect_file(const struct run *run, const char *file, const char *wanted)
{
	char path[256], *text = read_file(run__file(run, file, path));

	assert_non_null(text);
	text[strcspn(text, "\n")] = '\0';
	assert_string_equal(text, wanted);
	free(text);
}

static struct tw_filter_places places_of(const struct run *run)
{
	struct tw_filter_places places;

	tw_producer__filter_places(run->producer, &places);
	return places;
}

/* The filter files of events, their switches (enable), and the switch for marks (options/markers). */
static void test_files(void **state)
{
	struct tw_filter_places places;
	struct run run;

	(void)state;
	set_up(&run, "sched:sched_switch,sched:sched_waking,irq:softirq_entry,raw_syscalls", "common_pid >= 0",
	       "prev_pid == 1 or softirq_entry.vec > 1 or system == raw_syscalls");
	run__start(&run);
	places = places_of(&run);
	expect_file(&run, "events/sched/sched_switch/filter", "(common_pid >= 0) && (prev_pid == 1)");
	expect_file(&run, "events/irq/softirq_entry/filter", "(common_pid >= 0) && (vec > 1)");
	expect_file(&run, "events/raw_syscalls/sys_enter/filter", "common_pid >= 0");
	expect_file(&run, "events/sched/sched_switch/enable", "1");
	expect_file(&run, "events/sched/sched_waking/enable", "0");
	expect_file(&run, "options/markers", "0");
	assert_int_equal(places.kernel, 2);
	assert_int_equal(places.off, 1);
	assert_int_equal(places.producer + places.later + places.refused + places.left_out, 0);
	assert_null(tw_producer__filter_left(run.producer));
	run__stop(&run);
	receiver__assert_sound(&run.got, 0);
	assert_int_equal(run.counters.filtered, 0);
	end(&run);
}

/* Marks are ordinary events if the filter is about them. */
static void test_marks(void **state)
{
	struct run run;
	char path[256];

	(void)state;
	set_up(&run, "sched:sched_switch", NULL, "print.buf contains \"wanted\" or prev_pid == 1");
	run__start(&run);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(write_file(run__file(&run, "trace_marker", path), 0, "this is wanted"), 0);
		assert_int_equal(write_file(run__file(&run, "trace_marker", path), 0, "this is not"), 0);
	}
	run__stop(&run);
	receiver__assert_sound(&run.got, 0);
	assert_int_equal(run.counters.filtered, 5);
	assert_true(run.got.n_events >= 5);
	end(&run);
}

/* tw_producer__new() refuses the filter with -EINVAL, and its error has @words. */
static void expect_refused(const char *spec, const char *given, const char *expression, bool later, const char *words)
{
	struct tw_error error = { "" };
	struct run run;

	set_up(&run, spec, given, expression);
	run.options.later_stage = later;
	assert_int_equal(tw_producer__new(&run.options, &run.producer, &error), -EINVAL);
	if (!strstr(error.text, words))
		fail_msg("%s: \"%s\" lacks \"%s\"", expression, error.text, words);
	end(&run);
}

static void test_refused(void **state)
{
	(void)state;
	expect_refused("sched", NULL, "cpu == 0 and prev_pidd == 1", true, "column 14: ");
	expect_refused("sched", NULL, "prev_pid == nobody", true, "column 13: ");
	expect_refused("sched:sched_switch", NULL, "event == sched_waking and cpu == 0", true, "column ");
	expect_refused("sched:sched_switch", NULL, "prev_pid == 1 and event != sched_switch", true,
		       "none of the selected events");
	expect_refused("sched:sched_switch", NULL, "cpu == 1 and comm matches \"x\"", false,
		       "column 14: 'comm matches \"x\"' ");
	expect_refused("sched:sched_switch", NULL, "comm == \"x\" or prev_comm matches \"y\"", false, "column 1: ");
	expect_refused("sched:sched_switch", "prev_pid ==", "cpu == 1", true,
		       "the kernel refuses the filter 'prev_pid =='");
	expect_refused("sched:sched_switch", "prev_pid == 1) || (prev_pid == 2", "cpu == 1", true,
		       "the kernel refuses");
	expect_refused("sched:sched_switch", "(prev_pid == 1", "cpu == 1", true, "the kernel refuses the filter");
	expect_refused("sched:sched_switch", "prev_comm == \"x", "cpu == 1", true, "the kernel refuses the filter");
	expect_refused("sched", "prev_pid ==", "sched_waking.pid == 1", true, "the kernel refuses");
}

static void test_left(void **state)
{
	struct run run;

	(void)state;
	set_up(&run, "sched:sched_switch,raw_syscalls", NULL, "comm matches \"x\" and id == 1");
	run.options.later_stage = true;
	run__start(&run);
	assert_ptr_equal(tw_producer__filter_left(run.producer), run.options.filter);
	assert_int_equal(places_of(&run).later, 2);
	assert_int_equal(places_of(&run).kernel, 2);
	assert_int_equal(places_of(&run).off, 1);
	run__stop(&run);
	end(&run);
}

static void call_getppid(int n)
{
	for (int i = 0; i < n; i++)
		syscall(SYS_getppid);
}

/* A filter exceeds the kernel's limit together with the event's own filter: the producer evaluates it, and reports this place. */
static void test_too_long(void **state)
{
	char given[3800], expression[1024];
	struct run run;
	size_t n;

	(void)state;
	n = (size_t)snprintf(given, sizeof(given), "id == %d && common_pid == %d", SYS_getppid, getpid());
	while (n < sizeof(given) - 40)
		n += (size_t)snprintf(given + n, sizeof(given) - n, " && id != %zu", 100000 + n);
	n = (size_t)snprintf(expression, sizeof(expression), "id != %d", SYS_getppid);
	while (n < 400)
		n += (size_t)snprintf(expression + n, sizeof(expression) - n, " and id != %zu", 100000 + n);
	set_up(&run, "raw_syscalls:sys_enter", given, expression);
	run__start(&run);
	assert_int_equal(places_of(&run).refused, 1);
	assert_int_equal(places_of(&run).producer, 1);
	assert_int_equal(places_of(&run).kernel, 0);
	expect_file(&run, "events/raw_syscalls/sys_enter/filter", given);
	call_getppid(100);
	run__stop(&run);
	receiver__assert_sound(&run.got, 0);
	assert_int_equal(run.counters.filtered, 100);
	assert_int_equal(run.counters.read, 100);
	assert_true(run.counters.balanced);
	end(&run);
}

/*
 * More events than can be read, with a filter that passes half of them. No sys_exit matches, but the kernel cannot compare times, so the
 * producer must reject these events.
 */
static void test_overload(void **state)
{
	struct run run;

	(void)state;
	set_up(&run, "raw_syscalls", NULL, "time > 0.001 and event == sys_enter or sys_exit.ret > 0 and time < 0.001");
	run.options.buffer_kib = 64;
	run__start(&run);
	run__overload(&run);
	run__stop(&run);
	receiver__assert_sound(&run.got, 0);
	assert_true(run.counters.balanced);
	assert_true(run.counters.filtered > 0);
	assert_true(run.counters.lost_ring > 0);
	assert_int_equal(run.counters.recorded,
			 run.counters.delivered + run.counters.filtered + run.counters.lost_ring);
	assert_int_equal(run.counters.recorded, run.kernel.read + run.kernel.entries + run.kernel.overrun +
							run.kernel.commit_overrun + run.kernel.dropped);
	assert_int_equal(run.got.n_events, run.counters.delivered);
	assert_int_equal(receiver__lost(&run.got, TW_LOST_RING), run.counters.lost_ring);
	assert_int_equal(run.got.stats[TW_STAT_FILTERED], run.counters.filtered);
	end(&run);
}

/* A stack is passed or rejected with its event, whether the kernel or the producer (@by_producer) evaluates the filter. */
static void expect_stacks(const char *expression, bool by_producer)
{
	size_t stacks = 0, events = 0, id = 0;
	char given[64];
	struct run run;

	snprintf(given, sizeof(given), "id == %d && common_pid == %d", SYS_getppid, getpid());
	set_up(&run, "raw_syscalls:sys_enter", given, expression);
	run.options.tracing.stacks = true;
	run__start(&run);
	assert_int_equal(places_of(&run).producer, by_producer);
	call_getppid(50);
	run__stop(&run);
	for (size_t i = 0; i < run.got.n_texts; i++)
		if (strstr(run.got.texts[i].text, "name: kernel_stack\n"))
			id = run.got.texts[i].id;
	for (size_t i = 0; i < run.got.n_events; i++) {
		stacks += run.got.events[i].id == id;
		events += run.got.events[i].id != id;
	}
	assert_int_equal(events, strstr(expression, "not ") ? 0 : 50);
	assert_int_equal(stacks, events);
	assert_int_equal(run.counters.filtered, by_producer && !events ? 100 : 0);
	end(&run);
}

static void test_stacks(void **state)
{
	char expression[128];

	(void)state;
	snprintf(expression, sizeof(expression), "pid == %d", getpid());
	expect_stacks(expression, false);
	snprintf(expression, sizeof(expression), "not pid == %d", getpid());
	expect_stacks(expression, false);
	snprintf(expression, sizeof(expression), "pid == %d and time > 0.001", getpid());
	expect_stacks(expression, true);
	snprintf(expression, sizeof(expression), "not (time > 0.001 and pid == %d)", getpid());
	expect_stacks(expression, true);
}

struct counted {
	size_t one, two, three;
};

/* Return: the format text of an event; it may have arrived several times, because it is repeated */
static const char *format_of(const struct run *run, const struct got_event *event)
{
	for (size_t i = 0; i < run->got.n_texts; i++) {
		const struct got_text *text = &run->got.texts[i];

		if (text->id == event->id && text->schema_id == event->schema_id)
			return text->text;
	}
	return "";
}

static struct counted count(const struct run *run)
{
	struct counted counted = { 0 };

	for (size_t i = 0; i < run->got.n_events; i++) {
		const char *format = format_of(run, &run->got.events[i]);

		counted.one += strstr(format, "name: one\n") != NULL;
		counted.two += strstr(format, "name: two\n") != NULL;
		counted.three += strstr(format, "name: three\n") != NULL;
	}
	return counted;
}

/* Waits until @off events are disabled, and @left_out events are left out. */
static struct tw_filter_places await_places(const struct run *run, size_t off, size_t left_out)
{
	struct tw_filter_places places = places_of(run);

	for (int ms = 0; ms < RENEWED_MS && (places.off != off || places.left_out != left_out); ms += 10) {
		pause_ms(10);
		places = places_of(run);
	}
	return places;
}

/*
 * A run with the event "one". While it runs, "two" and "three" are added. "three" lacks the filter's field, so it is disabled. "two" is
 * left out if the new event cannot be filtered (@left_out = 1).
 */
static void appear(struct run *run, size_t left_out, struct tw_filter_places *ret)
{
	char two[64];

	snprintf(two, sizeof(two), "twtest%d/two", getpid());
	run__start(run);
	probe__target(5);
	probe__target(6);
	assert_int_equal(probe__define("two", "number=" PROBE_NUMBER), 0);
	assert_int_equal(probe__define("three", "other=" PROBE_NUMBER), 0);
	*ret = await_places(run, 1, left_out);
	if (!left_out)
		run__await_enabled(run, two);
	probe__target(5);
	probe__target(6);
	run__stop(run);
	assert_int_equal(probe__define("-two", "") | probe__define("-three", ""), 0);
	receiver__assert_sound(&run->got, 0);
	assert_in_range(run->counters.schemas, 2,
			3); /* the producer may have checked for new events between the two definitions */
	assert_true(run->counters.balanced);
}

static void expect_appeared(const char *expression, size_t two, size_t filtered, size_t left_out)
{
	struct tw_filter_places places;
	char spec[64], ours[64];
	struct counted counted;
	struct run run;

	snprintf(spec, sizeof(spec), "twtest%d:*", getpid());
	snprintf(ours, sizeof(ours), "common_pid == %d", getpid()); /* other processes may run the same file */
	set_up(&run, spec, ours, expression);
	run.options.threads = 2;
	appear(&run, left_out, &places);
	counted = count(&run);
	assert_int_equal(counted.one, 2);
	assert_int_equal(counted.two, two);
	assert_int_equal(counted.three, 0);
	assert_int_equal(run.counters.filtered, filtered);
	assert_int_equal(places.off, 1);
	assert_int_equal(places.left_out, left_out);
	end(&run);
}

static void test_appear(void **state)
{
	(void)state;
	if (probe__define("one", "number=" PROBE_NUMBER)) {
		print_message("skipped: this kernel has no uprobes\n");
		skip();
	}
	expect_appeared("number == 5", 1, 0, 0);
	expect_appeared("number == 5 and time > 0.001", 1, 0, 0);
	expect_appeared("number > 0 and not (time > 0.001 and number == 6)", 1, 3, 0);
	expect_appeared("number == 5 and (event == one or comm matches \"x\")", 0, 0, 1);
	assert_int_equal(probe__define("-one", ""), 0);
}

/* Whether the producer has looked for new events at least once since its first second: it does so before it sends STATS. */
static bool has_looked(const struct receiver *got)
{
	return got->n_stats >= 3;
}

/* An event that the run does not select changes nothing: the stream keeps its schema, and the filters stay. */
static void test_other_event(void **state)
{
	struct run run;

	(void)state;
	set_up(&run, "sched:sched_switch", NULL, "prev_pid == 1");
	run__start(&run);
	if (!probe__define("other", "")) {
		run__await(&run, has_looked);
		assert_int_equal(probe__define("-other", ""), 0);
	}
	assert_int_equal(places_of(&run).kernel, 1);
	expect_file(&run, "events/sched/sched_switch/filter", "prev_pid == 1");
	run__stop(&run);
	receiver__assert_sound(&run.got, 0);
	assert_int_equal(run.counters.schemas, 1);
	assert_int_equal(run.got.n_texts, run.got.texts[0].total);
	end(&run);
}

/* Makes a filter of an event, and an expression, that together are longer than the kernel's limit. The expression passes 5 and other 7. */
static void make_long(char given[3800], char expression[1024])
{
	size_t n = (size_t)snprintf(given, 3800, "common_pid == %d", getpid());

	while (n < 3760)
		n += (size_t)snprintf(given + n, 3800 - n, " && number != %zu", 100000 + n);
	n = (size_t)snprintf(expression, 1024, "other == 7 or number == 5");
	while (n < 400)
		n += (size_t)snprintf(expression + n, 1024 - n, " and number != %zu", 100000 + n);
}

/*
 * The kernel refuses the filter of an event. The event is replaced by one that lacks a field of the filter: the kernel refuses the new
 * filter too, and the producer evaluates it.
 */
static void test_refused_again(void **state)
{
	char spec[64], one[64], file[128], path[256], given[3800], expression[1024];
	struct run run;

	(void)state;
	if (probe__define("one", "number=" PROBE_NUMBER " other=" PROBE_NUMBER)) {
		print_message("skipped: this kernel has no uprobes\n");
		skip();
	}
	snprintf(spec, sizeof(spec), "twtest%d:*", getpid());
	snprintf(one, sizeof(one), "twtest%d/one", getpid());
	snprintf(file, sizeof(file), "events/%s/enable", one);
	make_long(given, expression);
	set_up(&run, spec, given, expression);
	run__start(&run);
	assert_int_equal(places_of(&run).refused, 1);
	/* an event can be removed only while it is not enabled */
	assert_int_equal(write_file(run__file(&run, file, path), 0, "0"), 0);
	assert_int_equal(probe__define("-one", ""), 0);
	assert_int_equal(probe__define("one", "number=" PROBE_NUMBER), 0);
	run__await_enabled(&run, one);
	for (long number = 5; number <= 7; number++)
		probe__target(number);
	assert_int_equal(places_of(&run).refused, 1);
	run.cleared = true; /* when an event is removed, the kernel clears the rings that had it */
	run__stop(&run);
	receiver__assert_sound(&run.got, 0);
	assert_int_equal(count(&run).one, 1);
	assert_int_equal(run.counters.filtered, 2);
	end(&run);
	assert_int_equal(probe__define("-one", ""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),         cmocka_unit_test(test_marks),
		cmocka_unit_test(test_refused),       cmocka_unit_test(test_left),
		cmocka_unit_test(test_too_long),      cmocka_unit_test(test_overload),
		cmocka_unit_test(test_stacks),        cmocka_unit_test(test_appear),
		cmocka_unit_test(test_refused_again), cmocka_unit_test(test_other_event),
	};

	return need_tracing() ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
}
