/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state file of a classifier: the content can be read back, one process owns the file, and no file stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "namespace.h"
#include "xdp/cleanup.h"
#include "xdp/state.h"

static const struct tw_classifier_rule rules[] = {
	{ .expression = "prev_comm == \"a\nrule 1 2 3 x\" &&\n cpu == 1", .action = TW_ACTION_MARK, .arg = UINT32_MAX },
	{ .expression = "cpu == 2", .action = TW_ACTION_DROP },
};

static struct tw_state made(void)
{
	const struct tw_classifier_options options = {
		.ifname = "v0",
		.place = TW_ATTACH_TC,
		.rules = rules,
		.n = 2,
		.default_action = TW_ACTION_REDIRECT,
		.default_arg = 7,
	};
	struct tw_state state;
	struct tw_error err = { "" };

	if (tw_state__init(&state, &options, &err))
		fail_msg("%s", err.text);
	return state;
}

static struct tw_state_file locked(const struct tw_state *state)
{
	struct tw_state_file file;
	struct tw_error err = { "" };

	if (tw_state__lock(state, &file, &err))
		fail_msg("%s", err.text);
	return file;
}

static void what_is_written_is_read(void **unused)
{
	struct tw_state state = made(), copy;
	struct tw_state_file file = locked(&state);
	struct tw_error err = { "" };
	uint64_t netns = 0;

	(void)unused;
	assert_int_equal(tw_netns__inode(&netns, &err), 0);
	state.public.schema_id = UINT64_MAX;
	state.prio = 21592;
	state.made_clsact = 1;
	state.rows[TW_ROWS_MAX - 1] = (struct tw_state_row){ 1, 64, UINT64_MAX - 1 };
	for (int i = 0; i < 2; i++) { /* the second text is shorter, and nothing of the first is left */
		assert_int_equal(tw_state__write(&state, &file, &err), 0);
		assert_int_equal(tw_state__read(&file, &copy, NULL), 0);
		assert_int_equal(copy.public.n, state.public.n);
		for (unsigned int k = 0; k < copy.public.n; k++) {
			assert_string_equal(copy.public.rules[k].expression, rules[k].expression);
			assert_int_equal(copy.public.rules[k].action, rules[k].action);
			assert_int_equal(copy.public.rules[k].arg, rules[k].arg);
		}
		assert_string_equal(copy.public.ifname, "v0");
		assert_int_equal(copy.public.ifindex, state.public.ifindex);
		assert_int_equal(copy.public.place, TW_ATTACH_TC);
		assert_int_equal(copy.public.pid, getpid());
		assert_true(copy.public.schema_id == state.public.schema_id);
		assert_int_equal(copy.public.default_action, TW_ACTION_REDIRECT);
		assert_int_equal(copy.public.default_arg, 7);
		assert_true(copy.netns == netns && netns);
		assert_int_equal(copy.prio, 21592);
		assert_int_equal(copy.made_clsact, 1);
		assert_memory_equal(copy.rows, state.rows, sizeof(copy.rows));
		tw_state__fini(&copy);
		if (!i)
			tw_state__fini(&state);
	}
	tw_state_file__remove(&file);
	tw_state_file__close(&file);
	assert_int_equal(access("/run/tracewire", F_OK), -1);
}

static void one_has_it(void **unused)
{
	struct tw_state state = made();
	struct tw_state_file file = locked(&state), second;
	struct tw_error err = { "" };

	(void)unused;
	assert_int_equal(tw_state__write(&state, &file, &err), 0);
	assert_int_equal(tw_state__lock(&state, &second, &err), -EBUSY);
	assert_non_null(strstr(err.text, "v0 has a classifier in tc already, held by process "));
	state.public.place = TW_ATTACH_XDP; /* the other hook has no classifier */
	second = locked(&state);
	tw_state_file__remove(&second);
	tw_state_file__close(&second);
	state.public.place = TW_ATTACH_TC;
	tw_state_file__close(&file);
	second = locked(&state);
	tw_state_file__remove(&second);
	tw_state_file__close(&second);
	tw_state__fini(&state);
}

