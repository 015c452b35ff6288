/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Without tracefs, without permission, or with tracefs mounted elsewhere, a run works, or one sentence says what to do. Each case runs in a
 * separate child.
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "producer/tracing_dir.h"
#include "run.h"

#define NOBODY 65534

/* Result of a child. */
struct outcome {
	int err;
	char dir[256]; /* where tracefs was found */
	struct tw_error error;
};

/* Enters a mount namespace in which tracefs is not mounted. Return: whether this succeeded */
static bool unmount_all(void)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return false;
	while (!umount2("/sys/kernel/debug/tracing", MNT_DETACH))
		;
	while (!umount2("/sys/kernel/tracing", MNT_DETACH))
		;
	umount2("/sys/kernel/debug", MNT_DETACH);
	return access("/sys/kernel/tracing/available_events", F_OK) != 0;
}

static bool cover_sys_kernel(void)
{
	return unmount_all() && !mount("none", "/sys/kernel", "tmpfs", 0, NULL);
}

static bool mount_elsewhere(void)
{
	return cover_sys_kernel() && !mount("none", "/mnt", "tracefs", 0, NULL);
}

static bool become_nobody(void)
{
	return !setgid(NOBODY) && !setuid(NOBODY);
}

static bool unmount_and_become_nobody(void)
{
	return unmount_all() && become_nobody();
}

static void __attribute__((noreturn)) attempt(bool (*prepare)(void), int fd)
{
	struct outcome outcome = { .err = 1 };
	const char *dir;
	struct run run;

	if (!prepare())
		_exit(1);
	run__init(&run, "sched", NULL);
	outcome.err = tw_producer__new(&run.options, &run.producer, &outcome.error);
	if (!outcome.err)
		outcome.err = tw_producer__start(run.producer, &outcome.error);
	if (!outcome.err) {
		tw_tracing_dir__find(&dir, NULL);
		snprintf(outcome.dir, sizeof(outcome.dir), "%s", dir);
		tw_producer__free(run.producer);
	}
	_exit(write(fd, &outcome, sizeof(outcome)) != sizeof(outcome));
}

static struct outcome outcome_of(bool (*prepare)(void))
{
	struct outcome outcome;
	int fds[2], status;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid)
		attempt(prepare, fds[1]);
	close(fds[1]);
	assert_int_equal(read(fds[0], &outcome, sizeof(outcome)), sizeof(outcome));
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	return outcome;
}

static void expect_words(const struct outcome *outcome, const char *one, const char *other)
{
	if (!strstr(outcome->error.text, one) || !strstr(outcome->error.text, other))
		fail_msg("\"%s\" lacks \"%s\" or \"%s\"", outcome->error.text, one, other);
}

static void test_not_mounted(void **state)
{
	const struct outcome outcome = outcome_of(unmount_all);

	(void)state;
	assert_int_equal(outcome.err, 0);
	assert_string_equal(outcome.dir, "/sys/kernel/tracing");
}

static void test_mounted_elsewhere(void **state)
{
	const struct outcome outcome = outcome_of(mount_elsewhere);

	(void)state;
	assert_int_equal(outcome.err, 0);
	assert_string_equal(outcome.dir, "/mnt");
}

static void test_cannot_be_mounted(void **state)
{
	const struct outcome outcome = outcome_of(cover_sys_kernel);

	(void)state;
	assert_int_equal(outcome.err, -ENODEV);
	expect_words(&outcome, "tracefs", "cannot be mounted");
}

static void test_nobody(void **state)
{
	struct outcome outcome = outcome_of(become_nobody);

	(void)state;
	assert_int_equal(outcome.err, -EACCES);
	expect_words(&outcome, "root", "sudo");
	outcome = outcome_of(unmount_and_become_nobody);
	assert_int_equal(outcome.err, -ENODEV);
	expect_words(&outcome, "root", "mount -t tracefs");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not_mounted),
		cmocka_unit_test(test_mounted_elsewhere),
		cmocka_unit_test(test_cannot_be_mounted),
		cmocka_unit_test(test_nobody),
	};

	return need_tracing() ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
}
