/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding and running programs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/program.h"

static char folder[] = "/tmp/test_program.XXXXXX";

static void make(const char *name, mode_t mode, const char *text)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static int set_up(void **state)
{
	char path[128];

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	make("script", 0755, "exit $(($# * 10 + $1))\n");
	make("plain", 0644, "exit 0\n");
	make("lost", 0755, "#!/nonexistent/interpreter\n");
	snprintf(path, sizeof(path), "/nonexistent:%s:/bin:/usr/bin", folder);
	return setenv("PATH", path, 1);
}

static int tear_down(void **state)
{
	static const char *const names[] = { "script", "plain", "lost" };

	(void)state;
	if (chdir(folder))
		return -1;
	for (size_t i = 0; i < 3; i++)
		unlink(names[i]);
	return rmdir(folder);
}

/* Return: -errno of tw_program__find() or tw_program__exec(), or 1000 + the program's exit status. */
static int run(char *const *argv)
{
	struct tw_program program;
	int error, status;
	pid_t pid;

	error = tw_program__find(argv, &program);
	if (!error) {
		pid = fork();
		if (!pid)
			_exit(-tw_program__exec(&program, environ) + 100);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		error = WEXITSTATUS(status) > 100 ? -(WEXITSTATUS(status) - 100) : 1000 + WEXITSTATUS(status);
	}
	tw_program__fini(&program);
	return error;
}

#define RUN(...) run((char *const[]){ __VA_ARGS__, NULL })

static void test_found(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/script", folder);
	assert_int_equal(RUN("true"), 1000);
	assert_int_equal(RUN("/bin/sh", "-c", "exit 7"), 1007);
	assert_int_equal(RUN("script", "3", "x"), 1023);
	assert_int_equal(RUN(path, "4"), 1014);
}

static void test_not_found(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/plain", folder);
	assert_int_equal(RUN("no-such-program"), -ENOENT);
	assert_int_equal(RUN("plain"), -EACCES);
	assert_int_equal(RUN(path), -EACCES);
	assert_int_equal(RUN(folder), -EACCES);
	assert_int_equal(RUN("/nonexistent/program"), -ENOENT);
	assert_int_equal(RUN("lost"), -ENOENT);
	assert_int_equal(RUN(""), -ENOENT);
}

static void test_long_names(void **state)
{
	static char name[2 * PATH_MAX];

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	assert_int_equal(RUN(name), -ENOENT);
	name[0] = '/';
	assert_int_equal(RUN(name), -ENAMETOOLONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_not_found),
		cmocka_unit_test(test_long_names),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
