/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run records only a command and its children, and never the producer's own readers. CTest runs this test again inside a pid namespace,
 * where no task knows its global pid.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "producer/command.h"
#include "run.h"
#include "schema/field.h"
#include "schema/schema.h"

#define PIDS_MAX 64

/* Whether this process's pid is its global pid. */
static bool in_first_pid_namespace(void)
{
	char link[64] = "";

	return readlink("/proc/self/ns/pid", link, sizeof(link) - 1) > 0 && !strcmp(link, "pid:[4026531836]");
}

/* Reads the field "pid" of task:task_newtask. Return: whether the event is a task_newtask */
static bool read_new_task(const struct receiver *got, const struct got_event *ev, uint32_t *ret)
{
	const struct tw_format *format = NULL;
	struct tw_schema *schema = tw_schema__new();
	uint8_t *copy = malloc(ev->len);
	struct tw_value value;
	bool found = false;

	assert_non_null(copy);
	memcpy(copy, ev->record, ev->len);
	for (size_t i = 0; i < got->n_texts; i++)
		if (got->texts[i].id == ev->id && strstr(got->texts[i].text, "name: task_newtask\n"))
			tw_schema__add(schema, "task", got->texts[i].text, strlen(got->texts[i].text), &format, NULL);
	if (format) {
		found = !tw_field__read(tw_format__find(format, "pid"),
					&(struct tw_record){ .data = copy, .len = ev->len, .big_endian = TW_HOST_BE },
					&value);
		*ret = (uint32_t)value.u;
	}
	free(copy);
	tw_schema__free(schema);
	return found;
}

static bool is_among(const uint32_t *pids, size_t n, uint32_t pid)
{
	while (n--)
		if (pids[n] == pid)
			return true;
	return false;
}

/* Checks that every event belongs to the command or to a task that one of its tasks created. Return: number of tasks */
static size_t expect_family(const struct receiver *got, uint32_t pids[PIDS_MAX])
{
	const struct got_event *first = got->events;
	size_t n = 1;
	uint32_t child;

	for (size_t i = 0; i < got->n_events; i++)
		if (got->events[i].time < first->time)
			first = &got->events[i];
	assert_true(got->n_events > 100);
	pids[0] = first->pid;
	for (size_t pass = 0; pass < PIDS_MAX;
	     pass++) /* events of different CPUs are not in order: repeat until no new task is found */
		for (size_t i = 0; i < got->n_events; i++)
			if (is_among(pids, n, got->events[i].pid) && read_new_task(got, &got->events[i], &child) &&
			    !is_among(pids, n, child) && n < PIDS_MAX)
				pids[n++] = child;
	for (size_t i = 0; i < got->n_events; i++)
		assert_true(is_among(pids, n, got->events[i].pid));
	return n;
}

/* A command calls exec, and has children, one of which outlives its parent. Beside it runs a load that must not be recorded. */
static void test_follow(void **state)
{
	char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" },
			 (char[]){ "/bin/true; (sleep 0.05; /bin/true) & exec sh -c '/bin/true; wait; exit 7'" },
			 NULL };
	struct tw_error error = { "" };
	struct tw_command *command;
	uint32_t pids[PIDS_MAX];
	char marker[256];
	struct run run;

	(void)state;
	run__init(&run, "raw_syscalls,task:task_newtask", NULL);
	run.options.follow = true;
	if (tw_producer__new(&run.options, &run.producer, &error))
		fail_msg("%s", error.text);
	assert_int_equal(tw_command__new(argv, tw_producer__marker(run.producer, marker, sizeof(marker)), &command,
					 &error),
			 0);
	if (tw_producer__follow(run.producer, &error) || tw_producer__start(run.producer, &error))
		fail_msg("%s", error.text);
	assert_int_equal(tw_command__run(command, &error), 0);
	getppid_load(50, 1000);
	assert_int_equal(tw_command__wait(command), 7);
	usleep(100000);
	run__stop(&run);
	receiver__assert_sound(&run.got, 0);
	assert_true(run.counters.balanced);
	assert_true(expect_family(&run.got, pids) >= 5);
	assert_int_equal(receiver__unnamed(&run.got), run.counters.unnamed);
	if (in_first_pid_namespace())
		assert_int_equal(run.counters.unnamed, 0);
	if (in_first_pid_namespace())
		assert_int_equal(pids[0], tw_command__pid(command));
	tw_command__free(command);
	run__fini(&run);
}

