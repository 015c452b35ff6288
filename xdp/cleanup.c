/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xdp/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xdp/attach.h"

int tw_stale__detach(const struct tw_state *state, struct tw_error *error)
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
	int err = tw_state__read(file, &state, error);

	if (err)
		return err == -ENODATA ? 0 : err;
	err = tw_stale__detach(&state, error);
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
enum { FILE_FD = 3, SOCKET_FD, FIRST_OTHER };

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
 * Move both descriptors to FILE_FD and SOCKET_FD. They are first duplicated to higher numbers, so that a dup2() to FILE_FD or SOCKET_FD
 * does not close one of them. Descriptors 0 to 2 become /dev/null; all others are closed. Return: 0, or -1 with errno set.
 */
static int keep_two(int file_fd, int socket_fd)
{
	const int null = open("/dev/null", O_RDWR);
	const int file_high = null < 0 ? -1 : fcntl(file_fd, F_DUPFD, FIRST_OTHER);
	const int socket_high = file_high < 0 ? -1 : fcntl(socket_fd, F_DUPFD, FIRST_OTHER);

	if (socket_high < 0 || dup2(file_high, FILE_FD) < 0 || dup2(socket_high, SOCKET_FD) < 0)
		return -1;
	for (int fd = 0; fd < FILE_FD; fd++)
		if (dup2(null, fd) < 0)
			return -1;
	return close_range(FIRST_OTHER, ~0U, 0);
}

/* If a call fails before the helper is ready, its exit status is the errno. */
_Noreturn static void watch(struct tw_state_file *file, int socket_fd)
{
	char byte = 0;
	ssize_t got;

	keep_away();
	if (keep_two(file->fd, socket_fd) || write(SOCKET_FD, &byte, 1) < 0)
		_exit(errno);
	file->fd = FILE_FD;
	do
		got = read(SOCKET_FD, &byte, 1);
	while (got > 0 || (got < 0 && errno == EINTR));
	tw_stale__remove(file, NULL);
	_exit(0);
}

static int wait_for_end(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* Wait for the byte that the helper writes when it is ready. If the helper ends instead, the read returns 0. */
static int wait_until_ready(const struct tw_cleanup_helper *helper)
{
	char byte;
	ssize_t got;
	int err, status;

	do
		got = read(helper->socket, &byte, 1);
	while (got < 0 && errno == EINTR);
	if (got > 0)
		return 0;
	err = got < 0 ? -errno : 0;
	if (err)
		kill(helper->pid, SIGKILL);
	status = wait_for_end(helper->pid);
	if (err)
		return err;
	return WIFEXITED(status) && WEXITSTATUS(status) ? -WEXITSTATUS(status) : -ECHILD;
}

int tw_cleanup_helper__start(const struct tw_state_file *file, struct tw_cleanup_helper *ret, struct tw_error *error)
{
	struct tw_state_file its = *file;
	int ends[2], err;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return tw_error__set(error, -errno, "cannot make the socket of the cleanup helper: %s",
				     strerror(errno));
	*ret = (struct tw_cleanup_helper){ .pid = fork(), .socket = ends[1] };
	err = ret->pid < 0 ? -errno : 0;
	if (!ret->pid)
		watch(&its, ends[0]);
	close(ends[0]);
	if (!err)
		err = wait_until_ready(ret);
	if (!err)
		return 0;
	close(ends[1]);
	ret->pid = 0;
	return tw_error__set(error, err, "cannot start the cleanup helper: %s", strerror(-err));
}

void tw_cleanup_helper__end(struct tw_cleanup_helper *helper, bool removed)
{
	if (!helper->pid)
		return;
	close(helper->socket);
	kill(helper->pid, removed ? SIGKILL : SIGCONT); /* a helper that is stopped (SIGSTOP) does not read the EOF */
	wait_for_end(helper->pid);
	helper->pid = 0;
}
