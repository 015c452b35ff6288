/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xdp/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xdp/attach.h"

static int detach(const struct tw_state *state, struct tw_error *error)
{
	switch (state->public.place) {
	case TW_ATTACH_XDP:
		return tw_xdp__detach(state, error);
	case TW_ATTACH_TC:
		return tw_tc__detach(state, error);
	case TW_ATTACH_U32:
		return tw_u32__detach(state, error);
	default:
		return 0;
	}
}

/* If the file has no content, the process that created it had not attached anything. */
int tw_stale__detach_file(const struct tw_state_file *file, struct tw_error *error)
{
	struct tw_state state;
	int err = tw_state__read(file, &state);

	if (err)
		return err == -ENODATA ? 0 : err;
	err = detach(&state, error);
	tw_state__fini(&state);
	return err;
}

int tw_stale__remove(struct tw_state_file *file, struct tw_error *error)
{
	int err;

	if (tw_state_file__has_gone(file))
		return 0;
	err = tw_stale__detach_file(file, error);
	if (!err)
		tw_state_file__remove(file);
	return err;
}

/* The helper's two descriptors. The helper closes all others, because an open bpf_link would keep the program attached. */
enum { FILE_FD = 3, PIPE_FD, FIRST_OTHER };

/* Protect the helper from signals that end its parent: those of the terminal, of the session, and of a service manager. */
static void keep_away(void)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };

	setsid();
	prctl(PR_SET_NAME, "tracewire-guard");
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
}

/*
 * Move both descriptors to FILE_FD and PIPE_FD. They are first duplicated to higher numbers, so that a dup2() to FILE_FD or PIPE_FD does
 * not close one of them. Descriptors 0 to 2 become /dev/null; all others are closed.
 */
static int keep_two(int file_fd, int pipe_fd)
{
	const int null = open("/dev/null", O_RDWR);
	const int file_high = fcntl(file_fd, F_DUPFD, FIRST_OTHER), pipe_high = fcntl(pipe_fd, F_DUPFD, FIRST_OTHER);

	if (null < 0 || dup2(file_high, FILE_FD) < 0 || dup2(pipe_high, PIPE_FD) < 0)
		return -1;
	for (int fd = 0; fd < FILE_FD; fd++)
		dup2(null, fd);
	return close_range(FIRST_OTHER, ~0U, 0);
}

_Noreturn static void watch(struct tw_state_file *file, int pipe_fd)
{
	char byte;
	ssize_t got;

	keep_away();
	if (keep_two(file->fd, pipe_fd))
		_exit(1);
	file->fd = FILE_FD;
	do
		got = read(PIPE_FD, &byte, 1);
	while (got > 0 || (got < 0 && errno == EINTR));
	tw_stale__remove(file, NULL);
	_exit(0);
}

int tw_cleanup_helper__start(const struct tw_state_file *file, struct tw_cleanup_helper *ret, struct tw_error *error)
{
	struct tw_state_file its = *file;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return tw_error__set(error, -errno, "cannot make the pipe of the cleanup helper: %s", strerror(errno));
	ret->pid = fork();
	if (!ret->pid)
		watch(&its, ends[0]);
	close(ends[0]);
	ret->pipe = ends[1];
	if (ret->pid > 0)
		return 0;
	close(ends[1]);
	ret->pid = 0;
	return tw_error__set(error, -errno, "cannot start the cleanup helper: %s", strerror(errno));
}

void tw_cleanup_helper__end(struct tw_cleanup_helper *helper)
{
	if (!helper->pid)
		return;
	close(helper->pipe);
	kill(helper->pid, SIGKILL); /* a helper that is stopped (SIGSTOP) does not read the EOF */
	while (waitpid(helper->pid, NULL, 0) < 0 && errno == EINTR)
		;
	helper->pid = 0;
}