/* A classifier that cannot be detached keeps its file, so that a later cleanup finds it. */
static void what_stays_attached_keeps_its_file(void **unused)
{
	struct tw_state state = made();
	struct tw_error err = { "" };
	struct tw_state_file file;
	struct rlimit limit;
	rlim_t before;
	int code;

	(void)unused;
	state.public.place = TW_ATTACH_U32;
	state.prio = 21592;
	file = locked(&state);
	assert_int_equal(tw_state__write(&state, &file, &err), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	before = limit.rlim_cur;
	limit.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	code = tw_stale__remove(&file, &err);
	limit.rlim_cur = before;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_true(code < 0);
	assert_false(tw_state_file__has_gone(&file));
	assert_int_equal(tw_stale__remove(&file, &err), 0);
	tw_state_file__close(&file);
	tw_state__fini(&state);
}

static bool forks_are_refused;

/* The linker's --wrap option makes the library call __wrap_fork() instead of fork(). */
pid_t __real_fork(void);
pid_t __wrap_fork(void);

pid_t __wrap_fork(void)
{
	if (!forks_are_refused)
		return __real_fork();
	errno = EAGAIN;
	return -1;
}

static void no_cleanup_helper(void **unused)
{
	struct tw_state state = made();
	struct tw_state_file file = locked(&state);
	struct tw_cleanup_helper helper = { .pid = -1 };
	struct tw_error err = { "" };

	(void)unused;
	forks_are_refused = true;
	assert_int_equal(tw_cleanup_helper__start(&file, &helper, &err), -EAGAIN);
	forks_are_refused = false;
	assert_non_null(strstr(err.text, "cannot start the cleanup helper"));
	assert_int_equal(helper.pid, 0);
	tw_cleanup_helper__end(&helper, true);
	tw_state_file__remove(&file);
	tw_state_file__close(&file);
	tw_state__fini(&state);
}

#define NAME "classifier-beside"

static void __attribute__((noreturn)) take_one(void)
{
	struct tw_state_file file;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	_exit(ptrace(PTRACE_TRACEME, 0, 0, 0) || raise(SIGSTOP) || tw_state_file__lock(NAME, &file, NULL) ||
	      tw_state_file__has_gone(&file));
}

/* Lets @pid continue to the next entry or exit of a system call. */
static struct __ptrace_syscall_info step(pid_t pid)
{
	struct __ptrace_syscall_info info;
	int status;

	assert_int_equal(ptrace(PTRACE_SYSCALL, pid, 0, 0), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	assert_true(ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) > 0);
	return info;
}

/* A cleanup removes a file that was created but is not locked yet. Its creator makes the file again, and has a file in the end. */
static void had_beside_a_clean_up(void **unused)
{
	struct __ptrace_syscall_info info;
	struct tw_state_file file;
	const pid_t pid = fork();
	int status;

	(void)unused;
	if (!pid)
		take_one();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD), 0);
	while (tw_state_file__open(NAME, &file))
		step(pid);
	assert_int_equal(tw_state_file__try_lock(&file), 0);
	do
		info = step(pid);
	while (info.op != PTRACE_SYSCALL_INFO_ENTRY || info.entry.nr != SYS_flock);
	step(pid);
	tw_state_file__remove(&file);
	tw_state_file__close(&file);
	assert_int_equal(ptrace(PTRACE_DETACH, pid, 0, 0), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Writes the long state, stops, and writes the short state. */
static void __attribute__((noreturn)) write_two(void)
{
	struct tw_state state = made();
	struct tw_state_file file = locked(&state);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (tw_state__write(&state, &file, NULL) || ptrace(PTRACE_TRACEME, 0, 0, 0) || raise(SIGSTOP))
		_exit(1);
	state.public.rules[0] = state.public.rules[1];
	state.public.n = 1;
	_exit(tw_state__write(&state, &file, NULL) != 0);
}

/*
 * Kills the writer at its stop number @n at a system call, after it wrote the long state. Return: number of rules of the state in the file;
 * *ret_past: the writer ended before stop @n.
 */
static unsigned int rules_after_kill(int n, bool *ret_past)
{
	struct tw_state state = made(), copy;
	struct tw_state_file file;
	const pid_t pid = fork();
	unsigned int rules_left;
	int status;

	if (!pid)
		write_two();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD), 0);
	for (*ret_past = false; n-- && !*ret_past;) {
		const struct __ptrace_syscall_info info = step(pid);

		*ret_past = info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_exit_group;
	}
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	file = locked(&state);
	assert_int_equal(tw_state__read(&file, &copy, NULL), 0);
	rules_left = copy.public.n;
	tw_state__fini(&copy);
	tw_state__fini(&state);
	tw_state_file__remove(&file);
	tw_state_file__close(&file);
	return rules_left;
}