/* Without a mark of the command, a run cannot follow it: it fails, and does not trace everything instead. */
static void test_no_mark(void **state)
{
	struct tw_error error = { "" };
	struct run run;

	(void)state;
	run__init(&run, "raw_syscalls", NULL);
	run.options.follow = true;
	assert_int_equal(tw_producer__new(&run.options, &run.producer, &error), 0);
	assert_int_equal(tw_producer__follow(run.producer, &error), -ENOENT);
	assert_true(strlen(error.text) > 20);
	tw_producer__free(run.producer);
	receiver__read(&run.got, &run.memory);
	run__fini(&run);
}

/* The readers make system calls all the time. The trace has no call of the readers, and no call of a thread that was excluded. */
static void test_own_threads(void **state)
{
	size_t of_ours = 0;
	struct run run;

	(void)state;
	run__init(&run, "raw_syscalls", NULL);
	run.options.threads = 2;
	run.options.latency_ms = 1;
	run__start(&run);
	getppid_load(10000, 20000);
	run__stop(&run);
	for (size_t i = 0; i < run.got.n_events; i++) {
		const struct got_event *ev = &run.got.events[i];
		const struct got_name *name = receiver__name_of(&run.got, ev->pid, ev->time);

		if (in_first_pid_namespace()) /* otherwise the owner of the thread is unknown */
			assert_false(name && name->tgid == (uint32_t)getpid() && !strcmp(name->name, "tracewire-read"));
		of_ours += name && !strcmp(name->name, "test_follow");
	}
	assert_true(of_ours >= 2 * 20000);
	run__fini(&run);
}

static void test_ignored(void **state)
{
	struct run run;

	(void)state;
	run__init(&run, "raw_syscalls:sys_enter", only_getppid());
	assert_int_equal(tw_producer__new(&run.options, &run.producer, NULL), 0);
	assert_int_equal(tw_producer__ignore(run.producer, getpid()), in_first_pid_namespace() ? 0 : -ENOTSUP);
	assert_int_equal(tw_producer__start(run.producer, NULL), 0);
	getppid_load(50, 1000);
	run__stop(&run);
	for (size_t i = 0; in_first_pid_namespace() && i < run.got.n_events; i++)
		assert_true(run.got.events[i].pid != (uint32_t)getpid());
	run__fini(&run);
}

/* A command that does not exist: the error names it. */
static void test_no_command(void **state)
{
	char *argv[] = { (char[]){ "no-such-command" }, NULL };
	struct tw_command *command = NULL;
	struct tw_error error = { "" };

	(void)state;
	assert_int_equal(tw_command__new(argv, NULL, &command, &error), -ENOENT);
	assert_non_null(strstr(error.text, "no-such-command"));
	assert_null(command);
}

/* A command that cannot write its mark: the error has the reason. */
static void test_not_marked(void **state)
{
	char *argv[] = { (char[]){ "true" }, NULL };
	struct tw_command *command = NULL;
	struct tw_error error = { "" };

	(void)state;
	assert_int_equal(tw_command__new(argv, "/dev/full", &command, &error), -ENOSPC);
	assert_string_equal(error.text, "'true' cannot be started: No space left on device");
	assert_null(command);
}

/* Frees a command that was never run, and one that does not end by itself. */
static void test_free_command(void **state)
{
	char *argv[] = { (char[]){ "sleep" }, (char[]){ "100" }, NULL };
	struct tw_command *command;

	(void)state;
	assert_int_equal(tw_command__new(argv, NULL, &command, NULL), 0);
	tw_command__free(command);
	assert_int_equal(tw_command__new(argv, NULL, &command, NULL), 0);
	assert_int_equal(tw_command__run(command, NULL), 0);
	tw_command__free(command);
	tw_command__free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_follow),      cmocka_unit_test(test_no_mark),
		cmocka_unit_test(test_own_threads), cmocka_unit_test(test_ignored),
		cmocka_unit_test(test_no_command),  cmocka_unit_test(test_free_command),
		cmocka_unit_test(test_not_marked),
	};

	return need_tracing() ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
}
