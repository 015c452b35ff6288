/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's top-level trace instance: one run at a time takes it. Its settings are restored by this run, or by a cleanup if the run was
 * killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/state_file.h"
#include "producer/instance.h"
#include "producer/tracer/top_level.h"
#include "run.h"

#define MOMENT_US \
	10000 /* time between two checks while another process's cleanup, with which each run begins, may be at work */
#define MOMENTS 1000

/* Settings that change while a run has taken the top level. */
static const char *const files[] = {
	"trace_clock", "buffer_percent", "tracing_on", "tracing_cpumask", "trace_options", "set_event", "set_event_pid",
};

static char *settings(void)
{
	char *all = NULL, path[256];
	size_t size;
	FILE *out = open_memstream(&all, &size);

	assert_non_null(out);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *text = read_file(run__file(NULL, files[i], path));

		fprintf(out, "%s: %s\n", files[i], text ? text : "");
		free(text);
	}
	fclose(out);
	return all;
}

static void expect_settings(char *before)
{
	char *now = settings();

	assert_string_equal(before, now);
	free(now);
	free(before);
}

/* Waits until a cleanup, by this test or by another process, has restored the settings. */
static void await_settings(char *before)
{
	for (int tries = 0; tries < MOMENTS; tries++) {
		char *now = settings();
		const bool same = !strcmp(before, now);

		free(now);
		if (same)
			break;
		usleep(MOMENT_US);
		assert_true(tw_instance__cleanup(false, NULL, NULL, NULL) >= 0);
	}
	expect_settings(before);
}

/* Takes the graphs of the top level, after waiting for a cleanup of another process. */
static struct tw_top_level *take_graphs(void)
{
	struct tw_top_level *graphs = NULL;
	int err = -EBUSY;

	for (int tries = 0; tries < MOMENTS && err == -EBUSY; tries++) {
		usleep(tries ? MOMENT_US : 0);
		err = tw_top_level__take_graphs(&graphs, NULL);
	}
	assert_int_equal(err, 0);
	return graphs;
}

static struct tw_instance *new_instance(void)
{
	struct tw_instance *instance = NULL;

	assert_int_equal(tw_instance__new("", &instance, NULL), 0);
	return instance;
}

/* Return: whether all settings could be changed */
static bool change_all(const struct tw_instance *instance)
{
	return !tw_instance__write(instance, "trace_clock", "mono", NULL) &&
	       !tw_instance__write(instance, "buffer_percent", "0", NULL) &&
	       !tw_instance__write(instance, "tracing_cpumask", "1", NULL) &&
	       !tw_instance__write(instance, "options/sym-offset", "1", NULL) &&
	       !tw_instance__write(instance, "options/stacktrace", "1", NULL) &&
	       !tw_instance__append(instance, "set_event_pid", "1", NULL) &&
	       !tw_instance__write(instance, "events/sched/sched_switch/enable", "1", NULL);
}

static void test_given_back(void **state)
{
	char *before = settings();
	struct tw_instance *instance = new_instance();
	struct tw_top_level *top;

	(void)state;
	assert_int_equal(tw_top_level__take(instance, &top, NULL), 0);
	assert_true(change_all(instance));
	tw_top_level__give_back(top);
	tw_instance__free(instance);
	expect_settings(before);
}

static bool instances_are_refused;

/* The linker's --wrap option makes the library call __wrap_tracefs_instance_create() instead of libtracefs's function. */
struct tracefs_instance *__real_tracefs_instance_create(const char *name);
struct tracefs_instance *__wrap_tracefs_instance_create(const char *name);

struct tracefs_instance *__wrap_tracefs_instance_create(const char *name)
{
	if (!instances_are_refused)
		return __real_tracefs_instance_create(name);
	errno = ENOSPC;
	return NULL;
}

static void test_no_mark(void **state)
{
	char *before = settings();
	struct tw_instance *instance = new_instance();
	struct tw_top_level *top;
	struct tw_error error;

	(void)state;
	instances_are_refused = true;
	assert_int_equal(tw_top_level__take(instance, &top, &error), -ENOSPC);
	assert_int_equal(tw_top_level__take_graphs(&top, &error), -ENOSPC);
	instances_are_refused = false;
	tw_instance__free(instance);
	expect_settings(before);
}