static void killed_while_it_is_written(void **unused)
{
	unsigned int before = 2;
	bool past = false;

	(void)unused;
	for (int n = 0; !past; n++) {
		const unsigned int now = rules_after_kill(n, &past);

		assert_in_range(now, 1, before);
		before = now;
	}
	assert_int_equal(before, 1);
}

/* Texts of all lengths are written in turn. The old text stays valid until the line with the offset of the new text is complete. */
static void written_in_part(void **unused)
{
	static char texts[2][20000];
	char lines[2][512], *got;
	struct tw_state_file file;
	unsigned long at;
	size_t before = 0;

	(void)unused;
	assert_int_equal(tw_state_file__lock(NAME, &file, NULL), 0);
	assert_int_equal(tw_state_file__read(&file, &got), -ENODATA);
	for (unsigned int i = 1; i < 200; i++) {
		const size_t len = i * 7919 % sizeof(texts[0]);
		char *const text = texts[i % 2];

		memset(text, 'a' + (int)(i % 26), len);
		memset(lines, 0, sizeof(lines));
		assert_true(pread(file.fd, lines[0], sizeof(lines[0]), 0) >= 0);
		assert_int_equal(tw_state_file__write(&file, text, len), 0);
		assert_int_equal(pread(file.fd, lines[1], sizeof(lines[1]), 0), (ssize_t)sizeof(lines[1]));
		assert_int_equal(sscanf(lines[1] + i % 2 * 256, "text %*u at %lu", &at), 1);
		assert_int_equal(at % 4096,
				 0); /* so that a patch within a page of the text lies within a page of the file */
		for (size_t cut = 0; i > 1 && cut <= sizeof(lines[0]); cut++) {
			assert_int_equal(pwrite(file.fd, lines[1], cut, 0), (ssize_t)cut);
			assert_int_equal(pwrite(file.fd, lines[0] + cut, sizeof(lines[0]) - cut, (off_t)cut),
					 (ssize_t)(sizeof(lines[0]) - cut));
			assert_int_equal(tw_state_file__read(&file, &got), 0);
			if (strlen(got) != len || memcmp(got, text, len) != 0) {
				assert_int_equal(strlen(got), before);
				assert_memory_equal(got, texts[(i + 1) % 2], before);
			}
			free(got);
		}
		before = len;
	}
	assert_int_equal(tw_state_file__patch(&file, before - 1, "zz", 2), -EINVAL);
	assert_int_equal(tw_state_file__patch(&file, before - 2, "zz", 2), 0);
	assert_int_equal(tw_state_file__read(&file, &got), 0);
	assert_string_equal(got + before - 2, "zz");
	free(got);
	tw_state_file__remove(&file);
	tw_state_file__close(&file);
}

static void damage_is_no_state(void **unused)
{
	static const char *const texts[] = {
		"",
		"x",
		"tracewire classifier 1\nifname",
		"tracewire classifier 1\nrule 0 0 99999 x\n",
		"tracewire classifier 1\nrule 0 0 18446744073709551615 x\n",
		"tracewire classifier 1\nnetns\n",
	};
	struct tw_state state = made(), copy;
	struct tw_state_file file = locked(&state);

	(void)unused;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(tw_state_file__write(&file, texts[i], strlen(texts[i])), 0);
		assert_int_equal(tw_state__read(&file, &copy, NULL), -ENODATA);
		assert_int_equal(ftruncate(file.fd, 0), 0);
		assert_int_equal(pwrite(file.fd, texts[i], strlen(texts[i]), 0), (ssize_t)strlen(texts[i]));
		assert_int_equal(tw_state__read(&file, &copy, NULL), -ENODATA);
	}
	tw_state_file__remove(&file);
	tw_state_file__close(&file);
	tw_state__fini(&state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_is_written_is_read, namespace__setup),
		cmocka_unit_test_setup(one_has_it, namespace__setup),
		cmocka_unit_test_setup(what_stays_attached_keeps_its_file, namespace__setup),
		cmocka_unit_test_setup(no_cleanup_helper, namespace__setup),
		cmocka_unit_test_setup(had_beside_a_clean_up, namespace__setup),
		cmocka_unit_test_setup(killed_while_it_is_written, namespace__setup),
		cmocka_unit_test_setup(written_in_part, namespace__setup),
		cmocka_unit_test_setup(damage_is_no_state, namespace__setup),
	};
	const int guard = namespace__guard();

	return guard ? guard : cmocka_run_group_tests(tests, NULL, NULL);
}
