/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cleanup removes the stale state of a killed producer, and no other objects. Other producers on this machine clean up, too. Their
 * cleanup may be faster, and for a moment it holds the lock of an instance.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "producer/instance.h"
#include "run.h"

#define KILLS       15
#define MOMENT_US   10000 /* time between two checks while another process may be cleaning up */
#define MOMENTS     1000
#define RING_KIB    8192
#define LEFT_KIB    192  /* largest size of a freed ring, for each CPU: the kernel keeps some sub-buffers */
#define DEFAULT_KIB 1536 /* size of the ring of a new instance, for each CPU */

/* The process to be killed: starts to trace, reports it, and waits. */
static void __attribute__((noreturn)) victim(int say)
{
	struct run run;

	run__init(&run, "sched,raw_syscalls", NULL);
	run.options.buffer_kib = RING_KIB;
	if (!tw_producer__new(&run.options, &run.producer, NULL) && !tw_producer__start(run.producer, NULL) &&
	    write(say, "x", 1) == 1)
		for (;;)
			pause();
	_exit(1);
}

/* Return: the pid of the victim; @ret_says: the pipe on which it reports that it traces */
static pid_t start_victim(int *ret_says)
{
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid)
		victim(fds[1]);
	close(fds[1]);
	*ret_says = fds[0];
	return pid;
}

/* Kills the victim 100 ms after it began to trace; or, if @us is not negative, @us after its creation. */
static void kill_victim(pid_t pid, int says, long us)
{
	char byte;
	int status;

	if (us < 0)
		assert_int_equal(read(says, &byte, 1), 1);
	nanosleep(&(struct timespec){ .tv_nsec = (us < 0 ? 100000 : us) * 1000 }, NULL);
	close(says);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

static char *instance_file(const char *name, const char *file)
{
	char tail[128], path[256];

	snprintf(tail, sizeof(tail), "instances/%s/%s", name, file);
	return read_file(run__file(NULL, tail, path));
}

static bool exists(const char *name)
{
	char tail[128], path[256];

	snprintf(tail, sizeof(tail), "instances/%s", name);
	return !access(run__file(NULL, tail, path), F_OK);
}

static bool stays_alive(const char *name)
{
	for (int tries = 0; tries < MOMENTS; tries++) {
		if (!tw_instance__is_alive(name))
			return false;
		usleep(MOMENT_US);
	}
	return true;
}

/*
 * If the instance exists, its tracing is off and its ring is freed. If its creator was killed before it opened free_buffer, the instance is
 * as the kernel created it: tracing is on, with a ring of the default size and no events.
 * Return: whether it exists.
 */
static bool expect_harmless(pid_t pid, const char *suffix, bool was_running)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);
	char name[64];
	char *on, *size;

	snprintf(name, sizeof(name), "tracewire-%d%s", pid, suffix);
	if (!exists(name))
		return false;
	on = instance_file(name, "tracing_on");
	size = instance_file(name, "buffer_total_size_kb");
	if (!on || !size) { /* another process's cleanup has removed it */
		free(on);
		free(size);
		return false;
	}
	assert_false(was_running && atoi(on));
	assert_in_range(atoi(size), 0, (was_running ? LEFT_KIB : DEFAULT_KIB) * cpus);
	if (atoi(on)) {
		char *events = instance_file(name, "set_event");

		assert_null(events);
		free(events);
	}
	assert_false(stays_alive(name));
	free(on);
	free(size);
	return true;
}

static void expect_removed(pid_t pid, const char *suffix)
{
	char name[64];

	snprintf(name, sizeof(name), "tracewire-%d%s", pid, suffix);
	for (int tries = 0; tries < MOMENTS && exists(name); tries++) {
		if (tries)
			usleep(MOMENT_US);
		tw_instance__cleanup(false, NULL, NULL, NULL);
	}
	assert_false(exists(name));
}