/* The first run has taken the top level, but has changed nothing yet. A second run is refused all the same, whichever part it needs. */
static void test_two_at_once(void **state)
{
	struct tw_instance *instance = new_instance();
	struct tw_top_level *first, *second;
	struct tw_error error;

	(void)state;
	assert_int_equal(tw_top_level__take_graphs(&first, NULL), 0);
	assert_int_equal(tw_top_level__take_graphs(&second, &error), -EBUSY);
	assert_non_null(strstr(error.text, "another run of Tracewire"));
	assert_int_equal(tw_top_level__take(instance, &second, &error), -EBUSY);
	tw_top_level__give_back(first);
	assert_int_equal(tw_top_level__take_graphs(&second, NULL), 0);
	tw_top_level__give_back(second);
	tw_instance__free(instance);
}

/*
 * The process to be killed: takes the top level, and reports it. It makes no assertions, because after a failed assertion it would continue
 * with the next test.
 */
static void __attribute__((noreturn)) victim(int say)
{
	struct tw_instance *instance;
	struct tw_top_level *top;

	if (!tw_instance__new("", &instance, NULL) && !tw_top_level__take(instance, &top, NULL) &&
	    change_all(instance) && write(say, "x", 1) == 1)
		for (;;)
			pause();
	_exit(1);
}

static void count_top(void *ctx, const char *name, const char *left)
{
	(void)left;
	*(size_t *)ctx += strstr(name, TW_TOP_LEVEL_MARK) != NULL;
}

/* A run that was killed after it had taken the top level. */
struct killed {
	char mark[64], memory[128];
};

/* Lock of the directory of instances, as a run has it that creates one. It keeps cleanups away from the killed run. -1 = not locked */
static int lock = -1;

static void unlock(void)
{
	if (lock >= 0)
		close(lock);
	lock = -1;
}

