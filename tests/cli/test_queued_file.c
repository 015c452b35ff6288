/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Printing that never waits: what happens to text for a full disk or a full queue. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/queued_file.h"
#include "cli/standard_files.h"

#define LINE  "0123456789abcde\n"
#define LINES (QUEUED_FILE_MAX / (sizeof(LINE) - 1) + 100000)

/* Limits the size of files. Writes beyond the limit fail, as on a full disk. */
static void set_file_limit(rlim_t most)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = most;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void later_text_is_tried_again(void **state)
{
	char path[] = "/tmp/test_queued_file.XXXXXX", text[64] = "";
	const int fd = mkstemp(path);
	const struct tw_deadline none = { 0 };
	struct queued_file *file;
	FILE *out;

	(void)state;
	assert_true(fd >= 0);
	unlink(path);
	signal(SIGXFSZ, SIG_IGN);
	file = queued_file__open(fd, _IONBF, &out);
	assert_non_null(file);
	set_file_limit(0);
	fputs("lost\n", out);
	set_file_limit(RLIM_INFINITY);
	fputs("kept\n", out);
	assert_int_equal(queued_file__finish(file, &none), -EFBIG);
	assert_int_equal(queued_file__dropped(file), 5);
	assert_int_equal(pread(fd, text, sizeof(text) - 1, 0), 5);
	assert_string_equal(text, "kept\n");
	fclose(out);
	close(fd);
}

/* Reads everything that is queued. Return: number of lines, each @len bytes long */
static size_t read_lines(struct queued_file *file, int fd, size_t len)
{
	size_t lines = 0, at = 0;
	char buf[65536];
	bool is_behind;

	do {
		ssize_t n;

		is_behind = queued_file__fd(file) >= 0;
		n = read(fd, buf, sizeof(buf));
		for (ssize_t i = 0; i < n; i++) {
			at++;
			if (buf[i] != '\n')
				continue;
			assert_int_equal(at, len);
			at = 0;
			lines++;
		}
		is_behind |= n > 0;
	} while (is_behind);
	assert_int_equal(at, 0);
	return lines;
}

/* Only whole lines are dropped, whatever pieces a FILE writes. */
static void lines_are_whole(void **state)
{
	static const struct {
		int mode;
		size_t len;
	} table[] = { { _IOFBF, 100 }, { _IOLBF, 20001 }, { _IOFBF, 300001 }, { _IONBF, 999 } };

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const size_t len = table[i].len, n = 3 * QUEUED_FILE_MAX / 2 / len;
		char *line = malloc(len + 1);
		struct queued_file *file;
		size_t seen;
		int fds[2];
		FILE *out;

		assert_non_null(line);
		memset(line, 'x', len);
		memcpy(line + len - 1, "\n", 2);
		assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
		file = queued_file__open(fds[1], table[i].mode, &out);
		assert_non_null(file);
		for (size_t k = 0; k < n; k++)
			fputs(line, out);
		fflush(out);
		seen = read_lines(file, fds[0], len);
		assert_true(seen < n);
		assert_int_equal(seen * len + queued_file__dropped(file), n * len);
		fclose(out);
		close(fds[0]);
		close(fds[1]);
		free(line);
	}
}

/* In the child: prints more than the queue holds to @fd, which is standard output or standard error; the other of the two goes to @said */
static _Noreturn void print_too_much(int fd, int to, int said)
{
	struct tw_error err;

	dup2(said, fd == STDOUT_FILENO ? STDERR_FILENO : STDOUT_FILENO);
	dup2(to, fd);
	close(to);
	close(said);
	if (standard_files__queue(&err))
		_exit(100);
	for (size_t i = 0; i < LINES; i++)
		fputs(LINE, fd == STDOUT_FILENO ? stdout : stderr);
	raise(SIGSTOP); /* until here, the parent does not read */
	_exit(standard_files__finish(0));
}

/* Return: exit status of the child; @last: the last line in @fd, @said: text of the other of standard output and standard error */
static int finish_too_much(int fd, char last[256], char said[256])
{
	int to[2], other[2], status;
	char buf[4096];
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(other), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(to[0]);
		close(other[0]);
		print_too_much(fd, to[1], other[1]);
	}
	close(to[1]);
	close(other[1]);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	kill(pid, SIGCONT);
	memset(last, 0, 256);
	memset(said, 0, 256);
	while ((n = read(to[0], buf, sizeof(buf))) > 0) {
		usleep(200); /* a slow reader: the pipe is still full when the queue is empty */
		for (ssize_t i = 0; i < n; i++) {
			const size_t len = strlen(last);

			if (len && last[len - 1] == '\n')
				memset(last, 0, 256);
			if (strlen(last) < 255)
				last[strlen(last)] = buf[i];
		}
	}
	assert_true(read(other[0], said, 255) >= 0);
	close(to[0]);
	close(other[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void dropped_messages_are_reported(void **state)
{
	char last[256], said[256];

	(void)state;
	assert_int_equal(finish_too_much(STDERR_FILENO, last, said), 0);
	assert_non_null(strstr(last, "bytes of messages were dropped"));
}

static void dropped_output_is_a_failure(void **state)
{
	char last[256], said[256];

	(void)state;
	assert_int_equal(finish_too_much(STDOUT_FILENO, last, said), 1);
	assert_string_equal(last, LINE);
	assert_non_null(strstr(said, "cannot write to standard output: part of the text was lost"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(later_text_is_tried_again),
		cmocka_unit_test(lines_are_whole),
		cmocka_unit_test(dropped_messages_are_reported),
		cmocka_unit_test(dropped_output_is_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