static void test_killed(void **state)
{
	size_t left = 0, running = 0;

	(void)state;
	srandom((unsigned int)time(NULL));
	for (int i = 0; i < KILLS; i++) {
		int says;
		const pid_t pid = start_victim(&says);

		kill_victim(pid, says, i < 5 ? -1 : random() % 150000);
		running += expect_harmless(pid, "-tasks", i < 5);
		left += expect_harmless(pid, "", i < 5);
		expect_removed(pid, "");
		expect_removed(pid, "-tasks");
	}
	printf("%d kills, %zu left an instance, %zu the bookkeeping's too\n", KILLS, left, running);
	assert_true(left && running);
}

/* The instances that a cleanup reported. */
struct reported {
	char names[8][64];
	size_t n;
};

static void note(void *ctx, const char *name, const char *left)
{
	struct reported *reported = ctx;

	(void)left;
	if (reported->n < 8)
		snprintf(reported->names[reported->n++], 64, "%s", name);
}

static bool was_reported(const struct reported *reported, const char *name)
{
	for (size_t i = 0; i < reported->n; i++)
		if (!strcmp(reported->names[i], name))
			return true;
	return false;
}

static void make_foreign(const char *name)
{
	char tail[128], path[256];

	snprintf(tail, sizeof(tail), "instances/%s", name);
	assert_int_equal(mkdir(run__file(NULL, tail, path), 0700), 0);
}

static int remove_instance(const char *name)
{
	char tail[128], path[256];

	snprintf(tail, sizeof(tail), "instances/%s", name);
	return rmdir(run__file(NULL, tail, path));
}

/* Return: whether an instance counts as alive if it cannot be checked, because no file can be opened */
static bool is_alive_without_files(const char *name)
{
	struct rlimit was, none;
	bool alive;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	none = was;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	alive = tw_instance__is_alive(name);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
	return alive;
}

/* A cleanup removes only stale instances: neither the instance of a live run, nor instances of other programs with similar names. */
static void test_others(void **state)
{
	struct reported dry = { .n = 0 }, wet = { .n = 0 };
	struct tw_instance *ours;
	char dead[64];
	pid_t pid;
	int says;

	(void)state;
	make_foreign("twtest-foreign");
	make_foreign("tracewire-notes");
	assert_int_equal(tw_instance__new("", &ours, NULL), 0);
	pid = start_victim(&says);
	kill_victim(pid, says, -1);
	snprintf(dead, sizeof(dead), "tracewire-%d", pid);
	assert_true(tw_instance__is_alive(tw_instance__name(ours)));
	assert_true(is_alive_without_files(tw_instance__name(ours)));
	for (int tries = 0; tries < MOMENTS && exists(dead) && !was_reported(&dry, dead); tries++) {
		usleep(tries ? MOMENT_US : 0);
		dry.n = 0;
		tw_instance__cleanup(true, note, &dry, NULL);
	}
	assert_true(was_reported(&dry, dead) || !exists(dead));
	tw_instance__cleanup(false, note, &wet, NULL);
	expect_removed(pid, "");
	assert_true(exists("twtest-foreign"));
	assert_true(exists("tracewire-notes"));
	assert_true(exists(tw_instance__name(ours)));
	assert_false(was_reported(&wet, "twtest-foreign") || was_reported(&wet, "tracewire-notes") ||
		     was_reported(&wet, tw_instance__name(ours)));
	tw_instance__free(ours);
}

static int remove_foreign(void **state)
{
	(void)state;
	return remove_instance("twtest-foreign") | remove_instance("tracewire-notes");
}

/* The next run cleans up too. */
static void test_next_run(void **state)
{
	char dead[64];
	struct run run;
	int says;
	const pid_t pid = start_victim(&says);

	(void)state;
	kill_victim(pid, says, -1);
	snprintf(dead, sizeof(dead), "tracewire-%d", pid);
	run__init(&run, "sched", NULL);
	run__start(&run);
	for (int tries = 0; tries < MOMENTS && exists(dead); tries++) /* another process may be cleaning up */
		usleep(MOMENT_US);
	assert_false(exists(dead));
	run__stop(&run);
	run__fini(&run);
}

