/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State files under bad conditions: each write to a file fails in turn, the directory contains a FIFO, a file cannot be opened or read. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/state_file.h"

#define HANGS_S 20
#define WRITES  2 /* pwrite() calls for a text: the text itself, and the line with its offset */

static int before_nothing = -1;

/* The linker's --wrap option makes the library call __wrap_pwrite() instead of pwrite(). */
ssize_t __real_pwrite(int fd, const void *bytes, size_t len, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t len, off_t offset);

ssize_t __wrap_pwrite(int fd, const void *bytes, size_t len, off_t offset)
{
	if (before_nothing >= 0 && before_nothing-- == 0) {
		before_nothing = 0; /* all later writes return 0, too */
		return 0;
	}
	return __real_pwrite(fd, bytes, len, offset);
}

static void a_write_that_takes_nothing(void **state)
{
	struct tw_state_file file;
	char name[64], *text;

	(void)state;
	snprintf(name, sizeof(name), "test-state-file-%d", getpid());
	assert_int_equal(tw_state_file__lock(name, &file, NULL), 0);
	assert_int_equal(tw_state_file__write(&file, "old", 3), 0);
	alarm(HANGS_S);
	for (int i = 0; i < WRITES; i++) {
		before_nothing = i;
		assert_int_equal(tw_state_file__write(&file, "new", 3), -EIO);
		before_nothing = -1;
		assert_int_equal(tw_state_file__read(&file, &text), 0);
		assert_string_equal(text, "old");
		free(text);
	}
	before_nothing = 0;
	assert_int_equal(tw_state_file__patch(&file, 0, "x", 1), -EIO);
	before_nothing = -1;
	alarm(0);
	tw_state_file__remove(&file);
	tw_state_file__close(&file);
}

static int count(struct tw_state_file *file, void *ctx, struct tw_error *err)
{
	(void)file;
	(void)err;
	++*(int *)ctx;
	return 0;
}

/* FIFOs are skipped, because opening one would wait for a writer. */
static void a_fifo_among_the_files(void **state)
{
	struct tw_state_file file, fifo;
	char prefix[64], name[80];
	int n = 0;

	(void)state;
	snprintf(prefix, sizeof(prefix), "test-state-file-%d-", getpid());
	snprintf(name, sizeof(name), "%sfile", prefix);
	assert_int_equal(tw_state_file__lock(name, &file, NULL), 0);
	snprintf(name, sizeof(name), "%sfifo", prefix);
	assert_int_equal(tw_state_file__open(name, &fifo), -ENOENT);
	assert_int_equal(mkfifo(fifo.path, 0600), 0);
	alarm(HANGS_S);
	assert_int_equal(tw_state_file__open(name, &fifo), -EINVAL);
	assert_int_equal(tw_state_file__each(prefix, count, &n, NULL), 0);
	alarm(0);
	assert_int_equal(n, 1);
	assert_int_equal(unlink(fifo.path), 0);
	tw_state_file__remove(&file);
	tw_state_file__close(&file);
}

/* A state file that cannot be opened or read is an error. */
static void a_file_that_cannot_be_read(void **state)
{
	struct tw_state_file file, closed = { .fd = -1 };
	struct rlimit limit, none;
	struct tw_error error = { "" };
	char prefix[64], *text;
	int n = 0, free_fd;

	(void)state;
	snprintf(prefix, sizeof(prefix), "test-state-file-%d-", getpid());
	assert_int_equal(tw_state_file__lock(prefix, &file, NULL), 0);
	assert_int_equal(tw_state_file__read(&file, &text), -ENODATA);
	assert_int_equal(tw_state_file__read(&closed, &text), -EBADF);
	free_fd = dup(file.fd);
	assert_true(free_fd >= 0);
	close(free_fd);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){ .rlim_cur = (rlim_t)free_fd + 1, .rlim_max = limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0); /* one descriptor is left, for the directory */
	assert_int_equal(tw_state_file__each(prefix, count, &n, &error), -EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_non_null(strstr(error.text, "cannot open the state file "));
	assert_int_equal(n, 0);
	assert_int_equal(tw_state_file__each(prefix, count, &n, &error), 0);
	assert_int_equal(n, 1);
	tw_state_file__remove(&file);
	tw_state_file__close(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_write_that_takes_nothing),
					    cmocka_unit_test(a_fifo_among_the_files),
					    cmocka_unit_test(a_file_that_cannot_be_read) };
	char folder[] = "/tmp/tracewire-state-XXXXXX";
	int failed;

	if (geteuid() && (!mkdtemp(folder) || setenv("RUNTIME_DIRECTORY", folder, 1)))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (geteuid())
		rmdir(folder);
	return failed;
}