static void kill_one(struct killed *killed)
{
	char path[256];
	int fds[2], status;
	char byte;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid)
		victim(fds[1]);
	close(fds[1]);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	close(fds[0]);
	lock = open(run__file(NULL, "instances", path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(lock, LOCK_SH), 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	snprintf(killed->mark, sizeof(killed->mark), TW_INSTANCE_PREFIX "%d" TW_TOP_LEVEL_MARK, pid);
	snprintf(killed->memory, sizeof(killed->memory), "/run/tracewire/%s", killed->mark);
	assert_int_equal(access(killed->memory, F_OK), 0);
}

static void set(const char *file, const char *text)
{
	char path[256];

	assert_int_equal(write_file(run__file(NULL, file, path), O_TRUNC, text), 0);
}

static bool says(const char *file, const char *text)
{
	char path[256], *now = read_file(run__file(NULL, file, path));
	const bool found = now && strstr(now, text);

	free(now);
	return found;
}

/* Return: the name of the current clock, which is in brackets; the caller frees it */
static char *clock_of(const char *all)
{
	const char *from = strchr(all, '[') + 1;

	return strndup(from, strcspn(from, "]"));
}

/* Another process has set the clock: the clock and the list of pids, which may be that process's, stay. All other settings are restored. */
static void expect_clock_left(char *before)
{
	char *clock = clock_of(before);

	assert_true(says("trace_clock", "[boot]"));
	assert_false(says("set_event_pid", "no pid"));
	set("trace_clock", clock);
	set("set_event_pid", "");
	free(clock);
	expect_settings(before);
}

static void test_changed_since_kill(void **state)
{
	char *before = settings();
	struct tw_error why = { "" };
	struct killed killed;

	(void)state;
	kill_one(&killed);
	assert_true(says("trace_clock", "[mono]"));
	set("trace_clock", "boot");
	assert_int_equal(tw_top_level__restore(killed.mark, &why), -ESTALE);
	assert_non_null(
		strstr(why.text, "not restored, because another program changed them during the run: trace_clock"));
	expect_clock_left(before);
	unlock();
	assert_true(tw_instance__cleanup(false, NULL, NULL, NULL) >= 0);
}

static void test_changed_while_it_ran(void **state)
{
	char *before = settings();
	struct tw_instance *instance = new_instance();
	struct tw_top_level *top;

	(void)state;
	assert_int_equal(tw_top_level__take(instance, &top, NULL), 0);
	assert_true(change_all(instance));
	set("trace_clock", "boot");
	tw_top_level__give_back(top);
	tw_instance__free(instance);
	expect_clock_left(before);
	assert_true(tw_instance__cleanup(false, NULL, NULL, NULL) >= 0);
}

/* Settings whose previous value is unknown are not restored. */
static void test_without_memory(void **state)
{
	char *before = settings(), *left, saved[160];
	struct tw_error why = { "" };
	struct killed killed;

	(void)state;
	kill_one(&killed);
	left = settings();
	snprintf(saved, sizeof(saved), "%s.saved", killed.memory);
	assert_int_equal(rename(killed.memory, saved), 0);
	assert_int_equal(tw_top_level__restore(killed.mark, &why), -ENOENT);
	assert_non_null(strstr(why.text, "it is unknown which"));
	expect_settings(left);
	assert_int_equal(rename(saved, killed.memory), 0);
	assert_int_equal(tw_top_level__restore(killed.mark, &why), 0);
	expect_settings(before);
	unlock();
	assert_true(tw_instance__cleanup(false, NULL, NULL, NULL) >= 0);
}

/* In older versions, the state file was the text alone. A run of such a version may have been killed before this version was installed. */
static void test_file_of_older_version(void **state)
{
	char *before = settings(), *text;
	struct tw_error why = { "" };
	struct tw_state_file file;
	struct killed killed;

	(void)state;
	kill_one(&killed);
	assert_int_equal(tw_state_file__open(killed.mark, &file), 0);
	assert_int_equal(tw_state_file__read(&file, &text), 0);
	tw_state_file__close(&file);
	assert_non_null(strstr(text, "trace_clock\t"));
	assert_int_equal(write_file(killed.memory, O_TRUNC, text), 0);
	free(text);
	assert_int_equal(tw_top_level__restore(killed.mark, &why), 0);
	expect_settings(before);
	assert_int_equal(access(killed.memory, F_OK), -1);
	unlock();
	assert_true(tw_instance__cleanup(false, NULL, NULL, NULL) >= 0);
}

/* A cleanup finds the mark of a killed run, and restores the settings, but not while another process has taken the top level. */
static void test_killed(void **state)
{
	char *before = settings();
	struct tw_top_level *graphs;
	size_t removed = 0;
	struct killed killed;

	(void)state;
	kill_one(&killed);
	unlock();
	graphs = take_graphs();
	assert_true(tw_instance__cleanup(false, count_top, &removed, NULL) >= 0);
	assert_int_equal(removed, 0);
	tw_top_level__give_back(graphs);
	assert_true(tw_instance__cleanup(false, count_top, &removed, NULL) >= 0);
	await_settings(before);
}

static char *clock_at_start;

static int note_clock(void **state)
{
	char *all = settings();

	(void)state;
	clock_at_start = clock_of(all);
	free(all);
	return !clock_at_start;
}

/* After a failed test, later tests must not wait for its lock, or find its settings. */
static int recover(void **state)
{
	(void)state;
	unlock();
	instances_are_refused = false;
	return tw_instance__cleanup(false, NULL, NULL, NULL) < 0;
}

static int restore_clock(void **state)
{
	char *all = settings(), *clock = clock_of(all);

	(void)state;
	if (strcmp(clock, clock_at_start) != 0) {
		set("trace_clock", clock_at_start);
		set("set_event_pid", "");
	}
	free(clock);
	free(all);
	free(clock_at_start);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_given_back, recover),
		cmocka_unit_test_teardown(test_no_mark, recover),
		cmocka_unit_test_teardown(test_two_at_once, recover),
		cmocka_unit_test_teardown(test_killed, recover),
		cmocka_unit_test_teardown(test_changed_since_kill, recover),
		cmocka_unit_test_teardown(test_changed_while_it_ran, recover),
		cmocka_unit_test_teardown(test_without_memory, recover),
		cmocka_unit_test_teardown(test_file_of_older_version, recover),
	};

	return need_tracing() ? 77 : cmocka_run_group_tests(tests, note_clock, restore_clock);
}