/* Called for each instance that a cleanup removes: writes a byte to the parent if it is the parent's instance. */
static void tell_if_its(void *ctx, const char *name, const char *left)
{
	const int *says = ctx;
	char its[64];
	const int len = snprintf(its, sizeof(its), TW_INSTANCE_PREFIX "%d", getppid());

	(void)left;
	if (!strncmp(name, its, (size_t)len) && (!name[len] || name[len] == '.') && write(*says, "x", 1) != 1)
		_exit(1);
}

/* Kills this child when the test ends in any way, because a child that stays would disturb other tests. */
static void end_with_parent(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* Cleanups that run while instances are created and removed remove none of them. */
static void test_race(void **state)
{
	int fds[2], status;
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid)
		end_with_parent();
	if (!pid)
		for (;;)
			tw_instance__cleanup(false, tell_if_its, &fds[1], NULL);
	close(fds[1]);
	for (int i = 0; i < 50; i++) {
		struct tw_instance *instance = NULL;
		struct tw_error error = { "" };

		if (tw_instance__new("", &instance, &error))
			print_error("%s\n", error.text);
		assert_non_null(instance);
		assert_true(exists(tw_instance__name(instance)));
		tw_instance__free(instance);
	}
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(read(fds[0], &byte, 1), 0);
	close(fds[0]);
}

/* Lets @pid continue to the next entry or exit of a system call. Return: whether it has stopped there */
static bool step(pid_t pid)
{
	int status;

	return !ptrace(PTRACE_SYSCALL, pid, 0, 0) && waitpid(pid, &status, 0) == pid && WIFSTOPPED(status);
}

static void __attribute__((noreturn)) maker(int say)
{
	struct tw_instance *instance;

	end_with_parent();
	if (ptrace(PTRACE_TRACEME, 0, 0, 0) || raise(SIGSTOP) || tw_instance__new("", &instance, NULL) ||
	    !tw_instance__is_alive(tw_instance__name(instance)) || write(say, "x", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* A run is stopped while it creates its instance, just after the instance exists: a cleanup does not remove it. */
static void test_being_made(void **state)
{
	struct reported reported = { .n = 0 };
	struct tw_error error = { "" };
	int fds[2], status, err;
	char name[64], byte;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid)
		maker(fds[1]);
	close(fds[1]);
	snprintf(name, sizeof(name), TW_INSTANCE_PREFIX "%d", pid);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	while (!exists(name))
		assert_true(step(pid));
	err = tw_instance__cleanup(true, note, &reported, &error);
	assert_int_equal(err, -EBUSY);
	assert_non_null(strstr(error.text, "a run of Tracewire that is starting has "));
	tw_instance__cleanup(false, note, &reported, NULL);
	ptrace(PTRACE_DETACH, pid, 0, 0);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	for (int i = 0; i < 3; i++)
		assert_true(tw_instance__cleanup(false, note, &reported, NULL) >= 0);
	assert_false(was_reported(&reported, name));
	kill_victim(pid, fds[0], 0);
	expect_removed(pid, "");
}

/* A lock of a removed instance is not a lock of a later instance of the same name. */
static void test_name_again(void **state)
{
	char path[256];
	int fd;

	(void)state;
	make_foreign("twtest-again");
	fd = open(run__file(NULL, "instances/twtest-again", path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_true(tw_instance__is_at(fd, path));
	assert_int_equal(remove_instance("twtest-again"), 0);
	assert_false(tw_instance__is_at(fd, path));
	make_foreign("twtest-again");
	assert_false(tw_instance__is_at(fd, path));
	close(fd);
	assert_int_equal(remove_instance("twtest-again"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_killed),     cmocka_unit_test_teardown(test_others, remove_foreign),
		cmocka_unit_test(test_next_run),   cmocka_unit_test(test_race),
		cmocka_unit_test(test_name_again), cmocka_unit_test(test_being_made),
	};

	return need_tracing() ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
}
