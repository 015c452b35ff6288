/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's top level: one run at a time takes it, and all is put back, by that run or after it was killed. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "producer/instance.h"
#include "producer/tracer/top_level.h"
#include "run.h"

#define MOMENT_US 10000 /* between two looks at what somebody else's clean-up, as each run begins with one, may be at */
#define MOMENTS   1000

/* What is changed while it is taken. */
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

/* After a clean-up: ours, or one that had begun with it a moment before and takes that moment. */
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

/* When no clean-up puts something back. */
static struct tw_top_level *take_graphs(void)
{
	struct tw_top_level *graphs = NULL;
	int rc = -EBUSY;

	for (int tries = 0; tries < MOMENTS && rc == -EBUSY; tries++) {
		usleep(tries ? MOMENT_US : 0);
		rc = tw_top_level__take_graphs(&graphs, NULL);
	}
	assert_int_equal(rc, 0);
	return graphs;
}

static struct tw_instance *new_instance(void)
{
	struct tw_instance *instance = NULL;

	assert_int_equal(tw_instance__new("", &instance, NULL), 0);
	return instance;
}

static void change_all(const struct tw_instance *instance)
{
	assert_int_equal(tw_instance__write(instance, "trace_clock", "mono", NULL), 0);
	assert_int_equal(tw_instance__write(instance, "buffer_percent", "0", NULL), 0);
	assert_int_equal(tw_instance__write(instance, "tracing_cpumask", "1", NULL), 0);
	assert_int_equal(tw_instance__write(instance, "options/sym-offset", "1", NULL), 0);
	assert_int_equal(tw_instance__write(instance, "options/stacktrace", "1", NULL), 0);
	assert_int_equal(tw_instance__append(instance, "set_event_pid", "1", NULL), 0);
	assert_int_equal(tw_instance__write(instance, "events/sched/sched_switch/enable", "1", NULL), 0);
}

static void test_given_back(void **state)
{
	char *before = settings();
	struct tw_instance *instance = new_instance();
	struct tw_top_level *top;

	(void)state;
	assert_int_equal(tw_top_level__take(instance, &top, NULL), 0);
	change_all(instance);
	tw_top_level__give_back(top);
	tw_instance__free(instance);
	expect_settings(before);
}

/* What the first has taken shows nowhere yet: the second is refused all the same, whichever part it wants. */
static void test_two_at_once(void **state)
{
	struct tw_instance *instance = new_instance();
	struct tw_top_level *first, *second;
	struct tw_error err;

	(void)state;
	assert_int_equal(tw_top_level__take_graphs(&first, NULL), 0);
	assert_int_equal(tw_top_level__take_graphs(&second, &err), -EBUSY);
	assert_non_null(strstr(err.text, "another run of Tracewire"));
	assert_int_equal(tw_top_level__take(instance, &second, &err), -EBUSY);
	tw_top_level__give_back(first);
	assert_int_equal(tw_top_level__take_graphs(&second, NULL), 0);
	tw_top_level__give_back(second);
	tw_instance__free(instance);
}

/* The process to be killed: says when it has taken it. */
static void __attribute__((noreturn)) victim(int say)
{
	struct tw_instance *instance = new_instance();
	struct tw_top_level *top;

	assert_int_equal(tw_top_level__take(instance, &top, NULL), 0);
	change_all(instance);
	if (write(say, "x", 1) == 1)
		for (;;)
			pause();
	_exit(1);
}

static void count_top(void *ctx, const char *name)
{
	*(size_t *)ctx += strstr(name, TW_TOP_LEVEL_MARK) != NULL;
}

/* Its mark is seen, and its settings are put back, but not while somebody else has the top level. */
static void test_killed(void **state)
{
	char *before = settings(), byte;
	struct tw_top_level *graphs;
	size_t removed = 0;
	int fds[2], status;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid)
		victim(fds[1]);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	close(fds[0]);
	close(fds[1]);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);

	graphs = take_graphs();
	assert_true(tw_instance__cleanup(false, count_top, &removed, NULL) >= 0);
	assert_int_equal(removed, 0);
	tw_top_level__give_back(graphs);
	assert_true(tw_instance__cleanup(false, count_top, &removed, NULL) >= 0);
	await_settings(before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_given_back),
		cmocka_unit_test(test_two_at_once),
		cmocka_unit_test(test_killed),
	};

	return need_tracing() ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
}
